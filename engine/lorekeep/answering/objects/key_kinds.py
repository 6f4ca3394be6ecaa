"""The kinds of answers that a key may have, by its last word: "found_on" has a time, "birthplace" a place."""

from lorekeep.answering.objects.key_words import spaced
from lorekeep.routing.question_kind import answer_kind

_LAST_WORDS = {
    "time": ["on", "date", "year", "month", "weekday", "birthday", "when", "since", "until"],
    "place": ["birthplace", "place", "town", "city", "village", "location", "address", "street", "country", "where", "hometown", "headquarters"],
    "person": ["owner", "founder", "author", "inventor", "designer", "discoverer", "finder", "director", "manager", "chair", "captain", "winner", "leader", "boss", "mayor", "keeper"],
    "money": ["price", "cost", "fee", "fare", "rent"],
}  # fmt: skip
_KINDS = {word: frozenset([kind]) for kind, some in _LAST_WORDS.items() for word in some} | {
    "in": frozenset(["time", "place"]),
    "at": frozenset(["time", "place"]),
    "by": frozenset(["person", "time"]),
}
# Keys that are only a verb have its time or place: "founded", "launched".
_KINDS |= dict.fromkeys(
    [
        "founded",
        "established",
        "opened",
        "built",
        "launched",
        "started",
        "formed",
        "born",
        "died",
        "released",
        "published",
    ],
    _KINDS["in"],
)
# Mutually exclusive kinds of answers to a question.
_EXCLUSIVE_KINDS = frozenset(["time", "place", "person", "money", "count", "reason"])


def may_have(key: str, question: str) -> bool:
    """Whether the answer of a question may be the value of a key."""
    allowed = _KINDS.get(spaced(key).split()[-1]) if spaced(key) else None
    kind = answer_kind(question)
    return allowed is None or kind not in _EXCLUSIVE_KINDS or kind in allowed
