"""Recognises requests for a list, and separates the topic of the list from the request: "bullet list of our restaurants pls"."""

import re
from dataclasses import dataclass
from typing import Literal

from lorekeep.answering.reading import standalone
from lorekeep.routing.instructions import MADE_UP
from lorekeep.routing.words import any_case

Style = Literal["plain", "bullets", "numbers", "lines"]


_POLITE = r"(?:please|pls|plz|kindly|thanks|thank you|can you|could you|would you|will you|i need|i want|i would like|i'd like)"
_KIND = r"(?:short |simple |complete |full |quick |bullet(?:ed)?(?:[ -]point)? |numbered )*(?:list|overview|bullets|bullet points)"
# Orders at the start: "Give me a numbered list of the steps", "Name all depots".
_ORDER = any_case(
    rf"^\W*(?:{_POLITE}[\s,]+)*(?:"
    rf"(?:(?:give|show|send|tell|write|make|get|create|print)(?: me| us)?[\s,]+)?(?:(?:as|in) )?(?:an? |the )?{_KIND}(?: of| with| for|:)\s*"
    r"|(?:list|enumerate|name|give me|show me|tell me|what are)\s+(?:the names of\s+)?(?=all\b|every\b|each\b|everything\b)"
    r"|(?:list|enumerate)(?: me| out| for me)?[\s:]+)"
)
# The style at the end, or in a sentence of its own: "as a list", "One per line.", "Make it a numbered list."
_STYLE = any_case(
    rf"[\s,;:.(–-]*\b(?:{_POLITE}[\s,]+)*(?:(?:make it|give it|show it|show them|put it|put them|format it|answer|reply)[\s,]+)?"
    rf"(?:(?:as|in|with|using)\s+)?(?:an? |the )?(?:{_KIND}|bullets|bullet points|one (?:per|on each) line|one on a line|each on (?:its|a) (?:own |new )?line|line by line)"
    rf"(?:[\s,]+{_POLITE})*\W*$"
)
_ALL_OF_THEM = any_case(
    rf"[.,;]\s*(?:{_POLITE}[\s,]+)*(?:give me (?:all|every one) of them|name (?:them|all)(?: all)?|list (?:them|each)(?: all)?(?: one)?(?: (?:with|by|and) .{{1,40}})?"
    rf"|(?:all|every one) of them)(?:[\s,]+{_POLITE})*\W*$"
)
# The last matching style applies.
_STYLES: tuple[tuple[Style, re.Pattern[str]], ...] = (
    ("lines", any_case(r"\b(?:per|each|a|by) line\b")),
    ("bullets", any_case(r"\bbullet")),
    ("numbers", any_case(r"\bnumbered\b")),
)
_POLITE_END = any_case(rf"[\s,.!?]*(?:\b{_POLITE}[\s,.!?]*)+$")
_MADE_UP = any_case(rf"\b(?:{MADE_UP}|ideas?|suggestions?|names for)\b")


@dataclass(frozen=True)
class Listing:
    rest: str  # the topic of the list
    style: Style
    ordered: bool  # whether a list is requested explicitly


def read(text: str) -> Listing | None:
    """A message parsed as a request for a list. None if it requests a text to be made up, or has no topic."""
    if _MADE_UP.search(text):
        return None
    style: Style = "plain"
    for name, pattern in _STYLES:
        style = name if pattern.search(text) else style
    rest = _ORDER.sub("", _POLITE_END.sub("", text.strip()))
    rest = _ALL_OF_THEM.sub("", _STYLE.sub("", rest))
    rest = _POLITE_END.sub("", rest).strip(" ,.;:?!")
    ordered = rest != _POLITE_END.sub("", text).strip(" ,.;:?!")
    return Listing(rest, style if ordered else "plain", ordered) if rest else None


def questions(rest: str) -> list[str]:
    """Questions for the topic of a list: "the hotels of the group", "what I must wear in the lab"."""
    if standalone.STARTS_WH.match(rest):
        return [f"{rest}?"]
    bare = re.sub(r"^(?:all |every |each )?(?:of )?(?:the |our |your |my )?", "", rest, flags=re.IGNORECASE)
    bare = re.sub(
        r"^(?:two|three|four|five|six|seven|eight|nine|ten|\d+) (?=[a-z])", "", bare, flags=re.IGNORECASE
    )
    if said := re.match(r"(?:everything|things|what)(?: that)? (.+)", bare, re.IGNORECASE):
        return [f"what {said[1]}?"]
    return [f"which {bare}?", f"what are the {bare}?", f"{rest}?"]


def formatted(items: list[str], style: Style) -> str:
    if style == "numbers":
        return "\n".join(f"{at}. {item}" for at, item in enumerate(items, 1))
    return "\n".join(f"- {item}" if style == "bullets" else item for item in items)
