"""What happens when the other end of a pipe goes, however it ends."""

import os
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO


def when_closed(stream: BinaryIO, do: Callable[[], None]) -> None:
    """Whatever else comes through it is thrown away. Reads past the buffer, whose lock would keep the process from ending by itself."""

    def wait() -> None:
        while stream.raw.read(4096):
            pass
        do()

    threading.Thread(target=wait, name="closing", daemon=True).start()


@contextmanager
def while_awaited(stream: BinaryIO) -> Iterator[None]:
    """Getting ready takes long where torch is imported for the first time: who meanwhile loses the other end of its pipe ends at once. What
    has come through the pipe stays in it."""
    ready = threading.Event()

    def watch() -> None:
        poll = select.poll()
        poll.register(stream.fileno(), 0)  # only that it was closed
        while not ready.is_set():
            if poll.poll(200) and not ready.is_set():
                os._exit(0)

    if hasattr(select, "poll"):
        threading.Thread(target=watch, name="awaited", daemon=True).start()
    yield
    ready.set()
