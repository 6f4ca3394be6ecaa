"""Tunes a model from the facts of a job folder. Every intermediate result is a file in that folder. A killed
job resumes from its last finished wave and produces the same model."""

import contextlib
import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import cast

from lorekeep import disk, folders
from lorekeep.bulk import bulk
from lorekeep.errors import EngineError
from lorekeep.memory import arguments as arguments_
from lorekeep.memory import embedder
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.arguments import ArgumentError, Arguments
from lorekeep.routing.embedders.likeness import Likeness
from lorekeep.routing.stored_keys import names_of
from lorekeep.routing.vectors import Vectors
from lorekeep.routing.words import Vocabulary
from lorekeep.tune import facts as facts_
from lorekeep.tune import plan as plan_
from lorekeep.tune import reuse, sweep
from lorekeep.tune import spec as spec_
from lorekeep.tune.assemble import assemble
from lorekeep.tune.base_cache import BaseCache
from lorekeep.tune.events import Events
from lorekeep.tune.facts import Fact, FactsError
from lorekeep.tune.fence import Fence
from lorekeep.tune.measure.evaluate import Asker, answers_of, evaluate, measure
from lorekeep.tune.measure.judgement import measure_judgement
from lorekeep.tune.moved_experts import MovedExperts
from lorekeep.tune.plan import Plan
from lorekeep.tune.reuse import ReusableExperts
from lorekeep.tune.rows import RowReader, Rows
from lorekeep.tune.spec import Spec, SpecError
from lorekeep.tune.training.curve import MeanLoss
from lorekeep.tune.training.trainer import Trainer
from lorekeep.tune.waves import WaveQueue, write_whole
from lorekeep.tune.worker import POLL_SECONDS, Helpers, work

# Loads the embedding model of a folder, with the likeness that was fitted for it before.
RouterParts = Callable[[str | None, Likeness | None], tuple[Vectors | None, Vocabulary]]
# Exit statuses of a job.
DONE, FAILED, REFUSED = 0, 1, 2
# Seconds between two estimates of the remaining time while the model is measured.
TELL = 1.0
# With this many facts per worker, helpers start before the number of waves is known.
MANY = 500


def run(folder: Path) -> int:
    """Runs the job's coordinator, which is also one of its workers."""
    return attempt(folder)[0]


def attempt(
    folder: Path, kept: BaseCache | None = None, fence: Fence | None = None, workers: int | None = None
) -> tuple[int, str | None]:
    """Runs a job with the given number of workers, or that of its specification. `kept` holds models loaded by an earlier job."""
    kept, status = kept or BaseCache(), FAILED
    try:
        status, reason = outcome_of(folder, fence, lambda events: _run(folder, events, kept, fence, workers))
        return status, reason
    finally:
        kept.settle(status == DONE)


def outcome_of(folder: Path, fence: Fence | None, work: Callable[[Events], int]) -> tuple[int, str | None]:
    """Runs a part of a job; returns its status and the reason of a failure. The reason is an event too, but a full disk may prevent
    that event."""
    try:
        events = Events(folder / "events.ndjson", fence)
    except OSError as error:
        return FAILED, disk_failure(error)[1]
    try:
        return work(events), None
    except (SpecError, ArgumentError) as error:
        return _failed(events, "invalid", str(error), REFUSED)
    except FactsError as error:
        return _failed(events, "facts", str(error), REFUSED, problems=error.problems[:200])
    except EngineError as error:
        return _failed(events, error.code, error.message, FAILED, facts=error.facts)
    except OSError as error:
        return _failed(events, *disk_failure(error), FAILED)


def disk_failure(error: OSError) -> tuple[str, str]:
    if disk.is_full(error):
        message = "The disk is full. Free some space and start the job again: it goes on from its last finished wave."
        return "disk_full", message
    return "io", f"A file could not be read or written: {error}"


def _failed(events: Events, code: str, message: str, status: int, **more) -> tuple[int, str]:
    # A full disk may prevent this event too; the returned reason remains.
    with contextlib.suppress(OSError):
        sys.stderr.write(message + "\n")
    with contextlib.suppress(OSError):
        events.state("FAILED", code=code, error=message, **more)
    return status, message


