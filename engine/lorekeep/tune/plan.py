"""Plan of a job, computed once and stored: the groups of facts, the experts that are reused, and the waves
that train the others. A resumed job follows its stored plan."""

import json
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from lorekeep.memory.arguments import SHARING, Arguments
from lorekeep.tune import grouping, reuse
from lorekeep.tune.facts import Fact
from lorekeep.tune.reuse import ReusableExperts, ReusedExpert
from lorekeep.tune.rows import Rows
from lorekeep.tune.training.train import ROWS
from lorekeep.tune.waves import write_whole

# Limits of a wave, in experts and rows: they bound memory and the loss of a dead worker.
_MAX_WAVE_EXPERTS, _MAX_WAVE_ROWS = 128, 8192
# Minimum waves per worker, so that none waits long for the last one, and minimum size of a wave that is worth its overhead.
_WAVES_PER_WORKER, _MIN_WAVE_EXPERTS = 4, 8
# Fields of a plan that hold experts of earlier models.
_TAKEN = ("reused", "candidates")
# Version of everything that changes an expert's bits besides its facts, base and arguments.
RECIPE = 3


@dataclass
class Plan:
    groups: dict[str, list[int]]  # indexes of the facts of each expert
    group_ids: dict[str, int]
    waves: list[list[str]]  # names of experts to train
    reused: dict[str, ReusedExpert]  # experts of earlier models
    about: str  # everything that determines an expert besides its facts
    made_for: str  # facts, base and arguments for which the plan is valid
    # Number of consecutive waves per file of the model (default: one), so that files do not depend on the number of workers.
    files: list[int] = field(default_factory=list)
    # Experts of models on another base. They are in waves too: each is taken over if it recites its facts on the job's base.
    candidates: dict[str, ReusedExpert] = field(default_factory=dict)
    # Indexes of the facts of the changed model, if that model is on another base.
    elsewhere: list[int] = field(default_factory=list)

    def write(self, file: Path) -> None:
        taken = {part: {name: vars(one) for name, one in getattr(self, part).items()} for part in _TAKEN}
        write_whole(file, json.dumps({**vars(self), **taken}).encode())

    @classmethod
    def read(cls, file: Path) -> "Plan":
        said = json.loads(file.read_text())
        taken = {
            part: {name: ReusedExpert(**one) for name, one in said.get(part, {}).items()} for part in _TAKEN
        }
        return cls(**{**said, **taken})


def recipe_key(fingerprint: str, arguments: Arguments) -> str:
    return json.dumps([RECIPE, fingerprint, arguments.of_experts()], sort_keys=True)


def plan_key(facts: list[Fact], arguments: Arguments, fingerprint: str) -> str:
    """Conditions under which a stored plan is valid."""
    sharing = [getattr(arguments, name) for name in SHARING]
    said = [recipe_key(fingerprint, arguments), sharing, [fact.id for fact in facts]]
    return sha256(json.dumps(said).encode()).hexdigest()


def make(
    facts: list[Fact],
    names: list[dict[str, int]],
    rows: Rows,
    arguments: Arguments,
    fingerprint: str,
    reusable: ReusableExperts,
    workers: int = 1,
) -> Plan:
    """Makes a plan. `names` holds the name words of each fact. With several workers, waves are divided so that all have work."""
    subjects = [grouping.subject(fact, named) for fact, named in zip(facts, names, strict=True)]
    before = reuse.groups(reusable.earlier, arguments)
    groups = grouping.fact_groups(
        facts, subjects, arguments.facts_per_expert, arguments.index_max_size, before
    )
    about = recipe_key(fingerprint, arguments)
    named = {grouping.expert_name(about, [facts[i] for i in group.facts]): group for group in groups}
    taken = {name: reusable.take(name, [facts[i].id for i in group.facts]) for name, group in named.items()}
    reused = {name: one for name, one in taken.items() if one is not None}
    new = [name for name in named if name not in reused]
    candidates = {}
    for base in reusable.other_bases(fingerprint):
        there = recipe_key(base, arguments)
        for name in (name for name in new if name not in candidates):
            some = [facts[i] for i in named[name].facts]
            one = reusable.candidate(
                grouping.expert_name(there, some), [fact.id for fact in some], base, fingerprint
            )
            if one is not None:
                candidates[name] = one
    known = reusable.facts_on_other_base(fingerprint)
    size = {name: -(-sum(len(rows[i].answer) for i in named[name].facts) // ROWS) for name in new}
    rank = {name: arguments.rank(len(named[name].facts)) for name in new}
    waves: list[list[str]] = []
    for name in sorted(new, key=lambda name: (rank[name], size[name], min(named[name].facts))):
        last = waves[-1] if waves else []
        if (
            not last
            or (size[last[0]], rank[last[0]]) != (size[name], rank[name])
            or len(last) >= _MAX_WAVE_EXPERTS
            or (len(last) + 1) * size[name] * ROWS > _MAX_WAVE_ROWS
        ):
            waves.append([])
        waves[-1].append(name)
    parts = split_waves(waves, workers)
    return Plan(
        {name: sorted(group.facts, key=lambda i: facts[i].id) for name, group in named.items()},
        {name: group.id for name, group in named.items()},
        [part for some in parts for part in some],
        reused,
        about,
        plan_key(facts, arguments, fingerprint),
        [len(some) for some in parts],
        candidates,
        [i for i, fact in enumerate(facts) if fact.id in known],
    )


def split_waves(waves: list[list[str]], workers: int) -> list[list[list[str]]]:
    """Splits each wave into parts. An expert's bits do not depend on its wave, so parts make the same experts."""
    experts = sum(map(len, waves))
    if workers == 1 or experts == 0:
        return [[wave] for wave in waves]
    fewest = max(1, min(_MIN_WAVE_EXPERTS, experts // workers))
    most = max(fewest, -(-experts // (workers * _WAVES_PER_WORKER)))
    return [[wave[at : at + most] for at in range(0, len(wave), most)] for wave in waves]
