"""Trained models."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy
from numpy.typing import NDArray

from . import _skinmask
from ._common import (
    OF_MODEL_ALONE,
    Path,
    Progress,
    detector_texts,
    end_by,
    path_of,
    require_range,
    require_switch,
    require_type,
    run,
    warn,
)
from ._kept import Kept, file_at
from ._samples import Paths, Samples
from ._show import axes_or_new, draw_models, html_png, html_table, show_png
from ._training import set_data, set_fit, set_rule

class Model:
    """A trained model, which never changes. It is compiled at its first use and stays so.

    >>> model = Model.default()
    >>> model.kind, model.space, model.classes
    ('qda', 'BGR', ['skin', 'non-skin'])

    `load`, `default`, `from_json` and `train` make one. Models can be pickled, and are equal where
    their files are the same bytes.
    """

    def __init__(self, core: _skinmask.Model) -> None:
        if not isinstance(core, _skinmask.Model):
            raise TypeError(
                f"Model: is made by Model.load, train or default, not of {type(core).__name__}"
            )
        self._core = core
        self._detectors = Kept[_skinmask.Detector](8)
        self._outliers = Kept[_skinmask.Outliers](1)

    @staticmethod
    def load(path: Path) -> Model:
        """The model of a file, as `skinmask train` and `save` write it."""
        return Model(_skinmask.Model.read(path_of(path)))

    @staticmethod
    @functools.lru_cache(maxsize=1)
    def default() -> Model:
        """The model that is built in."""
        return Model(_skinmask.Model.default())

    @staticmethod
    def from_json(text: str) -> Model:
        require_type("text", text, str, "the text of a model's file is wanted")
        return Model(_skinmask.Model.from_json(text))

    def to_json(self) -> str:
        """The text of the model's file; numbers read back bit for bit."""
        return self._core.to_json()

    def save(self, path: Path, *, overwrite: bool = True) -> None:
        """Writes the file whole, or not at all."""
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
        validation: tuple[Paths, Paths] | None = None,
        calibration: Samples | None = None,
        notes: dict[str, str] | None = None,
        progress: Progress = None,
        **of_kind: Any,
    ) -> Model:
        """Fits a model to labelled pixels: the file that `skinmask train` writes of the same.

        >>> skin = [[90, 110, 180], [100, 130, 210], [80, 120, 190], [120, 140, 200]]
        >>> rest = [[90, 90, 80], [40, 30, 30], [200, 210, 190], [20, 90, 40]]
        >>> pixels = numpy.array(skin + rest, "uint8")
        >>> samples = Samples(pixels, [1, 1, 1, 1, 0, 0, 0, 0])
        >>> Model.train(samples, kind="gaussian-nb", max_f1=True)
        <skinmask.Model gaussian-nb BGR, 'skin' above 0.5>

        The threshold is `threshold` (0.5 without one), or chosen on `validation`, a folder of
        images and one of their masks, or else on the samples: `max_f1`, `max_fpr` R, `min_recall` R
        or `cost` (FP, FN). `calibration` are samples of other pixels, by which P(skin) becomes the
        share of skin among pixels that get it (Platt), where there is as much skin as among them,
        or as `prior` says. `of_kind` are options of one kind: components, seed (mixture), terms,
        ridge, solver, rate (logistic), iterations, tolerance (both), bins, smoothing (histograms).
        docs/cli.md, 'train', has all of them.

        `progress` is called with numbers of those done and of all: of the iterations of logistic
        regression and mixtures, all being the most that there may be; then of the images of
        `validation`. What it raises ends the training, and so does Ctrl-C.
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
        work = partial(_skinmask.train, samples._core, options)
        core = run(work, progress=progress, problem=end_by)
        if not core.converged:
            warn(f"{kind}: did not converge (more iterations)", RuntimeWarning)
        return Model(core)

    def predict(self, pixels: NDArray[numpy.uint8]) -> NDArray[numpy.bool_]:
        """Of pixels (n, 3), B G R, whether each is skin by the model's threshold."""
        skin: NDArray[numpy.bool_] = self._core.mask_row(pixels) != 0
        return skin

    def predict_class(self, pixels: NDArray[numpy.uint8]) -> NDArray[numpy.uint8]:
        """The most probable class of each pixel, as an index into `classes`."""
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
        """Of pixels (n, 3), B G R, whether no class explains them.

        Each lies outside of the region of highest density that holds the share `outlier` of a
        class, for every class: what `detect` shows as 255 in its output 'uncertainty'. Logistic
        models have no densities, and are an Error.

        >>> Model.default().is_outlier(numpy.array([[118, 148, 205], [0, 255, 0]], "uint8"))
        array([False,  True])
        """
        require_range("outlier", outlier, 0, 1, "more than 0, less than 1")
        share = float(outlier)
        found = self._outliers.get(share, lambda: _skinmask.Outliers(self._core, share))
        unexplained: NDArray[numpy.bool_] = found.row(pixels) != 0
        return unexplained

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

        `beside` has more models, by their names, over the same axes; `samples` pixels to show as
        points, or where the model has one channel as histograms. Of three channels planes are cut
        where the third is at skin's mean, or `at` {"B": 120}; with `marginal` it is integrated out.
        `format` is 'png' or 'svg'. docs/cli.md, 'show', has all of it.
        """
        require_type("beside", beside or {}, dict, "models by their names are wanted")
        others = {name: chosen(model) for name, model in (beside or {}).items()}
        cores = [self._core, *(model._core for model in others.values())]
        return draw_models(cores, [self.kind, *others], samples, at or {}, marginal, format)

    def plot(self, ax: Any = None, **how: Any) -> Any:
        """Shows `picture` on axes of matplotlib, which are returned; `how` are its options."""
        if "format" in how:
            raise TypeError("plot() got an unexpected keyword argument 'format' (picture has it)")
        ax = axes_or_new(ax)
        return show_png(self.picture(**how), ax)

    def _repr_html_(self) -> str:
        shown = [
            ("channels", " ".join(self.channels)),
            *((f"prior of {name}", prior) for name, prior in self.priors.items()),
            ("threshold", f"{self.threshold:.6g} ({self.rule})"),
        ]
        title = f"{self.kind} in {self.space}"
        return f"<div>{html_table(title, shown)}{html_png(self.picture(), title)}</div>"

    def with_threshold(self, threshold: float) -> Model:
        """The same model with another threshold of its own, as a file of it would have."""
        require_range("threshold", threshold, 0, 1, "0 to 1")
        return Model(self._core.changed(None, threshold))

    def with_prior(self, prior: float) -> Model:
        """The same model with another P(skin) before a pixel is seen."""
        require_range("prior", prior, 0, 1, "more than 0, less than 1")
        return Model(self._core.changed(prior, None))

    def _detector(
        self, options: dict[str, Any], outputs: Iterable[str] = ()
    ) -> _skinmask.Detector:
        """What a call asks for, made ready; the last few are kept, as that may take a while."""
        texts = detector_texts(options)
        if self.classes[0] != "skin" and texts.get("adapt") in ("auto", "faces"):
            warn(
                f"adapt: takes what the model finds, {self.classes[0]!r}, for the skin of faces "
                "(name that class 'skin', or set adapt='off')"
            )
        # As for the program, where none are named and some are searched for.
        alone = not OF_MODEL_ALONE.isdisjoint(outputs)
        faces = "" if alone else os.environ.get("SKINMASK_FACES", "")
        files = [texts.get("faces"), texts.get("seed_mask"), faces]
        key = (*sorted(texts.items()), *(path and file_at(path) for path in files))
        return self._detectors.get(key, lambda: _skinmask.Detector(self._core, texts, faces))

    @property
    def kind(self) -> str:
        return self._core.kind

    @property
    def space(self) -> str:
        """The colour space."""
        return self._core.space

    @property
    def channels(self) -> list[str]:
        """Those of the space that it sees."""
        return self._core.channels

    @property
    def classes(self) -> list[str]:
        """The positive one first."""
        return self._core.classes

    @property
    def prior(self) -> float:
        """P(skin) before a pixel is seen."""
        return self._core.priors[0]

    @property
    def priors(self) -> dict[str, float]:
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
        """What it was trained on, notes, and scores, as docs/formats.md describes."""
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
