"""The amounts of a fact that an amount of a question is compared with."""

import re
from itertools import pairwise

from lorekeep.answering.claims.measured.measure import Measure
from lorekeep.answering.claims.measured.measures import are_comparable, counts_of, measures
from lorekeep.answering.word_match import roots

_HOW_MANY = re.compile(r"\bhow many ([a-z]+)", re.IGNORECASE)
_RATE = re.compile(r"an? ", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;.](?!\d)")


def split_rate(text: str) -> tuple[list[Measure], str]:
    """The measures of a text without its rates, and the unit of the first rate: "three days a week" is three days, with the rate "week"."""
    found, kept, rate = measures(text), [], ""
    for one in found:
        if _RATE.match(one.text) and kept and text[kept[-1].end : one.start].strip() == "":
            rate = rate or one.text.split()[-1].lower()
        else:
            kept.append(one)
    return kept, rate


def comparable_amount(asked: list[Measure], taught: str, answer: str) -> list[Measure]:
    """The amount of a question that is comparable with the answer, where the fact has the units of all others: "400 quid in one day" beside
    "How much can I withdraw per day?" """
    told = measures(answer)
    alike = [
        one
        for one in asked
        if any(are_comparable(one, its) for its in told) or counts_of(one, taught, answer)
    ]
    units = {its.size for its in told if any(are_comparable(one, its) for one in alike)}
    alike = [one for one in alike if one.size in units] if len(alike) > 1 else alike
    others = [one.text.split()[-1].lower().removesuffix("s") for one in asked if one not in alike]
    known = all(
        re.search(rf"\b{re.escape(unit)}s?\b", f"{taught} {answer}", re.IGNORECASE) for unit in others
    )
    return alike if len(alike) == 1 and known else []


def _of_clause(question: str, asked: Measure, told: list[Measure], taught: str, answer: str) -> list[Measure]:
    """The amounts of several comparable ones that count the same things, or stand in a clause that shares words with the question: the
    limit of the team lead, and not of the manager."""
    if asked.kind == "count":
        thing, many = _counted_thing(question, asked), _HOW_MANY.search(taught)
        first = min(told, key=lambda one: one.start)
        if thing and many and roots(many[1]) == thing and not _counted_thing(answer, first) - thing:
            return [first]
        return [one for one in told if thing and _counted_thing(answer, one) == thing]
    said = roots(question[: asked.start] + question[asked.end :])
    ends = [0, *(one.end() for one in _CLAUSE.finditer(answer)), len(answer)]
    around = {one: next(answer[a:b] for a, b in pairwise(ends) if one.start < b) for one in told}
    return [one for one, clause in around.items() if said & roots(clause)]


def _counted_thing(text: str, count: Measure) -> set[str]:
    """The root of the word after a number."""
    behind = re.match(r"\W*([A-Za-z]+)", text[count.end :])
    return roots(behind[1]) if behind else set()


def comparable_amounts(question: str, asked: Measure, taught: str, answer: str) -> list[Measure]:
    """The comparable amounts of an answer. If there are several, those of the clause that the question asks about."""
    told = [one for one in split_rate(answer)[0] if are_comparable(asked, one)] or counts_of(
        asked, taught, answer
    )
    told = list({(one.low, one.high): one for one in reversed(told)}.values())
    if len(told) > 1:
        told = _of_clause(question, asked, told, taught, answer)
    return told
