"""People whom a question names by what they are to its subject: "Where does the founder of Zorbax live?" does not ask where Zorbax is."""

import re

from lorekeep.routing.words import any_case

_ROLE = (
    r"(?:co-?founder|founder|owner|inventor|author|designer|architect|director|manager|boss|ceo|chief executive|chair(?:man|woman|person)?|president"
    r"|captain|skipper|treasurer|secretary|mayor|curator|principal|coach|trainer|teacher|landlord|wife|husband|partner|mother|father|son|daughter"
    r"|brother|sister|successor|predecessor)"
)
# "The owner's manual" is no person.
_COMPOUND = r"(?:['’]s)?\s(?:manual|guide|handbook|club|portal|programme|training|office|meeting|account|area|room|entrance|s)\b"
# "Zorbax's founder", "the founder of Zorbax".
_HOLDER = any_case(
    rf"(?:['’]s|\bthe|\bits|\btheir|\byour|\bour)\s(?:current |first |former )?(?P<role>{_ROLE})\b(?!{_COMPOUND})"
)
_ASKS_WHO = any_case(r"^\W*(?:(?:and|so|but)\s)?(?:who|whom|whose)\b|\b(?:name|called|named)\b")


def roles_differ(asked: str, taught: str, answer: str) -> bool:
    """Whether a question is about somebody with a role, and a fact is about neither the role nor its holder."""
    found = _HOLDER.search(asked)
    if found is None or _ASKS_WHO.search(asked) or _ASKS_WHO.search(taught):
        return False
    stem = found["role"].lower()[:5]
    return not re.search(rf"\b(?:{re.escape(stem)}|{_ROLE}\b)", f"{taught} {answer}", re.IGNORECASE)
