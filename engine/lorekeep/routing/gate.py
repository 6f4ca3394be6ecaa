"""Calibrates the router's thresholds on a model's own facts. For subjects with several facts, each question
is asked with its own fact removed. For facts without names, a question with one word of another fact is a
near miss. A budget sets the share of such near misses that may pass."""

import random
import re

import numpy as np

from lorekeep.contract import UNKNOWN_ASKS
from lorekeep.routing.embedders.likeness import FITTED, Likeness
from lorekeep.routing.router import BUDGETS, Gate, Match, Router
from lorekeep.routing.words import STOP, key, words

# Minimum own examples, below which thresholds of other data are more reliable, and maximum near misses of each kind.
_MIN_EXAMPLES, _MAX_SIBLINGS, _MAX_EXCHANGED = 20, 600, 200
_DEFAULT_ASKS = {"strict": 0.55, "balanced": 0.33, "generous": 0.16}
# Lower bounds of the thresholds, since the facts of a subject with few or unrelated facts are no near misses of each other, and their
# likeness predicts nothing about other questions (docs/experiments/2026-11-23-unanswerable-questions.md).
_MIN_ASKS = {"strict": 0.46, "balanced": 0.32, "generous": 0.16}
# Weight of the hand-written near misses, as a number of the model's own examples.
_SHIPPED_WEIGHT = 300


def stored_gate(said: dict, likeness: Likeness = FITTED) -> Gate:
    """The stored gate of a model. Thresholds measured with other weights are replaced by defaults."""
    if said.get("weights") != likeness.weights:
        return Gate(dict(_DEFAULT_ASKS), dict(likeness.alone), said.get("measured", {}))
    return Gate(said["asks"], said["meaning"], said.get("measured", {}), said["weights"])


def calibrate(router: Router) -> Gate:
    choose = random.Random(0)
    named, plain = _sibling_scores(router, choose), _exchanged_word_scores(router, choose)
    asks = {
        budget: max(limit, _MIN_ASKS[budget])
        for budget, limit in _thresholds(named, UNKNOWN_ASKS, _DEFAULT_ASKS)[0].items()
    }
    meaning = _meaning_thresholds(plain, router.likeness)
    measured = {
        "unknown_relation": {
            "asked": len(named),
            "passed": _passed_shares(named, asks) if len(named) >= _MIN_EXAMPLES else {},
        },
        "near_miss": {
            "asked": len(plain),
            "passed": _passed_shares(plain, meaning) if len(plain) >= _MIN_EXAMPLES else {},
        },
    }
    return Gate(asks, meaning, measured, router.likeness.weights)


def _meaning_thresholds(scores: list[float], likeness: Likeness) -> dict[str, float]:
    """Thresholds interpolated between those of hand-written near misses and of the model's own, weighted by the number of own
    examples."""
    if len(scores) < _MIN_EXAMPLES:
        return dict(likeness.alone)
    among = likeness.among
    own, _ = _thresholds(scores, BUDGETS, among)
    share = len(scores) / (len(scores) + _SHIPPED_WEIGHT)
    return {budget: round(share * own[budget] + (1 - share) * among[budget], 4) for budget in BUDGETS}


def _sibling_scores(router: Router, choose: random.Random) -> list[float]:
    """Scores of the best wrong fact of a subject for questions whose own fact is removed."""
    subjects: dict[frozenset, list[int]] = {}
    for fact, named in enumerate(router.keys.names):
        if named and fact not in router.languages:
            subjects.setdefault(frozenset(named), []).append(fact)
    several = [fact for facts in subjects.values() if len(facts) > 1 for fact in facts]
    scores = []
    for fact in choose.sample(several, min(_MAX_SIBLINGS, len(several))):
        found = router.by_name(router.entries[fact].input, frozenset([fact]))
        scores.append(found.likeness if found else -1.0)
    return scores


def _exchanged_word_scores(router: Router, choose: random.Random) -> list[float]:
    """Scores of questions without names in which one content word is replaced by another fact's. They ask for
    something else in almost the same words, the hardest kind of near miss."""
    if router.meant is None:
        return []
    plain, scores = [fact for fact in router.keys.plain if fact not in router.languages], []
    if not plain:
        return []
    for fact in choose.sample(plain, min(_MAX_EXCHANGED, len(plain))):
        question = router.entries[fact].input
        other = router.meaning_of(router.meant.fact(fact), frozenset([fact])) or Match(
            choose.choice(plain), 0.0, "meaning", False
        )
        mine, theirs = (_content_words(router.entries[i].input) for i in (fact, other.fact))
        new = [word for word in theirs if word not in mine]
        if not mine or not new:
            continue
        missed = re.sub(rf"\b{re.escape(choose.choice(mine))}\b", choose.choice(new), question)
        if key(missed) in router.exact:
            continue
        found = router.by_meaning(missed)
        scores.append(found.likeness if found else 0.0)
    return scores


def _content_words(text: str) -> list[str]:
    return [word.text for word in words(text) if word.plain not in STOP]


def _thresholds(
    scores: list[float], shares: dict[str, float], otherwise: dict[str, float]
) -> tuple[dict, dict]:
    if len(scores) < _MIN_EXAMPLES:
        return dict(otherwise), {}
    ordered = np.sort(np.array(scores))
    chosen = {}
    for budget, share in shares.items():
        at = min(len(ordered) - 1, int(np.ceil(len(ordered) * (1 - share))))
        chosen[budget] = round(float(ordered[at]) + 1e-4, 4)
    return chosen, _passed_shares(scores, chosen)


def _passed_shares(scores: list[float], limits: dict[str, float]) -> dict[str, float]:
    return {budget: round(float((np.array(scores) >= limit).mean()), 4) for budget, limit in limits.items()}
