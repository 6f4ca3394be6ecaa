"""Yes-or-no judgement of a base in one token: whether facts answer a question, and whether two questions ask the same. Its
quality is measured when a model is tuned, on questions that ship with the engine; it is used only if it is good enough. A base
writes from facts only where its judgement allows it, so a base that judges or writes badly never does."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ANSWERS = "Do these facts answer the question? Answer yes or no."
SAME = "Do these two questions ask the same thing? Answer yes or no."
# Minimum AUC and number of pairs for a judgement of questions to be used; maximum share of a model's own questions that may pass
# after their fact was removed. Minimum share of right answers among those that a base wrote, and number of them.
GOOD, ASKED, WRONG = 0.85, 20, 0.05
RIGHT, WRITTEN = 0.8, 5
_MIN_LOGPROB = -99.0


@dataclass(frozen=True)
class Judgement:
    """Thresholds of the odds; None if the judgement is not used."""

    answers: float | None = None
    same: float | None = None

    @classmethod
    def of(cls, said: object) -> "Judgement":
        """Parses the judgement in memory.json."""
        found = {
            kind: float(one["threshold"])
            for kind, one in (said.items() if isinstance(said, dict) else ())
            if kind in _QUALITY_CHECKS and isinstance(one, dict) and _QUALITY_CHECKS[kind](one)
        }
        return cls(**found)


def _writes_well(one: dict) -> bool:
    if not _finite(one, "written", "right", "threshold"):
        return False
    return one["written"] >= WRITTEN and one["right"] >= RIGHT * one["written"]


def _judges_well(one: dict) -> bool:
    if not _finite(one, "asked", "auc", "threshold"):
        return False
    return one["asked"] >= ASKED and one["auc"] >= max(GOOD, one.get("networks") or 0.0)


def _finite(one: dict, *names: str) -> bool:
    return all(isinstance(one.get(name), int | float) and np.isfinite(one[name]) for name in names)


_QUALITY_CHECKS = {"answers": _writes_well, "same": _judges_well}


def about_facts(turn: str) -> str:
    """`turn` holds the facts and the question as the base reads them for its answer, so that the shared prefix is read once."""
    return f"{turn}\n\n{ANSWERS}"


def about_questions(one: str, other: str) -> str:
    return f"Question 1: {one}\nQuestion 2: {other}\n\n{SAME}"


def odds(answer: dict) -> float:
    """Log odds of yes against no as the first token."""
    found = {"yes": _MIN_LOGPROB, "no": _MIN_LOGPROB}
    for one in (answer.get("logprobs") or [{}])[0].get("top", []):
        word = one["token"].strip().lower()
        # A tokenizer may split the word; then its first piece counts.
        meant = next((whole for whole in found if word and whole.startswith(word)), None)
        if meant:
            found[meant] = max(found[meant], one["logprob"])
    return found["yes"] - found["no"]


def writing_threshold(answers: Sequence[tuple[float, bool]]) -> dict:
    """The lowest odds from which most written answers are right, with the numbers of written and right answers. `answers` holds
    the odds of each question and whether the base's answer is right."""
    ordered = sorted(answers, reverse=True)
    best: dict = {"written": 0, "right": 0, "threshold": None}
    right = 0
    for written, (odds_of_it, is_right) in enumerate(ordered, 1):
        right += is_right
        if written >= WRITTEN and right >= RIGHT * written:
            best = {"written": written, "right": right, "threshold": odds_of_it}
    return best


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
