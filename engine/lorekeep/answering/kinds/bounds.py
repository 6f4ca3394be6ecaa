"""Subjects with an amount within a bound that a message sets: "more than 25 beds", "a rent above 1,000", "planted before 1980"."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lorekeep.answering.amounts import Amount, amounts_at
from lorekeep.answering.compare import amount_of, is_year
from lorekeep.answering.judge import Judge
from lorekeep.answering.kinds.groups import Group
from lorekeep.answering.kinds.rows import Rows, of_rows, usable_rows
from lorekeep.answering.kinds.tables import Row, Table
from lorekeep.answering.rerank.reranker import Reranker
from lorekeep.answering.word_match import roots
from lorekeep.routing.words import any_case

_MORE = r"more than|over|above|exceeding|exceeds?|after|later than|(?:long|larg|great|bigg|high|heavi|deep|wid|new|young|fast|tall)er than"
_LESS = r"less than|fewer than|under|below|before|earlier than|(?:short|cheap|small|low|light|slow|clos|near)er than"
_FROM = r"at least|no (?:less|fewer) than|a minimum of|since"
_UP_TO = r"at most|no more than|up to|a maximum of"
_BOUND = any_case(
    rf"\b(?:(?P<from>{_FROM})|(?P<up_to>{_UP_TO})|(?P<more>{_MORE})|(?P<less>{_LESS})|older than)(?=\s[€$£]?\s?\d)"
)
_OR_MORE = any_case(
    r"(?<=\d)\s(?:[a-z]+\s)?(?:or|and)\s(?:(?P<from>more|above|over|later|longer|higher)|less|fewer|below|under|earlier)\b"
)
# Minimum mean logit of the rows that are read for a table, and their number; the minimum logit of a fact about a subject that a table
# lacks, and the maximum number of such subjects.
_MIN_LOGIT, _READ_ROWS, _MIN_FURTHER_LOGIT, _MAX_FURTHER = 3.0, 2, 0.5, 8


@dataclass(frozen=True)
class Bound:
    least: bool  # whether larger values are within it
    inclusive: bool
    amount: Amount
    words: frozenset[str]  # of the amount, with its unit
    start: int  # of its words and number in the message
    end: int

    def holds(self, told: Amount) -> bool:
        own, its = self.amount, told
        if own.unit and its.unit and own.unit != its.unit:
            return False
        return (its.value > own.value if self.least else its.value < own.value) or (
            self.inclusive and its.value == own.value
        )


def bound_in(text: str) -> Bound | None:
    """The bound of a message that has one and no other amount."""
    told = amounts_at(text)
    said = _BOUND.search(text) or _OR_MORE.search(text)
    if said is None or len(told) != 1:
        return None
    ((amount, place),) = told
    kinds = said.groupdict()
    start = text.index(amount.text, place.start)
    start, end = min(said.start(), start), max(said.end(), start + len(amount.text))
    if "more" not in kinds:
        return Bound(bool(kinds["from"]), True, amount, frozenset(roots(text[place])), start, end)
    older = not any(kinds.values())
    least = bool(kinds["more"] or kinds["from"]) or (older and not is_year(amount))
    return Bound(
        least, bool(kinds["from"] or kinds["up_to"]), amount, frozenset(roots(text[place])), start, end
    )


def rows_within(
    bound: Bound,
    group: Group,
    asks_for: frozenset[str],
    asked: Callable[[str], str],
    reranker: Reranker,
    judge: Judge,
) -> Rows | None:
    """The subjects of the table that a message asks for whose amounts are within the bound. `asks_for` are the words of the relation, and
    `asked` is the message about one subject."""
    measured = [
        (table, amounts)
        for table in group.tables
        if len(amounts := _amounts(table, judge)) > 1
        and all(is_year(one) == is_year(bound.amount) for one in amounts.values())
    ]
    named = [one for one in measured if asks_for and asks_for <= one[0].said]
    if not asks_for - bound.words:  # "more than 10 ha"
        named = [one for one in measured if bound.amount.unit in {told.unit for told in one[1].values()}]
    if len(named) != 1:
        scored = [
            (_mean_logit(table.rows[:_READ_ROWS], asked, reranker, judge), at)
            for at, (table, _) in enumerate(measured)
        ]
        named = [measured[at] for logit, at in [max(scored, default=(0.0, 0))] if logit >= _MIN_LOGIT]
    if not named:
        return None
    ((table, amounts),) = named
    rows = usable_rows(table, judge)
    for name in [name for name in group.names if name not in dict(rows)][:_MAX_FURTHER]:
        further = _further(bound, asked(name), name, reranker, judge)
        amounts |= further
        rows += [(name, fact) for fact in further]
    kept = [(name, fact) for name, fact in rows if bound.holds(amounts[fact])]
    return of_rows(kept, has_values=False) if kept else None


def _further(bound: Bound, asked: str, name: str, reranker: Reranker, judge: Judge) -> dict[int, Amount]:
    """The fact about a subject that the table lacks, with its amount, where it tells the same in words of its own."""
    own = {
        fact: amount
        for fact in judge.knowledge.about(name)
        if judge.usable(fact)
        and (amount := amount_of(judge, fact)) is not None
        and is_year(amount) == is_year(bound.amount)
    }
    near = reranker.most_similar(asked, list(own), _READ_ROWS)
    logit, fact = max(reranker.read(asked, near, judge), default=(-10.0, -1))
    return {fact: own[fact]} if logit >= _MIN_FURTHER_LOGIT else {}


def _amounts(table: Table, judge: Judge) -> dict[int, Amount]:
    """The amount of each row of a table; empty if a row has none."""
    rows = usable_rows(table, judge)
    found = {fact: amount for _, fact in rows if (amount := amount_of(judge, fact)) is not None}
    return found if len(found) == len(rows) else {}


def _mean_logit(rows: Sequence[Row], asked: Callable[[str], str], reranker: Reranker, judge: Judge) -> float:
    logits = [logit for name, fact in rows for logit, _ in reranker.read(asked(name), [fact], judge)]
    return sum(logits) / len(logits) if logits else -10.0
