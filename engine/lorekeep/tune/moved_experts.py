"""Experts of a model on another base, such as another precision of the job's base. An expert is taken over if it recites all of its
facts word for word on the job's base; the facts of the others are taught again."""

import json
from pathlib import Path

from lorekeep.infer.experts import Pair
from lorekeep.memory.expert_cache import layers_of, read_row, sum_of
from lorekeep.tune.facts import Fact
from lorekeep.tune.plan import Plan
from lorekeep.tune.reuse import ReusedExpert
from lorekeep.tune.training.trainer import STORED, Taught, Trainer
from lorekeep.tune.waves import WaveQueue


def reusable_experts(
    trainer: Trainer, folder: Path, candidates: dict[str, ReusedExpert], groups: dict[str, list[Fact]]
) -> list[Taught]:
    """The candidates of these groups that recite all of their facts. Their files are in `folder`."""
    asked = []
    for name, facts in groups.items():
        pairs = _read_pairs(folder, candidates[name]) if name in candidates else None
        if pairs is not None:
            asked.append((name, facts, pairs))
    recalled = trainer.recalled(asked) if asked else []
    return [
        Taught(name, facts, pairs, 0, float("nan"), 0, right, moved=True)
        for (name, facts, pairs), right in zip(asked, recalled, strict=True)
        if all(right)
    ]


def moved_fields(one: Taught, candidates: dict[str, ReusedExpert]) -> dict:
    """Fields of a wave's result about an expert that was taken over."""
    return {"moved": True, "taught_on": candidates[one.name].taught_on} if one.moved else {}


def _read_pairs(folder: Path, taken: ReusedExpert) -> dict[str, Pair] | None:
    """None if the expert cannot be read any more; its facts are then taught again."""
    try:
        sides = read_row(folder / taken.file, taken.row)
    except (OSError, ValueError, KeyError, StopIteration):
        return None
    if taken.sum is not None and sum_of(sides) != taken.sum:
        return None
    return {layer: (A.to(STORED), B.to(STORED)) for layer, (A, B) in layers_of(sides).items()}


class MovedExperts:
    """Counts of what a job takes over from a model on another base, derived from its finished waves."""

    def __init__(self, plan: Plan, queue: WaveQueue):
        self._plan, self._queue = plan, queue
        self._elsewhere = set(plan.elsewhere)
        reused = {i for name in plan.reused for i in plan.groups[name]}
        self._reused = len(self._elsewhere & reused)
        self._waves: dict[int, tuple[int, int, int]] = {}

    @property
    def experts(self) -> int:
        return self._counts()[0]

    def move_counts(self) -> dict | None:
        """None if the changed model is on the job's base."""
        if not self._elsewhere:
            return None
        _, taken, taught = self._counts()
        return {"facts_taken_over": taken + self._reused, "facts_taught_again": taught}

    def reported(self) -> dict:
        said = self.move_counts()
        return {} if said is None else {"move": said}

    def _counts(self) -> tuple[int, int, int]:
        """Experts and facts that were taken over, and facts that were taught again."""
        for wave in range(self._queue.count) if self._elsewhere or self._plan.candidates else ():
            if wave not in self._waves and self._queue.is_done(wave):
                self._waves[wave] = self._of(wave)
        experts, taken, taught = ([one[at] for one in self._waves.values()] for at in range(3))
        return sum(experts), sum(taken), sum(taught)

    def _of(self, wave: int) -> tuple[int, int, int]:
        experts = json.loads(self._queue.result(wave).read_text())["experts"]
        facts: dict[bool, int] = {True: 0, False: 0}
        for one in experts:
            facts[one.get("moved", False)] += len(self._elsewhere & set(one["facts"]))
        return sum(one.get("moved", False) for one in experts), facts[True], facts[False]
