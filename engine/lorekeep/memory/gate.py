"""How sure the router has to be, learnt from a model's own facts: each asks its own question with its fact taken out, and what then
comes nearest is a near miss. Thresholds leave so many of them through as a budget allows."""

import random
import re

import numpy as np

from lorekeep.memory.match import PRESET
from lorekeep.memory.router import BUDGETS, Found, Gate, Router, same
from lorekeep.memory.words import STOP, words

# Of questions about a known name that no fact answers, the share that each budget lets through (docs/experiments.md).
UNKNOWN_ASKS = {"strict": 0.10, "balanced": 0.40, "generous": 0.70}
# Where there are fewer examples than this, what other data has shown is worth more.
# Near misses that people write pass twice as often as those made here: measured on the choosing side of bench/memory/ordinary.jsonl.
_HARDER = 0.5
_ENOUGH, _SAMPLE, _EXCHANGED = 20, 1500, 300
_ASKS = {"strict": 0.55, "balanced": 0.38, "generous": 0.25}


def calibrate(router: Router) -> Gate:
    choose = random.Random(0)
    named, plain = _siblings(router, choose), [*_neighbours(router, choose), *_exchanged(router, choose)]
    asks, passed_asks = _thresholds(named, UNKNOWN_ASKS, _ASKS)
    meaning, passed_meaning = _thresholds(
        plain, {name: share * _HARDER for name, share in BUDGETS.items()}, PRESET
    )
    measured = {
        "unknown_relation": {"asked": len(named), "passed": passed_asks},
        "near_miss": {"asked": len(plain), "passed": passed_meaning},
    }
    return Gate(asks, meaning, measured)


def _siblings(router: Router, choose: random.Random) -> list[float]:
    """For facts of one subject: how near the best of the others comes to a question that none of them answers."""
    subjects: dict[frozenset, list[int]] = {}
    for fact, named in enumerate(router.keys.names):
        if named:
            subjects.setdefault(frozenset(named), []).append(fact)
    several = [fact for facts in subjects.values() if len(facts) > 1 for fact in facts]
    scores = []
    for fact in choose.sample(several, min(_SAMPLE, len(several))):
        found = router.by_name(router.entries[fact].input, frozenset([fact]))
        scores.append(found.likeness if found else -1.0)
    return scores


def _neighbours(router: Router, choose: random.Random) -> list[float]:
    """For facts without names: how near the next one comes when the fact and its two nearest neighbours, which may mean the same,
    are taken out."""
    if router.meant is None:
        return []
    scores = []
    plain = router.keys.plain
    for fact in choose.sample(plain, min(_SAMPLE, len(plain))):
        asked, out = router.meant.fact(fact), {fact}
        out |= {number for number, _ in router.meant.closest(asked, frozenset(out))[:2]}
        found = router.meaning_of(asked, frozenset(out))
        scores.append(found.likeness if found else 0.0)
    return scores


def _exchanged(router: Router, choose: random.Random) -> list[float]:
    """For facts without names: how near a question comes in which one telling word is another fact's. It asks for something else in almost
    the same words, which is the hardest kind of near miss."""
    if router.meant is None:
        return []
    plain, scores = router.keys.plain, []
    for fact in choose.sample(plain, min(_EXCHANGED, len(plain))):
        question = router.entries[fact].input
        other = router.meaning_of(router.meant.fact(fact), frozenset([fact])) or Found(
            choose.choice(plain), 0.0, "meaning", False
        )
        mine, theirs = (_telling(router.entries[i].input) for i in (fact, other.fact))
        new = [word for word in theirs if word not in mine]
        if not mine or not new:
            continue
        missed = re.sub(rf"\b{re.escape(choose.choice(mine))}\b", choose.choice(new), question)
        if same(missed) in router.exact:
            continue
        found = router.by_meaning(missed)
        scores.append(found.likeness if found else 0.0)
    return scores


def _telling(text: str) -> list[str]:
    return [word.text for word in words(text) if word.plain not in STOP]


def _thresholds(
    scores: list[float], shares: dict[str, float], otherwise: dict[str, float]
) -> tuple[dict, dict]:
    if len(scores) < _ENOUGH:
        return dict(otherwise), {}
    ordered = np.sort(np.array(scores))
    chosen = {}
    for budget, share in shares.items():
        at = min(len(ordered) - 1, int(np.ceil(len(ordered) * (1 - share))))
        chosen[budget] = round(float(ordered[at]) + 1e-4, 4)
    passed = {budget: round(float((ordered >= limit).mean()), 4) for budget, limit in chosen.items()}
    return chosen, passed
