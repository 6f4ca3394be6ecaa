"""Decides a yes-or-no question by the measures that it and a fact tell: a time and a weekday by the hours of a fact, an amount by an
equal, a bound or a range. It says nothing where a word may turn the comparison round."""

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from lorekeep.answering.claims.day_of_month import DAY_OF_MONTH, by_day_of_month
from lorekeep.answering.claims.measures import Measure, are_alike, measures, opened, sign
from lorekeep.answering.word_match import roots

# Parts of the day, by an hour that is surely of them.
_PARTS = {"morning": 10.0, "afternoon": 15.0, "evening": 20.0}
_PART = re.compile(rf"\b(?:{'|'.join(_PARTS)})", re.IGNORECASE)
_NEGATED = re.compile(
    r"n['’]t\b|\b(?:not|never|no longer|except|unless|nobody|nothing|none)\b", re.IGNORECASE
)
_CLOSED = re.compile(r"\b(?:closed|shut|rest day)\b", re.IGNORECASE)
_ASKS_CLOSED = re.compile(r"\b(?:closed?|shut|rest day)\b", re.IGNORECASE)
_ALWAYS = re.compile(
    r"\b(?:day and night|night and day|24 hours|24/7|(?:a)?round the clock|at any (?:time|hour))\b",
    re.IGNORECASE,
)
# Words of a question by which it asks for an end, a beginning or another time than the one that it names.
_TURNS_TIME = re.compile(
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
_WHEN = re.compile(r"\b(?:when|at what times?|on (?:what|which) (?:week)?days?)\b", re.IGNORECASE)
# "Which weekday" asks for any day of the week.
_ASKS_DAY = re.compile(r"\b(?:what|which) (?:week)?days?\b", re.IGNORECASE)
_STILL = re.compile(r"\bstill\b", re.IGNORECASE)
_MODAL = re.compile(r"\b(?:can|could|may|might|allowed|ok|okay|fine|possible)\b", re.IGNORECASE)
_MORE = re.compile(
    r"\b(?:more|longer|later|higher|larger|bigger|heavier|older|deeper|taller|over|above|exceed(?:s|ing)?|upwards of)(?: than)?\s+(?:a |an )?\W*$",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"\b(?:less|shorter|fewer|cheaper|lower|smaller|lighter|younger|under|below|no more)(?: than)?\s+(?:a |an )?\W*$",
    re.IGNORECASE,
)
_THAN = re.compile(r"\b(?:more|less|longer|shorter|fewer|\w+er) than\b", re.IGNORECASE)
_LEAST = re.compile(r"\b(?:at least|no less than|a minimum of)\s+\W*$", re.IGNORECASE)
_AT_MOST = re.compile(
    r"\b(?:up to|at most|within|no (?:more|later|longer) than|not more than|maximum|max|limit|limited|largest|longest|highest|heaviest|biggest|oldest|until what|by when|how late|capacity|deadline|survives?|withstands?|resists?)|\bfrom what (?:height|depth|distance)\b",
    re.IGNORECASE,
)
_MOST_ASKED = re.compile(
    r"\b(?:how|what|which) (?:load|weight|size|length|height|depth|speed|many|much|long|far|deep|high|heavy|fast|late|large|big|wide|thick|tall|old)\b.*\b(?:can|may|could|holds?|fits?|seats?|takes?|stores?|carry|carries|sleeps?|allowed|allows?|lasts?|keeps?|kept|valid|reach|reaches)\b",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"\b(?:at least|minimum|min|no less than|not less than|smallest|shortest|lowest|youngest|earliest|from (?:what|which) age|how old (?:must|do|does|should|have)|from(?=\W*$|\W+(?:what|which|a|an|the|age|\d))|(?:or|and) (?:over|older|more|above))\b",
    re.IGNORECASE,
)
_ALLOWS = re.compile(
    r"\bhave (?!to\b)(?:\S+ ){1,3}to\b|\b(?:can|could|may|might|allowed|ok|okay|fine|fits?|enough|room|holds?|built|get through|would|all right|alright|possible|works?|still|within|eligible|qualif(?:y|ies)|count|counts|in time|permitted|accept(?:ed)?|take|too)\b",
    re.IGNORECASE,
)
_TURNS_AMOUNT = re.compile(
    r"\b(?:too|must|needs?|have to|has to|required|obliged|missed|stuck|owe|only|extra|pay|paid|charged?|costs?|free|fined?|cheaper|dearer|or|already|twice|half|double|another|left|lose|lost|expired?|over(?:due)?|late|after|before|as well|also|if|between|each|per|gone|forbidden|forbid|prohibited|banned|refused?)\b",
    re.IGNORECASE,
)
# "Carry over five days" are not over five days.
_OVER_VERB = re.compile(
    r"\b((?:carr(?:y|ied|ying)|roll(?:ed|ing)?|hand(?:ed|ing)?|tak(?:e|en|ing)|left)) over\b", re.IGNORECASE
)
_PAY = re.compile(r"\bpaid\b|\bpay\b", re.IGNORECASE)
# "Yes, any bill over £300" allows no smaller one.
_YES_OVER = re.compile(r"^\W*yes\b.*(?<!not )(?<!no )\b(?:over|above|more than|exceeding)\W*$", re.IGNORECASE)
_FREE = re.compile(r"\b(?:for free|free(?: of charge)?)\b", re.IGNORECASE)
_RATE = re.compile(r"an? ", re.IGNORECASE)
_IF = re.compile(r"\b(?:if|when)\b", re.IGNORECASE)
_BEFORE = re.compile(r"\W*(?:before|beforehand|ahead|in advance|prior|earlier)\b", re.IGNORECASE)
_AFTER = re.compile(r"\bafter\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;.](?!\d)")
_EQUALS = re.compile(r"^\W*(?:(?:and|so|but|ok)\W+)*(?:is|are|was|were|does|do|did|will)\b", re.IGNORECASE)
# Words by which a question does not ask whether an amount is just that.
_TURNS_EQUAL = re.compile(
    r"\b(?:enough|too|about|around|roughly|nearly|almost|just|still|ok|okay|possible|allowed|or|than|every|after|before|already|fit|fits|cover|covers|covered|free)\b",
    re.IGNORECASE,
)
_AMOUNTS = (
    "money",
    "time",
    "data",
    "weight",
    "length",
    "volume",
    "share",
    "heat",
    "power",
    "speed",
    "count",
    "age",
)


@dataclass(frozen=True)
class _Hours:
    """Opening hours of some days, or of all that a fact does not name elsewhere."""

    days: frozenset[int] | None
    clocks: tuple[Measure, ...]
    closed: bool


# A year of a claim, and words by which it is not said to be the very year.
_YEAR = re.compile(r"(?<![\d.,€$£-])(?:1[0-9]|2[0-9])\d\d(?![\d%]|[.,]\d|-\d)")
_OF_YEAR = re.compile(r"\b(?:when|year|since|date|born|founded|how (?:old|long ago))\b", re.IGNORECASE)
_TURNS_YEAR = re.compile(
    r"\b(?:before|after|earlier|later|until|till|by|between|than|over|more|less|fewer|already|still|or|from|to|around|about|circa|ago)\b",
    re.IGNORECASE,
)

# "Did it already exist in 2000?", and facts about when something began.
_EXISTS = re.compile(r"\b(?:exist(?:ed)?|already (?:there|around|open|in business))\b", re.IGNORECASE)
_BEGINS = re.compile(
    r"\b(?:founded|founding|foundation|opened|opening|built|established|started|set up|formed|launched|begin|began|open)\b",
    re.IGNORECASE,
)


def _by_year(question: str, taught: str, answer: str) -> bool | None:
    """Whether the only year of a claim is the only year that a fact answers with."""
    claimed, told = set(_YEAR.findall(question)), set(_YEAR.findall(answer))
    if (
        len(claimed) != 1
        or len(told) != 1
        or claimed <= set(_YEAR.findall(taught))
        or not _OF_YEAR.search(taught)
    ):
        return None
    if _EXISTS.search(question) and _BEGINS.search(taught):
        return min(claimed) >= min(told)
    return None if _TURNS_YEAR.search(question) else claimed == told


def verdict(question: str, taught: str, answer: str) -> bool | None:
    """Whether what a question claims is so by a fact. None where its measures do not decide it."""
    if _NEGATED.search(question):
        return None
    if (same := _by_year(question, taught, answer)) is not None:
        return same
    if DAY_OF_MONTH.search(question):
        return by_day_of_month(question, answer)
    question = _OVER_VERB.sub(r"\1", question)
    asked, rate = _rated(question)
    if rate and (its := _rated(answer)[1]) and its != rate:
        return None
    days = [one for one in asked if one.kind == "days"]
    part = _PART.search(question)
    if days and part and not any(one.kind == "clock" for one in asked):
        hour = _PARTS[part[0].lower()]
        asked.append(Measure("clock", hour, hour, part[0], *part.span()))
    clocks = [one for one in asked if one.kind == "clock"]
    rest = [one for one in asked if one.kind in _AMOUNTS]
    if rest and not any(one.kind in ("days", "clock") for one in measures(answer)):
        days = clocks = []
    if len(days) <= 1 and len(clocks) <= 1 and (days or clocks) and not rest:
        return _by_hours(question, days, clocks, taught, answer)
    if len(rest) > 1:
        rest = _compared(rest, taught, answer)
    if len(rest) == 1 and not days and not clocks:
        return _by_amount(question, rest[0], taught, answer)
    return None


def _rated(text: str) -> tuple[list[Measure], str]:
    """The measures of a text without the times that amounts are told by, and the first of these: "three days a week" are three days."""
    found, kept, rate = measures(text), [], ""
    for one in found:
        if _RATE.match(one.text) and kept and text[kept[-1].end : one.start].strip() == "":
            rate = rate or one.text.split()[-1].lower()
        else:
            kept.append(one)
    return kept, rate


def _compared(asked: list[Measure], taught: str, answer: str) -> list[Measure]:
    """The amount of a question that an answer has one of, where the others are in the fact's question: "400 quid in one day" beside "How
    much can I withdraw per day?" """
    told = measures(answer)
    alike = [one for one in asked if any(are_alike(one, its) for its in told)]
    others = [one.text.split()[-1].lower().removesuffix("s") for one in asked if one not in alike]
    known = all(re.search(rf"\b{re.escape(unit)}s?\b", taught, re.IGNORECASE) for unit in others)
    return alike if len(alike) == 1 and known else []


def _by_hours(
    question: str, days: list[Measure], clocks: list[Measure], taught: str, answer: str
) -> bool | None:
    of_days = [one.days for one in measures(_ASKS_DAY.sub(" ", taught)) if one.kind == "days"]
    if days and of_days and not any(days[0].days <= its for its in of_days):
        return None  # a fact about the weekend says nothing of Wednesday
    if _TURNS_TIME.search(question) or not any(one.search(taught) for one in (_OPEN_FACT, _WHEN, _CLOSES)):
        return None
    still = _STILL.search(question) and _CLOSES.search(taught)
    if not _OPEN_FACT.search(taught) and _MODAL.search(question) and not still:
        return None  # what happens at that time may forbid it
    is_open = _is_open(days, clocks, taught, answer)
    return None if is_open is None else is_open != bool(_ASKS_CLOSED.search(question))


def _is_open(days: list[Measure], clocks: list[Measure], taught: str, answer: str) -> bool | None:
    if _ALWAYS.search(answer):
        return True
    hours = _hours(answer)
    if _CLOSED.search(taught) and not clocks:
        return _is_outside(days, hours)
    hours = hours or _open_ended(taught, answer)
    if days:
        of_day = _of_day(days[0].days, hours)
        if of_day is None or isinstance(of_day, bool):
            return of_day
        hours = of_day
        if not clocks:
            return True
    if not clocks:
        return None
    at = clocks[0].low
    held = {any(_holds(one, at) for one in its.clocks) for its in hours if its.clocks and not its.closed}
    return held.pop() if len(held) == 1 else None


def _is_outside(days: list[Measure], hours: list[_Hours]) -> bool | None:
    """Whether a day is none of those on which a fact says that something is closed."""
    closed = frozenset[int]().union(*(one.days or () for one in hours))
    if not closed or not days:
        return None
    inside = days[0].days <= closed
    return None if not inside and days[0].days & closed else not inside


def _of_day(wanted: frozenset[int], hours: list[_Hours]) -> list[_Hours] | bool | None:
    """The hours of some days; whether it is open then where that is sure without them."""
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
    """The hours of a fact that tells one end: "When does the library close? At 1 pm" """
    told = [one for one in measures(answer) if one.kind == "clock" and one.low == one.high]
    closes, opens = _CLOSES.search(taught), _OPENS.search(taught)
    if len(told) != 1 or bool(closes) == bool(opens):
        return []
    begin, end = (0.0, told[0].low) if closes else (told[0].low, 24.0)
    return [_Hours(None, (replace(told[0], low=begin, high=end),), closed=False)]


def _holds(told: Measure, hour: float) -> bool:
    if told.low <= told.high:
        return told.low <= hour < told.high or (hour == told.high == 24.0)
    return hour >= told.low or hour < told.high


def _hours(answer: str) -> list[_Hours]:
    """The hours of a fact: its days with the times behind them, clause by clause."""
    found: list[_Hours] = []
    for clause in re.split(r"(?<=[a-z0-9)]{2})[.;]\s+|(?=\b(?:except|not)\b)|\bbut\b", answer):
        told = [opened(clause, one) for one in measures(clause)]
        closed = bool(_CLOSED.search(clause)) or clause.startswith(("except", "not "))
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


def _counted(asked: Measure, taught: str, answer: str) -> list[Measure]:
    """The bare numbers of an answer whose unit is in its question: "How many days may one ...? twelve" """
    unit = asked.text.split()[-1]
    if asked.kind in ("count", "age") or not re.search(
        rf"\bhow many {re.escape(unit)}\b", taught, re.IGNORECASE
    ):
        return []
    bare = [one for one in measures(answer) if one.kind == "count"]
    return [
        replace(one, kind=asked.kind, low=one.low * asked.size, high=one.high * asked.size) for one in bare
    ]


def _of_clause(question: str, asked: Measure, told: list[Measure], answer: str) -> list[Measure]:
    """Those of several alike amounts that count the same things, or stand in the only clause that shares words with the question: the
    limit of the team lead, and not of the manager."""
    if asked.kind == "count":
        thing = _thing(question, asked)
        return [one for one in told if thing and _thing(answer, one) == thing]
    said = roots(question[: asked.start] + question[asked.end :])
    ends = [0, *(one.end() for one in _CLAUSE.finditer(answer)), len(answer)]
    around = {one: next(answer[a:b] for a, b in pairwise(ends) if one.start < b) for one in told}
    return [one for one, clause in around.items() if said & roots(clause)]


def _thing(text: str, count: Measure) -> set[str]:
    """The root of the word behind a number."""
    behind = re.match(r"\W*([A-Za-z]+)", text[count.end :])
    return roots(behind[1]) if behind else set()


def _by_amount(question: str, asked: Measure, taught: str, answer: str) -> bool | None:
    told = [one for one in _rated(answer)[0] if are_alike(asked, one)] or _counted(asked, taught, answer)
    told = list({(one.low, one.high): one for one in reversed(told)}.values())
    if len(told) > 1:
        told = _of_clause(question, asked, told, answer)
    if len(told) != 1 or asked.is_range:
        return None
    its, before = told[0], question[: asked.start]
    compares = sign(asked, its)
    behind = question[asked.end :]
    if re.match(r"\s*(?:or|and) (?:more|less|over|older|younger)\b", behind, re.IGNORECASE):
        return None
    before_its = re.split(r"(?<!\bmax)(?<!\bmin)[.;!?]\s", answer[: its.start], flags=re.IGNORECASE)[-1]
    at_most = bool(_AT_MOST.search(before_its) or _AT_MOST.search(taught) or _MOST_ASKED.search(taught))
    at_least = bool(_AT_LEAST.search(before_its) or _AT_LEAST.search(taught))
    if _YES_OVER.search(before_its):
        at_least = True
    if _BEFORE.match(answer[its.end :]):
        if not _BEFORE.match(behind):
            return None
        # A time before something is allowed where more of it is, unless the least of it is told.
        if not _AT_LEAST.search(before_its):
            at_most, at_least = at_least, at_most
        question = before + _BEFORE.sub(" ", behind, count=1)
    elif re.search(r"\bwithin\W*$", before_its, re.IGNORECASE):
        question = _AFTER.sub(" ", question)
    if any(words.search(before) for words in (_MORE, _LESS, _LEAST)):
        if its.is_range or re.search(r"\b(?:too|free)\b", question, re.IGNORECASE):
            return None
        if _LEAST.search(before):
            return compares in ("<", "=")
        if _MORE.search(before):
            # "At least 14" may be more than 20.
            return None if at_least and not at_most and compares != "<" else compares == "<"
        return compares == ">"
    if _THAN.search(question):
        return None  # of something else: "Is that longer than you promise?"
    if _FREE.search(taught):
        # The fact tells from what amount something is free, so the question asks whether its amount is enough: "Is it free if I order
        # for 80 euros?"
        question = _IF.sub(" ", _FREE.sub("allowed", question))
    # "Can I pay 180 euros in parts?" beside "Can I pay in parts?" asks for no price.
    said = _PAY.sub(" ", question) if _PAY.search(taught) else question
    allows = bool(_ALLOWS.search(question)) and not _TURNS_AMOUNT.search(said)
    if its.is_range:
        return compares == "in" if allows else None
    if at_most != at_least:
        kept = ("<", "=") if at_most else (">", "=")
        return compares in kept if allows else None
    if at_most or _EQUALS.match(taught) or not _EQUALS.match(question):
        return None
    turned = any(words.search(question) for words in (_TURNS_EQUAL, _TURNS_AMOUNT, _ALLOWS))
    return None if turned else compares == "="
