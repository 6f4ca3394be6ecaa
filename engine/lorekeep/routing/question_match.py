"""Scores whether two questions ask the same. Features: how well each content word matches in the other
question by the embedding model's word states, the meaning of words that only one question has, and the kind
of answer. The networks of question_match.safetensors weigh the features; bench/memory/fit_question_match.py
fits them on hand-written pairs. The logit of the token matcher (token_match.py) is added."""

import json
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path

import numpy as np
from safetensors import safe_open

from lorekeep.routing import question_kind
from lorekeep.routing.token_match import match_logits
from lorekeep.routing.words import STOP, stem, words

_ARTICLES = frozenset(["the", "a", "an", "my", "our", "your", "i", "we", "you"])
# Maximum number of content words of a text whose vectors are kept.
MAX_WORDS = 24
# Lower bound of the second-best similarity, since among few facts there may be no competitor by chance.
_SECOND = 0.35
_TIME_KINDS, _NUMBER_KINDS = ("duration", "time"), ("degree", "count")
_EXCLUSIVE_FAMILIES = ("money", "place", "person", "times", "numbers")
# Weight of the token matcher's logit against the networks (docs/experiments/2026-11-22-ordinary-facts-tokens.md).
TOKEN_LOGIT_WEIGHT = 0.5


@dataclass
class QuestionVectors:
    """A question with its unit vector and the vectors of its content words and tokens."""

    text: str
    vector_D: np.ndarray
    words_W_D: np.ndarray
    tokens_T_P: np.ndarray  # token vectors (token_match.py)

    @cached_property
    def said(self) -> list[str]:
        return [word.plain for word in words(self.text) if word.plain not in _ARTICLES]

    @cached_property
    def kind(self) -> str:
        return question_kind.answer_kind(self.text)


@dataclass
class Fact(QuestionVectors):
    answer: str
    with_answer_D: np.ndarray
    answer_words_W_D: np.ndarray


def likenesses(asked: QuestionVectors, facts: list[Fact], seconds: list[float]) -> list[float]:
    """Likeness of each fact, between 0 and 1. `seconds` holds the vector similarity of the best other
    fact."""
    weighed_N = np.array([_network_logit(features(asked, *one)) for one in zip(facts, seconds, strict=True)])
    return (1 / (1 + np.exp(-weighed_N - TOKEN_LOGIT_WEIGHT * token_logits(asked, facts)))).tolist()


def _network_logit(found: dict[str, float]) -> float:
    return WEIGHING(np.array([found[name] for name in WEIGHING.features], dtype=np.float32))


def token_logits(asked: QuestionVectors, facts: list[Fact]) -> np.ndarray:
    alike = [float(asked.vector_D @ fact.vector_D) for fact in facts]
    return match_logits(asked.tokens_T_P, [fact.tokens_T_P for fact in facts], alike)


def features(asked: QuestionVectors, fact: Fact, second: float) -> dict[str, float]:
    to_question, to_answer = float(asked.vector_D @ fact.vector_D), float(asked.vector_D @ fact.with_answer_D)
    either = np.concatenate([fact.words_W_D, fact.answer_words_W_D])
    return {
        "question": to_question, "with answer": to_answer, "lead": max(to_question, to_answer) - max(second, _SECOND),
        **_matched("asked", asked.words_W_D, fact.words_W_D), **_matched("fact", fact.words_W_D, asked.words_W_D),
        **_matched("asked or answer", asked.words_W_D, either),
        **_word_similarity("asked", asked, fact.vector_D), **_word_similarity("fact", fact, asked.vector_D),
        **_difference(asked, fact), **_kind_features(asked, fact),
        "opposed": float(question_kind.antonym_pairs(asked.text, fact.text)),
        "negated": float(question_kind.is_negated(asked.text) != question_kind.is_negated(fact.text)),
    }  # fmt: skip


def _matched(name: str, a_W_D: np.ndarray, b_W_D: np.ndarray) -> dict[str, float]:
    """Best match of each word in the other text: mean, minimum and second smallest."""
    if not len(a_W_D):
        best = np.array([0.5])
    elif not len(b_W_D):
        best = np.zeros(1)
    else:
        best = np.sort((a_W_D @ b_W_D.T).max(1))
    return {
        f"{name} matched": float(best.mean()),
        f"{name} matched worst": float(best[0]),
        f"{name} matched second worst": float(best[min(1, len(best) - 1)]),
    }


def _word_similarity(name: str, one: QuestionVectors, other_D: np.ndarray) -> dict[str, float]:
    """Similarity of each word to the whole other question, and its loss compared with its own question."""
    if not len(one.words_W_D):
        return {
            f"{name} told": 0.5,
            f"{name} told worst": 0.5,
            f"{name} lost": 0.0,
            f"{name} lost worst": 0.0,
        }
    similarity_W = one.words_W_D @ other_D
    loss_W = similarity_W - one.words_W_D @ one.vector_D
    return {
        f"{name} told": float(similarity_W.mean()), f"{name} told worst": float(similarity_W.min()),
        f"{name} lost": float(loss_W.mean()), f"{name} lost worst": float(loss_W.min()),
    }  # fmt: skip


