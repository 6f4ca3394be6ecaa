"""Sampling of the next token. A choice depends on the sequence's own logits, seed and position only, never on
the batch."""

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

# Number of sorted candidates, unless top_p needs more; sorting a large vocabulary costs more than a step.
_CANDIDATES = 512


@dataclass(frozen=True)
class Sampling:
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    seed: int = 0


def choose(logits_V: np.ndarray, how: Sampling, position: int) -> int:
    if how.temperature == 0:
        return int(logits_V.argmax())  # numpy returns the first of equal values
    # Shifted before the division, so that a tiny temperature cannot overflow.
    scaled_V = (logits_V.astype(np.float64) - logits_V.max()) / how.temperature
    weights_V = np.exp(scaled_V)
    u = uniform(how.seed, position)
    if how.top_k == 0 and how.top_p >= 1:
        return _pick(np.cumsum(weights_V), u)
    order = _largest(weights_V, how)
    sums = np.cumsum(weights_V[order])
    if how.top_p < 1:
        # As usual, top_p applies to the tokens that top_k left, and includes the token that reaches the
        # share.
        whole = sums[-1] if how.top_k else weights_V.sum()
        sums = sums[: int(np.searchsorted(sums, how.top_p * whole)) + 1]
    return int(order[_pick(sums, u)])


def _largest(weights_V: np.ndarray, how: Sampling) -> np.ndarray:
    """Tokens by descending weight, ties by number: the first top_k, or as many as top_p can need."""
    count = len(weights_V)
    wanted = min(how.top_k or _CANDIDATES, count)
    if wanted < count:
        least = np.partition(weights_V, count - wanted)[count - wanted]
        among = np.flatnonzero(weights_V >= least)
        order = among[np.argsort(-weights_V[among], kind="stable")][:wanted]
        if how.top_k or weights_V[order].sum() >= how.top_p * weights_V.sum():
            return order
    return np.argsort(-weights_V, kind="stable")


def _pick(sums: np.ndarray, u: float) -> int:
    """The first token whose cumulative weight exceeds the share u. Masked tokens (weight 0) are never
    picked."""
    return int(min(np.searchsorted(sums, u * sums[-1], side="right"), np.searchsorted(sums, sums[-1])))


def uniform(seed: int, position: int) -> float:
    """A number in [0, 1) derived from its arguments, so no generator state is kept or restored."""
    digest = blake2b(position.to_bytes(8, "little"), key=seed.to_bytes(8, "little"), digest_size=8).digest()
    return (int.from_bytes(digest, "little") >> 11) * 2.0**-53


def log_probabilities(logits_V: np.ndarray) -> np.ndarray:
    """Log probabilities of the model itself, before temperature, filters and grammar."""
    shifted_V = logits_V.astype(np.float64) - logits_V.max()
    return shifted_V - np.log(np.exp(shifted_V).sum())
