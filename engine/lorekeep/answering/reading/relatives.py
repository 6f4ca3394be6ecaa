"""Detects near misses that ask for different people or places although all else is alike: other relatives, predecessors in an office,
"Old Pellworm" beside "New Pellworm"."""

import re

from lorekeep.routing.contradictions.near_misses import is_near_miss
from lorekeep.routing.stored_keys import Entry
from lorekeep.routing.words import words

_KINSHIP = {
    "mother": "mother", "mothers": "mother", "mum": "mother", "mom": "mother", "father": "father", "fathers": "father", "dad": "father",
    "parent": "mother father", "parents": "mother father", "son": "son", "sons": "son", "daughter": "daughter", "daughters": "daughter",
    "child": "son daughter", "children": "son daughter", "kids": "son daughter", "brother": "brother", "brothers": "brother",
    "sister": "sister", "sisters": "sister", "sibling": "brother sister", "siblings": "brother sister", "wife": "wife", "husband": "husband",
    "spouse": "wife husband", "married": "wife husband", "marry": "wife husband", "uncle": "uncle", "aunt": "aunt", "cousin": "cousin",
    "grandmother": "grandmother", "grandfather": "grandfather", "nephew": "nephew", "niece": "niece",
}  # fmt: skip
_PREDECESSOR = re.compile(
    r"\b(?:previous(?:ly)?|former(?:ly)?|predecessors?|ex-\w+|before the (?:present|current) \w+|before (?:him|her|them))\b",
    re.IGNORECASE,
)
_PAST_WORD = re.compile(
    r"\b(?:previous(?:ly)?|former(?:ly)?|predecessors?|before|earlier|until|used to|past|was|were|had|succeeded|retired|left)\b",
    re.IGNORECASE,
)
_QUALIFIED_PLACE = re.compile(
    r"(?<=[a-z,] )(Old|New|North|South|East|West|Northern|Southern|Eastern|Western|Upper|Lower|Great|Greater|Little|Lesser|Inner|Outer) "
    r"([A-Z][\w-]+)"
)

# Maximum letters of a word that does not identify a name alone.
_MAX_SHORT_WORD = 3
# Two successive words of a name.
_BIGRAM = re.compile(r"(?<![.!?] )(?<!^)\b([A-Z][\w-]+) (?=([A-Z][\w-]+))")


def asks_other(question: str, fact: Entry) -> bool:
    """Whether the words of a question show that it wants another person, place, dimension or number than a fact states."""
    other = asks_other_relative(question, f"{fact.input} {fact.output}")
    return other or is_near_miss(question, fact.input, fact.output)


def asks_other_relative(question: str, taught: str) -> bool:
    """Whether a question asks for another relative or place than a fact states, or for a predecessor of the person in it."""
    asked, told = _relatives(question), _relatives(taught)
    if asked and told and not asked & told:
        return True
    if asks_other_place(question, taught):
        return True
    return bool(_PREDECESSOR.search(question)) and not _PAST_WORD.search(taught)


def asks_other_place(question: str, taught: str) -> bool:
    """Whether a question names "Old Pellworm" or "Pellworm Foundry", and the facts are about another Pellworm."""
    placed = any(
        re.search(rf"\b{re.escape(place)}\b", taught) and f"{which} {place}" not in taught
        for which, place in _QUALIFIED_PLACE.findall(question)
    )
    return placed or any(_has_another(first, second, taught) for first, second in _BIGRAM.findall(question))


def asks_other_name(question: str, taught: str, subject: str) -> bool:
    """Whether a question has a name that a fact about another subject lacks: the address of the Tin Lantern, and of Gilt Pharos."""
    said = [word.text for word in words(question)]
    low = question.lower()
    named = any(word.plain in low for word in words(subject) if len(word.plain) > _MAX_SHORT_WORD)
    # Title case does not mark names.
    if not subject[:1].isupper() or named or 2 * sum(one[0].isupper() for one in said) > len(said):
        return False
    return any(one not in taught and other not in taught for one, other in _BIGRAM.findall(question))


def _has_another(first: str, second: str, taught: str) -> bool:
    """Whether facts have a name with the same first and another second word: Fennmark Works, and not Fennmark Foundry."""
    others = re.findall(rf"\b{re.escape(first)} ([A-Z][\w-]+)", taught)
    return bool(others) and second not in taught and not any(one.startswith(second[:-1]) for one in others)


def _relatives(text: str) -> set[str]:
    return {one for word in words(text) for one in _KINSHIP.get(word.plain.removesuffix("'s"), "").split()}
