"""Compares the measures of a yes-or-no question with those of a fact, in signs that the network of verdicts reads: "three pounds > £2.40",
"Sunday out Monday to Friday". A network of its size does not learn to compare numbers."""

from dataclasses import replace

from lorekeep.answering.claims.measures import HAS_UNITS, YEAR, Measure, measures, opened

# Comparisons that are written out, and measures of a fact that are compared with one of a question.
_MOST, _OF_FACT = 4, 4


def compared(question: str, fact: str) -> str:
    """Comparisons of the measures of a question with those of a fact, in words and signs; empty if there is none."""
    told, found = [opened(fact, one) for one in measures(fact)], []
    for asked in measures(question):
        alike = _alike(asked, told)[:_OF_FACT]
        found += [f"{asked.text} {sign(asked, one)} {one.text}" for one in alike]
    return "; ".join(dict.fromkeys(found[:_MOST]))


def _alike(asked: Measure, told: list[Measure]) -> list[Measure]:
    """Measures of a fact of the kind of one of a question. A bare number is compared with what has a unit where nothing else is there."""
    same = [one for one in told if are_alike(asked, one)]
    if same or asked.kind != "count":
        return same
    return [one for one in told if one.kind in HAS_UNITS]


def are_alike(asked: Measure, told: Measure) -> bool:
    kinds = {asked.kind, told.kind}
    if len(kinds) == 1 or kinds == {"age", "count"}:
        return True
    # An age may be told by its number alone.
    return kinds == {"age", "time"} and all(one.kind == "age" or one.size == YEAR for one in (asked, told))


def _scaled(one: Measure, other: Measure) -> Measure:
    bare = one.kind in ("age", "count") and other.kind not in ("age", "count")
    return replace(one, low=one.low * other.size, high=one.high * other.size) if bare else one


def sign(asked: Measure, told: Measure) -> str:
    asked, told = _scaled(asked, told), _scaled(told, asked)
    if asked.kind == "days":
        return "in" if asked.days <= told.days else "partly in" if asked.days & told.days else "out"
    close = 1e-6 * max(abs(told.low), 1e-9)
    if told.low == told.high:
        if abs(asked.low - told.low) <= close and abs(asked.high - told.high) <= close:
            return "="
        return ">" if asked.low > told.low else "<"
    inside = _within(asked.low, told) and _within(asked.high, told)
    if inside:
        return "in"
    if told.low > told.high:
        return "out"
    return "above" if asked.low > told.high else "below" if asked.high < told.low else "out"


def _within(value: float, told: Measure) -> bool:
    if told.low <= told.high:
        return told.low <= value <= told.high
    return value >= told.low or value <= told.high
