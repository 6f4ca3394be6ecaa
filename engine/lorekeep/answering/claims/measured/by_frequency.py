"""Decides a claim about how often something happens by a fact about frequency: "Is it inspected every year?" beside "Every two years"."""

import re

from lorekeep.answering.claims.measured.measure import NUMBER, value_of

_HOW_OFTEN = re.compile(
    r"\b(?:how often|how (?:frequently|regularly)|at what intervals?|how many times|what intervals?)\b",
    re.IGNORECASE,
)
_DAYS_OF = {
    "hour": 1 / 24,
    "day": 1.0,
    "week": 7.0,
    "fortnight": 14.0,
    "month": 30.4,
    "quarter": 91.3,
    "year": 365.2,
}
_UNIT = "|".join(_DAYS_OF)
_ADVERBS = {
    "hourly": 1 / 24, "daily": 1.0, "weekly": 7.0, "fortnightly": 14.0, "biweekly": 14.0, "monthly": 30.4, "quarterly": 91.3,
    "yearly": 365.2, "annually": 365.2, "annual": 365.2, "half-yearly": 182.6,
}  # fmt: skip
_TIMES_WORDS = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_ORDINALS = {
    "second": 2.0,
    "other": 2.0,
    "third": 3.0,
    "fourth": 4.0,
    "fifth": 5.0,
    "sixth": 6.0,
    "tenth": 10.0,
}
_EVERY = re.compile(
    rf"\b(?:every|each)(?: (?P<number>{NUMBER})| (?P<ordinal>{'|'.join(_ORDINALS)})| (?P<single>single))? (?P<unit>{_UNIT})s?\b",
    re.IGNORECASE,
)
_TIMES_PER_UNIT = re.compile(
    rf"\b(?:(?P<times>{'|'.join(_TIMES_WORDS)})|(?P<number>{NUMBER}) times) (?:an?|per|each|every|in an?) (?:(?P<every>{NUMBER}) )?(?P<unit>{_UNIT})s?\b",
    re.IGNORECASE,
)
_ADVERB = re.compile(rf"\b(?:{'|'.join(_ADVERBS)})\b", re.IGNORECASE)
_REVERSAL = re.compile(
    r"\b(?:more|less|fewer|at least|at most|than|only|enough|or|often|before|after|can|could|may|must|need|have to|should)\b",
    re.IGNORECASE,
)


def by_frequency(question: str, taught: str, answer: str) -> bool | None:
    """Whether the only interval of a claim equals the only interval of a fact about a frequency."""
    asked, told = _intervals(question), _intervals(answer)
    if len(asked) != 1 or len(told) != 1 or not _HOW_OFTEN.search(taught) or _REVERSAL.search(question):
        return None
    return abs(asked[0] / told[0] - 1) < 0.05


def _intervals(text: str) -> list[float]:
    """The intervals of a text, in days."""
    found = [_ADVERBS[one[0].lower()] for one in _ADVERB.finditer(text)]
    for one in _EVERY.finditer(text):
        number = (
            value_of(one["number"]) if one["number"] else _ORDINALS.get((one["ordinal"] or "").lower(), 1.0)
        )
        if number:
            found.append(number * _DAYS_OF[one["unit"].lower()])
    for one in _TIMES_PER_UNIT.finditer(text):
        times = _TIMES_WORDS.get((one["times"] or "").lower()) or value_of(one["number"] or "")
        units = value_of(one["every"]) if one["every"] else 1.0
        if times and units:
            found.append(units * _DAYS_OF[one["unit"].lower()] / times)
    return found
