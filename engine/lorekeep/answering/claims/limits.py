"""Compares an amount or a weekday in a yes-or-no question with the fact that answers it: "Can I return it after 40 days?" where
the fact says "within 21 days", "Is the shop open on Sundays?" where it says "Monday to Friday"."""

import re

from lorekeep.answering.amounts import Amount, amounts

_OPENS = re.compile(
    r"^\W*(?:(?:and|but|so|ok|okay)\W+)*(?:is|are|was|were|did|does|do|has|have|had|will|would|can|could|should|must|may|might|am)\b",
    re.IGNORECASE,
)
# "Can you tell me ..." asks for what follows, and a question word asks for more than yes or no.
_ASKS_MORE = re.compile(
    r"\b(?:you (?:tell|say|give|list|name|explain|show)|who|whom|whose|what|which|where|why|how|or)\b",
    re.IGNORECASE,
)
NEGATED = re.compile(r"n['’]t\b|\b(?:not|never|no|without|except|unless|only)\b", re.IGNORECASE)
AT_MOST = re.compile(
    r"\b(?:up to|at most|within|no more than|not more than|maximum|max|no later than|limit)\b", re.IGNORECASE
)
AT_LEAST = re.compile(r"\b(?:at least|minimum|no less than|not less than)\b", re.IGNORECASE)
_MORE = re.compile(r"\b(?:more than|longer than|later than|after|over|above)\s+\W*$", re.IGNORECASE)
_LESS = re.compile(r"\b(?:less than|shorter than|fewer than|under|below|cheaper than)\s+\W*$", re.IGNORECASE)
_REQUIRED = re.compile(r"\b(?:must|have to|has to|need|needs|required|obliged)\b", re.IGNORECASE)
# A time before something is allowed where more is.
_BEFORE = re.compile(r"^\s*\w*\s*(?:before|ahead|in advance|prior)\b", re.IGNORECASE)
CLOSED = re.compile(r"\b(?:closed|shut|close|closes)\b", re.IGNORECASE)

_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_DAY = re.compile(
    r"\b(?P<day>mon|tues?|wed|thur?s?|fri|sat|sun|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b",
    re.IGNORECASE,
)
_NUMBERS = {day[:3]: number for number, day in enumerate(_DAYS.split())}
_RANGE = re.compile(r"^\s*(?:to|through|until|till|-|–|—)\s*$", re.IGNORECASE)
_GROUPS = {
    re.compile(r"\b(?:weekdays|working days)\b", re.IGNORECASE): frozenset(range(5)),
    re.compile(r"\bweekends?\b", re.IGNORECASE): frozenset((5, 6)),
    re.compile(r"\b(?:every day|daily|seven days a week)\b", re.IGNORECASE): frozenset(range(7)),
}


def opened(question: str) -> list[str]:
    """Open questions for what a yes-or-no question claims: "Is the notice period ten weeks?" claims how long it is."""
    if not _OPENS.match(question) or _ASKS_MORE.search(question) or NEGATED.search(question):
        return []
    bare = question.strip(" ?!.")
    if days := list(_DAY.finditer(bare)):
        rest = re.sub(r"\b(?:on|at|every)?\s*$", "", bare[: days[0].start()]) + bare[days[-1].end() :]
        return [f"When {rest.strip()}?"]
    said = amounts(bare)
    if len(said) != 1 or not said[0].unit:
        return []
    before, behind = _around(bare, said[0].text)
    before = re.sub(
        r"\b(?:more than|less than|within|up to|at least|at most|after|for|over|under|about)?\s*\W*$",
        "",
        before,
    )
    unit = bare[len(bare.partition(said[0].text)[0]) + len(said[0].text) : len(bare) - len(behind)].strip(
        " -"
    )
    rest = f"{before.strip()} {behind.strip()}".strip()
    ways = ["How long", "When"] if said[0].unit == "hour" else ["How much"]
    return [f"{way} {rest}?" for way in [*ways, f"How many {unit}"]]


def verdict(question: str, taught: str, answer: str) -> bool | None:
    """Whether what a question claims is so by a fact. None where the fact does not say so clearly."""
    if not _OPENS.match(question) or _OPENS.match(taught) or _ASKS_MORE.search(question):
        return None
    if NEGATED.search(question):
        return None
    said = amounts(_DAY.sub(" ", question))
    return _by_day(question, taught, answer) if not said else _by_amount(said, question, taught, answer)


def _by_day(question: str, taught: str, answer: str) -> bool | None:
    asked, told = weekdays(question), weekdays(answer)
    closed = bool(CLOSED.search(f"{taught} {answer}"))
    opened = re.search(r"\bopens?\b", f"{taught} {answer}", re.IGNORECASE)
    if not asked or not told or (closed and opened) or NEGATED.search(answer):
        return None
    inside = asked <= told
    if not inside and asked & told:
        return None  # a part of a weekend
    return inside == (closed == bool(CLOSED.search(question)))


def _by_amount(said: list[Amount], question: str, taught: str, answer: str) -> bool | None:
    told = {one.value: one for one in amounts(answer) if one.unit == said[0].unit}
    if len(said) != 1 or not said[0].unit or len(told) != 1:
        return None
    claimed, (its,) = said[0], told.values()
    before, behind = _around(question, claimed.text)
    before_its, behind_its = _around(answer, its.text)
    sentence = re.split(r"[.;!?]\s", before_its)[-1]
    at_most = bool(AT_MOST.search(sentence) or AT_MOST.search(taught))
    at_least = bool(AT_LEAST.search(sentence) or AT_LEAST.search(taught))
    if at_most and at_least:
        return None
    if _BEFORE.match(behind_its):
        if not _BEFORE.match(behind):
            return None
        at_most, at_least = at_least, at_most
    more, less = bool(_MORE.search(before)), bool(_LESS.search(before))
    if not at_most and not at_least:
        if more or less:
            return its.value > claimed.value if more else its.value < claimed.value
        return _same(its.value, claimed.value)
    if _REQUIRED.search(question):
        return None if more or less else _same(its.value, claimed.value) or None
    if _same(its.value, claimed.value):
        return not (more if at_most else less)
    return (claimed.value < its.value) == at_most


def _around(text: str, number: str) -> tuple[str, str]:
    """The text before an amount, and that behind its unit."""
    before, _, behind = text.partition(number)
    return before, re.sub(r"^[\s-]?(?:%|°C|[€$£¥]|[A-Za-z]+)?", "", behind)


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-6 * max(abs(one), abs(other))


def weekdays(text: str) -> frozenset[int]:
    """The days of the week that a text names, alone, as a range or as a group."""
    found: set[int] = set()
    for pattern, days in _GROUPS.items():
        if pattern.search(text):
            found |= days
    named = list(_DAY.finditer(text))
    for at, match in enumerate(named):
        day = _NUMBERS[match["day"][:3].lower()]
        found.add(day)
        if at and _RANGE.match(text[named[at - 1].end() : match.start()]):
            first = _NUMBERS[named[at - 1]["day"][:3].lower()]
            found |= {number % 7 for number in range(first, day + 1 if day > first else day + 8)}
    return frozenset(found)
