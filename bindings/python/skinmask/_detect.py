"""Skin in pictures that are in memory, and in videos."""

from __future__ import annotations

import numbers
from typing import Any

import numpy
from numpy.typing import DTypeLike, NDArray

from . import _skinmask
from ._common import (
    BITS,
    Path,
    bits_of,
    path_of,
    refuse,
    require_range,
    require_switch,
    require_text,
    require_type,
    two_numbers,
)
from ._model import Model, chosen
from ._skinmask import Judgement, Region, Video

_Image = NDArray[numpy.uint8]
_Interval = tuple[float, float]

_OF_FRAMES = "holds masks of frames still (Stream, video and detect_files take it)"


def _asked(
    output: str, dtype: DTypeLike, abstain: _Interval | None, rgb: bool
) -> _skinmask.Request:
    require_type("output", output, str, "a name, as 'mask', is wanted")
    require_switch("rgb", rgb)
    deep = output == "probability"
    return _skinmask.Request(
        output,
        bits_of(dtype, tuple(BITS) if deep else ("uint8",), "" if deep else f" with {output=}"),
        None if abstain is None else two_numbers("abstain", abstain, "(low, high)"),
    )


def detect(
    image: _Image,
    model: Model | None = None,
    *,
    output: str = "mask",
    rgb: bool = False,
    dtype: DTypeLike = None,
    abstain: _Interval | None = None,
    out: NDArray[Any] | None = None,
    **options: Any,
) -> NDArray[Any]:
    """What `skinmask detect` makes of a picture: by default its mask, 255 where skin is, else 0.

    >>> image = numpy.full((1, 2, 3), (118, 148, 205), numpy.uint8)
    >>> detect(image, adapt="off", output="probability", dtype="float32").round(3)
    array([[0.928, 0.928]], dtype=float32)

    `image` is uint8 (height, width, 3), B G R as cv2.imread gives it; with `rgb` R G B, as PIL and
    matplotlib have it. It is not copied where the pixels of a row follow each other: a whole array,
    or a window of one. R G B, or a view with reversed channels, costs a conversion; both together
    do not.

    - model: the built-in one where None.
    - output: a name of `skinmask.OUTPUTS`, which tells what the pixels of each are: 'mask',
      'probability', 'overlay' and others. Pictures have the channels of `image`.
    - options: of adaptation and decision, which `skinmask detect --help` has, with _ in place of -,
      but for `steady`, which is of frames. Among them are:
    - adapt: 'auto' fits the model to the faces in the picture, and divides one without a face where
      its own colours divide; 'faces' leaves the latter out; 'off' is the model alone, which is some
      65 times as fast. Where None, as 'auto', but a model that does not find skin is not
      adapted, and with seeds no faces are searched for.
    - threshold, prior: other ones than the model's.
    - dtype: of probabilities: 'uint8', 'uint16' (round(65535 P)), or 'float32', P as it is.
    - faces: the file of a network that finds faces, YuNet; where None that which SKINMASK_FACES in
      the environment names, or the built-in detector.
    - refine: whether neighbouring pixels help each other.
    - draw: 'faces', 'ellipse' or 'faces,ellipse', into overlays: boxes of faces with their numbers,
      the ellipse of the mask.
    - abstain: (low, high): 128 in the mask where P(skin) is above the one and at most the other.
    - out: an array for the result, which is then returned.

    The results of any number of threads are the same, and those of the program.
    """
    refuse(options, ("steady",), _OF_FRAMES)
    request = _asked(output, dtype, abstain, rgb)
    detector = chosen(model)._detector(options, (output,))
    return _skinmask.detect(detector, image, request, rgb, out)


def judge(
    image: _Image, model: Model | None = None, *, rgb: bool = False, **options: Any
) -> Judgement:
    """A picture and all that is found in it: `mask`, `probability`, `region`, `means` and `faces`.

    >>> image = numpy.full((9, 9, 3), (118, 148, 205), numpy.uint8)
    >>> judged = judge(image, adapt="off")
    >>> judged.means
    <skinmask.Means of 81 pixels: red 205.00, green 148.00, blue 118.00>
    >>> judged.faces
    []

    Each is made when it is first asked for, in whatever thread asks. `means` are over the mask, but
    for the pixels that are at most `erode` (2 where None, 0 up) columns and rows from what is no
    skin. `faces` are those that the picture was adapted to, each with its `id`, its `box`, and the
    means of its skin, of its forehead and of its cheeks. The picture is copied; `bgr` is B G R,
    also with `rgb`. `options` are those of `detect`.
    """
    refuse(options, ("steady",), _OF_FRAMES)
    require_switch("rgb", rgb)
    return _skinmask.judge(chosen(model)._detector(options), image, rgb)


