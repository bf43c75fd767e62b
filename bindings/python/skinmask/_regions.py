"""Regions of skin, in single maps and from map to map."""

from __future__ import annotations

import operator
from typing import Any

from . import _skinmask
from ._common import Image
from ._skinmask import Region


def region(probability: Image) -> Region | None:
    """The region of the skin in a map or a mask (uint8): the ellipse with its moments.

    None if the map is 0 everywhere.

    >>> import numpy
    >>> mask = numpy.zeros((40, 40), numpy.uint8)
    >>> mask[10:20, 5:31] = 255
    >>> found = region(mask)
    >>> found.centroid, found.pixels, found.angle_degrees
    ((17.5, 14.5), 260.0, 0.0)
    """
    return _skinmask.region(probability)


class RegionTracker:
    """One region of skin, such as a hand, followed from map to map, as `live --track` does it.

    It begins with what is in the rectangle `start` (x, y, width, height), or with the largest
    region. `follow` takes the next map or mask (uint8, all of one size), and returns the region in
    it, or None where it is lost: the next call then begins with the largest.

    >>> tracker = RegionTracker()
    >>> import numpy
    >>> mask = numpy.zeros((40, 40), numpy.uint8)
    >>> mask[10:20, 5:31] = mask[36:, 36:] = 255
    >>> tracker.follow(mask).centroid
    (17.5, 14.5)
    """

    def __init__(self, start: tuple[int, int, int, int] | None = None) -> None:
        if start is not None:
            start = _rectangle(start)
        self._core = _skinmask.RegionTracker(start)

    def follow(self, probability: Image) -> Region | None:
        """The region in the next map or mask, or None where it is lost."""
        return self._core.follow(probability)


def _rectangle(start: Any) -> tuple[int, int, int, int]:
    wanted = "x, y, width and height in pixels are wanted"
    try:
        x, y, width, height = (operator.index(number) for number in start)
    except (TypeError, ValueError):
        raise TypeError(f"start: is {start!r} ({wanted})") from None
    for number, least in ((x, 0), (y, 0), (width, 1), (height, 1)):
        if not least <= number < 1 << 30:
            raise _skinmask.Error(f"start: is {start!r} ({wanted})")
    return x, y, width, height
