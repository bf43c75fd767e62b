"""What the functions of the package have in common."""

from __future__ import annotations

import numbers
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Optional, TypeVar, Union

import numpy
from numpy.typing import DTypeLike

from . import _skinmask

Path = Union[str, "os.PathLike[str]"]
Progress = Optional[Callable[[int, int], object]]
T = TypeVar("T")

BOOLEAN = (bool, numpy.bool_)
BITS = {"uint8": 8, "uint16": 16, "float32": 32}


def path_of(path: Any, name: str = "path", wanted: str = "a file's path is wanted") -> Path:
    """The path, which is one."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{name}: is {type(path).__name__} ({wanted})")
    shown = os.fspath(path)
    try:
        encoded = os.fsencode(shown)
    except UnicodeEncodeError:
        raise _skinmask.Error(f"{name}: {shown!r} is no text ({wanted})") from None
    if b"\0" in encoded:
        raise _skinmask.Error(f"{name}: {shown!r} has a NUL, as no file's name has ({wanted})")
    result: Path = path
    return result


def require_text(name: str, text: str) -> None:
    """Half of a surrogate pair is a letter to Python, and none to anybody else."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _skinmask.Error(f"{name}: have {text[error.start]!r}, which is no text") from None


def texts(name: str, value: str | Iterable[str]) -> list[str]:
    """A list of texts; one text stands for a list of it alone, not for its letters."""
    try:
        listed = [value] if isinstance(value, str) else list(value)
    except TypeError:
        raise TypeError(f"{name}: is {type(value).__name__} (texts are wanted)") from None
    for text in listed:
        if not isinstance(text, str):
            raise TypeError(f"{name}: have {text!r} (texts are wanted)")
        require_text(name, text)
    return listed


def give(act: Callable[[Any], object], name: str, value: object, wanted: str) -> None:
    """act(value) of the module's, whose refusal of another type names no argument."""
    try:
        act(value)
    except TypeError:
        raise TypeError(f"{name}: is {value!r} ({wanted})") from None


def require_type(name: str, value: object, kind: type | tuple[type, ...], wanted: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name}: is {type(value).__name__} ({wanted})")
    if isinstance(value, str):
        require_text(name, value)


def bits_of(dtype: DTypeLike, known: tuple[str, ...], words: str = "") -> int:
    """Of the numbers that are asked for, of one of the `known` types; 8 where none is."""
    try:
        kind = numpy.dtype("uint8" if dtype is None else dtype)
        name = kind.name if kind.isnative else repr(dtype)
    except (TypeError, ValueError):
        name = repr(dtype)
    if name not in known:
        raise TypeError(f"dtype: is {name} ({' or '.join(known)}{words})")
    return BITS[name]


OUTPUTS: dict[str, str] = {name: meaning for name, meaning, _ in _skinmask.outputs()}
OF_MODEL_ALONE = {name for name, _, alone in _skinmask.outputs() if alone}
DETECTOR_OPTIONS = {name: taken for name, taken, *_ in _skinmask.detector_options()}
_OF_ADAPTATION = [name for name, *_ in _skinmask.adaptation_options()]
_RULES = ("max_f1", "max_fpr", "min_recall", "cost")
_FIT_OPTIONS = {name: (taken, kinds) for name, taken, _, kinds in _skinmask.fit_options()}
_FIT_OPTIONS["terms"] = _FIT_OPTIONS.pop("features")  # scikit-learn's word for another thing
KINDS_OF = {name: kinds for name, (_, kinds) in _FIT_OPTIONS.items() if kinds}


def detector_texts(options: dict[str, Any]) -> dict[str, str]:
    """Texts of the options of a detector, which all functions that judge take as keywords.

    None is what is not given.
    """
    texts: dict[str, str] = {}
    for name, value in options.items():
        if name not in DETECTOR_OPTIONS:
            raise TypeError(f"unexpected keyword argument '{name}' ({', '.join(DETECTOR_OPTIONS)})")
        if value is None:
            continue
        if name in ("faces", "seed_mask"):
            value = os.fspath(path_of(value, name))
        if isinstance(value, numpy.ndarray) and value.ndim > 0:
            value = value.tolist()
        if name == "draw" and isinstance(value, (tuple, list)):
            value = ",".join(option_text(name, "word", one) for one in value)
        taken = DETECTOR_OPTIONS[name]
        rows = name == "class_costs" and _is_table(value)
        if taken == "text" and isinstance(value, (tuple, list)) and value and not rows:
            value = ",".join(option_text(name, "number", number) for number in value)
        texts[name] = option_text(name, taken, value)
        if not texts[name] and name != "faces":
            raise _skinmask.Error(f"{name}: is empty")
    if texts.get("adapt") == "off" and "faces" in texts:
        raise _skinmask.Error("faces: are for adapt 'auto' and 'faces', not 'off'")
    # What would do nothing is an error, lest it be taken for obeyed.
    if "seed_mask" not in texts and "seed_rect" not in texts:
        adapt = texts.get("adapt")
        for name in _OF_ADAPTATION:
            if name in texts and (adapt == "off" or (adapt, name) == ("faces", "min_component")):
                which = "divided" if name == "min_component" else "adapted"
                raise _skinmask.Error(f"{name}: is of {which} images, and adapt is {adapt!r}")
    return texts


