"""Compares two questions about the same names by their words: whether they ask the same, or differ like rows of a table. Vector
similarity decides neither: "who repairs the oven" is near "who operates the oven", and a row of a table is near the next row."""

import re

from lorekeep.routing.relation import actions, relation_lines, relations
from lorekeep.routing.words import STOP, stem, words

# Words of a line are synonyms if the rest of both questions is equal.
_SYNONYMS = {
    word.replace("_", " "): line.split()[0]
    for line in """
operates operate operated operator operators works
holds hold held holder has
employees employee staff workers worker people_work people_are_employed people_who_work
place where town city village located situated
time when year date
""".strip().splitlines()
    for word in line.split()
}
_SYNONYM_PHRASES = tuple(word for word in _SYNONYMS if " " in word)
_DAYS = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december"
)


def same_relation(one: str, other: str) -> bool:
    """Whether the words prove that two questions without their names ask for the same: the same words, or synonyms of the same action by
    the same kind of question."""
    mine, its = _canonical(one), _canonical(other)
    if mine == its:
        return True
    if _kind(one) != _kind(other) or not actions(one) & actions(other):
        return False
    rest, its_rest = _without_actions(mine), _without_actions(its)
    return rest <= its_rest or its_rest <= rest


def rows_differ(one: str, other: str) -> bool:
    """Whether two questions differ only in distinct names, numbers or days, as those about the rows of a table."""
    mine, its = _by_plain(one), _by_plain(other)
    left, right = mine.keys() - its.keys(), its.keys() - mine.keys()
    return bool(left and right) and all(
        _is_distinct(text) for text in [*(mine[word] for word in left), *(its[word] for word in right)]
    )


def equal_words(one: str, other: str) -> bool:
    return _canonical(one) == _canonical(other)


def contained(one: str, other: str) -> bool:
    """Whether one question has all content words of the other."""
    mine, its = _canonical(one), _canonical(other)
    return mine <= its or its <= mine


def _by_plain(text: str) -> dict[str, str]:
    return {word.plain: word.text for word in words(text)[1:] if word.plain not in STOP}


def _is_distinct(text: str) -> bool:
    return text[:1].isupper() or any(sign.isdigit() for sign in text) or bool(_DAYS.fullmatch(text.lower()))


def _canonical(text: str) -> frozenset[str]:
    low = " ".join(word.plain for word in words(text))
    for phrase in _SYNONYM_PHRASES:
        low = low.replace(phrase, _SYNONYMS[phrase])
    found = (_SYNONYMS.get(word, word) for word in low.split())
    return frozenset(stem(word) for word in found if word not in STOP)


def _kind(text: str) -> str | None:
    """The kind of question. "Which insurer" also asks for a person, and "in what year" for a time."""
    said = [word.plain for word in words(text)]
    if any(_SYNONYMS.get(word) == "time" for word in said[:4]):
        return "time"
    first = next((at for at, word in enumerate(said) if word in ("which", "what")), None)
    if first is not None and first + 1 < len(said) and said[first + 1] in relation_lines():
        return "who"
    return relations(text)[0]


def _without_actions(said: frozenset[str]) -> frozenset[str]:
    known = {stem(word) for word in relation_lines()}
    return said - known
