"""Runs over many files."""

from __future__ import annotations

import dataclasses
import numbers
import os
import pathlib
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from numpy.typing import DTypeLike

from . import _skinmask
from ._common import (
    Path,
    Progress,
    bits_of,
    path_of,
    pixels_of,
    require_function,
    require_switch,
    run,
    seconds_of_isolation,
    texts,
    warn,
)
from ._model import Model, chosen
from ._options import OF_MODEL_ALONE, option_text


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class DetectedFile:
    """The result of one input of `detect_files`: its outputs, or an error."""

    __module__ = "skinmask"

    input: pathlib.Path
    outputs: list[pathlib.Path]  # the files that were written; of an archive, those in the new one
    size: tuple[int, int]  # width and height
    skin_fraction: float
    frames: int  # of a video; 0 of an image
    faces: int  # that the model was fitted to in an image
    error: str  # one line if there are no outputs, else empty

    def __repr__(self) -> str:
        # A prompt shows this text, so the name is quoted: it must not control the terminal.
        if self.error:
            return f"<skinmask.DetectedFile {self.error}>"
        count = len(self.outputs)
        outputs = "output" if count == 1 else "outputs"
        return f"<skinmask.DetectedFile {str(self.input)!r}: {count} {outputs}>"


def detect_files(
    inputs: Path | Iterable[Path],
    output: Path,
    model: Model | None = None,
    *,
    outputs: str | Iterable[str] = "mask",
    include: str | Iterable[str] = (),
    exclude: str | Iterable[str] = (),
    dtype: DTypeLike = None,
    scale: int = 1,
    format: str = "png",
    quality: int | None = None,
    feather: int | None = None,
    max_pixels: int = 1 << 28,
    isolate: str = "none",
    max_seconds: float | None = None,
    overwrite: bool = False,
    resume: bool = False,
    each: Callable[[DetectedFile], object] | None = None,
    progress: Progress = None,
    **how: Any,
) -> list[DetectedFile]:
    """`skinmask detect`: writes outputs of the files, folders and videos `inputs` to `output`.

    Returns a DetectedFile for each input that was processed (with `resume`, finished ones are not),
    in the order of `inputs`: its `outputs`, `skin_fraction`, `faces`, or an `error`. An input that
    is named twice is processed once. A video that is damaged or cut has two: one for its outputs,
    which end early, then one with the `error`. `each` is called with each DetectedFile at once,
    `progress` with the numbers of inputs done and in all (in a video, of its frames; 0 in all if
    that is not known):

        with tqdm.tqdm() as bar:
            skinmask.detect_files("photos", "masks", each=lambda file: bar.update())

    An exception of either ends the run after the pictures in progress, and so does Ctrl-C. Files
    are always complete, and `resume` continues such a run. `dtype` is that of probabilities,
    'uint8' or 'uint16'. `scale` 2, 4 or 8 reduces pictures before detection. `format` is that of
    outputs for people: 'png', 'jpeg' (only for outputs without alpha) or 'webp'; `quality`, 1 to
    100, is that of lossy formats (None: 90). `feather` is the width, in pixels, over which cut-outs
    become transparent. `how` are options of `detect`; `resume` refuses outputs that were made with
    other options. Pictures of more than `max_pixels` (frames of videos: of more than 2**26, unless
    another number is given) are an `error`, by their headers. `isolate` 'auto' decodes images
    except JPEG and PNG in separate processes, 'all' all images and videos: a file that crashes its
    decoder, or takes it more than `max_seconds` of CPU time (None: 60; for a video: per frame), is
    an `error`, and this process goes on. It needs the program's skinmask-decoders, which wheels
    contain.
    """
    require_function("each", each)
    options = _skinmask.DetectOptions()
    alone = isinstance(inputs, (str, bytes, os.PathLike)) or not isinstance(inputs, Iterable)
    listed: list[Any] = [inputs] if alone else list(inputs)  # type: ignore[arg-type]
    options.inputs = [path_of(path, "inputs") for path in listed]
    options.output_folder = path_of(output, "output", "a folder's path is wanted")
    kinds = texts("outputs", outputs)
    if not kinds:
        raise _skinmask.Error("outputs: are none (one or more are wanted, such as 'mask')")
    for kind in kinds:
        if kinds.count(kind) > 1:
            raise _skinmask.Error(f"outputs: have {kind!r} more than once")
    options.outputs(kinds)
    options.include = texts("include", include)
    options.exclude = texts("exclude", exclude)
    if "probability" in kinds:
        options.bits = bits_of(dtype, ("uint8", "uint16"))
    else:
        options.bits = bits_of(dtype, ("uint8",), " where 'probability' is not among the outputs")
    if isinstance(scale, bool) or not isinstance(scale, numbers.Integral):
        raise TypeError(f"scale: is {scale!r} (1, 2, 4 or 8)")
    if scale not in (1, 2, 4, 8):
        raise _skinmask.Error(f"scale {scale} is unknown (1, 2, 4, 8)")
    options.scale = scale
    options.style("format", option_text("format", "word", format))
    for option, value in (("quality", quality), ("feather", feather)):
        if value is not None:
            options.style(option, option_text(option, "whole", value))
    options.require_effect()
    options.max_pixels = pixels_of(max_pixels)
    options.isolate(isolate, seconds_of_isolation(isolate, max_seconds))
    require_switch("overwrite", overwrite)
    require_switch("resume", resume)
    if overwrite and resume:
        raise _skinmask.Error("overwrite: replaces what exists, and resume leaves it (one of them)")
    options.if_exists(overwrite, resume)
    detector = chosen(model)._detector(how, kinds)
    files: list[DetectedFile] = []

    def done(*fields: Any) -> None:
        file = DetectedFile(*fields)
        files.append(file)
        if each is not None:
            each(file)

    run(partial(_skinmask.detect_files, detector, options), progress=progress, each=done)
    by_model = not OF_MODEL_ALONE.isdisjoint(kinds) and len(kinds) > 1
    if by_model and how.get("adapt") is None and chosen(model).classes[0] == "skin":
        warn(
            "outputs: 'classes' is of the trained model alone, and so are the outputs beside it, "
            "which are less accurate then (a run of their own adapts; adapt='off' says that this "
            "is meant)"
        )
    places: dict[pathlib.PurePath, int] = {}
    for i, path in enumerate(listed):
        places.setdefault(pathlib.PurePath(os.fsdecode(path)), i)

    def place(file: DetectedFile) -> int:
        name = pathlib.PurePath(file.input)
        return next((places[at] for at in (name, *name.parents) if at in places), len(listed))

    return sorted(files, key=place)
