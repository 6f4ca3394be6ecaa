"""Splits a text into words and finds its names by their form alone, so that unknown names are found as
well."""

import itertools
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from lorekeep.bulk import once
from lorekeep.routing.abbreviations.known import KNOWN


def any_case(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_WORD = re.compile(r"[^\W_]+(?:[-.,'’/][^\W_]+)*")
# Characters before a word that begins a sentence.
_SENTENCE_ENDS = (".", "?", "!", ":", '"', "“")
# Maximum characters before a word that are searched for the end of a sentence; searching all of a long text would be too slow.
_MAX_LOOKBEHIND = 64
CALENDAR = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "i",
    "i'm",
    "i'll",
    "i've",
    "i'd",
]
STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "for",
        "to",
        "in",
        "on",
        "at",
        "by",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "do",
        "does",
        "did",
        "can",
        "could",
        "may",
        "might",
        "must",
        "shall",
        "should",
        "will",
        "would",
        "i",
        "me",
        "my",
        "we",
        "us",
        "our",
        "you",
        "your",
        "he",
        "she",
        "it",
        "its",
        "his",
        "her",
        "they",
        "them",
        "their",
        "this",
        "that",
        "these",
        "those",
        "what",
        "which",
        "who",
        "whom",
        "whose",
        "when",
        "where",
        "why",
        "how",
        "and",
        "or",
        "not",
        "no",
        "if",
        "so",
        "as",
        "with",
        "from",
        "about",
        "than",
        "then",
        "there",
        "here",
        "have",
        "has",
        "had",
        "get",
        "give",
        "tell",
        "please",
        "know",
        "need",
        "want",
        "any",
        "some",
        "much",
        "many",
        "long",
        "often",
        "make",
        "happens",
        "happen",
        "one",
        "ones",
        "say",
        "says",
        "said",
        "what's",
        "who's",
        "where's",
        "when's",
        "hi",
        "hello",
        "hey",
        "thanks",
        "thank",
    ]
)
# An office with its area, such as "Head of Customer Support": the relation that is asked for, beside another name.
_TITLE = re.compile(
    r"\b(?:(?:Vice|Deputy|Assistant|Senior|Managing|Executive|General|Chief) )*(?:Head|Director|VP|President|Manager|Officer|Chair(?:man|woman|person)?"
    r"|Chief|Lead|Secretary|Treasurer|Dean|Mayor|Minister|Coordinator|Supervisor)(?: (?:of|for) (?:the )?[A-Z][a-z]+(?:(?:,? (?:and|&) | )[A-Z][a-z]+)*)?"
)
# Verbs at the beginning of a request, in any case.
_REQUEST_VERBS = frozenset(
    [
        "tell",
        "give",
        "please",
        "know",
        "need",
        "list",
        "name",
        "explain",
        "describe",
        "write",
        "show",
        "find",
        "look",
        "let",
        "state",
    ]
)
_NEVER = STOP | frozenset(CALENDAR) | frozenset(day + "s" for day in CALENDAR[:7])
_ENDINGS = (
    ("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"),
    ("er", ""), ("er", "e"), ("ly", ""), ("able", ""), ("able", "e"),
)  # fmt: skip
# Strength of a name word: STRONG alone (a digit, an unknown word), WEAK only beside others (a common word
# with a capital).
WEAK, STRONG = 1, 2


# Words before the name of a person, which a fact may leave out.
TITLES = frozenset(
    [
        "dr",
        "prof",
        "professor",
        "mr",
        "mrs",
        "ms",
        "miss",
        "sir",
        "dame",
        "madam",
        "captain",
        "sister",
        "brother",
        "father",
        "signor",
        "signora",
        "señor",
        "señora",
        "senor",
        "senora",
        "monsieur",
        "madame",
        "mademoiselle",
        "herr",
        "frau",
        "don",
        "lord",
        "lady",
    ]
)


class Word(NamedTuple):
    text: str
    plain: str  # without case and without a possessive
    start: int
    end: int


def _is_first(text: str, word: Word) -> bool:
    """Whether a sentence begins with a word."""
    return text[max(0, word.start - _MAX_LOOKBEHIND) : word.start].rstrip().endswith(_SENTENCE_ENDS)


@once
def words(text: str) -> list[Word]:
    found = []
    for match in _WORD.finditer(text):
        word, (start, end) = match[0], match.span()
        # Skips the constructor of the named tuple, which takes as long as everything else.
        found.append(tuple.__new__(Word, (word, plain(word), start, end)))
    return found


def plain(word: str) -> str:
    word = word.lower()
    if word.isalnum():
        return word
    return word.replace("’", "'").removesuffix("'s")


