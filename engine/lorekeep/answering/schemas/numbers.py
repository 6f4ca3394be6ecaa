"""The number that an answer has for a field: 850 of "850 kg", 1249.5 of "€1,249.50". Digits of codes, times, dates and phone numbers are
no numbers, and a number with another unit than the field is not its value."""

import re
from dataclasses import dataclass
from decimal import Decimal

from lorekeep.answering.claims.measured.measure import WORD, value_of
from lorekeep.answering.claims.measured.units import UNITS
from lorekeep.routing.words import STOP

# Maximum characters of an answer that are searched for numbers.
_MAX_LENGTH = 400
_FORMS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d+[.,]\d+|\d+"
_NUMBER = re.compile(rf"(?<![\w.,/:+])(?<!\w[-–—])(?P<minus>[-−])?(?P<sign>[€$£¥]\s?)?(?P<digits>{_FORMS})")
# Behind a number: a scale, a unit or a word, also joined to it: "3.2 million", "850kg", "24-month".
_BEHIND = re.compile(
    r"\s?(?P<scale>thousand|million|billion|k\b)?[\s-]?(?P<unit>%|°[CF]?|[€$£¥]|km/h|[A-Za-z]+)?",
    re.IGNORECASE,
)
# Characters behind digits that belong to a code, a time, a date, a range or a list of digits.
_GOES_ON = re.compile(r"[A-Z0-9]*\d|[-–—/:.][\dA-Z]|[-–—]\s?\d|_")
_GROUPS = re.compile(r"\+?\d+(?:[ /-]\d+)+(?!\w)")
_SCALES = {"thousand": 10**3, "k": 10**3, "million": 10**6, "billion": 10**9}
_ORDINAL = frozenset(["st", "nd", "rd", "th"])
_SPELLED = re.compile(
    rf"\W*(?:about |around |only |up to |at least |at most )?(?P<number>{WORD})\b", re.IGNORECASE
)
_CURRENCIES = {
    "€": "euro", "eur": "euro", "$": "dollar", "usd": "dollar", "£": "pound", "gbp": "pound", "quid": "pound", "¥": "yen", "jpy": "yen",
}  # fmt: skip
# Words before a number of which it is not the name: "About 850", but not "Gate 9".
_LEADS = STOP | {
    "about",
    "around",
    "over",
    "under",
    "since",
    "until",
    "nearly",
    "almost",
    "only",
    "every",
    "within",
    "maximum",
    "minimum",
}
_IN_UNIT = re.compile(r"\b(?:in|as) (?P<unit>[a-zA-Z]+|%|°[CF]|[€$£])")
_YEAR = re.compile(r"[12]\d{3}")


@dataclass(frozen=True)
class _Found:
    text: str
    value: Decimal
    unit: tuple[str, ...] | None
    before: str  # the word before it
    behind: str  # the word behind it
    is_name: bool = False  # "Gate 9"


def number_of(answer: str, wanted: str) -> Decimal | None:
    """The one number of an answer for a field, which has the words `wanted`: its key, and its description."""
    own = wanted.lower().split()
    found = [one for one in _numbers(answer[:_MAX_LENGTH]) if not one.is_name or one.before in own]
    if "year" in own:
        return _only([one for one in found if _YEAR.fullmatch(one.text) and one.unit is None])
    unit = _unit_of_field(wanted)
    if unit is not None:
        of_unit = [one for one in found if one.unit == unit]
        return _only(of_unit or [one for one in found if len(found) == 1 and one.unit is None])
    about = [one for one in found if {one.before, one.behind} & set(own)]
    return _only(found if len(found) == 1 else about)


def currency_of(answer: str) -> str | None:
    """The code of the currency of the only amount of money in an answer."""
    names = {one.unit[1] for one in _numbers(answer[:_MAX_LENGTH]) if one.unit and one.unit[0] == "money"}
    codes = [
        code.upper()
        for code, name in _CURRENCIES.items()
        if names == {name} and code.isalpha() and len(code) == 3
    ]
    return codes[0] if codes else None


def _only(found: list[_Found]) -> Decimal | None:
    return found[0].value if len({one.value for one in found}) == 1 else None


def _numbers(text: str) -> list[_Found]:
    groups = [one.span() for one in _GROUPS.finditer(text)]
    found = []
    for match in _NUMBER.finditer(text):
        digits, end = match["digits"], match.end("digits")
        if any(start <= match.start("digits") < stop for start, stop in groups) or _GOES_ON.match(text, end):
            continue
        behind = _BEHIND.match(text, end)
        scale, word = (behind["scale"] or "", behind["unit"] or "") if behind else ("", "")
        joined = bool(word) and not scale and text[end : end + 1].isalpha()
        before = re.search(r"([\w'’]+)\s$", text[: match.start()])
        lead = before[1] if before else ""
        # "0555" and "Gate 9" are names, and so is "5G".
        named = lead[:1].isupper() and lead.lower() not in _LEADS and not match["sign"]
        if (digits[0] == "0" and digits[1:2].isdigit()) or (joined and not _is_unit(word)):
            continue
        value = _decimal(digits) * _SCALES.get(scale.lower(), 1)
        value = -value if match["minus"] else value
        unit = _unit(match["sign"].strip()) if match["sign"] else _unit(word)
        is_name = named and unit is None and not _YEAR.fullmatch(digits)
        found.append(_Found(digits, value, unit, lead.lower(), word.lower(), is_name))
    return found or _spelled(text)


def _spelled(text: str) -> list[_Found]:
    """A number in words at the start of an answer: "Two years"."""
    said = _SPELLED.match(text)
    value = value_of(said["number"]) if said else None
    if said is None or value is None or len(re.findall(rf"\b{WORD}\b", text, re.IGNORECASE)) > 1:
        return []
    behind = _BEHIND.match(text, said.end())
    word = (behind["unit"] if behind else None) or ""
    return [_Found(said["number"], Decimal(int(value)), _unit(word), "", word.lower())]


def _decimal(digits: str) -> Decimal:
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        return Decimal(digits.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+", digits):
        return Decimal(digits.replace(".", "").replace(",", "."))
    return Decimal(digits.replace(",", "."))


def _unit(word: str) -> tuple[str, ...] | None:
    """A unit by its kind and size, or by the name of a currency."""
    plain = word.lower()
    for name in (plain, plain.removesuffix("s")):
        if name in _CURRENCIES:
            return "money", _CURRENCIES[name]
        if name in UNITS:
            kind, size = UNITS[name]
            return (kind, name) if kind == "money" else (kind, str(size))
    return None


def _is_unit(word: str) -> bool:
    """Whether letters joined to a number are its unit: "5G" is a name."""
    name = len(word) == 1 and word.isupper() and word not in ("W", "L")
    return not name and (word.lower() in _ORDINAL or _unit(word) is not None)


def _unit_of_field(wanted: str) -> tuple[str, ...] | None:
    """The unit in the words of a field: "weight kg", "The load in kilograms". A rate per unit is not in it."""
    if (said := _IN_UNIT.search(wanted)) and (unit := _unit(said["unit"])):
        return unit
    words = re.sub(r"\bper \w+", "", wanted.lower()).split()
    last = _unit(words[-1]) if words else None
    if last is not None:
        return last
    inside = [unit for word in words if len(word) > 1 and (unit := _unit(word)) and unit[0] != "time"]
    return inside[0] if inside else None
