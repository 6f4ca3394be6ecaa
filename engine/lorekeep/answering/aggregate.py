"""Answers questions about all subjects of a table or all items of a fact: lists ("Name all depots."), superlatives ("Which hall has the
most seats?"), rankings ("Sort them by price.") and comparisons of common nouns ("Who may borrow more, adults or children?")."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lorekeep.answering import compare
from lorekeep.answering.judge import Judge
from lorekeep.answering.kinds.tables import OF_LISTS, Tables, asks_for
from lorekeep.answering.objects import fields
from lorekeep.answering.reading import listing, standalone
from lorekeep.answering.reading.listing import Listing
from lorekeep.answering.reading.main_subject import with_main_subject
from lorekeep.answering.reading.taught_words import root
from lorekeep.answering.word_match import WordMatch, roots
from lorekeep.routing.words import words

_SUPERLATIVE = re.compile(r"(?:est|most|least)\b", re.IGNORECASE)
_RANKING = re.compile(r"^\W*(?:please |can you |could you )?(?:sort|rank|order|arrange|put)\b", re.IGNORECASE)
_PLURAL_QUESTION = re.compile(
    r"^\W*(?:who|what|which) (?:all )?(?:are|were) (?:all )?(?:the|our|your)\b", re.IGNORECASE
)
# Verbs of possession and offering, which need not match.
_POSSESSION_VERBS = roots("belong run operate have has offer sell hold make own use include contain provide")
# Exclusive maximum of rows that a question names, and the separators between the names.
_NAMED_ROWS_LIMIT = 6
_NAME_SEPARATOR = re.compile(r"\band\b|&|\+|,|\?\s+\w", re.IGNORECASE)
# Minimum items of an answer to be listed one by one; with fewer, its sentences are the items.
_MIN_LIST_ITEMS = 3
# Maximum characters of a list item, and of an answer in brackets after a name.
_MAX_SHORT_LENGTH = 40
# Likeness of an answer from a table, and minimum likeness of a fact whose items are listed.
_TABLE_LIKENESS, _MIN_FACT_LIKENESS = 0.8, 0.4


@dataclass(frozen=True)
class Aggregate:
    facts: tuple[int, ...]
    text: str
    likeness: float = _TABLE_LIKENESS


def answer(asked: str, plain: bool, tables: Tables, judge: Judge) -> Aggregate | None:
    """The answer to a request for a list, superlative, ranking or comparison. `plain`: the message requests no other form."""
    said = listing.read(asked)
    if said is not None and said.ordered:
        return list_answer(said, tables, judge) or _items_of_fact(said, judge)
    if not plain:
        return None
    found = plural(asked, tables, judge)
    if found is None and not compare.IS_ASKED.search(asked):
        return named_rows(asked, tables, judge)
    if found is None and (compares_all(asked) or len(judge.knowledge.subjects(asked)) < 2):
        found = compared(asked, tables, judge)
    return found


def _items_of_fact(said: Listing, judge: Judge) -> Aggregate | None:
    """The items of the fact that answers the question behind a list request."""
    asked = listing.questions(said.rest)
    asked += [one for text in asked if (one := with_main_subject(text, judge.knowledge))]
    step = judge.best_answer(asked) or WordMatch(judge).search(asked[0])
    if step is None or len(step.facts) != 1 or step.turned or step.likeness < _MIN_FACT_LIKENESS:
        return None
    return Aggregate(step.facts, styled_list(step.text, said), step.likeness)


def list_answer(asked: Listing, tables: Tables, judge: Judge) -> Aggregate | None:
    """The answer to a list request: the items of one fact, or the rows of a table."""
    if (fact := _of_one_fact(asked.rest, tables, judge)) is not None:
        return Aggregate((fact,), styled_list(judge.router.entries[fact].output, asked))
    table = tables.listed(asked.rest, judge)
    return table and _rows_answer(table.rows, asked, judge)


def styled_list(answer: str, asked: Listing) -> str:
    """An answer in the requested list style, if it has several items; otherwise unchanged."""
    items = fields.listed_items(answer)
    sentences = [one for one in standalone.SENTENCE.split(answer.strip()) if one]
    if len(items) < _MIN_LIST_ITEMS or max(map(len, items)) > _MAX_SHORT_LENGTH:
        items = sentences if len(sentences) > 1 else items
    return listing.formatted(items, asked.style) if asked.style != "plain" and len(items) > 1 else answer


def plural(question: str, tables: Tables, judge: Judge) -> Aggregate | None:
    """All rows of a table, for a plural question that names none of them: "Who are the heads of the branches?" """
    said = listing.read(question)
    if said is None or not _PLURAL_QUESTION.match(question) or judge.knowledge.subjects(question):
        return None
    table = tables.listed(said.rest, judge)
    return table and _rows_answer(table.rows, said, judge)


def named_rows(question: str, tables: Tables, judge: Judge) -> Aggregate | None:
    """The rows of a table that a question names: "pass marks for undergraduates and postgraduates?" """
    if not _NAME_SEPARATOR.search(question):
        return None
    for table in tables.about(question, judge):
        rows = _mentioned(question, [row for row in table.rows if judge.usable(row[1])])
        if 2 <= len(rows) < _NAMED_ROWS_LIMIT:
            rows.sort(key=lambda row: _position(question, row[0]))
            return Aggregate(tuple(fact for _, fact in rows), "\n".join(named_answers(rows, judge)))
    return None


def named_answers(rows: Sequence[tuple[str, int]], judge: Judge) -> list[str]:
    """The answers of rows, each with its subject unless it has the name itself."""
    return [
        answer
        if name.lower() in (answer := judge.router.entries[fact].output).lower()
        else f"{name}: {answer}"
        for name, fact in rows
    ]


def _rows_answer(rows: tuple[tuple[str, int], ...], asked: Listing, judge: Judge) -> Aggregate | None:
    usable = [(name, fact) for name, fact in rows if judge.usable(fact)]
    if len(usable) < 2:
        return None
    items = [_row_text(name, fact, judge) for name, fact in usable]
    text = listing.formatted(items, "lines" if asked.style == "plain" else asked.style)
    return Aggregate(tuple(fact for _, fact in usable), text)


def _row_text(name: str, fact: int, judge: Judge) -> str:
    return f"{name}: {judge.router.entries[fact].output}"


def _of_one_fact(asked: str, tables: Tables, judge: Judge) -> int | None:
    """The only fact that lists what is asked for, where a request omits at most a name of the fact's question: "all your depots"."""
    match = WordMatch(judge)
    said = asks_for(asked) - OF_LISTS - tables.home
    near = match.near({other for word in said for other in (word, *match.taught.alike(word))})
    found: dict[str, int] = {}
    for fact in near:
        entry = judge.router.entries[fact]
        names = {root(word) for word in judge.router.keys.names[fact]}
        own = asks_for(entry.input) - OF_LISTS - tables.home - _POSSESSION_VERBS
        if len(fields.listed_items(entry.output)) < 2 or not judge.usable(fact) or not own - names:
            continue
        all_said = all(match.holds(said, word) for word in own - names)
        if all_said and all(match.holds(own | _POSSESSION_VERBS, word) for word in said):
            found[entry.output] = fact
    return next(iter(found.values())) if len(found) == 1 else None


