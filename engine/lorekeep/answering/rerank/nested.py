"""Objects within an object, each about a subject of its own: by a template, or where a message wants the same of each of several."""

import json
from dataclasses import replace
from typing import Any

from lorekeep.answering.compose import Composed
from lorekeep.answering.objects import fields, template
from lorekeep.answering.objects.template import Blank
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.put_together import PutTogether, allows_null


def by_template(request: Request, put: PutTogether) -> Composed | None:
    """The template of a message with objects within it, at least half of it filled."""
    made = template.nested(request.text)
    if made is None:
        return None
    knowledge = put.judge.knowledge
    outside = knowledge.subjects(fields.rest_of(request.text, ()))
    facts: list[int] = []
    filled = blank = 0

    def fill(own: dict[str, Any], name: str) -> dict[str, Any]:
        nonlocal filled, blank
        given = [value for value in own.values() if isinstance(value, str) and not isinstance(value, Blank)]
        about = next((found for said in (name, *given) if (found := knowledge.subjects(said))), outside)
        keys = tuple(key for key, value in own.items() if isinstance(value, Blank))
        blank += len(keys)
        one = put.filled(_request(request, keys, own, about[0])) if len(about) == 1 else None
        values = json.loads(one.text) if one else {}
        facts.extend(one.facts if one else ())
        filled += sum(value is not None for value in values.values())
        return own | dict.fromkeys(keys) | values

    text = fields.object_of(template.filled(made, fill))
    if 2 * filled < blank or (filled < blank and not allows_null(request.text)):
        return None
    return Composed("json", tuple(dict.fromkeys(facts)), text, 0.9, request.asked)


def _request(request: Request, keys: tuple[str, ...], own: dict[str, Any], name: str) -> Request:
    said = ", ".join(f"{key} ({own[key]})" if own[key] else key for key in keys)
    return replace(request, asked=f"JSON with the keys {said} for {name}", keys=keys)
