"""Objects of all subjects of a kind, from tables of facts: "all boats as a JSON array, each with name and length"."""

from collections.abc import Sequence
from typing import Any

from lorekeep.answering.compose import Composed
from lorekeep.answering.kinds.lists import Lists
from lorekeep.answering.kinds.tables import Table
from lorekeep.answering.networks.cross_encoder import key_text
from lorekeep.answering.objects import fields
from lorekeep.answering.objects.json_request import without_wish
from lorekeep.answering.objects.key_words import spaced
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.combiner import NAME, Combiner
from lorekeep.answering.rerank.objects.filling import SURE_VALUE, VALUE
from lorekeep.answering.rerank.objects.records import AS_LIST, KINDS, keys_of
from lorekeep.answering.word_match import roots
from lorekeep.routing.words import any_case

# The words behind "all" up to the next part of the message.
_ALL = any_case(
    r"\b(?:all|every|each|per(?! (?:year|month|week|day|night|hour|person|cent)))(?: of)?(?: the| our| your| my)? (?P<kind>(?:(?!(?:with|and|in|as|on|by|that|which|including|having|one)\b)[\w'’-]+ ?){1,3})"
)
# "An array of the names of all captains"
_VALUES_ALONE = any_case(r"\b(?:array|list)\b|\bnames of\b")
# Maximum rows of a table that are read beside a key: one for each wording of its questions.
_READ_ROWS = 3
_WITH = any_case(r"\bwith (?:the |its |their |his |her )?(?P<key>[a-z][\w-]*)\W*$")


def of_table(request: Request, combiner: Combiner, lists: Lists) -> Composed | None:
    """None unless a message asks for all subjects of a kind, with a table for each key but one, which has the name, or without keys."""
    said, judge = _ALL.search(request.text), combiner.judge
    if judge.knowledge.subjects(request.text):
        return None
    last = _WITH.search(request.text)
    listed = keys_of(request.text, [])
    keys = listed or request.keys or ((last["key"],) if last else ())
    of_list = keys if AS_LIST.search(request.text) else ()
    kind = next((key for key in of_list if lists.groups.named(spaced(key))), "")
    kind = said["kind"].strip() if said else kind
    made = _of_keys(kind, keys, request, combiner, lists) if kind and keys else None
    return made or (None if len(listed) > 1 else _of_rows(request, combiner, lists))


def _of_keys(
    kind: str, keys: Sequence[str], request: Request, combiner: Combiner, lists: Lists
) -> Composed | None:
    tables, is_named = lists.tables_of(kind)
    of_name = [key for key in keys if _is_name(key, kind)][:1]
    found = {
        key: _table(key, tables, VALUE if is_named else SURE_VALUE, combiner)
        for key in keys
        if key not in of_name
    }
    facts = {
        key: {name: fact for name, fact in table.rows if combiner.judge.usable(fact)}
        for key, table in found.items()
        if table is not None
    }
    if not facts or len(facts) < len(found):
        return None
    names = list(dict.fromkeys(name for its in facts.values() for name in its))
    objects = [
        {key: name if key in of_name else _value(facts[key].get(name), combiner) for key in keys}
        for name in names
    ]
    as_list = bool(AS_LIST.search(request.text))
    if not of_name and as_list:
        objects = [{"name": name} | one for name, one in zip(names, objects, strict=True)]
    used = [fact for its in facts.values() for fact in its.values()]
    return _composed(objects if of_name or as_list else _by_name(names, objects), used, request)


def _of_rows(request: Request, combiner: Combiner, lists: Lists) -> Composed | None:
    """The names of the subjects as an array, or the value of each."""
    rows = lists.rows(without_wish(request.text), combiner.judge, sure=True)
    if rows is None:
        return None
    values = [combiner.filling.output(fact) for fact in rows.facts]
    if not rows.has_values:
        return _composed(list(rows.names), rows.facts, request)
    if _VALUES_ALONE.search(request.text):
        return _composed(list(dict.fromkeys(values)), rows.facts, request)
    return _composed(dict(zip(rows.names, values, strict=True)), rows.facts, request)


def _composed(made: dict[str, Any] | list[Any], facts: Sequence[int], request: Request) -> Composed:
    return Composed("json", tuple(dict.fromkeys(facts)), fields.build_object(made), 0.9, request.asked)


def _value(fact: int | None, combiner: Combiner) -> str | None:
    """The answer of a fact; null where a subject has none."""
    return None if fact is None else combiner.filling.output(fact)


def _table(key: str, tables: Sequence[Table], least: float, combiner: Combiner) -> Table | None:
    """The table that has the values of a key: its questions have the words of the key, or the row of one of its subjects has the value for
    that subject."""
    said = roots(spaced(key))
    exact = [table for table in tables if any(said <= its for _, its in table.wordings)]
    if said and len(exact) == 1:
        return exact[0]
    scored = [
        (combiner.filling.logit(text, fact), -at, table)
        for at, table in enumerate(tables)
        for name, fact in table.rows[: min(len(table.wordings), _READ_ROWS)]
        for text in (key_text(name, spaced(key)), f"{spaced(key)} of {name}")
    ]
    best = max(scored, default=None, key=lambda one: one[:2])
    return best[2] if best is not None and best[0] >= least else None


def _is_name(key: str, kind: str) -> bool:
    """Whether the value of a key is the name of a subject: "name", or "boat" for all boats."""
    return spaced(key) in NAME | KINDS or bool(roots(spaced(key)) & roots(kind))


def _by_name(names: list[str], objects: list[dict[str, str | None]]) -> dict[str, Any]:
    single = len(objects[0]) == 1
    return {
        name: next(iter(one.values())) if single else one for name, one in zip(names, objects, strict=True)
    }
