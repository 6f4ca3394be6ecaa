"""The folder of a tuned model: everything about it, in JSON and safetensors, and a checksum of every file. docs/reference/tuned-model.md
describes it.

    memory.json            base, arguments, gate, counts                   facts.jsonl      the facts, each with its expert
    experts.json           location of each expert                         keys.safetensors the router's vectors and words
    experts/*.safetensors  experts, one wave per file                      report.json/.md  measurements
    checksums.json"""

import json
from dataclasses import dataclass, field
from hashlib import file_digest, sha256
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

from lorekeep import __version__
from lorekeep.errors import EngineError
from lorekeep.memory.expert_cache import Location, damaged
from lorekeep.routing import gate as gate_
from lorekeep.routing import token_match
from lorekeep.routing.embedders import likeness as likeness_
from lorekeep.routing.embedders.likeness import FITTED, Likeness
from lorekeep.routing.router import Gate
from lorekeep.routing.stored_keys import Entry, Keys, PlainKeys, Rows

FORMAT = 2
ENGINE = f"lorekeep {__version__}"
ABOUT = "memory.json"
SUMS = "checksums.json"
# Estimated memory in Python per fact besides its vectors, and per byte of its line, including the router's words.
_BYTES_PER_FACT, _BYTES_PER_TEXT_BYTE = 5_000, 6
# Size of each sample of a weight file that identifies the base; reading all of it would take as long as loading it.
_SAMPLE_BYTES = 1 << 20


@dataclass(frozen=True)
class Place:
    """Location of an expert and its checksum (absent in models of earlier versions)."""

    file: str
    row: int
    sum: str | None = None
    taught_on: str | None = (
        None  # fingerprint of the base that it was trained on, if that is not the model's base
    )

    def said(self) -> dict:
        return {name: value for name, value in vars(self).items() if name != "taught_on" or value is not None}


@dataclass
class Memory:
    """A tuned model's folder as read."""

    path: Path
    about: dict
    facts: list[dict]  # input, output, row, dataset_id, expert
    experts: dict[str, Place]
    keys: Keys
    gate: Gate
    sums: dict[str, str] = field(
        default_factory=dict
    )  # checksum of each file; in a draft only the known ones
    likeness: Likeness | None = FITTED  # None if another version fitted it

    @property
    def entries(self) -> list[Entry]:
        return [Entry(fact["input"], fact["output"]) for fact in self.facts]

    def place(self, fact: int) -> Location:
        """Location of a fact's expert under a name that is unique among all models. The expert's own name is
        not: in an imported model it may denote other weights."""
        name = self.facts[fact]["expert"]
        place = self.experts[name]
        known = self.sums.get(place.file)
        return Location(f"{known or name} {place.row}", self.path / place.file, place.row, place.sum, known)


def is_tuned(path: str | Path) -> bool:
    return (Path(path) / ABOUT).is_file()


def about(path: str | Path) -> dict:
    """memory.json, validated as far as loading needs it."""
    found = _json(Path(path), ABOUT)
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        said = found.get("format") if isinstance(found, dict) else None
        raise invalid(
            path, f"its format is {said!r}, and this version reads {FORMAT}. Tune it again with this version"
        )
    if not isinstance(found.get("base"), dict) or not isinstance(found["base"].get("path"), str):
        raise invalid(path, "memory.json does not name its base")
    return found


def read(path: str | Path) -> Memory:
    path = Path(path)
    said = about(path)
    try:
        # Not splitlines(), which also splits at U+2028 and others that JSON may hold.
        lines = (path / "facts.jsonl").read_text("utf-8").split("\n")
        facts = [json.loads(line) for line in lines if line]
        experts = {name: Place(**place) for name, place in _json(path, "experts.json").items()}
        likeness = likeness_.read(path)
        gate = gate_.stored_gate(said["gate"], likeness or FITTED)
        keys = _keys(path / "keys.safetensors", facts, gate.weights == FITTED.weights)
    except EngineError:
        raise
    except Exception as error:  # a file is missing, truncated or invalid
        raise invalid(path, f"{error}. Was it copied completely") from error
    if len(facts) != said["counts"]["facts"]:
        raise invalid(
            path,
            f"facts.jsonl has {len(facts)} facts instead of {said['counts']['facts']}. Was it copied completely",
        )
    missing = sorted(
        file for file in {place.file for place in experts.values()} if not (path / file).is_file()
    )
    lost = sorted({fact["expert"] for fact in facts} - experts.keys())
    if missing or lost:
        raise invalid(path, f"{(missing or lost)[0]} is missing. Was it copied completely")
    sums = _json(path, SUMS) if (path / SUMS).is_file() else {}
    return Memory(path, said, facts, experts, keys, gate, sums, likeness)


def refuse_damaged(path: str | Path) -> None:
    """Verifies the files that serving reads at once. Experts are verified when they are read."""
    path = Path(path)
    try:
        sums = _json(path, SUMS)
    except EngineError as error:
        raise damaged(path, error.facts["reason"]) from error
    names = [ABOUT, "facts.jsonl", "experts.json", "keys.safetensors"]
    if isinstance(sums, dict) and likeness_.FILE in sums:
        names.append(likeness_.FILE)
    for name in names:
        try:
            with open(path / name, "rb") as opened:
                found = file_digest(opened, "sha256").hexdigest()
        except OSError as error:
            raise damaged(path, f"{name} cannot be read ({error.strerror})") from error
        if not isinstance(sums, dict) or found != sums.get(name):
            raise damaged(path, f"{name} does not match its checksum")


