"""A message that wants JSON of a schema: the question in it, and the subjects that it is about."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lorekeep.answering.conversation.follow_up import EARLIER, FollowUps, Turn
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.objects import json_request
from lorekeep.answering.reading import standalone
from lorekeep.answering.reading.main_subject import with_main_subject
from lorekeep.answering.reading.request import read, wants_json
from lorekeep.answering.reading.unknown_subject import names_unknown_subject
from lorekeep.routing.words import STOP, words

# Words of a message that asks for all that is known: "Give the data of the Halvorsen winch."
_FILLER_WORDS = frozenset(
    [
        "give",
        "get",
        "fetch",
        "show",
        "tell",
        "list",
        "provide",
        "return",
        "send",
        "extract",
        "describe",
        "summarise",
        "summarize",
        "need",
        "want",
        "like",
        "please",
        "data",
        "information",
        "info",
        "details",
        "detail",
        "facts",
        "fact",
        "record",
        "profile",
        "description",
        "summary",
        "overview",
        "everything",
        "anything",
        "all",
        "know",
        "known",
        "thing",
        "object",
        "json",
    ]
)
# "What can you tell me about the Halvorsen winch?"
_ABOUT = re.compile(
    r"\b(?:know|known|tell|information|info|data|details|facts)\b.*\babout\b|\babout\b.*\bknow\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"^\W*(?:please |now |and |but )?(?:return|respond|reply|answer|output|format|provide|write|give|use|make sure|ensure|always|only|don['’]t|do not|not|no|your (?:answer|reply|response))\b",
    re.IGNORECASE,
)
_OF_FORM = re.compile(r"json|\bschema\b|\bmarkdown\b|\bcode ?(?:block|fence)s?\b", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")


@dataclass(frozen=True)
class Message:
    text: str
    bare: str  # without a request for JSON
    asked: str  # the question in it
    names: Sequence[str]
    searches: bool  # whether facts are searched for fields: it brings no text, and names nothing unknown
    asks_for_all: bool  # whether it only says what it is about


def message_of(
    text: str, earlier: list[Turn], composes: bool, knowledge: Knowledge, follow_ups: FollowUps
) -> Message:
    bare = _without_orders_of_form(text, knowledge)
    bare = (wants_json(bare) and json_request.without_wish(bare)) or bare
    request = read(bare, [turn.text for turn in earlier if turn.role != "assistant"])
    searches = composes and request.bare and not names_unknown_subject(request.asked, knowledge)
    names = knowledge.subjects(request.asked)
    if not names and searches:
        names = follow_ups.names_before(request.asked, earlier[-EARLIER:])[:1]
    if not names and searches and with_main_subject(request.asked, knowledge):
        names = [knowledge.home]
    own = {word.plain for name in names for word in words(name)}
    says_more = {word.plain for word in words(request.asked)} - own - STOP - _FILLER_WORDS
    asks = says_more or (standalone.HAS_WH.search(request.asked) and not _ABOUT.search(request.asked))
    return Message(text, bare, request.asked, names, searches, searches and bool(names) and not asks)


def _without_orders_of_form(text: str, knowledge: Knowledge) -> str:
    """A message without the sentences that only ask for JSON."""
    parts = _SENTENCES.split(text)
    kept = [
        one
        for one in parts
        if "?" in one or not (_ORDER.match(one) and _OF_FORM.search(one)) or knowledge.about(one)
    ]
    said = " ".join(one for one in kept if one)
    return said if re.search(r"\w", said) else text
