"""Decides a message for all subjects of a kind by the rows of a table, and one about a subject that the facts link with a name."""

from lorekeep.answering.aggregate import compares_all, named_answers
from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.compose import Composed
from lorekeep.answering.decision import Decision, composed_decision
from lorekeep.answering.judge import Judge, join_answers
from lorekeep.answering.kinds.hops import linked_answer
from lorekeep.answering.kinds.lists import MAX_LENGTH, Lists, Rows
from lorekeep.answering.reading import listing

_LIKENESS = 0.8
# Ways in which a fact is found that only links a name with the subject of the question.
_LINKING_WAYS = ("name", "meaning", "reversed")


def rows_decision(text: str, lists: Lists, judge: Judge, sure: bool) -> Decision | None:
    """`sure`: only where the message asks for all of a kind in so many words."""
    if len(text) > MAX_LENGTH or is_closed(text) or compares_all(text):
        return None
    rows = lists.rows(text, judge, sure)
    if rows is None:
        return None
    reason = f"put together from {len(rows.facts)} facts (list)"
    return Decision(
        "ground", "list", reason, list(dict.fromkeys(rows.facts)), _LIKENESS, _text(text, rows, judge)
    )


def listed_or_linked(best: Decision, text: str, lists: Lists, judge: Judge) -> Decision:
    """A better decision where no fact answers, or only the one that links a name with the subject of the question."""
    if best.answers and (len(best.facts) != 1 or best.way not in _LINKING_WAYS):
        return best
    if not best.answers and (rows := rows_decision(text, lists, judge, sure=False)) is not None:
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


def _text(text: str, rows: Rows, judge: Judge) -> str:
    said = listing.read(text)
    style = said.style if said is not None else "plain"
    if not rows.has_values:
        return (
            join_answers(list(rows.names)) if style == "plain" else listing.formatted(list(rows.names), style)
        )
    items = named_answers(list(zip(rows.names, rows.facts, strict=True)), judge)
    return listing.formatted(items, "lines" if style == "plain" else style)
