"""Answers comparisons of two subjects by a taught number of each: "Which costs more, the Corvid or the Merle?", "Is it heavier
than the Merle?". The adjective or the verb determines the relation."""

import re
from dataclasses import dataclass

from lorekeep.answering.amounts import Amount, amounts
from lorekeep.answering.judge import Judge

# Adjectives of a comparison: the question for the measure of each, and whether more of it is asked for. Beside a noun
# ("the longer warranty") the noun is the measure.
_ADJECTIVES = {
    **dict.fromkeys(("more expensive", "costlier", "pricier", "dearer"), ("How much does it cost?", 1)),
    **dict.fromkeys(("cheaper", "less expensive", "cheapest", "least expensive"), ("How much does it cost?", -1)),
    "most expensive": ("How much does it cost?", 1), "heavier": ("How heavy is it?", 1), "heaviest": ("How heavy is it?", 1),
    "lighter": ("How heavy is it?", -1), "lightest": ("How heavy is it?", -1), "longer": ("How long is it?", 1), "longest": ("How long is it?", 1),
    "shorter": ("How long is it?", -1), "shortest": ("How long is it?", -1), "taller": ("How tall is it?", 1), "tallest": ("How tall is it?", 1),
    "higher": ("How high is it?", 1), "highest": ("How high is it?", 1), "lower": ("How high is it?", -1), "lowest": ("How high is it?", -1),
    "larger": ("How large is it?", 1), "largest": ("How large is it?", 1), "bigger": ("How large is it?", 1), "biggest": ("How large is it?", 1),
    "greater": ("How large is it?", 1), "smaller": ("How large is it?", -1), "smallest": ("How large is it?", -1),
    "faster": ("How fast is it?", 1), "fastest": ("How fast is it?", 1), "slower": ("How fast is it?", -1), "slowest": ("How fast is it?", -1),
    "older": ("In which year was it founded?", -1), "oldest": ("In which year was it founded?", -1), "younger": ("In which year was it founded?", 1),
    "newer": ("In which year was it founded?", 1), "newest": ("In which year was it founded?", 1), "earlier": ("When was it?", -1),
    "later": ("When was it?", 1), "farther": ("How far is it?", 1), "further": ("How far is it?", 1), "nearer": ("How far is it?", -1),
    "closer": ("How far is it?", -1), "more": ("How many are there?", 1), "most": ("How many are there?", 1), "fewer": ("How many are there?", -1),
    "less": ("How many are there?", -1), "wider": ("How wide is it?", 1), "deeper": ("How deep is it?", 1), "hotter": ("How hot is it?", 1),
    "colder": ("How hot is it?", -1), "quicker": ("How fast is it?", 1),
}  # fmt: skip
IS_ASKED = re.compile(rf"\b({'|'.join(sorted(_ADJECTIVES, key=len, reverse=True))})\b", re.IGNORECASE)
_VERB = re.compile(r"\b([a-z]+?)s? (?:more|less|longer|fewer)\b", re.IGNORECASE)
_NOUN = re.compile(
    r" (?!than\b|of\b|or\b|is\b|are\b|the\b|one\b|does\b)([a-z]+(?: (?!than\b|or\b|of\b)[a-z]+)?)",
    re.IGNORECASE,
)
_NO_VERBS = frozenset(
    [
        "is",
        "one",
        "which",
        "it",
        "are",
        "that",
        "and",
        "thi",
        "wa",
        "ha",
        "ha",
        "have",
        "the",
        "much",
        "any",
        "no",
    ]
)
# Facts of a subject that are looked at, and the likeness of relations that are one.
_LOOKED_AT, _SAME_RELATION = 64, 0.6


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
    measures, sign = wanted
    best: tuple[float, int, int] | None = None
    for measure, asked_D in zip(
        measures, judge.router.likeness.turned(judge.router.embed(measures)), strict=True
    ):
        for one, other in _pairs(names, judge):
            likeness = judge.router.of_relation(one, measure, asked_D)
            if likeness >= judge.router.gate.asks[judge.budget] and (best is None or likeness > best[0]):
                best = likeness, one, other
    if best is None:
        return None
    likeness, one, other = best
    mine, its = (_amount(judge, fact) for fact in (one, other))
    assert mine and its
    if mine.value == its.value:
        return None
    first_is_more = (mine.value > its.value) == (sign > 0)
    if re.search(r"\b(?:which|what|who|name|or)\b|what['’]s", question, re.IGNORECASE):
        text = names[0] if first_is_more else names[1]
    else:
        text = "Yes." if first_is_more else "No."
    return Compared((one, other), text, likeness)


def _wanted(question: str) -> tuple[list[str], int] | None:
    """Questions for the measure that is compared, and 1 where more of it is asked for."""
    found = IS_ASKED.search(question)
    if found is None:
        return None
    measure, sign = _ADJECTIVES[found[1].lower()]
    measures = []
    if (verb := _VERB.search(question)) and verb[1].lower() not in _NO_VERBS:
        measures.append(f"How much does it {verb[1].lower()}?")
    if noun := _NOUN.match(question, found.end()):
        measures += [f"What is the {one} of it?" for one in dict.fromkeys((noun[1], noun[1].split()[0]))]
        measures += [f"How many {noun[1].split()[0]} does it have?"] if "many" in measure else []
    return measures or [measure], sign


def _pairs(names: list[str], judge: Judge) -> list[tuple[int, int]]:
    """Pairs of facts of both subjects with equal relations and numbers of the same unit."""
    asks_F_D, asks = judge.router.asks_F_D, judge.router.keys.asks
    mine, its = (
        {
            fact: amount.unit
            for fact in judge.knowledge.about(name)[:_LOOKED_AT]
            if judge.usable(fact)
            and judge.knowledge.subject(fact).startswith(name)
            and (amount := _amount(judge, fact)) is not None
        }
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
        and mine[one] == its[other]
    ]


def _of_it(judge: Judge, fact: int) -> str:
    return judge.router.entries[fact].input.replace(judge.knowledge.subject(fact), "it").lower()


def _amount(judge: Judge, fact: int) -> Amount | None:
    """The amount that a fact answers with: the first that is not in its question."""
    entry = judge.router.entries[fact]
    return next((one for one in amounts(entry.output) if one.text not in entry.input), None)
