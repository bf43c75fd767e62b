"""Reads pictures, and detects skin in them and in videos."""

from __future__ import annotations

import numbers
import os
from typing import Any

import numpy
from numpy.typing import DTypeLike, NDArray

from . import _skinmask
from ._common import (
    BITS,
    Image,
    Path,
    bits_of,
    path_of,
    pixels_of,
    refuse,
    require_range,
    require_switch,
    require_text,
    require_type,
    seconds_of_isolation,
    two_numbers,
)
from ._model import Model, chosen
from ._skinmask import Judgement, Video

_Interval = tuple[float, float]

_OF_FRAMES = ["steady"], "holds masks of frames still (Stream, video and detect_files take it)"


def _bits(output: str, dtype: DTypeLike) -> int:
    require_type("output", output, str, "a name, as 'mask', is wanted")
    if output == "probability":
        return bits_of(dtype, tuple(BITS))
    return bits_of(dtype, ("uint8",), f" with {output=}")


def _interval(abstain: _Interval | None) -> _Interval | None:
    return None if abstain is None else two_numbers("abstain", abstain, "(low, high)")


def detect(
    image: Image,
    model: Model | None = None,
    *,
    output: str = "mask",
    rgb: bool = False,
    dtype: DTypeLike = None,
    abstain: _Interval | None = None,
    out: NDArray[Any] | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The output of `skinmask detect` for a picture; by default its mask, 255 for skin, else 0.

    >>> image = numpy.full((1, 2, 3), (118, 148, 205), numpy.uint8)
    >>> detect(image, adapt="off", output="probability", dtype="float32").round(3)
    array([[0.928, 0.928]], dtype=float32)

    `image` is uint8 (height, width, 3), channels B G R as cv2.imread gives them; with `rgb` R G B,
    as PIL and matplotlib have them. It is not copied if the pixels of each row are contiguous, as
    in a whole array or in a window of one. R G B, or a view with reversed channels, costs a
    conversion; both together do not.

    - model: None stands for the built-in model.
    - output: a name of `skinmask.OUTPUTS`, which describes the pixels of each: 'mask',
      'probability', 'overlay' and others. Pictures have the channels of `image`.
    - options: the options of adaptation and decision in `skinmask detect --help`, with _ instead of
      -, except `steady`, which needs frames. Among them are:
    - adapt: 'auto' fits the model to the faces in the picture, or without a face divides it by its
      own colours; 'faces' only fits to faces; 'off' is the model alone, some 100 times as fast.
      None is like 'auto', but a model that does not find skin is not adapted, and with seeds no
      faces are searched for.
    - threshold, prior: replace the model's; 0 to 1, and above 0 and below 1.
    - dtype: of probabilities: 'uint8', 'uint16' (round(65535 P)), or 'float32' (P).
    - faces: the file of YuNet, a network that finds faces. None stands for the file that
      SKINMASK_FACES in the environment names, or else for the built-in detector, as '' does.
    - seed_rect, seed_mask: (x, y, width, height), or the file of a mask: what is skin here.
    - require_face, min_component: without a face nothing is skin; or no part smaller than this.
    - refine: whether log-odds are smoothed by neighbouring pixels.
    - draw: 'faces', 'ellipse' or 'faces,ellipse', into overlays: boxes of faces with their numbers,
      the ellipse of the mask.
    - abstain: (low, high): the mask is 128 where P(skin) is above low and at most high.
    - outlier, class_costs: as `--outlier` and `--class-costs`.
    - out: an array for the result, which is then returned.

    The results do not depend on the number of threads, and are those of the program.
    """
    refuse(options, *_OF_FRAMES)
    bits = _bits(output, dtype)
    require_switch("rgb", rgb)
    options["abstain"] = _interval(abstain)
    detector = chosen(model)._detector(options, (output,))
    return _skinmask.detect(detector, image, output, bits, rgb, out)


def judge(
    image: Image, model: Model | None = None, *, rgb: bool = False, **options: Any
) -> Judgement:
    """A picture's results: `mask`, `probability`, `region`, `means`, `faces`, and `draw`.

    >>> image = numpy.full((9, 9, 3), (118, 148, 205), numpy.uint8)
    >>> judged = judge(image, adapt="off")
    >>> judged.means
    <skinmask.Means of 81 pixels: red 205.00, green 148.00, blue 118.00>
    >>> judged.faces
    []
    >>> judged.draw("overlay").shape
    (9, 9, 3)

    Each is computed at its first use, by the thread that uses it. `means` are those of the skin by
    the threshold, also with `abstain`, without pixels that have a pixel without skin at most
    `erode` columns and rows away (0 or more; None: 2). `faces` are those that the model was adapted
    to, each with its `id`, its `box`, and the means of its skin, of its forehead and of its cheeks.
    The picture is copied; `bgr` is B G R, also with `rgb`. `options` are those of `detect`.
    """
    refuse(options, *_OF_FRAMES)
    require_switch("rgb", rgb)
    return _skinmask.judge(chosen(model)._detector(options), image, rgb)


def _draw(self: Judgement, output: str, *, dtype: DTypeLike = None) -> NDArray[Any]:
    """Another output of the picture, with the `output` and `dtype` of `detect`."""
    return self._draw(output, _bits(output, dtype))


setattr(Judgement, "draw", _draw)


def set_threads(count: int) -> None:
    """Sets the number of the library's threads in this process; 0: as many as cores."""
    require_type("threads", count, numbers.Integral, "a whole number is wanted")
    require_range("threads", count, 0, (1 << 31) - 1, "1 or more; 0: as many as cores")
    _skinmask.set_threads(int(count))


class Stream:
    """The frames of a camera, one after the other, with the adaptation of `skinmask live`.

    Faces are searched for every few frames and tracked in between, and the adapted model is carried
    from frame to frame. Frames come in order; one of another size than the last starts without a
    past. `rate` is the number of frames a second (more than 0, at most 1000; None: 25), by which
    the smoothing time of `steady` becomes a number of frames.

    >>> stream = Stream(adapt="faces")
    >>> frame = numpy.full((48, 64, 3), (118, 148, 205), numpy.uint8)
    >>> stream.detect(frame).shape
    (48, 64)
    """

    def __init__(
        self, model: Model | None = None, *, rate: float | None = None, **options: Any
    ) -> None:
        if rate is not None:
            require_range("rate", rate, 0, 1000, "more than 0, at most 1000 frames/s")
        self._core = _skinmask.Stream(chosen(model)._detector(options), rate or 0)

    def detect(
        self,
        image: Image,
        *,
        output: str = "mask",
        rgb: bool = False,
        dtype: DTypeLike = None,
        abstain: _Interval | None = None,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """As `detect`, for the next frame; `abstain` None is the stream's own."""
        bits = _bits(output, dtype)
        require_switch("rgb", rgb)
        return self._core.detect(image, output, bits, _interval(abstain), rgb, out)

    def judge(self, image: Image, *, rgb: bool = False) -> Judgement:
        """As `judge`, for the next frame: its mask, its means, and its faces with their numbers."""
        require_switch("rgb", rgb)
        return self._core.judge(image, rgb)


def video(
    path: Path,
    model: Model | None = None,
    *,
    start: str | float | None = None,
    end: str | float | None = None,
    seek: bool = False,
    **options: Any,
) -> Video:
    """The frames of a video file, one after the other, with the results of `skinmask detect`.

    A frame has `index`, `seconds`, `bgr`, `mask`, `probability`, `region`, `means` and `faces`, as
    in `judge`. Its pictures are computed at their first use, by the thread that uses them, and are
    read-only (copy them to draw on them). `start` and `end` are seconds or texts as '1:02.5' and
    '120f' (a frame's number): the frames from `start` on and before `end`, as they are in the whole
    video. `seek` skips what lies before `start`, as if the video began there: quicker, but adapted
    masks differ. A damaged video raises an Error after the frames before the damage. `options` are
    those of `detect`, and `steady`.

        for frame in skinmask.video("clip.mp4", adapt="faces"):
            print(frame.seconds, frame.region)

    The file is open as long as the Video exists; `close`, or `with`, closes it earlier.
    """
    detector = chosen(model)._detector(options)
    path = path_of(path, wanted="a file's path is wanted; frames of cameras go to skinmask.Stream")
    require_switch("seek", seek)
    return Video(path, detector, _moment("start", start), _moment("end", end), seek)


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
        seconds = float(time) + 0.0  # of -0.0 the sign is lost
    except OverflowError:
        raise _skinmask.Error(f"{name}: is beyond all others (seconds)") from None
    return numpy.format_float_positional(seconds, trim="-")  # without an exponent


def read_image(
    path: Path,
    *,
    rgb: bool = False,
    max_pixels: int = 1 << 28,
    isolate: str = "none",
    max_seconds: float | None = None,
) -> Image:
    """A picture file as uint8 (height, width, 3), B G R and upright, as the program reads it.

    Reads JPEG, PNG, BMP, TIFF, WebP, PNM, GIF with one picture, and, if the library was built with
    them, HEIC, AVIF, JPEG XL and raw files of cameras. Damaged files are an Error, and so are
    pictures of more than `max_pixels` pixels, before memory is allocated for them. `isolate` and
    `max_seconds` are as in `detect_files`: a file that crashes its decoder is an Error, too.
    """
    options = _decoding(rgb, max_pixels, isolate, max_seconds)
    path = path_of(path, wanted="a file's path is wanted; skinmask.decode_image takes its bytes")
    return _skinmask.read_image(os.fsencode(path), None, options, rgb)


def decode_image(
    data: bytes | bytearray | memoryview,
    *,
    name: str = "image",
    rgb: bool = False,
    max_pixels: int = 1 << 28,
    isolate: str = "none",
    max_seconds: float | None = None,
) -> Image:
    """As `read_image`, for the bytes of such a file; `name` stands for it in an Error.

    >>> decode_image(b"P6 1 1 255 abc")
    array([[[99, 98, 97]]], dtype=uint8)
    """
    options = _decoding(rgb, max_pixels, isolate, max_seconds)
    wanted = "bytes of an image file are wanted; skinmask.read_image takes its path"
    require_type("data", data, (bytes, bytearray, memoryview), wanted)
    require_type("name", name, str, "a text is wanted")
    return _skinmask.read_image(name, bytes(data), options, rgb)


def _decoding(
    rgb: bool, max_pixels: int, isolate: str, max_seconds: float | None
) -> _skinmask.DecodeOptions:
    require_switch("rgb", rgb)
    seconds = seconds_of_isolation(isolate, max_seconds)
    return _skinmask.DecodeOptions(pixels_of(max_pixels), isolate, seconds)
