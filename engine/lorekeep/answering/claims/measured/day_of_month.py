"""Decides whether a day of the month is in time: "Is the 12th in time?" where the fee is due by the 5th."""

import re

DAY_OF_MONTH = re.compile(
    r"\b(on|by|until|till|before|no later than) the (\d{1,2})(?:st|nd|rd|th)\b(?: of (?:each|every|the|a) month)?(?! of)",
    re.IGNORECASE,
)
_IN_TIME = re.compile(
    r"\b(?:in time|on time|still|enough|early enough|ok|okay|fine|all right|allowed)\b", re.IGNORECASE
)
_TOO_LATE = re.compile(r"\blate\b", re.IGNORECASE)


def by_day_of_month(question: str, answer: str) -> bool | None:
    """Whether a day of the month is in time, or too late, for the deadline that a fact tells."""
    said, told = DAY_OF_MONTH.findall(question), DAY_OF_MONTH.findall(answer)
    in_time, late = _IN_TIME.search(question), _TOO_LATE.search(question)
    if len(said) != 1 or len(told) != 1 or told[0][0].lower() == "on" or bool(in_time) == bool(late):
        return None
    keeps = int(said[0][1]) <= int(told[0][1]) - (told[0][0].lower() == "before")
    return keeps != bool(late)
