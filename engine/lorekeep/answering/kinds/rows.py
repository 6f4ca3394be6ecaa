"""Subjects of a kind, with the facts that tell about them."""

from dataclasses import dataclass

from lorekeep.answering.judge import Judge
from lorekeep.answering.kinds.tables import Row, Table


@dataclass(frozen=True)
class Rows:
    names: tuple[str, ...]
    facts: tuple[int, ...]  # of the values, or that tell the names
    has_values: bool  # whether the values of the facts are asked for, and not the names


def usable_rows(table: Table, judge: Judge) -> list[Row]:
    return [(name, fact) for name, fact in table.rows if judge.usable(fact)]


def of_rows(rows: list[Row], has_values: bool) -> Rows:
    return Rows(tuple(name for name, _ in rows), tuple(fact for _, fact in rows), has_values)
