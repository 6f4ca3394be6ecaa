"""Experts at inference: low-rank changes to the linear layers of the last layer's MLP, applied to single rows
of a step. Rows without an expert are not touched. A step without experts runs the base's own code only."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

import torch
from torch import nn

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Pair = tuple[torch.Tensor, torch.Tensor]


@dataclass(eq=False)
class Expert:
    name: str
    weights: dict[str, Pair]  # of each linear layer: A (in, rank), B (rank, out)

    @property
    def bytes(self) -> int:
        return sum(side.numel() * side.element_size() for pair in self.weights.values() for side in pair)

    @cached_property
    def rank(self) -> int:
        return next(iter(self.weights.values()))[0].shape[1]


@dataclass
class _Group:
    """Rows of one step whose experts have the same rank; a slice, without a copy, if the rows are
    adjacent."""

    at: slice | torch.Tensor
    stacks: dict[str, Pair]  # of each linear layer: A (row, in, rank) and B (row, rank, out)


class ExpertHooks:
    """Hooks on the last layer of a model. `set` assigns rows to experts before a step."""

    def __init__(self, model: "PreTrainedModel"):
        self.rows: list[tuple[int, Expert]] = []
        self.groups: list[_Group] = []
        self.stacked: dict[int, tuple[tuple[Expert, ...], dict[str, Pair]]] = {}  # by rank, of the last step
        layer = decoder_layers(model)[-1]
        for name in mlp_linears(layer):
            linear = layer.get_submodule(name)

            def act(_: nn.Module, args: tuple, out: torch.Tensor, name: str = name) -> None:
                self._act(name, args[0], out)

            linear.register_forward_hook(act)

    def set(self, rows: list[tuple[int, Expert]], device: torch.device) -> None:
        if rows == self.rows:
            return  # unchanged since the last step
        by_rank: dict[int, list[tuple[int, Expert]]] = {}
        for row, expert in rows:
            by_rank.setdefault(expert.rank, []).append((row, expert))
        self.groups = [
            _Group(_row_index([row for row, _ in some], device), self._stack(rank, some, device))
            for rank, some in sorted(by_rank.items())
        ]
        self.rows = rows  # set last, since stacking may run out of memory

    def _stack(self, rank: int, rows: list[tuple[int, Expert]], device: torch.device) -> dict[str, Pair]:
        experts = tuple(expert for _, expert in rows)
        known = self.stacked.get(rank)
        if known is None or known[0] != experts:
            # The same experts act in consecutive steps, so their weights are stacked once.
            stacks = {
                name: (
                    # The layout (row, rank, in) is read twice as fast.
                    torch.stack([expert.weights[name][0].T for expert in experts])
                    .to(device, torch.float32)
                    .transpose(1, 2),
                    torch.stack([expert.weights[name][1] for expert in experts]).to(device, torch.float32),
                )
                for name in experts[0].weights
            }
            self.stacked[rank] = known = (experts, stacks)
        return known[1]

    def _act(self, name: str, x_1_T_D: torch.Tensor, out_1_T_O: torch.Tensor) -> None:
        for group in self.groups:
            A_N_D_K, B_N_K_O = group.stacks[name]
            x_N_1_D = x_1_T_D[0][group.at][:, None].to(A_N_D_K.dtype)
            more_N_O = torch.bmm(torch.bmm(x_N_1_D, A_N_D_K), B_N_K_O)[:, 0].to(out_1_T_O.dtype)
            if isinstance(group.at, slice):
                out_1_T_O[0][group.at].add_(more_N_O)
            else:
                out_1_T_O[0].index_add_(0, group.at, more_N_O)


def _row_index(rows: list[int], device: torch.device) -> slice | torch.Tensor:
    side_by_side = rows == list(range(rows[0], rows[0] + len(rows)))
    return slice(rows[0], rows[0] + len(rows)) if side_by_side else torch.tensor(rows, device=device)


def decoder_layers(model: "PreTrainedModel") -> nn.ModuleList:
    return cast(nn.ModuleList, model.get_decoder().layers)


def mlp_linears(layer: nn.Module) -> list[str]:
    """Names of the linear layers of a decoder layer outside of its attention: gate, up and down in most
    families, or the first two in one."""
    attention = tuple(name for name, _ in layer.named_children() if "attn" in name or "attention" in name)
    return [
        name
        for name, module in layer.named_modules()
        if hasattr(module, "in_features") and not name.startswith(attention)
    ]
