"""Decides whether what a fact tells is enough for an amount that a question names: whether a cable reaches, whether something is over by
then or arrives within an expected time, and whether a condition on an amount is met."""

import re

from lorekeep.answering.claims.measured.measure import AMOUNTS, Measure
from lorekeep.answering.claims.measured.measures import are_comparable, counts_of, measures, open_range
from lorekeep.routing.words import any_case

_SENTENCES = re.compile(r"(?<=[a-z0-9)])[.;!?]\s+")
_CLAUSES = re.compile(r"(?<=[a-z0-9)])[.;!?]\s+|,\s+(?!\d)", re.IGNORECASE)
# "Is the cable long enough?", "Do you have that many beds?"
_REACHES = any_case(
    r"\b(?:long|big|large|high|wide|deep|strong|tall|roomy|spacious|powerful) enough\b|\benough (?:room|space|seats|beds|places|chairs|capacity|storage|memory)\b"
)
_THAT_MANY = any_case(
    r"\b(?:have|has|hold|holds|take|takes|fit|fits|seat|seats|sleep|sleeps|carry|carries|lift|provide|accommodate|offer)s? (?:that|so) (?:many|much)\b"
)
# A bound that makes the amount after it a minimum.
_MINIMUM = re.compile(r"\b(?:at least|from|minimum(?: of)?|more than|over|no less than)\W*$", re.IGNORECASE)
# An amount followed by these is a lead time before an event: more time satisfies it.
_BEFORE = re.compile(r"\W*(?:before|beforehand|ahead|in advance|prior|earlier)\b", re.IGNORECASE)
# "Will it be over by then?"
_BY_THEN = any_case(
    r"\b(?:over|done|finished|ready|through|back|complete|completed|ended|dry|it) (?:by|before) then\b"
)
_IN = re.compile(r"\b(?:in|after)(?: about| around)?\s*$", re.IGNORECASE)
_HOW_LONG = any_case(r"\bhow (?:long|soon|quickly|fast|much time)\b|\bduration\b")
# Verbs of something that will arrive or end, and verbs that ask for permission.
_EXPECTS = any_case(
    r"\b(?:will|does|do|would|is|are|did)(?:n['’]?t)? .*\b(?:get|have|receive|arrives?|come|comes|be|delivered|refunded|repaid|paid|answer|reply|hear|respond|ready|sent|take|done|over)\b"
)
_ASKS_PERMISSION = any_case(
    r"\b(?:can|could|may|might|must|have to|has to|need|needs|should|allowed|ok|okay|supposed)\b"
)
_WITHIN = re.compile(
    r"\b(?:within|inside(?: of)?|in (?:less|fewer) than|in under)\s*(?:the (?:next|first)\s)?$", re.IGNORECASE
)
_PROMISED = any_case(
    r"\b(?:how (?:long|soon|quickly|fast)|when (?:do|does|will|is|are|can)|by when|within (?:what|which)|what is the (?:delivery|waiting|response) time)\b"
)
# Something is granted for amounts on one side of a bound.
_GRANTING_WORDS = r"(?:allowed|possible|reimbursed|refunded|permitted|covered|granted|given|paid|free|available|admitted|accepted|included|entitled|get|gets|receive|receives)"
_CONDITION = any_case(
    rf"\b{_GRANTING_WORDS}\b(?: [\w'’-]+){{0,6}}? (?:(?P<over>(?<!no )(?<!not )(?:more|longer|higher|heavier|older|further) than|over|above|exceeding)|(?P<least>from|at least|a minimum of)"
    r"|(?P<under>(?:less|shorter|fewer|lighter|younger) than|under|below)|(?P<most>up to|at most|within|no (?:more|longer) than|not more than|a maximum of))\s*$"
)
# "Do children under 14 get in free?" names no amount.
_BOUNDED = re.compile(r"\b(?:under|over|below|above|than|from|up to|at (?:most|least))\s*$", re.IGNORECASE)
_WANTS = any_case(
    r"\b(?:ok|okay|fine|possible|allowed|permitted|covered|reimbursed|refunded|accepted|included|entitled|get|can|could|may|pay(?: \w+){0,2} back|give(?: \w+){0,2} back|paid for|all right|alright)\b"
)
_WANTS_TIME = any_case(rf"{_WANTS.pattern}|\bwill (?:they|you|i|we|it)\b|\bdo (?:they|you|i|we)\b")
_REVERSAL = any_case(
    r"\b(?:too|not|no|never|cannot|must|only|without|extra|charged?|fined|cost|costs|all of|whole|full|everything|or)\b|n['’]t\b"
)


