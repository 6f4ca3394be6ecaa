"""What happens when the other end of a pipe goes, however it ends."""

import threading
from collections.abc import Callable
from typing import BinaryIO


def when_closed(stream: BinaryIO, do: Callable[[], None]) -> None:
    """Whatever else comes through it is thrown away. Reads past the buffer, whose lock would keep the process from ending by itself."""

    def wait() -> None:
        while stream.raw.read(4096):
            pass
        do()

    threading.Thread(target=wait, name="closing", daemon=True).start()
