"""Validates an imported tuned model before it is used: all files are present and intact, its base is
installed, no file name leads out of its folder, and every weight and vector has the expected shape."""

import json
import os
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, BaseModel, Field, ValidationError
from safetensors import safe_open

from lorekeep import contract
from lorekeep.errors import EngineError
from lorekeep.memory import arguments, compatibility, validity
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.folder import Memory
from lorekeep.routing import token_match
from lorekeep.routing.embedders.likeness import Calibrated
from lorekeep.routing.router import BUDGETS

# Maximum rank of an expert, and the dimensions of the default embedding model.
_MAX_RANK, _DEFAULT_DIMENSIONS = 512, 384
_MAX_LINE_BYTES = 1 << 20  # of facts.jsonl, since readers hold a whole line in memory
_EXPERT_DTYPES = {"BF16", "F16", "F32"}
Share = Annotated[float, Field(allow_inf_nan=False)]


class _Source(BaseModel, strict=True, extra="forbid"):
    kind: Literal["dataset", "document", "person", "feedback"]
    name: Annotated[str, Field(max_length=300)] | None = None
    page: Annotated[int, Field(ge=1)] | None = None
    row: Annotated[int, Field(ge=0)] | None = None
    quote: Annotated[str, Field(max_length=4000)] | None = None


class _Fact(BaseModel, strict=True):
    id: str
    input: Annotated[str, Field(min_length=1)]
    output: Annotated[str, Field(min_length=1)]
    row: int
    dataset_id: str | None
    topic: str | None
    expert: str
    group: int
    names: dict[str, Literal[1, 2]]
    ask: Annotated[int, Field(ge=-1)]
    recalled: bool
    valid_from: Annotated[str, AfterValidator(validity.checked)] | None = None
    valid_until: Annotated[str, AfterValidator(validity.checked)] | None = None
    source: _Source | None = None


class _Gate(BaseModel, strict=True):
    budget: contract.Gate
    asks: dict[str, Share]
    meaning: dict[str, Share]
    weights: str | None = None


class _Base(BaseModel, strict=True):
    path: str
    fingerprint: str
    layer: int


class _Counts(BaseModel, strict=True):
    facts: int
    recalled: int
    experts: int


class _Embedder(BaseModel, strict=True):
    path: str
    fingerprint: str


class _About(BaseModel, strict=True):
    base: _Base
    embedder: str | _Embedder | None = None
    arguments: dict
    gate: _Gate
    counts: _Counts


def validate_import(folder: Path, bases: list[str]) -> str | None:
    """Accepts a model for the first of the given bases that it was tuned on, and records that base in the
    folder. Returns None, without a change, if none fits."""
    try:
        memory_folder.verify(folder)
        about = memory_folder.about(folder)
        said = _About.model_validate(about)
        base = next((one for one in bases if memory_folder.fingerprint(one) == said.base.fingerprint), None)
        if base is None:
            return None
        _check(memory_folder.read(folder), said, base)
    except (EngineError, OSError):
        raise
    except ValidationError as error:
        raise memory_folder.invalid(folder, f"memory.json: {_first_error(error)}") from error
    except Exception as error:  # untrusted input: any failure to read it is a refusal
        raise memory_folder.invalid(folder, f"it cannot be read ({error})") from error
    rewrite(folder, {**about, "base": {**about["base"], "path": os.path.abspath(base)}})
    return base


def rewrite(folder: Path, about: dict) -> None:
    (folder / memory_folder.ABOUT).write_text(json.dumps(about, indent=1))
    memory_folder.write_checksums(folder)


def _check(memory: Memory, said: _About, base: str) -> None:
    def refuse(reason: str) -> EngineError:
        return memory_folder.invalid(memory.path, reason)

    if not {*BUDGETS} <= said.gate.asks.keys() & said.gate.meaning.keys():
        raise refuse(f"its gate needs a threshold for each of {', '.join(BUDGETS)}")
    try:
        given, _ = arguments.read(said.arguments)
    except arguments.ArgumentError as error:
        raise refuse(str(error)) from error
    if {*said.arguments} != {*vars(given)}:
        raise refuse("its arguments are not those of this version")
    with open(memory.path / "facts.jsonl", "rb") as lines:
        for number, line in enumerate(lines, 1):
            if len(line) > _MAX_LINE_BYTES:
                raise refuse(f"facts.jsonl, line {number}: it has {len(line)} bytes")
    for number, fact in enumerate(memory.facts, 1):
        try:
            _Fact.model_validate(fact)
        except ValidationError as error:
            raise refuse(f"facts.jsonl, line {number}: {_first_error(error)}") from error
    counts = (len(memory.facts), sum(fact["recalled"] for fact in memory.facts), len(memory.experts))
    if counts != (said.counts.facts, said.counts.recalled, said.counts.experts) or not memory.facts:
        raise refuse(
            f"its counts are not what it holds: {counts[0]} facts, {counts[1]} recalled, {counts[2]} experts"
        )
    _check_keys(memory, refuse)
    _check_experts(memory, said.base.layer, base, refuse)


