"""The words of keys, written out in English: "yearFounded" is "year founded", "max_temp" is "maximum temperature", "Preis" is "price"."""

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("key_words.toml")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Za-z]{3})(?=\d)")
_SEPARATOR = re.compile(r"[_\-.\s]+")


def spaced(key: str) -> str:
    """The words of a key, written out."""
    parts = [word for word in _SEPARATOR.split(_BOUNDARY.sub(" ", key).lower()) if word]
    # "sun" alone is the star, and "sat nav" is not Saturday.
    if parts == ["sun"] or parts[:2] == ["sat", "nav"]:
        return " ".join(parts)
    said = " ".join(map(_written_out, parts))
    return said.replace("per minimum", "per minute")


def _written_out(word: str) -> str:
    known = _known()
    return known.get(word) or known.get(word.translate(_UMLAUTS)) or known.get(_without_accents(word)) or word


def _without_accents(word: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFD", word) if not unicodedata.combining(one))


@cache
def _known() -> dict[str, str]:
    tables = tomllib.loads(_FILE.read_text("utf-8"))
    return {word: english for table in tables.values() for word, english in table.items()}