def set_threads(count: int) -> None:
    """Threads that the library computes with, in all of this process; 0: as many as cores."""
    require_type("threads", count, numbers.Integral, "a whole number is wanted")
    require_range("threads", count, 0, (1 << 31) - 1, "1 or more; 0: as many as cores")
    _skinmask.set_threads(int(count))


class Stream:
    """Frames of a camera, one after the other, adapted to as `skinmask live` does it.

    Faces are looked for every few frames and followed between, and the model is carried from frame
    to frame. The frames of one stream have one size, and come in order, `rate` of them a second
    (more than 0, at most 1000; 25 where None): masks are held still for a time, which is frames here.

    >>> stream = Stream(adapt="faces")
    >>> frame = numpy.full((48, 64, 3), (118, 148, 205), numpy.uint8)
    >>> stream.detect(frame).shape
    (48, 64)
    """

    def __init__(
        self, model: Model | None = None, *, rate: float | None = None, **options: Any
    ) -> None:
        self._core = _skinmask.Stream(chosen(model)._detector(options))
        if rate is not None:
            require_range("rate", rate, 0, 1000, "more than 0, at most 1000 frames/s")
            self._core.set_rate(rate)

    def detect(
        self,
        image: _Image,
        *,
        output: str = "mask",
        rgb: bool = False,
        dtype: DTypeLike = None,
        abstain: _Interval | None = None,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """As `detect`, of the next frame; `abstain` is the stream's where None."""
        return self._core.detect(image, _asked(output, dtype, abstain, rgb), rgb, out)

    def judge(self, image: _Image, *, rgb: bool = False) -> Judgement:
        """As `judge`, of the next frame: its mask, its means, and its faces with their numbers."""
        require_switch("rgb", rgb)
        return self._core.judge(image, rgb)


def video(
    path: Path,
    model: Model | None = None,
    *,
    start: str | float | None = None,
    end: str | float | None = None,
    **options: Any,
) -> Video:
    """The frames of a video file, one after the other, as `skinmask detect` judges them.

    A frame has `index`, `seconds`, `bgr`, `mask`, `probability`, `region`, `means` and `faces`, as
    `judge` tells. Its pictures are made when they are first asked for, in whatever thread asks, and
    are read-only (copy them to draw on them). `start` and `end` are seconds or texts as '1:02.5' and '120f' (a frame's number): frames
    from the one on and before the other. Damage is an Error where it stands, after the frames
    before it. `options` are those of `detect`, and `steady`.

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


def region(probability: _Image) -> Region | None:
    """Where the skin of a map or a mask (uint8) is: the ellipse with its moments.

    None where it is 0 all over.

    >>> mask = numpy.zeros((40, 40), numpy.uint8)
    >>> mask[10:20, 5:31] = 255
    >>> found = region(mask)
    >>> found.centroid, found.pixels, found.angle_degrees
    ((17.5, 14.5), 260.0, 0.0)
    """
    return _skinmask.region(probability)


def read_image(path: Path, *, rgb: bool = False, max_pixels: int = 1 << 28) -> _Image:
    """A picture file as uint8 (height, width, 3), B G R and upright, as the program reads it.

    JPEG, PNG, BMP, TIFF, WebP, PNM, GIF of one picture, and where the library has them HEIC, AVIF,
    JPEG XL and raw files of cameras. Damaged files are an Error; so are pictures of more than
    `max_pixels` pixels, before memory is taken for them.
    """
    require_switch("rgb", rgb)
    require_type("max_pixels", max_pixels, numbers.Integral, "a number of pixels is wanted")
    require_range("max_pixels", max_pixels, 1, 1 << 62, "1 to 2**62")
    return _skinmask.read_image(path_of(path), rgb, int(max_pixels))
