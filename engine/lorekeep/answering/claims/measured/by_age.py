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


def by_age(question: str, answer: str) -> bool | None:
    """Whether the rule that a question asks about applies to all ages that it names."""
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
        under, from_age = (
            bool(bound.search(_text_before(clause, its[0])) or bound.match(clause[its[0].end :]))
            for bound in (_UNDER, _FROM)
        )
        if under == from_age or (_FORBIDS.search(clause) and "free" not in said):
            return None
        verdicts |= {(_years(one) < _years(its[0])) == under for one in asked}
    return verdicts.pop() if len(verdicts) == 1 else None


def _is_age(one: Measure) -> bool:
    return one.kind == "age" or (one.kind == "time" and one.size == YEAR)


def _years(one: Measure) -> float:
    return one.low if one.kind == "age" else one.low / YEAR


def _text_before(text: str, one: Measure) -> str:
    """The text before a measure, with the "from" that the measure may begin with."""
    return text[: one.start] + ("from " if one.text.lower().startswith("from ") else "")
