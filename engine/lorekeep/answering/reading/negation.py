"""Statements without their denial."""

import re

from lorekeep.routing.words import any_case

# Denials, and a statement without them: "does not work" works, "has no garden" has one.
_DENIALS = (
    (any_case(r"\b(?:do|does|did)(?:n['’]?t| not) "), ""),
    (any_case(r"\bwo(?:n['’]t)\b"), "will"),
    (any_case(r"\bcan['’]t\b"), "can"),
    # What must not be may not be: "must" alone would be another claim.
    (any_case(r"\bmust(?:n['’]t| not)\b"), "may"),
    (any_case(r"\b(is|are|was|were|has|have|had|may|will|can|could|would|should)(?:n['’]t| not)\b"), r"\1"),
    (any_case(r"\bcannot\b"), "can"),
    (any_case(r"\b(has|have|had|is|are|was|were|with|need|needs|takes?|charges?|sells?|offers?) no (?!more\b|less\b|later\b|longer\b)"), r"\1 "),
    (any_case(r"\bnever "), ""),
)  # fmt: skip
_FURTHER = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|only|without|except|unless)\b|n['’]t\b", re.IGNORECASE
)


def without_negation(statement: str) -> str | None:
    """A statement without its denial. None unless it denies one thing."""
    for pattern, without in _DENIALS:
        said, count = pattern.subn(without, statement)
        if count:
            return None if count > 1 or _FURTHER.search(said) else said
    return None
