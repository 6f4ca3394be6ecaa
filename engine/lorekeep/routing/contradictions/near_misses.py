"""Near misses by their words: questions that are like a taught one, and ask for another office, dimension or number."""

from lorekeep.routing.contradictions.dimensions import dimensions_differ
from lorekeep.routing.contradictions.numbers import numbers_differ
from lorekeep.routing.contradictions.offices import offices_differ


def is_near_miss(asked: str, taught: str, answer: str) -> bool:
    differ = (offices_differ, dimensions_differ, numbers_differ)
    return any(one(asked, taught, answer) for one in differ)
