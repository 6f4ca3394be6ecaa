"""Decides a claim about a year, a decade, a century or a bound of years by the only year in the answer of a fact: "Was it built before
1900?", "Did it open in the 1870s?", "Was it already there in 1860?", "Was it still open in 1990?" """

import re
from dataclasses import dataclass

from lorekeep.answering.claims.measured.measures import measures, order_of

_DIGITS = r"(?<![\d.,€$£-])(?:1[0-9]|2[0-9])\d\d(?![\d%]|[.,]\d|-\d)"
_YEAR = re.compile(rf"{_DIGITS}(?!['’]?s\b)")
_ASKS_YEAR = re.compile(r"\b(?:when|year|since|date|born|founded|how (?:old|long ago))\b", re.IGNORECASE)
_ORDINALS = {
    "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17,
    "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "twenty-first": 21,
}  # fmt: skip
_CENTURY = re.compile(rf"\b(?:(\d\d)(?:st|nd|rd|th)|({'|'.join(_ORDINALS)}))[\s-]century\b", re.IGNORECASE)
_DECADE = re.compile(rf"(?:{_DIGITS})(?=['’]?s\b)")
_DECADE_WORDS = {
    "twenties": 20,
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
    "nineties": 90,
}
_SPOKEN = re.compile(rf"\b(?:the|in) (?:({'|'.join(_DECADE_WORDS)})|['’]?(\d0)['’]?s)\b", re.IGNORECASE)
_DECADE_PART = re.compile(r"\b(?:early|late|mid|middle|end|beginning|start|half|turn)\b", re.IGNORECASE)
_BETWEEN = re.compile(rf"\b(?:between|from)\s({_DIGITS})\s(?:and|to|until)\s({_DIGITS})", re.IGNORECASE)
# Relations of a claim to its year, by the words before the year.
_RELATIONS = {
    relation: re.compile(rf"\b(?:{words})\s(?:the\s)?(?:(?:whole )?year\s)?$", re.IGNORECASE)
    for relation, words in {
        "before": "before|prior to|(?:earlier|older) th[ae]n",
        "after": "after|later th[ae]n|more recent(?:ly)? th[ae]n",
        "by": "by",
        "until": "until|till",
        "in": "in|during|within",
    }.items()
}
_ALREADY = re.compile(r"\b(?:exist(?:ed)?|already|yet)\b", re.IGNORECASE)
_STILL = re.compile(r"\bstill\b", re.IGNORECASE)
_INEXACT_WORDS = re.compile(
    r"\b(?:earlier|later|than|over|more|less|fewer|or|around|about|circa|roughly|ago|since|only|from|to|between|before|after|until|till|by)\b",
    re.IGNORECASE,
)
# "Around the 1870s", "since the 1870s"
_AROUND = re.compile(
    r"\b(?:around|about|circa|roughly|nearly|almost|since|th[ae]n)\s(?:the\s)?$", re.IGNORECASE
)
# Facts about when something began or first existed, and about when it ended. An end decides both "still" and "already".
_BEGINS = re.compile(
    r"\b(?:founded|founding|foundation|opened|opening|built|established|started|starts?|set up|formed|launched|begin|began|begun|open|come into|came into|in (?:service|use|operation)|take over|took over|join(?:ed)?|introduced|erected|made|built|completed|finished|published|released)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\b(?:clos(?:e|ed|ing)|shut|end(?:ed)?|stop(?:ped)?|demolished|torn down|dissolved|retired?|le(?:ft|ave)|died?|sank|sunk|sink|lost|until when|till when|expires?|run out|runs out|(?:switched|turned) off|shut down|discontinued|burn(?:t|ed)|abandoned|destroyed|cancelled)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Claimed:
    first: int
    last: int
    before: str  # the words before the year


def by_year(question: str, taught: str, answer: str) -> bool | None:
    """Whether the claim about the only year or span of years of a question is true according to the only year of an answer."""
    told = {int(year) for year in _YEAR.findall(answer)}
    claimed = _claimed(question, max(told, default=0))
    known = {int(year) for year in _YEAR.findall(taught)}
    if claimed is None or len(told) != 1 or claimed.first in known or not _ASKS_YEAR.search(taught):
        return None
    year = told.pop()
    relation = next((one for one, words in _RELATIONS.items() if words.search(claimed.before)), "")
    if _STILL.search(question):
        return None if not _ENDS.search(taught) or year == claimed.last else claimed.last < year
    if _ALREADY.search(question) or relation == "by":
        is_dated = _BEGINS.search(taught) or _ENDS.search(taught)
        return year <= claimed.last if is_dated and relation in ("in", "by", "before", "") else None
    if relation == "before":
        return year < claimed.first
    if relation == "after":
        return year > claimed.last
    if relation == "until" and _ENDS.search(taught):
        return claimed.first <= year <= claimed.last
    if claimed.first == claimed.last and (relation != "in" or _INEXACT_WORDS.search(question)):
        plain = not _INEXACT_WORDS.search(question)
        return claimed.first == year and _same_dates(question, answer) if plain else None
    if _AROUND.search(claimed.before):
        return None
    inside = claimed.first <= year <= claimed.last
    return inside and (claimed.first < claimed.last or _same_dates(question, answer))


def _claimed(question: str, told: int) -> _Claimed | None:
    """The only year or span of years of a claim. "The nineties" are in the century of the told year, at the latest in the 1900s."""
    if between := _BETWEEN.search(question):
        first, last = sorted(map(int, between.groups()))
        return _Claimed(first, last, "") if len(_YEAR.findall(question)) == 2 else None
    spans = [_Claimed(int(one[0]), int(one[0]), question[: one.start()]) for one in _YEAR.finditer(question)]
    for one in _DECADE.finditer(question):
        first = int(one[0])
        spans.append(_Claimed(first, first + (99 if first % 100 == 0 else 9), question[: one.start()]))
    for one in _CENTURY.finditer(question):
        century = int(one[1] or _ORDINALS[one[2].lower()])
        spans.append(_Claimed(100 * (century - 1), 100 * century - 1, question[: one.start()]))
    for one in _SPOKEN.finditer(question):
        decade = int(one[2] or _DECADE_WORDS[one[1].lower()])
        first = min(told // 100 * 100, 1900) + decade
        spans.append(_Claimed(first, first + 9, question[: one.start()] + "in "))
    if len(spans) != 1 or (spans[0].first < spans[0].last and _DECADE_PART.search(question)):
        return None
    return spans[0]


def _same_dates(question: str, answer: str) -> bool:
    """Whether the date of a claim does not differ from that of a fact. True where either has none or several."""
    asked, its = ([one for one in measures(text) if one.kind == "date"] for text in (question, answer))
    if len(asked) != 1 or len(its) != 1:
        return True
    return order_of(asked[0], its[0]) in ("=", "in") or order_of(its[0], asked[0]) in ("=", "in")
