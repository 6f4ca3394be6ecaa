"""Experts as they act while answers are spoken: low-rank changes to the linear layers of the last layer's MLP, each for single rows of a
step. Rows without one are not touched; a step without any runs the base's own code alone."""

from dataclasses import dataclass
from functools import cached_property

import torch

from lorekeep.tune.top import mlp_linears

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
    """Rows of one step whose experts have one rank: a slice where they stand side by side, which needs no copy."""

    at: slice | torch.Tensor
    stacks: dict[str, Pair]  # of each linear layer: A (row, in, rank) and B (row, rank, out)


class Acting:
    """Hooks on the last layer of a model. `set` says before a step which row is whose."""

    def __init__(self, model: torch.nn.Module):
        self.rows: list[tuple[int, Expert]] = []
        self.groups: list[_Group] = []
        self.stacked: dict[int, tuple[tuple[Expert, ...], dict[str, Pair]]] = {}  # by rank, of the last step
        layer = model.get_decoder().layers[-1]
        for name in mlp_linears(layer):
            linear = layer.get_submodule(name)
            linear.register_forward_hook(lambda _, args, out, name=name: self._act(name, args[0], out))

    def set(self, rows: list[tuple[int, Expert]], device: torch.device) -> None:
        if rows == self.rows:
            return  # as in the step before
        by_rank: dict[int, list[tuple[int, Expert]]] = {}
        for row, expert in rows:
            by_rank.setdefault(expert.rank, []).append((row, expert))
        self.groups = [
            _Group(_places([row for row, _ in some], device), self._stack(rank, some, device))
            for rank, some in sorted(by_rank.items())
        ]
        self.rows = rows  # not before: there may have been no memory for them

    def _stack(self, rank: int, rows: list[tuple[int, Expert]], device: torch.device) -> dict[str, Pair]:
        experts = tuple(expert for _, expert in rows)
        known = self.stacked.get(rank)
        if known is None or known[0] != experts:
            # The same experts act step after step: their weights are laid together once.
            stacks = {
                name: (
                    # Laid as (row, rank, in), which is read twice as fast.
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


def _places(rows: list[int], device: torch.device) -> slice | torch.Tensor:
    side_by_side = rows == list(range(rows[0], rows[0] + len(rows)))
    return slice(rows[0], rows[0] + len(rows)) if side_by_side else torch.tensor(rows, device=device)
