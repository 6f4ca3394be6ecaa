"""The facts nearest to a question by their vectors, with or without names: the candidates of a base where no search found a fact."""

from collections import defaultdict
from itertools import zip_longest

import numpy as np

from lorekeep.routing.language_id import language_of
from lorekeep.routing.router import Router

# Maximum number of facts with one relation; if more have it, a question without a name asks for none of them.
_MAX_SHARED = 3
# Minimum likeness of the best fact (below it, the question is about something else), and of the other facts
# (docs/experiments/2026-11-26-facts-that-a-base-reads.md).
_FAR, _BESIDE = 0.35, 0.2


class ClosestFacts:
    def __init__(self, router: Router):
        self.router = router
        facts_of: defaultdict[int, list[int]] = defaultdict(list)
        for fact, row in enumerate(router.keys.asks):
            if row >= 0 and fact not in router.languages:
                facts_of[row].append(fact)
        self.rows = [row for row, facts in facts_of.items() if len(facts) <= _MAX_SHARED]
        self.facts_of = facts_of

    def __call__(self, question: str, count: int, far: float = _FAR) -> list[int]:
        """Facts with names (by their relation) and facts without, interleaved. Empty where the best likeness is below `far`. Facts
        below `far` and the floor for facts beside the best are left out."""
        router = self.router
        if router.embed is None or language_of(question, router.knows_english):
            return []
        vector_D = router.embed.read(question).vector_D
        sides = self._named(vector_D, count), self._plain(vector_D, count)
        if max((likeness for side in sides for _, likeness in side[:1]), default=0.0) < far:
            return []
        turns = zip_longest(*sides)
        found = dict.fromkeys(one[0] for turn in turns for one in turn if one and one[1] >= min(_BESIDE, far))
        return list(found)[:count]

    def _named(self, vector_D: np.ndarray, count: int) -> list[tuple[int, float]]:
        if not self.rows:
            return []
        likeness_R = self.router.asks_F_D[self.rows] @ self.router.likeness.project(vector_D)
        best = np.argsort(-likeness_R, kind="stable")[:count]
        return [(fact, float(likeness_R[at])) for at in best for fact in self.facts_of[self.rows[at]]]

    def _plain(self, vector_D: np.ndarray, count: int) -> list[tuple[int, float]]:
        meant = self.router.meant
        if meant is None:
            return []
        facts: dict[int, float] = {}
        for at, likeness in meant.nearest(vector_D, 2 * count):
            facts.setdefault(meant.facts[at % len(meant.facts)], likeness)
        return [one for one in facts.items() if one[0] not in self.router.languages]
