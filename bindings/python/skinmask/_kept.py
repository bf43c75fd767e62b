"""What is kept, since it may take long to make."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

# Held while something is made: of threads that ask for the same, one makes it. A fork waits for it,
# since a child has no thread that would ever release it.
_making = threading.RLock()
os.register_at_fork(
    before=_making.acquire, after_in_parent=_making.release, after_in_child=_making.release
)


class Kept(Generic[T]):
    """The last few that were made, by what they were made of."""

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
    """The path, and which file is there, as it is now."""
    try:
        found = os.stat(path)
    except OSError:
        return path
    return path, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
