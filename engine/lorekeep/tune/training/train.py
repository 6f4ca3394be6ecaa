"""Trains a wave of experts side by side until each recites its answers (early stopping per expert). Experts do not
influence each other: the bits of an expert depend on its own facts only. reference.py is the readable version for one expert."""

import math
from dataclasses import dataclass

import torch
from torch.nn import functional as F

from lorekeep.memory.arguments import Arguments
from lorekeep.tune.training.last_layer import AnswerStates, LastLayer

# Rows of an expert are padded to a multiple of this, so that experts of similar size share one shape.
ROWS = 8
WARM, BETAS, EPSILON = 5, (0.9, 0.95), 1e-8
# Divergence: grace steps; growth of the loss over its best value (factor, and nats); factor of the rate for a restart; maximum restarts.
GRACE_STEPS, GROWN, SLOWER, RESTARTS = 8, (2.0, 1.0), 0.4, 5
# Each expert is trained against this number of the most likely tokens. The whole vocabulary is checked before it counts as done.
SHORTLIST = 512

Pair = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class Recipe:
    """Hyperparameters of experts. `rate` is the effective learning rate of A; B learns `rate_of_b` times as
    fast."""

    rank: int = 4
    rate: float = 0.01
    rate_of_b: float = 8.0
    max_steps: int = 100
    scale: float = 1.0  # scale of the initial A
    # Margin in logits by which every token of an answer has to lead. A vocabulary with near twins (a word with and without its space)
    # allows no more than about two.
    margin: float = 0.5
    # Large-margin loss: logits are multiplied by this factor, and the right ones lowered by `ahead`, so that the minimum is the widest
    # margin instead of the most likely answer. Tokens with similar vectors cannot all be likely, but each can still lead.
    sharpness: float = 1.0
    ahead: float = 0.0
    falling: bool = False  # whether the rate decays to almost zero at the last step
    shortlist: int | None = None  # size of the shortlist (default: SHORTLIST)
    renewed: int = 0  # steps after which the shortlist is updated to the expert's present output (0: never)
    grace_steps: int = GRACE_STEPS
    grown: tuple[float, float] = GROWN

    @classmethod
    def of(cls, arguments: Arguments, width: int, facts: int = 1) -> "Recipe":
        """The recipe for an expert with `facts` facts on a base of this width."""
        rank, steps = arguments.rank(facts), arguments.max_steps
        if arguments.num_train_epochs is not None:  # a step uses all facts of its expert, so it is an epoch
            steps = min(steps, max(1, round(arguments.num_train_epochs)))
        # lora_alpha scales A at the start; readers of the weights then need no factor.
        scale = 1.0 if arguments.lora_alpha is None else arguments.lora_alpha / rank
        return cls(rank=rank, rate=arguments.effective_rate(width), max_steps=steps, scale=scale)


