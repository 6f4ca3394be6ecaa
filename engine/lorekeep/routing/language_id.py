"""Identifies the language of a question by its script and its function words. Names may contain function words of other languages
("Banco de la Plata"), so a question counts as English unless there is more evidence for another language."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

from lorekeep.routing.languages import OTHER, languages, normal
from lorekeep.routing.words import STOP

# Weights of evidence: question words and auxiliaries count more than articles.
_STRONG, _WEAK = 2, 1
_ENGLISH_QUESTION_WORDS = frozenset(
    [
        "what",
        "which",
        "who",
        "whom",
        "whose",
        "when",
        "where",
        "why",
        "how",
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "can",
        "could",
        "has",
        "have",
    ]
)
# First words that only English questions have.
_ENGLISH_BEGINNINGS = (
    "what ",
    "which ",
    "who ",
    "whom ",
    "whose ",
    "when ",
    "where ",
    "why ",
    "how ",
    "does ",
    "did ",
    "are ",
    "can ",
    "could ",
)
_ONE_LETTER_WORDS = "eioy"
# Minimum ratio of English words to words that English shares with another language.
_MIN_ENGLISH_RATIO = 2
_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['’]s\b", re.I)
_HAN, _KANA = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]"), re.compile(r"[\u3040-\u30ff]")
_ARABIC = re.compile(r"[\u0620-\u065f]")
# Letters of Persian, Urdu and others that Arabic lacks.
_NOT_ARABIC = re.compile(r"[\u0671-\u06d3]")


@cache
def _question_words(code: str) -> frozenset[str]:
    language = languages()[code]
    return frozenset(phrase[0] for phrase, _ in language.kinds if len(phrase) == 1) | language.verbs


@cache
def _language_weights() -> dict[str, dict[str, int]]:
    """The languages that each function word indicates, with the weights of evidence."""
    found: dict[str, dict[str, int]] = {}
    for code, language in languages().items():
        for word in _question_words(code) | language.small if language.spaced else ():
            # French "d" and "l" also remain of English "I'd" and "I'll".
            if len(word) > 1 or word in _ONE_LETTER_WORDS or not word.isascii():
                found.setdefault(word, {})[code] = _STRONG if word in _question_words(code) else _WEAK
    for word in STOP:
        # A word that English has too is evidence for both.
        strength = _STRONG if word in _ENGLISH_QUESTION_WORDS else _WEAK
        found[word] = dict.fromkeys([*found.get(word, {}), "en"], strength)
    return found


def language_of(text: str, knows: Callable[[str], bool], likely: Sequence[str] = ()) -> str | None:
    """The language of a question; None for English or without evidence for another one. `knows` recognises English words. If several
    languages fit, the first `likely` one is chosen."""
    if text.isascii():
        if text.lower().startswith(_ENGLISH_BEGINNINGS):
            return None
    elif script := _by_script(text):
        return script
    signs, evidence, unknown = _language_weights(), Counter(), 0
    written = _WORD.findall(_POSSESSIVE.sub("", unicodedata.normalize("NFKC", text)))
    capital = [word[0].isupper() or word[0].isdigit() for word in written]
    said = [normal(word) for word in written]
    for at, word in enumerate(said):
        # The first word is capitalized as the beginning of the sentence.
        inside = not capital[at] and any(capital[max(1, at - 3) : at]) and any(capital[at + 1 : at + 4])
        for code, strength in signs.get(word, {}).items():
            if strength == _STRONG or not inside:
                evidence[code] += strength
        unknown += not capital[at] and word.isalpha() and word not in signs and not knows(word)
    order = {code: at for at, code in enumerate(likely)}
    english = evidence.pop("en", 0)
    best, found = max(
        evidence.items(), key=lambda one: (one[1], -order.get(one[0], len(order))), default=("", 0)
    )
    asking = {word for word in said if word in _question_words(best)} if best else set()
    # "Notice period once probation is over": "over" is Dutch, and an English word among English words.
    signed = [word for word in said if best in signs.get(word, ())]
    plain = [word for word, big in zip(said, capital, strict=True) if not big and word not in signs]
    if (
        text.isascii()
        and sum(map(knows, plain)) >= _MIN_ENGLISH_RATIO * len(signed) > 0
        and all(map(knows, signed))
    ):
        return None
    if found >= english + (1 if asking else 2):
        return best
    # "Was" is a question word in German and an auxiliary in English, "state" a verb in Italian and an English word.
    foreign = any(not knows(word) for word in asking - STOP)
    if found == english and unknown and (foreign or (asking and best in order)):
        return best
    # Without function words: by non-English letters and unknown words.
    return OTHER if not text.isascii() and not english and 2 * unknown >= len(said) else None


def _by_script(text: str) -> str | None:
    letters = [c for c in text if c.isalpha()]
    if 2 * sum(ord(c) < 0x250 for c in letters) > len(letters):
        return None
    if _HAN.search(text):
        return OTHER if _KANA.search(text) else "zh"
    return "ar" if _ARABIC.search(text) and not _NOT_ARABIC.search(text) else OTHER
