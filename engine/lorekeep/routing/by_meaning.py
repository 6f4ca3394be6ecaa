"""Index of facts without names, searched by meaning. The nearest facts by vector (of the question, or of
question and answer) are scored by question_match.py."""

import re
from dataclasses import dataclass
from itertools import pairwise

from lorekeep.routing import question_kind
from lorekeep.routing.embedders.likeness import FITTED, Likeness
from lorekeep.routing.nearest import Nearest
from lorekeep.routing.question_match import Fact, QuestionVectors
from lorekeep.routing.stored_keys import PlainKeys
from lorekeep.routing.synonyms.groups import everyday_words, lemma
from lorekeep.routing.words import STOP, STRONG, Vocabulary, stem, words

# Maximum number of nearest candidates that are scored, and minimum similarity, below which no candidate ever passed
# (docs/experiments/2026-11-22-serving-memory-prompt-grew.md).
_MAX_CANDIDATES, _MIN_SIMILARITY = 4, 0.35
# Minimum content words of a shorter question, since fewer may be about anything, and maximum further ones of a fact's question.
_MIN_CONTENT_WORDS, _MAX_EXTRA_WORDS = 2, 2
_QUESTION_PATTERN = re.compile(
    r"\?|\b(?:who|whom|whose|what|which|where|when|why|how|can|could|may|must|should|am i|are we|is it|is there|do|does|did|help)\b",
    re.IGNORECASE,
)
# Quantities, which are no names. A number after a noun such as "room" may name a place or a thing.
_QUANTITY_PATTERN = re.compile(
    r"\b(?:\d{1,3}(?:[.,]\d+)?(?=\s+[a-z])|(?:is|am|are|be|of|about|for|at|by|in|year|aged?|to|until|over|under) \d{1,4}(?!\S*\w)|[€$£]\d+)"
)


def content_stems(text: str) -> frozenset[str]:
    """The stems of the content words of a question."""
    return frozenset(stem(word.plain.replace("-", "")) for word in words(text) if word.plain not in STOP)


def sure_names(text: str, vocabulary: Vocabulary) -> set[str]:
    """The words of a text that are certainly names, without quantities and everyday words."""
    counted = {word.plain for said in _QUANTITY_PATTERN.findall(text) for word in words(said)}
    return {
        word
        for word, strength in vocabulary.names(text).items()
        if strength == STRONG and word not in counted and lemma(word) not in everyday_words()
    }


def common_names(text: str, vocabulary: Vocabulary) -> set[str]:
    """The words of names of several words, each of which may be a common word: "Green Wharf"."""
    names = vocabulary.names(text)
    pairs = (pair for pair in pairwise(words(text)) if all(word.plain in names for word in pair))
    return {word.plain for pair in pairs for word in pair}


# Mutually exclusive kinds of answers.
_EXCLUSIVE_KINDS = {"person", "time", "place", "reason", "count", "money", "degree"}


@dataclass
class Candidate:
    fact: int
    likeness: float


class MeaningIndex:
    def __init__(
        self,
        vocabulary: Vocabulary,
        facts: list[int],
        questions: list[str],
        answers: list[str],
        plain: PlainKeys,
        arguments: dict | None = None,
        likeness: Likeness = FITTED,
    ):
        """`facts` are the indexes of the facts without names, `plain` their stored keys."""
        self.vocabulary, self.facts, self.questions, self.answers = vocabulary, facts, questions, answers
        self.at = {fact: i for i, fact in enumerate(facts)}
        self.plain, self.likeness = plain, likeness
        self.nearest = Nearest(plain.vectors_2N_D.astype("f4"), arguments)
        self.own = [
            {word.plain for word in words(question)} | {word.plain for word in words(answer)}
            for question, answer in zip(questions, answers, strict=True)
        ]
        # The content stems of each question, and the questions that contain each stem.
        self.asked = [content_stems(question) for question in questions]
        self.asking: dict[str, set[int]] = {}
        for i, said in enumerate(self.asked):
            for word in said:
                self.asking.setdefault(word, set()).add(i)
        self.stems = {stem(word) for own in self.own for word in own if word not in STOP}

    def is_searchable(self, text: str) -> bool:
        """Whether the text asks something, or shares a word with any fact. Other texts are not searched."""
        if _QUESTION_PATTERN.search(text):
            return True
        return any(stem(word.plain) in self.stems for word in words(text) if word.plain not in STOP)

    def fact_with_all_words(self, text: str, without: frozenset[int] = frozenset()) -> int | None:
        """The only fact whose question has all content words of a shorter one: "What is the notice period?" asks for the notice
        period of employees if no other is taught. None if several facts have them, or the question has too few."""
        said = content_stems(text)
        if len(said) < _MIN_CONTENT_WORDS or not all(word in self.asking for word in said):
            return None
        found = set.intersection(*(self.asking[word] for word in said))
        more = sorted((len(self.asked[i]) - len(said), i) for i in found if self.facts[i] not in without)
        if not more or more[0][0] > _MAX_EXTRA_WORDS or (len(more) > 1 and more[1][0] == more[0][0]):
            return None
        i = more[0][1]
        mine, its = question_kind.answer_kind(text), question_kind.answer_kind(self.questions[i])
        lacks = mine in _EXCLUSIVE_KINDS and question_kind.is_of_kind(self.answers[i], mine) is False
        if mine != its and ({mine, its} <= _EXCLUSIVE_KINDS or lacks):
            return None
        if question_kind.antonym_pairs(text, self.questions[i]) or question_kind.is_negated(
            text
        ) != question_kind.is_negated(self.questions[i]):
            return None
        return self.facts[i]

    def fact(self, number: int) -> Fact:
        i = self.at[number]
        vectors_2N_D = self.nearest.vectors_N_D
        return Fact(
            self.questions[i], vectors_2N_D[i], self.plain.words_2N[2 * i], self.plain.tokens_N[i],
            self.answers[i], vectors_2N_D[len(self.facts) + i], self.plain.words_2N[2 * i + 1],
        )  # fmt: skip

    def candidates(self, asked: QuestionVectors, without: frozenset[int] = frozenset()) -> list[Candidate]:
        """Candidates by descending likeness. `without` excludes facts by index, for measurements."""
        closest = self.closest(asked, without)
        alike = self.likeness.of_questions(
            asked, [self.fact(number) for number, _ in closest], [second for _, second in closest]
        )
        found = [Candidate(number, each) for (number, _), each in zip(closest, alike, strict=True)]
        return sorted(found, key=lambda one: (-one.likeness, one.fact))

    def closest(
        self, asked: QuestionVectors, without: frozenset[int] = frozenset()
    ) -> list[tuple[int, float]]:
        """The nearest facts by vector, each with the similarity of the best other fact."""
        near: dict[int, float] = {}
        for at, score in self.nearest(asked.vector_D, 2 * (_MAX_CANDIDATES + len(without))):
            number = self.facts[at % len(self.facts)]
            if number not in without:
                near[number] = max(near.get(number, -1.0), score)
        best = sorted(near.values(), reverse=True)[:2]
        # A question with a name that does not occur in the fact asks for something else.
        strangers = sure_names(asked.text, self.vocabulary)
        ranked = sorted(near.items(), key=lambda one: (-one[1], one[0]))[:_MAX_CANDIDATES]
        return [
            (number, -1.0 if len(best) < 2 else best[1] if score == best[0] else best[0])
            for number, score in ranked
            if score >= _MIN_SIMILARITY and strangers <= self.own[self.at[number]]
        ]
