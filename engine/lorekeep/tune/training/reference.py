"""Readable reference implementation of the training loop: one expert, plain code, the whole vocabulary. train.py does the same for many
experts side by side with shortlists; train_test.py checks that both agree.

An expert is a pair (A, B) for each linear layer of the last layer's MLP; the layer then computes W x + (x A) B. The input of that layer
and the output of its attention were stored when the trunk read the facts: nothing below the MLP changes, so nothing below is computed.
"""

import torch

from lorekeep.tune.training.last_layer import LastLayer
from lorekeep.tune.training.train import (
    BETAS,
    EPSILON,
    RESTARTS,
    SLOWER,
    WARM,
    Material,
    Recipe,
    Trained,
    losses_of,
    rate_factor,
)


def train_one(top: LastLayer, material: Material, recipe: Recipe) -> Trained:
    # Every token of every answer of this expert's facts is a row: N of them.
    state_N_D = torch.cat([reading.state_N_D for reading in material.readings])
    heard_N_D = torch.cat([reading.heard_N_D for reading in material.readings])
    target_N = torch.cat([reading.target_N for reading in material.readings])

    names = list(top.linears)
    start = _start(top, material.seed, recipe)
    weights = [tensor.clone().requires_grad_() for tensor in start]
    mean = [torch.zeros_like(tensor) for tensor in start]
    square = [torch.zeros_like(tensor) for tensor in start]
    best, restarts, since = float("inf"), 0, 0

    for total in range(recipe.max_steps + 1):
        logits_N_V = _logits(top, names, weights, state_N_D, heard_N_D)
        loss = losses_of(logits_N_V, target_N, recipe).mean()
        lead = _least_lead(logits_N_V.detach(), target_N)
        best = min(best, loss.item())

        lost = not torch.isfinite(loss) or (
            since >= recipe.grace_steps and loss.item() > recipe.grown[0] * best + recipe.grown[1]
        )
        recalled = lead >= recipe.margin and not lost
        if recalled or total == recipe.max_steps:
            pairs = [tensor.detach().clone() for tensor in weights]
            experts = {name: (pairs[2 * i], pairs[2 * i + 1]) for i, name in enumerate(names)}
            return Trained(experts, total, loss.item(), lead, recalled, restarts)

        if lost and restarts < RESTARTS:
            # Diverged: restarts from the beginning at a lower rate.
            restarts, since, best = restarts + 1, 0, float("inf")
            for i, tensor in enumerate(start):
                weights[i] = tensor.clone().requires_grad_()
                mean[i].zero_()
                square[i].zero_()
            continue

        since += 1
        gradients = torch.autograd.grad(loss, weights)
        rate = recipe.rate * min(1.0, since / WARM) * SLOWER**restarts * rate_factor(total + 1, recipe)
        with torch.no_grad():
            for i, gradient in enumerate(gradients):
                mean[i].lerp_(gradient, 1 - BETAS[0])
                square[i].mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
                step = (mean[i] / (1 - BETAS[0] ** since)) / (
                    (square[i] / (1 - BETAS[1] ** since)).sqrt() + EPSILON
                )
                # B matters more than A, so it learns faster.
                weights[i] -= step * rate * (recipe.rate_of_b if i % 2 else 1.0)
    raise AssertionError("the last round returns")


def _start(top: LastLayer, seed: int, recipe: Recipe) -> list[torch.Tensor]:
    """Initial expert: A random, B zero, so that the base is unchanged. The seed is derived from the expert's name."""
    random = torch.Generator().manual_seed(seed)
    tensors = []
    for linear in top.linears.values():
        wide, out = linear.shape
        tensors.append(torch.randn(wide, recipe.rank, generator=random) * recipe.scale / wide**0.5)
        tensors.append(torch.zeros(recipe.rank, out))
    return tensors


def _logits(
    top: LastLayer, names: list[str], weights: list[torch.Tensor], state_N_D, heard_N_D
) -> torch.Tensor:
    """Stacks the single expert."""
    top.forget_constants()
    top.head.use(None)
    top.use({name: (weights[2 * i][None], weights[2 * i + 1][None]) for i, name in enumerate(names)})
    return top(state_N_D, heard_N_D).float()


def _least_lead(logits_N_V: torch.Tensor, target_N: torch.Tensor) -> float:
    """Margin in logits of the least certain token over every other token."""
    mine_N = logits_N_V.gather(1, target_N[:, None])[:, 0]
    others_N = logits_N_V.scatter(1, target_N[:, None], float("-inf")).amax(1)
    return float((mine_N - others_N).min())
