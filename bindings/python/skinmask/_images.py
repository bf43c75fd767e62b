"""Reads files of pictures."""

from __future__ import annotations

from . import _skinmask
from ._common import (
    Image,
    Path,
    path_of,
    pixels_of,
    require_switch,
    require_type,
    seconds_of_isolation,
)


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
    return _skinmask.read_image(path, options, rgb)


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
    return _skinmask.decode_image(bytes(data), name, options, rgb)


def _decoding(
    rgb: bool, max_pixels: int, isolate: str, max_seconds: float | None
) -> _skinmask.DecodeOptions:
    require_switch("rgb", rgb)
    seconds = seconds_of_isolation(isolate, max_seconds)
    return _skinmask.DecodeOptions(pixels_of(max_pixels), isolate, seconds)
