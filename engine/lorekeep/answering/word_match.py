"""Compares a question with facts word by word: each content word of the question, or a synonym, has to be in the fact, and
the fact has to answer with the kind of thing that is asked for. Rare words count for more."""

import math
import re
from collections.abc import Set

from lorekeep.answering.amounts import amounts
from lorekeep.answering.judge import FactAnswer, Judge
from lorekeep.answering.reading import standalone
from lorekeep.answering.reading.taught_words import root
from lorekeep.routing import question_kind
from lorekeep.routing.contradictions.direction import same_side
from lorekeep.routing.contradictions.near_misses import is_near_miss
from lorekeep.routing.relation import kinds_differ, relation_text
from lorekeep.routing.words import STOP, STRONG, TITLES, words

_CONTRACTION = re.compile(r"(?:i|you|we|they|he|she|it|that)['’](?:m|re|ve|d|ll|s)$")


def roots(text: str) -> set[str]:
    return {
        root(word.plain)
        for word in words(text)
        if word.plain not in STOP and not _CONTRACTION.match(word.plain)
    }


# Maximum facts that share a word which selects candidates; maximum candidates that are compared.
COMMON, COMPARED = 64, 200
# Words of a question that determine the answer kind, and not the topic.
KINDS = roots("time times day days hour hours week weeks month months year years number amount people person")
# Words that only repeat the requested answer kind.
_KIND_WORDS = {
    "money": roots("cost costs price fee fees charge pay paid money expensive cheap free"),
    **dict.fromkeys(("duration", "time", "count"), KINDS),
}
# Filler words of a question.
_FILLER_WORDS = roots(
    "ok okay also else same different topic way exactly again actually now next really just new extra over ask use thing things"
    " question quick another other anything something current currently always usually ever right used once former formerly earlier previously"
) | roots(" ".join(TITLES))
# Mutually exclusive answer kinds, and pairs of kinds that may overlap.
_EXCLUSIVE_KINDS = {"person", "time", "place", "reason", "count", "money", "degree", "duration"}
_OVERLAPPING_KINDS = [
    {"time", "duration"}, {"count", "degree"}, {"count", "duration"}, {"money", "degree"}, {"person", "thing"}, {"place", "thing"},
]  # fmt: skip
# The beginning of a question that describes its answer; likeness of a subject whose fact has all words of the description.
_DESCRIPTION_LEAD = re.compile(
    r"(?:who|whom|(?:which|what) (?:of (?:the |our |your )?)?[a-z]+(?: is (?:the one|it) (?:that|who|which|with|for))?)\s+",
    re.IGNORECASE,
)
_SUBJECT_LIKENESS = 0.6
# Weight of a word that only the answer of a fact has.
_IN_ANSWER = 0.8
# Minimum share of the question's words in the fact, minimum share of the fact's words in the question, and minimum lead over the
# second-best fact.
_MIN_COVER, _MIN_SHARE, _MIN_LEAD = 0.95, 0.34, 0.08
# Minimum words beside the name in a fact's question for which the name may be omitted.
_MIN_OTHER_WORDS = 2
# Minimum score, and the score of a perfect fit.
_MINIMUM, _FULL = 1.0, 2.0


class WordMatch:
    def __init__(self, judge: Judge):
        self.judge, self.taught, self.entries = judge, judge.taught_words, judge.knowledge.entries
        named = judge.router.named
        self.home = frozenset(root(one) for one in named.home if not named.vocabulary.knows(one))

    def telling(self, text: str, kind: str) -> set[str]:
        """The content words of a question, without those of its answer kind."""
        return roots(text) - _FILLER_WORDS - self.home - _KIND_WORDS.get(kind, frozenset())

    def cover(self, said: Set[str], asks: Set[str], answers: Set[str]) -> float:
        """The weighted share of words that a fact's question or answer has."""
        total = sum(map(self.weight, said))
        held = sum(
            self.weight(word) * (1.0 if self.holds(asks, word) else _IN_ANSWER * self.holds(answers, word))
            for word in said
        )
        return held / total if total else 1.0

    def share(self, said: Set[str], *others: Set[str]) -> float:
        """The weighted share of words that any of the others has."""
        total = sum(map(self.weight, said))
        held = sum(self.weight(word) for word in said if any(self.holds(other, word) for other in others))
        return held / total if total else 0.0

    def fit(self, kind: str, fact: int) -> float:
        """The fit of a fact's answer to an answer kind, from 0 to 1; 0 if it is of another kind."""
        entry = self.entries[fact]
        its, gives = question_kind.answer_kind(entry.input), question_kind.is_of_kind(entry.output, kind)
        if kind == its:
            return 1.0
        if {kind, its} in _OVERLAPPING_KINDS and gives is not False:
            return 0.8
        if gives and kind in _EXCLUSIVE_KINDS:
            return 0.7
        return 0.0 if (kind in _EXCLUSIVE_KINDS and its in _EXCLUSIVE_KINDS) or gives is False else 0.4

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
        """The fact of the highest score, unless another with a different answer is within the minimum lead."""
        ranked = sorted((-score, fact) for score, fact in scored if score >= least)[:4]
        if not ranked:
            return None
        score, best = ranked[0]
        text = self.entries[best].output
        if any(other - score < _MIN_LEAD and self.entries[fact].output != text for other, fact in ranked[1:]):
            return None
        return FactAnswer((best,), text, min(-score / full, 1.0))

    def search(self, question: str) -> FactAnswer | None:
        """The fact that has all content words of a question."""
        bare = standalone.without_lead(question)
        kind = question_kind.answer_kind(f"{bare}?")
        said = self.telling(bare, kind)
        known = {word for word in said if word in self.taught.postings}
        synonyms = {other for word in said - known for other in self.taught.alike(word)}
        near = [fact for fact in self.near(known | synonyms) if self.judge.usable(fact)]
        return self.best([(self._score(fact, question, said, kind), fact) for fact in near], _MINIMUM, _FULL)

    def subject_of(self, question: str) -> FactAnswer | None:
        """The subject of the only fact whose answer matches the description in a question: "Who used to run a hotel?" """
        bare = standalone.without_lead(question)
        asks = _DESCRIPTION_LEAD.match(bare)
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
        return FactAnswer((fact,), subject, _SUBJECT_LIKENESS, turned=True)

    def _score(self, fact: int, question: str, said: set[str], kind: str) -> float:
        entry = self.entries[fact]
        asks, answers = roots(entry.input), roots(entry.output)
        cover, share = self.cover(said, asks, answers), self.share(asks, said)
        fit = self.fit(kind, fact)
        if cover < _MIN_COVER or share < _MIN_SHARE or fit < (0.7 if len(said) > 1 else 1.0):
            return 0.0
        if question_kind.antonym_pairs(question, entry.input) or kinds_differ(question, entry.input):
            return 0.0
        if is_near_miss(question, entry.input, entry.output):
            return 0.0
        if question_kind.is_negated(question) != question_kind.is_negated(entry.input):
            return 0.0
        own = self.judge.router.named.required[fact]
        names = {root(word) for word, strength in own.items() if strength == STRONG} - said
        unsaid = names - self.home
        # A question may omit a name if it has all other words of the fact's question: "the head of cardiology".
        rest = self.telling(entry.input, kind) - {root(word) for word in own}
        if names and standalone.PRONOUN.search(question):
            return 0.0
        if unsaid and (len(rest) < _MIN_OTHER_WORDS or self.share(rest, said) < _MIN_COVER):
            return 0.0
        return cover + 0.5 * fit + 0.5 * share
