"""The same keys for several subjects as objects: "a list of objects, each with firm and year, for Zorbax and Wixby". If no fact answers for
the first key, its value is the name of the subject."""

import re

from lorekeep.answering.compose import Composed
from lorekeep.answering.objects.json_keys import given_values
from lorekeep.answering.objects.key_words import spaced
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
_KEYS_PHRASE = re.compile(
    r"\b(?:with|having|holding|containing) (?:an? |the |only |just )?(?:keys?|fields?|properties|entries)?:? ?(?P<keys>[^.;:?!{}\n]+)",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s*(?:,|\+|&|\band\b)\s*(?:the |its |an? )?", re.IGNORECASE)
_AFTER_KEYS = re.compile(r"\s+(?:for|of|about|on|please|thanks|thx|in|as)\b.*$", re.IGNORECASE)
_KEY = re.compile(r"[a-z][\w-]*(?: [\w-]+){0,2}", re.IGNORECASE)
# Keys that name the kind of a subject; their value is the name of the subject.
KINDS = frozenset(
    ["firm", "company", "business", "organisation", "organization", "ship", "boat", "vessel", "place", "person", "item", "thing", "entry", "who"]
)  # fmt: skip
_MAX_NAMES, _MAX_KEYS = 8, 6
# Minimum logit of a fact about a subject that answers for a key.
_MIN_LOGIT = 2.0


def records(request: Request, combiner: Combiner) -> Composed | None:
    names = combiner.judge.knowledge.subjects(request.text)
    if not 1 < len(names) <= _MAX_NAMES or not _RECORDS.search(request.text) or given_values(request.asked):
        return None
    keys = keys_of(request.text, names)
    if not keys:
        return None
    named = spaced(keys[0]) in NAME | KINDS or _is_unknown(keys[0], names, combiner)
    as_list = named or bool(AS_LIST.search(request.text))
    return same_of_each(request, combiner, names, keys[named:], keys[0] if named else None, as_list)


def keys_of(text: str, names: list[str]) -> tuple[str, ...]:
    """The keys that a message lists after "with", if none contains a known name."""
    for found in _KEYS_PHRASE.finditer(text):
        parts = [part.strip(" \"'“”‘’`") for part in _SEPARATOR.split(_AFTER_KEYS.sub("", found["keys"]))]
        parts = [part for part in parts if part]
        apart = not any(name.lower() in part.lower() for part in parts for name in names)
        if 1 < len(parts) <= _MAX_KEYS and apart and all(map(_KEY.fullmatch, parts)):
            return tuple(part.replace(" ", "_") for part in parts)
    return ()


def _is_unknown(key: str, names: list[str], combiner: Combiner) -> bool:
    """Whether no fact about any of the subjects answers for a key."""
    about = {
        name: [fact for fact in combiner.judge.knowledge.about(name) if combiner.judge.usable(fact)]
        for name in names
    }
    read = (
        logit
        for name, facts in about.items()
        for logit, _ in combiner.reranker.read(
            f"{name} {spaced(key)}",
            combiner.reranker.most_similar(key, facts, _MAX_KEYS),
            combiner.judge,
        )
    )
    return max(read, default=_MIN_LOGIT) < _MIN_LOGIT