def serving_bytes(path: str | Path) -> int:
    """Memory that serving the model takes without its experts, estimated from the file sizes."""
    path = Path(path)
    said = about(path)
    try:
        facts = said["counts"]["facts"]
        text = (path / "facts.jsonl").stat().st_size
        with safe_open(path / "keys.safetensors", framework="np") as opened:
            shapes = [opened.get_slice(name).get_shape() for name in ("asks", "plain")]
    except Exception as error:  # a file is missing or truncated
        raise invalid(path, f"{error}. Was it copied completely") from error
    # Vectors are stored in half precision and searched in single.
    vectors = sum(rows * width for rows, width in shapes) * (2 + 4)
    return facts * _BYTES_PER_FACT + text * _BYTES_PER_TEXT_BYTE + vectors


def write_keys(file: Path, keys: Keys) -> None:
    """Writes the vectors, which are expensive to compute. Names are not stored, since they are found again in
    the questions."""
    plain = keys.plain_keys
    save_file(
        {
            "asks": keys.ask_vectors,
            "plain": plain.vectors_2N_D,
            "words": plain.words_2N.rows_X_D[:],
            "starts": plain.words_2N.starts_N,
            "tokens": plain.tokens_N.rows_X_D[:],
            "token_starts": plain.tokens_N.starts_N,
        },
        file,
    )


def _keys(file: Path, facts: list[dict], ours: bool) -> Keys:
    """Reads the stored keys. `ours` says whether they were computed with the installed weights; token vectors
    of other weights are ignored."""
    # Word and token vectors stay in the open file, since a question needs only those of a few facts.
    opened = safe_open(file, framework="np")
    asks, plain = (opened.get_tensor(name) for name in ("asks", "plain"))
    tokens = Rows.none(len(plain) // 2, token_match.NONE.shape[1])
    if ours:
        tokens = _rows(opened, "token_starts", "tokens")
    names = [fact["names"] for fact in facts]
    return Keys(
        names,
        [fact["ask"] for fact in facts],
        asks,
        [i for i, named in enumerate(names) if not named],
        PlainKeys(plain, _rows(opened, "starts", "words"), tokens),
    )


def _rows(opened, starts: str, name: str) -> Rows:
    """safetensors cannot slice an empty tensor."""
    rows = opened.get_slice(name)
    return Rows(
        opened.get_tensor(starts), rows if rows.get_shape()[0] else np.zeros(rows.get_shape(), np.int8)
    )


def write_checksums(path: Path, known: dict[str, str] | None = None) -> dict[str, str]:
    """Writes checksums.json. `known` holds checksums that were verified when their files arrived."""
    sums = {}
    for file in sorted(path.rglob("*")):
        if file.is_file() and file.name != SUMS:
            name = file.relative_to(path).as_posix()
            if known and name in known:
                sums[name] = known[name]
                continue
            with open(file, "rb") as opened:
                sums[name] = file_digest(opened, "sha256").hexdigest()
    (path / SUMS).write_text(json.dumps(sums, indent=1))
    return sums


def verify(path: str | Path) -> None:
    """Verifies that the folder holds exactly the files of checksums.json, intact."""
    path = Path(path)
    about(path)
    wanted = _json(path, SUMS)
    there = {file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()} - {SUMS}
    for name in sorted(there ^ wanted.keys()):
        raise invalid(path, f"{name} is {'missing' if name in wanted else 'no file of it'}")
    for name, sum_ in wanted.items():
        with open(path / name, "rb") as opened:
            if file_digest(opened, "sha256").hexdigest() != sum_:
                raise invalid(path, f"{name} does not match its checksum. Copy the model again")


def fingerprint(base: str | Path) -> str:
    """Identity of a base: its configuration, tokenizer, template, and the headers and samples of its
    weights."""
    base, digest = Path(base), sha256()
    for name in (
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "chat_template.jinja",
        "generation_config.json",
    ):
        if (base / name).is_file():
            digest.update(name.encode() + sha256((base / name).read_bytes()).digest())
    for file in sorted(base.glob("*.safetensors")):
        with open(file, "rb") as weights:
            size = file.stat().st_size
            digest.update(f"{file.name} {size}".encode())
            for at in np.linspace(0, max(0, size - _SAMPLE_BYTES), 16).astype(int):
                weights.seek(int(at))
                digest.update(weights.read(_SAMPLE_BYTES))
    return digest.hexdigest()


def _json(path: Path, name: str):
    try:
        return json.loads((path / name).read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise invalid(path, f"{name} cannot be read ({error}). Was it copied completely") from error


def invalid(path: str | Path, reason: str) -> EngineError:
    return EngineError("model_invalid", f"The tuned model {path} cannot be loaded: {reason}.", reason=reason)
