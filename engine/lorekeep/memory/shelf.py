"""Experts on disk: files of safetensors, each with the experts of a wave stacked, opened without being read. What acts is read when it is
wanted and kept as long as there is room; the longest unused goes."""

import errno
from collections import OrderedDict
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from lorekeep.errors import EngineError
from lorekeep.memory.expert import Expert, Pair

# An open file takes a place in the process's table.
_OPEN = 128


class Shelf:
    """Shared by all tuned models of a base: an expert that two of them have is there once."""

    def __init__(self, budget: int):
        self.budget, self.bytes = budget, 0
        self.experts: OrderedDict[str, Expert] = OrderedDict()
        self.files: OrderedDict[Path, object] = OrderedDict()

    def take(self, name: str, file: Path, row: int) -> Expert:
        if name in self.experts:
            self.experts.move_to_end(name)
            return self.experts[name]
        expert = Expert(name, self._read(file, row))
        self.experts[name] = expert
        self.bytes += expert.bytes
        while self.bytes > self.budget and len(self.experts) > 1:
            self.bytes -= self.experts.popitem(last=False)[1].bytes
        return expert

    def close(self, folder: Path) -> None:
        """Files of a model that is no longer loaded."""
        for file in [file for file in self.files if file.is_relative_to(folder)]:
            del self.files[file]

    def _read(self, file: Path, row: int) -> dict[str, Pair]:
        try:
            opened = self._open(file)
            # Cloned: a view would keep a page of the file from going.
            sides = {name: opened.get_slice(name)[row].clone() for name in opened.keys()}  # noqa: SIM118
        except Exception as error:  # safetensors has errors of its own, the system others
            raise EngineError(
                "model_invalid",
                f"The expert in {file.name} cannot be read ({error}). Was the model copied whole?",
                reason=str(error)[:500],
            ) from error
        layers = sorted({name.rpartition(".")[0] for name in sides})
        return {layer: (sides[f"{layer}.A"], sides[f"{layer}.B"]) for layer in layers}

    def _open(self, file: Path):
        if file in self.files:
            self.files.move_to_end(file)
        else:
            self.files[file] = safe_open(file, framework="pt")
            while len(self.files) > _OPEN:
                self.files.popitem(last=False)
        return self.files[file]


def write(file: Path, experts: list[dict[str, Pair]], metadata: dict[str, str] | None = None) -> None:
    """Experts of one shape, stacked in their order."""
    stacks = {}
    for name in experts[0]:
        for side, letter in ((0, "A"), (1, "B")):
            stacks[f"{name}.{letter}"] = torch.stack([one[name][side] for one in experts]).contiguous()
    try:
        save_file(stacks, file, metadata)
    except SafetensorError as error:  # hides which error of the system it was
        full = "No space" in str(error) or "os error 28" in str(error)
        raise OSError(errno.ENOSPC if full else errno.EIO, str(error)) from error
