"""Decides a message for all subjects of a kind by the rows of a table, and one about a subject that the facts link with a name."""

from collections.abc import Sequence

from lorekeep.answering import aggregate
from lorekeep.answering.aggregate import compares_all, named_answers
from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.claims.yes_no import asks_yes_no
from lorekeep.answering.compose import Composed
from lorekeep.answering.decision import Decision, composed_decision
from lorekeep.answering.judge import Judge, join_answers
from lorekeep.answering.kinds.bounds import bound_in
from lorekeep.answering.kinds.hops import linked_answer
from lorekeep.answering.kinds.lists import MAX_LENGTH, Lists
from lorekeep.answering.kinds.rows import Rows
from lorekeep.answering.kinds.tables import Tables
from lorekeep.answering.objects.fields import listed_items
from lorekeep.answering.reading import listing
from lorekeep.answering.reading.request import Request
from lorekeep.answering.reading.unknown_subject import names_unknown_subject
from lorekeep.answering.rerank.decisions import RerankedDecisions
from lorekeep.answering.word_match import roots

_LIKENESS = 0.8
# Ways in which a fact is found that only links a name with the subject of the question.
_LINKING_WAYS = ("name", "meaning", "reversed")


def aggregate_decision(
    asked: str, request: Request, tables: Tables, lists: Lists, reranked: RerankedDecisions, judge: Judge
) -> Decision | None:
    """A list, a superlative or a ranking of the items of one fact, or of subjects of tables. `asked` is the message in taught words."""
    if request.form == "plain" and (within := _bounded_decision(asked, lists, judge)) is not None:
        return within
    plain = request.form == "plain" and not names_unknown_subject(asked, judge.knowledge)
    found = aggregate.answer(asked, plain, tables, judge)
    if found is not None and (surer := reranked.instead_of_list(found.facts, request, judge)) is not None:
        return surer
    alone = found is not None and len(found.facts) == 1 and len(listed_items(found.text)) == 1
    if (
        plain
        and (found is None or alone)
        and (rows := _rows_decision(asked, lists, judge, sure=True)) is not None
    ):
        return rows
    if alone and (more := reranked.listed(asked, judge)) is not None:
        return more
    return found and _list_decision(found.facts, found.text, found.likeness)


def _rows_decision(text: str, lists: Lists, judge: Judge, sure: bool) -> Decision | None:
    """`sure`: only where the message asks for all of a kind in so many words."""
    if len(text) > MAX_LENGTH or is_closed(text) or compares_all(text):
        return None
    return _of_rows(lists.rows(text, judge, sure), text, judge)


def _bounded_decision(text: str, lists: Lists, judge: Judge) -> Decision | None:
    """The subjects with an amount within the bound that a message sets."""
    bound = bound_in(text) if len(text) <= MAX_LENGTH else None
    if bound is None or asks_yes_no(text, wanted=False):
        return None
    if names_unknown_subject(text[: bound.start] + text[bound.end :], judge.knowledge):
        return None
    return _of_rows(lists.within(bound, text, judge), text, judge)


def _of_rows(rows: Rows | None, text: str, judge: Judge) -> Decision | None:
    return rows and _list_decision(tuple(dict.fromkeys(rows.facts)), _text(text, rows, judge), _LIKENESS)


def _list_decision(facts: Sequence[int], text: str, likeness: float) -> Decision:
    reason = f"put together from {len(facts)} fact{'s' if len(facts) > 1 else ''} (list)"
    return Decision("ground", "list", reason, list(facts), likeness, text)


def listed_or_linked(best: Decision, text: str, lists: Lists, judge: Judge) -> Decision:
    """A better decision where no fact answers, or only the one that links a name with the subject of the question, and the other subjects
    with the same value."""
    if (several := _all_with_value(best, text, lists, judge)) is not None:
        return several
    if best.answers and (len(best.facts) != 1 or best.way not in _LINKING_WAYS):
        return best
    if not best.answers and (rows := _rows_decision(text, lists, judge, sure=False)) is not None:
        return rows
    found = (
        None
        if len(text) > MAX_LENGTH or is_closed(text)
        else linked_answer(text, lists.groups, judge, lists.reranker)
    )
    if found is None or found.through is None or (best.answers and best.facts != [found.through]):
        return best
    answer, facts = judge.router.entries[found.fact].output, (found.through, found.fact)
    return composed_decision(Composed("hops", facts, answer, found.likeness, text), None, text, "")


def _all_with_value(best: Decision, asked: str, lists: Lists, judge: Judge) -> Decision | None:
    """All subjects with the value that a reversed question names, where one was found: "Which growers were born in Fennsby?" """
    if best.way != "reversed" or len(best.facts) != 1:
        return None
    (fact,) = best.facts
    said = roots(asked) & roots(judge.router.entries[fact].output)
    rows = [
        (name, other)
        for table in lists.groups.tables_of.get(fact, ())
        if (value := said - table.said)
        for name, other in table.rows
        if judge.usable(other) and value <= roots(judge.router.entries[other].output)
    ]
    if len(rows) < 2:
        return None
    made = Composed(
        "reversed",
        tuple(other for _, other in rows),
        join_answers([name for name, _ in rows]),
        best.likeness,
        asked,
    )
    return composed_decision(made, None, asked, "")


def _text(text: str, rows: Rows, judge: Judge) -> str:
    said = listing.read(text)
    style = said.style if said is not None else "plain"
    if not rows.has_values:
        return (
            join_answers(list(rows.names)) if style == "plain" else listing.formatted(list(rows.names), style)
        )
    items = named_answers(list(zip(rows.names, rows.facts, strict=True)), judge)
    return listing.formatted(items, "lines" if style == "plain" else style)
