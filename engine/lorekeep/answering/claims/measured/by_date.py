"""Decides a claim about a day, a month or a season by the days and months of a fact: "Can I swim there in October?" beside "From 15 May to
10 September". Undecided where a word may reverse the comparison."""

import re
from dataclasses import replace

from lorekeep.answering.claims.measured.measure import Measure
from lorekeep.answering.claims.measured.measures import MONTHS, measures, open_range, order_of

# First and last month of a season.
_SEASONS = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11), "winter": (12, 2)}
_SEASON = re.compile(
    r"\b(?:in|during|over|throughout|this|next|every|each) (?:the )?(spring|summer|autumn|fall|winter)\b"
    r"|\b(spring|summer|autumn|winter)(?=\W*$)",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(
    r"\b(?:when|what time of (?:the )?year|(?:what|which) (?:dates?|months?|season|period|part of the year|time)|how long|until what|by what|deadline|(?:last|latest|final) (?:day|date)|from what date|season|open|closed)\b",
    re.IGNORECASE,
)
_CLOSED = re.compile(
    r"\b(?:closed?|shut|not (?:allowed|open|possible|run)|no |off.limits|forbidden|banned|prohibited)\b",
    re.IGNORECASE,
)
_REVERSAL = re.compile(
    r"\b(?:too|before|after|until|till|since|early|earlier|later|already|by|or|other|only|last|latest|first|every|all|whole|twice|once|missed|late|fee|fine|pay|extra|charged?|must|need|have to|between|from|than|begin|begins|start|starts|end|ends)\b",
    re.IGNORECASE,
)
_DEADLINE = re.compile(
    r"\b(?:by when|until when|how late|until what|by what|deadline|latest|last (?:day|date))\b", re.IGNORECASE
)
_MONTH_PARTS = {
    re.compile(rf"\b(?:the )?{words}(?:of )?(?=(?:{'|'.join(MONTHS)})\b)", re.IGNORECASE): day
    for words, day in ((r"(?:beginning|start) ", 1), (r"(?:mid[- ]|middle )", 15), (r"end ", 30))
}
_CLAUSES = re.compile(r"(?<=[a-z0-9)])[.;!]\s+|\bbut\b|\bexcept\b", re.IGNORECASE)


def by_date(question: str, taught: str, answer: str) -> bool | None:
    """Whether the only day, month or season of a claim is in the time span of a fact."""
    question, answer = _parts_as_days(question), _parts_as_days(answer)
    asked, season = [one for one in measures(question) if one.kind == "date"], _SEASON.search(question)
    if len(asked) + bool(season) != 1 or not _ASKS_WHEN.search(taught) or _REVERSAL.search(question):
        return None
    first, *more = _CLAUSES.split(answer)
    its = [open_range(first, one) for one in measures(first) if one.kind == "date"]
    if len(its) != 1 or any(one.kind == "date" for clause in more for one in measures(clause)):
        return None
    told = its[0]
    # Another clause about a season may hold an exception.
    for other in _SEASON.finditer(" ".join(more)):
        if season or _in_season(other, asked[0]) is not False:
            return None
    if _DEADLINE.search(taught) and not told.is_range and told.low == told.high:
        told = replace(told, low=0.0)
    inside = _in_season(season, told) if season else _inside(asked[0], told)
    if inside is None:
        return None
    told_closed = bool(_CLOSED.search(taught) or _CLOSED.search(first))
    return inside != (bool(_CLOSED.search(question)) != told_closed)


def _parts_as_days(text: str) -> str:
    """A text with days in place of parts of months: mid-June is the 15th."""
    for part, day in _MONTH_PARTS.items():
        text = part.sub(f"{day} ", text)
    return text


def _inside(asked: Measure, told: Measure) -> bool | None:
    """Whether a day or month is within the told span, or contains the told day."""
    compared = order_of(asked, told)
    if compared in ("=", "in"):
        return True
    if told.low == told.high or _is_month(told):
        inside = asked.low <= told.low and told.high <= asked.high
        return inside if inside or not _is_month(asked) or not _touch(asked, told) else None
    return None if _touch(asked, told) else False


def _is_month(one: Measure) -> bool:
    return one.high - one.low == 30


def _touch(asked: Measure, told: Measure) -> bool:
    if told.low > told.high:  # wraps around the end of the year
        return asked.high >= told.low or asked.low <= told.high
    return asked.low <= told.high and told.low <= asked.high


def _in_season(season: re.Match[str], told: Measure) -> bool | None:
    """True where the season is within the told span, or the span within the season; False where they are at least a month apart."""
    first, last = _SEASONS[(season[1] or season[2]).lower()]
    months = [(first - 1 + at) % 12 for at in range((last - first) % 12 + 1)]
    around = {(months[0] - 1) % 12, *months, (months[-1] + 1) % 12}
    covered = {
        at for at in range(12) if _touch(Measure("date", 100.0 * at + 101, 100.0 * at + 131, "", 0, 0), told)
    }
    if set(months) <= covered or covered <= set(months):
        return True
    return None if covered & around else False
