"""Functions that the other modules of the package share."""

from __future__ import annotations

import atexit
import numbers
import os
import sys
import threading
import warnings
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future
from typing import Any, Optional, TypeVar, Union

import numpy
from numpy.typing import DTypeLike, NDArray

from . import _skinmask

Path = Union[str, "os.PathLike[str]"]
Progress = Optional[Callable[[int, int], object]]
Image = NDArray[numpy.uint8]
Texts = dict[str, Union[str, bytes]]
T = TypeVar("T")

BOOLEAN = (bool, numpy.bool_)
BITS = {"uint8": 8, "uint16": 16, "float32": 32}


def path_of(path: object, name: str = "path", wanted: str = "a file's path is wanted") -> Path:
    """`path`, after checking that it is a usable path."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{name}: is {type(path).__name__} ({wanted})")
    shown = os.fspath(path)
    try:
        encoded = os.fsencode(shown)
    except UnicodeEncodeError:
        raise _skinmask.Error(f"{name}: {shown!r} is no text ({wanted})") from None
    if not encoded:
        raise _skinmask.Error(f"{name}: is empty ({wanted})")
    if b"\0" in encoded:
        raise _skinmask.Error(f"{name}: {shown!r} has a NUL, as no file's name has ({wanted})")
    return path


def require_text(name: str, text: str) -> None:
    """Refuses half of a surrogate pair, which only Python takes for a letter."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _skinmask.Error(f"{name}: have {text[error.start]!r}, which is no text") from None


def texts(name: str, value: str | Iterable[str]) -> list[str]:
    """A list of texts; a single text stands for a list with it, not for its letters."""
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
    """Calls act(value) of the module, and names the argument if its type is refused."""
    try:
        act(value)
    except TypeError:
        raise TypeError(f"{name}: is {value!r} ({wanted})") from None


def require_type(name: str, value: object, kind: type | tuple[type, ...], wanted: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name}: is {type(value).__name__} ({wanted})")
    if isinstance(value, str):
        require_text(name, value)


def require_switch(name: str, value: object) -> None:
    require_type(name, value, BOOLEAN, "True or False is wanted")


def is_given(value: object) -> bool:
    """Whether an option is given that None and False leave out."""
    return value is not None and not (isinstance(value, BOOLEAN) and not value)


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warns at the line outside of the package that led here."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def bits_of(dtype: DTypeLike, known: tuple[str, ...], words: str = "") -> int:
    """The bits of `dtype`, which must be one of the `known` types; 8 for None."""
    try:
        kind = numpy.dtype("uint8" if dtype is None else dtype)
        name = kind.name if kind.isnative else repr(dtype)
    except (TypeError, ValueError):
        name = repr(dtype)
    if name not in known:
        raise TypeError(f"dtype: is {name} ({' or '.join(known)}{words})")
    return BITS[name]


OUTPUTS: dict[str, str] = {name: meaning for name, meaning, _ in _skinmask.outputs()}


def refuse(options: dict[str, Any], names: Iterable[str], why: str) -> None:
    """Raises an Error if one of these options is given."""
    for name in names:
        if options.get(name) is not None:
            raise _skinmask.Error(f"{name}: {why}")


