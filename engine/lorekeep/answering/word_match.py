"""Compares a question with facts word by word: each telling word of the question, or a synonym, has to be in the fact, and
the fact has to answer with the kind of thing that is asked for. Rare words count for more."""

import math
import re
from collections.abc import Set

from lorekeep.answering.amounts import amounts
from lorekeep.answering.judge import FactAnswer, Judge
from lorekeep.answering.reading import standalone
from lorekeep.answering.reading.taught_words import root
from lorekeep.routing import question_kind
from lorekeep.routing.direction import same_side
from lorekeep.routing.relation import kinds_differ, relation_text
from lorekeep.routing.words import STOP, STRONG, TITLES, words

_SHORTENED = re.compile(r"(?:i|you|we|they|he|she|it|that)['’](?:m|re|ve|d|ll|s)$")


def roots(text: str) -> set[str]:
    return {
        root(word.plain)
        for word in words(text)
        if word.plain not in STOP and not _SHORTENED.match(word.plain)
    }


# A word that more facts have selects none of them; maximum facts that are compared.
COMMON, COMPARED = 64, 200
# Words of a question that say what kind of answer it wants, and nothing of its topic.
KINDS = roots("time times day days hour hours week weeks month months year years number amount people person")
# Words that say no more than the kind of answer that is wanted.
_SAYS_KIND = {
    "money": roots("cost costs price fee fees charge pay paid money expensive cheap free"),
    **dict.fromkeys(("duration", "time", "count"), KINDS),
}
# Words without a meaning of their own in a question.
_EMPTY = roots(
    "ok okay also else same different topic way exactly again actually now next really just new extra over ask use thing things"
    " question quick another other anything something current currently always usually ever right used once former formerly earlier previously"
) | roots(" ".join(TITLES))
# Kinds of answers of which none is another, and those that may be the same.
_OWN = {"person", "time", "place", "reason", "count", "money", "degree", "duration"}
_CLOSE = [
    {"time", "duration"}, {"count", "degree"}, {"count", "duration"}, {"money", "degree"}, {"person", "thing"}, {"place", "thing"},
]  # fmt: skip
# What a question asks for that tells something of it; likeness of a subject whose fact has all words of the question.
_OF_WHAT = re.compile(
    r"(?:who|whom|(?:which|what) (?:of (?:the |our |your )?)?[a-z]+(?: is (?:the one|it) (?:that|who|which|with|for))?)\s+",
    re.IGNORECASE,
)
_DESCRIBED = 0.6
# A word that only the answer of a fact has counts for so much.
_ANSWERED = 0.8
# Shares that a search needs, of the question's words that the fact has and of the fact's words that the question has, and the
# lead over the next fact.
_COVER, _SHARE, _LEAD = 0.95, 0.34, 0.08
# Words of a fact's question beside a name that a question may leave out.
_UNNAMED = 2
# Scores of the least and of a perfect fit.
_LEAST, _FULL = 1.0, 2.0