def _difference(asked: QuestionVectors, fact: Fact) -> dict[str, float]:
    """Similarity of the words that differ within the shared frame."""
    frame, mine, its = difference(asked.said, fact.said)
    a, b = _filling(asked, mine), _filling(fact, its)
    alike = float(a @ b) if a is not None and b is not None else 1.0
    return {
        "frame": frame, "filling alike": alike, "filling other": frame * (1 - alike),
        "asked only": float(len(mine)), "fact only": float(len(its)), "nothing else": float(not mine and not its),
        "asked adds": frame * bool(mine and not its), "fact adds": frame * bool(its and not mine),
    }  # fmt: skip


def _filling(one: QuestionVectors, only: list[int]) -> np.ndarray | None:
    """Mean vector of the content words among the given words."""
    telling = [i for i, word in enumerate(one.said) if word not in STOP]
    rows = [at for at, i in enumerate(telling) if i in only and at < len(one.words_W_D)]
    if not rows:
        return None
    sum_D = one.words_W_D[rows].sum(0)
    return sum_D / max(float(np.linalg.norm(sum_D)), 1e-9)


def difference(a: list[str], b: list[str]) -> tuple[float, list[int], list[int]]:
    """Share of a's words that b has in the same order, and the content words that only one of them has."""
    matcher = SequenceMatcher(None, [stem(word) for word in a], [stem(word) for word in b], autojunk=False)
    same, only_a, only_b = 0, [], []
    for kind, i, j, x, y in matcher.get_opcodes():
        if kind == "equal":
            same += j - i
        else:
            only_a += [at for at in range(i, j) if a[at] not in STOP]
            only_b += [at for at in range(x, y) if b[at] not in STOP]
    return same / max(1, len(a)), only_a, only_b


def _kind_features(asked: QuestionVectors, fact: Fact) -> dict[str, float]:
    mine, its = asked.kind, fact.kind
    known = question_kind.UNKNOWN not in (mine, its)
    a, b = _family(mine), _family(its)
    given, yes = question_kind.is_of_kind(fact.answer, mine), question_kind.yes_or_no(fact.answer)
    return {
        "same kind": float(mine == its) if known else 0.5, "same family": float(a == b) if known else 0.5,
        "other family": float(a in _EXCLUSIVE_FAMILIES and b in _EXCLUSIVE_FAMILIES and a != b),
        "asked yes or no": float(mine == "yes or no"), "fact yes or no": float(its == "yes or no"),
        "asked way": float(mine == "way"), "fact way": float(its == "way"),
        "answer gives it": float(given is True), "answer lacks it": float(given is False),
        "says yes": float(mine == "yes or no" and yes), "says no yes": float(mine == "yes or no" and not yes),
        "yes unasked": float(known and mine != "yes or no" and yes),
    }  # fmt: skip


def _family(kind: str) -> str:
    return "times" if kind in _TIME_KINDS else "numbers" if kind in _NUMBER_KINDS else kind


class Ensemble:
    """An ensemble of networks with two hidden layers and different initial weights. Features beyond `FAR`
    standard deviations are clipped."""

    FAR = 5.0

    def __init__(self, file: Path):
        with safe_open(file, framework="np") as opened:
            tensors, said = {name: opened.get_tensor(name) for name in opened.keys()}, opened.metadata()  # noqa: SIM118
        self.features: list[str] = json.loads(said["features"])
        # Thresholds that pass each budget's share of hand-written near misses, for facts among others.
        self.thresholds: dict[str, dict[str, float]] = json.loads(said["thresholds"])
        self.mean_F, self.scale_F = tensors["mean"], tensors["scale"]
        self.layers = [(tensors[f"{i}.weight"], tensors[f"{i}.bias"]) for i in range(3)]

    def __call__(self, found_F: np.ndarray) -> float:
        x_M_H = np.clip((found_F - self.mean_F) / self.scale_F, -self.FAR, self.FAR)
        for i, (weight_M_H_H, bias_M_H) in enumerate(self.layers):
            x_M_H = np.einsum("h,mho->mo" if i == 0 else "mh,mho->mo", x_M_H, weight_M_H_H) + bias_M_H
            if i < 2:
                x_M_H = x_M_H / (1 + np.exp(-x_M_H))
        return float(x_M_H.mean())


FILE = Path(__file__).parent / "question_match.safetensors"
WEIGHING = Ensemble(FILE)
AMONG = WEIGHING.thresholds["among"]
# Thresholds for memories of few facts, at which 2, 5 and 12% of the near misses pass in organisations that no fit has seen
# (docs/experiments/2026-11-26-matching-organisations.md).
ALONE = {"strict": 0.85, "balanced": 0.4, "generous": 0.1}
