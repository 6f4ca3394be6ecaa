"""Writes a JSON document of a schema from given values. A value that is not given is empty: null where the schema allows it, left out
where it is not required, else an empty text, array or object. The grammar of the schema accepts each part before it is written, so that
every document is valid."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from lorekeep.errors import EngineError
from lorekeep.infer.constrain import Grammars
from lorekeep.infer.schemas.shape import Alternative, Shape, shape_of

Path = tuple[str | int, ...]
# Maximum depth of a field, and maximum number of fields that may have a value.
_MAX_DEPTH, MAX_FIELDS = 4, 24
# Values of an enumeration that say that nothing is known.
_UNKNOWN = frozenset(
    ["unknown", "not known", "n/a", "not available", "not specified", "unspecified", "not stated"]
)


class Given(Protocol):
    """The values that are known."""

    def values(self, path: Path, one: Alternative) -> Sequence[str]:
        """The values for a field, most likely first, as JSON."""
        ...

    def has(self, path: Path) -> bool:
        """Whether a value or a part of it is given."""
        ...

    def count(self, path: Path) -> int:
        """The number of items of an array."""
        ...


@dataclass
class Document:
    text: str = ""
    filled: dict[Path, str] = field(default_factory=dict)  # the given values
    empty: list[Path] = field(default_factory=list)
    lacks: list[Path] = field(default_factory=list)  # required values that are not given and cannot be empty
    is_whole: bool = False


def leaves(shape: Shape) -> dict[Path, Shape]:
    """The values of a schema in order: named fields, also of nested objects, without those that have only one value. An array of objects
    is one of them. The path of a schema without named fields is empty."""
    found: dict[Path, Shape] = {}
    _walk(shape, (), found)
    return found


def _walk(shape: Shape, path: Path, found: dict[Path, Shape]) -> None:
    for one in shape.objects if len(path) <= _MAX_DEPTH else ():
        for key, inside in one.fields.items():
            _walk(inside, (*path, key), found)
    is_value = any(one.kind != "object" for one in shape.alternatives)
    if is_value and not shape.is_fixed and len(found) < MAX_FIELDS:
        found.setdefault(path, shape)


def document(schema: Any, given: Given, sentence: str) -> Document:
    """The document with the given values. `sentence` is the value of the only text of a schema, if it is not given."""
    writer = _Writer(schema, given, sentence)
    writer.made.is_whole = writer.wrote_all()
    writer.made.text = writer.text
    return writer.made


def refusal(schema: Any, sentence: str) -> str:
    """The document of a schema without any value, as short as possible; its only text is the sentence."""
    writer = _Writer(schema, _Nothing(), sentence, forced=True)
    return writer.text if writer.wrote_all() else writer.completed()


class _Nothing:
    def values(self, path: Path, one: Alternative) -> Sequence[str]:
        return ()

    def has(self, path: Path) -> bool:
        return False

    def count(self, path: Path) -> int:
        return 0


@dataclass(frozen=True)
class _Mark:
    """A place in a document to return to."""

    parts: int
    size: int
    filled: Mapping[Path, str]
    empty: int


class _Stuck(Exception):
    """A required value cannot be empty."""


@cache
def _grammars() -> Grammars:
    return Grammars.of_bytes()


class _Writer:
    def __init__(self, schema: Any, given: Given, sentence: str, forced: bool = False):
        """`forced`: what cannot be empty has the first allowed value."""
        self.grammar = _grammars().grammar(schema, sys.maxsize)
        self.matcher, self.given, self.sentence, self.forced = self.grammar.matcher, given, sentence, forced
        self.made, self.shape = Document(), shape_of(schema)
        self.parts: list[str] = []  # of the text
        self.size = 0  # of the text in bytes
        texts = [path for path, one in leaves(self.shape).items() if one.is_text]
        self.only_text = texts[0] if len(texts) == 1 else None

    def wrote_all(self) -> bool:
        try:
            if any(one.takes_any_object for one in self.shape.alternatives) and self._free():
                return True
            return self._value(self.shape, ()) or self._empty(self.shape, (), required=True)
        except _Stuck:
            return False

    def completed(self) -> str:
        """The text so far, continued in the shortest way."""
        self.grammar.place = self.grammar.place.after(self.text.encode())
        try:
            rest = self.grammar.shortest()
        except EngineError:
            return bytes(self.grammar.path).decode()
        return self.text + bytes(rest).decode()

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def _free(self) -> bool:
        """A document of a schema that allows any object."""
        some = [*self.given.values((), self.shape.alternatives[0])]
        some += [] if some else [_json({"answer": self.sentence})]
        return any(self._wrote_value(text, ()) for text in some)

    def _value(self, shape: Shape, path: Path) -> bool:
        """Writes a value that has something given in it."""
        if shape.is_fixed:
            return self._wrote(_json((shape.alternatives[0].choices or [None])[0]))
        if not self.given.has(path):
            return False
        for one in shape.alternatives:
            if any(self._wrote_value(text, path) for text in self.given.values(path, one)):
                return True
        best: tuple[int, Alternative] | None = None
        start = self._mark()
        for one in shape.alternatives:
            count = len(self.made.filled)
            if (
                self._composite(one, path)
                and (count := len(self.made.filled) - count)
                and (not best or count > best[0])
            ):
                best = count, one
            self._back_to(start)
        return best is not None and self._composite(best[1], path)

    def _composite(self, one: Alternative, path: Path) -> bool:
        if one.fields:
            return self._object(one, path)
        items, count = one.items, self.given.count(path)
        if items is None or not count or not self._wrote("["):
            return False
        # An array without some of its items would not be the one that was asked for.
        return all(
            (not at or self._wrote(",")) and self._value(items, (*path, at)) for at in range(count)
        ) and self._wrote("]")

    def _object(self, one: Alternative, path: Path) -> bool:
        if not self._wrote("{"):
            return False
        separator = ""
        for key, inside in one.fields.items():
            start, own = self._mark(), (*path, key)
            required = key in one.required
            if not (required or inside.nullable or inside.is_fixed or self.given.has(own)):
                self._note_empty(inside, own)
                continue
            if self._wrote(f"{separator}{_json(key)}:") and (
                self._value(inside, own) or self._empty(inside, own, required)
            ):
                separator = ","
                continue
            self._back_to(start)
            self._note_empty(inside, own)
            if required:
                if not inside.objects and not self.given.count(own) and own not in self.made.lacks:
                    self.made.lacks.append(own)
                return False
        return self._wrote("}")

    def _empty(self, shape: Shape, path: Path, required: bool) -> bool:
        """Writes a value with nothing given in it. One that is neither required nor null is left out."""
        start = self._mark()
        texts = ["null"] if shape.nullable else []
        for one in shape.alternatives if required else ():
            texts += self._empty_texts(one, path)
        if any(self._wrote_value(text, None) for text in texts):
            self._note_empty(shape, path)
            return True
        for one in shape.objects if required else ():
            if self._object(one, path):
                return True
            self._back_to(start)
        if required and self.forced and not shape.objects:
            raise _Stuck
        return False

    def _empty_texts(self, one: Alternative, path: Path) -> list[str]:
        if one.choices is not None:
            unknown = [value for value in one.choices if str(value).lower().replace("_", " ") in _UNKNOWN]
            return [_json(value) for value in (unknown or (one.choices[:1] if self.forced else []))]
        match one.kind:
            case "string":
                return [*([_json(self.sentence)] if path == self.only_text else []), '""']
            case "array":
                return [] if self.given.count(path) else ["[]"]
            case "object":
                return [] if one.fields else ["{}"]
            case "any":
                return ["null"]
            case "boolean":
                return ["false"] if self.forced else []
            case _:
                return _shortest_numbers(one) if self.forced else []

    def _note_empty(self, shape: Shape, path: Path) -> None:
        if not shape.is_fixed:
            self.made.empty.append(path)

    def _wrote_value(self, text: str, path: Path | None) -> bool:
        """Writes a whole value if the grammar accepts it and what follows: 201 begins a number of at least 2020."""
        start = self._mark()
        if not self._wrote(text):
            return False
        if self.matcher.is_accepting() or any(self.matcher.validate_tokens([mark]) for mark in b",}]"):
            if path is not None:
                self.made.filled[path] = text
            return True
        self._back_to(start)
        return False

    def _wrote(self, text: str) -> bool:
        tokens = list(text.encode(errors="surrogatepass"))
        if self.matcher.validate_tokens(tokens) < len(tokens) or not self.matcher.consume_tokens(tokens):
            return False
        self.parts.append(text)
        self.size += len(tokens)
        return True

    def _mark(self) -> _Mark:
        return _Mark(len(self.parts), self.size, dict(self.made.filled), len(self.made.empty))

    def _back_to(self, mark: _Mark) -> None:
        if self.size > mark.size:
            self.matcher.rollback(self.size - mark.size)
        self.size, self.made.filled = mark.size, dict(mark.filled)
        del self.parts[mark.parts :], self.made.empty[mark.empty :]


def _shortest_numbers(one: Alternative) -> list[str]:
    """Zero, or the number nearest to it within the bounds."""
    bounds = (one.schema.get(key) for key in ("minimum", "maximum"))
    beyond = (
        (one.schema.get(key), step) for key, step in (("exclusiveMinimum", 1), ("exclusiveMaximum", -1))
    )
    numbers = [0, *bounds, *(bound + step for bound, step in beyond if isinstance(bound, int | float))]
    return [_json(number) for number in numbers if isinstance(number, int | float)]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
