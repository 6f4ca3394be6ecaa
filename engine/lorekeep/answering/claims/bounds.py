"""Compares an amount in a yes-or-no question with a bound that a fact's question asks for: how many a boat holds, from what age
children may come alone."""

import re

from lorekeep.answering.amounts import Amount, amounts_at, plain_number
from lorekeep.answering.claims.limits import AT_LEAST, AT_MOST

_MOST = re.compile(
    r"\bhow many\b.*\b(?:can|may|holds?|fits?|seats?|takes?|stores?|carry|carries|sleeps?|allowed)\b"
    r"|\bhow (?:long|far|deep|high|heavy|fast|late|large|big|much)\b.*\b(?:can|may|lasts?|keeps?|valid|allowed|reach|reaches|run|runs)\b"
    r"|\bfrom what (?:height|depth|distance)\b|\bup to (?:what|which|how)\b|\b(?:capacity|survives?|withstands?|resists?|largest|longest|biggest)\b",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"\b(?:from (?:what|which) age|how old (?:must|do|does|should|have)|youngest|smallest)\b",
    re.IGNORECASE,
)
_AGE = re.compile(r"\b(?:age|old|years?)\b", re.IGNORECASE)
_ALLOWS = re.compile(
    r"\b(?:can|could|may|might|would|will|allowed|ok|okay|fine|fits?|enough|room|holds?|built)\b",
    re.IGNORECASE,
)
# Words by which a question may turn the comparison round, or ask for another amount. "Without me" does neither.
_TURNS = re.compile(
    r"n['’]t\b|\b(?:not|never|no|too|must|needs?|have to|has to|missed|stuck|owe|less|more|over|under|above|below|only|extra|pay|paid"
    r"|costs?|free|cheaper|dearer|before|after|until|or)\b",
    re.IGNORECASE,
)
_RANGE = re.compile(r"^[^.;\d]*\b(?:to|and)\s*$|^\s*[-–—]\s*$", re.IGNORECASE)
_YEAR = 8760.0  # of hours


def verdict(question: str, taught: str, answer: str) -> bool | None:
    """Whether what a question claims keeps a bound. None where the fact tells none, or either has several amounts."""
    said, told = _amounts(question), _amounts(answer)
    if len(said) != 1 or not told or _TURNS.search(question) or not _ALLOWS.search(question):
        return None
    (claims, unit), its = said[0], [amount for amount, _ in told]
    claimed = _comparable(claims, unit, its[-1], taught)
    if claimed is None:
        return None
    if len(its) == 2 and _between(answer, its):
        first, last = its
        low = first.value * _YEAR if not first.unit and last.unit == "hour" else first.value
        return low <= claimed <= last.value
    most, least = (
        any(words.search(taught) for words in both) for both in ((AT_MOST, _MOST), (AT_LEAST, _LEAST))
    )
    if len(its) != 1 or most == least:
        return None
    return claimed <= its[0].value if most else claimed >= its[0].value


def _amounts(text: str) -> list[tuple[Amount, str]]:
    """The amounts of a text with the words of their units, without the numbers of names such as S5."""
    return [
        (amount, text[at].partition(amount.text)[2].strip(" -"))
        for amount, at in amounts_at(text)
        if (text[at.start].isspace() or not text[: at.start][-1:].isalpha())
        and (amount.unit or amount.text.lower() != "one")
    ]


def _comparable(claims: Amount, unit: str, told: Amount, taught: str) -> float | None:
    """The claimed amount in the unit of the fact's. An age may be said without a unit, people are counted without one, and a fact
    may have its unit in its question."""
    if claims.unit == told.unit or {claims.unit, told.unit} <= {"", "people", "person", "seat"}:
        return claims.value
    if claims.unit and not told.unit and re.search(rf"\bhow many {re.escape(unit)}\b", taught, re.IGNORECASE):
        return plain_number(claims.text)
    return claims.value * _YEAR if not claims.unit and told.unit == "hour" and _AGE.search(taught) else None


def _between(answer: str, told: list[Amount]) -> bool:
    first, second = (answer.find(one.text) for one in told)
    return 0 <= first < second and bool(_RANGE.match(answer[first + len(told[0].text) : second]))
