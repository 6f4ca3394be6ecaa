"""Finds a person by a role that an answer states beside the name: "Who is the fleet manager?" where a fact says "Call the fleet
manager, Marek Novak." """

import re

from lorekeep.answering.judge import FactAnswer
from lorekeep.answering.word_match import WordMatch, roots

_THE = r"(?:the|your|our|my|this|their|its|a)"
_WORD = r"[a-z][\w'’-]*"
_ASKS_FOR_ROLE = re.compile(
    rf"^\W*(?:(?:and|so|hi|hello|please)\W+)*(?:(?:can|could) you (?:please )?tell me )?(?:who(?:['’]?s| is| was)?|(?:what(?:['’]?s| is) )?the name of|(?:what(?:['’]?s| is)))\s+{_THE}\s+(?P<role>{_WORD}(?: {_WORD}){{0,3}}?)"
    r"(?:['’]s (?:full )?name| called)?(?: (?:here|please|now|again))?\W*$",
    re.IGNORECASE,
)
_PERSON = r"(?:(?:Dr|Mr|Mrs|Ms|Prof|Professor|Captain|Sister|Chef)\.? )?[A-Z][\w'’-]+(?: (?:van |von |de |der |da |di )*[A-Z][\w'’-]+){1,3}"
_PERSON_WITH_ROLE = re.compile(
    rf"\b(?i:{_THE})\s+(?P<before>{_WORD}(?: {_WORD}){{0,3}}),? (?P<person>{_PERSON})(?=[,.;:)]|\s+(?:at|on|by|or|and|in|under|via)\b|$)"
    rf"|(?P<named>{_PERSON})(?:, (?i:{_THE})\s+(?P<behind>{_WORD}(?: {_WORD}){{0,3}})(?=[,.;:]|$)| \((?:(?i:{_THE})\s+)?(?P<noted>{_WORD}(?: {_WORD}){{0,3}})\))"
)
_ROLE_LIKENESS = 0.8


def role_of(question: str, match: WordMatch) -> FactAnswer | None:
    """The only person with the requested role; None if there are several."""
    asked = _ASKS_FOR_ROLE.match(question)
    wanted = roots(asked["role"]) if asked else set()
    found: dict[str, int] = {}
    facts = [match.taught.answers.get(word, ()) for word in wanted]
    for fact in sorted(set.intersection(*map(set, facts))) if facts else ():
        for person, role in _role_holders(match.entries[fact].output) if match.judge.usable(fact) else ():
            if wanted == roots(role):
                found.setdefault(person, fact)
    if len(found) != 1:
        return None
    ((person, fact),) = found.items()
    return FactAnswer((fact,), person, _ROLE_LIKENESS, turned=True)


def _role_holders(answer: str) -> list[tuple[str, str]]:
    """The persons in an answer, with their roles."""
    return [
        (one["person"] or one["named"], one["before"] or one["behind"] or one["noted"])
        for one in _PERSON_WITH_ROLE.finditer(answer)
    ]
