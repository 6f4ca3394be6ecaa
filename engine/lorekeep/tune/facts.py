"""The facts of a job, read and checked: what is wrong is named by its rows, and nothing is trained before all is right.
One line of the file is one JSON object with `input` and `output`; what else it holds (row, dataset_id, topic) is kept for answers
that say where they come from."""

import json
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

# Of many mistakes of one kind, so many are told.
_TOLD = 20


@dataclass(frozen=True)
class Fact:
    input: str
    output: str
    row: int  # where the user finds it: the row that the line names, else its own number from 0
    dataset_id: str | None = None
    topic: str | None = None

    @cached_property
    def id(self) -> str:
        return sha256(json.dumps([self.input, self.output]).encode()).hexdigest()[:24]

    @cached_property
    def key(self) -> str:
        return key(self.input)


class FactsError(Exception):
    """The facts cannot be used as they are: one problem for every row or pair of rows, each a sentence."""

    def __init__(self, problems: list[dict]):
        self.problems = problems
        more = f" ({len(problems) - 3} more like these)" if len(problems) > 3 else ""
        super().__init__(" ".join(problem["message"] for problem in problems[:3]) + more)


def key(text: str) -> str:
    """What makes two questions the same: everything but how they are spaced and encoded."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def read(
    file: Path, at_most: int | None = None, dataset_id: str | None = None
) -> tuple[list[Fact], list[str]]:
    """The facts, each once, in their order; and what the user should know about them. `dataset_id` is that of those that name none."""
    facts, problems, warnings = [], [], []
    known: dict[str, Fact] = {}
    twice = []
    with open(file, encoding="utf-8", errors="strict") as lines:
        for number, line in enumerate(_decoded(lines, file)):
            if not line.strip():
                continue
            fact, problem = _fact(line, number, dataset_id)
            if problem:
                problems.append(problem)
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
        named = ", ".join(map(str, twice[:_TOLD])) + (" ..." if len(twice) > _TOLD else "")
        warnings.append(f"{len(twice)} rows repeat another row and count once: {named}.")
    return facts, warnings


def too_long(facts: list[Fact], count: Callable[[int], int], most: int) -> None:
    """Refuses facts whose question and answer have more than `most` tokens together."""
    problems = []
    for at, fact in enumerate(facts):
        size = count(at)
        if size > most:
            message = f"Row {fact.row} has {size} tokens with its answer; max_length is {most}. Shorten it or raise max_length."
            problems.append(_problem("too_long", [fact.row], message))
    if problems:
        raise FactsError(problems)


def _decoded(lines, file: Path):
    try:
        yield from lines
    except UnicodeDecodeError as error:
        message = f"{file.name} is not UTF-8 text (byte {error.start} of a block). Save it as UTF-8."
        raise FactsError([_problem("unreadable", [], message)]) from None


def _fact(line: str, number: int, of: str | None) -> tuple[Fact | None, dict | None]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None, _problem("unreadable", [number], f"Line {number} is not JSON.")
    if not isinstance(found, dict):
        return None, _problem("unreadable", [number], f"Line {number} is no JSON object.")
    row = found.get("row") if isinstance(found.get("row"), int) else number
    texts = {}
    for side, name in (("input", "question"), ("output", "answer")):
        value = found.get(side)
        if isinstance(value, bool | int | float):
            value = json.dumps(value)
        if not isinstance(value, str):
            return None, _problem("missing", [row], f"Row {row} has no {side}.")
        if not value.strip():
            return None, _problem("empty", [row], f"The {name} of row {row} is empty.")
        texts[side] = value.encode("utf-8", "replace").decode()  # half a surrogate pair has no tokens
    dataset, topic = (found.get(name) for name in ("dataset_id", "topic"))
    return (
        Fact(
            **texts,
            row=row,
            dataset_id=dataset if isinstance(dataset, str) else of,
            topic=topic if isinstance(topic, str) and topic.strip() else None,
        ),
        None,
    )


def _problem(kind: str, rows: list[int], message: str) -> dict:
    return {"kind": kind, "rows": rows, "message": message}
