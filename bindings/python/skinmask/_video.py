"""Skin in videos."""

from __future__ import annotations

import numbers
from typing import Any

import numpy

from . import _skinmask
from ._common import Path, path_of, require_text
from ._model import Model, chosen
from ._skinmask import Frame, Video

__all__ = ["Frame", "Video", "video"]


def video(
    path: Path,
    model: Model | None = None,
    *,
    start: str | float | None = None,
    end: str | float | None = None,
    **options: Any,
) -> Video:
    """The frames of a video file, one after the other, as `skinmask detect` judges them.

    A frame has `index`, `seconds`, `bgr`, `mask`, `probability` and `region`. Its pictures are made
    when they are first asked for, in whatever thread asks, and are read-only (copy them to draw on
    them). `start` and `end` are seconds or texts as '1:02.5' and '120f' (a frame's number): frames
    from the one on and before the other. Damage is an Error where it stands, after the frames
    before it. `options` are those of `detect`.

        for frame in skinmask.video("clip.mp4", adapt="faces"):
            print(frame.seconds, frame.region)

    The file is open as long as the Video is; `close`, or `with`, closes it before.
    """
    detector = chosen(model)._detector(options)
    path = path_of(path, wanted="a file's path is wanted; frames of cameras go to skinmask.Stream")
    return Video(path, detector, _moment("start", start), _moment("end", end))


def _moment(name: str, time: str | float | None) -> str | None:
    if time is None:
        return None
    if isinstance(time, str):
        require_text(name, time)
        return time
    if isinstance(time, bool) or not isinstance(time, numbers.Real):
        raise TypeError(
            f"{name}: is {type(time).__name__} (seconds, or text as '1:02.5' or '120f')"
        )
    try:
        seconds = float(time)
    except OverflowError:
        raise _skinmask.Error(f"{name}: is beyond all others (seconds)") from None
    return numpy.format_float_positional(seconds, trim="-")  # without an exponent
