"""Direction of a relation: whether a question's name is its subject or object. "Whom did it teach?" is the converse of "Who taught it?"."""

import re
from typing import NamedTuple

from lorekeep.routing.relation import actions

_AUX = r"(?:is|are|was|were|do|does|did|has|have|had|will|would|can|could|shall|should|may|might|must)"
_ACTION = r"(\w+(?:\s+(?:up|out|over|off|down)\b)?)"
# Patterns with the name ("it") as subject, and as object. The group is the action.
_AS_SUBJECT = re.compile(
    rf"\b(?:do|does|did|has|have|had|will|would|can|could)\s+it\s+(?!be\b|been\b|get\b|have\b){_ACTION}"
    rf"|\b{_ACTION}\s+by\s+it\b|(?<!under )(?<!by )(?<!in )(?<!at )(?<!to )(?<!with )(?<!of )\bwhose\s+(\w+)\s+{_AUX}\s+it\b|\b{_AUX}\s+it\s+the\s+(\w+)",
    re.IGNORECASE,
)
_AS_OBJECT = re.compile(
    rf"\b(?:who|what|which(?:\s+\w+)?)\s+(?:has\s+|have\s+|had\s+)?(?!{_AUX}\b){_ACTION}\s+it\b"
    rf"|\bby\s+(?:whom|which(?:\s+\w+)?)\s+{_AUX}\s+it\s+{_ACTION}|\b{_AUX}\s+it\s+{_ACTION}\s+by\b|\bthe\s+(\w+)\s+of\s+it\b|\bit's\s+(\w+)",
    re.IGNORECASE,
)
# Actions that are used for both directions, or that reverse the relation themselves.
_SYMMETRIC = re.compile(r"\b(?:marry|marries|married|wed|belong|belongs|belonged)\b", re.IGNORECASE)
# Measures have one direction: "the weight of it" and "How much does it weigh?" ask for the same.
_MEASURE = re.compile(
    r"(?:weigh|cost|pric|last|measur|length|height|size|capacit|hold|contain|open|start|end|clos)",
    re.IGNORECASE,
)
# Number of first letters that the forms of a word share: "publish" and "published".
_STEM = 4


class Side(NamedTuple):
    acts: bool
    action: str


def side(ask: str) -> Side | None:
    """The side of the name in a question, given with "it" in place of the name."""
    if _SYMMETRIC.search(ask):
        return None
    for acts, pattern in ((True, _AS_SUBJECT), (False, _AS_OBJECT)):
        if found := pattern.search(ask):
            action = next(group for group in found.groups() if group).lower()
            return None if _MEASURE.match(action) else Side(acts, action)
    return None


def same_side(ask: str, taught: str) -> bool:
    """Whether both questions have their name on the same side of the same relation. False if unknown."""
    return _sides_agree(ask, taught) is True


def sides_differ(ask: str, taught: str) -> bool:
    """Whether two questions ask for opposite ends of one relation."""
    return _sides_agree(ask, taught) is False


def _sides_agree(ask: str, taught: str) -> bool | None:
    """Whether the name is on the same side of the relation in both questions. None if they have no common action."""
    mine, its = side(ask), side(taught)
    if mine is None or its is None:
        return None
    one_action = mine.action[:_STEM] == its.action[:_STEM] or actions(mine.action) & actions(its.action)
    return mine.acts == its.acts if one_action else None