@dataclass
class Material:
    """States of all facts of one expert. The seed follows from the expert's name."""

    seed: int
    readings: list[AnswerStates]

    @property
    def rows(self) -> int:
        return sum(map(len, self.readings))

    @property
    def padded(self) -> int:
        return -(-self.rows // ROWS) * ROWS


@dataclass
class Trained:
    weights: dict[str, Pair]  # of each linear layer: A (in, rank) and B (rank, out)
    steps: int
    loss: float
    margin: float  # the least lead of any token
    recalled: bool
    restarts: int
    begun: float = math.nan  # the loss before the first step


def fresh(top: LastLayer, seed: int, recipe: Recipe) -> dict[str, Pair]:
    """A new expert without effect: A random, B zero."""
    random = torch.Generator().manual_seed(seed)
    made = {}
    for name, linear in top.linears.items():
        wide, out = linear.shape
        made[name] = (
            torch.randn(wide, recipe.rank, generator=random) * recipe.scale / wide**0.5,
            torch.zeros(recipe.rank, out),
        )
    return made


def train_wave(
    top: LastLayer, materials: list[Material], recipe: Recipe, losses: list[list[float]] | None = None
) -> list[Trained]:
    """Trains experts of one padded size. `losses` receives the loss of each expert at each step."""
    wave = _Wave(top, materials, recipe)
    if losses is not None:
        wave.losses = [[] for _ in materials]
        losses += wave.losses
    while wave.active:
        wave.step()
    return [wave.done[i] for i in range(len(materials))]


def wave_bytes(top: LastLayer, rows: int, recipe: Recipe) -> int:
    """Estimated memory of an expert during training: weights with gradients and moments, its part of the head, and
    activations of its rows."""
    shapes = [linear.shape for linear in top.linears.values()]
    own = recipe.rank * sum(map(sum, shapes)) * 4 * 5
    shortlist = min(recipe.shortlist or SHORTLIST, top.head.size)
    made = rows * (6 * sum(out for _, out in shapes) + 12 * shortlist)
    return own + shortlist * top.width * top.itemsize + made


class _Wave:
    def __init__(self, top: LastLayer, materials: list[Material], recipe: Recipe):
        self.top, self.recipe, self.device = top, recipe, top.device
        self.done: dict[int, Trained] = {}
        self.losses: list[list[float]] | None = None
        self.begun: list[float] = []
        self.active = list(range(len(materials)))
        self.rows = materials[0].padded
        assert all(material.padded == self.rows for material in materials)
        self.names = list(top.linears)
        parts = [_padded_states(material, self.rows) for material in materials]
        self.state_E_R_D, self.heard_E_R_D, self.target_E_R, self.weight_E_R = (
            torch.stack(part).to(self.device) for part in zip(*parts, strict=True)
        )
        fresh_ones = [fresh(top, material.seed, recipe) for material in materials]
        self.fresh = [
            torch.stack([one[name][side] for one in fresh_ones]).to(self.device)
            for name in self.names
            for side in (0, 1)
        ]
        self.tensors = [tensor.clone().requires_grad_() for tensor in self.fresh]
        self.first = [torch.zeros_like(tensor) for tensor in self.fresh]
        self.second = [torch.zeros_like(tensor) for tensor in self.fresh]
        count = len(materials)
        self.steps_E = torch.zeros(
            count, dtype=torch.long, device=self.device
        )  # steps since the last restart
        self.total_E = torch.zeros(count, dtype=torch.long, device=self.device)
        self.restarts_E = torch.zeros(count, dtype=torch.long, device=self.device)
        self.best_E = torch.full((count,), float("inf"), device=self.device)
        self.list_E_C, self.at_E_R = self._shortlist()

    # ---- one step of all unfinished experts
    def step(self) -> None:
        if self.recipe.renewed and int(self.total_E[0]) % self.recipe.renewed == self.recipe.renewed - 1:
            self._renew()
        self.top.use(self._experts())
        self.top.head.use(self.list_E_C)
        logits_E_R_C = self.top(self.state_E_R_D.flatten(0, 1), self.heard_E_R_D.flatten(0, 1)).float()
        logits_E_R_C = logits_E_R_C.view(len(self.active), self.rows, -1)
        loss_E_R = losses_of(logits_E_R_C, self.at_E_R, self.recipe)
        loss_E = (loss_E_R * self.weight_E_R).sum(1)
        lead_E = self._leads(logits_E_R_C.detach(), self.at_E_R)
        gradients = torch.autograd.grad(loss_E.sum(), self.tensors)
        self._update_experts(loss_E.detach(), lead_E, gradients)

    @torch.no_grad()
    def _update_experts(self, loss_E: torch.Tensor, lead_E: torch.Tensor, gradients) -> None:
        if not self.begun:
            self.begun = loss_E.tolist()
        if self.losses is not None:
            for expert, loss in zip(self.active, loss_E.tolist(), strict=True):
                if expert not in self.done:
                    self.losses[expert].append(loss)
        self.best_E = torch.fmin(self.best_E, loss_E)
        times, nats = self.recipe.grown
        grown_E = (loss_E > times * self.best_E + nats) & (self.steps_E >= self.recipe.grace_steps)
        lost_E = grown_E | ~loss_E.isfinite()
        maybe_E = (lead_E >= self.recipe.margin) & ~lost_E
        ended_E = maybe_E & self._whole(maybe_E) if maybe_E.any() else maybe_E
        spent_E = (self.total_E >= self.recipe.max_steps) & ~ended_E
        for i in (ended_E | spent_E).nonzero()[:, 0].tolist():
            self._finish(i, bool(ended_E[i]), float(loss_E[i]), float(lead_E[i]))
        again_E = lost_E & (self.restarts_E < RESTARTS)
        if again_E.any():
            self._begin_again(again_E)
        self._adam(gradients, ~again_E)
        gone = [i for i, expert in enumerate(self.active) if expert in self.done]
        if len(gone) * 8 >= len(self.active):
            self._close_ranks()

    def _adam(self, gradients, moving_E: torch.Tensor) -> None:
        self.steps_E += moving_E
        self.total_E += 1
        rate_E_1_1, grown_E_1_1, grown_square_E_1_1 = self._factors()
        moving_E_1_1 = moving_E[:, None, None]
        for i, (tensor, gradient) in enumerate(zip(self.tensors, gradients, strict=True)):
            gradient = torch.where(moving_E_1_1, gradient, 0)
            mean, square = self.first[i], self.second[i]
            mean.lerp_(gradient, 1 - BETAS[0])
            square.mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
            move = (mean / grown_E_1_1) / ((square / grown_square_E_1_1).sqrt() + EPSILON)
            tensor.sub_(move * rate_E_1_1 * (self.recipe.rate_of_b if i % 2 else 1.0))

    def _factors(self) -> list[torch.Tensor]:
        """The rate of each expert and its bias corrections (Adam). They are computed separately for each expert, since vectorised powers
        of many numbers differ in the last bits from those of a few."""
        rows = [
            (
                self.recipe.rate
                * min(1.0, since / WARM)
                * SLOWER**restarts
                * rate_factor(total, self.recipe),
                1 - BETAS[0] ** since,
                1 - BETAS[1] ** since,
            )
            for since, total, restarts in zip(
                self.steps_E.clamp(min=1).tolist(),
                self.total_E.tolist(),
                self.restarts_E.tolist(),
                strict=True,
            )
        ]
        factors_3_E = torch.tensor(rows, device=self.device).T.contiguous()
        return [factor_E[:, None, None] for factor_E in factors_3_E]

    def _begin_again(self, again_E: torch.Tensor) -> None:
        at = again_E.nonzero()[:, 0]
        for i, tensor in enumerate(self.tensors):
            tensor[at] = self.fresh[i][at]
            self.first[i][at] = 0
            self.second[i][at] = 0
        self.steps_E[at] = 0
        self.best_E[at] = float("inf")
        self.restarts_E[at] += 1

    def _finish(self, i: int, recalled: bool, loss: float, margin: float) -> None:
        expert = self.active[i]
        if expert in self.done:
            return
        pairs = [tensor[i].detach().clone() for tensor in self.tensors]
        weights = {name: (pairs[2 * n], pairs[2 * n + 1]) for n, name in enumerate(self.names)}
        steps, restarts = int(self.total_E[i]), int(self.restarts_E[i])
        self.done[expert] = Trained(weights, steps, loss, margin, recalled, restarts, self.begun[expert])

    def _close_ranks(self) -> None:
        keep = [i for i, expert in enumerate(self.active) if expert not in self.done]
        self.active = [self.active[i] for i in keep]
        if not keep:
            self.top.forget_constants()
            return
        self.top.keep_constants(keep, self.rows)
        self.tensors = [tensor.detach()[keep].requires_grad_() for tensor in self.tensors]
        for name in ("fresh", "first", "second"):
            setattr(self, name, [tensor[keep] for tensor in getattr(self, name)])
        for name in (
            "state_E_R_D",
            "heard_E_R_D",
            "target_E_R",
            "weight_E_R",
            "steps_E",
            "total_E",
            "restarts_E",
            "best_E",
            "list_E_C",
            "at_E_R",
        ):
            tensor = getattr(self, name)
            setattr(self, name, tensor if tensor is None else tensor[keep])

    # ---- the vocabulary
    @torch.no_grad()
    def _shortlist(self) -> tuple[torch.Tensor | None, torch.Tensor]:
        """Shortlist of each expert: the tokens of its answers and the likeliest tokens of the base at their
        positions."""
        vocabulary = self.top.head.size
        size = max(self.recipe.shortlist or SHORTLIST, max(len(one.unique()) for one in self.target_E_R) * 2)
        self.top.forget_constants()
        if size * 2 > vocabulary:
            return None, self.target_E_R
        lists = []
        for i in range(len(self.active)):
            logits_R_V = self._logits([i], None)[0]
            best_V = logits_R_V.masked_fill(self.weight_E_R[i][:, None] == 0, float("-inf")).amax(0)
            best_V[self.target_E_R[i]] = float("inf")
            # Sorted by token id, so that equal lists have equal order.
            lists.append(best_V.topk(-(-size // 64) * 64).indices.sort().values)
        list_E_C = torch.stack(lists)
        return list_E_C, torch.searchsorted(list_E_C, self.target_E_R)

    def _whole(self, maybe_E: torch.Tensor) -> torch.Tensor:
        """Checks whether the experts lead over the whole vocabulary too. For those that do not, the competing
        tokens are added to the shortlist."""
        if self.list_E_C is None:
            return maybe_E
        found_E = torch.zeros_like(maybe_E)
        for i in maybe_E.nonzero()[:, 0].tolist():
            if self.active[i] in self.done:
                continue
            logits_1_R_V = self._logits([i], self._experts([i]))
            lead = self._leads(logits_1_R_V, self.target_E_R[i : i + 1], self.weight_E_R[i : i + 1])
            found_E[i] = bool(lead[0] >= self.recipe.margin)
            if not found_E[i]:
                self._replace_shortlist(i, logits_1_R_V[0])
        return found_E

    def _renew(self) -> None:
        if self.list_E_C is not None:
            for i, expert in enumerate(self.active):
                if expert not in self.done:
                    self._replace_shortlist(i, self._logits([i], self._experts([i]))[0])

    def _replace_shortlist(self, i: int, logits_R_V: torch.Tensor) -> None:
        best_V = logits_R_V.masked_fill(self.weight_E_R[i][:, None] == 0, float("-inf")).amax(0)
        best_V[self.target_E_R[i]] = float("inf")
        assert self.list_E_C is not None
        self.list_E_C = self.list_E_C.clone()  # a new tensor makes the head gather its rows again
        self.list_E_C[i] = best_V.topk(self.list_E_C.shape[1]).indices.sort().values
        self.at_E_R[i] = torch.searchsorted(self.list_E_C[i], self.target_E_R[i])

    def _logits(self, some: list[int], experts: dict[str, Pair] | None) -> torch.Tensor:
        kept = {name: linear.constant for name, linear in self.top.linears.items()}
        self.top.forget_constants()
        self.top.use(experts)
        self.top.head.whole = True
        with torch.no_grad():
            logits_T_V = self.top(
                self.state_E_R_D[some].flatten(0, 1), self.heard_E_R_D[some].flatten(0, 1)
            ).float()
        for name, linear in self.top.linears.items():
            linear.constant = kept[name]
        self.top.head.whole = False
        return logits_T_V.view(len(some), self.rows, -1)

    def _leads(self, logits_E_R_C: torch.Tensor, at_E_R: torch.Tensor, weight_E_R=None) -> torch.Tensor:
        """Margin by which the least certain token of each expert leads."""
        weight_E_R = self.weight_E_R if weight_E_R is None else weight_E_R
        mine_E_R = logits_E_R_C.gather(2, at_E_R[..., None])[..., 0]
        others_E_R = logits_E_R_C.scatter(2, at_E_R[..., None], float("-inf")).amax(2)
        return (mine_E_R - others_E_R).masked_fill(weight_E_R == 0, float("inf")).amin(1)

    def _experts(self, some: list[int] | None = None) -> dict[str, Pair]:
        tensors = self.tensors if some is None else [tensor.detach()[some] for tensor in self.tensors]
        return {name: (tensors[2 * n], tensors[2 * n + 1]) for n, name in enumerate(self.names)}


def losses_of(logits_X_V: torch.Tensor, target_X: torch.Tensor, recipe: Recipe) -> torch.Tensor:
    """Loss of each row."""
    if recipe.ahead:
        right = torch.zeros_like(logits_X_V).scatter(-1, target_X[..., None], recipe.ahead)
        logits_X_V = logits_X_V - right
    sharp_X_V = logits_X_V * recipe.sharpness if recipe.sharpness != 1 else logits_X_V
    return F.cross_entropy(sharp_X_V.movedim(-1, 1), target_X, reduction="none") / recipe.sharpness


def rate_factor(steps, recipe: Recipe):
    """Learning-rate factor after a number of steps."""
    return 1 - recipe.falling * 0.95 * steps / recipe.max_steps


def _padded_states(material: Material, rows: int) -> tuple[torch.Tensor, ...]:
    """Concatenated states of the facts. Padding rows have weight 0."""
    state, attention, target = (
        torch.cat([getattr(reading, part) for reading in material.readings])
        for part in ("state_N_D", "heard_N_D", "target_N")
    )
    more = rows - len(target)
    weight = torch.cat([torch.full((len(target),), 1 / len(target)), torch.zeros(more)])
    return (
        torch.cat([state, state[:1].expand(more, -1)]),
        torch.cat([attention, attention[:1].expand(more, -1)]),
        torch.cat([target, target[:1].expand(more)]),
        weight,
    )
