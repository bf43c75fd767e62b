"""The options of training."""

from __future__ import annotations

from typing import Any

from . import _skinmask
from ._common import give, require_decision, require_range, two_numbers

_RULES = ("max_f1", "max_fpr", "min_recall", "cost")
_ITERATIVE = ("logistic", "mixture")
_HISTOGRAMS = ("histogram-nb", "histogram")
KINDS_OF = {  # the options of some kinds of model only
    "covariance": ("qda", "lda", "gaussian-nb"),
    "shrinkage": ("qda", "lda"),
    "components": ("mixture",),
    "seed": ("mixture",),
    "terms": ("logistic",),
    "ridge": ("logistic",),
    "solver": ("logistic",),
    "rate": ("logistic",),
    "iterations": _ITERATIVE,
    "tolerance": _ITERATIVE,
    "bins": _HISTOGRAMS,
    "smoothing": _HISTOGRAMS,
}


_WANTED = {
    "components": "a whole number, or a dict of one for each class, is wanted",
    "seed": "a whole number is wanted",
    "iterations": "a whole number is wanted",
    "bins": "a whole number is wanted",
    "terms": "a name, as 'quadratic', is wanted",
    "solver": "a name, as 'newton', is wanted",
}


def set_rule(options: _skinmask.TrainOptions, threshold: float | None, **rules: Any) -> None:
    given = [name for name in _RULES if rules[name] is not None and rules[name] is not False]
    if len(given) + (threshold is not None) > 1:
        raise _skinmask.Error("threshold: give one of threshold, " + ", ".join(_RULES))
    if threshold is not None:
        require_decision(threshold, None)
        options.rule("threshold", threshold, 1)
    for name in given:
        value, fn_cost = rules[name], 1.0
        if name == "cost":
            value, fn_cost = two_numbers(name, rules[name], "(FP, FN)")
            for number in (value, fn_cost):
                require_range("cost", number, 0, 1e300, "more than 0")
        elif name != "max_f1":
            require_range(name, value, 0, 1, "0 to 1")
        options.rule(name, float(value), fn_cost)


def require_kind(name: str, kind: str) -> None:
    if kind not in KINDS_OF[name]:
        raise _skinmask.Error(f"{name}: is of {', '.join(KINDS_OF[name])}, and kind is {kind}")


def set_of_kind(options: _skinmask.TrainOptions, kind: str, given: dict[str, Any]) -> None:
    ranges = {
        "components": (1, 1 << 30, "1 or more"),
        "seed": (0, (1 << 64) - 1, "0 or more"),
        "iterations": (1, 1 << 30, "1 or more"),
        "rate": (0, 1e300, "more than 0"),
        "tolerance": (0, 1e300, "0 or more"),
    }
    for name, value in given.items():
        if name not in KINDS_OF:
            raise TypeError(
                f"train() got an unexpected keyword argument '{name}' ({', '.join(KINDS_OF)})"
            )
        require_kind(name, kind)
        if name in ranges:
            for number in value.values() if isinstance(value, dict) else [value]:
                require_range(name, number, *ranges[name])
        give(getattr(options, name), name, value, _WANTED.get(name, "a number is wanted"))
