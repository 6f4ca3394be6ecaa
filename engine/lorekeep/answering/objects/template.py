"""Reads a template with objects nested in objects or arrays, even as invalid JSON: {"Zorbax": {"town": ?}, "Wixby": {"town": ?}}."""

import re
from collections.abc import Callable
from typing import Any

# A value to fill in, and (_NOTE) a placeholder with its meaning.
BLANK = re.compile(
    r"""(?:\?+|\.{2,}|…|_+|-+|null|none|0|string|str|number|int|integer|float|boolean|bool|text|date|any)?(?:\s*(?:or|\|)\s*null)?""",
    re.IGNORECASE,
)
_NOTE = re.compile(r"<\s*([^<>]+?)\s*>")
_KEY = re.compile(r"""\s*(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z][\w -]*?))\s*\??\s*:""")
_QUOTED = re.compile(r"[\"“]([\w -]{1,40})[\"”]")
_INNER_OBJECT = re.compile(
    r"[\"“](?P<key>[\w -]{1,40})[\"”],?\s(?:(?:which|that)\s)?(?:(?:is|as|being|should be)\s)?(?:itself\s)?(?:(?:an?|the)\s(?:nested\s|inner\s)?(?:JSON\s)?object,?\s)?"
    r"(?:with|containing|that contains|which contains|holding|having)\s(?:(?:the|its|two|three|four|keys?|fields?)\s)*(?P<keys>[\"“][\w -]+[\"”](?:\s\([^()]*\))?(?:(?:,\s?(?:and\s)?|\sand\s)[\"“][\w -]+[\"”](?:\s\([^()]*\))?)*)",
    re.IGNORECASE,
)
_MAX_DEPTH = 4
# The objects around an object, each with the key that leads inside.
Path = tuple[tuple[dict[str, Any], str], ...]


class Blank(str):
    """A value to fill in, with the note of the template on it."""


def nested(text: str) -> Any:
    """The first nested template of a text, or None."""
    for start in re.finditer(r"[{\[]", text):
        try:
            made, _ = _value(text, start.start(), 0)
        except (ValueError, IndexError):
            continue
        if _is_nested(made) and any(isinstance(leaf, Blank) for leaf in _leaves(made)):
            return made
    return None


def described(text: str) -> dict[str, Any] | None:
    """The nested template that a message describes: a field "grower", which is an object with "name" and "born"."""
    found = _INNER_OBJECT.search(text)
    if found is None:
        return None
    inner = dict.fromkeys(_QUOTED.findall(found["keys"]), Blank())
    outer = [key for key in _QUOTED.findall(text[: found.start()]) if key != found["key"]]
    behind = _QUOTED.findall(text[found.end() :])
    return dict.fromkeys([*outer, *behind], Blank()) | {found["key"]: inner}


def fill_template(
    template: Any, fill: Callable[[dict[str, Any], Path], dict[str, Any] | None], path: Path = ()
) -> Any:
    """The template with the values that `fill` returns for each of its objects, given the object and its path."""
    if isinstance(template, list):
        return [fill_template(one, fill, path) for one in template]
    if not isinstance(template, dict):
        return template
    own = {key: value for key, value in template.items() if not isinstance(value, dict | list)}
    values = (fill(own, path) if any(isinstance(value, Blank) for value in own.values()) else own) or {}
    return {
        key: fill_template(value, fill, (*path, (template, key)))
        if isinstance(value, dict | list)
        else values.get(key)
        for key, value in template.items()
    }


def _is_nested(value: Any) -> bool:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(isinstance(one, dict) for one in inside)


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict | list):
        return [
            leaf for one in (value.values() if isinstance(value, dict) else value) for leaf in _leaves(one)
        ]
    return [value]


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    """The value that starts at a position, and the position after it."""
    at = _skip(text, at)
    if depth > _MAX_DEPTH:
        raise ValueError("A template is at most four levels deep.")
    if text[at] == "{":
        return _object(text, at + 1, depth)
    if text[at] == "[":
        return _array(text, at + 1, depth)
    if text[at] in "\"'":
        end = text.index(text[at], at + 1)
        return _leaf(text[at + 1 : end]), end + 1
    end = at
    while text[end] not in ",;}]\n":
        end += 1
    return _leaf(text[at:end].strip()), end


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    made: dict[str, Any] = {}
    while text[at := _skip(text, at)] != "}":
        key = _KEY.match(text, at)
        if key is None:
            raise ValueError(f"No key at {at}.")
        name = next(one for one in key.groups() if one is not None)
        made[name], at = _value(text, key.end(), depth + 1)
    return made, at + 1


def _array(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    made: list[Any] = []
    while text[at := _skip(text, at)] != "]":
        value, at = _value(text, at, depth + 1)
        made.append(value)
    return made, at + 1


def _skip(text: str, at: int) -> int:
    while text[at] in " \t\r\n,;":
        at += 1
    return at


def _leaf(said: str) -> Any:
    if note := _NOTE.fullmatch(said):
        return Blank("" if BLANK.fullmatch(note[1]) else note[1])
    if BLANK.fullmatch(said.strip()):
        return Blank()
    return int(said) if re.fullmatch(r"-?\d{1,15}", said) else said
