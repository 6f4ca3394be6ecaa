"""Questions for an objection: "Is it a problem if I bring my dog?" has the opposite answer of "Is it allowed if I bring my dog?"."""

from lorekeep.routing.words import any_case

_LED = any_case(
    r"^(?P<before>.*?)\b(?:(?:is|was) (?:it|that|this|there)|(?:would|will|might|could) (?:it|that|this|there) be)\s"
    r"(?:(?:an?|any) (?:problem|issue)|against the (?:rules|law|policy))\b(?:\s(?:with|about) (?P<thing>[^?.!,;]+)\W*$)?(?P<behind>.*)$"
)
_ENDED = any_case(
    r"^(?P<before>.*?)\b(?:is|are|would|will|might|could)\s(?P<thing>(?!it\b|that\b|this\b|there\b)[^?.!,;]+?)\s(?:be )?"
    r"(?:an? (?:problem|issue)|against the (?:rules|law|policy))\s*\?\W*$"
)
_MINDS = any_case(
    r"^(?P<before>.*?)\b(?:do|would|will) (?:you|they|anyone|anybody|people) (?:mind|object)\b(?P<behind> if\b.*)$"
)
# The patterns take quadratic time.
_MAX_LENGTH = 400


def as_permission(question: str) -> str | None:
    """The question for a permission that is refused where there is an objection. None for other questions."""
    if len(question) > _MAX_LENGTH:
        return None
    if found := _MINDS.match(question):
        return f"{found['before']}Is it allowed{found['behind']}"
    found = _LED.match(question) or _ENDED.match(question)
    if found is None:
        return None
    what = f"Is {found['thing']} allowed?" if found["thing"] else f"Is it allowed{found['behind']}"
    return found["before"] + what
