"""Reads many texts: all facts of a memory when a model is loaded, and those near a question. Within `reading()`, functions marked
`once` read each text one time instead of nine. Within `bulk()` the garbage collector is paused too, since it would repeatedly scan
all objects of the process."""

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TypeVar

Result = TypeVar("Result")
# Maximum number of cached texts per function: those of a very large memory would take as much space as the memory.
_MAX_CACHED_TEXTS = 50_000


class _Scope(threading.local):
    """Cache of results by function and text; none outside of `reading()`. It ends with the memory that is read or with the request, so the
    timing of requests does not reveal to an account what another has taught or asked."""

    kept: dict[Callable, dict[str, object]] | None = None


_scope = _Scope()
_lock = threading.Lock()


@contextmanager
def reading() -> Iterator[None]:
    outer = _scope.kept
    if outer is None:
        _scope.kept = {}
    try:
        yield
    finally:
        _scope.kept = outer


@contextmanager
def bulk() -> Iterator[None]:
    _collector.pause()
    try:
        with reading():
            yield
    finally:
        _collector.resume()


def once(read: Callable[[str], Result]) -> Callable[[str], Result]:
    """Caches the results of a function within `reading()`. Callers must not change them."""

    @wraps(read)
    def remembered(text: str) -> Result:
        if _scope.kept is None:
            return read(text)
        kept = _scope.kept.setdefault(read, {})
        if text in kept:
            return kept[text]  # pyright: ignore[reportReturnType]
        found = read(text)
        if len(kept) < _MAX_CACHED_TEXTS:
            kept[text] = found
        return found

    return remembered


class _Collector:
    """The garbage collector, paused while at least one memory is read."""

    def __init__(self):
        self.reading, self.was_enabled = 0, False

    def pause(self) -> None:
        with _lock:
            if self.reading == 0:
                self.was_enabled = gc.isenabled()
                gc.disable()
            self.reading += 1

    def resume(self) -> None:
        with _lock:
            self.reading -= 1
            if self.reading == 0 and self.was_enabled:
                gc.enable()


_collector = _Collector()