def refuse(options: dict[str, Any], names: tuple[str, ...], why: str) -> None:
    """Those of these names that are given."""
    for name in names:
        if options.get(name) is not None:
            raise _skinmask.Error(f"{name}: {why}")


def _is_table(value: Any) -> bool:
    """Whether it is rows of numbers."""
    if isinstance(value, numpy.ndarray):
        return value.ndim == 2
    rows = (tuple, list, numpy.ndarray)
    return isinstance(value, rows) and len(value) > 0 and all(isinstance(row, rows) for row in value)


def option_text(name: str, taken: str, value: Any) -> str:
    """The value of an option as its text, which the library's table of options takes."""
    kinds: dict[str, tuple[Any, str]] = {
        "switch": (BOOLEAN, "True or False is wanted"),
        "word": (str, "a name is wanted"),
        "whole": (numbers.Integral, "a whole number is wanted"),
        "number": (numbers.Real, "a number is wanted"),
        "text": ((str, os.PathLike, numbers.Real), "a text or a number is wanted"),
    }
    if taken == "text" and isinstance(value, dict):
        return ",".join(f"{key}={option_text(name, taken, one)}" for key, one in value.items())
    if taken == "text" and _is_table(value):
        return ":".join(",".join(option_text(name, "number", one) for one in row) for row in value)
    kind, wanted = kinds[taken]
    if not isinstance(value, kind) or isinstance(value, BOOLEAN) != (taken == "switch"):
        raise TypeError(f"{name}: is {type(value).__name__} ({wanted})")
    if isinstance(value, BOOLEAN):
        return "on" if value else "off"
    if isinstance(value, numbers.Real):
        return repr(int(value) if isinstance(value, numbers.Integral) else float(value))
    text = str(value)
    require_text(name, text)
    return text


def require_range(name: str, value: float | None, low: float, high: float, words: str) -> None:
    """Ends are not part of the range where `words` say so."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}: is {type(value).__name__} (a number is wanted)")
    outside = not low <= value <= high
    if (
        outside
        or ("more than" in words and value == low)
        or ("less than" in words and value == high)
    ):
        raise _skinmask.Error(f"{name} {value} is out of range ({words})")


def two_numbers(name: str, pair: Any, words: str) -> tuple[float, float]:
    try:
        low, high = pair
        return float(low), float(high)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: is {pair!r} ({words} are wanted, two numbers)") from None
    except OverflowError:
        raise _skinmask.Error(f"{name}: has a number beyond all others ({words})") from None


def require_decision(threshold: float | None, prior: float | None) -> None:
    require_range("threshold", threshold, 0, 1, "0 to 1")
    require_range("prior", prior, 0, 1, "more than 0, less than 1")


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
        elif name == "max_f1":
            require_type(name, value, BOOLEAN, "True or False is wanted")
        else:
            require_range(name, value, 0, 1, "0 to 1")
        options.rule(name, float(value), fn_cost)


def set_options(options: _skinmask.TrainOptions, kind: str, given: dict[str, Any]) -> None:
    """Those of the fit; the ones that are of some kinds of models alone are so here, too."""
    known = [*_FIT_OPTIONS, "threshold", *_RULES, "validation", "calibration", "notes"]
    for name, value in given.items():
        if name not in _FIT_OPTIONS:
            raise TypeError(
                f"train() got an unexpected keyword argument '{name}' ({', '.join(known)})"
            )
        taken, kinds = _FIT_OPTIONS[name]
        if kinds and kind not in kinds:
            raise _skinmask.Error(f"{name}: is of {', '.join(kinds)}, and kind is {kind}")
        options.set("features" if name == "terms" else name, option_text(name, taken, value))


def require_function(name: str, value: object) -> None:
    if value is not None and not callable(value):
        raise TypeError(f"{name}: is {value!r} (a function is wanted)")


class _Guarded:
    """A function of the caller's that a run calls: what it raises ends the run."""

    def __init__(self, function: Callable[..., object], stop: _skinmask.Stop) -> None:
        self._function = function
        self._stop = stop
        self.failure: BaseException | None = None

    def __call__(self, *arguments: Any) -> None:
        if self.failure is not None:
            return
        try:
            self._function(*arguments)
        except BaseException as failure:
            self.failure = failure
            self._stop.set()


def run(work: Callable[..., T], **callbacks: Callable[..., object] | None) -> T:
    """work(stop, and the callbacks in their order) in a thread of its own.

    Ctrl-C is heard by the main thread alone, and there between two steps of Python: so the caller
    waits here, where it can be interrupted, and the run is stopped by it.
    """
    for name, callback in callbacks.items():
        require_function(name, callback)
    stop = _skinmask.Stop()
    guarded = [None if one is None else _Guarded(one, stop) for one in callbacks.values()]
    with ThreadPoolExecutor(1) as pool:
        try:
            result = pool.submit(work, stop, *guarded).result()
        except BaseException:
            stop.set()
            raise
    for one in guarded:
        if one is not None and one.failure is not None:
            raise one.failure
    return result
