"""Removes the negation of a statement."""

import re

from lorekeep.routing.words import any_case

# Negations and their affirmative replacements: "does not work" becomes "work", "has no garden" becomes "has garden".
_NEGATIONS = (
    (any_case(r"\b(?:do|does|did)(?:n['’]?t| not) "), ""),
    (any_case(r"\bwo(?:n['’]t)\b"), "will"),
    (any_case(r"\bcan['’]t\b"), "can"),
    # The opposite of "must not" is "may": "must" alone would be another claim.
    (any_case(r"\bmust(?:n['’]t| not)\b"), "may"),
    (any_case(r"\b(is|are|was|were|has|have|had|may|will|can|could|would|should)(?:n['’]t| not)\b"), r"\1"),
    (any_case(r"\bcannot\b"), "can"),
    (any_case(r"\b(has|have|had|is|are|was|were|with|need|needs|takes?|charges?|sells?|offers?) no (?!more\b|less\b|later\b|longer\b)"), r"\1 "),
    (any_case(r"\bnever "), ""),
)  # fmt: skip
_OTHER_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|only|without|except|unless)\b|n['’]t\b", re.IGNORECASE
)


def without_negation(statement: str) -> str | None:
    """A statement without its negation. None unless it has exactly one."""
    for pattern, without in _NEGATIONS:
        said, count = pattern.subn(without, statement)
        if count:
            return None if count > 1 or _OTHER_NEGATION.search(said) else said
    return None
