"""The measure of a claim and that of a fact that it is compared with, how they compare, and both texts without their numbers. Whether
the claim is so then is for the network of verdicts to say: arithmetic is left to this module, and the sense of words to the network."""

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
_AMOUNTS = (
    "money", "time", "data", "weight", "length", "volume", "share", "heat", "power", "speed", "count", "age"
)  # fmt: skip
_BARE = ("count", "age")
# Marks in place of the number of a claim, and of that of a fact.
_CLAIMED, _TOLD = "x", "y"
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
    case: int  # of the measure of the claim, beside that of the fact


def measure_comparison(question: str, taught: str, answer: str) -> MeasureComparison | None:
    """None where a claim and a fact have no measures to compare, or several."""
    return (
        _amounts(question, taught, answer)
        or _opening(question, taught, answer)
        or _points(question, taught, answer)
    )


def _amounts(question: str, taught: str, answer: str) -> MeasureComparison | None:
    asked = [one for one in split_rate(question)[0] if one.kind in _AMOUNTS]
    its = [one for one in split_rate(answer)[0] if one.kind in _AMOUNTS]
    if not asked or not its:
        return None
    of_claim = asked if len(asked) == 1 else comparable_amount(asked, taught, answer)
    told = comparable_amounts(question, of_claim[0], taught, answer) if of_claim else []
    if len(told) == 1:
        return _pair(question, of_claim[0], taught, answer, told[0])
    if told or len(asked) > 1 or len(its) > 1:
        return None
    one, other = asked[0], its[0]
    # A number without a unit is of that of the other: "Is it higher than 7000?"
    if one.kind in _BARE and other.kind not in _BARE:
        one = replace(one, kind=other.kind, low=one.low * other.size, high=one.high * other.size)
    elif other.kind in _BARE and one.kind not in _BARE and _OF_AGE.search(f"{taught} {answer}"):
        other = replace(other, kind=one.kind, low=other.low * one.size, high=other.high * one.size)
    else:
        return None
    return _pair(question, one, taught, answer, other)


def _opening(question: str, taught: str, answer: str) -> MeasureComparison | None:
    """A day or a time of day beside hours."""
    asked = [one for one in measures(question) if one.kind in ("days", "clock")]
    days, clocks = ([one for one in asked if one.kind == kind] for kind in ("days", "clock"))
    its = [one for one in measures(answer) if one.kind in ("days", "clock")]
    if len(days) > 1 or len(clocks) > 1 or not asked or not its or any(one.is_range for one in clocks):
        return None
    inside = is_open(days, clocks, taught, answer)
    if inside is None:
        return None
    return MeasureComparison(
        _masked(question, asked, _CLAIMED),
        f"{taught} {_masked(answer, its, _TOLD)}",
        SAME if inside else OUTSIDE,
    )


def _points(question: str, taught: str, answer: str) -> MeasureComparison | None:
    """A time of day, a date or a year beside another one."""
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
        _masked(question, [one], _CLAIMED), f"{taught} {_masked(answer, [other], _TOLD)}", case
    )


def _masked(text: str, measured: list[Measure], mark: str) -> str:
    """A text without the numbers of some measures, whose units stay. A day or a time of day has no unit."""
    for one in sorted(measured, key=lambda one: -one.start):
        said = text[one.start : one.end]
        if one.kind in ("days", "clock", "date", "year"):
            said = mark
        else:
            said, count = _NUMBER.subn(mark, said, count=0 if one.is_range else 1)
            if not count:  # "a tenner"
                said = f"£{mark}" if one.kind == "money" else f"{mark} {one.kind}"
            elif one.kind == "money":
                # The network knows few signs of currencies.
                said = _SIGN.sub("£", said)
        text = text[: one.start] + said + text[one.end :]
    return text
