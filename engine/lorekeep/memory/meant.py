"""Facts without names, found by what they mean: near in meaning to the question, or to question and answer together. Two sentences that
share their frame and differ in what fills it ("a refund for annual plans", "a refund for monthly plans") are not the same question."""

from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from lorekeep.memory.nearest import Nearest
from lorekeep.memory.words import STOP, STRONG, Vocabulary, stem, words

_ARTICLES = frozenset(["the", "a", "an", "my", "an", "our", "your", "i", "we", "you"])
# Of the nearest, so many are looked at more closely.
_CLOSER = 8
# Sentences share a frame when so much of the question stands in the other in the same order; what fills it must be so alike.
_FRAME, _ALIKE = 0.5, 0.5


@dataclass
class Candidate:
    fact: int
    likeness: float


class MeantIndex:
    def __init__(
        self,
        vocabulary: Vocabulary,
        facts: list[int],
        questions: list[str],
        answers: list[str],
        vectors_2N_D: np.ndarray,
        arguments: dict | None = None,
    ):
        """`facts` are the numbers of those without names; `vectors_2N_D` their questions', then their questions' with answers."""
        self.vocabulary, self.facts = vocabulary, facts
        self.nearest = Nearest(vectors_2N_D, arguments)
        self.words = [
            [word.plain for word in words(question) if word.plain not in _ARTICLES] for question in questions
        ]
        self.own = [
            {word.plain for word in words(question)} | {word.plain for word in words(answer)}
            for question, answer in zip(questions, answers, strict=True)
        ]
        self.stems = {stem(word) for own in self.own for word in own if word not in STOP}

    def near(self, text: str) -> bool:
        """Whether any word of it is a word of any fact: what shares none is not looked at, and costs nothing."""
        return any(stem(word.plain) in self.stems for word in words(text) if word.plain not in STOP)

    def candidates(
        self, text: str, vector_D: np.ndarray, embed, without: frozenset[int] = frozenset()
    ) -> list[Candidate]:
        """The best first. `without` leaves out facts by number, for measuring."""
        count = len(self.facts)
        found: dict[int, float] = {}
        for at, score in self.nearest(vector_D, 2 * (_CLOSER + len(without))):
            i = at % count
            if self.facts[i] not in without:
                found[i] = max(found.get(i, -1.0), score)
        strangers = {word for word, strength in self.vocabulary.names(text).items() if strength == STRONG}
        asked = [word.plain for word in words(text) if word.plain not in _ARTICLES]
        best = []
        for i, score in sorted(found.items(), key=lambda one: (-one[1], one[0]))[:_CLOSER]:
            if strangers <= self.own[i] and not self._other(asked, i, embed):
                best.append(Candidate(self.facts[i], score))
                break  # it is the best; the next ones only matter where it was no candidate
        return best

    def _other(self, asked: list[str], i: int, embed) -> bool:
        share, mine, its = difference(asked, self.words[i])
        if share < _FRAME or not mine or not its:
            return False
        a, b = embed([" ".join(mine), " ".join(its)])
        return float(a @ b) < _ALIKE


def difference(a: list[str], b: list[str]) -> tuple[float, list[str], list[str]]:
    """How much of a stands in b in the same order, and the telling words that only one of them has."""
    matcher = SequenceMatcher(None, [stem(word) for word in a], [stem(word) for word in b], autojunk=False)
    same, only_a, only_b = 0, [], []
    for kind, i, j, x, y in matcher.get_opcodes():
        if kind == "equal":
            same += j - i
        else:
            only_a += a[i:j]
            only_b += b[x:y]
    telling = [[word for word in only if word not in STOP] for only in (only_a, only_b)]
    return same / max(1, len(a)), *telling
