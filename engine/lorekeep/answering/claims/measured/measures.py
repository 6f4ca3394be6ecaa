"""Reads and compares the measures of a text: amounts with their units, ages, times of day, days of the week, and dates. A range is one
measure."""

import re
from collections.abc import Iterator
from dataclasses import replace

from lorekeep.answering.claims.measured.clock_times import clock_times
from lorekeep.answering.claims.measured.measure import NUMBER, WORD, Measure, value_of
from lorekeep.answering.claims.measured.units import UNITS

_SCALES = {
    "k": 1e3,
    "thousand": 1e3,
    "grand": 1e3,
    "million": 1e6,
    "m": 1e6,
    "billion": 1e9,
    "dozen": 12.0,
    "hundred": 100.0,
}

_AMOUNT = re.compile(
    rf"(?P<sign>[£€$₹¥]|\b(?:EUR|USD|GBP|CHF|Rs\.?|kr\.?)|\b(?:A|C|HK|J|NZ|R|S|US)\$|\bR(?=\d\d))\s?(?P<of_sign>\d[\d,.]*\d|\d)(?:\s?(?P<scale_of_sign>k|m|million|billion|thousand)\b)?"
    rf"|\b(?P<number>{NUMBER}(?!D\b)|half an?|a couple of|an?(?=\s(?:(?:whole|full|entire|single)\s)?(?:minute|hour|day|night|week|fortnight|month|year|pound|quid|euro|dollar|metre|meter|kilo|litre|mile|gig|dozen)\b))"
    rf"(?:(?P<half>\sand\sa\shalf|½))?(?:\s?(?P<scale>million|billion|thousand|grand|k|dozen|hundred)\b)?(?:\s(?:working|business|calendar|consecutive|full|whole|extra|more|further|other))?[\s-]?(?<!\d[A-Z])(?P<unit>km/h|mbit/s|%|°[CF]?|[£€$₹¥]|[A-Za-z]+)?",
    re.IGNORECASE,
)
# Maximum characters read of a text.
_MAX_LENGTH = 2_000
# "Line 7", "OS 3.2": such numbers are names.
_NUMBERED = re.compile(
    r"(?:(?<=\w )[A-Z][\w-]*|\b(?:line|level|room|floor|zone|number|gate|platform|page|track|class|version|phase|step|bay|lane))\s$"
)
YEAR = 31557600.0
_BANKNOTES = {"fiver": 5.0, "tenner": 10.0}
_AGE_PATTERN = re.compile(
    rf"\bturn(?:ed|s|ing)?\s(?P<turned>\d{{1,2}}|{WORD})(?=\s(?:yesterday|today|tomorrow|last|this|next|in|on)\b)|\b(?P<old>{NUMBER})[\s-](?:yrs?|years?)[\s-]olds?\b|\b(?:aged?|turn(?:ed|s|ing)?|(?:is|['’]s|im|am|['’]m)(?: only| just| already)?|under|over|below|above|from)\s(?P<age>\d{{1,2}}|{WORD})(?=\s*(?:[.;:?!)]|,(?!\d)|$|and\b(?! a half)|can\b|so\b|or\b|years? old\b|years?\b|(?:get|must|pay|need|have|may|are|travel|enter|go|is|stay|swim|play|should|cannot)s?\b))",
    re.IGNORECASE,
)
_BOUND = re.compile(r"(?:under|over|below|above)\b", re.IGNORECASE)
# "My grandchildren, 9 and 12, ..."
_KIN = re.compile(
    r"\b(?:my|our|his|her|the|their) (?:\w+ )?(?:sons?|daughters?|kids?|child|children|grandchildren|grandsons?|granddaughters?|boys?|girls?|twins|nephews?|nieces?|mother|father|parents|grandmother|grandfather|friends?),?\s\(?(?P<ages>\d{1,2}(?:(?:,| and|, and) \d{1,2})*)(?=\s*[,.?!)])",
    re.IGNORECASE,
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAY = re.compile(
    r"\b(?:(?P<day>mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?|(?P<group>weekdays?|working days?|business days?|during the week|weekends?|daily|every day|each day|seven days a week))\b",
    re.IGNORECASE,
)
# "Within five working days" names no days of the week.
_COUNTED = re.compile(rf"(?:{NUMBER}|\bfew|\bseveral)\s$", re.IGNORECASE)
_WORKING_DAYS, _ALL_DAYS, _WEEKEND = frozenset(range(5)), frozenset(range(7)), frozenset((5, 6))
_GROUPS = {"dai": _ALL_DAYS, "eve": _ALL_DAYS, "eac": _ALL_DAYS, "sev": _ALL_DAYS}  # others: working days
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"
)  # fmt: skip
_MONTH = re.compile(
    rf"\b(?:(?P<day_1>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?)?(?P<month>{'|'.join(MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|christmas(?:\sday|\seve)?|new year['’]?s(?:\sday|\seve)?)\b(?:\s(?P<day_2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:))?",
    re.IGNORECASE,
)
_RANGE_LINK = re.compile(r"^\.?\s*(?:to|until|till|through|and|-|–|—)\s*(?:the\s)?$", re.IGNORECASE)
_UNTIL = re.compile(
    r"\b(?:until|till|by|before|up to|no later than|closes?(?: at)?|ends?(?: at)?|latest)\s*(?:the\s)?$",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"\b(?:from|after|as of|since|opens?(?: at)?|starts?(?: at)?|earliest|not before)\s*(?:the\s)?$",
    re.IGNORECASE,
)


