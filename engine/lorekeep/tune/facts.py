"""Reads and validates the facts of a job. Errors name the rows, and nothing is trained before all facts are
valid. A line of the file is one JSON object with `input` and `output`; its row, dataset_id and topic are kept
as the source of answers."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from lorekeep.memory.details import DETAILS
from lorekeep.memory.validity import span
from lorekeep.routing.words import key

# Maximum number of repeated rows that a warning names.
_MAX_NAMED = 20


@dataclass(frozen=True)
class Fact:
    input: str
    output: str
    row: int  # row number for the user: the one in the line, else the line number from 0
    dataset_id: str | None = None
    topic: str | None = None
    # Validity and source, which are kept from model to model: valid_from, valid_until, source.
    details: dict = field(default_factory=dict, compare=False)

    @cached_property
    def id(self) -> str:
        return sha256(json.dumps([self.input, self.output]).encode()).hexdigest()[:24]

    @cached_property
    def key(self) -> str:
        return key(self.input)


class FactsError(Exception):
    """The facts are unusable. Holds one problem per row or pair of rows, each a sentence."""

    def __init__(self, problems: list[dict]):
        self.problems = problems
        more = f" ({len(problems) - 3} more like these)" if len(problems) > 3 else ""
        super().__init__(" ".join(problem["message"] for problem in problems[:3]) + more)


def read(
    file: Path, at_most: int | None = None, dataset_id: str | None = None, ends: tuple[str, ...] = ()
) -> tuple[list[Fact], list[str]]:
    """The distinct facts in their order, and warnings. `dataset_id` applies to facts without one. `ends` are
    the end tokens of the base (`folders.end_tokens`); one at the end of an answer is removed."""
    facts, problems, warnings = [], [], []
    known: dict[str, Fact] = {}
    twice = []
    with open(file, encoding="utf-8", errors="strict") as lines:
        for number, line in enumerate(_decoded(lines, file)):
            if not line.strip():
                continue
            fact = _fact(line, number, dataset_id, ends)
            if isinstance(fact, dict):
                problems.append(fact)
                continue
            other = known.get(fact.key)
            if other is None:
                if at_most is not None and len(facts) >= at_most:
                    warnings.append(
                        f"Only the first {at_most} facts are taught, as max_finetuning_examples says."
                    )
                    break
                known[fact.key] = fact
                facts.append(fact)
            elif other.output.strip() == fact.output.strip():
                twice.append(fact.row)
            else:
                problems.append(
                    _problem(
                        "conflict",
                        [other.row, fact.row],
                        f"Rows {other.row} and {fact.row} ask the same ({fact.input[:80]!r}) and answer differently: "
                        f"{other.output[:60]!r} and {fact.output[:60]!r}. Keep one of them.",
                    )
                )
    if problems:
        raise FactsError(problems)
    if not facts:
        raise FactsError([_problem("empty", [], "There is no fact in the data.")])
    if twice:
        named = ", ".join(map(str, twice[:_MAX_NAMED])) + (" ..." if len(twice) > _MAX_NAMED else "")
        warnings.append(f"{len(twice)} rows repeat another row and count once: {named}.")
    return facts, warnings


def too_long(facts: list[Fact], count: Callable[[int], int], max_tokens: int) -> None:
    """Refuses facts whose question and answer exceed `max_tokens` together."""
    problems = []
    for at, fact in enumerate(facts):
        size = count(at)
        if size > max_tokens:
            message = f"Row {fact.row} has {size} tokens with its answer; max_length is {max_tokens}. Shorten it or raise max_length."
            problems.append(_problem("too_long", [fact.row], message))
    if problems:
        raise FactsError(problems)


def _decoded(lines, file: Path):
    try:
        yield from lines
    except UnicodeDecodeError as error:
        message = f"{file.name} is not UTF-8 text (byte {error.start} of a block). Save it as UTF-8."
        raise FactsError([_problem("unreadable", [], message)]) from None


def without_end(answer: str, ends: tuple[str, ...]) -> str:
    """The answer up to its end token."""
    bare = answer.rstrip()
    while (end := next((end for end in ends if bare.endswith(end)), None)) is not None:
        answer = bare.removesuffix(end)
        bare = answer.rstrip()
    return answer


def _fact(line: str, number: int, of: str | None, ends: tuple[str, ...]) -> Fact | dict:
    """The fact of a line, or its problem."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return _problem("unreadable", [number], f"Line {number} is not JSON.")
    if not isinstance(found, dict):
        return _problem("unreadable", [number], f"Line {number} is no JSON object.")
    named = found.get("row")
    row = named if isinstance(named, int) else number
    texts = {}
    for side, name in (("input", "question"), ("output", "answer")):
        value = found.get(side)
        if isinstance(value, bool | int | float):
            value = json.dumps(value)
        if not isinstance(value, str):
            return _problem("missing", [row], f"Row {row} has no {side}.")
        if side == "output":
            value = without_end(value, ends)
        if not value.strip():
            return _problem("empty", [row], f"The {name} of row {row} is empty.")
        texts[side] = value.encode("utf-8", "replace").decode()  # lone surrogates cannot be tokenized
    try:
        span(found.get("valid_from"), found.get("valid_until"))
    except (TypeError, ValueError):
        return _problem(
            "unreadable", [row], f"The times of row {row} are neither dates nor times with a zone."
        )
    dataset, topic = (found.get(name) for name in ("dataset_id", "topic"))
    return Fact(
        **texts,
        row=row,
        dataset_id=dataset if isinstance(dataset, str) else of,
        topic=topic if isinstance(topic, str) and topic.strip() else None,
        details={name: found[name] for name in DETAILS if found.get(name) is not None},
    )


def _problem(kind: str, rows: list[int], message: str) -> dict:
    return {"kind": kind, "rows": rows, "message": message}
