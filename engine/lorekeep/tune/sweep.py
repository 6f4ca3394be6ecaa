"""Sweep over one argument: trains some facts once with each value and measures the result. It writes
`sweep.json` and no model. A finished value is a file, so a killed sweep resumes with the next value."""

import json
import math
import time
from functools import partial
from pathlib import Path

from lorekeep import folders
from lorekeep.memory import arguments as arguments_
from lorekeep.memory import folder as memory_folder
from lorekeep.routing.embedders.parts import default_tokenizer
from lorekeep.routing.stored_keys import names_of
from lorekeep.routing.words import Vocabulary
from lorekeep.tune import facts as facts_
from lorekeep.tune import plan as plan_
from lorekeep.tune.events import Events
from lorekeep.tune.facts import Fact
from lorekeep.tune.grouping import expert_name
from lorekeep.tune.reuse import ReusableExperts
from lorekeep.tune.rows import Rows
from lorekeep.tune.spec import Spec, Sweep
from lorekeep.tune.training.train import Recipe
from lorekeep.tune.training.trainer import Trainer
from lorekeep.tune.waves import write_whole

DONE = 0
RESULT = "sweep.json"
# Maximum points of a curve, which is only displayed.
_MAX_POINTS = 200


def run(folder: Path, spec: Spec, sweep: Sweep, events: Events) -> int:
    if (folder / RESULT).is_file():
        return DONE  # it was finished before
    events.state("LOADING DATA")
    tried = [arguments_.read({**spec.arguments, sweep.argument: value}) for value in sweep.values]
    facts, warnings = facts_.read(folder / spec.facts, sweep.facts, ends=folders.end_tokens(spec.base))
    for warning in dict.fromkeys([*warnings, *(said for _, more in tried for said in more)]):
        events.warning(warning)
    bench = _Bench(spec, facts, max(arguments.max_length for arguments, _ in tried))
    begun = time.monotonic()
    trials: list[dict] = []
    files = [folder / "trials" / f"{i:03d}.json" for i in range(len(tried))]
    files[0].parent.mkdir(exist_ok=True)
    left = sum(not file.is_file() for file in files)
    events.state("TRAINING MODEL", waves=len(files), waves_done=len(files) - left)
    fresh = 0
    for i, (file, (arguments, _)) in enumerate(zip(files, tried, strict=True)):
        if not file.is_file():
            write_whole(file, json.dumps({"value": sweep.values[i], **bench.attempt(arguments)}).encode())
            fresh += 1
        trials.append(json.loads(file.read_text()))
        eta = (time.monotonic() - begun) / fresh * (left - fresh) if fresh else None
        events.write(
            "progress", **_progress(trials, len(files), eta), wave=i, spent={}, history=_point(trials, eta)
        )
    events.state("EVALUATING MODEL")
    events.state("SAVING MODEL")
    best = best_of(trials)
    result = {
        "argument": sweep.argument,
        "facts": len(facts),
        "trials": trials,
        "best": trials[best]["value"],
    }
    write_whole(folder / RESULT, json.dumps(result).encode())
    recalled = sum(trial["facts_recalled"] for trial in trials)
    events.state("COMPLETED", **{**_progress(trials, len(files), 0.0), "facts_recalled": recalled}, failed=[])
    return DONE


def best_of(trials: list[dict]) -> int:
    """The value with the highest recall; ties are broken by fewer steps, then by lower loss."""

    def rank(i: int) -> tuple:
        trial = trials[i]
        return (
            -trial["facts_recalled"],
            trial["steps"],
            math.inf if trial["loss"] is None else trial["loss"],
            i,
        )

    return min(range(len(trials)), key=rank)


class _Bench:
    """The base and the facts, loaded once for all values."""

    def __init__(self, spec: Spec, facts: list[Fact], max_tokens: int):
        self.facts = facts
        self.trainer = Trainer(spec.base, spec.device)
        self.fingerprint = memory_folder.fingerprint(spec.base)
        self.names = names_of(
            facts, Vocabulary.of(tokenizer) if (tokenizer := default_tokenizer()) else Vocabulary()
        )
        self.rows = Rows(facts, self.trainer.row)
        self.rows.refuse_longer(min(max_tokens, self.trainer.folder.context))

    def attempt(self, arguments: arguments_.Arguments) -> dict:
        """Trains one value as a job does, wave by wave, from the beginning."""
        plan = plan_.make(self.facts, self.names, self.rows, arguments, self.fingerprint, ReusableExperts([]))
        begun, losses, taught = time.monotonic(), [], []
        for wave in plan.waves:
            groups = [[self.facts[i] for i in plan.groups[name]] for name in wave]
            recipe = Recipe.of(arguments, self.trainer.width, len(groups[0]))
            apart = arguments.index_max_size >= len(self.facts)
            taught += self.trainer.train(groups, recipe, partial(expert_name, plan.about), apart, losses)
        recalled = sum(sum(one.recalled) for one in taught)
        return {
            "facts": len(self.facts),
            "facts_recalled": recalled,
            "recall": round(recalled / len(self.facts), 4),
            "experts": len(taught),
            "steps": round(sum(one.steps for one in taught) / len(taught), 2),
            "restarts": sum(one.restarts for one in taught),
            "loss": _finite(sum(one.loss for one in taught) / len(taught)),
            "learning_rate_effective": arguments.effective_rate(self.trainer.width),
            "seconds": round(time.monotonic() - begun, 3),
            "curve": curve_of(losses),
        }


def curve_of(losses: list[list[float]]) -> list[dict]:
    """Mean loss of all experts at each step; a finished expert keeps its last loss."""
    last = max(map(len, losses))
    steps = (
        sorted({round(i * (last - 1) / (_MAX_POINTS - 1)) for i in range(_MAX_POINTS)})
        if last > _MAX_POINTS
        else range(last)
    )
    return [
        {"step": at + 1, "loss": _finite(sum(one[min(at, len(one) - 1)] for one in losses) / len(losses))}
        for at in steps
    ]


def _progress(trials: list[dict], count: int, eta: float | None) -> dict:
    """Progress over all values."""
    facts, experts = trials[-1]["facts"], sum(trial["experts"] for trial in trials)
    return {
        "facts_total": facts * count,
        "facts_done": facts * len(trials),
        "experts_total": round(experts / len(trials) * count),
        "experts_done": experts,
        "experts_reused": 0,
        "move": None,
        "eta_seconds": None if eta is None else round(eta, 1),
    }


def _point(trials: list[dict], eta: float | None) -> dict:
    trial = trials[-1]
    return {
        "loss": trial["loss"],
        "learning_rate": trial["learning_rate_effective"],
        "epoch": 1.0,
        "iter_time": trial["seconds"],
        "flops": 0.0,
        "remaining_time": None if eta is None else round(eta, 1),
        "step": len(trials),
    }


def _finite(value: float) -> float | None:
    return round(value, 5) if math.isfinite(value) else None
