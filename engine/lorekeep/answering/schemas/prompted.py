"""A JSON schema in the text of a prompt, by which programs ask for JSON without a field of the request: "Always respond with a JSON object
that's compatible with this schema: ..." """

import json
import re
from collections.abc import Iterator
from typing import Any

_ASKS = re.compile(r"json|\bschema\b", re.IGNORECASE)
# "The JSON schema:"
_LABEL = re.compile(r"[^\n.?!]*(?:json|\bschema\b)[^\n.?!]*:\s*(?:```\w*)?$", re.IGNORECASE)
# Maximum numbers of characters that are read and of objects that are tried.
_MAX_LENGTH, _MAX_TRIED = 50_000, 8


def schema_in(text: str) -> dict[str, Any] | None:
    """The schema that a text asks for."""
    found = next(_schemas(text), None)
    return found[0] if found and _ASKS.search(text[: found[1].start] + text[found[1].stop :]) else None


def without_schema(text: str) -> str:
    """A text without the schema in it, and without the words that introduce it."""
    found = next(_schemas(text), None)
    if found is None:
        return text
    before = text[: found[1].start].rstrip(" `\n")
    return f"{_LABEL.sub('', before)} {text[found[1].stop :].lstrip(' `')}".strip()


def _schemas(text: str) -> Iterator[tuple[dict[str, Any], slice]]:
    decoder, at = json.JSONDecoder(), 0
    if "properties" not in text or len(text) > _MAX_LENGTH:
        return
    for _ in range(_MAX_TRIED):
        if (at := text.find("{", at)) < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        if _is_schema(value):
            yield value, slice(at, end)
        at = end


def _is_schema(value: Any) -> bool:
    """Whether an object is a schema of an object with named properties."""
    if not isinstance(value, dict):
        return False
    properties = value.get("properties")
    if isinstance(properties, dict) and properties:
        return all(isinstance(one, dict) for one in properties.values())
    return isinstance(value.get("$defs"), dict) and isinstance(value.get("$ref"), str)
