"""Reuses experts of earlier models, on the job's base or on another precision of it. Their files are linked into the job's
folder and verified there, so that later changes to those models do not affect the job."""

import contextlib
import os
import shutil
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from lorekeep.errors import EngineError
from lorekeep.memory import compatibility
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.arguments import SHARING, Arguments
from lorekeep.memory.folder import ENGINE, Memory


@dataclass
class ReusedExpert:
    """An expert of an earlier model, in a file of the job's own."""

    file: str
    row: int
    beside: int  # experts in that file, itself included
    recalled: list[bool]  # for each of its facts, in order of ids
    sum: str | None = None  # checksum of its row, from the verified list of the model
    taught_on: str | None = None  # fingerprint of its base, if that is not the job's


# Checksums of the files that this process has read or written, by device, inode, size and modification time, and their maximum number.
_known_sums: dict[tuple[int, int, int, int], str] = {}
_MAX_SUMS = 10_000


def models(paths: list[str], base: str, fingerprint: str) -> tuple[list[Memory], list[str]]:
    """The earlier models that are intact and whose experts can act on this base, and warnings about the others."""
    found, warnings = [], []
    for path in paths:
        try:
            memory = memory_folder.read(path)
            for name in ("facts.jsonl", "experts.json"):
                if not _is_whole(memory.path / name, memory.sums.get(name)):
                    raise memory_folder.invalid(path, f"{name} does not match its checksum")
            is_here = memory.about["base"]["fingerprint"] == fingerprint
            reason = None if is_here else compatibility.misfit(memory, base)
        except EngineError as error:
            warnings.append(f"{error.message} Nothing of it is taken over.")
            continue
        except (OSError, SafetensorError, KeyError, IndexError) as error:
            warnings.append(f"The experts of {path} cannot be read ({error}). Nothing of it is taken over.")
            continue
        if reason is None:
            found.append(memory)
        else:
            warnings.append(
                f"{path} was made on another base than {base}: {reason}. Its facts are taught anew."
            )
    return found, warnings


def groups(earlier: list[Memory], arguments: Arguments) -> dict[str, int]:
    """Groups of facts in earlier models; the first model that has a fact decides. Models with other grouping
    arguments are ignored."""
    found: dict[str, int] = {}
    for memory in earlier:
        if any(memory.about["arguments"].get(name) != getattr(arguments, name) for name in SHARING):
            continue
        first = max(found.values(), default=-1) + 1
        for fact in memory.facts:
            found.setdefault(fact["id"], first + fact["group"])
    return found


def names(earlier: list[Memory], embedded: bool) -> dict[str, dict[str, int]]:
    """Name words of questions as stored by models of this version, with or without the embedding model's
    vocabulary."""
    return {
        fact["input"]: fact["names"]
        for memory in earlier
        if memory.about.get("engine") == ENGINE and (memory.about.get("embedder") is not None) == embedded
        for fact in memory.facts
    }


