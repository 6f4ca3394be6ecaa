"""Dry run of a job: validates its facts as the job would, and reports its experts and their size. It reads
the tokenizer of the base and none of its weights."""

from functools import cache
from pathlib import Path

import torch
from transformers import AutoConfig, AutoTokenizer

from lorekeep import default_embedder, folders
from lorekeep.infer.weights import reading
from lorekeep.memory import arguments as arguments_
from lorekeep.memory import folder as memory_folder
from lorekeep.routing.embedders.parts import default_tokenizer
from lorekeep.routing.stored_keys import names_of
from lorekeep.routing.words import Vocabulary
from lorekeep.tune import facts as facts_
from lorekeep.tune import plan as plan_
from lorekeep.tune import reuse
from lorekeep.tune import spec as spec_
from lorekeep.tune.facts import FactsError
from lorekeep.tune.reuse import ReusableExperts
from lorekeep.tune.rows import RowReader, Rows

# Maximum number of problems reported.
_MAX_PROBLEMS = 200
_SAFE = {"local_files_only": True, "trust_remote_code": False}


def dry_run(folder: Path) -> dict:
    spec = spec_.read(folder)
    arguments, warnings = arguments_.read(spec.arguments)
    reader = RowReader(spec.base)
    base = reader.folder
    try:
        facts, more = facts_.read(
            folder / spec.facts,
            arguments.max_finetuning_examples,
            spec.dataset_id,
            folders.end_tokens(spec.base),
        )
    except FactsError as error:
        return {"problems": error.problems[:_MAX_PROBLEMS], "count": len(error.problems)}
    rows = Rows(facts, reader.row)
    try:
        rows.refuse_longer(min(arguments.max_length, base.context))
    except FactsError as error:
        return {"problems": error.problems[:_MAX_PROBLEMS], "count": len(error.problems)}
    vocabulary, dimensions = _router_vocabulary(spec.embedder)
    names = names_of(facts, vocabulary)
    if dimensions is not None:
        warnings += arguments_.index_warnings(spec.arguments, arguments, names.count({}), dimensions)
    fingerprint = memory_folder.fingerprint(spec.base)
    known, gone = reuse.models(spec.reuse, spec.base, fingerprint)
    plan = plan_.make(facts, names, rows, arguments, fingerprint, ReusableExperts(known), spec.workers)
    cpu = torch.device("cpu")
    return {
        "facts": len(facts),
        "warnings": [*warnings, *more, *gone],
        "experts": len(plan.groups),
        "reused": len(plan.reused),
        "candidates": len(plan.candidates),
        "waves": len(plan.waves),
        "model_bytes": _model_bytes(base.config, base.path, arguments, [len(group) for group in plan.groups.values()])
        + sum(len(fact.input) + len(fact.output) for fact in facts) * 2
        + len(facts) * 700,
        "memory_bytes": reading.tuning_bytes(base, reading.dtype_for(base, cpu.type), cpu),
        "problems": [],
        "count": 0,
    }  # fmt: skip


@cache
def _router_vocabulary(embedder: str | None) -> tuple[Vocabulary, int | None]:
    """The job's vocabulary without loading the embedding model, and the dimensions of its vectors if it is
    installed."""
    found = default_embedder.folder() if embedder is None else folders.check(embedder, "embed").path
    if found is None:
        return Vocabulary(), None
    tokenizer = default_tokenizer() or AutoTokenizer.from_pretrained(found, **_SAFE)
    return Vocabulary.of(tokenizer), AutoConfig.from_pretrained(found, **_SAFE).hidden_size


def _model_bytes(config: dict, path: Path, arguments: arguments_.Arguments, sizes: list[int]) -> int:
    """Size of the pairs of matrices for the linear layers of one MLP (two in, one out), in bfloat16."""
    read = AutoConfig.from_pretrained(path, **_SAFE)
    wide, hidden = read.hidden_size, getattr(read, "intermediate_size", 4 * read.hidden_size)
    return sum(arguments.rank(size) * 3 * (wide + hidden) * 2 for size in sizes)
