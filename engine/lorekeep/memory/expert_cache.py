"""Cache of experts on disk. A safetensors file holds the experts of one wave, stacked. An expert is read on
demand, verified by its checksum and kept while there is room; the least recently used one is evicted."""

import contextlib
import json
import logging
import os
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from lorekeep import disk
from lorekeep.errors import EngineError
from lorekeep.infer.experts import Expert, Pair

log = logging.getLogger(__name__)
_DTYPES = {"BF16": torch.bfloat16, "F16": torch.float16, "F32": torch.float32}


@dataclass(frozen=True)
class Location:
    """Location of an expert and its checksum; models of earlier versions have the checksum of the file
    instead."""

    name: str  # among the experts of all models
    file: Path
    row: int
    sum: str | None = None
    file_sum: str | None = None


class ExpertCache:
    """Cache shared by all tuned models of a base. An expert that two models have in common is cached once per
    scope."""

    def __init__(self, budget: int):
        self.budget, self.bytes = budget, 0
        self.experts: OrderedDict[tuple[str, str], Expert] = OrderedDict()  # by scope and name
        self.whole: set[tuple[Path, str]] = set()  # files that were verified completely

    def take(self, at: Location, scope: str = "") -> Expert:
        place = scope, at.name
        if place in self.experts:
            self.experts.move_to_end(place)
            return self.experts[place]
        expert = Expert(at.name, self._read(at))
        self.experts[place] = expert
        self.bytes += expert.bytes
        while self.bytes > self.budget and len(self.experts) > 1:
            self.bytes -= self.experts.popitem(last=False)[1].bytes
        return expert

    def drop(self, at: Location, scope: str = "") -> None:
        """Evicts an expert; its next use reads and verifies it again."""
        if (expert := self.experts.pop((scope, at.name), None)) is not None:
            self.bytes -= expert.bytes

    def _read(self, at: Location) -> dict[str, Pair]:
        try:
            sides = read_row(at.file, at.row)
            if at.sum is not None and sum_of(sides) != at.sum:
                raise ValueError("it does not match its checksum")
            if at.sum is None and at.file_sum is not None:
                self._check_whole(at.file, at.file_sum)
        except Exception as error:  # errors of the system or of the file's content
            name = at.file.relative_to(at.file.parents[1]).as_posix()
            raise damaged(at.file.parents[1], f"{name} cannot be used ({error})") from error
        return layers_of(sides)

    def _check_whole(self, file: Path, sum_: str) -> None:
        if (file, sum_) in self.whole:
            return
        with open(file, "rb") as opened:
            if file_digest(opened, "sha256").hexdigest() != sum_:
                raise ValueError("it does not match its checksum")
        self.whole.add((file, sum_))


def read_row(file: Path, row: int) -> dict[str, torch.Tensor]:
    """Tensors of one expert, read instead of memory-mapped: truncation of a mapped file would kill the
    process."""
    with open(file, "rb", buffering=0) as opened:
        size = int.from_bytes(opened.read(8), "little")
        if not 0 < size <= os.fstat(opened.fileno()).st_size:
            raise ValueError("its head is not whole")
        head = json.loads(opened.read(size))
        head.pop("__metadata__", None)
        return {name: _tensor_row(opened.fileno(), 8 + size, row, **about) for name, about in head.items()}


def layers_of(sides: dict[str, torch.Tensor]) -> dict[str, Pair]:
    layers = sorted({name.rpartition(".")[0] for name in sides})
    return {layer: (sides[f"{layer}.A"], sides[f"{layer}.B"]) for layer in layers}


def row_sums(file: Path) -> list[str]:
    """Checksum of each expert in a file."""
    with open(file, "rb") as opened:
        head = json.loads(opened.read(int.from_bytes(opened.read(8), "little")))
    count = next(about["shape"][0] for name, about in head.items() if name != "__metadata__")
    return [sum_of(read_row(file, row)) for row in range(count)]


def sum_of(sides: dict[str, torch.Tensor]) -> str:
    digest = sha256()
    for name, side in sorted(sides.items()):
        digest.update(f"{name} {side.dtype} {tuple(side.shape)}".encode())
        digest.update(side.contiguous().view(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def _tensor_row(opened: int, begin: int, row: int, dtype: str, shape: list[int], data_offsets: list[int]):
    first, last = data_offsets
    size = (last - first) // shape[0]
    if not 0 <= row < shape[0]:
        raise ValueError(f"it has no expert {row}")
    found = bytearray(os.pread(opened, size, begin + first + row * size))
    if len(found) != size:
        raise ValueError("it is cut short")
    return torch.frombuffer(found, dtype=_DTYPES[dtype]).view(shape[1:])


def damaged(model: Path, reason: str) -> EngineError:
    """Logs the damage too, since the operator has to repair it."""
    log.error("the tuned model %s is damaged: %s", model, reason)
    return EngineError(
        "model_damaged",
        f"The tuned model {model} is damaged: {reason}. Restore it from a backup, import it again, or tune it again.",
        model=str(model),
        reason=reason,
    )


def write(file: Path, experts: list[dict[str, Pair]], metadata: dict[str, str] | None = None) -> None:
    """Writes experts of one shape, stacked in their order."""
    stacks = {}
    for name in experts[0]:
        for side, letter in ((0, "A"), (1, "B")):
            stacks[f"{name}.{letter}"] = torch.stack([one[name][side] for one in experts]).contiguous()
    _save(stacks, file, metadata)


def join(sources: list[Path], file: Path) -> None:
    """Merges the experts of several files; the bytes equal those of `write` for all of them."""
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(safe_open(source, framework="pt")) for source in sources]
        sides = {name: torch.cat([one.get_tensor(name) for one in opened]) for name in opened[0].keys()}  # noqa: SIM118
    _save(sides, file, None)


def _save(sides: dict[str, torch.Tensor], file: Path, metadata: dict[str, str] | None) -> None:
    try:
        save_file(sides, file, metadata)
    except SafetensorError as error:  # it wraps the error of the system
        raise OSError(disk.errno_in(str(error)), str(error)) from error