def is_sufficient(question: str, taught: str, answer: str) -> bool | None:
    asked = [one for one in measures(question) if one.kind in AMOUNTS]
    if len(asked) == 1 and not asked[0].is_range:
        its = [one for one in measures(answer) if are_comparable(asked[0], one)] or counts_of(
            asked[0], taught, answer
        )
        for rule in (_reaches, _over_by_then, _promised, _on_condition):
            if its and (true := rule(question, asked[0], its, taught, answer)) is not None:
                return true
    return _at_a_time(question, answer)


def _reaches(question: str, asked: Measure, its: list[Measure], taught: str, answer: str) -> bool | None:
    """Whether a thing is large enough for the amount in another clause of the question."""
    said = _REACHES.search(question) or _THAT_MANY.search(question)
    if (
        said is None
        or len(its) != 1
        or not _CLAUSES.search(question[min(asked.end, said.start()) : max(asked.start, said.end())])
    ):
        return None
    if _MINIMUM.search(answer[: its[0].start]):
        return asked.high >= its[0].low
    return asked.low <= its[0].high


def _over_by_then(question: str, asked: Measure, its: list[Measure], taught: str, answer: str) -> bool | None:
    led = _IN.search(question[: asked.start])
    if (
        not (led and _BY_THEN.search(question) and _HOW_LONG.search(taught))
        or len(its) != 1
        or asked.kind != "time"
    ):
        return None
    return its[0].high <= asked.low


def _promised(question: str, asked: Measure, its: list[Measure], taught: str, answer: str) -> bool | None:
    """Whether something arrives within a time."""
    if asked.kind != "time" or len(its) != 1 or not _WITHIN.search(question[: asked.start]):
        return None
    if not _EXPECTS.search(question) or _ASKS_PERMISSION.search(question) or not _PROMISED.search(taught):
        return None
    if re.search(r"\bat least\W*$", answer[: its[0].start], re.IGNORECASE):
        return None
    return True if its[0].high <= asked.low else False if its[0].low > asked.low else None


def _on_condition(question: str, asked: Measure, its: list[Measure], taught: str, answer: str) -> bool | None:
    """Whether the amount meets the only bound on which something depends: "First class is allowed on journeys of more than four hours." """
    found = []
    for one in its:
        clause = _SENTENCES.split(answer[: one.start])[-1]
        if _BEFORE.match(answer[one.end :]):
            continue
        if (said := _CONDITION.search(clause)) and not re.search(
            r"\b(?:not|no|never)\b|n['’]t\b", clause, re.IGNORECASE
        ):
            found.append((one, said.lastgroup))
    bounded = _BOUNDED.search(question[: asked.start]) or re.match(
        r"under|over|below|above", asked.text, re.IGNORECASE
    )
    if bounded or len(found) != 1 or not _WANTS.search(question) or _REVERSAL.search(question):
        return None
    told, bound = found[0]
    if bound in ("over", "least"):
        return asked.low > told.low or (bound == "least" and asked.low == told.low)
    return asked.low < told.high or (bound == "most" and asked.low == told.high)


def _at_a_time(question: str, answer: str) -> bool | None:
    """Whether a time of day is in the only time span for which a fact grants something."""
    asked, its = (
        [open_range(text, one) for one in measures(text) if one.kind in ("clock", "days")]
        for text in (question, answer)
    )
    if [one.kind for one in asked] != ["clock"] or [one.kind for one in its] != ["clock"]:
        return None
    told, at = its[0], asked[0].low
    clause = _SENTENCES.split(answer[: told.start])[-1]
    if (
        not told.is_range
        or asked[0].low != asked[0].high
        or not _WANTS_TIME.search(question)
        or _REVERSAL.search(question)
    ):
        return None
    if not re.search(rf"\b{_GRANTING_WORDS}\b", clause, re.IGNORECASE) or re.search(
        r"\b(?:not|no|never|closed)\b", clause, re.IGNORECASE
    ):
        return None
    inside = told.low <= at < told.high if told.low <= told.high else at >= told.low or at < told.high
    is_alone = not re.search(r"^\W*(?:or|and)\b", answer[told.end :], re.IGNORECASE)
    return True if inside else False if is_alone else None
