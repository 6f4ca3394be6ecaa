"""What a fact's answer looks like in a wanted shape: the beginning of a JSON text, up to the first value that the answer does not hold.
It is only a proposal: every token of it has to pass the grammar, and the model goes on where it ends."""

import json
import re
from typing import Any

# Of several texts in one object, the answer is most likely the one so called.
_LIKELY = ("answer", "value", "output", "result", "text", "response", "reply")
_NUMBER = re.compile(r"-?\d+(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?")
_YES = re.compile(r"^\W*(yes|true|correct|right)\b", re.IGNORECASE)
_NO = re.compile(r"^\W*(no|false|not|never|wrong)\b", re.IGNORECASE)
_UNKNOWN = object()


def drafted(text: str, schema: Any) -> str:
    value = _value(text, schema)
    return "" if value is _UNKNOWN else value


def _value(text: str, schema: Any):
    if not isinstance(schema, dict):
        return _UNKNOWN
    if isinstance(schema.get("enum"), list):
        return _choice(text, schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        return _object(text, schema.get("properties") or {})
    if kind == "array":
        inside = _value(text, schema.get("items"))
        return _UNKNOWN if inside is _UNKNOWN else f"[{inside}]"
    if kind == "string":
        return json.dumps(text, ensure_ascii=False)
    if kind == "boolean":
        return "true" if _YES.search(text) else "false" if _NO.search(text) else _UNKNOWN
    if kind in ("integer", "number") and (found := _NUMBER.search(text)):
        number = found[0].replace(",", "")
        return number.partition(".")[0] if kind == "integer" else number
    return _UNKNOWN


def _choice(text: str, values: list):
    """The longest of the values that the answer names."""
    named = [value for value in values if str(value).lower() in text.lower()]
    return (
        json.dumps(max(named, key=lambda value: len(str(value))), ensure_ascii=False) if named else _UNKNOWN
    )


def _object(text: str, properties: dict) -> str:
    texts = [
        key
        for key, inside in properties.items()
        if isinstance(inside, dict) and inside.get("type") == "string"
    ]
    mine = next((key for key in texts if key.lower() in _LIKELY), texts[0] if texts else None)
    said = "{"
    for i, (key, inside) in enumerate(properties.items()):
        value = _UNKNOWN if key in texts and key != mine else _value(text, inside)
        said += ("," if i else "") + json.dumps(key, ensure_ascii=False) + ":"
        if value is _UNKNOWN:
            return said
        said += value
    return said + "}"