def measures(text: str) -> list[Measure]:
    """The measures of a text in text order. A range is one measure."""
    text = text[:_MAX_LENGTH]
    taken: list[Measure] = []
    for found in (_dates(text), _days(text), clock_times(text), _ages(text), _amounts(text)):
        for one in found:
            if not any(one.start < other.end and other.start < one.end for other in taken):
                taken.append(one)
    return _with_ranges_merged(text, sorted(taken, key=lambda one: one.start))


def _with_ranges_merged(text: str, single: list[Measure]) -> list[Measure]:
    made: list[Measure] = []
    at = 0
    while at < len(single):
        one = single[at]
        following = single[at + 1] if at + 1 < len(single) else None
        if following and _is_range(text, one, following):
            begin = one.low
            if one.kind != following.kind:  # "2 to 9 pm", "three to five days"
                begin = one.low * following.size
                if following.kind == "clock" and begin + 12 < following.low and following.low >= 12:
                    begin += 12
            span = text[one.start : following.end]
            made.append(replace(following, low=begin, text=span, start=one.start, is_range=True))
            at += 2
            continue
        # "13 hours and 20 minutes" is one duration.
        if following and one.kind == following.kind == "time" and one.size > following.size:
            between = text[one.end : following.start]
            if one.low == one.high and re.fullmatch(r"\s*(?:,|and|&)?\s*", between):
                span, both = text[one.start : following.end], one.low + following.low
                made.append(replace(one, low=both, high=both, text=span, end=following.end))
                at += 2
                continue
        made.append(one)
        at += 1
    return made


def open_range(text: str, one: Measure) -> Measure:
    """A date or a time with its preposition as a range: "until 5 pm" is from 0:00 to 17:00."""
    if one.is_range or one.kind not in ("clock", "date"):
        return one
    before = text[: one.start]
    if led := _UNTIL.search(before):
        return Measure(one.kind, 0.0, one.high, text[led.start() : one.end], led.start(), one.end)
    if led := _FROM.search(before):
        last = 24.0 if one.kind == "clock" else 1300.0
        return Measure(one.kind, one.low, last, text[led.start() : one.end], led.start(), one.end)
    return one


def _is_range(text: str, one: Measure, other: Measure) -> bool:
    if not _RANGE_LINK.match(text[one.end : other.start]) or one.kind == "days" or other.kind == "days":
        return False
    if one.kind != other.kind and one.kind != "count":
        return False
    between = text[one.end : other.start].strip().lower()
    return between != "and" or bool(re.search(r"\bbetween\s+\W?$", text[: one.start], re.IGNORECASE))


def _amounts(text: str) -> Iterator[Measure]:
    for match in re.finditer(r"\b(fiver|tenner)s?\b", text, re.IGNORECASE):
        value = _BANKNOTES[match[1].lower()]
        yield Measure("money", value, value, match[0], *match.span())
    for match in _AMOUNT.finditer(text):
        if match["sign"]:
            value = value_of(match["of_sign"])
            scale = (match["scale_of_sign"] or "").lower()
            if value is not None:
                value *= _SCALES.get(scale, 1.0)
                yield Measure("money", value, value, match[0].strip(), *match.span())
            continue
        value = value_of(match["number"])
        if value is None or text[: match.start()][-1:].isalpha():
            continue
        value = (value + 0.5 * bool(match["half"])) * _SCALES.get((match["scale"] or "").lower(), 1.0)
        unit = (match["unit"] or "").lower()
        kind, size = UNITS.get(unit) or UNITS.get(unit.removesuffix("s")) or ("count", 1.0)
        if kind == "count" and re.fullmatch(r"1[5-9]\d\d|20\d\d", match["number"]) and not match["scale"]:
            kind = "year"
        alone = kind in ("count", "year")
        if alone and _NUMBERED.search(text[: match.start()]):
            continue
        if alone and match["number"].lower() in ("one", "a", "an"):
            continue
        end = (
            match.end("unit") if not alone else match.end("scale") if match["scale"] else match.end("number")
        )
        yield Measure(
            kind, value * size, value * size, text[match.start() : end].strip(), match.start(), end, size=size
        )


_ORDINALS = {
    word: at
    for at, word in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
        ],
        1,
    )
}
_BIRTHDAY = re.compile(
    rf"\b(?:(?P<word>{'|'.join(_ORDINALS)})|(?P<number>\d{{1,2}})(?:st|nd|rd|th)) birthday\b", re.IGNORECASE
)
# "Until the third birthday" ends before one is three years old.
_DAY_BEFORE = 1 / 365


