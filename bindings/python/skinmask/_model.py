"""Trained models."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Hashable, Iterable
from typing import Any

import numpy
from numpy.typing import NDArray

from . import _skinmask
from ._common import (
    Path,
    Progress,
    end_by,
    file_at,
    kept,
    path_of,
    require_range,
    require_switch,
    require_type,
    run,
)
from ._options import FILE_OPTIONS, OF_MODEL_ALONE, detector_texts, refuse_without_effect
from ._samples import Paths, Samples
from ._show import axes_or_new, draw_models, html_png, html_table, show_png
from ._training import set_data, set_fit, set_rule

class Model:
    """A trained model, which never changes. It is compiled at its first use.

    >>> model = Model.default()
    >>> model.kind, model.space, model.classes
    ('qda', 'BGR', ['skin', 'non-skin'])

    `load`, `default`, `from_json` and `train` make one. Models can be pickled, and are equal if
    their files have the same bytes.
    """

    def __init__(self, core: _skinmask.Model) -> None:
        if not isinstance(core, _skinmask.Model):
            raise TypeError(
                f"Model: is made by Model.load, train or default, not of {type(core).__name__}"
            )
        self._core = core
        self._detectors: dict[Hashable, _skinmask.Detector] = {}
        self._outliers: dict[Hashable, _skinmask.Outliers] = {}

    @staticmethod
    def load(path: Path) -> Model:
        """The model in a file of `skinmask train` or `save`."""
        return Model(_skinmask.Model.read(path_of(path)))

    @staticmethod
    @functools.lru_cache(maxsize=1)
    def default() -> Model:
        """The built-in model."""
        return Model(_skinmask.Model.default())

    @staticmethod
    def from_json(text: str) -> Model:
        """The model in the text of a model's file."""
        require_type("text", text, str, "the text of a model's file is wanted")
        return Model(_skinmask.Model.from_json(text))

    def to_json(self) -> str:
        """The text of the model's file; reading it gives the same numbers to the bit."""
        return self._core.to_json()

    def save(self, path: Path, *, overwrite: bool = True) -> None:
        """Writes the file, completely or not at all."""
        require_switch("overwrite", overwrite)
        self._core.save(path_of(path), overwrite)

    @staticmethod
    def train(
        samples: Samples,
        *,
        kind: str = "qda",
        space: str = "BGR",
        channels: str | Iterable[str] | None = None,
        covariance: str = "mle",
        shrinkage: float | str = 0.0,
        prior: float | dict[str, float] | None = None,
        positive: str = "skin",
        threshold: float | None = None,
        max_f1: bool = False,
        max_fpr: float | None = None,
        min_recall: float | None = None,
        cost: tuple[float, float] | None = None,
        validation: tuple[Paths, Paths] | tuple[Paths, Paths, dict[str, Any]] | None = None,
        calibration: Samples | None = None,
        notes: dict[str, str] | None = None,
        progress: Progress = None,
        **of_kind: Any,
    ) -> Model:
        """Fits a model to labelled pixels, as `skinmask train` does.

        >>> skin = [[90, 110, 180], [100, 130, 210], [80, 120, 190], [120, 140, 200]]
        >>> rest = [[90, 90, 80], [40, 30, 30], [200, 210, 190], [20, 90, 40]]
        >>> pixels = numpy.array(skin + rest, "uint8")
        >>> samples = Samples(pixels, [1, 1, 1, 1, 0, 0, 0, 0])
        >>> Model.train(samples, kind="gaussian-nb", max_f1=True)
        <skinmask.Model gaussian-nb BGR, 'skin' above 0.5>

        The threshold is `threshold` (default: 0.5), or one rule chooses it on `validation` (a
        folder of images, one of their masks, and a dict of the options of reading them, as in
        `Samples.from_pairs`, if any are needed), or else on the samples: `max_f1`, `max_fpr` R,
        `min_recall` R or `cost` (FP, FN). `calibration` are samples of other pixels. They calibrate
        P(skin) to the share of skin among pixels with this P (Platt), for data with their share of
        skin, or with `prior`. `of_kind` are options of one kind: components, seed (mixture), terms
        (`--features` of the program), ridge, solver, rate (logistic), iterations, tolerance (both),
        bins, smoothing (histograms); and class_costs. docs/cli.md, 'train', describes them.

        `progress` is called with the numbers done and in all: of iterations of logistic regression
        and mixtures, where the second is an upper bound, then of images of `validation`. An
        exception of it ends the training, and so does Ctrl-C.
        """
        require_type("samples", samples, Samples, "a skinmask.Samples is wanted")
        fit: dict[str, Any] = dict(kind=kind, space=space, channels=channels, prior=prior)
        fit.update(covariance=covariance, shrinkage=shrinkage, positive=positive, **of_kind)
        options = _skinmask.TrainOptions()
        set_fit(options, fit)
        set_rule(
            options, threshold, max_f1=max_f1, max_fpr=max_fpr, min_recall=min_recall, cost=cost
        )
        set_data(options, validation, calibration, notes)
        work = functools.partial(_skinmask.train, samples._core, options)
        return Model(run(work, RuntimeWarning, progress=progress, problem=end_by))

    def predict(self, pixels: NDArray[numpy.uint8]) -> NDArray[numpy.bool_]:
        """Whether each of the pixels (n, 3), B G R, is skin by the model's threshold."""
        return self._core.mask_row(pixels).astype(bool)

    def predict_class(self, pixels: NDArray[numpy.uint8]) -> NDArray[numpy.uint8]:
        """The chosen class of each pixel, as an index into `classes`: the most probable, or with
        `class_costs` that of the least expected cost."""
        return self._core.class_row(pixels)

    def predict_proba(self, pixels: NDArray[numpy.uint8]) -> NDArray[numpy.float64]:
        """P(class | pixel) in double, a column for each of `classes`, the positive one first.

        >>> Model.default().predict_proba(numpy.array([[118, 148, 205]], "uint8")).round(2)
        array([[0.93, 0.07]])
        """
        return self._core.posteriors(pixels)

    def decision_function(self, pixels: NDArray[numpy.uint8]) -> NDArray[numpy.float64]:
        """log(P(skin) / (1 - P(skin))) of each pixel, in double."""
        return self._core.log_odds_row(pixels)

    def is_outlier(
        self, pixels: NDArray[numpy.uint8], outlier: float = 0.999
    ) -> NDArray[numpy.bool_]:
        """Whether no class explains the pixels (n, 3), B G R.

        Such a pixel lies, for every class, outside of the region of highest density that holds the
        share `outlier` of the class; `detect` shows it as 255 in its output 'uncertainty' (which
        takes 1, too: no pixel is one). Logistic models have no densities, and raise an Error.

        >>> Model.default().is_outlier(numpy.array([[118, 148, 205], [0, 255, 0]], "uint8"))
        array([False,  True])
        """
        require_range("outlier", outlier, 0, 1, "more than 0, less than 1")
        share = float(outlier)
        found = kept(self._outliers, 1, share, lambda: _skinmask.Outliers(self._core, share))
        return found.row(pixels).astype(bool)

    def picture(
        self,
        *,
        beside: dict[str, Model] | None = None,
        samples: Samples | None = None,
        at: dict[str, float] | None = None,
        marginal: bool = False,
        format: str = "png",
    ) -> bytes:
        """The file of `skinmask show --picture`: the classes' regions, borders and ellipses.

        `beside` has more models by name, drawn over the same axes. `samples` are pixels to show as
        points, or as histograms if the model has one channel. With three channels, each plane is
        cut at skin's mean of the third one, or `at` {"B": 120}; with `marginal` the third one is
        integrated out. `format` is 'png' or 'svg'. docs/cli.md, 'show', has the details.
        """
        require_type("beside", beside or {}, dict, "models by their names are wanted")
        others = {name: chosen(model) for name, model in (beside or {}).items()}
        cores = [self._core, *(model._core for model in others.values())]
        return draw_models(cores, [self.kind, *others], samples, at or {}, marginal, format)

    def plot(self, ax: Any = None, **how: Any) -> Any:
        """Shows `picture` with the options `how` on axes of matplotlib, which are returned."""
        ax = axes_or_new(ax)
        return show_png(self.picture(format="png", **how), ax)

    def _repr_html_(self) -> str:
        shown = [
            ("channels", " ".join(self.channels)),
            *((f"prior of {name}", prior) for name, prior in self.priors.items()),
            ("threshold", f"{self.threshold:.6g} ({self.rule})"),
        ]
        title = f"{self.kind} in {self.space}"
        return f"<div>{html_table(title, shown)}{html_png(self.picture(), title)}</div>"

    def with_threshold(self, threshold: float) -> Model:
        """The same model with another threshold."""
        require_range("threshold", threshold, 0, 1, "0 to 1")
        return Model(self._core.changed(None, threshold))

    def with_prior(self, prior: float) -> Model:
        """The same model with another prior P(skin)."""
        require_range("prior", prior, 0, 1, "more than 0, less than 1")
        return Model(self._core.changed(prior, None))

    def _detector(
        self, options: dict[str, Any], outputs: Iterable[str] = ()
    ) -> _skinmask.Detector:
        """A detector with these options; the last few are kept, as making one may take long."""
        texts = detector_texts(options)
        alone = not OF_MODEL_ALONE.isdisjoint(outputs)
        refuse_without_effect(texts, self.classes[0], alone)
        # As in the program, if faces are searched for and `faces` ("" is built in) is absent.
        faces = "" if alone or "faces" in texts else os.environ.get("SKINMASK_FACES", "")
        files = [*map(texts.get, FILE_OPTIONS), faces]
        key = (*sorted(texts.items()), *(path and file_at(path) for path in files))
        if "abstain" in texts:  # shares the networks of the detector that gives an answer everywhere
            decided = self._detector({**options, "abstain": None}, outputs)
            return kept(self._detectors, 8, key, lambda: decided.abstaining(texts["abstain"]))
        return kept(self._detectors, 8, key, lambda: _skinmask.Detector(self._core, texts, faces))

    @property
    def kind(self) -> str:
        """The kind of model: 'qda', 'lda', 'logistic', ..."""
        return self._core.kind

    @property
    def space(self) -> str:
        """The colour space."""
        return self._core.space

    @property
    def channels(self) -> list[str]:
        """The channels of the space that the model uses."""
        return self._core.channels

    @property
    def classes(self) -> list[str]:
        """The names of the classes, the positive one first."""
        return self._core.classes

    @property
    def prior(self) -> float:
        """The prior of the positive class.

        P(skin) of a calibrated model is for the prior of its calibration's data, and `with_prior`
        changes that one.
        """
        return self._core.priors[0]

    @property
    def priors(self) -> dict[str, float]:
        """The prior of each class; they sum to 1."""
        return dict(zip(self.classes, self._core.priors))

    @property
    def threshold(self) -> float:
        """A pixel is skin when P(skin) is above it."""
        return self._core.threshold

    @property
    def rule(self) -> str:
        """How the threshold was chosen: 'fixed', 'max-f1', ..."""
        return self._core.rule

    @property
    def card(self) -> dict[str, Any]:
        """Training data, notes and scores, as docs/formats.md describes."""
        card: dict[str, Any] = json.loads(self.to_json())["card"]
        return card

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self is other or self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        decision = f"{self.classes[0]!r} above {self.threshold:.6g}"
        return f"<skinmask.Model {self.kind} {self.space}, {decision}>"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Model.from_json, (self.to_json(),)


def chosen(model: Model | None) -> Model:
    if model is None:
        return Model.default()
    require_type("model", model, Model, "a skinmask.Model is wanted, as Model.load gives it")
    return model
