"""A JSON schema in one form, whatever keywords it uses: references are resolved, allOf is merged, and anyOf, oneOf and lists of types
become alternatives. It tells what values a schema may have; whether a value fits is decided by the grammar alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

# Maximum numbers of schemas that are merged and of alternatives of one value, and maximum length of a chain of references. They bound
# the work for schemas that refer to each other often.
_MAX_MERGED, _MAX_ALTERNATIVES, _MAX_CHAIN = 2000, 16, 16
_UNIONS = ("anyOf", "oneOf")
# Keywords by which a schema without a type has one.
_KIND_BY_KEYWORD = {
    "properties": "object",
    "patternProperties": "object",
    "additionalProperties": "object",
    "required": "object",
    "items": "array",
    "prefixItems": "array",
    "minItems": "array",
    "pattern": "string",
    "format": "string",
    "minLength": "string",
    "maxLength": "string",
    "minimum": "number",
    "maximum": "number",
    "multipleOf": "number",
}


@dataclass(frozen=True)
class Alternative:
    """One kind of value that a schema allows, other than null."""

    kind: str  # a type, or "any"
    schema: Mapping[str, Any]
    reader: "_Reader"

    @cached_property
    def choices(self) -> list[Any] | None:
        """The allowed values of an enumeration, other than null."""
        values = [self.schema["const"]] if "const" in self.schema else self.schema.get("enum")
        return [one for one in values if one is not None] if isinstance(values, list) else None

    @cached_property
    def fields(self) -> dict[str, "Shape"]:
        """The named properties of an object, in order."""
        properties = self.schema.get("properties")
        if self.kind != "object" or not isinstance(properties, dict):
            return {}
        return {key: self.reader.shape(inside) for key, inside in properties.items()}

    @cached_property
    def required(self) -> frozenset[str]:
        keys = self.schema.get("required")
        return (
            frozenset(key for key in keys if isinstance(key, str)) if isinstance(keys, list) else frozenset()
        )

    @cached_property
    def items(self) -> "Shape | None":
        inside = self.schema.get("items")
        return self.reader.shape(inside) if self.kind == "array" and isinstance(inside, dict) else None

    @property
    def takes_any_object(self) -> bool:
        return self.kind == "any" or (self.kind == "object" and not self.fields and not self.required)


@dataclass(frozen=True)
class Shape:
    alternatives: tuple[Alternative, ...]  # in the order of the schema
    nullable: bool
    title: str = ""
    description: str = ""

    @property
    def is_fixed(self) -> bool:
        """Whether it has only one value."""
        one = self.alternatives[0] if len(self.alternatives) == 1 else None
        return one is not None and one.choices is not None and len(one.choices) == 1 and not self.nullable

    @property
    def objects(self) -> list[Alternative]:
        return [one for one in self.alternatives if one.fields]

    @property
    def records(self) -> "Shape | None":
        """The objects of which it is an array."""
        inside = (one.items for one in self.alternatives)
        return next((one for one in inside if one is not None and one.objects), None)

    @property
    def is_text(self) -> bool:
        return any(one.kind == "string" and one.choices is None for one in self.alternatives)


def shape_of(schema: Any) -> Shape:
    return _Reader(schema).shape(schema)


@dataclass
class _Reader:
    root: Any
    left: int = _MAX_MERGED

    def shape(self, schema: Any) -> Shape:
        merged = self._merged(schema, 0)
        found: list[Alternative] = []
        nullable = False
        for one in self._branches(merged, 0):
            for kind in _kinds(one):
                if kind == "null" or one.get("enum") == [None]:
                    nullable = True
                elif len(found) < _MAX_ALTERNATIVES:
                    found.append(Alternative(kind, one, self))
            values = one.get("enum")
            nullable = nullable or (
                isinstance(values, list) and None in values and _allows(one.get("type"), "null")
            )
        told = (merged.get(key) for key in ("title", "description"))
        return Shape(tuple(found), nullable, *(one if isinstance(one, str) else "" for one in told))

    def _branches(self, schema: Mapping[str, Any], depth: int) -> Iterator[Mapping[str, Any]]:
        """The schema, or each alternative of its first union together with its other keywords."""
        union = next((key for key in _UNIONS if isinstance(schema.get(key), list) and schema[key]), None)
        if union is None or depth > _MAX_CHAIN:
            yield schema
            return
        keys = list(schema)
        at = keys.index(union)
        # Properties have the order in which the schema mentions them, as for the grammar.
        before, behind = ({key: schema[key] for key in some} for some in (keys[:at], keys[at + 1 :]))
        for one in schema[union][:_MAX_ALTERNATIVES]:
            both = _both(_both(before, self._merged(one, depth + 1)), behind)
            yield from self._branches(both, depth + 1)

    def _merged(self, schema: Any, depth: int) -> dict[str, Any]:
        """The schema with what it refers to, and with its parts that describe one value together."""
        self.left -= 1
        if not isinstance(schema, dict) or self.left < 0 or depth > _MAX_CHAIN:
            return {}
        made: dict[str, Any] = {}
        for key, value in schema.items():
            if key == "$ref":
                made = _both(made, self._merged(self._target(value), depth + 1))
            elif key == "allOf":
                for part in value if isinstance(value, list) else ():
                    made = _both(made, self._merged(part, depth + 1))
            else:
                made = _both(made, {key: value})
        own = ((key, schema[key]) for key in ("title", "description") if key in schema)
        return made | dict(own)

    def _target(self, reference: Any) -> Any:
        """The part of the schema that a reference names: "#/$defs/Firm"."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        found = self.root
        for part in reference[1:].split("/")[1:]:
            part = part.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and part.isdecimal() and int(part) < len(found):
                found = found[int(part)]
            elif isinstance(found, dict) and part in found:
                found = found[part]
            else:
                return None
        return found


def _both(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """A schema whose values satisfy both. Where they differ, the second counts."""
    made = {**one, **other}
    for key in ("properties", "$defs"):
        if isinstance(one.get(key), dict) and isinstance(other.get(key), dict):
            made[key] = {**one[key], **other[key]}
    if isinstance(one.get("required"), list) and isinstance(other.get("required"), list):
        made["required"] = [*one["required"], *other["required"]]
    if isinstance(one.get("enum"), list) and isinstance(other.get("enum"), list):
        made["enum"] = [value for value in one["enum"] if value in other["enum"]]
    if "type" in one and "type" in other:
        kinds = [kind for kind in _listed(one["type"]) if _allows(other["type"], kind)]
        made["type"] = kinds or other["type"]
    return made


def _listed(kind: Any) -> list[Any]:
    return kind if isinstance(kind, list) else [kind]


def _allows(kind: Any, one: str) -> bool:
    return kind is None or one in _listed(kind)


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    if "type" in schema:
        return [kind for kind in _listed(schema["type"]) if isinstance(kind, str)]
    if isinstance(schema.get("enum"), list) or "const" in schema:
        return ["any"] if schema.get("const", "") is not None else ["null"]
    return [next((kind for key, kind in _KIND_BY_KEYWORD.items() if key in schema), "any")]