def _ages(text: str) -> Iterator[Measure]:
    for match in _BIRTHDAY.finditer(text):
        value = (_ORDINALS[match["word"].lower()] if match["word"] else int(match["number"])) - _DAY_BEFORE
        yield Measure("age", value, value, match[0], *match.span())
    for match in _KIN.finditer(text):
        for number in re.finditer(r"\d{1,2}", match["ages"]):
            start, end = (match.start("ages") + at for at in number.span())
            yield Measure("age", float(number[0]), float(number[0]), number[0], start, end)
    for match in _AGE_PATTERN.finditer(text):
        value = value_of(match["old"] or match["age"] or match["turned"])
        # The bound in "under 12" is not part of the measure.
        start = match.start("age") if _BOUND.match(match[0]) else match.start()
        if value is not None and value < 120:
            yield Measure("age", value, value, text[start : match.end()], start, match.end())


def _days(text: str) -> Iterator[Measure]:
    named = [one for one in DAY.finditer(text) if not (one["group"] and _COUNTED.search(text[: one.start()]))]
    at = 0
    while at < len(named):
        match = named[at]
        days, end = _days_of(match), match.end()
        while at + 1 < len(named):
            between = text[end : named[at + 1].start()]
            more = _days_of(named[at + 1])
            ranges = _RANGE_LINK.match(between) and between.strip().lower() != "and"
            if ranges and match["day"] and named[at + 1]["day"]:
                first, last = min(days), min(more)
                days = frozenset(
                    number % 7 for number in range(first, last + 1 if last >= first else last + 8)
                )
            elif re.match(r"^\s*(?:,|and|or|&|,\s*and)\s*$", between, re.IGNORECASE):
                days |= more
            else:
                break
            at += 1
            end = named[at].end()
        yield Measure("days", 0.0, 0.0, text[match.start() : end], match.start(), end, days)
        at += 1


def _days_of(match: re.Match[str]) -> frozenset[int]:
    if match["group"]:
        group = match["group"].lower()
        return _WEEKEND if group.startswith("weekend") else _GROUPS.get(group[:3], _WORKING_DAYS)
    name = match["day"][:3].lower()
    return frozenset(number for number, day in enumerate(_DAYS) if day.startswith(name))


def _dates(text: str) -> Iterator[Measure]:
    for match in _MONTH.finditer(text):
        name = match["month"].lower()
        of_year = re.match(r",? (?:1\d|20)\d\d\b", text[match.end() :])
        if name in ("may", "mar", "march") and not match["month"][0].isupper() and not of_year:
            continue
        if name == "may" and re.match(
            r"\s(?:i|we|you|my|he|she|they|one|a|the|staff|guests|it)\b", text[match.end() :], re.IGNORECASE
        ):
            continue
        day = int(match["day_1"] or match["day_2"] or 0)
        if name.startswith("christmas"):
            month, day = 12, 24 if name.endswith("eve") else 25
        elif name.startswith("new"):
            month, day = (12, 31) if name.endswith("eve") else (1, 1)
        else:
            month = next(at for at, full in enumerate(MONTHS, 1) if full.startswith(name[:3]))
        low, high = (month * 100 + day,) * 2 if day else (month * 100 + 1, month * 100 + 31)
        yield Measure("date", float(low), float(high), match[0], *match.span())


def weekdays(text: str) -> frozenset[int]:
    """The days of the week that a text names, alone, as a range or as a group."""
    return frozenset[int]().union(*(one.days for one in _days(text)))


def are_comparable(asked: Measure, told: Measure) -> bool:
    kinds = {asked.kind, told.kind}
    if len(kinds) == 1 or kinds == {"age", "count"}:
        return True
    # An age may be told by its number alone, or as a time in years.
    return kinds == {"age", "time"} and all(one.kind == "age" or one.size == YEAR for one in (asked, told))


def _with_unit_of(one: Measure, other: Measure) -> Measure:
    bare = one.kind in ("age", "count") and other.kind not in ("age", "count")
    return replace(one, low=one.low * other.size, high=one.high * other.size) if bare else one


def order_of(asked: Measure, told: Measure) -> str:
    """Compares a measure of a question with a comparable one of a fact: =, <, > for single values, and in, below, above or out for
    ranges; days may be partly in."""
    asked, told = _with_unit_of(asked, told), _with_unit_of(told, asked)
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


def counts_of(asked: Measure, taught: str, answer: str) -> list[Measure]:
    """The bare numbers of an answer whose unit is in the fact's question: "How many days may one ...? twelve" """
    unit = asked.text.split()[-1]
    if asked.kind in ("count", "age") or not re.search(
        rf"\bhow many {re.escape(unit)}\b", taught, re.IGNORECASE
    ):
        return []
    bare = [one for one in measures(answer) if one.kind == "count"]
    return [
        replace(one, kind=asked.kind, low=one.low * asked.size, high=one.high * asked.size) for one in bare
    ]
