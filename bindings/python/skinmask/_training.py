"""The options of training."""

from __future__ import annotations

from typing import Any

from . import _skinmask
from ._common import option_text, require_decision, require_range, two_numbers

_RULES = ("max_f1", "max_fpr", "min_recall", "cost")
_OPTIONS = {name: (taken, kinds) for name, taken, _, kinds in _skinmask.fit_options()}
_OPTIONS["terms"] = _OPTIONS.pop("features")  # scikit-learn's word for another thing
KINDS_OF = {name: kinds for name, (_, kinds) in _OPTIONS.items() if kinds}


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


def set_options(options: _skinmask.TrainOptions, kind: str, given: dict[str, Any]) -> None:
    """Those of the fit; the ones that are of some kinds of models alone are so here, too."""
    for name, value in given.items():
        if name not in _OPTIONS:
            raise TypeError(
                f"train() got an unexpected keyword argument '{name}' ({', '.join(_OPTIONS)})"
            )
        taken, kinds = _OPTIONS[name]
        if kinds and kind not in kinds:
            raise _skinmask.Error(f"{name}: is of {', '.join(kinds)}, and kind is {kind}")
        options.set("features" if name == "terms" else name, option_text(name, taken, value))
