"""Keeps objects that may take long to make."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import TypeVar

T = TypeVar("T")

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
