"""Reading many texts: all facts of a memory when a model is loaded, and those near a question. Within `reading()` the functions that are
marked `once` read each text one time instead of nine. Within `bulk()` the garbage collector waits as well: it would walk over every
object of the process again and again."""

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TypeVar

Result = TypeVar("Result")
# Texts that are kept at most for each function: those of a very large memory would take as much space as the memory.
_KEPT = 50_000


class _Scope(threading.local):
    """Results by function and text; none outside of `reading()`. They end with the memory that is read or with the request, so one account
    cannot tell by the time of its requests what another has taught or asked."""

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
    """Marks a function whose results are kept within `reading()`. Callers must not change them."""

    @wraps(read)
    def remembered(text: str) -> Result:
        if _scope.kept is None:
            return read(text)
        kept = _scope.kept.setdefault(read, {})
        if text in kept:
            return kept[text]  # pyright: ignore[reportReturnType]
        found = read(text)
        if len(kept) < _KEPT:
            kept[text] = found
        return found

    return remembered


class _Collector:
    """The garbage collector, which waits while at least one memory is read."""

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
