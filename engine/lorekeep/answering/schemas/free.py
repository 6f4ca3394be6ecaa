"""An object of any keys, as JSON mode asks for it: the message is answered as if it asked for JSON, or its plain answer is the object's."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from lorekeep.answering.decision import Decision, unknown
from lorekeep.answering.judge import Judge
from lorekeep.answering.objects.fields import build_object
from lorekeep.answering.objects.other_readings import as_object, keys_of
from lorekeep.answering.reading.request import wants_json
from lorekeep.answering.schemas.message import Message
from lorekeep.infer.schemas.document import MAX_FIELDS, Path, document
from lorekeep.infer.schemas.shape import Alternative


class _Whole:
    """A document that is given as a whole."""

    def __init__(self, text: str):
        self.text = text

    def values(self, path: Path, one: Alternative) -> Sequence[str]:
        return () if path else (self.text,)

    def has(self, path: Path) -> bool:
        return not path

    def count(self, path: Path) -> int:
        return 0


def free_object(schema: Any, message: Message, plain: Callable[[str], Decision], judge: Judge) -> Decision:
    if message.asks_for_all and (all_known := _all_about(message.names, judge)):
        return all_known
    text, knowledge = message.text, judge.knowledge
    said = plain(text if wants_json(text) else f"{text.rstrip()} Reply in JSON.")
    told = plain(message.bare)
    several = told.answers and told.way != "json" and len(told.facts) > len(said.facts)
    if said.way == "json" and said.text and not several and (draft := _written(schema, said.text)):
        return replace(said, draft=draft)
    if not told.answers or told.way == "json":
        return told if not told.answers else unknown(told, "no object has the answer")
    if several:
        made = as_object(told.way, told.facts, told.text or "", message.bare, knowledge).text
        told = replace(told, way="json", text=made)
    else:
        made = build_object({"answer": told.answer(knowledge)})
    draft = _written(schema, made)
    return replace(told, draft=draft) if draft else unknown(told, "the schema has no place for the answer")


def _all_about(names: Sequence[str], judge: Judge) -> Decision | None:
    """All facts about the only subject."""
    knowledge = judge.knowledge
    own = [
        fact
        for fact in knowledge.about(names[0])
        if judge.usable(fact) and knowledge.subject(fact) == names[0]
    ]
    if len(names) > 1 or not 1 < len(own) <= MAX_FIELDS:
        return None
    outputs = [knowledge.entries[fact].output for fact in own]
    made = build_object(dict(zip(keys_of(own, knowledge), outputs, strict=True)))
    return Decision("ground", "json", f"all {len(own)} facts about {names[0]}", own, 1.0, made, made)


def _written(schema: Any, text: str) -> str | None:
    """The text, if it is a document of the schema."""
    made = document(schema, _Whole(text), "")
    return made.text if made.is_whole and made.text == text else None
