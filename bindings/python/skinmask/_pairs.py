"""Folders of images and of their masks."""

from __future__ import annotations

from functools import partial
from typing import Any

from . import _skinmask
from ._common import Path, give, path_of

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
        one = name in ("labels", "ignored") and isinstance(value, str)
        give(partial(setattr, pairs, name), name, [value] if one else value, _KNOWN[name])
    return pairs
