"""Workers of a job: each takes waves from the queue, teaches them and writes what it made, here or on another machine."""

import contextlib
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import torch

from lorekeep.memory import shelf
from lorekeep.tune import arguments as arguments_
from lorekeep.tune import facts as facts_
from lorekeep.tune import spec as spec_
from lorekeep.tune.arguments import Arguments
from lorekeep.tune.facts import Fact
from lorekeep.tune.grouping import expert_name
from lorekeep.tune.plan import Plan
from lorekeep.tune.spec import Spec
from lorekeep.tune.waves import Claim, WaveQueue
from lorekeep.tune.workshop import Workshop

# Between looks at what other workers have finished.
LOOK = 0.1
# Helpers have so many seconds to end.
PATIENCE = 10.0
# What a helper is told when the waves are planned.
BEGIN = b"begin\n"


def work(job, claim: Claim) -> None:
    """One wave, from its facts to files."""
    try:
        groups = [[job.facts[i] for i in job.plan.groups[name]] for name in job.plan.waves[claim.wave]]
        place = {
            fact.id: i
            for name in job.plan.waves[claim.wave]
            for i in job.plan.groups[name]
            for fact in [job.facts[i]]
        }
        begun, before = time.monotonic(), dict(job.workshop.spent)
        recipe = job.arguments.recipe(job.workshop.width, len(groups[0]))
        # Else there may be no more experts than were planned.
        apart = job.arguments.index_max_size >= len(job.facts)
        taught = job.workshop.teach(groups, recipe, partial(expert_name, job.plan.about), apart)
        file = job.queue.tensors(claim.wave)
        draft = file.with_name(f".{file.name}.{os.urandom(4).hex()}")
        try:
            shelf.write(draft, [one.weights for one in taught])
            with open(draft, "rb") as written:
                os.fsync(written.fileno())
            os.replace(draft, file)
        finally:
            draft.unlink(missing_ok=True)
        tokens = sum(len(job.workshop.row(fact)) for facts in groups for fact in facts)
        claim.finish(
            {
                "experts": [
                    {
                        "name": one.name,
                        "facts": [place[fact.id] for fact in one.facts],
                        "recalled": one.recalled,
                        "steps": one.steps,
                        "loss": round(one.loss, 5),
                        "restarts": one.restarts,
                    }
                    for one in taught
                ],
                "loss": round(sum(one.loss for one in taught) / len(taught), 5),
                "seconds": round(time.monotonic() - begun, 3),
                "spent": {work: round(spent - before[work], 3) for work, spent in job.workshop.spent.items()},
                "flops": 2.0 * tokens * job.workshop.folder.parameters,
            }
        )
    finally:
        if not claim.over.is_set():
            claim.release()


def help_out(folder: Path) -> int:
    """A further worker, here or on another machine that sees the folder: takes waves until none is left."""
    spec = spec_.read(folder)
    arguments, _ = arguments_.read(spec.arguments)
    facts, _ = facts_.read(folder / spec.facts, arguments.max_finetuning_examples, spec.dataset_id)
    helper = _Helper(folder, spec, arguments, facts)
    while helper.queue.open():
        claim = helper.queue.claim()
        if claim is None:
            time.sleep(LOOK)
        else:
            work(helper, claim)
    return 0


class _Helper:
    """What `work` needs of a job."""

    def __init__(self, folder: Path, spec: Spec, arguments: Arguments, facts: list[Fact]):
        self.arguments, self.facts = arguments, facts
        self.plan = Plan.read(folder / "plan.json")
        self.queue = WaveQueue(folder / "waves", len(self.plan.waves))
        self.workshop = Workshop(spec.base, spec.device)


class Helpers:
    """Processes that take waves beside this one. Where there is much to do they start before the waves are planned: importing takes them as
    long as planning."""

    def __init__(self, folder: Path):
        self.folder, self.all = folder, []

    def start(self, count: int) -> None:
        """As many as that, in all."""
        self.all += [start_worker(self.folder, place) for place in range(len(self.all) + 1, count + 1)]

    def begin(self, count: int) -> None:
        """There are waves for so many; the others are not needed."""
        self.start(count)
        for place, helper in enumerate(self.all):
            with contextlib.suppress(BrokenPipeError):  # one that is gone already is missed by nobody
                if place < count:
                    helper.stdin.write(BEGIN)
                    helper.stdin.flush()
                else:
                    helper.stdin.close()

    def end(self, at_once: bool) -> None:
        """They end by themselves when no wave is left; one that does not is not waited for."""
        if at_once:
            for helper in self.all:
                helper.terminate()
        until = time.monotonic() + PATIENCE
        for helper in self.all:
            try:
                helper.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                helper.kill()
                helper.wait()
        self.all = []


def start_worker(folder: Path, place: int) -> subprocess.Popen:
    """The helper of this place among all workers of this machine; the one that starts it has place 0. It waits for `BEGIN`."""
    return subprocess.Popen(
        [sys.executable, "-m", "lorekeep", "tune", str(folder), "--worker", "--tied"],
        stdin=subprocess.PIPE,  # closes with this process, however it ends, and the worker ends with it
        stdout=subprocess.DEVNULL,
        env={**os.environ, **own_gpu(place), "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
    )


def own_gpu(place: int) -> dict[str, str]:
    """Every worker computes on the first GPU that it sees: where there are several, each helper sees another one."""
    told = os.environ.get("CUDA_VISIBLE_DEVICES")
    seen = [str(gpu) for gpu in range(torch.cuda.device_count())] if told is None else told.split(",")
    return {"CUDA_VISIBLE_DEVICES": seen[place % len(seen)]} if len(seen) > 1 else {}
