"""Decides a yes-or-no question about a person of some age by the clause of a fact with a rule under or from an age limit: "Children under
12 get in free." """

import re

from lorekeep.answering.claims.measured.measure import Measure
from lorekeep.answering.claims.measured.measures import YEAR, measures

_UNDER = re.compile(
    r"\b(?:under|below|younger than)\s+(?:the age of )?$|^\W*(?:and|or) (?:under|younger)\b", re.IGNORECASE
)
_FROM = re.compile(
    r"\b(?:from|over|above|at least|older than)\s+(?:the age of )?$|^\W*(?:and|or) (?:over|older|above)\b",
    re.IGNORECASE,
)
_CLAUSES = re.compile(
    r"(?<=[.;!?])\s+|,\s+(?=(?:but|and|children|kids|those|people|anyone|over|under|from)\b)", re.IGNORECASE
)
# Rules of a clause, each with the words by which a clause states it and a question asks for it.
_RULES = {
    "free": re.compile(r"\b(?:free|nothing|no charge|pay(?:s)? no|not pay|zero|for nothing)\b", re.IGNORECASE),
    "must": re.compile(r"\b(?:must(?! not)|ha(?:ve|s) to|needs?(?: to)?|required|obliged|compulsory)\b", re.IGNORECASE),
    "may": re.compile(r"\b(?:may|can|allowed|welcome|permitted|admitted|let in|come|enter|join|use)\b", re.IGNORECASE),
}  # fmt: skip
_FORBIDS = re.compile(
    r"\b(?:not|no|never|cannot|can['’]t|mustn['’]t|forbidden|without|only|nobody)\b|n['’]t\b", re.IGNORECASE
)


_NEGATED = re.compile(r"n['’]t\b|\b(?:not|never|no)\b", re.IGNORECASE)
_ALONE = r"\b(?:alone|unaccompanied|on (?:his|her|my|their|our) own|by (?:him|her|my|them|our)sel(?:f|ves)|without (?:an adult|a parent|me|us|his parents|her parents))\b"
# What a question asks for, and how a clause denies it.
_OPPOSITES = tuple(
    (re.compile(asks, re.IGNORECASE), re.compile(denied, re.IGNORECASE))
    for asks, denied in (
        (
            _ALONE,
            r"\bmust\b.*\b(?:with|accompanied)\b|\bonly (?:with|if accompanied)\b|\bneeds? (?:to be (?:with|accompanied)|an adult|a parent)\b",
        ),
        (
            rf"^(?!.*{_ALONE}).*\b(?:may|can|could|allowed|permitted|ok|okay)\b",
            r"\b(?:may not|must not|cannot|can['’]t|(?:is|are) not (?:allowed|permitted|admitted))\b",
        ),
        (
            r"\b(?:pay|cost|charged?|need a ticket|buy a ticket)\b(?!.*\b(?:half|full|less|extra)\b)",
            r"\b(?:free|pays? nothing|no charge|need no ticket)\b",
        ),
    )
)
# Facts about the least age for something.
_LEAST_AGE = re.compile(
    r"\b(?:how old (?:must|do|does|should|have|has)|(?:minimum|least|lowest) age|(?:from|at) (?:what|which) age|what age (?:must|do|does|should))\b",
    re.IGNORECASE,
)
_UPPER = re.compile(r"\b(?:under|below|up to|until|younger|at most|to \d|free|half)\b", re.IGNORECASE)
_PERMITS = re.compile(
    r"\b(?:may|can|could|allowed|permitted|old enough|ok|okay|fine|possible)\b", re.IGNORECASE
)


def by_age(question: str, taught: str, answer: str) -> bool | None:
    """Whether the rule that a question asks about applies to all ages that it names."""
    if (old_enough := _by_least_ages(question, taught, answer)) is not None:
        return old_enough
    if (applies := _by_opposite_rule(question, answer)) is not None:
        return not applies
    asked = [one for one in measures(question) if _is_age(one)]
    said = {kind for kind, words in _RULES.items() if words.search(question)}
    said = {"free"} if "free" in said else said
    if not asked or len(said) != 1 or _FORBIDS.search(question):
        return None
    if any(bound.search(_text_before(question, one)) for one in asked for bound in (_UNDER, _FROM)):
        return None  # "Do children under 14 pay?" names no age
    verdicts = set()
    for clause in _CLAUSES.split(answer):
        its = [one for one in measures(clause) if _is_age(one)]
        if len(its) != 1 or not all(_RULES[kind].search(clause) for kind in said):
            continue
        under, from_age = _bounds(clause, its[0])
        if under == from_age or (_FORBIDS.search(clause) and "free" not in said):
            return None
        verdicts |= {(_years(one) < _years(its[0])) == under for one in asked}
    return verdicts.pop() if len(verdicts) == 1 else None


def _by_opposite_rule(question: str, answer: str) -> bool | None:
    """Whether the age of a question is one for which a fact says the opposite of what is asked: that somebody may not come, must not be
    alone, or need not pay."""
    asked = _asked_age(question)
    rules = [denied for asks, denied in _OPPOSITES if asks.search(question)]
    if asked is None or _NEGATED.search(question):
        return None
    for clause in _CLAUSES.split(answer):
        its = [one for one in measures(clause) if _is_age(one)]
        if len(its) != 1 or not any(denied.search(clause) for denied in rules):
            continue
        under, from_age = _bounds(clause, its[0])
        if under != from_age:
            return (asked < _years(its[0])) == under
    return None


def _bounds(clause: str, its: Measure) -> tuple[bool, bool]:
    """Whether a rule holds under an age, and from an age on."""
    under, from_age = (
        bool(bound.search(_text_before(clause, its)) or bound.match(clause[its.end :]))
        for bound in (_UNDER, _FROM)
    )
    return under, from_age


def is_conditional(question: str, taught: str, answer: str) -> bool:
    """Whether a fact has several least ages, and a question an age between them: "16, or 14 with a parent" does not decide 15."""
    least, asked = _least_ages(taught, answer), _asked_age(question)
    return asked is not None and len(least) > 1 and min(least) <= asked < max(least)


def _by_least_ages(question: str, taught: str, answer: str) -> bool | None:
    least, asked = _least_ages(taught, answer), _asked_age(question)
    if asked is None or len(least) < 2 or _FORBIDS.search(question) or not _PERMITS.search(question):
        return None
    return False if asked < min(least) else True if asked >= max(least) else None


def _least_ages(taught: str, answer: str) -> list[float]:
    """The least ages that a fact tells for several conditions, in years."""
    its = measures(answer)
    if (
        not _LEAST_AGE.search(taught)
        or _UPPER.search(answer)
        or not all(one.kind == "count" or _is_age(one) for one in its)
    ):
        return []
    return [_years(one) for one in its]


def _asked_age(question: str) -> float | None:
    asked = [one for one in measures(question) if _is_age(one)]
    return _years(asked[0]) if len(asked) == 1 and not asked[0].is_range else None


def _is_age(one: Measure) -> bool:
    return one.kind == "age" or (one.kind == "time" and one.size == YEAR)


def _years(one: Measure) -> float:
    return one.low / YEAR if one.kind == "time" else one.low


def _text_before(text: str, one: Measure) -> str:
    """The text before a measure, with the "from" that the measure may begin with."""
    return text[: one.start] + ("from " if one.text.lower().startswith("from ") else "")