class WordMatch:
    def __init__(self, judge: Judge):
        self.judge, self.taught, self.entries = judge, judge.taught_words, judge.knowledge.entries
        named = judge.router.named
        self.home = frozenset(root(one) for one in named.home if not named.vocabulary.knows(one))

    def telling(self, text: str, kind: str) -> set[str]:
        """The words that tell what a question asks for, beside the kind of its answer."""
        return roots(text) - _EMPTY - self.home - _SAYS_KIND.get(kind, frozenset())

    def cover(self, said: Set[str], asks: Set[str], answers: Set[str]) -> float:
        """The share of words that a fact has."""
        total = sum(map(self.weight, said))
        held = sum(
            self.weight(word) * (1.0 if self.holds(asks, word) else _ANSWERED * self.holds(answers, word))
            for word in said
        )
        return held / total if total else 1.0

    def share(self, said: Set[str], *others: Set[str]) -> float:
        """The share of words that any of the others has."""
        total = sum(map(self.weight, said))
        held = sum(self.weight(word) for word in said if any(self.holds(other, word) for other in others))
        return held / total if total else 0.0

    def fit(self, kind: str, fact: int) -> float:
        """A share of how well a fact answers with a kind; 0 where it answers with another."""
        entry = self.entries[fact]
        its, gives = question_kind.answer_kind(entry.input), question_kind.is_of_kind(entry.output, kind)
        if kind == its:
            return 1.0
        if {kind, its} in _CLOSE and gives is not False:
            return 0.8
        if gives and kind in _OWN:
            return 0.7
        return 0.0 if (kind in _OWN and its in _OWN) or gives is False else 0.4

    def weight(self, word: str) -> float:
        return math.log(1 + len(self.entries) / (1 + len(self.taught.postings.get(word, ()))))

    def holds(self, said: Set[str], word: str) -> bool:
        if word in said:
            return True
        mine = self.taught.groups.get(word)
        return bool(mine) and any(mine & self.taught.groups.get(other, frozenset()) for other in said)

    def near(self, said: Set[str]) -> list[int]:
        """The facts whose questions have one of the words, those with rare words first."""
        postings = self.taught.postings
        near: dict[int, None] = {}
        for word in sorted(said, key=lambda one: (len(postings.get(one, ())), one)):
            facts = postings.get(word, [])
            if len(facts) > COMMON or len(near) + len(facts) > COMPARED:
                break
            near |= dict.fromkeys(facts)
        return list(near)

    def best(self, scored: list[tuple[float, int]], least: float, full: float) -> FactAnswer | None:
        """The fact of the highest score, unless another with a different answer is as good."""
        ranked = sorted((-score, fact) for score, fact in scored if score >= least)[:4]
        if not ranked:
            return None
        score, best = ranked[0]
        text = self.entries[best].output
        if any(other - score < _LEAD and self.entries[fact].output != text for other, fact in ranked[1:]):
            return None
        return FactAnswer((best,), text, min(-score / full, 1.0))

    def search(self, question: str) -> FactAnswer | None:
        """The fact that has all telling words of a question."""
        bare = standalone.without_lead(question)
        kind = question_kind.answer_kind(f"{bare}?")
        said = self.telling(bare, kind)
        known = {word for word in said if word in self.taught.postings}
        synonyms = {other for word in said - known for other in self.taught.alike(word)}
        near = [fact for fact in self.near(known | synonyms) if self.judge.usable(fact)]
        return self.best([(self._score(fact, question, said, kind), fact) for fact in near], _LEAST, _FULL)

    def subject_of(self, question: str) -> FactAnswer | None:
        """The subject of the one fact whose answer says what a question tells of somebody or something: "Who used to run a hotel?" """
        bare = standalone.without_lead(question)
        asks = _OF_WHAT.match(bare)
        if asks is None:
            return None
        rest = bare[asks.end() :]
        said = self.telling(rest, "person") - KINDS
        if len(said) < 2 or amounts(rest):
            return None
        index, knowledge = self.taught.answers, self.judge.knowledge
        rare = sorted((word for word in said if word in index), key=lambda word: (len(index[word]), word))[:2]
        found: dict[str, int] = {}
        for fact in dict.fromkeys(fact for word in rare for fact in index[word][:COMMON]):
            entry, subject = self.entries[fact], knowledge.subject(fact)
            if not subject or subject == knowledge.home or not self.judge.usable(fact):
                continue
            its, taught = roots(entry.output), roots(entry.input)
            told = [word for word in said if self.holds(its, word)]
            if len(told) < 2 or not all(word in told or self.holds(taught, word) for word in said):
                continue
            taught_ask = relation_text(entry.input, self.judge.router.keys.names[fact])
            if same_side(relation_text(question, knowledge.value_words(fact)), taught_ask):
                continue  # "Who taught Ada?" is not answered by whom Ada taught
            if roots(subject) & said or question_kind.is_negated(question) != question_kind.is_negated(
                entry.output
            ):
                continue
            found.setdefault(subject, fact)
        if len(found) != 1:
            return None
        ((subject, fact),) = found.items()
        return FactAnswer((fact,), subject, _DESCRIBED, turned=True)

    def _score(self, fact: int, question: str, said: set[str], kind: str) -> float:
        entry = self.entries[fact]
        asks, answers = roots(entry.input), roots(entry.output)
        cover, share = self.cover(said, asks, answers), self.share(asks, said)
        fit = self.fit(kind, fact)
        if cover < _COVER or share < _SHARE or fit < (0.7 if len(said) > 1 else 1.0):
            return 0.0
        if question_kind.antonym_pairs(question, entry.input) or kinds_differ(question, entry.input):
            return 0.0
        if question_kind.is_negated(question) != question_kind.is_negated(entry.input):
            return 0.0
        own = self.judge.router.named.required[fact]
        names = {root(word) for word, strength in own.items() if strength == STRONG} - said
        unsaid = names - self.home
        # A question may leave out a name where all else of the fact's question is said: "the head of cardiology".
        rest = self.telling(entry.input, kind) - {root(word) for word in own}
        if names and standalone.PRONOUN.search(question):
            return 0.0
        if unsaid and (len(rest) < _UNNAMED or self.share(rest, said) < _COVER):
            return 0.0
        return cover + 0.5 * fit + 0.5 * share