def compares_all(question: str) -> bool:
    """Whether a question asks for a superlative or a ranking."""
    found = compare.IS_ASKED.search(question)
    return found is not None and bool(_SUPERLATIVE.search(found[0]) or _RANKING.match(question))


def compared(question: str, tables: Tables, judge: Judge) -> Aggregate | None:
    """The first-ranked subject of a table, the whole ranking, or the comparison of two subjects."""
    found = tables.ranked(question, judge)
    if found is None:
        return None
    rows, sign = found
    rows = [(name, fact) for name, fact in rows if judge.usable(fact)]
    mentioned = _mentioned(question, rows)
    sorts = bool(_RANKING.match(question))
    if len(mentioned) > 1:
        rows = mentioned
    elif mentioned or len(rows) < 2 or not compares_all(question):
        return None
    facts = tuple(fact for _, fact in rows)
    if sorts:
        return Aggregate(facts, "\n".join(_row_text(name, fact, judge) for name, fact in rows))
    amounts = [amount for _, fact in rows if (amount := compare.amount_of(judge, fact)) is not None]
    if len(mentioned) == 2:
        said = sorted(range(2), key=lambda at: _position(question, rows[at][0]))
        names, told = [rows[at][0] for at in said], [amounts[at] for at in said]
        text = compare.comparison_answer(
            question, names, told, sign, judge.router.entries[rows[said[0]][1]].output
        )
        return Aggregate(facts, text) if text else None
    first = [row for row, amount in zip(rows, amounts, strict=True) if amount.value == amounts[0].value]
    return Aggregate(facts, " and ".join(_first_ranked_text(name, fact, judge) for name, fact in first))


def _first_ranked_text(name: str, fact: int, judge: Judge) -> str:
    answer = judge.router.entries[fact].output
    return (
        answer
        if name in answer
        else f"{name} ({answer.rstrip('.')})"
        if len(answer) < _MAX_SHORT_LENGTH
        else f"{name}: {answer}"
    )


def _mentioned(question: str, rows: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """The rows that share a word with the question which no other row has."""
    said = {root(word.plain) for word in words(question)}
    own = [{root(word.plain) for word in words(name)} for name, _ in rows]
    count = Counter(word for words_of in own for word in words_of)
    return [
        row
        for row, words_of in zip(rows, own, strict=True)
        if any(count[word] == 1 for word in words_of & said)
    ]


def _position(question: str, name: str) -> int:
    said = [root(word.plain) for word in words(question)]
    places = [said.index(root(word.plain)) for word in words(name) if root(word.plain) in said]
    return max(places, default=len(said))