def require_range(name: str, value: float, low: float, high: float, words: str) -> None:
    """Checks a range; `words` may exclude its ends by 'more than' and 'less than'."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}: is {type(value).__name__} (a number is wanted)")
    is_above = value > low if "more than" in words else value >= low
    is_below = value < high if "less than" in words else value <= high
    if not (is_above and is_below):  # so that NaN is refused, too
        raise _skinmask.Error(f"{name} {value} is out of range ({words})")


def two_numbers(name: str, pair: Any, words: str) -> tuple[float, float]:
    try:
        low, high = pair
        # Of bytes the letters are numbers, and of texts they may be read as such.
        if any(isinstance(one, (str, bytes, *BOOLEAN)) for one in (pair, low, high)):
            raise TypeError
        return float(low), float(high)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}: is {pair!r} ({words} are wanted, two numbers)") from None


def pixels_of(max_pixels: int) -> int:
    """The limit `max_pixels`, after checking its range."""
    require_type("max_pixels", max_pixels, numbers.Integral, "a number of pixels is wanted")
    require_range("max_pixels", max_pixels, 1, 1 << 62, "1 to 2**62")
    return int(max_pixels)


def seconds_of_isolation(isolate: str, max_seconds: float | None) -> float:
    """The limit `max_seconds` for decoders in processes of their own."""
    require_type("isolate", isolate, str, "'none', 'auto' or 'all' is wanted")
    if max_seconds is None:
        return 60
    require_range("max_seconds", max_seconds, 0.01, 1e6, "0.01 to 1000000")
    if isolate == "none":
        raise _skinmask.Error(
            "max_seconds: limits decoders in processes of their own, and with isolate 'none' there "
            "are none (isolate='auto' or 'all')"
        )
    return float(max_seconds)


# Held while an object is made, so that only one of several threads makes it. A fork waits for it,
# because the child has no thread that would release it.
_making = threading.RLock()
os.register_at_fork(
    before=_making.acquire, after_in_parent=_making.release, after_in_child=_making.release
)


def kept(made: dict[Hashable, T], most: int, key: Hashable, make: Callable[[], T]) -> T:
    """made[key], which make() makes if it is missing; `made` keeps the last `most` objects."""
    found = made.get(key)
    if found is not None:
        return found
    with _making:
        if key not in made:
            made[key] = make()
            if len(made) > most:
                del made[next(iter(made))]
        return made[key]


def file_at(path: str | bytes) -> Hashable:
    """The path, with the identity, size and time of the file that is there now."""
    try:
        found = os.stat(path)
    except OSError:
        return path
    return path, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def require_function(name: str, value: object) -> None:
    if value is not None and not callable(value):
        raise TypeError(f"{name}: is {value!r} (a function is wanted)")


def end_by(problem: str) -> None:
    """Handles an unreadable file if the caller gives no function for it."""
    raise _skinmask.Error(problem)


def run(
    work: Callable[..., T],
    category: type[Warning] = UserWarning,
    **callbacks: Callable[..., object] | None,
) -> T:
    """Calls work(stop, *callbacks) in a thread of its own.

    What the library warns of is a warning of this category. An exception of a callback ends the run
    and is raised here; no callback is called after it. Only the main thread receives Ctrl-C, and
    only between two steps of Python. So the caller waits here, where it can be interrupted, and
    then stops the run. A run of a daemon thread is stopped when the program ends.
    """
    stop = _skinmask.Stop()
    failures: list[BaseException] = []

    def guarded(callback: Callable[..., object]) -> Callable[..., None]:
        def call(*arguments: Any) -> None:
            try:
                if not failures:
                    callback(*arguments)
            except BaseException as failure:
                failures.append(failure)
                stop.set()

        return call

    for name, callback in callbacks.items():
        require_function(name, callback)
    calls = [None if one is None else guarded(one) for one in callbacks.values()]
    answer: Future[T] = Future()

    def fulfil(promise: Future[T]) -> None:
        try:
            promise.set_result(work(stop, *calls))
        except BaseException as failure:
            promise.set_exception(failure)

    # (An executor starts no thread once the main thread has returned.)
    thread = threading.Thread(target=fulfil, args=(answer,))

    def end() -> None:
        stop.set()
        if thread.is_alive():
            thread.join()

    def end_with_program() -> None:
        failures.append(SystemExit())  # a part must not look like the whole
        end()

    try:
        atexit.register(end_with_program)
        thread.start()
        result = answer.result()
    except BaseException:
        end()
        raise
    finally:
        atexit.unregister(end_with_program)
        del answer  # its exception holds this frame, and so the caller's arrays
    if failures:
        raise failures.pop(0)
    for warning in stop.warnings():
        warn(warning.decode(errors="backslashreplace"), category)
    return result
