"""Claims with a negation: "Is it true that she had no children?" is decided without the negation, and the verdict is inverted."""

import re
from dataclasses import replace

from lorekeep.answering.claims import verdicts
from lorekeep.answering.decision import Decision
from lorekeep.answering.reading.negation import without_negation

_CLAIM = re.compile(
    r"^\W*is it (?:true|correct|right|so|a fact|the case) that (?P<led>.+?)\s*\?*$|^(?P<tagged>(?!\W*(?:is|are|was|were|do|does|did|can|has|have|will|would)\b).+?),?\s+(?:right|correct|true)\s*\?+$",
    re.IGNORECASE,
)
# A verdict before the answer of a fact: "No. 120 euros".
_VERDICT = re.compile(r"(yes|no)(?:[,.]\s*|$)", re.IGNORECASE)


def affirmative(asked: str) -> str | None:
    """The claim of a message without its negation. None unless it has exactly one."""
    found = _CLAIM.match(asked)
    claim = (found["led"] or found["tagged"]) if found else ""
    said = without_negation(claim)
    return said and f"Is it true that {said}?"


def negated(found: Decision, answer: str, alone: bool) -> Decision | None:
    """The decision on a negated claim, from that on the claim without negation: Yes for No. `alone` leaves out the answer of the fact."""
    says = (_VERDICT if found.text else verdicts.SAYS).match(answer)
    if not found.answers or says is None:
        return None
    text, rest = ("No." if says[1].lower() == "yes" else "Yes."), answer[says.end() :]
    text = text if alone or not rest else f"{text} {rest[:1].upper()}{rest[1:]}"
    return replace(
        found, outcome="ground", way="yes or no", reason=f"the claim denies it ({found.reason})", text=text
    )