def _check_keys(memory: Memory, refuse) -> None:
    keys, plain_2N_D = memory.keys, memory.keys.plain_keys.vectors_2N_D
    for name, vectors in (("asks", keys.ask_vectors), ("plain", plain_2N_D)):
        if vectors.ndim != 2 or not np.isfinite(vectors.astype(np.float32)).all():
            raise refuse(f"keys.safetensors: {name} are no vectors")
    asked = [ask for ask, named in zip(keys.asks, keys.names, strict=True) if named]
    if asked and not 0 <= min(asked) <= max(asked) < len(keys.ask_vectors):
        raise refuse("keys.safetensors lacks vectors that facts.jsonl names")
    if len(plain_2N_D) not in (0, 2 * len(keys.plain)):
        raise refuse("keys.safetensors lacks vectors of facts without names")
    kept = keys.plain_keys.in_memory()
    words_X_D, tokens_X_P = kept.words_2N.rows_X_D[:], kept.tokens_N.rows_X_D[:]
    for name, rows, texts in (
        ("words", kept.words_2N, len(plain_2N_D)),
        ("tokens", kept.tokens_N, len(plain_2N_D) // 2),
    ):
        if not _are_rows(rows.starts_N, rows.rows_X_D[:], texts):
            raise refuse(f"keys.safetensors: {name} are not those of its facts without names")
    if tokens_X_P.shape[1] != token_match.NONE.shape[1]:
        raise refuse(
            f"keys.safetensors: tokens have {tokens_X_P.shape[1]} numbers instead of {token_match.NONE.shape[1]}"
        )
    width = {vectors.shape[1] for vectors in (keys.ask_vectors, plain_2N_D, words_X_D) if len(vectors)}
    fitted = memory.likeness.centre_D if memory.likeness else None
    wanted = _DEFAULT_DIMENSIONS if fitted is None else len(fitted)
    embedder = memory.about.get("embedder")
    if isinstance(embedder, dict) != isinstance(memory.likeness, Calibrated):
        raise refuse("memory.json and likeness.safetensors do not speak of the same embedding model")
    if embedder is not None and not width <= {wanted}:
        raise refuse(f"keys.safetensors holds vectors of {sorted(width)} dimensions instead of {wanted}")


def _are_rows(starts: np.ndarray, rows: np.ndarray, texts: int) -> bool:
    return (
        rows.ndim == 2
        and rows.dtype == np.int8
        and starts.shape == (texts + 1,)
        and starts.tolist() == sorted(starts.tolist())
        and (starts[0], starts[-1]) == (0, len(rows))
    )


def _check_experts(memory: Memory, layer: int, base: str, refuse) -> None:
    linears, last = compatibility.expert_linears(base)
    if layer != last:
        raise refuse(f"its experts belong to layer {layer}, and the last one of its base is {last}")
    rows: dict[str, int] = {}
    for name, place in memory.experts.items():
        path = PurePosixPath(place.file)
        if len(path.parts) != 2 or path.parts[0] != "experts" or path.parts[1] in ("..", "."):
            raise refuse(f"experts.json: {place.file!r} is no place in the folder")
        if not isinstance(place.row, int) or isinstance(place.row, bool) or place.row < 0:
            raise refuse(f"experts.json: {place.row!r} is no row")
        if not isinstance(place.sum, str | None):
            raise refuse(f"experts.json: {place.sum!r} is no checksum")
        if not isinstance(place.taught_on, str | None):
            raise refuse(f"experts.json: {place.taught_on!r} is no base")
        rows[place.file] = max(rows.get(place.file, 0), place.row)
        if not name:
            raise refuse("experts.json: an expert has no name")
    for file, row in rows.items():
        with safe_open(memory.path / file, framework="np") as opened:
            slices = {key: opened.get_slice(key) for key in opened.keys()}  # noqa: SIM118
            shapes = {key: tuple(one.get_shape()) for key, one in slices.items()}
            kinds = {one.get_dtype() for one in slices.values()}
        count, _, rank = next(
            (shape for key, shape in shapes.items() if key.endswith(".A") and len(shape) == 3), (0, 0, 0)
        )
        wanted = {}
        for name, (into, out) in linears.items():
            wanted |= {f"{name}.A": (count, into, rank), f"{name}.B": (count, rank, out)}
        if shapes != wanted or not kinds <= _EXPERT_DTYPES or not 1 <= rank <= _MAX_RANK:
            raise refuse(f"{file} holds no experts for this base")
        if row >= count:
            raise refuse(f"{file} has {count} experts, and experts.json names number {row}")


def _first_error(error: ValidationError) -> str:
    found = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, found['loc']))}: {found['msg']}"