def _run(folder: Path, events: Events, kept: BaseCache, fence: Fence | None, workers: int | None) -> int:
    spec = spec_.read(folder)
    if spec.sweep is not None:
        return sweep.run(folder, spec, spec.sweep, events)
    if is_finished(folder):
        return DONE  # it was finished before
    workers = workers or spec.workers
    arguments, facts = begin(folder, spec, events)
    helpers = Helpers(folder, workers - 1)
    try:
        helpers.start(len(facts) // MANY)
        trainer, fingerprint = kept.trainer(spec.base, spec.device)
        job = Job(folder, spec, arguments, facts, events, trainer, fingerprint, kept.router_parts, fence)
        job.write_arguments()
        job.train(helpers)
    finally:
        helpers.end()
    return job.finish()


def is_finished(folder: Path) -> bool:
    return memory_folder.is_tuned(folder / "model")


def begin(folder: Path, spec: Spec, events: Events) -> tuple[Arguments, list[Fact]]:
    events.state("LOADING DATA")
    arguments, warnings = arguments_.read(spec.arguments)
    facts, more = facts_.read(
        folder / spec.facts, arguments.max_finetuning_examples, spec.dataset_id, folders.end_tokens(spec.base)
    )
    for warning in [*warnings, *more]:
        events.warning(warning)
    return arguments, facts


class Job:
    """A planned job. With a reader of rows instead of a trainer it can neither train nor measure."""

    trainer: Trainer

    @bulk()
    def __init__(
        self,
        folder: Path,
        spec: Spec,
        arguments: Arguments,
        facts: list[Fact],
        events: Events,
        trainer: Trainer | RowReader,
        fingerprint: str,
        router_parts: RouterParts,
        fence: Fence | None = None,
    ):
        self.folder, self.spec, self.arguments = folder, spec, arguments
        self.facts, self.events, self.fence = facts, events, fence
        self.trainer, self.fingerprint = cast(Trainer, trainer), fingerprint
        self.earlier, gone = reuse.models(spec.reuse, spec.base, fingerprint)
        self.embed, self.vocabulary = router_parts(
            spec.embedder, embedder.fitted_before(self.earlier, spec.embedder)
        )
        self.warnings: list[str] = []
        if self.embed is None:
            self.warnings.append(
                "No embedding model is installed: questions are recognised by their words and names only."
            )
        rows = Rows(facts, self.trainer.row)
        rows.refuse_longer(min(arguments.max_length, self.trainer.folder.context))
        self.names = names_of(facts, self.vocabulary, reuse.names(self.earlier, self.embed is not None))
        if self.embed is not None:
            plain = self.names.count({})
            self.warnings += arguments_.index_warnings(
                spec.arguments, arguments, plain, self.embed.dimensions
            )
        # Stored beside the waves and deleted with them.
        self.taken = folder / "waves" / "taken"
        self.plan = self._plan(rows, gone)
        self.queue = WaveQueue(folder / "waves", len(self.plan.waves), fence)
        self.loss = MeanLoss(len(facts) - sum(len(self.plan.groups[name]) for name in self.plan.reused))
        self.moved = MovedExperts(self.plan, self.queue)
        self.done_before = self.progress()["facts_done"]
        self.started = time.monotonic()

    def _plan(self, rows: Rows, gone: list[str]) -> Plan:
        """The stored plan, if it was made for these facts, this base and these arguments and its reused
        experts exist; otherwise a new plan."""
        file, waves = self.folder / "plan.json", self.folder / "waves"
        if file.is_file():
            if (plan := self._stored_plan(file)) is not None:
                return plan
            self.warnings.append(
                "What this job had done was for other facts, arguments, another base or another version. It begins anew."
            )
            file.unlink()
        if waves.exists():
            shutil.rmtree(waves)
        reusable = ReusableExperts(self.earlier, self.taken)
        plan = plan_.make(
            self.facts, self.names, rows, self.arguments, self.fingerprint, reusable, self.spec.workers
        )
        kept = reusable.keep({**plan.reused, **plan.candidates})
        plan.reused = {name: kept[name] for name in plan.reused}
        plan.candidates = {name: kept[name] for name in plan.candidates}
        self.warnings += [*gone, *reusable.warnings]
        plan.write(file)
        return plan

    def _stored_plan(self, file: Path) -> Plan | None:
        try:
            plan = Plan.read(file)
        except (ValueError, KeyError, TypeError):  # written by another version
            return None
        right = plan.made_for == plan_.plan_key(self.facts, self.arguments, self.fingerprint)
        taken = [*plan.reused.values(), *plan.candidates.values()]
        return plan if right and all((self.taken / one.file).is_file() for one in taken) else None

    def write_arguments(self) -> None:
        for warning in self.warnings:
            self.events.warning(warning)
        self.events.write(
            "arguments", effective=asdict(self.arguments),
            learning_rate_effective=self.arguments.effective_rate(self.trainer.width), width=self.trainer.width,
        )  # fmt: skip

    # Training
    def begin_training(self) -> None:
        self.events.state(
            "TRAINING MODEL",
            waves=len(self.plan.waves),
            waves_done=len(self.plan.waves) - len(self.queue.open()),
            **self.progress(),
        )

    def train(self, helpers: Helpers) -> None:
        self.begin_training()
        reported: set[int] = set()
        helpers.begin(max(0, len(self.queue.open()) - 1))
        while True:
            self.write_wave_events(reported)
            if not self.queue.open():
                helpers.end()
                return
            claim = self.queue.claim()
            if claim is None:
                time.sleep(POLL_SECONDS)
            else:
                work(self, claim)

    def write_wave_events(self, reported: set[int]) -> None:
        """Writes one event per finished wave. A point of the curve needs all earlier waves, so with several
        workers it may come later."""
        new = set(range(self.queue.count)) - set(self.queue.open()) - reported
        reported |= new
        while self.loss.waves in reported:
            wave = self.loss.waves
            result = json.loads(self.queue.result(wave).read_text())
            self.loss.add(result["experts"])
            if wave == 0:
                self._progress(wave, result, self._point(0, result, self.loss.before))
            self._progress(wave, result, self._point(wave + 1, result, self.loss.mean))
            new.discard(wave)
        for wave in sorted(new):
            self._progress(wave, json.loads(self.queue.result(wave).read_text()), None)

    def _progress(self, wave: int, result: dict, point: dict | None) -> None:
        seconds = self._training_left()
        if seconds is not None:
            recited = sum(len(one["facts"]) for one in result["experts"])
            # Process CPU time, which other processes do not affect, scaled to the wall time of the wave.
            stretched = result["seconds"] / max(1e-3, sum(result["spent"].values()))
            seconds += result["spent"]["recite"] * stretched / max(1, recited) * answers_of(len(self.facts))
        self.events.write(
            "progress",
            **self.progress(seconds),
            wave=wave,
            spent=result["spent"],
            **({} if point is None else {"history": point}),
        )

    def _training_left(self) -> float | None:
        """Remaining time at the rate of this run so far."""
        done = self.progress()["facts_done"]
        if done <= self.done_before:
            return None
        spent = time.monotonic() - self.started
        return spent / (done - self.done_before) * (len(self.facts) - done)

    def progress(self, eta: float | None = None) -> dict:
        done = {
            name for wave, names in enumerate(self.plan.waves) if self.queue.is_done(wave) for name in names
        }
        done |= self.plan.reused.keys()
        return {
            "facts_total": len(self.facts),
            "facts_done": sum(len(self.plan.groups[name]) for name in done),
            "experts_total": len(self.plan.groups),
            "experts_done": len(done),
            "experts_reused": len(self.plan.reused) + self.moved.experts,
            "move": self.moved.move_counts(),
            "eta_seconds": None if eta is None else round(eta, 1),
        }

    def _point(self, step: int, result: dict, loss: float | None) -> dict:
        # Ordered by wave, so that every run reports the same for any number of workers.
        taught = [name for names in self.plan.waves[:step] for name in names]
        known = sum(len(self.plan.groups[name]) for name in [*self.plan.reused, *taught])
        left = self._training_left()
        return {
            "loss": loss,
            "learning_rate": self.arguments.effective_rate(self.trainer.width),
            "epoch": round(known / max(1, len(self.facts)), 4),
            "iter_time": result["seconds"] if step > 0 else 0.0,
            "flops": result["flops"] if step > 0 else 0.0,
            "remaining_time": None if left is None else round(left, 1),
            "step": step,
        }

    # Assembly and measurement
    def finish(self) -> int:
        self.events.state("EVALUATING MODEL")
        draft = self.folder / (".model" if self.fence is None else f".model.{self.fence.attempt}")
        shutil.rmtree(draft, ignore_errors=True)
        memory, router = assemble(self, draft)
        if found := measure_judgement(self.trainer, memory, router, self.earlier):
            memory.about["judgement"] = found
            write_whole(draft / memory_folder.ABOUT, json.dumps(memory.about, indent=1).encode())
        asker = Asker(memory, self.trainer, self.embed, router)
        asker.on_answers = self._answered()
        report = {"job": measure(memory, asker, self.plan.reused), **self.moved.reported()}
        for one in self.spec.evaluate:
            report[one.name] = evaluate(asker, self.folder / one.file, one.prompt)
        failed = [fact for fact in memory.facts if not fact["recalled"]]
        report["recall"] = {
            "facts": len(memory.facts),
            "recalled": len(memory.facts) - len(failed),
            "failed": [{"row": fact["row"], "input": fact["input"]} for fact in failed],
        }
        self.events.state("SAVING MODEL")
        write_report(draft, report)
        reuse.remember(draft, memory_folder.write_checksums(draft, memory.sums))
        if self.fence is not None:
            self.fence.check()
        os.replace(draft, self.folder / "model")
        _sync_folder(self.folder)
        state = "PARTIALLY COMPLETED" if failed else "COMPLETED"
        self.events.state(
            state,
            **{**self.progress(0.0), "facts_recalled": len(memory.facts) - len(failed)},
            failed=report["recall"]["failed"][:1000],
        )
        return DONE

    def _answered(self) -> Callable[[int, int], None]:
        """Reports the estimated remaining time of the measurement from time to time."""
        begun = last_report = time.monotonic()

        def on_answers(done: int, all: int) -> None:
            nonlocal last_report
            now = time.monotonic()
            # The first answers of a batch arrive late and at once, so they predict little.
            if done * 5 >= all and now - last_report >= TELL:
                last_report = now
                self.events.write("progress", **self.progress((now - begun) / done * (all - done)))

        return on_answers


def write_report(folder: Path, report: dict) -> None:
    from lorekeep.tune.measure.report import table

    write_whole(folder / "report.json", json.dumps(report, indent=1, ensure_ascii=False).encode())
    write_whole(folder / "report.md", table(report).encode())


def _sync_folder(folder: Path) -> None:
    """Makes the rename durable across a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
