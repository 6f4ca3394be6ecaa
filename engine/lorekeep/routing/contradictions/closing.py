"""The end of opening hours: "Until when is the library open?" is not answered by the time at which it opens."""

import re

from lorekeep.routing.words import any_case

_ASKS_END = any_case(
    r"\b(?:until|till|up to) (?:when|what time|which (?:time|hour))\b|\bhow (?:late|long)\b(?=.{1,80}\bopen\b)|\bclosing times?\b"
)
_ASKS_START = any_case(
    r"\b(?:when|what time|how early)\b(?:.{0,40}\b(?:do|does|did|will)\b.{1,80}\b(?:open|start|begin)\b|.{1,80}\b(?:opens|starts|begins)\b)|\bopening time\b"
)
# The fact tells the end as well.
_TELLS_END = any_case(
    r"\b(?:to|until|till|through|clos\w+|shuts?|ends?|all day|always|round the clock|hours?)\b|[-–—]"
)
_MAX_LENGTH = 200

_OPEN_UNTIL = re.compile(
    r"^(?P<lead>.*?)\b(?:(?:until|till|up to) (?:when|what time)|how late) (?P<is>is|are) (?P<what>[^?,;]+?) open\b(?P<rest>[^?]*)",
    re.IGNORECASE,
)


def as_closing(asked: str) -> str | None:
    """The question with "close" for "open until"."""
    said = _OPEN_UNTIL.match(asked) if len(asked) <= _MAX_LENGTH else None
    if said is None:
        return None
    does = "does" if said["is"].lower() == "is" else "do"
    return f"{said['lead']}When {does} {said['what']} close{said['rest'].rstrip()}?"


def asks_for_end(asked: str, taught: str, answer: str) -> bool:
    """Whether a question wants the end of a time span of which a fact tells the start alone."""
    return bool(
        _ASKS_END.search(asked)
        and _ASKS_START.search(taught)
        and not _ASKS_END.search(taught)
        and not _TELLS_END.search(f"{taught} {answer}")
    )
