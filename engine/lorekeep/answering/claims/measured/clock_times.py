"""Reads the times of day of a text: "9:30", "half past nine in the evening", "seven on a Saturday evening"."""

import re
from collections.abc import Iterator

from lorekeep.answering.claims.measured.measure import HOUR, Measure, value_of

# Without am or pm, people mean an hour of the working day, which begins at this hour.
_FIRST_WORKING_HOUR = 7
_UNITS = r"(?:hours?|minutes?|days?|weeks?|months?|years?|pounds?|euros?|of)\b"
_CLOCK = re.compile(
    rf"\b(?P<named>noon|midday|midnight)\b"
    rf"|(?<=\bat )half\s(?P<half>{HOUR})\b(?!\s?(?:-|{_UNITS}))"
    rf"|\b(?P<past>half|quarter|ten|five|twenty)\s(?P<which>past|to)\s(?P<of>{HOUR})\b(?:\s?(?P<half_1>[ap])\.?m\b|\sin\sthe\s(?P<part_3>morning|afternoon|evening)|\sat\s(?P<night_1>night))?"
    rf"|(?<![\d.,£€$])(?<!EUR )(?<!USD )(?<!GBP )(?<!CHF )(?P<hour>\d{{1,2}})[:.](?P<minute>[0-5]\d)(?:\s?(?P<half_2>[ap])\.?\s?m\b)?(?!\d|\s?(?:%|euro|£|€|pounds?|kg|km|m\b|cm|metres?|litres?))"
    rf"|\b(?P<bare>{HOUR})\s?(?:(?P<half_3>[ap])\.?\s?m\b|(?:on|of)\s(?:a\s|the\s)?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)\s(?P<part_4>morning|afternoon|evening|night)|o['’]?clock(?:\sin\sthe\s(?P<part_1>morning|afternoon|evening))?|in\sthe\s(?P<part_2>morning|afternoon|evening)|at\s(?P<night>night))",
    re.IGNORECASE,
)
# Words after an hour that are not a counted thing.
_AFTER_HOUR = r"(?:on|this|next|sharp|today|tomorrow|tonight|then|or|and|to|till|until|if|but|so|when|already|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)"
_BARE_CLOCK = re.compile(
    rf"\b(?P<lead>at|by|until|till|from|before|after|to|and|between|[-–—])\s?(?P<hour>{HOUR})\b(?!\s?(?:[%°£€$:.]\d|%|(?!{_AFTER_HOUR}\b)[A-Za-z]{{2,}}))",
    re.IGNORECASE,
)
_DAY = re.compile(r"\b(?:mon|tues?|wed|wednes|thu|thurs?|fri|sat|satur|sun)(?:days?)?\b", re.IGNORECASE)
_PART = re.compile(r"\bin the (morning|afternoon|evening)\b", re.IGNORECASE)
# Prepositions that mark a time of day where only a day or a part of the day is near.
_TIME_PREPOSITIONS = ("at", "by", "until", "till", "before", "after")


def clock_times(text: str) -> Iterator[Measure]:
    for match in _CLOCK.finditer(text):
        hour = _hour(match)
        if hour is not None and hour <= 24:
            # The day in "seven on a Saturday evening" is a measure of its own.
            start, end = match.span("bare") if match["part_4"] else match.span()
            yield Measure("clock", hour, hour, text[start:end], start, end)
    for match in _BARE_CLOCK.finditer(text):
        hour = value_of(match["hour"])
        near = text[max(0, match.start() - 30) : match.end() + 30]
        leads, part = match["lead"].lower() in _TIME_PREPOSITIONS, _PART.search(near)
        is_of_day = leads and (_DAY.search(near) or part)
        if hour is not None and hour <= 24 and (is_of_day or _CLOCK.search(near)):
            late = part[1].lower() != "morning" if part else hour < _FIRST_WORKING_HOUR
            hour += 12 * bool(is_of_day and late and hour < 12)
            start = match.start("hour")
            yield Measure("clock", hour, hour, match["hour"], start, match.end())


def _hour(match: re.Match[str]) -> float | None:
    if match["named"]:
        return 0.0 if match["named"].lower() == "midnight" else 12.0
    if match["past"]:
        of, off = (
            value_of(match["of"]),
            {"half": 30, "quarter": 15, "ten": 10, "five": 5, "twenty": 20}[match["past"].lower()],
        )
        hour = None if of is None else of + (off if match["which"].lower() == "past" else -off) / 60
    elif match["half"]:  # "half five"
        hour = (value_of(match["half"]) or 0) + 0.5
        return hour + 12 if hour < _FIRST_WORKING_HOUR else hour
    else:
        hour = value_of(match["hour"] or match["bare"])
        hour = None if hour is None else hour + int(match["minute"] or 0) / 60
    half = (match["half_1"] or match["half_2"] or match["half_3"] or "").lower()
    part = (match["part_1"] or match["part_2"] or match["part_3"] or match["part_4"] or "").lower()
    night = match["night"] or match["night_1"]
    if hour is None:
        return None
    late = half == "p" or part in ("afternoon", "evening", "night") or (night and hour > 5)
    if (half or part or night) and hour < 13:
        return hour % 12 + 12 * bool(late)
    # Without am or pm, people mean an hour of the working day.
    return hour + 12 if hour < _FIRST_WORKING_HOUR and not match["minute"] else hour
