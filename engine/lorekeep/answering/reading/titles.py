"""Expands an office with a partial name to the full name of the person: "Governor Quist" is Ada Quist, who is the governor of a town
according to another fact."""

import re

from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.word_match import roots

_TITLED = re.compile(r"\b(?:the )?([A-Z][a-z]+) ([A-Z][\w-]+)")
# Maximum facts scanned per name.
_MAX_FACTS = 24


def with_full_name(asked: str, knowledge: Knowledge) -> str | None:
    """The question with the full name; None if it has no such name."""
    for said in _TITLED.finditer(asked):
        title, part = roots(said[1]), said[2].lower()
        facts = sorted(knowledge.router.named.postings.get(part, ()))[:_MAX_FACTS]
        names = dict.fromkeys(knowledge.subject(fact) for fact in facts)
        whole = [name for name in names if name.lower().endswith(f" {part}") and said[1] not in name]
        offices = {name: _offices(name, knowledge) for name in whole}
        holders = [name for name in whole if title and title <= offices[name]]
        if len(holders) == 1:
            return asked[: said.start()] + holders[0] + asked[said.end() :]
    return None


def without_title(name: str, knowledge: Knowledge) -> str:
    """A name without the office before it, if a fact gives the person that office: "Ada Quist" of "Governor Ada Quist"."""
    title, _, rest = name.partition(" ")
    holds = " " in rest and roots(title) and roots(title) <= _offices(rest, knowledge)
    return rest if holds else name


def _offices(name: str, knowledge: Knowledge) -> set[str]:
    """The words of the questions that a name answers."""
    asks = [knowledge.entries[fact].input for fact in knowledge.answering.get(name, ())[:_MAX_FACTS]]
    return roots(" ".join(asks))
