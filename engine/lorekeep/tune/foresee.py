"""What a job would do, without doing it: its facts checked as the job itself will check them, its experts, what they weigh. Reads the
tokenizer of the base and none of its weights."""

from functools import cache
from pathlib import Path

from transformers import AutoConfig, AutoTokenizer

from lorekeep import default_embedder, folders
from lorekeep.errors import EngineError
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.reading import answer_tokens, question_tokens
from lorekeep.memory.words import Vocabulary
from lorekeep.prompts import Prompts
from lorekeep.tune import arguments as arguments_
from lorekeep.tune import facts as facts_
from lorekeep.tune import plan as plan_
from lorekeep.tune import spec as spec_
from lorekeep.tune.facts import FactsError
from lorekeep.tune.trunk import Row

# Of many problems, so many are told.
_TOLD = 200
_SAFE = {"local_files_only": True, "trust_remote_code": False}


def foresee(folder: Path) -> dict:
    spec = spec_.read(folder)
    arguments, warnings = arguments_.read(spec.arguments)
    base = folders.check(spec.base, "generate")
    try:
        facts, more = facts_.read(folder / spec.facts, arguments.max_finetuning_examples, spec.dataset_id)
    except FactsError as error:
        return {"problems": error.problems[:_TOLD], "count": len(error.problems)}
    prompts = Prompts(AutoTokenizer.from_pretrained(base.path, **_SAFE), base.context)
    rows = [
        Row(tuple(question_tokens(prompts, fact.input)), tuple(answer_tokens(prompts, fact.output, 0)))
        for fact in facts
    ]
    sizes = dict(zip((fact.row for fact in facts), rows, strict=True))
    try:
        most = min(arguments.max_length, base.context)
        facts_.too_long(facts, lambda fact: len(sizes[fact.row]) + 1, most)
    except FactsError as error:
        return {"problems": error.problems[:_TOLD], "count": len(error.problems)}
    fingerprint = memory_folder.fingerprint(spec.base)
    plan = plan_.make(facts, rows, arguments, fingerprint, _vocabulary(), _earlier(spec.reuse, fingerprint))
    return {
        "facts": len(facts),
        "warnings": [*warnings, *more],
        "experts": len(plan.groups),
        "reused": len(plan.reused),
        "waves": len(plan.waves),
        "tokens": sum(map(len, rows)),
        "model_bytes": _model_bytes(base.config, base.path, arguments, [len(group) for group in plan.groups.values()])
        + sum(len(fact.input) + len(fact.output) for fact in facts) * 2
        + len(facts) * 700,
        "base_bytes": base.parameters * (4 if base.parameters <= 1_000_000_000 else 2),
        "problems": [],
        "count": 0,
    }  # fmt: skip


def _earlier(paths: list[str], fingerprint: str) -> list[memory_folder.Memory]:
    found = []
    for path in paths:
        try:
            memory = memory_folder.read(path)
        except EngineError:
            continue
        if memory.about["base"]["fingerprint"] == fingerprint:
            found.append(memory)
    return found


@cache
def _vocabulary() -> Vocabulary:
    """As the job has it, without the model that embeds."""
    found = default_embedder.folder()
    return Vocabulary() if found is None else Vocabulary.of(AutoTokenizer.from_pretrained(found, **_SAFE))


def _model_bytes(config: dict, path: Path, arguments: arguments_.Arguments, sizes: list[int]) -> int:
    """Pairs of matrices for the linear layers of one MLP (two in, one out), in bfloat16."""
    read = AutoConfig.from_pretrained(path, **_SAFE)
    wide, hidden = read.hidden_size, getattr(read, "intermediate_size", 4 * read.hidden_size)
    return sum(arguments.rank(size) * 3 * (wide + hidden) * 2 for size in sizes)
