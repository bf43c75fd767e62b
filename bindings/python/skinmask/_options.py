"""The texts of options, as the library's tables of options take them."""

from __future__ import annotations

import numbers
import os
from typing import Any

import numpy

from . import _skinmask
from ._common import BOOLEAN, Texts, path_of, refuse, require_text, warn

OF_MODEL_ALONE = {name for name, _, alone in _skinmask.outputs() if alone}
DETECTOR_OPTIONS = {name: taken for name, taken, *_ in _skinmask.detector_options()}
FILE_OPTIONS = [name for name, taken in DETECTOR_OPTIONS.items() if taken == "file"]
OF_ADAPTATION = [name for name, *_ in _skinmask.adaptation_options()]


def detector_texts(options: dict[str, Any]) -> Texts:
    """The texts of a detector's options, which are keywords of many functions.

    None stands for an option that is not given.
    """
    texts: Texts = {}
    for name, value in options.items():
        if name not in DETECTOR_OPTIONS:
            raise TypeError(f"unexpected keyword argument '{name}' ({', '.join(DETECTOR_OPTIONS)})")
        if value is None:
            continue
        if name in FILE_OPTIONS:  # a file's name may be no text
            empty = isinstance(value, str) and not value
            texts[name] = b"" if empty else os.fsencode(path_of(value, name))
        else:
            texts[name] = _detector_text(name, value)
        if not texts[name] and name != "faces":
            raise _skinmask.Error(f"{name}: is empty")
    if texts.get("faces") == b"" and not _is_seeded(texts):  # asks for the built-in detector
        texts.setdefault("adapt", "auto")
    return texts


def _is_seeded(texts: Texts) -> bool:
    return "seed_mask" in texts or "seed_rect" in texts


def refuse_without_effect(texts: Texts, found: str, of_model_alone: bool) -> None:
    """Raises an Error for an option without effect, so that nobody relies on it.

    `found` is the positive class of the model. A model of something else than skin adapts only if
    that is asked for, with a warning.
    """
    adapt, seeded = texts.get("adapt"), _is_seeded(texts)
    searches = adapt != "off" if adapt else not seeded
    requires_face = texts.get("require_face") == "on"
    of_faceless = ["require_face", "min_component"] if requires_face else ["min_component"]
    of_faces = ["draw"] if "faces" in str(texts.get("draw")).split(",") else []
    if of_model_alone:
        refuse(texts, OF_ADAPTATION, "is of adapted images, and output 'classes' knows none")
    if adapt == "off":
        refuse(texts, ["faces"], "are for adapt 'auto' and 'faces', not 'off'")
    if adapt in ("off", "faces") and not seeded:
        refuse(texts, ["min_component"], f"is of divided images, and adapt is {adapt!r}")
    if adapt == "off" and not seeded:
        refuse(texts, OF_ADAPTATION, "is of adapted images, and adapt is 'off'")
    if seeded:
        refuse(texts, of_faceless, "is of images without a face and a seed, and a seed is given")
    if requires_face:
        why = "is of images without a face, and with require_face these have no skin"
        refuse(texts, ["min_component"], why)
    if not searches:
        why = "finds faces, and with a seed none are searched for"
        refuse(texts, ["faces"], f"{why} (adapt='auto' or 'faces' does both)")
    if not searches or of_model_alone:
        why = "shows the faces that are adapted to, and none are searched for"
        refuse(texts, of_faces, f"{why} (adapt='auto' or 'faces', without output 'classes')")
    if found == "skin":
        return
    if adapt in ("auto", "faces") or "faces" in texts:
        warn(
            f"adapt: takes what the model finds, {found!r}, for the skin of faces "
            "(name that class 'skin', or set adapt='off')"
        )
    elif not seeded:
        why = f"a model of {found!r} adapts only with adapt, faces or a seed"
        refuse(texts, OF_ADAPTATION + of_faces, f"is of adapted images, and {why}")


def _detector_text(name: str, value: Any) -> str:
    if isinstance(value, numpy.ndarray) and value.ndim > 0:
        value = value.tolist()
    if name == "draw" and isinstance(value, (tuple, list)):
        value = ",".join(option_text(name, "word", one) for one in value)
    taken = DETECTOR_OPTIONS[name]
    rows = name == "class_costs" and _is_table(value)
    if taken == "text" and isinstance(value, (tuple, list)) and value and not rows:
        value = ",".join(option_text(f"{name}[{i}]", "number", x) for i, x in enumerate(value))
    return option_text(name, taken, value)


def _is_table(value: Any) -> bool:
    """Whether `value` consists of rows of numbers."""
    if isinstance(value, numpy.ndarray):
        return value.ndim == 2
    rows = (tuple, list, numpy.ndarray)
    is_list = isinstance(value, rows) and len(value) > 0
    return is_list and all(isinstance(row, rows) for row in value)


def option_text(name: str, taken: str, value: Any) -> str:
    """The text of an option's value, as the library's table of options takes it."""
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
