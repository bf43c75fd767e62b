"""Keeps objects that may take long to make."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

# Held while an object is made, so that only one of several threads makes it. A fork waits for it,
# because the child has no thread that would release it.
_making = threading.RLock()
os.register_at_fork(
    before=_making.acquire, after_in_parent=_making.release, after_in_child=_making.release
)


class Kept(Generic[T]):
    """The last few objects that were made, by their keys."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: dict[Hashable, T] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        kept = self._made.get(key)
        if kept is not None:
            return kept
        with _making:
            if key not in self._made:
                self._made[key] = make()
                if len(self._made) > self._most:
                    del self._made[next(iter(self._made))]
            return self._made[key]


def file_at(path: str | bytes) -> Hashable:
    """The path, with the identity, size and time of the file that is there now."""
    try:
        found = os.stat(path)
    except OSError:
        return path
    return path, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
