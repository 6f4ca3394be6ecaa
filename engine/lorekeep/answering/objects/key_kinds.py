"""The kinds of answers that a key may have, by its words: "found_on" has a time, "birthplace" a place."""

from lorekeep.answering.objects.fields import spaced
from lorekeep.routing.question_kind import answer_kind

_BY_LAST = {
    "time": ["on", "date", "year", "month", "weekday", "birthday", "when", "since", "until"],
    "place": ["birthplace", "place", "town", "city", "village", "location", "address", "street", "country", "where", "hometown", "headquarters"],
    "person": ["by", "owner", "founder", "author", "inventor", "designer", "discoverer", "finder", "director", "manager", "chair", "captain", "winner", "leader", "boss", "mayor", "keeper"],
    "money": ["price", "cost", "fee", "fare", "rent"],
}  # fmt: skip
_KINDS = {word: frozenset([kind]) for kind, some in _BY_LAST.items() for word in some} | {
    "in": frozenset(["time", "place"]),
    "at": frozenset(["time", "place"]),
}
# Keys that are a verb alone have the time of it: "founded", "launched".
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
# Kinds of which a question asks for one alone.
_APART = frozenset(["time", "place", "person", "money", "count", "reason"])


def may_have(key: str, question: str) -> bool:
    """Whether what a question asks for may be the value of a key."""
    allowed = _KINDS.get(spaced(key).split()[-1]) if spaced(key) else None
    kind = answer_kind(question)
    return allowed is None or kind not in _APART or kind in allowed
