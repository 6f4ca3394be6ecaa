"""Reads amounts with their units in a text, so that two of them can be compared: "€2,350", "18 months", "a five-year warranty"."""

import re
from dataclasses import dataclass

from lorekeep.routing.words import STOP

_ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SPELLED_NUMBERS = {
    **{word: i for i, word in enumerate(_ONES.split(), 1)},
    **{word: i for i, word in zip(range(20, 100, 10), _TENS.split(), strict=True)},
    "half": 0.5, "hundred": 100,
}  # fmt: skip
# Units of one dimension a line, each with its factor to the first.
_UNITS: dict[str, tuple[str, float]] = {}
for _line in (
    "hour=1 h=1 minute=0.016666667 min=0.016666667 second=0.00027777778 sec=0.00027777778 day=24 night=24 week=168 month=730 year=8760 decade=87600",
    "gb=1 mb=0.001 tb=1000 kb=0.000001 pb=1000000 gigabyte=1 megabyte=0.001 terabyte=1000",
    "kg=1 g=0.001 gram=0.001 kilogram=1 kilo=1 t=1000 ton=1000 tonne=1000 lb=0.4536 lbs=0.4536 pound=0.4536 mg=0.000001",
    "m=1 metre=1 meter=1 cm=0.01 mm=0.001 km=1000 kilometre=1000 kilometer=1000 mile=1609 foot=0.3048 feet=0.3048 ft=0.3048 inch=0.0254",
    "w=1 kw=1000 watt=1 kilowatt=1000 mw=1000000 megawatt=1000000 gw=1000000000 milliwatt=0.001",
    "litre=1 liter=1 l=1 ml=0.001",
    "ha=1 hectare=1 acre=0.4047",
):
    _pairs = [pair.split("=") for pair in _line.split()]
    _UNITS |= {unit: (_pairs[0][0], float(size)) for unit, size in _pairs}
_AMOUNT = re.compile(
    rf"(?P<sign>[€$£¥])?\s?(?P<number>\d[\d,.]*\d|\d|\b(?:{'|'.join(_SPELLED_NUMBERS)})\b)(?:\s?(?P<scale>million|billion|thousand|k)\b)?[\s-]?(?P<unit>%|°C|[€$£¥]|[A-Za-z]+)?",
    re.IGNORECASE,
)
_SCALES = {"k": 1e3, "thousand": 1e3, "million": 1e6, "billion": 1e9}
# "€2m"
_MONEY_SCALES = {"m": 1e6, "mn": 1e6, "mio": 1e6, "bn": 1e9}
_CURRENCY_SIGNS = {"€": "euro", "$": "dollar", "£": "pound", "¥": "yen"}
CURRENCIES = frozenset(_CURRENCY_SIGNS.values())


@dataclass(frozen=True)
class Amount:
    value: float
    unit: str
    text: str  # the number as written


def amounts(text: str) -> list[Amount]:
    """The amounts of a text, in text order."""
    return [amount for amount, _ in amounts_at(text)]


def amounts_at(text: str) -> list[tuple[Amount, slice]]:
    """The amounts of a text with their places, units included."""
    found = []
    for match in _AMOUNT.finditer(text):
        value = plain_number(match["number"])
        if value is None:
            continue
        value *= _SCALES.get((match["scale"] or "").lower(), 1)
        sign, unit = match["sign"] or "", _unit(match["unit"] or "")
        value *= _MONEY_SCALES.get(unit, 1) if sign else 1
        name = _CURRENCY_SIGNS.get(sign or unit, unit)
        base, size = (
            _UNITS.get(name, _UNITS.get(name.removesuffix("s"), ("", 1.0))) if not sign else (name, 1.0)
        )
        if not base and (
            name in ("%", "°c")
            or name.removesuffix("s") in ("euro", "dollar", "percent", "bed", "seat", "people", "person")
        ):
            base = name.removesuffix("s")
        found.append((Amount(value * size, base, match["number"]), slice(*match.span())))
    return found


def amount_in(text: str, number: str) -> tuple[str, str] | None:
    """The currency sign before a number in a text, and the unit after it."""
    for match in _AMOUNT.finditer(text):
        if match["number"] == number:
            unit = (match["unit"] or "").lower()
            behind = "" if match["sign"] or unit in STOP else text[match.end("number") : match.end()].rstrip()
            return match["sign"] or "", behind
    return None


def _unit(written: str) -> str:
    # Case tells mW from MW alone.
    return "milliwatt" if written == "mW" else written.lower()


def plain_number(text: str) -> float | None:
    """The value of a number as written, without its scale and unit. "1.250" is a thousand and more, and "0.125" a fraction."""
    if (spelled := _SPELLED_NUMBERS.get(text.lower())) is not None:
        return float(spelled)
    plain = re.sub(r"(?<!^0)[,.](?=\d{3}(?:\D|$))", "", text).replace(",", ".").rstrip(".")
    try:
        return float(plain)
    except ValueError:
        return None
