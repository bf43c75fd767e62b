"""Skin models as classifiers of scikit-learn.

>>> import numpy
>>> from skinmask.sklearn import SkinClassifier
>>> X = numpy.array([[90, 110, 180], [100, 130, 210], [80, 120, 190], [120, 140, 200],
...                  [90, 90, 80], [40, 30, 30], [200, 210, 190], [20, 90, 40]])
>>> y = numpy.array(["skin"] * 4 + ["other"] * 4)
>>> SkinClassifier(kind="gaussian-nb").fit(X, y).predict(X[[0, 5]])
array(['skin', 'other'], dtype='<U5')
"""

from __future__ import annotations

import re
from typing import Any

import numpy
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import validation
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ._model import Model
from ._samples import Samples
from ._training import KINDS_OF

__all__ = ["EXPECTED_FAILED_CHECKS", "SkinClassifier"]


def _is_name(name: str) -> bool:
    """Whether models may call a class so."""
    good = re.fullmatch(r"(?! )[^\x00-\x1f\x7f,='\"]+(?<! )", name)
    return good is not None and len(name.encode(errors="surrogatepass")) <= 100


# Checks of sklearn.utils.estimator_checks that fail for a model of three bytes, and why. They pass
# when their data are converted to three bytes (tests/python/test_sklearn.py).
EXPECTED_FAILED_CHECKS: dict[str, str] = {
    **dict.fromkeys(
        """
        check_dict_unchanged check_dont_overwrite_parameters check_estimators_nan_inf
        check_estimators_pickle check_fit2d_predict1d check_fit_score_takes_y
        check_methods_sample_order_invariance check_methods_subset_invariance
        check_pipeline_consistency check_sample_weight_equivalence_on_dense_data
        check_sample_weights_list check_supervised_y_2d
        """.split(),
        "its data have three features, but numbers that are no bytes",
    ),
    **dict.fromkeys(
        """
        check_classifier_data_not_an_array check_classifiers_classes check_classifiers_train
        check_decision_proba_consistency check_dtype_object check_estimators_dtypes
        check_estimators_fit_returns_self check_estimators_overwrite_params
        check_fit_check_is_fitted check_fit_idempotent check_n_features_in
        check_sample_weights_invariance check_sample_weights_not_an_array
        check_sample_weights_not_overwritten check_sample_weights_pandas_series
        check_sample_weights_shape
        """.split(),
        "its data have another number of features than B, G and R",
    ),
}


class SkinClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of colours (n, 3), whose features are the bytes B, G and R: integers 0..255.

    If a data frame has columns of these names, they must be in this order.

    Parameters are those of `skinmask.Model.train`. `priors` are those of the classes in the order
    of `classes_`, or a dict by their labels or by their names in `model_` (default: their shares of
    y); `options` are those of one kind. The most probable class is predicted. For two classes,
    `decision_function` gives the log-odds of the second of `classes_`, as everywhere in
    scikit-learn.

    `positive` is the label of the positive class of `model_`. The default is 'skin' among names,
    True among booleans, and among two numbers 1 (also with 2, as in the UCI file), or 255 with 0,
    as in masks; otherwise the second of two labels, and the first of more.

    Attributes: `classes_`, and `model_`, a skinmask.Model. Names of labels are names of its
    classes. For booleans and numbers, a label that is known to be skin is named 'skin' and the only
    other one 'non-skin'; any other number 7 is named 'class 7'.
    """

    def __init__(
        self,
        kind: str = "qda",
        *,
        space: str = "BGR",
        channels: list[str] | None = None,
        covariance: str = "mle",
        shrinkage: float | str = 0.0,
        priors: ArrayLike | dict[Any, float] | None = None,
        positive: Any = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.kind = kind
        self.space = space
        self.channels = channels
        self.covariance = covariance
        self.shrinkage = shrinkage
        self.priors = priors
        self.positive = positive
        self.options = options

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> SkinClassifier:
        """Fits the model to pixels (n, 3) and their labels.

        `sample_weight` is how often each row counts, in whole numbers, as `Samples.arrays` gives
        them.
        """
        pixels, classes = self._validated(X, y)
        times = None
        if sample_weight is not None:
            times = _times(_check_sample_weight(sample_weight, pixels))
            counted = times > 0
            pixels, classes, times = pixels[counted], classes[counted], times[counted]
        check_classification_targets(classes)
        self.classes_, index = numpy.unique(classes, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class, {self.classes_[0]!r} (two or more are wanted)")
        labels: Any = self.classes_.tolist()
        names, positive = _names(labels, self.positive)
        known = [name for name in KINDS_OF if not hasattr(self, name)]
        for name in self.options or {}:
            if name not in known:  # thresholds, above all: predict knows none
                raise ValueError(f"options: have {name!r} ({', '.join(known)})")
        priors: Any = self.priors
        if hasattr(priors, "to_dict"):  # of pandas: an index names the classes
            priors = priors.to_dict()
        if isinstance(priors, dict):
            keys = names if set(priors) == set(names) else labels
            if set(priors) != set(keys):
                raise ValueError(f"priors: are of {list(priors)} (of {labels} are wanted)")
            priors = [priors[key] for key in keys]
        if priors is not None:
            wanted = "a number for each class is wanted"
            try:
                given = numpy.asarray(priors, float)
            except (TypeError, ValueError):
                raise ValueError(f"priors: are {self.priors!r} ({wanted})") from None
            if given.shape != (len(names),):
                raise ValueError(f"priors: have shape {given.shape} ({wanted})")
            priors = dict(zip(names, given.tolist()))
        self.model_ = Model.train(
            Samples(_bytes(pixels), numpy.asarray(names)[index], counts=times),
            kind=self.kind,
            space=self.space,
            channels=self.channels,
            covariance=self.covariance,
            shrinkage=self.shrinkage,
            prior=priors,
            positive=names[positive],
            **(self.options or {}),
        )
        self._columns = [self.model_.classes.index(name) for name in names]
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The most probable class of each pixel."""
        z = self.decision_function(X)
        index = (z > 0).astype(int) if z.ndim == 1 else z.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[index]
        return labels

    def decision_function(self, X: ArrayLike) -> NDArray[numpy.float64]:
        """For two classes the log-odds of the second (n,); for more log(prior times density)."""
        pixels = self._pixels(X)
        if len(self.classes_) == 2:
            z = self.model_.decision_function(pixels)
            return z if self._columns[1] == 0 else -z
        return self.model_._core.discriminants(pixels)[:, self._columns]

    def predict_proba(self, X: ArrayLike) -> NDArray[numpy.float64]:
        """P(class | pixel), a column for each of `classes_`."""
        pixels = self._pixels(X)
        return self.model_.predict_proba(pixels)[:, self._columns]

    def predict_log_proba(self, X: ArrayLike) -> NDArray[numpy.float64]:
        """log P(class | pixel), a column for each of `classes_`; finite also where P is 0."""
        z = self.decision_function(X)
        if len(self.classes_) == 2:
            logs = -numpy.logaddexp(0, numpy.stack([z, -z], axis=1))
        else:
            logs = z - numpy.logaddexp.reduce(z, axis=1, keepdims=True)
        return numpy.asarray(logs)

    def is_outlier(self, X: ArrayLike, outlier: float = 0.999) -> NDArray[numpy.bool_]:
        """Whether no class explains a pixel: `skinmask.Model.is_outlier`."""
        pixels = self._pixels(X)
        return self.model_.is_outlier(pixels, outlier)

    def _validated(self, X: ArrayLike, *y: Any, **how: Any) -> Any:
        """X, or X and y, checked by scikit-learn, whose function for that exists from 1.6 on."""
        columns = [str(column) for column in getattr(X, "columns", ())]
        places = [column.upper() for column in columns]
        if places != ["B", "G", "R"] and sorted(places) == ["B", "G", "R"]:
            raise ValueError(f"X: has the columns {', '.join(columns)} (in the order B, G, R)")
        check = getattr(validation, "validate_data", None)
        return check(self, X, *y, **how) if check else self._validate_data(X, *y, **how)

    def _pixels(self, X: ArrayLike) -> NDArray[numpy.uint8]:
        check_is_fitted(self)
        return _bytes(self._validated(X, reset=False))

    def _more_tags(self) -> dict[str, Any]:
        return {"_xfail_checks": EXPECTED_FAILED_CHECKS}


def _names(labels: list[Any], positive: Any) -> tuple[list[str], int]:
    """The labels' names in a model, and the index of the positive one."""
    values = [int(x) if isinstance(x, str) and x.isdecimal() else x for x in labels]  # of a CSV
    texts = any(isinstance(value, str) for value in values)
    known: list[Any] = ["skin"] if texts else [1] if len(labels) == 2 else []  # True is 1
    if values == [0, 255]:  # as masks have them
        known = [255]
    found = [values.index(value) for value in known if value in values]
    if positive is not None:
        if positive not in labels:
            shown = ", ".join(repr(label) for label in labels)
            raise ValueError(f"positive: is {positive!r}, and y has {shown}")
        known, found = [positive], [labels.index(positive)]
    names = [label if texts and not label.isdigit() else f"class {label}" for label in labels]
    if not all(map(_is_name, names)) or len(set(names)) < len(names):
        names = [f"class {i}" for i in range(len(labels))]
    if found and (not texts or known == ["skin"]):
        if len(labels) == 2 and not texts:
            names[1 - found[0]] = "non-skin"
        names[found[0]] = "skin"
    return names, found[0] if found else int(len(labels) == 2)


def _times(weight: NDArray[Any]) -> NDArray[numpy.uint64]:
    if not ((weight >= 0) & (weight == weight.round())).all():
        raise ValueError("sample_weight: has entries that are no whole numbers from 0 up")
    if not 0 < weight.sum() <= 1 << 43:
        raise ValueError(f"sample_weight: is {weight.sum():g} pixels together (1 to 2^43)")
    return weight.astype(numpy.uint64)


def _bytes(X: NDArray[Any]) -> NDArray[numpy.uint8]:
    if X.shape[1] != 3:
        raise ValueError(f"X has {X.shape[1]} feature(s) (3 are wanted: B, G and R)")
    if X.dtype == numpy.uint8:
        return X
    if X.size and not (X.min() >= 0 and X.max() <= 255 and (X == X.round()).all()):
        raise ValueError(
            "X holds numbers that are no bytes (whole numbers from 0 to 255: B, G and R)"
        )
    return X.astype(numpy.uint8)
