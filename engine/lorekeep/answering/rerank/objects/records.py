"""The same of several subjects as objects: "a list of objects, each with firm and year, for Zorbax and Wixby". A key that no fact answers
is for the name of a subject, if it is the first one."""

import re

from lorekeep.answering.compose import Composed
from lorekeep.answering.objects import fields
from lorekeep.answering.objects.json_keys import given_values
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.combiner import NAME, Combiner
from lorekeep.answering.rerank.objects.nested import same_of_each

_RECORDS = re.compile(
    r"\b(?:array|list|records?|rows|entries)\b|\bone (?:object|record|entry|row) (?:each|per|for)\b|\bobjects?,? each\b|\beach (?:one )?(?:with|having)\b",
    re.IGNORECASE,
)
AS_LIST = re.compile(
    r"\b(?:array|list|records|rows|entries|objects|(?:one|an?) (?:record|row|object|entry) (?:each|per|for))\b|\[\s*\{",
    re.IGNORECASE,
)
# "each with name and year", "with "ship" and "skipper""
_WITH = re.compile(
    r"\b(?:with|having|holding|containing) (?:an? |the |only |just )?(?:keys?|fields?|properties|entries)?:? ?(?P<keys>[^.;:?!{}\n]+)",
    re.IGNORECASE,
)
_NEXT = re.compile(r"\s*(?:,|\+|&|\band\b)\s*(?:the |its |an? )?", re.IGNORECASE)
_BEHIND = re.compile(r"\s+(?:for|of|about|on|please|thanks|thx|in|as)\b.*$", re.IGNORECASE)
_KEY = re.compile(r"[a-z][\w-]*(?: [\w-]+){0,2}", re.IGNORECASE)
# Words for what a subject is, whose value is its name.
_KINDS = frozenset(
    ["firm", "company", "business", "organisation", "organization", "ship", "boat", "vessel", "place", "person", "item", "thing", "entry", "who"]
)  # fmt: skip
_MAX_NAMES, _MAX_KEYS = 8, 6
# The logit up to which no fact about a subject answers for a key.
_NONE = 2.0


def records(request: Request, combiner: Combiner) -> Composed | None:
    names = combiner.judge.knowledge.subjects(request.text)
    if not 1 < len(names) <= _MAX_NAMES or not _RECORDS.search(request.text) or given_values(request.asked):
        return None
    keys = keys_of(request.text, names)
    if not keys:
        return None
    named = fields.spaced(keys[0]) in NAME | _KINDS or _is_unknown(keys[0], names, combiner)
    as_list = named or bool(AS_LIST.search(request.text))
    return same_of_each(request, combiner, names, keys[named:], keys[0] if named else None, as_list)


def keys_of(text: str, names: list[str]) -> tuple[str, ...]:
    """The keys that a message names behind "with", of which none has a name."""
    for found in _WITH.finditer(text):
        parts = [part.strip(" \"'“”‘’`") for part in _NEXT.split(_BEHIND.sub("", found["keys"]))]
        parts = [part for part in parts if part]
        apart = not any(name.lower() in part.lower() for part in parts for name in names)
        if 1 < len(parts) <= _MAX_KEYS and apart and all(map(_KEY.fullmatch, parts)):
            return tuple(part.replace(" ", "_") for part in parts)
    return ()


def _is_unknown(key: str, names: list[str], combiner: Combiner) -> bool:
    """Whether no fact about any of some subjects answers for a key."""
    about = {
        name: [fact for fact in combiner.judge.knowledge.about(name) if combiner.judge.usable(fact)]
        for name in names
    }
    read = (
        logit
        for name, facts in about.items()
        for logit, _ in combiner.reranker.read(
            f"{name} {fields.spaced(key)}",
            combiner.reranker.most_similar(key, facts, _MAX_KEYS),
            combiner.judge,
        )
    )
    return max(read, default=_NONE) < _NONE
