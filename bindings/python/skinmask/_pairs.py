"""Images and their masks, in folders or lists of files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from typing import Any, Union

import numpy

from . import _skinmask
from ._common import Path, give, path_of

Paths = Union[Path, Iterable[Path]]  # a folder, or files

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


def _files(name: str, paths: Any) -> list[Path]:
    wanted = "a folder's path is wanted, or a list of files' paths"
    if isinstance(paths, (str, os.PathLike, numpy.ndarray)) or not isinstance(paths, Iterable):
        raise TypeError(f"{name}: is {type(paths).__name__} ({wanted})")
    return [path_of(path, name, wanted) for path in paths]


def _set_list(
    pairs: _skinmask.PairOptions, images: Any, masks: Paths | None, how: dict[str, Any]
) -> None:
    files = _files("images", images)
    if not files:
        raise _skinmask.Error("images: are none (one or more are wanted)")
    for name in ("image_name", "mask_name", "allow_missing"):
        if name in how:
            raise _skinmask.Error(f"{name}: is for folders, and images are a list")
    of_files: list[Path] = [""] * len(files) if masks is None else _files("masks", masks)
    if len(of_files) != len(files):
        raise _skinmask.Error(f"masks: are {len(of_files)} (one for each of {len(files)} images)")
    pairs.listed = list(zip(files, of_files))
