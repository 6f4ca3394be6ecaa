"""Compares the measure of a claim with that of a fact, and masks their numbers in both texts. A network decides whether the claim is true
by that comparison: this module does the arithmetic, and the network reads the words."""

import re
from dataclasses import dataclass, replace

from lorekeep.answering.claims.measured.by_hours import is_open
from lorekeep.answering.claims.measured.comparable import comparable_amount, comparable_amounts, split_rate
from lorekeep.answering.claims.measured.measure import NUMBER, Measure
from lorekeep.answering.claims.measured.measures import measures, order_of

LESS, SAME, MORE, OUTSIDE = range(4)
_CASES = {
    "<": LESS, "below": LESS, "=": SAME, "in": SAME, ">": MORE, "above": MORE, "out": OUTSIDE
}  # fmt: skip
_AMOUNT_KINDS = (
    "money", "time", "data", "weight", "length", "volume", "share", "heat", "power", "speed", "count", "age"
)  # fmt: skip
_UNITLESS = ("count", "age")
# Placeholders for the number of a claim, and for that of a fact.
_CLAIM_MARK, _FACT_MARK = "x", "y"
_SIGN = re.compile(r"^(?:[A-Za-z]{1,3}\.?\$?|[₹¥])\s?(?=[xy]\b)")
_NUMBER = re.compile(
    rf"(?:{NUMBER}|half an?|a couple of|\ban?\b)(?: and a half|½)?(?:\s?(?:million|billion|thousand|hundred|grand|dozen|k)\b)?",
    re.IGNORECASE,
)
_OF_AGE = re.compile(r"\bage\b|\bhow old\b|\byears?\b", re.IGNORECASE)


@dataclass(frozen=True)
class MeasureComparison:
    claim: str
    fact: str
    case: int  # how the measure of the claim compares with that of the fact


def measure_comparison(question: str, taught: str, answer: str) -> MeasureComparison | None:
    """The comparison of a claim and a fact. None where they have no measures to compare, or several."""
    return (
        _amounts(question, taught, answer)
        or _opening_hours(question, taught, answer)
        or _points_in_time(question, taught, answer)
    )


def _amounts(question: str, taught: str, answer: str) -> MeasureComparison | None:
    asked = [one for one in split_rate(question)[0] if one.kind in _AMOUNT_KINDS]
    its = [one for one in split_rate(answer)[0] if one.kind in _AMOUNT_KINDS]
    if not asked or not its:
        return None
    of_claim = asked if len(asked) == 1 else comparable_amount(asked, taught, answer)
    told = comparable_amounts(question, of_claim[0], taught, answer) if of_claim else []
    if len(told) == 1:
        return _pair(question, of_claim[0], taught, answer, told[0])
    if told or len(asked) > 1 or len(its) > 1:
        return None
    one, other = asked[0], its[0]
    # A number without a unit takes the unit of the other: "Is it higher than 7000?"
    if one.kind in _UNITLESS and other.kind not in _UNITLESS:
        one = replace(one, kind=other.kind, low=one.low * other.size, high=one.high * other.size)
    elif other.kind in _UNITLESS and one.kind not in _UNITLESS and _OF_AGE.search(f"{taught} {answer}"):
        other = replace(other, kind=one.kind, low=other.low * one.size, high=other.high * one.size)
    else:
        return None
    return _pair(question, one, taught, answer, other)


def _opening_hours(question: str, taught: str, answer: str) -> MeasureComparison | None:
    """Compares a day or a time of day with hours."""
    asked = [one for one in measures(question) if one.kind in ("days", "clock")]
    days, clocks = ([one for one in asked if one.kind == kind] for kind in ("days", "clock"))
    its = [one for one in measures(answer) if one.kind in ("days", "clock")]
    if len(days) > 1 or len(clocks) > 1 or not asked or not its or any(one.is_range for one in clocks):
        return None
    inside = is_open(days, clocks, taught, answer)
    if inside is None:
        return None
    return MeasureComparison(
        _masked(question, asked, _CLAIM_MARK),
        f"{taught} {_masked(answer, its, _FACT_MARK)}",
        SAME if inside else OUTSIDE,
    )


def _points_in_time(question: str, taught: str, answer: str) -> MeasureComparison | None:
    """Compares a time of day, a date or a year with another one."""
    asked, its = (
        [one for one in measures(text) if one.kind in ("days", "clock", "date", "year")]
        for text in (question, answer)
    )
    if len(asked) != 1 or len(its) != 1 or asked[0].kind != its[0].kind or asked[0].kind == "days":
        return None
    return _pair(question, asked[0], taught, answer, its[0])


def _pair(question: str, one: Measure, taught: str, answer: str, other: Measure) -> MeasureComparison | None:
    case = None if one.is_range else _CASES.get(order_of(one, other))
    if case is None:
        return None
    return MeasureComparison(
        _masked(question, [one], _CLAIM_MARK), f"{taught} {_masked(answer, [other], _FACT_MARK)}", case
    )


def _masked(text: str, measured: list[Measure], mark: str) -> str:
    """A text with a placeholder for the number of each measure. Units stay; a day or a time of day has none."""
    for one in sorted(measured, key=lambda one: -one.start):
        said = text[one.start : one.end]
        if one.kind in ("days", "clock", "date", "year"):
            said = mark
        else:
            said, count = _NUMBER.subn(mark, said, count=0 if one.is_range else 1)
            if not count:  # "a tenner"
                said = f"£{mark}" if one.kind == "money" else f"{mark} {one.kind}"
            elif one.kind == "money":
                # The network knows few currency signs.
                said = _SIGN.sub("£", said)
        text = text[: one.start] + said + text[one.end :]
    return text