def stem(word: str) -> str:
    for end in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word[: -len(end)]
    return word


@dataclass
class Vocabulary:
    """Whole words in the embedding model's vocabulary. A word outside of it is probably a name."""

    known: frozenset[str] = frozenset()
    pieces: Callable[[str], int] | None = (
        None  # returns the number of pieces that the embedding model splits a word into
    )
    # Cache of piece counts; None if the words of one account must leave no trace for another.
    counted: dict[str, int] | None = field(default_factory=dict)

    @classmethod
    def of(cls, tokenizer) -> "Vocabulary":
        entries = tokenizer.get_vocab()
        # SentencePiece and byte-level tokenizers mark the entries that begin a word.
        mark = next((mark for mark in "▁Ġ" if f"{mark}the" in entries), None)
        if mark is None:
            known = frozenset(entry for entry in entries if not entry.startswith(("##", "[")))
        else:
            known = frozenset(entry[1:].lower() for entry in entries if entry.startswith(mark))
        return cls(known, lambda word: len(tokenizer.tokenize(word)))

    def knows(self, word: str) -> bool:
        if word in self.known or not self.known:
            return word in self.known
        for end, instead in _ENDINGS:
            rest = len(word) - len(end)
            if word.endswith(end) and rest + len(instead) >= 3 and word[:rest] + instead in self.known:
                return True
        parts = re.split(r"[-'/]", word)
        return len(parts) > 1 and all(part in self.known for part in parts)

    def is_split(self, word: str) -> bool:
        """Whether the tokenizer splits a word into too many pieces for a common word."""
        if self.pieces is None:
            return False
        if self.counted is None:
            return self.pieces(word) >= 3
        if word not in self.counted:
            if len(self.counted) > 100_000:
                self.counted.clear()
            self.counted[word] = self.pieces(word)
        return self.counted[word] >= 3

    def _is_capitalized(self, text: str, word: Word) -> bool:
        """Whether a common word that is also an abbreviation stands as a name within a sentence: the Swift panel, not SWIFT."""
        return word.text.istitle() and word.start > 0 and not _is_first(text, word) and self.knows(word.plain)

    def names(self, text: str) -> dict[str, int]:
        """The name words of a text with their strength."""
        found: dict[str, int] = {}
        all_words = words(text)
        for word in all_words:
            if (
                word.plain in _NEVER
                or (word.plain in KNOWN and text != text.upper() and not self._is_capitalized(text, word))
                or _beside_and(text, word)
            ):
                continue  # "CEO", "API" and "R&D" are relations, not names
            capital = word.text[0].isupper()
            if any(c.isdigit() for c in word.plain) or (capital and not self.knows(word.plain)):
                found[word.plain] = STRONG
            elif capital and word.start > 0 and not _is_first(text, word):
                found[word.plain] = WEAK
        if text == text.lower():
            for word in all_words:
                if (
                    word.plain not in found
                    and word.plain not in _NEVER
                    and word.plain.isalpha()
                    and not self.knows(word.plain)
                    and self.is_split(word.plain)
                ):
                    found[word.plain] = STRONG
        # A common word at the start of the text belongs to a name right after it ("Green Zorbax: mayor?").
        for word, after in itertools.pairwise(all_words):
            if (
                word.start == 0
                and word.text[0].isupper()
                and word.plain not in found
                and word.plain not in _NEVER | _REQUEST_VERBS
                and after.plain in found
                and after.start == word.end + 1
            ):
                found[word.plain] = WEAK
        if STRONG in found.values():
            for title in _TITLE.finditer(text):
                for word in words(title[0]):
                    if found.get(word.plain) == WEAK:
                        del found[word.plain]
        return found


def _beside_and(text: str, word: Word) -> bool:
    """Whether a word is a letter of an abbreviation such as "R&D"."""
    return len(word.text) == 1 and "&" in (text[word.start - 1 : word.start], text[word.end : word.end + 1])


def without_names(text: str, names: set[str] | dict[str, int]) -> str:
    """The text with every name replaced by "it": the relation that it asks for."""
    said, at, before = "", 0, False
    for word in words(text):
        if word.plain in names:
            if not before:
                said += text[at : word.start] + "it"
            if word.text.lower().endswith(("'s", "’s")):
                said += "'s"
            at, before = word.end, True
        else:
            said += text[at : word.end]
            at, before = word.end, False
    return re.sub(r"\b(the|a|an) it\b", "it", said + text[at:])


def key(text: str) -> str:
    """Normalises spacing and Unicode form, the only differences between equal questions."""
    return " ".join(unicodedata.normalize("NFC", text).split())
