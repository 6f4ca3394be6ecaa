"""Objects of all subjects of a kind, from tables of facts: "all boats as a JSON array, each with name and length"."""

from lorekeep.answering.compose import Composed
from lorekeep.answering.networks.cross_encoder import key_text
from lorekeep.answering.objects import fields
from lorekeep.answering.objects.key_words import spaced
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.combiner import NAME, Combiner
from lorekeep.answering.rerank.objects.filling import VALUE
from lorekeep.answering.rerank.objects.records import AS_LIST, KINDS, keys_of
from lorekeep.answering.tables import Table, Tables
from lorekeep.answering.word_match import roots
from lorekeep.routing.words import any_case

# The words behind "all" up to the next part of the message.
_ALL = any_case(
    r"\b(?:all|every|each)(?: of)?(?: the| our| your| my)? (?P<kind>(?:(?!(?:with|and|in|as|on|by|that|which|including|having|one)\b)[\w'’-]+ ?){1,3})"
)
_WITH = any_case(r"\bwith (?:the |its |their |his |her )?(?P<key>[a-z][\w-]*)\W*$")


def of_table(request: Request, combiner: Combiner, tables: Tables) -> Composed | None:
    """None unless a message asks for all subjects of a kind, and there is a table for each key but one, which has the name."""
    said, judge = _ALL.search(request.text), combiner.judge
    if said is None or judge.knowledge.subjects(request.text):
        return None
    kind, last = said["kind"].strip(), _WITH.search(request.text)
    keys = keys_of(request.text, []) or request.keys or ((last["key"],) if last else ())
    of_kind = tables.of_kind(kind, judge)
    of_name = [key for key in keys if _is_name(key, kind)][:1]
    found = {key: _table(key, of_kind, combiner) for key in keys if key not in of_name}
    facts = {
        key: {name: fact for name, fact in table.rows if judge.usable(fact)}
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
    if not of_name and AS_LIST.search(request.text):
        objects = [{"name": name} | one for name, one in zip(names, objects, strict=True)]
    made = objects if of_name or AS_LIST.search(request.text) else _by_name(names, objects)
    used = tuple(dict.fromkeys(fact for its in facts.values() for fact in its.values()))
    return Composed("json", used, fields.build_object(made), 0.9, request.asked)


def _value(fact: int | None, combiner: Combiner) -> str | None:
    """The answer of a fact; null where a subject has none."""
    return None if fact is None else combiner.filling.output(fact)


def _table(key: str, tables: list[Table], combiner: Combiner) -> Table | None:
    """The table that has the values of a key: the row of one of its subjects has the value for that subject."""
    scored = [
        (combiner.filling.logit(text, fact), -at, table)
        for at, table in enumerate(tables)
        for name, fact in table.rows[:1]
        for text in (key_text(name, spaced(key)), f"{spaced(key)} of {name}")
    ]
    best = max(scored, default=None, key=lambda one: one[:2])
    return best[2] if best is not None and best[0] >= VALUE else None


def _is_name(key: str, kind: str) -> bool:
    """Whether the value of a key is the name of a subject: "name", or "boat" for all boats."""
    return spaced(key) in NAME | KINDS or bool(roots(spaced(key)) & roots(kind))


def _by_name(names: list[str], objects: list[dict[str, str | None]]) -> dict[str, object]:
    single = len(objects[0]) == 1
    return {
        name: next(iter(one.values())) if single else one for name, one in zip(names, objects, strict=True)
    }
