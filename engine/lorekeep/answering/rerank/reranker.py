"""Finds the facts that answer a question where no search was sure of one: the nearest facts are read beside the question by the
cross-encoder."""

from itertools import zip_longest
from weakref import WeakKeyDictionary

import numpy as np

from lorekeep import contract
from lorekeep.answering.judge import Judge
from lorekeep.answering.reading import standalone
from lorekeep.answering.rerank.closest import ClosestFacts
from lorekeep.answering.rerank.cross_encoder import CrossEncoder, cross_encoder, fact_text
from lorekeep.routing.by_meaning import sure_names, telling
from lorekeep.routing.language_id import language_of
from lorekeep.routing.router import Router
from lorekeep.routing.vectors import Vectors
from lorekeep.routing.words import words

# Facts that are read beside a question, and beside one that may be several.
_READ, _READ_FOR_SEVERAL = 8, 12
# Fewer are read where the nearest is only so like the question, and none where it is less.
_FAR, _READ_FAR = 0.2, 4
# Splits of a question that are looked at.
_SPLITS = 4
# Logits from which a fact answers a question, from which each of several does and answers its part, and up to which a fact that the search
# found does not.
_ANSWERS: dict[contract.Gate, float] = {"strict": 2.5, "balanced": 2.0, "generous": 1.0}
_EACH, _PART, _DOES_NOT = 1.5, -1.0, -2.0
# The logit that a fact needs whose question differs from others in so many words, of which the question has none.
_SURELY_ANSWERS, _SLOT = 0.5, 2


class Reranker:
    def __init__(self, router: Router):
        self.router, self.closest = router, ClosestFacts(router)

    def find(self, question: str, judge: Judge, before: str = "") -> tuple[int, float] | None:
        """The nearest fact that answers a question, which may follow one asked before, and how surely it does."""
        whole = f"{before} {question}".strip()
        asked = [whole, question] if before else [question]
        facts = self._candidates(asked, _READ, judge, names=self._names(question))
        if not facts:
            return None
        logits_N = self._logits(whole, facts)
        best = int(np.argmax(logits_N))
        return (facts[best], _likeness(logits_N[best])) if logits_N[best] >= _ANSWERS[judge.budget] else None

    def several(self, question: str, judge: Judge) -> tuple[list[int], float] | None:
        """Facts of which each answers another part of a question, by the order of the parts, and the least likeness."""
        # Sentences before a question ask nothing.
        asks = [one for one in standalone.SENTENCE.split(question) if one.rstrip().endswith("?")]
        text, subjects = " ".join(asks) or question, judge.knowledge.subjects(question)
        splits = sorted(standalone.splits(text, subjects), key=len)[:_SPLITS]
        parts = list(dict.fromkeys(part for split in splits for part in split))
        # Each part has names of its own.
        facts = self._candidates([question, *parts], _READ_FOR_SEVERAL, judge, names=set()) if splits else []
        if len(facts) < 2 or self.router.embed is None:
            return None
        logits_N = self._logits(question, facts)
        passed = [at for at in range(len(facts)) if logits_N[at] >= _EACH]
        if len(passed) < 2:
            return None
        asked_P_D = self.router.embed(parts)
        facts_N_D = self.router.embed([self._text(facts[at]) for at in passed])
        likeness_P_N = asked_P_D @ facts_N_D.T
        best: tuple[list[str], list[int]] | None = None
        most = 0.0
        for split in splits:
            rows_N = likeness_P_N[[parts.index(part) for part in split]]
            chosen = list(map(int, np.argmax(rows_N, axis=1)))
            alike = float(np.mean(np.max(rows_N, axis=1)))
            if len(set(chosen)) == len(split) and alike > most:
                most, best = alike, (split, [passed[at] for at in chosen])
        if best is None:
            return None
        split, chosen = best
        if any(self._logits(part, [facts[at]])[0] < _PART for part, at in zip(split, chosen, strict=True)):
            return None
        return [facts[at] for at in chosen], min(_likeness(logits_N[at]) for at in chosen)

    def refuses(self, question: str, fact: int) -> bool:
        """Whether a fact that a search found does not answer the question."""
        foreign = fact in self.router.languages or language_of(question, self.router.knows_english)
        if not self.reads or foreign:
            return False
        logit = self._logits(question, [fact])[0]
        if logit < _DOES_NOT:
            return True
        return bool(logit < _SURELY_ANSWERS) and self._of_a_sibling(question, fact)

    def _of_a_sibling(self, question: str, fact: int) -> bool:
        """Whether a question may ask the same of something else: "Who leads the tannery?", where it is taught who leads the archive and
        who leads the map room."""
        said, own = telling(question), telling(self.router.entries[fact].input)
        if not said - own:
            return False
        for other in self.closest(question, _READ):
            its = telling(self.router.entries[other].input)
            differs = own - its
            if own & its and 0 < len(differs) <= _SLOT and 0 < len(its - own) <= _SLOT and not differs & said:
                return True
        return False

    @property
    def reads(self) -> bool:
        return _encoder(self.router.embed) is not None

    def _logits(self, question: str, facts: list[int]) -> np.ndarray:
        encoder = _encoder(self.router.embed)
        assert encoder is not None
        return encoder.logits(question, [self._text(fact) for fact in facts])

    def _names(self, question: str) -> set[str]:
        return sure_names(question, self.router.named.vocabulary) - self.router.named.home

    def _candidates(self, questions: list[str], count: int, judge: Judge, names: set[str]) -> list[int]:
        """The nearest facts to any of some questions that have all of some names."""
        if not self.reads:
            return []
        lists = [
            self.router.near(questions[0]),
            *(self.closest(one, count) or self.closest(one, _READ_FAR, _FAR) for one in questions),
        ]
        near = zip_longest(*lists)
        facts = dict.fromkeys(fact for turn in near for fact in turn if fact is not None)
        return [
            fact
            for fact in facts
            if judge.usable(fact) and names <= {word.plain for word in words(self._text(fact))}
        ][:count]

    def _text(self, fact: int) -> str:
        entry = self.router.entries[fact]
        return fact_text(entry.input, entry.output)


def _likeness(logit: float) -> float:
    return float(1 / (1 + np.exp(-logit)))


# The encoder of each embedding model in use: finding out whether it is the default one may mean reading its whole file.
_ENCODERS: WeakKeyDictionary[Vectors, CrossEncoder | None] = WeakKeyDictionary()


def _encoder(vectors: Vectors | None) -> CrossEncoder | None:
    if vectors is None:
        return None
    if vectors not in _ENCODERS:
        _ENCODERS[vectors] = cross_encoder(vectors)
    return _ENCODERS[vectors]
