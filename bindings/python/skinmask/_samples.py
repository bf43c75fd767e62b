"""Tables of labelled pixels, and the images and masks that they are read from."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from numbers import Integral
from typing import Any, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _skinmask
from ._common import (
    BOOLEAN,
    Path,
    Progress,
    end_by,
    give,
    is_given,
    path_of,
    pixels_of,
    require_switch,
    run,
    texts,
)

Picture = NDArray[Any]
Paths = Union[Path, Iterable[Union[Path, Picture]]]  # a folder, or files and pictures

_SWITCH = "True or False is wanted"
PAIR_OPTIONS = {
    "image_name": "a text with {stem} is wanted",
    "mask_name": "a text with {stem} is wanted",
    "labels": "texts as 'skin=255' are wanted",
    "ignored": "texts as '128' are wanted",
    "invert": _SWITCH,
    "whole": "the name of a class is wanted",
    "allow_missing": _SWITCH,
    "step": "a whole number is wanted",
    "groups": _SWITCH,
    "max_pixels": "a number of pixels is wanted",
}

# Of these, what no evaluation has, and why.
OF_TABLES = (("step", "groups"), "makes tables of samples, and no scores (leave it out)")
_OF_MASKS = ("mask_name", "labels", "ignored", "invert")


class Samples:
    """Labelled pixels, counted by class, colour and group: equal data make equal tables.

    >>> samples = Samples(numpy.array([[90, 110, 180], [90, 110, 180], [9, 9, 9]], "uint8"),
    ...                   ["skin", "skin", "non-skin"])
    >>> samples.counts, len(samples)
    ({'non-skin': 1, 'skin': 2}, 3)

    `pixels` is uint8 (n, 3), each row B G R. `labels` has an entry for each pixel: names of
    classes; booleans, or 1 and 0, for skin and non-skin; or, as in the UCI file, 1 and 2. `groups`,
    whole numbers, are the images that cross-validation keeps whole. `counts`, as `arrays` gives
    them, are the numbers of pixels that each row stands for; large ones cost nothing.
    """

    def __init__(
        self,
        pixels: NDArray[numpy.uint8],
        labels: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        counts: ArrayLike | None = None,
    ) -> None:
        values = _unmasked("labels", labels)
        # numpy makes texts of all that is beside texts, and numbers of nothing.
        if not isinstance(labels, numpy.ndarray) and (values.dtype.kind == "U" or not values.size):
            values = numpy.asarray(labels, object)
        index, names = _classes(values)
        if groups is not None:
            groups = _numbers("groups", groups, 1 << 32).astype(numpy.uint32)
        if counts is not None:
            counts = _numbers("counts", counts, 1 << 63).astype(numpy.uint64)
        self._core = _skinmask.Samples.of(pixels, index, names, groups, counts)

    @classmethod
    def _of(cls, core: _skinmask.Samples) -> Samples:
        self = cls.__new__(cls)
        self._core = core
        return self

    @classmethod
    def read(cls, *paths: Path) -> Samples:
        """The sum of tables in files: CSV as `save` writes it, or the format of the UCI file."""
        if not paths:
            raise _skinmask.Error("paths: are none (one table or more is wanted)")
        return cls._of(
            _skinmask.Samples.merged([_skinmask.Samples.read(path_of(path)) for path in paths])
        )

    @classmethod
    def from_pairs(
        cls,
        images: Paths,
        masks: Paths | None = None,
        *,
        progress: Progress = None,
        problem: Callable[[str], object] | None = None,
        **how: Any,
    ) -> Samples:
        """The pixels of the images in a folder, labelled by the masks in another folder.

        Or those of lists of files or arrays, as `evaluate` takes them.

        `how` are image_name, mask_name, labels, ignored, invert, whole, allow_missing, step, groups
        and max_pixels, as for `skinmask sample` (docs/cli.md, 'Reading masks'). A file that cannot
        be read is an Error, or one line for the function `problem`, if there is one.
        """
        work = partial(_skinmask.Samples.collect, pair_options(images, masks, **how))
        problem = end_by if problem is None else problem
        return cls._of(run(work, progress=progress, problem=problem))

    def save(self, path: Path, *, overwrite: bool = True) -> None:
        """Writes the table as CSV, completely or not at all."""
        require_switch("overwrite", overwrite)
        self._core.save(path_of(path), overwrite)

    def to_csv(self) -> str:
        """The text that `save` writes."""
        return self._core.format()

    def ungrouped(self) -> Samples:
        """The same table with every group 0."""
        return Samples._of(self._core.ungrouped())

    def arrays(self) -> tuple[NDArray[numpy.uint8], NDArray[Any], NDArray[numpy.uint64]]:
        """The table's colours (rows, 3), their classes, and the number of pixels of each."""
        pixels, index, counts, _ = self._core.columns()
        return pixels, numpy.asarray(self.classes)[index], counts

    @property
    def classes(self) -> list[str]:
        """The names of the classes, in alphabetical order."""
        return self._core.classes

    @property
    def counts(self) -> dict[str, int]:
        """The number of pixels of each class."""
        return {name: self._core.total_of(i) for i, name in enumerate(self.classes)}

    def __len__(self) -> int:
        """The number of pixels of all classes."""
        return sum(self.counts.values())

    def __add__(self, other: Samples) -> Samples:
        if not isinstance(other, Samples):
            return NotImplemented
        return Samples._of(_skinmask.Samples.merged([self._core, other._core]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Samples) and self.to_csv() == other.to_csv()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<skinmask.Samples {self.counts}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        pixels, index, counts, groups = self._core.columns()
        return _of_columns, (pixels, index, self.classes, groups, counts)


def _of_columns(*columns: Any) -> Samples:
    return Samples._of(_skinmask.Samples.of(*columns))


def _unmasked(name: str, given: ArrayLike) -> NDArray[Any]:
    if isinstance(given, numpy.ma.MaskedArray):
        raise TypeError(f"{name}: is a masked array (one that hides none of its entries is wanted)")
    return numpy.asarray(given)


def _numbers(name: str, given: ArrayLike, limit: int) -> NDArray[Any]:
    values = _unmasked(name, given)
    if values.dtype.kind not in "iu" or values.ndim != 1:
        raise TypeError(
            f"{name}: are {values.dtype} of shape {values.shape} "
            "(whole numbers, one for each pixel)"
        )
    if values.size and (values.min() < 0 or values.max() >= limit):
        raise _skinmask.Error(f"{name}: are out of range (0 to {limit - 1})")
    return values


def _classes(labels: NDArray[Any]) -> tuple[NDArray[numpy.uint8], list[str]]:
    """The class index of each pixel, and the classes' names."""
    wanted = "names, booleans, 1 and 0, or 1 for skin and 2 for non-skin, one for each pixel"
    if labels.ndim != 1 or labels.dtype.kind not in "biuUO":
        raise TypeError(f"labels: are {labels.dtype} of shape {labels.shape} ({wanted})")
    if labels.dtype.kind == "O":
        if all(isinstance(label, str) for label in labels):
            labels = labels.astype(str)
        # pandas stores numbers of its nullable types in this way.
        elif not all(isinstance(label, (Integral, numpy.bool_)) for label in labels):
            raise TypeError(f"labels: are objects, not all of one of these kinds ({wanted})")
    if labels.dtype.kind == "U":
        names, index = numpy.unique(labels, return_inverse=True)
        if len(names) > 255:
            raise _skinmask.Error(f"labels: name {len(names)} classes (at most 255)")
        return index.astype(numpy.uint8), texts("labels", [str(name) for name in names])
    values = set(numpy.unique(labels).tolist())
    if values <= {0, 1}:
        return labels.astype(numpy.uint8), ["non-skin", "skin"]
    if values <= {1, 2}:
        return (labels == 1).astype(numpy.uint8), ["non-skin", "skin"]
    shown = ", ".join(str(value) for value in sorted(values)[:5])
    raise _skinmask.Error(f"labels: are numbers such as {shown} ({wanted})")


def pair_options(images: Paths, masks: Paths | None, **how: Any) -> _skinmask.PairOptions:
    """`how` are options of `skinmask sample`: docs/cli.md, 'Reading masks'."""
    pairs = _skinmask.PairOptions()
    if how.get("whole") == "":
        raise _skinmask.Error("whole: is empty (the name of a class is wanted)")
    if masks is None and not how.get("whole"):
        raise _skinmask.Error(
            "masks: are wanted, a folder of them (or whole='skin': each image wholly of a class)"
        )
    for name in ("masks", *_OF_MASKS) if how.get("whole") else ():
        given = masks if name == "masks" else how.get(name)
        if is_given(given):
            raise _skinmask.Error(f"{name}: no mask is read with `whole` (leave one of them out)")
    if isinstance(images, (str, os.PathLike)):
        pairs.images = path_of(images, "images")
        if masks is not None:
            pairs.masks = path_of(masks, "masks", "a folder's path is wanted, as for images")
    else:
        _set_list(pairs, images, masks, how)
    for name, value in how.items():
        if name not in PAIR_OPTIONS:
            raise TypeError(f"unexpected keyword argument '{name}' ({', '.join(PAIR_OPTIONS)})")
        if value is None:
            continue
        if name == "step" and isinstance(value, Integral) and abs(int(value)) >= 1 << 31:
            raise _skinmask.Error(f"step {value}: is out of range (1 to 2147483647)")
        if name == "max_pixels":
            value = pixels_of(value)
        if PAIR_OPTIONS[name] == _SWITCH:
            require_switch(name, value)
        elif isinstance(value, BOOLEAN):
            raise TypeError(f"{name}: is {value!r} ({PAIR_OPTIONS[name]})")
        one = name in ("labels", "ignored") and isinstance(value, str)
        give(partial(setattr, pairs, name), name, [value] if one else value, PAIR_OPTIONS[name])
    return pairs


def _array(name: str, array: Picture) -> Picture:
    """A picture or a mask; a boolean mask is converted to 0 and 255."""
    is_mask = name.startswith("masks")
    kinds = ("uint8", "bool") if is_mask else ("uint8",)
    fits = array.dtype.name in kinds and array.ndim == (2 if is_mask else 3) and array.size > 0
    fits = fits and array.shape[2:] in ((), (3,)) and max(array.shape) < 1 << 31
    if not fits or hasattr(array, "mask"):
        shape = "(height, width)" if is_mask else "(height, width, 3)"
        masked = "masked " if hasattr(array, "mask") else ""
        raise TypeError(
            f"{name}: is {masked}{array.dtype} of shape {array.shape} "
            f"({' or '.join(kinds)} of shape {shape} is wanted, or a file's path)"
        )
    return array * numpy.uint8(255) if array.dtype == bool else array


def _files(name: str, paths: Any, arrays: dict[str, Picture]) -> list[Path]:
    """The files. An array gets a name that stands for a file, and is put into `arrays`."""
    wanted = "a folder's path is wanted, or a list of files' paths, or of arrays"
    if isinstance(paths, (str, os.PathLike, numpy.ndarray)) or not isinstance(paths, Iterable):
        raise TypeError(f"{name}: is {type(paths).__name__} ({wanted})")
    files: list[Path] = []
    for i, path in enumerate(paths):
        if isinstance(path, numpy.ndarray):
            one = f"{name}[{i}]"
            arrays[one] = _array(one, path)
            path = one
        elif isinstance(path, (str, os.PathLike)) and str(path).endswith("]"):
            # A file may have such a name.
            path = os.path.abspath(path)
        files.append(path_of(path, name, wanted))
    return files


def _set_list(
    pairs: _skinmask.PairOptions, images: Any, masks: Paths | None, how: dict[str, Any]
) -> None:
    arrays: dict[str, Picture] = {}
    files = _files("images", images, arrays)
    if not files:
        raise _skinmask.Error("images: are none (one or more are wanted)")
    for name in ("image_name", "mask_name", "allow_missing"):
        if name in how:
            raise _skinmask.Error(f"{name}: is for folders, and images are a list")
    of_files: list[Path] = [""] * len(files) if masks is None else _files("masks", masks, arrays)
    if len(of_files) != len(files):
        raise _skinmask.Error(f"masks: are {len(of_files)} (one for each of {len(files)} images)")
    pairs.listed = list(zip(files, of_files))
    if arrays:
        _skinmask.set_pictures(pairs, arrays)
