"""Ends a process when the other end of its pipe closes, for whatever reason."""

import os
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from typing import BinaryIO, cast


def when_closed(stream: BinaryIO, do: Callable[[], None]) -> None:
    """Calls `do` when the stream closes; its content is discarded. Reads the unbuffered stream, since the lock of the buffer
    would block the exit of the process."""

    def wait() -> None:
        while cast(BufferedReader, stream).raw.read(4096):
            pass
        do()

    threading.Thread(target=wait, name="closing", daemon=True).start()


@contextmanager
def while_awaited(stream: BinaryIO) -> Iterator[None]:
    """Ends the process if the stream closes during a slow start, such as the first import of torch. The
    content of the stream is kept."""
    ready = threading.Event()

    def watch() -> None:
        poll = select.poll()
        poll.register(stream.fileno(), 0)  # reports only that it was closed
        while not ready.is_set():
            if poll.poll(200) and not ready.is_set():
                os._exit(0)

    if hasattr(select, "poll"):
        threading.Thread(target=watch, name="awaited", daemon=True).start()
    yield
    ready.set()
