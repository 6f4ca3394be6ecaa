"""Claims that deny something: "Is it true that she had no children?" is asked without the denial, and the verdict is turned round."""

import re
from dataclasses import replace

from lorekeep.answering.decision import Decision

_CLAIM = re.compile(
    r"^\W*is it (?:true|correct|right|so|a fact|the case) that (?P<led>.+?)\s*\?*$|^(?P<tagged>(?!\W*(?:is|are|was|were|do|does|did|can|has|have|will|would)\b).+?),?\s+(?:right|correct|true)\s*\?+$",
    re.IGNORECASE,
)
# Denials, and the claim without them: "does not work" works, "has no garden" has one.
_DENIALS = (
    (re.compile(r"\b(?:do|does|did)(?:n['’]?t| not) ", re.IGNORECASE), ""),
    (re.compile(r"\b(is|are|was|were|has|have|had|may|will|must|can|could)(?:n['’]t| not)\b", re.IGNORECASE), r"\1"),
    (re.compile(r"\bcannot\b", re.IGNORECASE), "can"),
    (re.compile(r"\b(has|have|had|is|are|was|were|with|need|needs|takes?|charges?|sells?|offers?) no (?!more\b|less\b|later\b|longer\b)", re.IGNORECASE), r"\1 "),
    (re.compile(r"\bnever ", re.IGNORECASE), ""),
)  # fmt: skip
_FURTHER = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|only|without|except|unless)\b|n['’]t\b", re.IGNORECASE
)
_SAYS = re.compile(r"^(yes|no)\b[\s,.:;-]*", re.IGNORECASE)


def affirmed(asked: str) -> str | None:
    """The claim of a message without its denial. None unless it denies one thing."""
    found = _CLAIM.match(asked)
    claim = (found["led"] or found["tagged"]) if found else ""
    for pattern, without in _DENIALS:
        said, count = pattern.subn(without, claim)
        if count:
            return None if count > 1 or _FURTHER.search(said) else f"Is it true that {said}?"
    return None


def turned(found: Decision, answer: str, alone: bool) -> Decision | None:
    """The decision about a claim whose denial was asked about: Yes for No. `alone` without what the fact says."""
    says = _SAYS.match(answer)
    if not found.answers or says is None:
        return None
    text, rest = ("No." if says[1].lower() == "yes" else "Yes."), answer[says.end() :]
    text = text if alone or not rest else f"{text} {rest[:1].upper()}{rest[1:]}"
    return replace(
        found, outcome="ground", way="yes or no", reason=f"the claim denies it ({found.reason})", text=text
    )
