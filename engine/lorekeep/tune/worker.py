"""Worker of a job: claims waves from the queue, trains them and writes the results, on this machine or on
another."""

import contextlib
import math
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import torch

from lorekeep import folders
from lorekeep.infer.experts import Pair
from lorekeep.memory import arguments as arguments_
from lorekeep.memory import expert_cache
from lorekeep.memory.arguments import Arguments
from lorekeep.tune import facts as facts_
from lorekeep.tune import moved_experts
from lorekeep.tune import spec as spec_
from lorekeep.tune.base_cache import BaseCache
from lorekeep.tune.facts import Fact
from lorekeep.tune.fence import Fence
from lorekeep.tune.grouping import expert_name
from lorekeep.tune.plan import Plan
from lorekeep.tune.spec import Spec
from lorekeep.tune.training.train import Recipe
from lorekeep.tune.waves import Claim, WaveQueue

# Seconds between polls for waves finished by other workers.
POLL_SECONDS = 0.1
# Seconds for helpers to exit.
STOP_TIMEOUT_SECONDS = 10.0
# Message that lets a helper begin, once the waves are planned.
BEGIN = b"begin\n"


def work(job, claim: Claim) -> None:
    """Trains one wave and writes its files."""
    try:
        groups = {name: [job.facts[i] for i in job.plan.groups[name]] for name in job.plan.waves[claim.wave]}
        place = {
            fact.id: i
            for name in job.plan.waves[claim.wave]
            for i in job.plan.groups[name]
            for fact in [job.facts[i]]
        }
        begun, before = time.monotonic(), dict(job.trainer.spent)
        recipe = Recipe.of(job.arguments, job.trainer.width, len(next(iter(groups.values()))))
        # Facts may get an expert each only if the maximum number of experts allows it.
        apart = job.arguments.index_max_size >= len(job.facts)
        taught = moved_experts.reusable_experts(job.trainer, job.taken, job.plan.candidates, groups)
        known = {one.name for one in taught}
        if left := [facts for name, facts in groups.items() if name not in known]:
            taught += job.trainer.train(left, recipe, partial(expert_name, job.plan.about), apart)
        for rank in sorted({one.rank for one in taught}):
            _write(job.queue.tensors(claim.wave, rank), [one.weights for one in taught if one.rank == rank])
        tokens = sum(len(job.trainer.row(fact)) for facts in left for fact in facts)
        claim.finish(
            {
                "experts": [
                    {
                        "name": one.name,
                        "facts": [place[fact.id] for fact in one.facts],
                        "recalled": one.recalled,
                        "rank": one.rank,
                        "steps": one.steps,
                        "loss": finite(one.loss),
                        "restarts": one.restarts,
                        "begun": finite(one.begun),
                        **moved_experts.moved_fields(one, job.plan.candidates),
                    }
                    for one in taught
                ],
                "seconds": round(time.monotonic() - begun, 3),
                "spent": {work: round(spent - before[work], 3) for work, spent in job.trainer.spent.items()},
                "flops": 2.0 * tokens * job.trainer.folder.parameters,
            }
        )
    finally:
        claim.release()


def finite(loss: float) -> float | None:
    """Replaces infinities, which JSON cannot represent."""
    return round(loss, 5) if math.isfinite(loss) else None


def _write(file: Path, experts: list[dict[str, Pair]]) -> None:
    draft = file.with_name(f".{file.name}.{os.urandom(4).hex()}")
    try:
        expert_cache.write(draft, experts)
        with open(draft, "rb") as written:
            os.fsync(written.fileno())
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def run_helper(
    folder: Path, fence: Fence | None = None, name: str | None = None, kept: BaseCache | None = None
) -> int:
    """Runs a further worker, here or on another machine that shares the folder, until no wave is left. `kept` has the base if it
    was loaded before."""
    spec = spec_.read(folder)
    arguments, _ = arguments_.read(spec.arguments)
    facts, _ = facts_.read(
        folder / spec.facts, arguments.max_finetuning_examples, spec.dataset_id, folders.end_tokens(spec.base)
    )
    helper = _Helper(folder, spec, arguments, facts, fence, name, kept or BaseCache())
    while helper.queue.open():
        if fence is not None:
            fence.check()
        claim = helper.queue.claim()
        if claim is None:
            time.sleep(POLL_SECONDS)
        else:
            work(helper, claim)
    return 0


class _Helper:
    """The parts of a job that `work` needs."""

    def __init__(
        self,
        folder: Path,
        spec: Spec,
        arguments: Arguments,
        facts: list[Fact],
        fence: Fence | None,
        name: str | None,
        kept: BaseCache,
    ):
        self.arguments, self.facts = arguments, facts
        self.plan = Plan.read(folder / "plan.json")
        self.queue = WaveQueue(folder / "waves", len(self.plan.waves), fence, name)
        self.taken = folder / "waves" / "taken"
        self.trainer, _ = kept.trainer(spec.base, spec.device)


class Helpers:
    """Helper processes that work on waves too. For large jobs they start before planning, since their imports take as long
    as planning."""

    def __init__(self, folder: Path, most: int):
        self.folder, self.most, self.all = folder, most, []

    def start(self, count: int) -> None:
        """Starts helpers up to this total, within the limit."""
        count = min(count, self.most)
        self.all += [start_worker(self.folder, place) for place in range(len(self.all) + 1, count + 1)]

    def begin(self, count: int) -> None:
        """Lets as many helpers begin as there are waves for, and ends the others."""
        self.start(count)
        for place, helper in enumerate(self.all):
            with contextlib.suppress(BrokenPipeError):  # it has exited already
                if place < count:
                    helper.stdin.write(BEGIN)
                    helper.stdin.flush()
                else:
                    helper.stdin.close()

    def end(self) -> None:
        """Terminates helpers, which give back their waves; one that does not exit is killed."""
        for helper in self.all:
            helper.terminate()
        until = time.monotonic() + STOP_TIMEOUT_SECONDS
        for helper in self.all:
            try:
                helper.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                helper.kill()
                helper.wait()
        self.all = []


def start_worker(folder: Path, place: int) -> subprocess.Popen:
    """Starts the helper with this index among the workers of this machine; the coordinator has index 0. The helper waits
    for `BEGIN`."""
    return subprocess.Popen(
        [sys.executable, "-m", "lorekeep", "tune", str(folder), "--worker", "--tied"],
        stdin=subprocess.PIPE,  # closes when this process exits, which ends the worker
        stdout=subprocess.DEVNULL,
        env={**os.environ, **own_gpu(place), "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
    )


def own_gpu(place: int) -> dict[str, str]:
    """Environment that gives each worker its own GPU where there are several."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    seen = [str(gpu) for gpu in range(torch.cuda.device_count())] if visible is None else visible.split(",")
    return {"CUDA_VISIBLE_DEVICES": seen[place % len(seen)]} if len(seen) > 1 else {}
