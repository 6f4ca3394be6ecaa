"""Validity of facts: the time span of each, and the facts that are invalid at a moment. A date is a whole day in UTC; a time
with its zone is that moment. `valid_until` includes the day of a date, but not the moment of a time."""

import time
from bisect import bisect_right
from datetime import date, datetime

_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_DAY_MS = 86_400_000


class Validity:
    def __init__(self, facts: list[dict]):
        self.bounds = [
            (number, begin, end)
            for number, fact in enumerate(facts)
            for begin, end in [span(fact.get("valid_from"), fact.get("valid_until"))]
            if begin is not None or end is not None
        ]
        self.moments = sorted({at for _, *both in self.bounds for at in both if at is not None})
        self._now: tuple[int, frozenset[int]] = -1, frozenset()

    def invalid_facts(self, at: int | None = None) -> frozenset[int]:
        """The facts that are not valid at a time in milliseconds since 1970 (default: now)."""
        if not self.bounds:
            return frozenset()
        if at is not None:
            return self._invalid_facts_at(at)
        now = int(time.time() * 1000)
        # The result is cached, since it only changes when a fact begins or ends.
        place = bisect_right(self.moments, now)
        if self._now[0] != place:
            self._now = place, self._invalid_facts_at(now)
        return self._now[1]

    def _invalid_facts_at(self, at: int) -> frozenset[int]:
        return frozenset(
            number
            for number, begin, end in self.bounds
            if (begin is not None and at < begin) or (end is not None and at >= end)
        )


def lapse(fact: dict, at: int | None = None) -> str:
    """The reason why a fact is not valid at a time (default: now), as the predicate of a sentence."""
    begin, _ = span(fact.get("valid_from"), None)
    if begin is not None and (int(time.time() * 1000) if at is None else at) < begin:
        return f"is not valid yet: it is valid from {fact['valid_from']} on"
    return f"expired: it was valid until {fact['valid_until']}"


def span(valid_from: str | None, valid_until: str | None) -> tuple[int | None, int | None]:
    """The first moment of validity, and the first moment after it."""
    return (
        None if valid_from is None else _moment(valid_from),
        None if valid_until is None else _moment(valid_until, whole_day=True),
    )


def checked(text: str) -> str:
    """Raises ValueError if it is neither a date nor a time with zone."""
    _moment(text)
    return text


def _moment(text: str, whole_day: bool = False) -> int:
    if len(text) == 10:
        day = (date.fromisoformat(text).toordinal() - _EPOCH_ORDINAL) * _DAY_MS
        return day + _DAY_MS if whole_day else day
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(f"{text} has no zone")
    return round(at.timestamp() * 1000)
