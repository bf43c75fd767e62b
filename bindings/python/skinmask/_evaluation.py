"""Judging a model against the truth."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from . import _skinmask
from ._common import Path, Progress, end_by, is_given, path_of, refuse, require_switch, run, warn
from ._model import Model, chosen
from ._options import DETECTOR_OPTIONS
from ._samples import OF_TABLES, PAIR_OPTIONS, Paths, Samples, pair_options
from ._show import html_table, plot_curves

Metrics = dict[str, Any]

# Options that need pictures, and that labelled pixels cannot have.
_OF_PICTURES = [
    name
    for name, *_, heading in _skinmask.detector_options()
    if heading == "Adaptation" and name != "adapt"
]


class Evaluation:
    """Scores of a model; `data` has all of them (docs/formats.md, 'Metrics (JSON)')."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    @property
    def pooled(self) -> Metrics:
        """Over the pixels of all images: 'tp', 'fp', 'fn', 'tn', 'f1', 'auc', ...; None for 0/0."""
        return cast(Metrics, self.data["pooled"])

    @property
    def mean_per_image(self) -> Metrics:
        """The means of the images' scores, each image with the same weight."""
        return cast(Metrics, self.data["mean_per_image"])

    @property
    def images(self) -> list[Metrics]:
        """For each image its 'name' and the same scores."""
        return cast("list[Metrics]", self.data["images"])

    def plot(self, ax: Any = None) -> Any:
        """Draws error rates against the threshold, and the ROC curve, by matplotlib.

        `ax` is a pair of axes, which is returned; without one a figure is made. Masks that were
        made before have no scores, and so no curves.
        """
        return plot_curves(self.data, ax)

    def _repr_html_(self) -> str:
        shown = [
            (name.replace("_", " "), "-" if value is None else value)
            for name, value in self.pooled.items()
            if not isinstance(value, (dict, list))
        ]
        return html_table(f"{self._of_what()}, all pixels together", shown)

    def __repr__(self) -> str:
        shown = {name: self.pooled[name] for name in ("precision", "recall", "f1")}
        return f"<skinmask.Evaluation {self._of_what()}, {shown}>"

    def _of_what(self) -> str:
        return f"{len(self.images)} images" if self.images else f"{self.data['pixels']} pixels"


def _lacks_positives(evaluation: Evaluation) -> bool:
    return not evaluation.pooled["tp"] + evaluation.pooled["fn"]


def evaluate(
    images: Paths | Samples,
    masks: Paths | None = None,
    model: Model | None = None,
    *,
    report: Path | None = None,
    overwrite: bool = True,
    progress: Progress = None,
    problem: Callable[[str], object] | None = None,
    **how: Any,
) -> Evaluation:
    """Evaluates a model on images with their masks, or on labelled pixels.

    >>> import numpy
    >>> pixels = numpy.array([[118, 148, 205], [110, 140, 200], [9, 9, 9], [80, 160, 60]], "uint8")
    >>> evaluate(Samples(pixels, [1, 1, 0, 0])).pooled["f1"]
    1.0

    `images` and `masks` are folders, in which names match images and masks, or lists of files, the
    first mask for the first image. A list may contain arrays: pictures as `detect` takes them, and
    masks of uint8 or bool; their names are 'images[0]', 'masks[0]', and so on. Each is copied while
    it is evaluated, and before the run if it is not contiguous or a mask of bool. `report` is an
    HTML page to write. `how` are the options of reading masks, as in `Samples.from_pairs`
    (without step and groups), and those of `detect`. A file that cannot be read is an Error, unless
    there is a function `problem`, which is then called with one line. Ctrl-C ends the run.
    """
    options = {name: how.pop(name) for name in list(how) if name in DETECTOR_OPTIONS}
    refuse(options, ("outlier", "steady", "draw", "erode"), "changes no score (leave it out)")
    refuse(how, *OF_TABLES)
    for name in how:
        if name not in PAIR_OPTIONS:
            known = ", ".join([*PAIR_OPTIONS, *DETECTOR_OPTIONS])
            raise TypeError(f"unexpected keyword argument '{name}' ({known})")
    if isinstance(masks, Model):
        raise TypeError("masks: is Model (a folder or a list is wanted; model= takes a model)")
    require_switch("overwrite", overwrite)
    if isinstance(images, Samples):
        why = "is of images, and samples are judged"
        refuse({"progress": progress, "problem": problem}, ("progress", "problem"), why)
        if not overwrite:
            raise _skinmask.Error(f"overwrite: {why}")
        of_pictures = any(options.get(name) is not None for name in _OF_PICTURES)
        adapts = of_pictures or options.get("adapt") not in (None, "off")
        if masks is not None or report is not None or adapts or how:
            raise _skinmask.Error(
                "samples: are judged without masks, adaptation and report "
                "(a folder of images has them)"
            )
        detector = chosen(model)._detector({**options, "adapt": "off"})
        of_samples = Evaluation(json.loads(_skinmask.evaluate_samples(detector, images._core)))
        if _lacks_positives(of_samples):
            warn(
                f"samples: not one pixel is of {chosen(model).classes[0]!r}, which the model finds "
                "(names of classes count as they are written)"
            )
        return of_samples
    pairs = pair_options(images, masks, **how)
    detector = chosen(model)._detector(options)
    page = "" if report is None else path_of(report, "report")
    work = partial(_skinmask.evaluate, detector, pairs, page, overwrite)
    problem = end_by if problem is None else problem
    evaluation = Evaluation(json.loads(run(work, progress=progress, problem=problem)))
    if evaluation.data["masks_look_inverted"]:
        hint = "without invert" if how.get("invert") else "with invert=True"
        warn(
            f"masks: look inverted: less of what they call {chosen(model).classes[0]} is found "
            f"than of the rest ({hint} they are read the other way round)"
        )
    by_default = not any(is_given(how.get(name)) for name in ("labels", "whole", "invert"))
    if by_default and evaluation.images and _lacks_positives(evaluation):
        warn(
            "masks: not one pixel of them is skin (above 127 is skin; labels names other values, "
            "and whole='non-skin' needs no masks)"
        )
    return evaluation
