"""The values of a schema that an answer holds, as JSON. An answer that does not fit has none: nothing is cut off, rounded or replaced.
The grammar checks all further conditions, such as a length or a pattern."""

import json
import re
from collections.abc import Sequence
from typing import Any

from lorekeep.answering.objects.fields import listed_items
from lorekeep.answering.schemas.numbers import currency_of, number_of
from lorekeep.infer.schemas.shape import Alternative

_YES = re.compile(r"^\W*(?:yes|true|correct|right)\b", re.IGNORECASE)
_NO = re.compile(r"^\W*(?:no|false|not|never|wrong)\b", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[a-z0-9)]{2}[.!?])\s+(?=\S)|\n")
_SEPARATOR = re.compile(r"[,;]\s|\s(?:and|or|&)\s")
_EITHER = re.compile(r"\w or \w", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
# Maximum number of words of an item of a list.
_MAX_ITEM = 8


def values_of(answer: str, items: Sequence[str], one: Alternative, wanted: str) -> list[str]:
    """The values that an answer has for a field with the words `wanted`, most likely first. `items` are the answers of which it is made,
    where it is made of several."""
    if one.choices is not None:
        return _choice(answer, one.choices)
    match one.kind:
        case "string" | "any":
            return [_json(answer)]
        case "integer" | "number":
            return _number(answer, wanted, one.kind == "integer")
        case "boolean":
            return ["true"] if _YES.search(answer) else ["false"] if _NO.search(answer) else []
        case "array":
            return _array(answer, items, one, wanted)
        case _:
            return []


def items_of(answer: str) -> list[str]:
    """The items of an answer that is a list; otherwise the answer."""
    lines = [one for one in answer.split("\n") if one.strip()]
    if len(lines) > 1 and all(map(_BULLET.match, lines)):
        return [_BULLET.sub("", one).strip() for one in lines]
    if (
        _SENTENCES.search(answer.strip())
        or not _SEPARATOR.search(answer)
        or _YES.search(answer)
        or _NO.search(answer)
    ):
        return [answer]
    if re.search(r"\d,\d", answer):
        return [answer]
    items = listed_items(answer)
    return items if items and all(len(item.split()) <= _MAX_ITEM for item in items) else [answer]


def _array(answer: str, items: Sequence[str], one: Alternative, wanted: str) -> list[str]:
    """An array of all items of an answer, or of none: a part of a list is not what was taught."""
    inside = one.items
    if inside is None:
        return (
            [_array_of([_json(item) for item in items or items_of(answer)])]
            if one.schema.get("items") is None
            else []
        )
    for some in (items or items_of(answer), [answer]):
        made = [
            next(
                (value for other in inside.alternatives for value in values_of(item, (), other, wanted)), None
            )
            for item in some
        ]
        if all(made):
            return [_array_of([value for value in made if value])]
    return []


def _array_of(values: list[str]) -> str:
    return f"[{','.join(values)}]"


def _number(answer: str, wanted: str, whole: bool) -> list[str]:
    value = number_of(answer, wanted)
    if value is None or (whole and value != value.to_integral_value()):
        return []
    return [f"{int(value)}" if value == value.to_integral_value() else f"{value.normalize():f}"]


def _choice(answer: str, choices: list[Any]) -> list[str]:
    """The one allowed value that an answer names; of "grey" and "dark grey", the longer."""
    exact = [value for value in choices if str(value).lower() == answer.strip().rstrip(".").lower()]
    if exact:
        return [_json(exact[0])]
    if len(items_of(answer)) > 1 or _EITHER.search(answer):
        return []
    named: list[tuple[Any, str]] = [(value, said) for value in choices if (said := _named(answer, value))]
    whole = [
        (value, said)
        for value, said in named
        if not any(said != other and said in other for _, other in named)
    ]
    return [_json(whole[0][0])] if len(whole) == 1 else []


def _named(answer: str, value: Any) -> str | None:
    """The words of an allowed value, if an answer has them: "in_stock" is "in stock", true is "yes"."""
    if isinstance(value, bool):
        return str(value).lower() if (_YES if value else _NO).search(answer) else None
    if isinstance(value, int | float):
        number = number_of(answer, "")
        return str(value) if number is not None and float(number) == float(value) else None
    if not isinstance(value, str) or not re.search(r"\w", value):
        return None
    if value == currency_of(answer):
        return value
    said = re.sub(r"[_-]+", " ", value).strip().lower()
    words = r"[\s_-]+".join(map(re.escape, said.split()))
    return said if re.search(rf"(?<!\w){words}(?!\w)", answer, re.IGNORECASE) else None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
