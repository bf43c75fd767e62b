"""The compiled module: the package around it has the documents."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy
from numpy.typing import DTypeLike, NDArray

from ._common import Path, Progress, Texts
from ._regions import Face, Means, Region

__version__: str

class Error(ValueError): ...

def set_threads(count: int) -> None:
    """Sets the number of the library's threads in this process; 0: as many as cores."""

def threads() -> int:
    """The number of the library's threads."""

class Stop:
    def set(self) -> None: ...
    def warnings(self) -> list[bytes]: ...

class Detector:
    def __init__(self, model: Model, texts: Texts, usual_faces: str) -> None: ...
    def abstaining(self, interval: str | bytes) -> Detector: ...

class DecodeOptions:
    def __init__(self, max_pixels: int, isolate: str, max_seconds: float) -> None: ...

class Samples:
    @staticmethod
    def of(
        pixels: NDArray[numpy.uint8],
        index: NDArray[numpy.uint8],
        names: list[str],
        groups: NDArray[numpy.uint32] | None,
        counts: NDArray[numpy.uint64] | None,
    ) -> Samples: ...
    @staticmethod
    def merged(tables: list[Samples]) -> Samples: ...
    @staticmethod
    def collect(
        pairs: PairOptions, stop: Stop, progress: Progress, problem: Callable[[str], object]
    ) -> Samples: ...
    @staticmethod
    def read(path: Path) -> Samples: ...
    def format(self) -> str: ...
    def save(self, path: Path, overwrite: bool) -> None: ...
    def ungrouped(self) -> Samples: ...
    def columns(
        self,
    ) -> tuple[
        NDArray[numpy.uint8], NDArray[numpy.uint8], NDArray[numpy.uint64], NDArray[numpy.uint32]
    ]: ...
    def total_of(self, index: int) -> int: ...
    @property
    def classes(self) -> list[str]: ...

class PairOptions:
    images: Path
    masks: Path
    listed: list[tuple[Path, Path]]
    # And those of PAIR_OPTIONS, which are set by their names.

def set_pictures(pairs: PairOptions, arrays: dict[str, NDArray[Any]]) -> None:
    """Sets the arrays that stand for files of these names in `pairs.listed`."""

class TrainOptions:
    def set(self, name: str, text: str) -> None: ...
    def rule(self, name: str, value: float, fn_cost: float) -> None: ...
    def validation(self, pairs: PairOptions) -> None: ...
    def calibration(self, samples: Samples) -> None: ...
    def note(self, name: str, text: str) -> None: ...

class Model:
    @staticmethod
    def read(path: Path) -> Model: ...
    @staticmethod
    def default() -> Model: ...
    @staticmethod
    def from_json(text: str) -> Model: ...
    def to_json(self) -> str: ...
    def save(self, path: Path, overwrite: bool) -> None: ...
    def changed(self, prior: float | None, threshold: float | None) -> Model: ...
    def mask_row(self, pixels: NDArray[numpy.uint8]) -> NDArray[numpy.uint8]: ...
    def class_row(self, pixels: NDArray[numpy.uint8]) -> NDArray[numpy.uint8]: ...
    def log_odds_row(self, pixels: NDArray[numpy.uint8]) -> NDArray[numpy.float64]: ...
    def posteriors(self, pixels: NDArray[numpy.uint8]) -> NDArray[numpy.float64]: ...
    def discriminants(self, pixels: NDArray[numpy.uint8]) -> NDArray[numpy.float64]: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def priors(self) -> list[float]: ...
    @property
    def kind(self) -> str: ...
    @property
    def space(self) -> str: ...
    @property
    def channels(self) -> list[str]: ...
    @property
    def threshold(self) -> float: ...
    @property
    def rule(self) -> str: ...

class Outliers:
    def __init__(self, model: Model, share: float) -> None: ...
    def row(self, pixels: NDArray[numpy.uint8]) -> NDArray[numpy.uint8]: ...

def encode_png(image: NDArray[numpy.uint8]) -> bytes: ...
def draw_models(
    models: list[Model],
    names: list[str],
    at: list[tuple[str, float]],
    marginal: bool,
    samples: Samples | None,
    svg: bool,
) -> bytes: ...

class DetectOptions:
    inputs: list[Path]
    include: list[str]
    exclude: list[str]
    output_folder: Path
    scale: int
    bits: int
    max_pixels: int
    def style(self, name: str, text: str) -> None: ...
    def require_effect(self) -> None: ...
    def outputs(self, names: list[str]) -> None: ...
    def isolate(self, name: str, max_seconds: float) -> None: ...
    def if_exists(self, replace: bool, keep: bool) -> None: ...

