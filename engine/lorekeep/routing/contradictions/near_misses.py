"""Near misses by their words: questions that are like a taught one, and ask for another office, dimension, number or end of a
time span."""

from lorekeep.routing.contradictions.closing import asks_for_end
from lorekeep.routing.contradictions.dimensions import dimensions_differ
from lorekeep.routing.contradictions.numbers import numbers_differ
from lorekeep.routing.contradictions.offices import offices_differ


def is_near_miss(asked: str, taught: str, answer: str) -> bool:
    differ = (offices_differ, dimensions_differ, numbers_differ, asks_for_end)
    return any(one(asked, taught, answer) for one in differ)
