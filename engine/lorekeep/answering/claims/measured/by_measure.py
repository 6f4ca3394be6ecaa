"""Decides a yes-or-no question by its measures and those of a fact: a time and a weekday by the hours of a fact, an amount by an
equal amount, a bound or a range. Undecided where a word may reverse the comparison."""

import re

from lorekeep.answering.claims.measured.by_age import by_age
from lorekeep.answering.claims.measured.by_date import by_date
from lorekeep.answering.claims.measured.by_frequency import by_frequency
from lorekeep.answering.claims.measured.by_hours import by_hours
from lorekeep.answering.claims.measured.by_year import by_year
from lorekeep.answering.claims.measured.comparable import comparable_amount, comparable_amounts, split_rate
from lorekeep.answering.claims.measured.day_of_month import DAY_OF_MONTH, by_day_of_month
from lorekeep.answering.claims.measured.measure import AMOUNTS, Measure
from lorekeep.answering.claims.measured.measures import measures, order_of
from lorekeep.answering.claims.measured.sufficiency import is_sufficient

# Parts of the day, each with an hour that certainly belongs to it.
_HOUR_OF_PART = {"morning": 10.0, "afternoon": 15.0, "evening": 20.0}
_PART = re.compile(rf"\b(?:{'|'.join(_HOUR_OF_PART)})", re.IGNORECASE)
_NEGATED = re.compile(
    r"n['’]t\b|\b(?:not|neither|nor|never|no longer|except|unless|nobody|nothing|none)\b", re.IGNORECASE
)
_MORE = re.compile(
    r"\b(?:more|longer|later|higher|larger|bigger|heavier|older|deeper|taller|over|above|exceed(?:s|ed|ing)?|upwards of)(?: th[ae]n)?\s+(?:a |an )?\W*$",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"\b(?:less|shorter|fewer|cheaper|lower|smaller|lighter|younger|under|below|no more)(?: th[ae]n)?\s+(?:a |an )?\W*$",
    re.IGNORECASE,
)
# "More inhabitants than ten thousand."
_MORE_OF = re.compile(r"\bmore\s(?:\w+\s){1,2}th[ae]n\s+\W*$", re.IGNORECASE)
_LESS_OF = re.compile(r"\b(?:less|fewer)\s(?:\w+\s){1,2}th[ae]n\s+\W*$", re.IGNORECASE)
# "..., doesn't it?"
_TAG = re.compile(
    r",\s*(?:\w+n['’]t|is|does|has|was|did)\s(?:it|he|she|they|there|that)\s*\?\s*$", re.IGNORECASE
)
# "I need a laptop for two hours" asks whether one may have it for so long.
_NEED = re.compile(
    r"^\W*(i|we) (?:need|want) (?=(?:an?|one|some|the|your)\b(?! (?:hundred|thousand|million|dozen|couple|few|hour|day|week|month|year|half|quarter)))",
    re.IGNORECASE,
)
_MAY = re.compile(
    r"\b(?:is|would) it (?:be )?(?:ok|okay|fine|alright|all right|possible|allowed) (?:if|that|to)\b",
    re.IGNORECASE,
)
_AT_MOST_BEHIND = re.compile(
    r"^\W*(?:(?:at (?:the )?)?most|max(?:imum)?|tops|or (?:less|fewer|under))\b", re.IGNORECASE
)
_AT_LEAST_BEHIND = re.compile(
    r"^\W*(?:at (?:the )?least|min(?:imum)?|or (?:more|over|longer))\b", re.IGNORECASE
)
_ENOUGH = re.compile(r"\b(?:enough|suffice|sufficient|will do|would do)\b", re.IGNORECASE)
_AHEAD = re.compile(r"\W*(?:ahead|in advance)\b", re.IGNORECASE)
_THAN = re.compile(r"\b(?:more|less|longer|shorter|fewer|\w+er) th[ae]n\b", re.IGNORECASE)
_LEAST = re.compile(r"\b(?:at least|no less than|a minimum of)\s+\W*$", re.IGNORECASE)
_AT_MOST = re.compile(
    r"\b(?:up to|at most|within|no (?:more|later|longer) than|not more than|maximum|max|limit|limited|largest|longest|highest|heaviest|biggest|oldest|until what|by when|how late|capacity|deadline|survives?|withstands?|resists?)|\bfrom what (?:height|depth|distance)\b|\bwhat (?:may|can|could) .*\bcost\b",
    re.IGNORECASE,
)
_MOST_ASKED = re.compile(
    r"\b(?:how|what|which) (?:load|weight|size|length|height|depth|speed|many|much|long|far|deep|high|heavy|fast|late|large|big|wide|thick|tall|old)\b.*\b(?:can|may|could|holds?|fits?|seats?|takes?|stores?|carry|carries|sleeps?|allowed|allows?|lasts?|runs?|keeps?|kept|valid|reach|reaches)\b",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"\b(?:at least|minimum|min|no less than|not less than|smallest|shortest|lowest|youngest|earliest|from (?:what|which) age|how old (?:must|do|does|should|have)|from(?=\W*$|\W+(?:what|which|a|an|the|age|\d))|(?:or|and) (?:over|older|more|above))\b",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(r"\b(?:smallest|shortest|lowest|youngest|earliest)\b", re.IGNORECASE)
_ALLOWS = re.compile(
    r"\bhave (?!to\b)(?:\S+ ){1,3}to\b|\b(?:can|could|may|might|allowed|ok|okay|fine|fits?|enough|room|holds?|built|get through|would|all right|alright|possible|works?|still|within|eligible|qualif(?:y|ies)|count|counts|in time|permitted|accept(?:ed)?|take|too)\b",
    re.IGNORECASE,
)
_AMOUNT_REVERSAL = re.compile(
    r"\b(?:too|must|needs?|have to|has to|required|obliged|missed|stuck|owe|only|extra|pay|paid|charged?|costs?|free|fined?|cheaper|dearer|or|already|twice|half|double|another|left|lose|lost|expired?|over(?:due)?|late|after|before|as well|also|if|between|each|per|gone|forbidden|forbid|prohibited|banned|refused?)\b",
    re.IGNORECASE,
)
# "Carry over five days" does not mean more than five days.
_OVER_VERB = re.compile(
    r"\b((?:carr(?:y|ied|ying)|roll(?:ed|ing)?|hand(?:ed|ing)?|tak(?:e|en|ing)|left)) over\b", re.IGNORECASE
)
_PAY = re.compile(r"\bpaid\b|\bpay\b", re.IGNORECASE)
# "Yes, any bill over £300" allows no smaller bill.
_YES_OVER = re.compile(r"^\W*yes\b.*(?<!not )(?<!no )\b(?:over|above|more than|exceeding)\W*$", re.IGNORECASE)
_FREE = re.compile(r"\b(?:for free|free(?: of charge)?)\b", re.IGNORECASE)
_FREE_UP_TO = re.compile(r"\b(?:free|nothing|no charge|without charge)\b", re.IGNORECASE)
# "A hundred crowns or more"
_BEYOND = re.compile(
    r"\s*(?:or|and) (?:(?P<more>more|over|older|longer|above|higher)|less|fewer|younger|under|shorter|below)\b",
    re.IGNORECASE,
)
# "..., if I need the cash"
_REASON = re.compile(r"\b(?:if|because|since|as) (?:i|we|my|our|he|she|they)\b.*", re.IGNORECASE)
_WITHIN = re.compile(r"\bwithin\W*$", re.IGNORECASE)
_IF = re.compile(r"\b(?:if|when)\b", re.IGNORECASE)
# "Five hours to the show."
_BEFORE_ASKED = re.compile(r"\W*(?:(?:to|until|till) (?:the|go|my|our)\b|left until)", re.IGNORECASE)
_BEFORE = re.compile(r"\W*(?:before|beforehand|away|ahead|in advance|prior|earlier)\b", re.IGNORECASE)
_AFTER = re.compile(r"\bafter\b", re.IGNORECASE)
_EQUALS = re.compile(r"^\W*(?:(?:and|so|but|ok)\W+)*(?:is|are|was|were|does|do|did|will)\b", re.IGNORECASE)
# Words of a question that does not ask whether an amount is equal.
_INEQUALITY = re.compile(
    r"\b(?:enough|too|about|around|roughly|past|nearly|almost|just|still|ok|okay|possible|allowed|or|than|every|after|before|already|fit|fits|cover|covers|covered|free|break|breaks|exceeds?|tops?|beats?|surpass(?:es)?|reach|reaches|hits?)\b",
    re.IGNORECASE,
)
# "Heights above 2,000 m are too much for me. Is it lower than that?"
_POINTS_BACK = re.compile(r"\bth[ae]n (?:that|this)\b", re.IGNORECASE)
_BOUNDS = (_MORE, _LESS, _LEAST, _MORE_OF, _LESS_OF)
_EACH = re.compile(r"\b(?:every|each|per)\b", re.IGNORECASE)
# Facts about the amount that something needs.
_TAKES = re.compile(
    r"\bhow (?:long|much|many|far)\b.*\b(?:takes?|lasts?|costs?|needs?|required?|run|is)\b|\b(?:price|duration|length|cost)\b",
    re.IGNORECASE,
)


def verdict(question: str, taught: str, answer: str) -> bool | None:
    """Whether a claim is true according to a fact. None where its measures do not decide it."""
    question = _NEED.sub(r"may \1 have ", _MAY.sub("may", _TAG.sub("?", question)))
    if _NEGATED.search(question):
        return None
    if (of_age := by_age(question, taught, answer)) is not None:
        return of_age
    for compared in (by_year, by_frequency, by_date, is_sufficient):
        if (true := compared(question, taught, answer)) is not None:
            return true
    if DAY_OF_MONTH.search(question):
        return by_day_of_month(question, answer)
    question = _OVER_VERB.sub(r"\1", question)
    asked, rate = split_rate(question)
    if rate and (its := split_rate(answer)[1]) and its != rate:
        return None
    days = [one for one in asked if one.kind == "days"]
    if len(single := [one for one in days if len(one.days) == 1]) == 1:
        days = single  # "Friday of the fair weekend"
    part = _PART.search(question)
    if days and part and not any(one.kind == "clock" for one in asked):
        hour = _HOUR_OF_PART[part[0].lower()]
        asked.append(Measure("clock", hour, hour, part[0], *part.span()))
    clocks = [one for one in asked if one.kind == "clock"]
    rest = [one for one in asked if one.kind in AMOUNTS]
    if rest and not any(one.kind in ("days", "clock") for one in measures(answer)):
        days = clocks = []
    if len(days) <= 1 and len(clocks) <= 1 and (days or clocks) and not rest:
        return by_hours(question, days, clocks, taught, answer)
    if len(rest) > 1:
        bounded = [one for one in rest if any(bound.search(question[: one.start]) for bound in _BOUNDS)]
        rest = bounded if len(bounded) == 1 else comparable_amount(rest, taught, answer)
    if len(rest) == 1 and not days and not clocks:
        return _by_amount(question, rest[0], taught, answer)
    return None


def _bounds(its: Measure, taught: str, answer: str) -> tuple[str, bool, bool]:
    """The words of a fact before its amount, and whether the amount is a maximum, and a minimum."""
    before_its = re.split(r"(?<!\bmax)(?<!\bmin)[.;!?]\s", answer[: its.start], flags=re.IGNORECASE)[-1]
    most_asked = _MOST_ASKED.search(taught)
    at_most = bool(_AT_MOST.search(before_its) or _AT_MOST.search(taught) or most_asked)
    # "How many can sleep on the smallest boat?" asks for a maximum.
    at_least = bool(
        _AT_LEAST.search(before_its)
        or _AT_LEAST.search(_SUPERLATIVE.sub(" ", taught) if most_asked else taught)
    )
    at_most = at_most or bool(_AT_MOST_BEHIND.match(answer[its.end :]))
    at_least = at_least or bool(_AT_LEAST_BEHIND.match(answer[its.end :]))
    return before_its, at_most, at_least


def _by_amount(question: str, asked: Measure, taught: str, answer: str) -> bool | None:
    told = comparable_amounts(question, asked, taught, answer)
    if len(told) != 1 or asked.is_range or _POINTS_BACK.search(question):
        return None
    its, before = told[0], question[: asked.start]
    compares = order_of(asked, its)
    behind = question[asked.end :]
    if beyond := _BEYOND.match(behind):
        exact = not its.is_range and not _AT_MOST.search(taught) and not _AT_LEAST.search(taught)
        return compares in (("<", "=") if beyond["more"] else (">", "=")) if exact else None
    before_its, at_most, at_least = _bounds(its, taught, answer)
    if at_most != at_least:
        behind = _REASON.sub(" ", behind)
        question = before + asked.text + behind
    if _ENOUGH.search(question) and not _AT_MOST.search(before_its) and _TAKES.search(taught):
        return None if its.is_range else compares in (">", "=")
    if _YES_OVER.search(before_its):
        at_least = True
    if _BEFORE.match(answer[its.end :]):
        if not (_BEFORE.match(behind) or _BEFORE_ASKED.match(behind)):
            return None
        # "Up to 2 hours before" demands 2 hours or more, as "at least" does. "Up to 14 days ahead" is a maximum.
        of_ahead = _AHEAD.match(answer[its.end :]) and _AT_MOST.search(before_its)
        if not _AT_LEAST.search(before_its) and not of_ahead:
            at_most, at_least = at_least, at_most
        question = before + _BEFORE.sub(" ", behind, count=1)
    elif _WITHIN.search(before_its):
        question = _AFTER.sub(" ", question)
    if any(bound.search(before) for bound in _BOUNDS):
        if its.is_range or re.search(r"\b(?:too|free)\b", question, re.IGNORECASE):
            return None
        if _LEAST.search(before):
            return compares in ("<", "=")
        if _MORE.search(before) or _MORE_OF.search(before):
            # "At least 14" may be more than 20.
            return None if at_least and not at_most and compares != "<" else compares == "<"
        return compares == ">"
    if _THAN.search(question):
        return None  # compares something else: "Is that longer than you promise?"
    if _FREE.search(taught) or _FREE_UP_TO.search(before_its):
        # The fact tells the amount from which something is free, so the question asks whether its amount is enough: "Is it free if I order
        # for 80 euros?"
        question = _IF.sub(" ", _FREE.sub("allowed", question))
    # "Can I pay 180 euros in parts?" beside "Can I pay in parts?" does not ask for a price.
    said = _PAY.sub(" ", question) if _PAY.search(taught) else question
    if at_most != at_least:
        said = _IF.sub(" ", said)
    allows = bool(_ALLOWS.search(question)) and not _AMOUNT_REVERSAL.search(said)
    if its.is_range:
        return compares == "in" if allows and not _WITHIN.search(before) else None
    if at_most != at_least:
        kept = ("<", "=") if at_most else (">", "=")
        return compares in kept if allows else None
    if at_most or _EQUALS.match(taught) or not _EQUALS.match(question):
        return None
    # "Every" decides nothing where the fact has it as well.
    question = _EACH.sub(" ", question) if _EACH.search(f"{taught} {answer}") else question
    turned = any(words.search(question) for words in (_INEQUALITY, _AMOUNT_REVERSAL, _ALLOWS))
    return None if turned else compares == "="
