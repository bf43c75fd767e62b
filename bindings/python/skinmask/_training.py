"""The options of training."""

from __future__ import annotations

from functools import partial
from typing import Any

from . import _skinmask
from ._common import (
    give,
    is_given,
    refuse,
    require_range,
    require_switch,
    require_type,
    texts,
    two_numbers,
)
from ._options import option_text
from ._samples import OF_TABLES, Samples, pair_options

_RULES = ("max_f1", "max_fpr", "min_recall", "cost")
_FIT_OPTIONS = {name: (taken, kinds) for name, taken, kinds, _ in _skinmask.fit_options()}
_FIT_OPTIONS["terms"] = _FIT_OPTIONS.pop("features")  # scikit-learn's word for another thing
_USUAL = {"channels": None, "covariance": "mle", "shrinkage": 0, "prior": None}
KINDS_OF = {name: kinds for name, (_, kinds) in _FIT_OPTIONS.items() if kinds}


def set_fit(options: _skinmask.TrainOptions, given: dict[str, Any]) -> None:
    """Sets the options of the fit; refuses options that the kind of model does not have."""
    known = [*_FIT_OPTIONS, "threshold", *_RULES, "validation", "calibration", "notes"]
    for name, value in given.items():
        if name not in _FIT_OPTIONS:
            hint = "`terms` is --features" if name == "features" else ", ".join(known)
            raise TypeError(f"train() got an unexpected keyword argument '{name}' ({hint})")
        usual = _USUAL.get(name, ...)
        if value is usual or (isinstance(value, (str, float, int)) and value == usual):
            continue
        taken, kinds = _FIT_OPTIONS[name]
        if kinds and given["kind"] not in kinds:
            raise _skinmask.Error(f"{name}: is of {', '.join(kinds)}, and kind is {given['kind']}")
        if name == "channels":
            value = ",".join(texts(name, value))
            if not value:
                raise _skinmask.Error("channels: is empty (names of channels are wanted)")
        text = option_text(name, taken, value)
        if not text:
            raise _skinmask.Error(f"{name}: is empty")
        options.set("features" if name == "terms" else name, text)


def set_rule(options: _skinmask.TrainOptions, threshold: float | None, **rules: Any) -> None:
    given = [name for name in _RULES if is_given(rules[name])]
    if len(given) + (threshold is not None) > 1:
        raise _skinmask.Error("threshold: give one of threshold, " + ", ".join(_RULES))
    if threshold is not None:
        require_range("threshold", threshold, 0, 1, "0 to 1")
        options.rule("threshold", threshold, 1)
    for name in given:
        value, fn_cost = rules[name], 1.0
        if name == "cost":
            value, fn_cost = two_numbers(name, value, "(FP, FN)")
            for number in (value, fn_cost):
                require_range("cost", number, 0, 1e300, "more than 0, at most 1e300")
        elif name == "max_f1":
            require_switch(name, value)
        else:
            require_range(name, value, 0, 1, "0 to 1")
        options.rule(name, float(value), fn_cost)


def set_data(
    options: _skinmask.TrainOptions, validation: Any, calibration: Samples | None, notes: Any
) -> None:
    if validation is not None:
        wanted = "a folder of images and one of their masks are wanted"
        require_type("validation", validation, (tuple, list), wanted)
        if len(validation) not in (2, 3):
            raise TypeError(f"validation: has {len(validation)} entries ({wanted})")
        how = validation[2] if len(validation) == 3 else {}
        require_type("validation[2]", how, dict, "options of Samples.from_pairs are wanted")
        refuse(how, *OF_TABLES)
        options.validation(pair_options(validation[0], validation[1], **how))
    if calibration is not None:
        require_type("calibration", calibration, Samples, "a skinmask.Samples is wanted")
        options.calibration(calibration._core)
    require_type("notes", notes or {}, dict, "texts by their names are wanted")
    for name, text in (notes or {}).items():
        require_type("notes", name, str, "texts by their names, which are texts, are wanted")
        if name == "":
            raise _skinmask.Error("notes: have a text without a name")
        give(partial(options.note, name), f"notes[{name!r}]", text, "a text is wanted")
