"""Folders of images and of their masks."""

from __future__ import annotations

from typing import Any

from . import _skinmask
from ._common import Path, path_of

_KNOWN = (
    "image_name",
    "mask_name",
    "labels",
    "ignored",
    "invert",
    "whole",
    "allow_missing",
    "step",
    "groups",
)


def pair_options(images: Path, masks: Path | None, **how: Any) -> _skinmask.PairOptions:
    """`how` is that of `skinmask sample`: docs/cli.md, 'Reading masks'."""
    pairs = _skinmask.PairOptions()
    for name, value in (("images", images), ("masks", masks)):
        if value is not None:
            path_of(value, name, "a folder's path is wanted")
    pairs.images = images
    if masks is not None:
        pairs.masks = masks
    elif not how.get("whole"):
        raise _skinmask.Error(
            "masks: are wanted, a folder of them (or whole='skin': each image wholly of a class)"
        )
    for name, value in how.items():
        if name not in _KNOWN:
            raise TypeError(f"unexpected keyword argument '{name}' ({', '.join(_KNOWN)})")
        setattr(pairs, name, value)
    return pairs
