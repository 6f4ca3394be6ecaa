"""Yes-or-no judgement of a base in one token: whether facts answer a question, and whether two questions ask the same. Its
quality is measured when a model is tuned, on questions that ship with the engine; it is used only if it is good enough."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ANSWERS = "Do these facts answer the question? Answer yes or no."
SAME = "Do these two questions ask the same thing? Answer yes or no."
# Minimum AUC and number of pairs for a judgement to be used; maximum share of a model's own questions that may pass after
# their fact was removed.
GOOD, ASKED, WRONG = 0.85, 20, 0.05
_LEAST = -99.0


@dataclass(frozen=True)
class Judgement:
    """Thresholds of the odds; None if the judgement is not used."""

    answers: float | None = None
    same: float | None = None

    @classmethod
    def of(cls, said: object) -> "Judgement":
        """As memory.json has it."""
        found = {
            kind: float(one["threshold"])
            for kind, one in (said.items() if isinstance(said, dict) else ())
            if kind in ("answers", "same") and isinstance(one, dict) and _good(one)
        }
        return cls(**found)


def _good(one: dict) -> bool:
    figures = [one.get(name) for name in ("asked", "auc", "threshold", "networks")]
    if not all(isinstance(figure, int | float) and np.isfinite(figure) for figure in figures[:3]):
        return False
    return one["asked"] >= ASKED and one["auc"] >= max(GOOD, figures[3] or 0.0)


def about_facts(turn: str) -> str:
    """`turn` holds the facts and the question as the base reads them for its answer, so that the shared prefix is read once."""
    return f"{turn}\n\n{ANSWERS}"


def about_questions(one: str, other: str) -> str:
    return f"Question 1: {one}\nQuestion 2: {other}\n\n{SAME}"


def odds(answer: dict) -> float:
    """Log odds of yes against no as the first token."""
    found = {"yes": _LEAST, "no": _LEAST}
    for one in (answer.get("logprobs") or [{}])[0].get("top", []):
        word = one["token"].strip().lower()
        # A tokenizer may split the word; then its first piece counts.
        meant = next((whole for whole in found if word and whole.startswith(word)), None)
        if meant:
            found[meant] = max(found[meant], one["logprob"])
    return found["yes"] - found["no"]


def auc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """AUC: the share of pairs of a right and a wrong example in which the right one has the higher odds."""
    if not right or not wrong:
        return 0.0
    right_N_1, wrong_1_N = np.array(right)[:, None], np.array(wrong)[None]
    return float(((right_N_1 > wrong_1_N) + 0.5 * (right_N_1 == wrong_1_N)).mean())


def threshold(wrong: Sequence[float]) -> float:
    """Threshold that at most a small share of the wrong examples reach."""
    ordered = np.sort(np.array(wrong))
    return float(ordered[min(len(ordered) - 1, int(np.ceil(len(ordered) * (1 - WRONG))))]) + 1e-4
