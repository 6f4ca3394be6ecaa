"""The experts of a tuned model as adapters for other programs, written in each program's own format. An export holds a
folder or file per adapter, adapters.json and a README.md."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import torch

from lorekeep.infer.experts import Expert
from lorekeep.memory.expert_cache import ExpertCache
from lorekeep.memory.folder import Memory


@dataclass
class Adapter:
    """An expert with its facts. `down` is (rank, in) and `up` (out, rank) for each linear layer of the last
    layer's MLP, by its name there."""

    name: str  # of the expert
    rank: int
    layers: dict[str, tuple[torch.Tensor, torch.Tensor]]
    facts: list[dict] = field(default_factory=list)

    def content(self) -> str:
        """Hash of the adapter's weights, used as a name that other weights can never have."""
        digest = sha256(str(self.rank).encode())
        for name, sides in sorted(self.layers.items()):
            digest.update(name.encode())
            for side in sides:
                digest.update(side.numpy().tobytes())
        return digest.hexdigest()[:32]


def adapters_of(memory: Memory, ranks: tuple[int, ...] = ()) -> Iterator[Adapter]:
    """Yields one adapter at a time. `ranks` are the ranks that the program supports; an expert of another rank is padded
    with zeros to the next one."""
    facts: dict[str, list[tuple[int, dict]]] = {}
    for i, fact in enumerate(memory.facts):
        facts.setdefault(fact["expert"], []).append((i, fact))
    cache = ExpertCache(1 << 28)
    for name, taught in facts.items():
        expert = cache.take(memory.place(taught[0][0]))
        rank = next((one for one in ranks if one >= expert.rank), expert.rank)
        yield Adapter(
            name,
            rank,
            _padded_layers(expert, rank),
            [
                {"input": fact["input"], "output": fact["output"], "recalled": fact["recalled"]}
                for _, fact in taught
            ],
        )


def _padded_layers(expert: Expert, rank: int) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    more = rank - expert.rank
    return {
        name: (
            torch.nn.functional.pad(down.float().T, (0, 0, 0, more)).contiguous(),
            torch.nn.functional.pad(up.float().T, (0, more)).contiguous(),
        )
        for name, (down, up) in expert.weights.items()
    }


def write_index(folder: Path, facts_of: dict[str, list[dict]], readme: str) -> None:
    (folder / "adapters.json").write_text(json.dumps({"adapters": facts_of}, indent=1, ensure_ascii=False))
    (folder / "README.md").write_text(readme)
