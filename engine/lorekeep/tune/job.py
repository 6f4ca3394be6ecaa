"""engine tune JOBFOLDER: from facts to a tuned model. Everything on the way is a file in the job's folder, so that a job that is killed
at any moment goes on from its last finished wave and ends in the same model."""

import contextlib
import json
import os
import shutil
import sys
import time
from dataclasses import asdict
from pathlib import Path

from lorekeep import default_embedder, embed, folders
from lorekeep.errors import EngineError
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.router import names_of
from lorekeep.memory.vectors import Vectors
from lorekeep.memory.words import Vocabulary
from lorekeep.tune import arguments as arguments_
from lorekeep.tune import earlier, sweep
from lorekeep.tune import facts as facts_
from lorekeep.tune import plan as plan_
from lorekeep.tune import spec as spec_
from lorekeep.tune.arguments import ArgumentError, Arguments
from lorekeep.tune.assemble import assemble
from lorekeep.tune.earlier import Stock
from lorekeep.tune.evaluate import Asker, evaluate, measure
from lorekeep.tune.events import Events
from lorekeep.tune.facts import Fact, FactsError
from lorekeep.tune.plan import Plan
from lorekeep.tune.rows import Rows
from lorekeep.tune.spec import Spec, SpecError
from lorekeep.tune.waves import WaveQueue, write_whole
from lorekeep.tune.worker import LOOK, Helpers, work
from lorekeep.tune.workshop import Workshop

# How a job ends, for whoever started the process.
DONE, FAILED, REFUSED = 0, 1, 2
# With so many facts for each, helpers are started before it is known how many waves there are.
MANY = 500


def run(folder: Path) -> int:
    """The job's coordinator, which is also one of its workers."""
    return attempt(folder)[0]


def attempt(folder: Path) -> tuple[int, str | None]:
    """How it ended, and why it did not end well: a full disk may have kept that from the events."""
    try:
        events = Events(folder / "events.ndjson")
    except OSError as error:
        return FAILED, _of_disk(error)[1]
    try:
        return _run(folder, events), None
    except (SpecError, ArgumentError) as error:
        return _failed(events, "invalid", str(error), REFUSED)
    except FactsError as error:
        return _failed(events, "facts", str(error), REFUSED, problems=error.problems[:200])
    except EngineError as error:
        return _failed(events, error.code, error.message, FAILED, facts=error.facts)
    except OSError as error:
        return _failed(events, *_of_disk(error), FAILED)


def _of_disk(error: OSError) -> tuple[str, str]:
    if error.errno in (28, 122):  # no space left, or over quota
        message = "The disk is full. Free some space and start the job again: it goes on from its last finished wave."
        return "disk_full", message
    return "io", f"A file could not be read or written: {error}"


def _failed(events: Events, code: str, message: str, status: int, **more) -> tuple[int, str]:
    # On a full disk even this may not be possible; the answer says it then.
    with contextlib.suppress(OSError):
        sys.stderr.write(message + "\n")
    with contextlib.suppress(OSError):
        events.state("FAILED", code=code, error=message, **more)
    return status, message


