"""Facts without names, found by what they mean: the nearest by their vectors, of question or of question and answer, are looked at more
closely (match.py)."""

from dataclasses import dataclass

from lorekeep.memory.match import Asked, Fact, likenesses
from lorekeep.memory.nearest import Nearest
from lorekeep.memory.spelled import Plain
from lorekeep.memory.words import STOP, STRONG, Vocabulary, stem, words

# Of the nearest, so many are looked at more closely; but none that is farther than all that ever passed (docs/experiments.md).
_CLOSER, _FAR = 4, 0.35


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
        plain: Plain,
        arguments: dict | None = None,
    ):
        """`facts` are the numbers of those without names, `plain` what is stored of them."""
        self.vocabulary, self.facts, self.questions, self.answers = vocabulary, facts, questions, answers
        self.at = {fact: i for i, fact in enumerate(facts)}
        self.plain = plain
        self.nearest = Nearest(plain.vectors_2N_D.astype("f4"), arguments)
        self.own = [
            {word.plain for word in words(question)} | {word.plain for word in words(answer)}
            for question, answer in zip(questions, answers, strict=True)
        ]
        self.stems = {stem(word) for own in self.own for word in own if word not in STOP}

    def near(self, text: str) -> bool:
        """Whether any word of it is a word of any fact: what shares none is not looked at, and costs nothing."""
        return any(stem(word.plain) in self.stems for word in words(text) if word.plain not in STOP)

    def fact(self, number: int) -> Fact:
        i = self.at[number]
        vectors_2N_D = self.nearest.vectors_N_D
        return Fact(
            self.questions[i], vectors_2N_D[i], self.plain.words_2N[2 * i], self.plain.tokens_N[i],
            self.answers[i], vectors_2N_D[len(self.facts) + i], self.plain.words_2N[2 * i + 1],
        )  # fmt: skip

    def candidates(self, asked: Asked, without: frozenset[int] = frozenset()) -> list[Candidate]:
        """The likest first. `without` leaves out facts by number, for measuring."""
        closest = self.closest(asked, without)
        alike = likenesses(
            asked, [self.fact(number) for number, _ in closest], [second for _, second in closest]
        )
        found = [Candidate(number, each) for (number, _), each in zip(closest, alike, strict=True)]
        return sorted(found, key=lambda one: (-one.likeness, one.fact))

    def closest(self, asked: Asked, without: frozenset[int] = frozenset()) -> list[tuple[int, float]]:
        """The nearest facts by their vectors, and of each how near the best of the others is."""
        near: dict[int, float] = {}
        for at, score in self.nearest(asked.vector_D, 2 * (_CLOSER + len(without))):
            number = self.facts[at % len(self.facts)]
            if number not in without:
                near[number] = max(near.get(number, -1.0), score)
        best = sorted(near.values(), reverse=True)[:2]
        # A name that no word of the fact is makes it another question.
        strangers = {
            word for word, strength in self.vocabulary.names(asked.text).items() if strength == STRONG
        }
        ranked = sorted(near.items(), key=lambda one: (-one[1], one[0]))[:_CLOSER]
        return [
            (number, -1.0 if len(best) < 2 else best[1] if score == best[0] else best[0])
            for number, score in ranked
            if score >= _FAR and strangers <= self.own[self.at[number]]
        ]
