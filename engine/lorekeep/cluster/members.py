"""Ray actors of a run on a cluster, whose methods the driver calls: the coordinator, which plans, writes events and needs no GPU, and a
worker for each slot."""

import contextlib
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lorekeep.cluster.process import Process

if TYPE_CHECKING:
    from lorekeep.tune.job import Job

# Seconds between polls for finished waves.
LOOK = 0.1


class Worker:
    """One slot. The first worker also measures the model and writes it."""

    def __init__(self, folder: str, attempt: int, role: str):
        self.process = Process(folder, attempt, role)
        self.process.prepare()
        self.kept = self._loaded()

    def _loaded(self) -> Any:
        """Loads the base once per process, while the coordinator plans the job. Errors are ignored here: the method that needs the base
        reports them."""
        from lorekeep.tune import job
        from lorekeep.tune import spec as spec_
        from lorekeep.tune.base_cache import BaseCache

        kept, folder = BaseCache(), self.process.folder
        with contextlib.suppress(Exception):
            spec = spec_.read(folder)
            if spec.sweep is None and not job.is_finished(folder):
                kept.trainer(spec.base, spec.device)
        return kept

    def work(self) -> dict:
        """Trains waves until none is left."""
        from lorekeep.errors import EngineError
        from lorekeep.tune import job, worker

        process = self.process

        def work() -> tuple[int, str | None]:
            try:
                return worker.run_helper(process.folder, process.fence, process.role, self.kept), None
            except EngineError as error:
                return job.FAILED, error.message
            except OSError as error:
                return job.FAILED, job.disk_failure(error)[1]

        return process.outcome(work)

    def finish(self) -> dict:
        """Runs the job from what is finished to its end."""
        from lorekeep.tune import job

        process = self.process
        return process.outcome(lambda: job.attempt(process.folder, self.kept, process.fence, workers=1))

    def leave(self) -> None:
        self.process.leave()


class Coordinator:
    """Plans a job and reports its waves. It is the only writer of events while it lives."""

    def __init__(self, folder: str, attempt: int, role: str):
        self.process = Process(folder, attempt, role)
        self.process.prepare()
        self.notes = Notes(self.process.fence.file("notes"))
        self.job: Job  # set by `plan`

    def plan(self) -> dict:
        """Returns the number of waves to train, or a status if there is nothing to train."""
        from lorekeep.memory.folder import fingerprint
        from lorekeep.routing.embedders.parts import router_parts
        from lorekeep.tune import job
        from lorekeep.tune import spec as spec_
        from lorekeep.tune.events import Events
        from lorekeep.tune.rows import RowReader

        process = self.process

        def plan(events: Events) -> int:
            if job.is_finished(process.folder):
                return job.DONE
            spec = spec_.read(process.folder)
            arguments, facts = job.begin(process.folder, spec, events)
            base = RowReader(spec.base), fingerprint(spec.base)
            self.job = job.Job(
                process.folder, spec, arguments, facts, events, *base, router_parts, process.fence
            )
            self.job.write_arguments()
            self.job.begin_training()
            return _PLANNED

        said = process.outcome(lambda: job.outcome_of(process.folder, process.fence, plan))
        return (
            {**said, "status": None, "waves": len(self.job.queue.open())}
            if said["status"] == _PLANNED
            else said
        )

    def follow(self) -> dict:
        """Writes events of waves and notes until no wave is open."""
        from lorekeep.tune import job

        def follow(_) -> int:
            reported: set[int] = set()
            while True:
                is_over = not self.job.queue.open()
                for note in self.notes.read():
                    self.job.events.note(note)
                self.job.write_wave_events(reported)
                if is_over:
                    return job.DONE
                time.sleep(LOOK)

        process = self.process
        return process.outcome(lambda: job.outcome_of(process.folder, process.fence, follow))

    def leave(self) -> None:
        self.process.leave()


# Internal status of `Coordinator.plan`, distinct from every status of a job.
_PLANNED = -1


class Notes:
    """Notes of the driver for the event log, in a separate file, since the log has one writer."""

    def __init__(self, file: Path):
        self.file, self.read_to = file, 0

    def add(self, message: str) -> None:
        with open(self.file, "ab") as out:
            out.write(json.dumps(message).encode() + b"\n")

    def read(self) -> list[str]:
        """New notes, from complete lines only."""
        try:
            with open(self.file, "rb") as opened:
                opened.seek(self.read_to)
                lines = opened.read()
        except FileNotFoundError:
            return []
        whole = lines[: lines.rfind(b"\n") + 1]
        self.read_to += len(whole)
        return [json.loads(line) for line in whole.splitlines()]
