"""Nested objects, each about its own subject: by a template, or where a message wants the same keys for each of several subjects."""

import json
import re
from dataclasses import replace
from typing import Any

from lorekeep.answering.compose import Composed
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.objects import fields, template
from lorekeep.answering.objects.json_keys import given_values
from lorekeep.answering.objects.key_words import spaced
from lorekeep.answering.objects.template import Blank, Path
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.combiner import EACH, Combiner, allows_null
from lorekeep.routing.words import words

_OBJECTS = re.compile(r"\b(?:array|list) (?:of|with|holding) (?:\w+ )?objects\b", re.IGNORECASE)
# Maximum number of subjects of a message.
_MAX_NAMES = 8


def by_template(request: Request, combiner: Combiner) -> Composed | None:
    """The nested template that a message has or describes, with at least half of its blanks filled."""
    made = template.nested(request.text) or template.described(request.text)
    if made is None:
        return None
    knowledge = combiner.judge.knowledge
    outside = knowledge.subjects(fields.without_keys(request.text, ()))
    facts: list[int] = []
    filled = blank = 0

    def fill(own: dict[str, Any], path: Path) -> dict[str, Any]:
        nonlocal filled, blank
        about, led = _led_to(path, outside, request, combiner)
        about = _given_subjects(own, knowledge) or about
        facts.extend(led)
        keys = tuple(key for key, value in own.items() if isinstance(value, Blank))
        blank += len(keys)
        one = combiner.filled(_request(request, keys, own, about[0])) if len(about) == 1 else None
        values = json.loads(one.text) if one else {}
        facts.extend(one.facts if one else ())
        filled += sum(value is not None for value in values.values())
        return own | dict.fromkeys(keys) | values

    text = fields.build_object(template.fill_template(made, fill))
    if 2 * filled < blank or (filled < blank and not allows_null(request.text)):
        return None
    return Composed("json", tuple(dict.fromkeys(facts)), text, 0.9, request.asked)


def _led_to(
    path: Path, outside: list[str], request: Request, combiner: Combiner
) -> tuple[list[str], tuple[int, ...]]:
    """The subjects of a nested object, and the facts that lead to them: its key, or the person whom a fact names for it, as the captain of
    the ship that the outer key names. A key that no fact has is the topic."""
    knowledge, about, facts = combiner.judge.knowledge, outside, ()
    for outer, key in path:
        about = _given_subjects(outer, knowledge) or about
        if named := knowledge.subjects(spaced(key)):
            about = named
        elif len(about) != 1:
            about = [spaced(key)]
        elif (made := combiner.filled(_request(request, (key,), {key: ""}, about[0]))) is not None:
            told = json.loads(made.text).get(key) or ""
            others = [name for name in knowledge.subjects_in_answer(told) if name != about[0]]
            if len(others) == 1:
                about, facts = others, (*facts, *made.facts)
    return about, facts


def _given_subjects(own: dict[str, Any], knowledge: Knowledge) -> list[str]:
    """The known names in the first value of a template that has some."""
    given = (value for value in own.values() if isinstance(value, str) and not isinstance(value, Blank))
    return next((found for said in given if (found := knowledge.subjects(said))), [])


def _request(request: Request, keys: tuple[str, ...], own: dict[str, Any], name: str) -> Request:
    said = ", ".join(f"{key} ({own[key]})" if own[key] else key for key in keys)
    return replace(request, asked=f"JSON with the keys {said} for {name}", keys=keys)


def of_each(request: Request, combiner: Combiner) -> Composed | None:
    """An object by name, where a message wants the same keys of each of several subjects."""
    if not EACH.search(request.asked) or given_values(request.asked):
        return None
    named = [key for key in request.keys if combiner.judge.knowledge.subjects(key) == [key]]
    names = combiner.judge.knowledge.subjects(f"{' '.join(named)} {combiner.rest(request)}")
    keys = tuple(key for key in request.keys if key not in named)
    own = {word.plain for name in names for word in words(name)}
    # "zorbax_price" belongs to only one of the subjects.
    if not keys or not 1 < len(names) <= _MAX_NAMES or any(own & set(spaced(key).split()) for key in keys):
        return None
    listed = bool(_OBJECTS.search(request.text))
    return same_of_each(request, combiner, names, keys, "name" if listed else None, listed)


def same_of_each(
    request: Request,
    combiner: Combiner,
    names: list[str],
    keys: tuple[str, ...],
    key_of_name: str | None,
    as_list: bool,
) -> Composed | None:
    """An object with the same keys for each of several subjects, all of them filled: in a list, or by name."""
    said = f"JSON with the keys {', '.join(keys)}"
    made = [combiner.filled(replace(request, asked=f"{said} for {name}", keys=keys)) for name in names]
    found = [one for one in made if one is not None]
    if len(found) < len(names):
        return None
    objects = [
        ({key_of_name: name} if key_of_name else {}) | json.loads(one.text)
        for name, one in zip(names, found, strict=True)
    ]
    text = fields.build_object(objects if as_list else dict(zip(names, objects, strict=True)))
    facts = tuple(dict.fromkeys(fact for one in found for fact in one.facts))
    return Composed("json", facts, text, min(one.likeness for one in found), request.asked)