class ReusableExperts:
    """Experts of earlier models. With a folder, the files of taken experts are linked there and verified;
    `keep` removes the rest."""

    def __init__(self, earlier: list[Memory], folder: Path | None = None):
        self.earlier, self.folder = earlier, folder
        self.warnings: list[str] = []
        self.files: dict[tuple[Path, str], str | None] = {}  # linked files by model, without damaged ones
        self.facts: list[dict[str, dict[str, bool]]] = []  # facts by expert, for each model
        self.beside: list[dict[str, int]] = []
        for memory in earlier:
            experts: dict[str, dict[str, bool]] = {}
            for fact in memory.facts:
                experts.setdefault(fact["expert"], {})[fact["id"]] = fact["recalled"]
            self.facts.append(experts)
            beside: dict[str, int] = {}
            for place in memory.experts.values():
                beside[place.file] = beside.get(place.file, 0) + 1
            self.beside.append(beside)

    def take(self, name: str, ids: list[str]) -> ReusedExpert | None:
        """The expert of this name, from the first model that has it for these facts. The name also determines the base."""
        for memory, facts, beside in zip(self.earlier, self.facts, self.beside, strict=True):
            known = facts.get(name, {})
            if known.keys() != set(ids):
                continue
            place = memory.experts[name]
            if (file := self._file(memory, place.file)) is not None:
                recalled = [known[id] for id in sorted(ids)]
                return ReusedExpert(file, place.row, beside[place.file], recalled, place.sum, place.taught_on)
        return None

    def other_bases(self, fingerprint: str) -> list[str]:
        """Fingerprints of the other bases of the models, in their order."""
        bases = dict.fromkeys(memory.about["base"]["fingerprint"] for memory in self.earlier)
        return [base for base in bases if base != fingerprint]

    def candidate(self, name: str, ids: list[str], base: str, fingerprint: str) -> ReusedExpert | None:
        """The expert of these facts from a model on `base`, under its name there, for a model on another base."""
        if (found := self.take(name, ids)) is None:
            return None
        origin = found.taught_on or base
        # An expert that returns to the base that it was taught on equals one made there.
        return replace(found, taught_on=None if origin == fingerprint else origin)

    def facts_on_other_base(self, fingerprint: str) -> set[str]:
        """Ids of the facts of the first model, if it is on another base."""
        first = self.earlier[0] if self.earlier else None
        if first is None or first.about["base"]["fingerprint"] == fingerprint:
            return set()
        return {fact["id"] for fact in first.facts}

    def keep(self, taken: dict[str, ReusedExpert]) -> dict[str, ReusedExpert]:
        """Reduces each file to the taken experts, candidates among them. Forgotten facts thereby remain in no file of the job."""
        rows: dict[str, list[tuple[int, str]]] = {}
        for name, one in taken.items():
            rows.setdefault(one.file, []).append((one.row, name))
        kept = dict(taken)
        assert self.folder is not None
        for file, wanted in rows.items():
            if len(wanted) == taken[wanted[0][1]].beside:
                continue
            own = f"part-{sha256(' '.join(sorted(name for _, name in wanted)).encode()).hexdigest()}.safetensors"
            with safe_open(self.folder / file, framework="pt") as opened:
                at = [row for row, _ in sorted(wanted)]
                sides = {key: opened.get_tensor(key)[at].contiguous() for key in opened.keys()}  # noqa: SIM118
            save_file(sides, self.folder / own)
            (self.folder / file).unlink()
            for row, (_, name) in enumerate(sorted(wanted)):
                kept[name] = replace(taken[name], file=own, row=row, beside=len(wanted))
        return kept

    def _file(self, memory: Memory, name: str) -> str | None:
        if (memory.path, name) not in self.files:
            self.files[memory.path, name] = self._linked(memory.path / name, memory.sums.get(name))
        return self.files[memory.path, name]

    def _linked(self, file: Path, sum_: str | None) -> str | None:
        own = f"{sum_}.safetensors"
        if self.folder is None:
            return own
        self.folder.mkdir(parents=True, exist_ok=True)
        target = self.folder / own
        if not target.exists():
            with contextlib.suppress(FileNotFoundError):
                link(file, target)
        if _is_whole(target, sum_):
            return own
        target.unlink(missing_ok=True)
        self.warnings.append(
            f"{file} is missing or does not match its checksum. Its experts are trained anew."
        )
        return None


def sum_of(own: str) -> str | None:
    """Checksum of a file that was reused completely and verified."""
    return None if own.startswith("part-") else own.removesuffix(".safetensors")


def link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:  # another disk, or one without hard links
        shutil.copyfile(source, target)


def keys_are_whole(memory: Memory) -> bool:
    return _is_whole(memory.path / "keys.safetensors", memory.sums.get("keys.safetensors"))


def remember(model: Path, sums: dict[str, str]) -> None:
    """Keeps the checksums of a model that this process has just written, since the next job may reuse its experts."""
    for name, sum_ in sums.items():
        _remember(_file_identity(os.stat(model / name)), sum_)


def _is_whole(file: Path, sum_: str | None) -> bool:
    """Whether a file has this checksum. A process that changes one model repeatedly reads each expert file once: expert files are never
    rewritten, and a hard link is the same file."""
    try:
        with open(file, "rb") as opened:
            place = _file_identity(os.fstat(opened.fileno()))
            if place not in _known_sums:
                _remember(place, file_digest(opened, "sha256").hexdigest())
            return _known_sums[place] == sum_
    except FileNotFoundError:  # its model was deleted meanwhile
        return False


def _file_identity(said: os.stat_result) -> tuple[int, int, int, int]:
    return said.st_dev, said.st_ino, said.st_size, said.st_mtime_ns


def _remember(place: tuple[int, int, int, int], sum_: str) -> None:
    if len(_known_sums) >= _MAX_SUMS:
        _known_sums.clear()
    _known_sums[place] = sum_
