"""Answers comparisons of two subjects by a taught number of each: "Which costs more, the Corvid or the Merle?", "Is it heavier
than the Merle?". The adjective or the verb determines the relation."""

import re
from dataclasses import dataclass

from lorekeep.answering.judge import Judge

_MORE = re.compile(r"\b(more|less) ([a-z]+) than\b|\b(more|less|fewer) ([a-z]+)\b", re.IGNORECASE)
_VERB = re.compile(r"\b(?:which|what|who)(?: (?:one|of \w+))? ([a-z]+) (more|less|longer)\b", re.IGNORECASE)
_ENDING = re.compile(r"\b([a-z]{3,}?)(i?er|i?est)\b(?= than\b|,| of\b|\W*$|:| )", re.IGNORECASE)
IS_ASKED = re.compile(
    r"\b(?:more|less|fewer)\b|\b[a-z]+er than\b|\bwhich\b.*\b[a-z]+(?:er|est)\b", re.IGNORECASE
)
# The adjective of a measure, and the one that means less of it.
_MEASURES = {
    "expensive": "cheap", "heavy": "light", "old": "young", "large": "small", "big": "little", "long": "short",
    "tall": "low", "high": "low", "fast": "slow", "late": "early", "far": "near", "many": "few",
}  # fmt: skip
# Maximum facts of a subject that are compared, and the likeness above which two relations count as equal.
_LOOKED_AT, _SAME_RELATION = 64, 0.6
_NUMBER = re.compile(r"\d[\d,.]*")


@dataclass(frozen=True)
class Compared:
    facts: tuple[int, int]
    text: str
    likeness: float


def compared(question: str, judge: Judge) -> Compared | None:
    names = judge.knowledge.subjects(question)
    wanted = _wanted(question)
    if len(names) != 2 or wanted is None or judge.router.embed is None:
        return None
    measure, sign = wanted
    asked_D = judge.router.likeness.turned(judge.router.embed([measure])[0])
    best: tuple[float, int, int] | None = None
    for one, other in _pairs(names, judge):
        likeness = float(judge.router.asks_F_D[judge.router.keys.asks[one]] @ asked_D)
        if likeness >= judge.router.gate.asks[judge.budget] and (best is None or likeness > best[0]):
            best = likeness, one, other
    if best is None:
        return None
    likeness, one, other = best
    values = [_value(judge.router.entries[fact].output) for fact in (one, other)]
    assert values[0] and values[1]
    first, second = values[0][0], values[1][0]
    if first == second:
        return None
    # Of two years the older thing has the smaller one.
    years = all(1000 < value < 2200 for value in (first, second)) and measure.startswith("How old")
    first_is_more = (first > second) == (sign > 0) if not years else (first < second) == (sign > 0)
    if re.match(r"\W*(?:which|what|who)\b", question, re.IGNORECASE):
        text = names[0] if first_is_more else names[1]
    else:
        text = "Yes." if first_is_more else "No."
    return Compared((one, other), text, likeness)


def _wanted(question: str) -> tuple[str, int] | None:
    """A question for the compared measure, and 1 if the larger value is asked for."""
    if found := _VERB.search(question):
        verb = re.sub(r"s$", "", found[1].lower())
        return f"How much does it {verb}?", -1 if found[2].lower() == "less" else 1
    if found := _MORE.search(question):
        sign = 1 if (found[1] or found[3]).lower() == "more" else -1
        return _measure(found[2] or found[4], sign)
    if found := _ENDING.search(question):
        low = found[1].lower() + ("y" if found[2].startswith("i") else "")
        known = [*_MEASURES, *_MEASURES.values()]
        stem = next((one for one in known if one in (low, low[:-1], f"{low}e")), None)
        return _measure(stem, 1) if stem else None
    return None


def _measure(adjective: str, sign: int) -> tuple[str, int]:
    adjective = adjective.lower()
    for more, less in _MEASURES.items():
        if adjective == less:
            return f"How {more} is it?", -sign
    return f"How {adjective} is it?", sign


def _pairs(names: list[str], judge: Judge) -> list[tuple[int, int]]:
    """Pairs of facts of both subjects with equal relations and numbers of the same unit."""
    asks_F_D, asks, entries = judge.router.asks_F_D, judge.router.keys.asks, judge.router.entries
    mine, its = (
        [
            fact
            for fact in judge.knowledge.about(name)[:_LOOKED_AT]
            if judge.usable(fact) and judge.knowledge.subject(fact) == name and _value(entries[fact].output)
        ]
        for name in names
    )
    return [
        (one, other)
        for one in mine
        for other in its
        if (
            _of_it(judge, one) == _of_it(judge, other)
            or float(asks_F_D[asks[one]] @ asks_F_D[asks[other]]) >= _SAME_RELATION
        )
        and _unit(entries[one].output) == _unit(entries[other].output)
    ]


def _of_it(judge: Judge, fact: int) -> str:
    return judge.router.entries[fact].input.replace(judge.knowledge.subject(fact), "it").lower()


def _value(text: str) -> tuple[float] | None:
    found = _NUMBER.findall(text)
    if len(found) != 1 or len(text) > 80:
        return None
    plain = found[0].rstrip(".,")
    plain = re.sub(r"[,.](?=\d{3}\b)", "", plain).replace(",", ".")
    try:
        return (float(plain),)
    except ValueError:
        return None


def _unit(text: str) -> str:
    return " ".join(_NUMBER.sub("", text).lower().split())
