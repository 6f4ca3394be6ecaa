"""Fills an object by a JSON schema from facts of one subject."""

import json
from collections.abc import Callable
from typing import Any

from lorekeep.answering.decision import Decision
from lorekeep.answering.judge import FactAnswer, Judge
from lorekeep.answering.objects.fields import Path, subject_fields
from lorekeep.infer.json_draft import value_of

_DEPTH, _MAX_FIELDS = 4, 24
_SCALARS = ("string", "integer", "number", "boolean")


def fill_schema(
    schema: Any, name: str, judge: Judge, otherwise: str, read: Callable[[list[Path]], dict[Path, FactAnswer]]
) -> Decision | None:
    """An object with several fields, at least half of them from facts: those that `read` finds, and for the other fields those of the
    search. A text field without a fact gets `otherwise`."""
    found = paths(schema)
    steps: dict[Path, FactAnswer | None] = dict.fromkeys(found) | read(found)
    used = {fact for step in steps.values() if step is not None for fact in step.facts}
    missing = [path for path, step in steps.items() if step is None]
    searched = dict(zip(missing, subject_fields(name, missing, judge), strict=True))
    steps |= {path: step for path, step in searched.items() if step and not used.intersection(step.facts)}
    told = {path: step for path, step in steps.items() if step is not None}
    if 2 * len(told) < len(steps):
        return None
    answers = {path: step.text for path, step in told.items()}
    decision = Decision(
        "ground",
        "json",
        f"{len(told)} of {len(steps)} fields are filled from facts",
        list(dict.fromkeys(fact for step in told.values() for fact in step.facts)),
        min(1.0, *(step.likeness for step in told.values())),
    )
    decision.text = ", ".join(answers.values())
    decision.draft = drafted(schema, answers, otherwise)
    return decision


def paths(schema: Any) -> list[Path]:
    """The named fields of a schema in order, including nested objects; empty if there are too many."""
    found: list[Path] = []
    _walk(schema, (), found)
    return found if len(found) <= _MAX_FIELDS else []


def _walk(schema: Any, path: Path, found: list[Path]) -> None:
    if not isinstance(schema, dict) or len(path) > _DEPTH:
        return
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for key, inside in properties.items():
            _walk(inside, (*path, key), found)
    elif path and (schema.get("type") in (*_SCALARS, "array") or isinstance(schema.get("enum"), list)):
        found.append(path)


def drafted(schema: Any, answers: dict[Path, str], otherwise: str) -> str:
    """The JSON filled from facts, up to the first value that the model has to write. A text field without a fact gets
    `otherwise`."""
    said, _ = _draft(schema, (), answers, otherwise)
    return said


def _draft(schema: dict, path: Path, answers: dict[Path, str], otherwise: str) -> tuple[str, bool]:
    properties = schema.get("properties")
    if isinstance(properties, dict):
        said = "{"
        for i, (key, inside) in enumerate(properties.items()):
            said += ("," if i else "") + json.dumps(key, ensure_ascii=False) + ":"
            value, whole = _draft(
                inside if isinstance(inside, dict) else {}, (*path, key), answers, otherwise
            )
            said += value
            if not whole:
                return said, False
        return said + "}", True
    answer = answers.get(path)
    if answer is None:
        return (
            (json.dumps(otherwise, ensure_ascii=False), True)
            if schema.get("type") == "string"
            else ("", False)
        )
    value = value_of(answer, schema)
    return ("", False) if value is None else (value, True)
