"""Repetition control: a penalty, n-grams that may not occur twice, and a stop for answers that loop."""

import numpy as np

# An answer loops if its last tokens repeat the same few tokens.
_MIN_REPEATS, _MIN_REPEATED_TOKENS, _MAX_PERIOD = 4, 12, 32


def penalized(logits_V: np.ndarray, tokens: list[int], penalty: float) -> np.ndarray:
    """The usual repetition penalty: tokens of prompt and answer become less likely."""
    seen = np.unique(tokens)
    some = logits_V[seen]
    found_V = logits_V.copy()
    found_V[seen] = np.where(some > 0, some / penalty, some * penalty)
    return found_V


def without_repeated(logits_V: np.ndarray, answer: list[int], size: int) -> np.ndarray:
    """Forbids n-grams that the answer already contains."""
    if len(answer) < size:
        return logits_V
    last = answer[len(answer) - size + 1 :]
    banned = [answer[i + size - 1] for i in range(len(answer) - size + 1) if answer[i : i + size - 1] == last]
    if banned:
        logits_V = logits_V.copy()
        logits_V[banned] = -np.inf
    return logits_V


def is_looping(answer: list[int]) -> bool:
    for size in range(1, min(_MAX_PERIOD, len(answer) // _MIN_REPEATS) + 1):
        last = answer[-size:]
        times = max(_MIN_REPEATS, -(-_MIN_REPEATED_TOKENS // size))
        if len(answer) >= times * size and answer[-times * size :] == last * times:
            return True
    return False
