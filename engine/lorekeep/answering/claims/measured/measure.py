"""A measure of a text, and numbers that are written in words."""

from dataclasses import dataclass

from lorekeep.answering.amounts import plain_number

_ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
# Kinds of measures that are amounts, not points in time.
AMOUNTS = frozenset(
    ["money", "time", "data", "weight", "length", "volume", "share", "heat", "power", "speed", "count", "age"]
)
WORD = rf"(?:(?:{_TENS.replace(' ', '|')})(?:[\s-](?:{_ONES.replace(' ', '|')}))?|{_ONES.replace(' ', '|')}|a hundred|a thousand|a million|a dozen|hundred)"
HOUR = rf"(?:\d{{1,2}}|{'|'.join(_ONES.split()[:12])})"
NUMBER = rf"(?:\d[\d,.]*\d|\d|{WORD}\b)"
_VALUES = {word: float(at) for at, word in enumerate(_ONES.split(), 1)}
_VALUES |= {word: 10.0 * at for at, word in enumerate(_TENS.split(), 2)}
_VALUES |= {
    "a hundred": 100.0,
    "a thousand": 1e3,
    "a million": 1e6,
    "a dozen": 12.0,
    "hundred": 100.0,
    "a": 1.0,
    "an": 1.0,
    "half a": 0.5,
    "half an": 0.5,
    "a couple of": 2.0,
}


@dataclass(frozen=True)
class Measure:
    kind: str
    low: float
    high: float
    text: str
    start: int
    end: int
    days: frozenset[int] = frozenset()  # of the week
    is_range: bool = False
    size: float = 1.0  # of its unit


def value_of(said: str) -> float | None:
    word = said.lower().replace("-", " ")
    if word in _VALUES:
        return _VALUES[word]
    parts = word.split()
    if len(parts) == 2 and all(part in _VALUES for part in parts):
        return _VALUES[parts[0]] + _VALUES[parts[1]]
    return plain_number(said)
