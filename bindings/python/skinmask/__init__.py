"""Finds human skin, pixel by pixel, in images and videos.

>>> import numpy, skinmask
>>> image = numpy.full((2, 3, 3), (118, 148, 205), numpy.uint8)  # B G R, as cv2.imread gives it
>>> image[:, 2] = (90, 160, 60)
>>> skinmask.detect(image, adapt="off")
array([[255, 255,   0],
       [255, 255,   0]], dtype=uint8)

Wrong values and unusable files raise `skinmask.Error`, a ValueError; an argument of a wrong type or
shape raises TypeError. Every call that computes releases the GIL, and may be made from many threads
at once.
"""

from ._common import OUTPUTS
from ._detect import Stream, decode_image, detect, judge, read_image, set_threads, video
from ._evaluation import Evaluation, evaluate
from ._model import Model
from ._regions import Face, Means, Region, RegionTracker, region
from ._runs import DetectedFile, detect_files
from ._samples import Samples
from ._skinmask import Error, Frame, Judgement, Video, __version__, threads

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
    "RegionTracker",
    "Samples",
    "Stream",
    "Video",
    "__version__",
    "decode_image",
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
