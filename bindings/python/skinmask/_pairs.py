"""Images and their masks, in folders, or lists of files and of arrays."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from typing import Any, Union

import numpy
from numpy.typing import NDArray

from . import _skinmask
from ._common import Path, give, path_of

Picture = NDArray[Any]
Paths = Union[Path, Iterable[Union[Path, Picture]]]  # a folder, or files and pictures

_KNOWN = {
    "image_name": "a text with {stem} is wanted",
    "mask_name": "a text with {stem} is wanted",
    "labels": "texts as 'skin=255' are wanted",
    "ignored": "texts as '128' are wanted",
    "invert": "True or False is wanted",
    "whole": "the name of a class is wanted",
    "allow_missing": "True or False is wanted",
    "step": "a whole number is wanted",
    "groups": "True or False is wanted",
}


def pair_options(images: Paths, masks: Paths | None, **how: Any) -> _skinmask.PairOptions:
    """`how` is that of `skinmask sample`: docs/cli.md, 'Reading masks'."""
    pairs = _skinmask.PairOptions()
    if masks is None and not how.get("whole"):
        raise _skinmask.Error(
            "masks: are wanted, a folder of them (or whole='skin': each image wholly of a class)"
        )
    if isinstance(images, (str, os.PathLike)):
        pairs.images = path_of(images, "images")
        if masks is not None:
            pairs.masks = path_of(masks, "masks", "a folder's path is wanted, as for images")
    else:
        _set_list(pairs, images, masks, how)
    for name, value in how.items():
        if name not in _KNOWN:
            raise TypeError(f"unexpected keyword argument '{name}' ({', '.join(_KNOWN)})")
        one = name in ("labels", "ignored") and isinstance(value, str)
        give(partial(setattr, pairs, name), name, [value] if one else value, _KNOWN[name])
    return pairs


def _array(name: str, array: Picture) -> Picture:
    """A picture, or a mask, of which one that is boolean is 0 and 255."""
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
    """The files; of a picture a name that stands for one, under which it is in `arrays`."""
    wanted = "a folder's path is wanted, or a list of files' paths, or of arrays"
    if isinstance(paths, (str, os.PathLike, numpy.ndarray)) or not isinstance(paths, Iterable):
        raise TypeError(f"{name}: is {type(paths).__name__} ({wanted})")
    files: list[Path] = []
    for i, path in enumerate(paths):
        if isinstance(path, numpy.ndarray):
            one = f"{name}[{i}]"
            arrays[one] = _array(one, path)
            path = one
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
    of_files: list[Path] = [""] * len(files)
    if masks is not None:
        of_files = _files("masks", masks, arrays)
    if len(of_files) != len(files):
        raise _skinmask.Error(f"masks: are {len(of_files)} (one for each of {len(files)} images)")
    pairs.listed = list(zip(files, of_files))
    if arrays:
        _skinmask.set_pictures(pairs, arrays)
