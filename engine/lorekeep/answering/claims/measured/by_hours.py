"""Decides whether something is open at a time or on a day that a question names, by the hours of a fact. Undecided where a word may
reverse the comparison."""

import re
from dataclasses import dataclass, replace

from lorekeep.answering.claims.measured.measure import Measure
from lorekeep.answering.claims.measured.measures import measures, open_range

_CLOSED = re.compile(r"\b(?:closed|shut|rest day)\b", re.IGNORECASE)
_BREAK = re.compile(r"\bbreak\b", re.IGNORECASE)
_ASKS_CLOSED = re.compile(r"\b(?:closed?|shut|rest day)\b", re.IGNORECASE)
_ALWAYS = re.compile(
    r"\b(?:day and night|night and day|24 hours|24/7|(?:a)?round the clock|at any (?:time|hour))\b",
    re.IGNORECASE,
)
# Words by which a question asks for an end, a beginning or a time other than the one it names.
_TIME_REVERSAL = re.compile(
    r"\b(?:too|before|after|until|till|since|late|early|earlier|later|by (?=\d|noon|midnight)|already over|over by|other|only|last|latest|first"
    r"|as early as|as late as|every|all|twice|once|missed|overdue|back|owe|charged?|fined?|pay|extra)\b|\b(?:do|does|did|will)\b(?!.*\bstill\b).*\b(?:open|start|begin|close|end|finish|leave|arrive)\b",
    re.IGNORECASE,
)
_OPEN_FACT = re.compile(
    r"\b(?:open|opening|hours|staffed|reach|available|visit|visitors|visiting|collect|ring|call|serve[ds]?|when (?:can|may)|at what times? (?:can|may))\b",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"\b(?:by when|by what time|until|till|close[sd]?|ends?|finish(?:es)?|how late|latest|last)\b",
    re.IGNORECASE,
)
_OPENS = re.compile(r"\b(?:from|opens?|starts?|begins?|how early|earliest|after)\b", re.IGNORECASE)
_WHEN = re.compile(r"\b(?:when|how often|at what times?|on (?:what|which) (?:week)?days?)\b", re.IGNORECASE)
# "Which weekday" asks for any day of the week, not for working days.
_ASKS_DAY = re.compile(r"\b(?:what|which) (?:week)?days?\b", re.IGNORECASE)
_OPEN = re.compile(r"\bopen\b(?! air)", re.IGNORECASE)
_STILL = re.compile(r"\bstill\b", re.IGNORECASE)
_MODAL = re.compile(r"\b(?:can|could|may|might|allowed|ok|okay|fine|possible)\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Hours:
    """Opening hours of some days, or of all days that a fact does not name elsewhere."""

    days: frozenset[int] | None
    clocks: tuple[Measure, ...]
    closed: bool


def by_hours(
    question: str, days: list[Measure], clocks: list[Measure], taught: str, answer: str
) -> bool | None:
    of_days = [one.days for one in measures(_ASKS_DAY.sub(" ", taught)) if one.kind == "days"]
    if days and of_days and not any(days[0].days <= its for its in of_days):
        return None  # a fact about the weekend does not decide Wednesday
    if _TIME_REVERSAL.search(question) or not (
        _OPEN.search(answer) or any(one.search(taught) for one in (_OPEN_FACT, _WHEN, _CLOSES))
    ):
        return None
    still = _STILL.search(question) and _CLOSES.search(taught)
    if not (_OPEN_FACT.search(taught) or _OPEN.search(answer)) and _MODAL.search(question) and not still:
        return None  # an event at that time may forbid it
    inside = is_open(days, clocks, taught, answer)
    return None if inside is None else inside != bool(_ASKS_CLOSED.search(question))


def is_open(days: list[Measure], clocks: list[Measure], taught: str, answer: str) -> bool | None:
    """Whether a day, a time of day, or a time on a day is within the hours of a fact."""
    if _ALWAYS.search(answer):
        return True
    hours = _hours(answer)
    if _CLOSED.search(taught) and not clocks:
        return _is_outside(days, hours)
    hours = hours or _open_ended(taught, answer)
    if days:
        of_day = _hours_of_days(days[0].days, hours)
        if of_day is None or isinstance(of_day, bool):
            return of_day
        hours = of_day
        if not clocks:
            return True
    if not clocks:
        return None
    at = clocks[0].low
    if any(_contains(clock, at) for one in hours if one.closed for clock in one.clocks):
        return False
    held = {any(_contains(one, at) for one in its.clocks) for its in hours if its.clocks and not its.closed}
    return held.pop() if len(held) == 1 else None


def _is_outside(days: list[Measure], hours: list[_Hours]) -> bool | None:
    """Whether a day is not among the days on which a fact says that something is closed."""
    closed = frozenset[int]().union(*(one.days or () for one in hours))
    if not closed or not days:
        return None
    inside = days[0].days <= closed
    return None if not inside and days[0].days & closed else not inside


def _hours_of_days(wanted: frozenset[int], hours: list[_Hours]) -> list[_Hours] | bool | None:
    """The hours of some days, or whether it is open on them where that is certain without hours."""
    named = [(one.days, one) for one in hours if one.days is not None]
    its = [one for days, one in named if wanted <= days]
    if not its and any(wanted & days for days, _ in named):
        return None
    if any(one.closed for one in its):
        return False
    if its:
        return its
    others = [one for one in hours if one.days is None and one.clocks]
    if others:
        return others
    return False if any(not one.closed for _, one in named) else None


def _open_ended(taught: str, answer: str) -> list[_Hours]:
    """The hours of a fact with only an opening or a closing time: "When does the library close? At 1 pm" """
    told = [one for one in measures(answer) if one.kind == "clock" and one.low == one.high]
    closes, opens = _CLOSES.search(taught), _OPENS.search(taught)
    if len(told) != 1 or bool(closes) == bool(opens):
        return []
    begin, end = (0.0, told[0].low) if closes else (told[0].low, 24.0)
    return [_Hours(None, (replace(told[0], low=begin, high=end),), closed=False)]


def _contains(told: Measure, hour: float) -> bool:
    if told.low <= told.high:
        return told.low <= hour < told.high or (hour == told.high == 24.0)
    return hour >= told.low or hour < told.high


def _hours(answer: str) -> list[_Hours]:
    """The hours of a fact: its days with the times after them, clause by clause."""
    found: list[_Hours] = []
    for clause in re.split(
        r"(?<=[a-z0-9)]{2})[.;]\s+|(?=\b(?:except|not|with an? (?:\w+ )?break)\b)|\bbut\b", answer
    ):
        told = [open_range(clause, one) for one in measures(clause)]
        closed = bool(_CLOSED.search(clause) or _BREAK.search(clause)) or clause.startswith(
            ("except", "not ")
        )
        groups: list[tuple[frozenset[int] | None, list[Measure]]] = [(None, [])]
        for one in told:
            if one.kind == "days":
                groups.append((one.days, []))
            elif one.kind == "clock" and one.low != one.high:
                groups[-1][1].append(one)
        # "9:00 to 17:00 from Monday to Friday": the times stand before the days.
        if len(groups) == 2 and groups[0][1] and not groups[1][1]:
            groups = [(groups[1][0], groups[0][1])]
        found += [
            _Hours(days, tuple(clocks), closed) for days, clocks in groups if days is not None or clocks
        ]
    return found
