"""An object, or a list of objects, by the spans that the field tagger marks in a message that wants JSON: the keys, the description of each
key, and the items of each of which the same is wanted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lorekeep.answering.compose import Composed
from lorekeep.answering.conversation.follow_up import TOPIC
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.networks.cross_encoder import key_text
from lorekeep.answering.networks.field_tagger import BEHIND, Field, Marked, field_tagger
from lorekeep.answering.objects import fields
from lorekeep.answering.objects.json_keys import given_values
from lorekeep.answering.objects.key_words import spaced
from lorekeep.answering.objects.other_readings import wants_array
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.combiner import MEASURE, NAME, Combiner, allows_null, is_name
from lorekeep.answering.rerank.objects.filling import SURE_VALUE, Wanted
from lorekeep.answering.rerank.objects.records import AS_LIST
from lorekeep.answering.word_match import roots
from lorekeep.routing.words import STOP, words

_ARTICLE = re.compile(r"^(?:the|our|your|my) ", re.IGNORECASE)
# "What does the JSON export cost?" is marked on both sides of its JSON.
_OPEN_END = re.compile(r"\b(?:the|an?|of|for)$", re.IGNORECASE)
# Keys of several words: "fullValetCar".
_JOINED_WORDS = re.compile(r"[a-z][A-Z]|_|-")
# Maximum numbers of words of a description that become its key, of items of a list, of keys, of previous questions, and of words of a
# topic.
_MAX_KEY_WORDS, _MAX_ITEMS, _MAX_FIELDS, _MAX_ASKED, _MAX_TOPIC_WORDS = 5, 12, 12, 3, 3


def marked_object(request: Request, asked: Sequence[str], combiner: Combiner) -> Composed | None:
    """None where nothing is marked, or where a marked span has no fact. `asked` are the questions before the message."""
    tagger = field_tagger(combiner.judge.router.embed)
    if tagger is None:
        return None
    marked = tagger.marked(BEHIND.join(one[:TOPIC] for one in asked[-_MAX_ASKED:]), request.text)
    marked = _with_named_items(marked, combiner.judge.knowledge)
    if marked.items and not marked.fields:
        measure = marked.about or fields.without_keys(request.text, marked.items)
        marked = Marked((Field("", measure),) if measure else (), marked.items, "")
    marked = _with_measure(marked)
    has_names = _has_names(marked, combiner.judge.knowledge.subjects(request.text), request.text)
    return _MarkedObject(request, marked, combiner).made() if _is_sound(marked) and has_names else None


def _has_names(marked: Marked, names: list[str], text: str) -> bool:
    """Whether the marked spans contain each known name of a message, as far as the message has it."""
    of_fields = (text for field in marked.fields for text in (field.name, field.asks, field.given))
    said = _plain(" ".join([*of_fields, *marked.items, marked.about]))
    return all(_plain(name) & _plain(text) <= said for name in names)


def _plain(text: str) -> set[str]:
    return {word.plain for word in words(spaced(text))}


def _with_named_items(marked: Marked, knowledge: Knowledge) -> Marked:
    """Moves a subject that is marked as the only key to the items: "managers as JSON: zorbax, wixby"."""
    if not marked.items or len(marked.fields) != 1 or not knowledge.subjects(spaced(marked.fields[0].name)):
        return marked
    field = marked.fields[0]
    return Marked((Field("", field.asks),) if field.asks else (), (*marked.items, field.name), marked.about)


def _with_measure(marked: Marked) -> Marked:
    """Removes a measure of all keys from the keys: "an object listing child_seat, roof_box prices"."""
    *keys, last = marked.fields or (Field("", ""),)
    is_measure = len(keys) > 1 and not last.asks and MEASURE.fullmatch(last.name) and not marked.about
    return Marked(tuple(keys), marked.items, last.name) if is_measure else marked


def _is_sound(marked: Marked) -> bool:
    """Whether marks are plausible: "What does JSON stand for?" wants no object, no item is an article, and no key names one item."""
    items = {item.lower() for item in marked.items}
    of_items = [_plain(item) for item in items]
    asks_of_form = any(
        "json" in field.asks.lower() or _OPEN_END.search(field.asks) for field in marked.fields
    )
    of_one_item = any(item <= _plain(field.name) for field in marked.fields for item in of_items)
    few = 0 < len(marked.fields) <= _MAX_FIELDS and len(marked.items) <= _MAX_ITEMS
    return (
        few and not asks_of_form and not items & STOP and not of_one_item and len(items) == len(marked.items)
    )


@dataclass(frozen=True)
class _Values:
    by_key: dict[str, Any]
    facts: tuple[int, ...]


def _described(field: Field) -> str:
    return field.asks or spaced(field.name)


def _described_and_named(field: Field) -> str:
    return key_text(field.asks, spaced(field.name)) if field.asks and field.name else _described(field)


class _MarkedObject:
    def __init__(self, request: Request, marked: Marked, combiner: Combiner):
        self.request, self.marked, self.combiner = request, marked, combiner
        self.strict = allows_null(request.text)

    def made(self) -> Composed | None:
        return self._object_per_item() if self.marked.items else self._single_object()

    def _single_object(self) -> Composed | None:
        about = self._without_joins(self.marked.about or self._topic())
        values = self._values(self.marked.fields, self._subject(about), about)
        if values is None:
            return None
        if self.combiner.filling.tell_of_json(values.facts):
            return None
        told = values.by_key
        if fields.ARRAY.search(self.request.text) and len(told) == 1:
            told = {key: fields.listed_items(value) for key, value in told.items()}
        unnamed = not any(field.name for field in self.marked.fields)
        as_array = wants_array(self.request.text) and unnamed
        return self._composed(list(told.values()) if as_array else told, values.facts)

    def _topic(self) -> str:
        """A few words beside the keys, if facts have them: "courses {"fee": ""}"."""
        marked = self.marked.fields
        spans = [part for field in marked for part in (field.name, field.asks, field.given) if part]
        rest = fields.without_keys(self.request.text, tuple(spans))
        known = self.combiner.judge.taught_words.postings
        own = roots(rest)
        return rest if own and len(rest.split()) <= _MAX_TOPIC_WORDS and own <= known.keys() else ""

    @staticmethod
    def _without_joins(said: str) -> str:
        """The words that a program joins: "LindenHall"."""
        return spaced(said) if " " not in said and _JOINED_WORDS.search(said) else said

    def _object_per_item(self) -> Composed | None:
        """The same keys for each item, as a list or keyed by item."""
        of_name, measured = self._key_of_name()
        found = [self._item_values(item, measured) for item in self.marked.items]
        if not all(found):
            return None
        values = [one.by_key for one in found if one]
        items = [_ARTICLE.sub("", item) for item in self.marked.items]
        facts = tuple(dict.fromkeys(fact for one in found if one for fact in one.facts))
        named = of_name is not None or len(measured) > 1
        if named and AS_LIST.search(self.request.text):
            # A message that names its keys wants no additional key.
            key = of_name or ("" if any(field.name for field in self.marked.fields) else "name")
            objects = [({key: item} if key else {}) | one for item, one in zip(items, values, strict=True)]
            return self._composed(objects, facts)
        single = len(measured) == 1 and of_name is None
        of_each = [next(iter(one.values())) if single else one for one in values]
        if single and not measured[0].name and wants_array(self.request.text):
            return self._composed(of_each, facts)
        return self._composed(dict(zip(items, of_each, strict=True)), facts)

    def _key_of_name(self) -> tuple[str | None, Sequence[Field]]:
        """The first key, if its value is the item itself, and the other fields."""
        first, *rest = self.marked.fields
        if not rest or (first.name and first.asks):
            return None, self.marked.fields
        key = spaced(first.name or first.asks)
        sure = self.combiner.filling.surest(f"{self.marked.items[0]} {key}") >= SURE_VALUE
        is_name = key in NAME or not sure or self._item_values(self.marked.items[0], [first]) is None
        return (self._key(first), rest) if is_name else (None, self.marked.fields)

    def _item_values(self, item: str, wanted: Sequence[Field]) -> _Values | None:
        said = self._without_joins(item)
        return self._values(wanted, self._subject(item), f"{self.marked.about} {said}".strip(), whole=True)

    def _subject(self, said: str) -> str | None:
        """The known name that the words are equal to or a part of."""
        names = self.combiner.judge.knowledge.subjects(self.combiner.judge.taught_words.read(said))
        is_it = len(names) == 1 and bool(own := _plain(_ARTICLE.sub("", said))) and own <= _plain(names[0])
        return names[0] if is_it else None

    def _values(
        self, wanted: Sequence[Field], subject: str | None, about: str, whole: bool = False
    ) -> _Values | None:
        keys = [self._key(field) for field in wanted]
        if len(set(keys)) < len(keys):
            return None
        numbers = given_values(self.request.text)
        has: dict[str, Any] = {
            key: numbers.get(key, field.given) for key, field in zip(keys, wanted, strict=True) if field.given
        }
        about = about or " ".join(value for value in has.values() if isinstance(value, str))
        subject = subject or self._subject(about)
        if subject:
            own = [key for key in keys if key not in has and is_name(key, subject, self.request.text)]
            has |= dict.fromkeys(own, subject)
        said = {key: field for key, field in zip(keys, wanted, strict=True) if key not in has}
        if not said:
            return None
        values, parts = self._read(said, about, subject)
        if subject and not self.strict and len(values) < len(said):
            # In "Zorbax: seats, and the least age", the last key is not about Zorbax.
            rest = {key: field for key, field in said.items() if key not in values and field.asks}
            alone = self._read(rest, "", None)[0] if rest else {}
            values |= {key: fact for key, fact in alone.items() if fact not in values.values()}
        lacking = len(said) - len(values)
        # A key without a taught value is null where the subject is known.
        may_lack = subject and not whole and (self.strict or len(values) >= len(said) / 2)
        if (
            not values
            or (lacking and not may_lack)
            or self.combiner.reranker.lacks_name(about, list(values.values()))
        ):
            return None
        if not subject and not all(
            said[key].asks or self.combiner.has(fact, key) for key, fact in values.items()
        ):
            return None
        told = {key: self.combiner.filling.output(fact) for key, fact in values.items()} | has | parts
        return _Values({key: told.get(key) for key in keys}, tuple(dict.fromkeys(values.values())))

    def _read(
        self, wanted: dict[str, Field], about: str, subject: str | None
    ) -> tuple[dict[str, int], dict[str, str]]:
        """The fact of each key, by the reading of the key with the highest logit, and parts of answers."""
        filling = self.combiner.filling
        described, named = (
            self._texts({key: read(field) for key, field in wanted.items()}, about, subject)
            for read in (_described, _described_and_named)
        )
        texts = {
            key: text if text == named[key] else max(text, named[key], key=filling.surest)
            for key, text in described.items()
        }
        names = tuple(self.combiner.judge.knowledge.subjects(" ".join([about, *texts.values()])))
        alone = {key: _described(field) for key, field in wanted.items()}
        return filling.values(Wanted(texts, alone, about, names, subject, self.strict))

    def _texts(self, said: dict[str, str], about: str, subject: str | None) -> dict[str, str]:
        """The text that facts are scored against, by key: the description with the topic of the message or the last name before it."""
        texts: dict[str, str] = {}
        before: str | None = None
        for key, part in said.items():
            text = self.combiner.judge.taught_words.read(part)
            names = self.combiner.judge.knowledge.subjects(text)
            # "Who bakes for Zorbax, and where is his bakery?"
            name = subject or (None if about else before)
            if names:
                # "Manufacturers as JSON: zorbax, wixby"
                is_measure = about and not subject and not self.combiner.judge.knowledge.subjects(about)
                texts[key], before = key_text(about, text) if is_measure else text, names[-1]
            else:
                texts[key] = f"{name} {text}" if name else key_text(about, text) if about else text
        return texts

    def _key(self, field: Field) -> str:
        if field.name:
            return field.name
        names = " ".join(self.combiner.judge.knowledge.subjects(field.asks))
        plain = [word.plain for word in words(field.asks)]
        unsaid = STOP | {word.plain for word in words(names)}
        telling = [word for word in plain if word not in unsaid] or plain
        return "_".join(telling[:_MAX_KEY_WORDS]) or "value"

    def _composed(self, values: dict[str, Any] | list[Any], facts: tuple[int, ...]) -> Composed:
        return Composed("json", facts, fields.build_object(values), 0.9, self.request.asked)
