"""Compares a time of day in a yes-or-no question with the hours that a fact tells: "Can I get in at eleven in the morning?" where the
fact says "2 pm to 9 pm"."""

import re
from dataclasses import dataclass

from lorekeep.answering.amounts import plain_number
from lorekeep.answering.claims.limits import CLOSED, NEGATED, weekdays

_HOURS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_HALF = r"(?P<half>[ap])\.?\s?m\b\.?"
_PART = r"(?:in the (?P<part>morning|afternoon|evening)|at (?P<night>night))"
_TIME = re.compile(
    rf"\b(?P<named>noon|midday|midnight)\b"
    rf"|(?<![\d.,:£$€])(?:(?P<hour>\d{{1,2}})(?::(?P<minute>\d\d))?|(?P<word>{_HOURS}))(?:\s*o['’]clock)?\s*(?:{_HALF}|{_PART})?",
    re.IGNORECASE,
)
_NAMED = {"noon": 12.0, "midday": 12.0, "midnight": 0.0}
_ALWAYS = re.compile(r"\b(?:day and night|night and day|24 hours|24/7|round the clock)\b", re.IGNORECASE)
_TO = re.compile(r"^\s*(?:to|until|till|and|-|–|—)\s*$", re.IGNORECASE)
_FROM = re.compile(r"\b(?:from|after|as of|opens?|starts?|begins?|earliest)\b[^,;.]*$", re.IGNORECASE)
_UNTIL = re.compile(
    r"\b(?:until|till|by|before|up to|closes?|ends?|finish(?:es)?|latest|last)\b[^,;.]*$", re.IGNORECASE
)
# Words by which a question may turn the comparison round, and questions for when something begins or ends.
_TURNS = re.compile(
    r"\b(?:too|before|after|until|from|late|early)\b|\b(?:do|does|did|will)\b.*\b(?:open|start|begin|close|end|finish|leave|arrive)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Time:
    hour: float
    sure: bool  # which half of the day is meant
    at: slice


def verdict(question: str, taught: str, answer: str) -> bool | None:
    """Whether what a question claims of a time is so by a fact. None where either tells no time, or not clearly."""
    asked = [one for one in _times(question) if one.sure]
    if len(asked) != 1 or NEGATED.search(question) or _TURNS.search(question) or weekdays(question):
        return None
    inside = _inside(asked[0].hour, taught, answer)
    return None if inside is None else inside != bool(CLOSED.search(question))


def _inside(hour: float, taught: str, answer: str) -> bool | None:
    if _ALWAYS.search(answer):
        return True
    ranges = _ranges(taught, answer)
    held = {_holds(begin, end, hour) for begin, end in ranges}
    if held == {True, False}:
        return None if weekdays(answer) else True
    return next(iter(held), None)


def _ranges(taught: str, answer: str) -> list[tuple[float, float]]:
    found, times = [], _times(answer)
    at = 0
    while at < len(times):
        one, other = times[at], times[at + 1] if at + 1 < len(times) else None
        before = answer[: one.at.start]
        if other is not None and _TO.match(answer[one.at.stop : other.at.start]):
            if not other.sure:
                return []
            # "2 to 9 pm": the first hour has no half of its own.
            later = one.hour + 12
            begin = later if not one.sure and later < other.hour else one.hour
            found.append((begin, other.hour))
            at += 2
            continue
        if not one.sure:
            return []
        said = before if _FROM.search(before) or _UNTIL.search(before) else taught
        if _UNTIL.search(said):
            found.append((0.0, one.hour))
        elif _FROM.search(said):
            found.append((one.hour, 24.0))
        else:
            return []
        at += 1
    return found


def _holds(begin: float, end: float, hour: float) -> bool:
    return begin <= hour < end if begin < end else hour >= begin or hour < end


def _times(text: str) -> list[_Time]:
    found = []
    for match in _TIME.finditer(text):
        if match["named"]:
            found.append(_Time(_NAMED[match["named"].lower()], True, slice(*match.span())))
            continue
        hour = (plain_number(match["hour"] or match["word"]) or 0.0) + int(match["minute"] or 0) / 60
        half, part = (match["half"] or "").lower(), (match["part"] or "").lower()
        marked = half or part or match["night"]
        clear = match["minute"] or "clock" in match[0] or marked
        if hour > 24 or not (clear or _led(text, match.start())):
            continue
        late = half == "p" or part in ("afternoon", "evening") or (match["night"] and 5 < hour < 12)
        if marked and 1 <= hour < 13:
            hour = hour % 12 + 12 * bool(late)
        found.append(_Time(hour, bool(marked or (match["minute"] and match["hour"])), slice(*match.span())))
    return found


def _led(text: str, start: int) -> bool:
    """Whether a bare number may be a time: one behind "at" or "from", or in front of "to"."""
    return bool(
        re.search(r"\b(?:at|from|until|till|to|by|and)\s+$|[-–—]\s*$", text[:start], re.IGNORECASE)
    ) or bool(re.match(r"\d{1,2}\s*(?:to|until|till|-|–|—)\s*\d", text[start:], re.IGNORECASE))
