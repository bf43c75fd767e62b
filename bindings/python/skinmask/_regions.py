"""Regions of skin, in single maps and from map to map, and colours of faces."""

from __future__ import annotations

import dataclasses
import operator
from typing import Any

from . import _skinmask
from ._common import Image


@dataclasses.dataclass(frozen=True, repr=False)
class Region:
    """The ellipse that, filled evenly, has the moments of a map of probabilities.

    - pixels: the sum of the probabilities.
    - centroid: x to the right, y down; (0, 0) is the centre of the top left pixel.
    - semi_major, semi_minor: half of the long and of the short axis, in pixels.
    - angle_degrees: from the x axis to the long axis, clockwise, above -90 and at most 90.
    """

    __module__ = "skinmask"

    pixels: float
    centroid: tuple[float, float]
    semi_major: float
    semi_minor: float
    angle_degrees: float

    def __repr__(self) -> str:
        x, y = self.centroid
        return (
            f"<skinmask.Region {self.pixels:.1f} pixels at ({x:.1f}, {y:.1f}), half axes "
            f"{self.semi_major:.1f} and {self.semi_minor:.1f}, {self.angle_degrees:.1f} degrees>"
        )


@dataclasses.dataclass(frozen=True, repr=False)
class Means:
    """Colours of pixels: means and standard deviations of red, green and blue.

    - pixels: the number of pixels.
    - mean: means of red, green and blue, 0 to 255; NaN without pixels.
    - sd: standard deviations of red, green and blue (divided by the number of pixels).
    """

    __module__ = "skinmask"

    pixels: int
    mean: tuple[float, float, float] = dataclasses.field(compare=False)
    sd: tuple[float, float, float] = dataclasses.field(compare=False)
    _sums: tuple[int, ...]  # of the bytes and of their squares; unlike NaN they equal themselves

    def __repr__(self) -> str:
        red, green, blue = self.mean
        return (
            f"<skinmask.Means of {self.pixels} pixels: red {red:.2f}, green {green:.2f}, "
            f"blue {blue:.2f}>"
        )


@dataclasses.dataclass(frozen=True, repr=False)
class Face:
    """A face that the model was adapted to, and the colours of its skin.

    - id: in a stream the same from frame to frame; in a single picture 1, 2, ...
    - box: x, y, width, height in pixels, upright, from the forehead to the chin.
    - tilt_degrees: tilt of the head, clockwise on the screen.
    - means: colours of the skin of the face without its outline.
    - forehead, left_cheek, right_cheek: those of its parts, left and right in the picture.
    """

    __module__ = "skinmask"

    id: int
    box: tuple[int, int, int, int]
    tilt_degrees: float
    means: Means
    forehead: Means
    left_cheek: Means
    right_cheek: Means

    def __repr__(self) -> str:
        x, y, width, height = self.box
        return f"<skinmask.Face {self.id} of {width}x{height} pixels at ({x}, {y})>"


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
