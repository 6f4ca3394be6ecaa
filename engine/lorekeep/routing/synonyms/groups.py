"""Everyday synonyms, by the groups of groups.txt. Phrases are compared by the lemmas of their words."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lorekeep.bulk import once
from lorekeep.routing.words import STOP, Word, words

_FILE = Path(__file__).with_name("groups.txt")
_MUCH_OF_COUNTED = re.compile(r"\b(how) much(?= (?:\w+ )?(?:days|weeks|hours)\b)", re.IGNORECASE)
_IRREGULAR = {
    "children": "child", "kids": "kid", "paid": "pay", "pays": "pay", "bought": "buy", "sold": "sell", "lost": "lose", "left": "leave",
    "broke": "break", "broken": "break", "stole": "steal", "stolen": "steal", "kept": "keep", "made": "make", "sent": "send",
    "led": "lead", "ran": "run", "wrote": "write", "written": "write", "began": "begin", "begun": "begin", "built": "build",
    "took": "take", "taken": "take", "gave": "give", "given": "give", "went": "go", "gone": "go", "won": "win", "thrown": "throw",
    "came": "come", "worn": "wear", "wore": "wear", "held": "hold", "got": "get", "drove": "drive", "chosen": "choose", "wives": "wife",
    "men": "man", "women": "woman", "hung": "hang", "shut": "shut",
}  # fmt: skip


@once
def lemma(word: str) -> str:
    """An English word without its inflection, as a key: "cancelled", "cancels" and "cancel" are equal."""
    if word in _IRREGULAR:
        word = _IRREGULAR[word]
    elif len(word) > 4 and word.endswith(("ies", "ied")):
        word = f"{word[:-3]}y"
    elif len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    elif len(word) > 5 and word.endswith("ing"):
        word = _without_doubled_consonant(word[:-3])
    elif len(word) > 4 and word.endswith("ed") and not word.endswith("eed"):
        word = _without_doubled_consonant(word[:-2])
    doubled = len(word) > 5 and word.endswith("ll")  # cancelled, canceled
    return word[:-1] if doubled or (len(word) > 3 and word.endswith("e")) else word


def _without_doubled_consonant(word: str) -> str:
    """A word without the consonant that its ending has doubled."""
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiousl" else word


class Phrase(NamedTuple):
    bases: tuple[str, ...]
    groups: frozenset[int]


class PhraseMatch(NamedTuple):
    """A phrase of a group in a text, with its position."""

    phrase: Phrase
    start: int
    end: int


def lemmas_of(text: str) -> tuple[str, ...]:
    return tuple(lemma(word.plain) for word in words(text))


@cache
def members() -> list[list[str]]:
    """The phrases of each group."""
    lines = _FILE.read_text("utf-8").splitlines()
    return [[one.strip() for one in line.split(",")] for line in lines if line and line[0] != "#"]


@cache
def _lemmas_by_group() -> list[list[tuple[str, tuple[str, ...]]]]:
    """The phrases of each group, with the lemmas of their words."""
    return [[(one, lemmas_of(one)) for one in group] for group in members()]


@cache
def phrases() -> dict[str, list[Phrase]]:
    """All phrases by their first word, the longest first."""
    groups: dict[tuple[str, ...], set[int]] = {}
    for number, group in enumerate(_lemmas_by_group()):
        for _, bases in group:
            groups.setdefault(bases, set()).add(number)
    found: dict[str, list[Phrase]] = {}
    for bases in sorted(groups, key=lambda bases: (-len(bases), bases)):
        found.setdefault(bases[0], []).append(Phrase(bases, frozenset(groups[bases])))
    return found


_KINSHIP = frozenset(map(lemma, (
    "grandad", "granddad", "grandpa", "granny", "grandma", "nana", "auntie", "hubby", "mum", "mom", "mummy", "dad", "daddy",
)))  # fmt: skip


@cache
def everyday_words() -> frozenset[str]:
    """The lemmas of all phrases and of relatives. They are no names, even if the vocabulary lacks them."""
    return frozenset(one for some in phrases().values() for phrase in some for one in phrase.bases) | _KINSHIP


def phrases_in(text: str) -> list[PhraseMatch]:
    """The phrases in a text. A longer phrase takes precedence over the shorter ones that it contains."""
    said: list[Word] = words(text)
    bases, known, found, at = [lemma(word.plain) for word in said], phrases(), [], 0
    while at < len(bases):
        size = 1
        for phrase in known.get(bases[at], ()):
            size = len(phrase.bases)
            if tuple(bases[at : at + size]) == phrase.bases:
                found.append(PhraseMatch(phrase, said[at].start, said[at + size - 1].end))
                break
        else:
            size = 1
        at += size
    return found


def with_taught_synonyms(asked: str, taught: frozenset[str]) -> str | None:
    """Replaces the phrases of a question that no taught question has by their first synonym whose words are all taught. `taught`
    holds lemmas. None if nothing changes."""

    def has(bases: tuple[str, ...]) -> bool:
        return taught.issuperset(word for word in bases if word not in STOP)

    out, at = "", 0
    for one in phrases_in(asked):
        if has(one.phrase.bases):
            continue
        others = (other for group in sorted(one.phrase.groups) for other in _lemmas_by_group()[group])
        if (other := next((other for other, bases in others if has(bases)), None)) is not None:
            out, at = out + asked[at : one.start] + other, one.end
    return _with_how_many(out + asked[at:]) if at else None


def reword_towards(asked: str, taught: str, said: list[PhraseMatch] | None = None) -> str | None:
    """Replaces the phrases of a question by those of a taught question in the same group. None if nothing changes. `said` holds the
    phrases of the question if they are known."""
    said = phrases_in(asked) if said is None else said
    wanted = frozenset().union(*(one.phrase.groups for one in said))
    its = [one for one in phrases_in(taught) if one.phrase.groups & wanted]
    if not its:
        return None
    bases, out, at = set(lemmas_of(taught)), "", 0
    for one in said:
        if bases.issuperset(word for word in one.phrase.bases if word not in STOP):
            continue
        other = next((other for other in its if other.phrase.groups & one.phrase.groups), None)
        if other is not None:
            out, at = out + asked[at : one.start] + taught[other.start : other.end], one.end
    return _with_how_many(out + asked[at:]) if at else None


def has_phrases(taught: str, said: list[PhraseMatch]) -> bool:
    """Whether a taught question has all phrases of a question, in any inflection."""
    bases = set(lemmas_of(taught))
    return all(bases.issuperset(word for word in one.phrase.bases if word not in STOP) for one in said)


def _with_how_many(text: str) -> str:
    """The text with "how many" before what is counted: "how much PTO" becomes "how many vacation days"."""
    return _MUCH_OF_COUNTED.sub(r"\1 many", text)
