"""Process of an attempt on a cluster: its heartbeat, its log, and its exit as soon as the attempt is over."""

import gc
import os
import resource
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from lorekeep.tune.fence import Fence, Heartbeat, Superseded

# Exit code of a process that ends because its attempt is over or its folder cannot be written.
LEFT = 75


class Process:
    def __init__(self, folder: str, attempt: int, role: str):
        self.folder, self.role = Path(folder), role
        self.fence = Fence(self.folder, attempt)
        self.beat = Heartbeat(self.fence, role, self.leave)
        self.beat.start()
        log = os.open(self.fence.file(f"{role}.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(log, 2)
        os.close(log)

    def prepare(self) -> None:
        """Imports the libraries, once per process."""
        os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
        import torch
        import transformers

        transformers.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        torch.set_num_threads(1)
        # Facts are many small, long-lived objects.
        gc.set_threshold(100_000)

    def outcome(self, work: Callable[[], tuple[int, str | None]]) -> dict:
        """Runs the work. Returns its status, the reason of a failure, and the peak memory of this process."""
        try:
            status, reason = work()
        except Superseded:
            raise
        except Exception as error:  # noqa: BLE001 (a bug; the log has the traceback)
            traceback.print_exc()
            status, reason = 70, f"{type(error).__name__}: {error}"
        return {
            "status": status,
            "reason": reason,
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        }

    def leave(self, reason: str | None = None) -> None:
        """Exits at once, even during a computation; a claimed wave is free for the next attempt."""
        if reason is not None:
            sys.stderr.write(f"{reason} This process ends.\n")
            sys.stderr.flush()
        self.beat.end()
        os._exit(LEFT if reason else 0)
