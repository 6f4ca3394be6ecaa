"""Routes a question to the fact that it asks for, or to none: by identical text, by name, then by meaning.
The gate passes a match only if its score is above the threshold calibrated on near misses of the model's own
data."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from lorekeep import contract
from lorekeep.routing import question_kind
from lorekeep.routing.abbreviations.compare import abbreviations_differ
from lorekeep.routing.by_meaning import MeaningIndex
from lorekeep.routing.by_name import Hit, NameIndex
from lorekeep.routing.by_words import LIMITS, WordsIndex, languages_of
from lorekeep.routing.contradictions.direction import sides_differ
from lorekeep.routing.contradictions.near_misses import is_near_miss
from lorekeep.routing.contradictions.roles import roles_differ
from lorekeep.routing.embedders.likeness import FITTED
from lorekeep.routing.instructions import instructions_differ
from lorekeep.routing.language_id import language_of
from lorekeep.routing.question_match import ALONE, QuestionVectors
from lorekeep.routing.relation import (
    ALIKE,
    asks_for,
    asks_meaning,
    kinds_differ,
    relation_text,
    relations_differ,
)
from lorekeep.routing.stored_keys import Entry, Keys
from lorekeep.routing.words import STOP, STRONG, Vocabulary, key, stem, words

_MAX_CACHED_ASKS = 100_000
# Maximum facts of one subject that are checked for contradictions.
_MAX_CHECKED = 16
# Maximum gap in likeness to the best other relation of the memory, and maximum number of relations for this comparison.
_MAX_RELATION_GAP, _MAX_RELATIONS = 0.4, 5_000
# Bonus in likeness for a shared content word, and number of first letters by which words are compared.
_SHARED_WORD_BONUS, _PREFIX_LENGTH = 0.12, 5
# Reduction in likeness where the relation is told of another subject in these words.
_OTHER_WORDING = 0.05
_REJECTED_LIKENESS = -1.0
# Likeness of the only fact whose question contains a shorter one, and maximum similar facts of one subject.
_CONTAINED_LIKENESS, _MAX_SIMILAR = 1.0, 6
BUDGETS = contract.NEAR_MISSES


@dataclass
class Match:
    fact: int
    likeness: float
    way: Literal["exact", "name", "meaning", "nearest"]
    passed: bool


@dataclass
class Gate:
    """Thresholds per budget: for relations of a known name, and for matches by meaning."""

    asks: dict[str, float] = field(default_factory=lambda: dict.fromkeys(BUDGETS, 0.5))
    meaning: dict[str, float] = field(default_factory=lambda: dict(ALONE))
    measured: dict = field(default_factory=dict)
    weights: str | None = None  # fingerprint of the weights used for the measurement (gate.py)


class Router:
    def __init__(
        self,
        entries: list[Entry],
        keys: Keys,
        gate: Gate,
        vocabulary: Vocabulary,
        embed,
        arguments: dict | None = None,
    ):
        self.entries, self.keys, self.gate, self.embed = entries, keys, gate, embed
        self.exact: dict[str, int] = {}
        loose: dict[str, list[int]] = {}
        for i, entry in enumerate(entries):
            text = key(entry.input)
            self.exact[text] = i
            loose.setdefault(normalized(text), []).append(i)
        self.loose = {text: found[0] for text, found in loose.items() if len(found) == 1}
        self.named = NameIndex(
            vocabulary, keys.names, [e.output for e in entries], [e.input for e in entries]
        )
        # Facts in other languages than English, which the searches by name and by meaning skip.
        self.languages = languages_of([entry.input for entry in entries], vocabulary.knows)
        self.by_words = WordsIndex(self.languages, entries) if self.languages else None
        self.knows_english = vocabulary.knows
        self.likeness = embed.likeness if embed is not None else FITTED
        self.asks_F_D = self.likeness.project(keys.ask_vectors.astype(np.float32))
        # Relations by their content words: "weight" is what "How much does it weigh?" asks for.
        self.relations: dict[str, set[int]] = {}
        if len(self.asks_F_D) <= _MAX_RELATIONS:
            for at, fact in {at: fact for fact, at in enumerate(keys.asks) if at >= 0}.items():
                for word in content_prefixes(relation_text(entries[fact].input, keys.names[fact])):
                    self.relations.setdefault(word, set()).add(at)
        # Relations of other facts that tell the same about other subjects, by fact.
        self.other_asks: dict[int, list[int]] = {}
        # Cached relations of facts that were candidates, by scope and fact.
        self.asked: dict[tuple[str, int], tuple[str, str | None]] = {}
        self.meant = None
        if len(keys.plain_keys):
            chosen = [entries[i] for i in keys.plain]
            self.meant = MeaningIndex(
                vocabulary, keys.plain, [e.input for e in chosen], [e.output for e in chosen],
                keys.plain_keys, arguments, self.likeness,
            )  # fmt: skip

    def join_relations(self, groups: Iterable[Sequence[int]]) -> None:
        """Takes the facts of each group to tell the same about different subjects, in other words."""
        for facts in groups:
            asks = {self.keys.asks[fact] for fact in facts}
            for fact in facts:
                self.other_asks[fact] = sorted(asks - {self.keys.asks[fact]})

    def has_in_other_words(self, fact: int, relation: str) -> bool:
        """Whether a question that tells the same about another subject has all content words of a relation."""
        prefixes = content_prefixes(relation)
        asks = (self.relations.get(word, set()) for word in prefixes)
        return bool(prefixes) and not set.intersection(*asks).isdisjoint(self.other_asks.get(fact, ()))

    def route(
        self,
        question: str,
        budget: contract.Gate = contract.DEFAULT_GATE,
        whole: str | None = None,
        without: frozenset[int] = frozenset(),
    ) -> Match | None:
        """Finds the fact that a question asks for, `without` some facts. `whole` is the complete text, which may itself be a
        taught question."""
        if (fact := self.exact_match(question, whole)) is not None and fact not in without:
            return Match(fact, 1.0, "exact", True)
        if not question:
            return None
        language = language_of(question, self.knows_english, self.by_words.codes if self.by_words else ())
        if self.by_words and (match := self.by_words.find(question, language, without)):
            fact, likeness = match
            way = "name" if self.keys.names[fact] else "meaning"
            return Match(fact, likeness, way, likeness >= LIMITS[budget])
        if language:
            return None
        if found := self.by_name(question, without, contradictions=True):
            found.passed = found.likeness >= self.gate.asks[budget]  # the gate's threshold
            if found.passed or STRONG in self.keys.names[found.fact].values() or question != question.lower():
                return found
        # A common word in lower case may be no name: "the support team" is not the Team plan.
        if other := self.by_meaning(question, without, contradictions=True):
            other.passed = other.likeness >= self.gate.meaning[budget]
            return found if found and not other.passed else other
        return found

    def nearest(self, question: str, without: frozenset[int] = frozenset()) -> Match | None:
        """A fact as a suggestion: one about the same subject, else the nearest one without a name by vector. Requests to write
        a text get none."""
        if not question:
            return None
        named = self.by_name(question, without)
        if named is not None:
            fact, likeness = named.fact, 1.0
        elif self.meant is not None:
            at, likeness = self.meant.nearest(self.embed.read(question).vector_D, 1)[0]
            fact = self.meant.facts[at % len(self.meant.facts)]
        else:
            return None
        if fact in without or instructions_differ(question, self.entries[fact].input):
            return None
        return Match(fact, likeness, "nearest", False)

    def similar_facts(self, question: str) -> list[int]:
        """A few facts whose questions are nearest to a question, about its name or by meaning."""
        if self.embed is None or language_of(question, self.knows_english):
            return []
        hits, named = self.named.hits(question)
        if hits:
            rows = [self.keys.asks[hit.fact] for hit in hits]
            liked_H = self.asks_F_D[rows] @ self._vector(relation_text(question, named), hits)
            nearest = (hits[at].fact for at in np.argsort(-liked_H, kind="stable")[:_MAX_SIMILAR])
            return [fact for fact in nearest if fact not in self.languages]
        found = (
            self.meant.closest(self._read(question))
            if self.meant and self.meant.is_searchable(question)
            else []
        )
        return [fact for fact, _ in found if fact not in self.languages]

    def prefetch(self, questions: list[str]) -> None:
        """Computes in one batch the vectors of the questions that only the search by meaning can answer."""
        if self.meant is not None:
            self.embed.read_ahead([
                text
                for text in dict.fromkeys(questions)
                if self.exact_match(text) is None and not self.named.hits(text)[0] and self.meant.is_searchable(text)
            ])  # fmt: skip

    def exact_match(self, question: str, whole: str | None = None) -> int | None:
        """The fact with exactly this question."""
        for text in (whole, question):
            if text and (fact := self.exact.get(key(text))) is not None:
                return fact
        return self.loose.get(normalized(key(question))) if question else None

    def by_name(
        self, question: str, without: frozenset[int] = frozenset(), contradictions: bool = False
    ) -> Match | None:
        """Searches by name. `contradictions` also drops facts that the words of the question contradict.
        Calibration runs without it, since thresholds concern the similarity alone."""
        near, named = self.named.hits(question)
        hits = [hit for hit in near if hit.fact not in without and hit.fact not in self.languages]
        if not hits:
            return None
        if self.embed is not None:
            # The question without the recognised names: its relation.
            ask = relation_text(question, named)
            asked_D, kind = self._vector(ask, near), asks_for(ask)
            for hit in hits:
                hit.likeness = self.relation_likeness(hit.fact, ask, asked_D)
                its = self._asks(hit.fact)[1]
                if kind and its:
                    hit.likeness += ALIKE if kind == its else -ALIKE
                elif hit.cover < 1 and kind != its:
                    # A partial name may belong to something else: "the Wid post-office" is not Sione Wid.
                    hit.likeness -= ALIKE
            self.named.prefer_counts(hits, question, ALIKE)
            self._reject_other_relations(hits, ask, asked_D)
            if (
                len(hits) == 1
                and hits[0].cover == 1
                and asks_meaning(ask, self._asks(hits[0].fact)[0], self.keys.names[hits[0].fact])
            ):
                hits[0].likeness = max(hits[0].likeness, _CONTAINED_LIKENESS)
        hit = self.named.choose(hits)
        if contradictions:
            for _ in range(_MAX_CHECKED):
                if hit is None or not self._contradicts(question, hit.fact):
                    break
                hits.remove(hit)
                hit = self.named.choose(hits)
            else:
                hit = None
        return hit and Match(hit.fact, hit.likeness, "name", False)

    def relation_likeness(self, fact: int, ask: str, asked_D: np.ndarray) -> float:
        """Likeness of the asked relation and that of a fact's question, or of one that tells the same about another subject: their
        similarity, plus a bonus for a shared content word."""
        prefixes = content_prefixes(ask)

        def likeness(at: int) -> float:
            shared = any(at in self.relations.get(word, ()) for word in prefixes)
            return float(self.asks_F_D[at] @ asked_D) + _SHARED_WORD_BONUS * shared

        others = [likeness(at) - _OTHER_WORDING for at in self.other_asks.get(fact, ())]
        return max([likeness(self.keys.asks[fact]), *others])

    def _reject_other_relations(self, hits: list[Hit], ask: str, asked_D: np.ndarray) -> None:
        """Rejects facts if the content words of the question are those of another relation of this memory: the storage of a
        plan is not its price, even if nothing nearer was taught about that plan."""
        shared = list({at for word in content_prefixes(ask) for at in self.relations.get(word, ())})
        if not shared:
            return
        least = float((self.asks_F_D[shared] @ asked_D).max()) + _SHARED_WORD_BONUS - _MAX_RELATION_GAP
        for hit in hits:
            if self.relation_likeness(hit.fact, ask, asked_D) < least:
                hit.likeness = _REJECTED_LIKENESS

    def _vector(self, ask: str, near: list[Hit]) -> np.ndarray:
        """Vector of a relation, copied from a candidate with the same relation if possible, to avoid
        computing it."""
        twin = next((hit.fact for hit in near if self._asks(hit.fact)[0] == ask), None)
        return (
            self.likeness.project(self.embed([ask])[0])
            if twin is None
            else self.asks_F_D[self.keys.asks[twin]]
        )

    def _asks(self, fact: int) -> tuple[str, str | None]:
        """Relation of a fact's question, and the kind of thing it asks for."""
        place = self.embed.scope, fact
        if place not in self.asked:
            if len(self.asked) >= _MAX_CACHED_ASKS:
                self.asked.clear()
            ask = relation_text(self.entries[fact].input, self.keys.names[fact])
            self.asked[place] = ask, asks_for(ask)
        return self.asked[place]

    def _contradicts(self, question: str, fact: int) -> bool:
        """Whether the words show that the question asks for something else than the fact, or orders a text."""
        entry, names = self.entries[fact], self.keys.names[fact]
        asked, taught = relation_text(question, names), relation_text(entry.input, names)
        return (
            instructions_differ(question, entry.input)
            or abbreviations_differ(question, entry.input, entry.output)
            or relations_differ(asked, taught, bool(names))
            or (bool(names) and kinds_differ(asked, taught))
            or (bool(names) and question_kind.cannot_answer(question, entry.input, entry.output))
            or sides_differ(asked, taught)
            or is_near_miss(asked, taught, entry.output)
            or (bool(names) and roles_differ(asked, taught, entry.output))
        )

    def by_meaning(
        self, question: str, without: frozenset[int] = frozenset(), contradictions: bool = False
    ) -> Match | None:
        if self.meant is None or not self.meant.is_searchable(question):
            return None
        return self.meaning_of(self._read(question), without, contradictions)

    def _read(self, question: str) -> QuestionVectors:
        read = self.embed.read(question)
        return QuestionVectors(question, read.vector_D, read.words_W_D, read.tokens_T_P)

    def meaning_of(
        self, asked: QuestionVectors, without: frozenset[int] = frozenset(), contradictions: bool = False
    ) -> Match | None:
        fact = self.meant.fact_with_all_words(asked.text, without) if contradictions and self.meant else None
        if fact is not None and fact not in self.languages and not self._contradicts(asked.text, fact):
            return Match(fact, _CONTAINED_LIKENESS, "meaning", False)
        best = [] if self.meant is None else self.meant.candidates(asked, without)
        best = [one for one in best if one.fact not in self.languages]
        if contradictions:
            best = [one for one in best if not self._contradicts(asked.text, one.fact)]
        return Match(best[0].fact, best[0].likeness, "meaning", False) if best else None


def content_prefixes(ask: str) -> set[str]:
    """The first letters of each content word of a relation."""
    return {stem(word.plain)[:_PREFIX_LENGTH] for word in words(ask) if word.plain not in STOP}


def normalized(text: str) -> str:
    """Normalises case and final punctuation, which do not distinguish questions."""
    return text.lower().rstrip(" ?!.")