class RegionTracker:
    def __init__(self, start: tuple[int, int, int, int] | None) -> None: ...
    def follow(self, map: NDArray[numpy.uint8]) -> Region | None: ...

class Judgement:
    """A picture and its results, computed at their first use; pictures are read-only."""

    @property
    def bgr(self) -> NDArray[numpy.uint8]:
        """The picture: (height, width, 3) of uint8, blue first."""
    @property
    def mask(self) -> NDArray[numpy.uint8]:
        """(height, width) of uint8: 255 is skin; with `abstain` 128 is undecided."""
    @property
    def probability(self) -> NDArray[numpy.uint8]:
        """P(skin) as (height, width) of uint8: 255 P, rounded."""
    def draw(self, output: str, *, dtype: DTypeLike = None) -> NDArray[Any]:
        """Another output of the picture, with the `output` and `dtype` of `detect`."""
    def _draw(self, output: str, bits: int) -> NDArray[Any]: ...
    @property
    def adapted_by(self) -> str:
        """'faces' (or seeds), 'image', 'nothing', or 'nobody' (no face, with `require_face`)."""
    @property
    def adaptation(self) -> dict[str, Any] | None:
        """What was done to the picture, with the keys of `adaptation` in the JSON of results.

        None with adapt='off' and no seed.

        `by`: 'seeds' (faces or seeds), 'image', 'nothing' or 'nobody'. Where they apply: `faces`
        (their number), `shift` (of the threshold, in log-odds), `stops` (judged as if lighter by
        these powers of two), True for `cool`, `unclear` and `monochrome`, and `any_skin` (P(some
        pixel is skin), among as many pictures with skin as without).
        """
    @property
    def region(self) -> Region | None:
        """The region of `probability`; None if that is 0 everywhere."""
    @property
    def means(self) -> Means:
        """Colours of the skin by the threshold, without `erode` pixels at its border."""
    @property
    def faces(self) -> list[Face]:
        """The faces that the model was adapted to, and their colours."""

class Frame(Judgement):
    """One frame of a video. Its pictures are computed at their first use and are read-only."""

    @property
    def index(self) -> int:
        """The number of the frame in the video, from 0."""
    @property
    def seconds(self) -> float:
        """The time of the frame in the video."""

    def plot(self, ax: Any = None) -> Any:
        """Draws the frame with the border of its skin on axes of matplotlib, which are returned."""
    def _repr_html_(self) -> str: ...

class Video:
    """The frames of a video: an iterator, which `with` closes."""

    def __init__(
        self, path: Path, detector: Detector, start: str | None, end: str | None, seek: bool
    ) -> None: ...
    def __iter__(self) -> Iterator[Frame]: ...
    def __next__(self) -> Frame: ...
    def close(self) -> None:
        """Closes the file. Earlier frames stay valid; asking for the next one raises an Error."""
    def __enter__(self) -> Video: ...
    def __exit__(self, *of: object) -> None: ...
    @property
    def frames(self) -> int | None:
        """The number of frames by the container, or an estimate."""
    @property
    def rate(self) -> float:
        """Frames a second; 0 if it is unknown."""

class Stream:
    def __init__(self, detector: Detector, rate: float) -> None: ...
    def detect(
        self,
        image: Any,
        output: str,
        bits: int,
        abstain: tuple[float, float] | None,
        rgb: bool,
        out: Any,
    ) -> NDArray[Any]: ...
    def judge(self, image: Any, rgb: bool) -> Judgement: ...

def judge(detector: Detector, image: Any, rgb: bool) -> Judgement: ...
def detect(
    detector: Detector, image: Any, output: str, bits: int, rgb: bool, out: Any
) -> NDArray[Any]: ...
def outputs() -> list[tuple[str, str, bool]]: ...
def detector_options() -> list[tuple[str, str, list[str], str]]: ...
def adaptation_options() -> list[tuple[str, str, list[str], str]]: ...
def fit_options() -> list[tuple[str, str, list[str], str]]: ...
def region(probability: NDArray[numpy.uint8]) -> Region | None: ...
def read_image(
    name: str | bytes, data: bytes | None, options: DecodeOptions, rgb: bool
) -> NDArray[numpy.uint8]: ...
def train(
    samples: Samples,
    options: TrainOptions,
    stop: Stop,
    progress: Progress,
    problem: Callable[[str], object],
) -> Model: ...
def detect_files(
    detector: Detector,
    options: DetectOptions,
    stop: Stop,
    progress: Progress,
    done: Callable[..., object],
) -> None: ...
def evaluate(
    detector: Detector,
    pairs: PairOptions,
    page: Path,
    overwrite: bool,
    stop: Stop,
    progress: Progress,
    problem: Callable[[str], object],
) -> str: ...
def evaluate_samples(detector: Detector, samples: Samples) -> str: ...
