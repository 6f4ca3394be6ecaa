"""Drafts a fact's answer as JSON of the requested schema, up to the first value that the answer does not
contain. The draft is a proposal: the grammar checks each of its tokens, and the model continues where it
ends."""

import json
import re
from typing import Any

# Property names that most likely hold the answer, where an object has several strings.
_ANSWER_KEYS = ("answer", "value", "output", "result", "text", "response", "reply")
_NUMBER = re.compile(r"-?\d+(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?")
_YES = re.compile(r"^\W*(yes|true|correct|right)\b", re.IGNORECASE)
_NO = re.compile(r"^\W*(no|false|not|never|wrong)\b", re.IGNORECASE)


def fill_draft(text: str, schema: Any) -> str:
    value = _value(text, schema)
    return value or ""


def value_of(text: str, schema: Any) -> str | None:
    """The answer as one JSON value of the schema, or None where it does not hold one."""
    return _value(text, schema)


def _value(text: str, schema: Any) -> str | None:
    """None if the text contains no such value."""
    if not isinstance(schema, dict):
        return None
    if isinstance(schema.get("enum"), list):
        return _choice(text, schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        return _object(text, schema.get("properties") or {})
    if kind == "array":
        inside = _value(text, schema.get("items"))
        return None if inside is None else f"[{inside}]"
    if kind == "string":
        return json.dumps(text, ensure_ascii=False)
    if kind == "boolean":
        return "true" if _YES.search(text) else "false" if _NO.search(text) else None
    if kind in ("integer", "number") and (found := _NUMBER.search(text)):
        number = found[0].replace(",", "")
        return number.partition(".")[0] if kind == "integer" else number
    return None


def _choice(text: str, values: list) -> str | None:
    """The longest of the allowed values that the answer mentions."""
    named = [value for value in values if str(value).lower() in text.lower()]
    return json.dumps(max(named, key=lambda value: len(str(value))), ensure_ascii=False) if named else None


def _object(text: str, properties: dict) -> str:
    texts = [
        key
        for key, inside in properties.items()
        if isinstance(inside, dict) and inside.get("type") == "string"
    ]
    mine = next((key for key in texts if key.lower() in _ANSWER_KEYS), texts[0] if texts else None)
    said = "{"
    for i, (key, inside) in enumerate(properties.items()):
        value = None if key in texts and key != mine else _value(text, inside)
        said += ("," if i else "") + json.dumps(key, ensure_ascii=False) + ":"
        if value is None:
            return said
        said += value
    return said + "}"
