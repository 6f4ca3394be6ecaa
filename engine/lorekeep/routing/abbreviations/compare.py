"""Compares abbreviations (CTO, HR, VAT) in two texts, without embeddings. They match by their letters, or if one text
spells out the abbreviation of the other."""

import re
from itertools import pairwise

from lorekeep.routing.abbreviations.known import KNOWN
from lorekeep.routing.words import STOP

_UPPERCASE_CODE = re.compile(r"\b(?:[A-Z]\.){2,6}(?!\w)|\b[A-Z](?:[A-Z0-9]|&(?=[A-Z])){1,5}(?:s|'s|’s)?\b")
_LOWERCASE_CODE = re.compile(r"\b(?:[a-z]\.){2,6}(?!\w)|\b[a-z][a-z0-9]{1,5}\b")
# Clock suffixes, numerals and common words that look like abbreviations.
_NOT_ABBREVIATIONS = frozenset(
    ["am", "pm", "ok", "no", "yes", "us", "it", "id", "tv", "pc", "i", "a", "ii", "iii", "iv", "vi", "vii"]
)
_WORD = re.compile(r"[^\W\d_]+")


def abbreviations(text: str) -> frozenset[str]:
    """The abbreviations of a text in lower case, without points and endings."""
    shouted = text == text.upper() or text == text.lower()
    found = {_normalized(m[0]) for m in _LOWERCASE_CODE.finditer(text.lower())} & KNOWN.keys()
    if not shouted:
        found |= {_normalized(m[0]) for m in _UPPERCASE_CODE.finditer(text)}
    return frozenset(code for code in found - _NOT_ABBREVIATIONS if len(code) > 1)


def abbreviations_differ(question: str, fact: str, answer: str) -> bool:
    """Whether each text has an abbreviation that the other lacks."""
    asked, taught = abbreviations(question), abbreviations(fact)
    if not asked and not taught:
        return False
    mine = {code for code in asked if not _mentions(fact, code) and not _mentions(answer, code)}
    its = {code for code in taught if not _mentions(question, code)}
    if its and not mine and question == question.lower():
        # Unknown abbreviations in lower case: words that differ from the fact's abbreviation in one letter.
        mine = {word for word in _content_words(question) for code in its if _one_letter_apart(word, code)}
    if mine and its:
        return True
    # "CTO" and "chief financial officer" differ too, and so do "value added tax" and "VPN".
    return any(_spells_another(fact, code) for code in mine) or any(
        _spells_another(question, code) for code in its
    )


def _one_letter_apart(a: str, b: str) -> bool:
    return len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) == 1


def _normalized(code: str) -> str:
    code = code.replace("’", "'").removesuffix("'s")
    if len(code) > 2 and code.endswith("s") and code[:-1].isupper():
        code = code[:-1]
    return code.replace(".", "").replace("&", "").lower()


def _mentions(text: str, code: str) -> bool:
    """Whether a text contains an abbreviation, literally or spelled out."""
    low = text.lower()
    if re.search(rf"\b{re.escape(code)}s?\b", low.replace(".", "").replace("&", "")):
        return True
    if (spelled := KNOWN.get(code)) and spelled in low.replace("-", " "):
        return True
    if len(code) == 2 and len(low) > 100:
        return False  # every long text has two words with these initials
    said = _content_words(low), _WORD.findall(low)
    return any(code in "".join(word[0] for word in some) for some in said)


def _spells_another(text: str, code: str) -> bool:
    """Whether a text spells out another known abbreviation, or one that differs in a middle letter only."""
    low = text.lower().replace("-", " ")
    if any(
        spelled and other != code and re.search(rf"\b{spelled}\b", low) for other, spelled in KNOWN.items()
    ):
        return True
    if len(code) != 3 or not code.isalpha():
        return False
    said = _content_words(low)
    return any(
        a[0] == code[0] and c[0] == code[-1] and b[0] != code[1]
        and (spelled := KNOWN.get(code, "").split()) and (a, c) == (spelled[0], spelled[-1])
        for (a, b), (_, c) in pairwise(list(pairwise(said)))
    )  # fmt: skip


def _content_words(low: str) -> list[str]:
    return [word for word in _WORD.findall(low) if word not in STOP]