def _run(folder: Path, events: Events) -> int:
    spec = spec_.read(folder)
    if spec.sweep is not None:
        return sweep.run(folder, spec, spec.sweep, events)
    done = folder / "model"
    if memory_folder.is_tuned(done):
        return DONE  # it was finished before
    events.state("LOADING DATA")
    arguments, warnings = arguments_.read(spec.arguments)
    facts, more = facts_.read(folder / spec.facts, arguments.max_finetuning_examples, spec.dataset_id)
    helpers = Helpers(folder)
    try:
        helpers.start(min(spec.workers - 1, len(facts) // MANY))
        job = Job(folder, spec, arguments, facts, events)
        for warning in [*warnings, *more, *job.warnings]:
            events.warning(warning)
        events.write(
            "arguments", effective=asdict(arguments),
            learning_rate_effective=arguments.effective_rate(job.workshop.width), width=job.workshop.width,
        )  # fmt: skip
        job.train(helpers)
    finally:
        helpers.end(at_once=True)
    return job.finish()


class Job:
    def __init__(self, folder: Path, spec: Spec, arguments: Arguments, facts: list[Fact], events: Events):
        self.folder, self.spec, self.arguments, self.facts, self.events = (
            folder,
            spec,
            arguments,
            facts,
            events,
        )
        self.workshop = Workshop(spec.base, spec.device)
        self.fingerprint = memory_folder.fingerprint(spec.base)
        self.embed, self.vocabulary = router_parts()
        self.warnings: list[str] = []
        if self.embed is None:
            self.warnings.append(
                "No embedding model is installed: questions are recognised by their words and names only."
            )
        rows = Rows(facts, self.workshop.row)
        rows.refuse_longer(min(arguments.max_length, self.workshop.folder.context))
        self.earlier, gone = earlier.models(spec.reuse, self.fingerprint)
        self.names = names_of(facts, self.vocabulary, earlier.names(self.earlier, self.embed is not None))
        if self.embed is not None:
            plain = self.names.count({})
            self.warnings += arguments_.of_index(spec.arguments, arguments, plain, self.embed.dimensions)
        # Beside the waves: it goes when they go.
        self.taken = folder / "waves" / "taken"
        self.plan = self._plan(rows, gone)
        self.queue = WaveQueue(folder / "waves", len(self.plan.waves))
        self.started = time.monotonic()

    def _plan(self, rows: Rows, gone: list[str]) -> Plan:
        """The plan that was written, as long as it is for these facts, this base and these arguments, and what it takes over is there."""
        file, waves = self.folder / "plan.json", self.folder / "waves"
        if file.is_file():
            if (plan := self._kept(file)) is not None:
                return plan
            self.warnings.append(
                "What this job had done was for other facts, arguments, another base or another version. It begins anew."
            )
            file.unlink()
        if waves.exists():
            shutil.rmtree(waves)
        stock = Stock(self.earlier, self.taken)
        plan = plan_.make(self.facts, self.names, rows, self.arguments, self.fingerprint, stock)
        plan.reused = stock.keep(plan.reused)
        self.warnings += [*gone, *stock.warnings]
        plan.write(file)
        return plan

    def _kept(self, file: Path) -> Plan | None:
        try:
            plan = Plan.read(file)
        except (ValueError, KeyError, TypeError):  # what another version wrote
            return None
        right = plan.made_for == plan_.made_for(self.facts, self.arguments, self.fingerprint)
        return (
            plan if right and all((self.taken / one.file).is_file() for one in plan.reused.values()) else None
        )

    # ---- training
    def train(self, helpers: Helpers) -> None:
        self.events.state(
            "TRAINING MODEL",
            waves=len(self.plan.waves),
            waves_done=len(self.plan.waves) - len(self.queue.open()),
            **self.progress(),
        )
        told: set[int] = set()
        begun = len(self.queue.open())
        helpers.begin(max(0, min(self.spec.workers, begun) - 1))
        while True:
            self._tell(told, begun)
            if not self.queue.open():
                helpers.end(at_once=False)
                return
            claim = self.queue.claim()
            if claim is None:
                time.sleep(LOOK)
            else:
                work(self, claim)

    def _tell(self, told: set[int], begun: int) -> None:
        for wave in sorted(set(range(self.queue.count)) - set(self.queue.open()) - told):
            told.add(wave)
            result = json.loads(self.queue.result(wave).read_text())
            left = len(self.queue.open())
            spent = time.monotonic() - self.started
            eta = spent / max(1, begun - left) * left if begun > left else None
            self.events.write(
                "progress",
                **self.progress(eta),
                wave=wave,
                spent=result["spent"],
                history=self._history(wave, result, eta),
            )

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
            "experts_reused": len(self.plan.reused),
            "eta_seconds": None if eta is None else round(eta, 1),
        }

    def _history(self, wave: int, result: dict, eta: float | None) -> dict:
        # By the order of the waves: each run, and however many workers, tell the same of each.
        taught = [name for names in self.plan.waves[: wave + 1] for name in names]
        known = sum(len(self.plan.groups[name]) for name in [*self.plan.reused, *taught])
        return {
            "loss": result["loss"],
            "learning_rate": self.arguments.effective_rate(self.workshop.width),
            "epoch": round(known / max(1, len(self.facts)), 4),
            "iter_time": result["seconds"],
            "flops": result["flops"],
            "remaining_time": None if eta is None else round(eta, 1),
            "step": wave + 1,
        }

    # ---- from waves to a model
    def finish(self) -> int:
        self.events.state("EVALUATING MODEL")
        draft = self.folder / ".model"
        shutil.rmtree(draft, ignore_errors=True)
        memory, router = assemble(self, draft)
        asker = Asker(memory, self.workshop, self.embed, router)
        report = {"job": measure(memory, asker, self.plan.reused)}
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
        memory_folder.write_checksums(draft, memory.sums)
        os.replace(draft, self.folder / "model")
        _sync(self.folder)
        state = "PARTIALLY COMPLETED" if failed else "COMPLETED"
        self.events.state(
            state,
            **{**self.progress(0.0), "facts_recalled": len(memory.facts) - len(failed)},
            failed=report["recall"]["failed"][:1000],
        )
        return DONE


def router_parts() -> tuple[Vectors | None, Vocabulary]:
    import torch

    found = default_embedder.folder()
    if found is None:
        return None, Vocabulary()
    checked = folders.check(str(found), "embed")
    model, tokenizer = embed.read(checked, torch.device("cpu"))
    return Vectors(embed.Embedder(checked, model, tokenizer, lambda _: None)), Vocabulary.of(tokenizer)


def write_report(folder: Path, report: dict) -> None:
    from lorekeep.tune.report import table

    write_whole(folder / "report.json", json.dumps(report, indent=1, ensure_ascii=False).encode())
    write_whole(folder / "report.md", table(report).encode())


def _sync(folder: Path) -> None:
    """So that the rename itself outlives a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
