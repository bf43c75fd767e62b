"""Finds human skin, pixel by pixel, in images and videos.

>>> import numpy, skinmask
>>> image = numpy.full((2, 3, 3), (118, 148, 205), numpy.uint8)  # B G R, as cv2.imread gives it
>>> image[:, 2] = (90, 160, 60)
>>> skinmask.detect(image, adapt="off")
array([[255, 255,   0],
       [255, 255,   0]], dtype=uint8)

What comes from outside and is wrong is a `skinmask.Error`, which is a ValueError; an argument of
another type or shape than is wanted is a TypeError. Every call that computes leaves the GIL to
other threads, and may be made from many at once.
"""

from ._common import OUTPUTS
from ._detect import Stream, detect, judge, read_image, region, set_threads, video
from ._model import Model
from ._runs import DetectedFile, Evaluation, detect_files, evaluate
from ._samples import Samples
from ._skinmask import (
    Error,
    Face,
    Frame,
    Judgement,
    Means,
    Region,
    Video,
    __version__,
    threads,
)

__all__ = [
    "DetectedFile",
    "Error",
    "Evaluation",
    "Face",
    "Frame",
    "Judgement",
    "Means",
    "Model",
    "OUTPUTS",
    "Region",
    "Samples",
    "Stream",
    "Video",
    "__version__",
    "detect",
    "detect_files",
    "evaluate",
    "judge",
    "read_image",
    "region",
    "set_threads",
    "threads",
    "video",
]
