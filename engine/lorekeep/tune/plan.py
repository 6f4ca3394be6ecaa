"""What a job has to do, decided once and written down: which facts share which expert, which experts are there already, and which waves
the others are trained in. A job that is taken up again follows the plan that it has."""

import json
from dataclasses import dataclass
from pathlib import Path

from lorekeep import __version__
from lorekeep.memory.folder import Memory
from lorekeep.memory.words import Vocabulary
from lorekeep.tune import grouping
from lorekeep.tune.arguments import Arguments
from lorekeep.tune.facts import Fact
from lorekeep.tune.train import ROWS
from lorekeep.tune.trunk import Row
from lorekeep.tune.waves import write_whole

# Experts of a wave, and rows that it may hold: what bounds memory, and what a lost worker costs.
_EXPERTS, _ROWS = 128, 8192
# What changes the bits of an expert besides its facts, its base and its arguments.
RECIPE = 1


@dataclass
class Plan:
    groups: dict[str, list[int]]  # of each expert, its facts by their place
    group_ids: dict[str, int]
    waves: list[list[str]]  # names of experts to train
    reused: dict[str, str]  # expert -> the folder of the model that has it
    about: str  # what makes an expert besides its facts

    def write(self, file: Path) -> None:
        write_whole(file, json.dumps(self.__dict__).encode())

    @classmethod
    def read(cls, file: Path) -> "Plan":
        return cls(**json.loads(file.read_text()))


def made_of(fingerprint: str, arguments: Arguments) -> str:
    return json.dumps([RECIPE, fingerprint, arguments.of_experts()], sort_keys=True)


def make(
    facts: list[Fact],
    rows: list[Row],
    arguments: Arguments,
    fingerprint: str,
    vocabulary: Vocabulary,
    earlier: list[Memory],
) -> Plan:
    subjects = [grouping.subject(fact, vocabulary) for fact in facts]
    groups = grouping.grouped(
        facts, subjects, arguments.facts_per_expert, arguments.index_max_size, _before(earlier)
    )
    about = made_of(fingerprint, arguments)
    named = {grouping.expert_name(about, [facts[i] for i in group.facts]): group for group in groups}
    known = {name: str(memory.path) for memory in reversed(earlier) for name in memory.experts}
    reused = {name: known[name] for name in named if name in known}
    new = [name for name in named if name not in reused]
    size = {name: -(-sum(len(rows[i].answer) for i in named[name].facts) // ROWS) for name in new}
    rank = {name: arguments.rank(len(named[name].facts)) for name in new}
    waves: list[list[str]] = []
    for name in sorted(new, key=lambda name: (rank[name], size[name], min(named[name].facts))):
        last = waves[-1] if waves else []
        if (
            not last
            or (size[last[0]], rank[last[0]]) != (size[name], rank[name])
            or len(last) >= _EXPERTS
            or (len(last) + 1) * size[name] * ROWS > _ROWS
        ):
            waves.append([])
        waves[-1].append(name)
    return Plan(
        {name: sorted(group.facts, key=lambda i: facts[i].id) for name, group in named.items()},
        {name: group.id for name, group in named.items()},
        waves,
        reused,
        about,
    )


def _before(earlier: list[Memory]) -> dict[str, int]:
    """Which facts were together in the newest of the earlier models."""
    if not earlier:
        return {}
    return {fact["id"]: fact["group"] for fact in earlier[0].facts}


def version() -> str:
    return f"lorekeep {__version__}"
