"""Decides how a message that wants JSON is answered: by marked spans, by a template, by the keys that it names, clause by clause, or as a
plain question whose answers become an object."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lorekeep.answering.compose import Composed
from lorekeep.answering.decision import Decision, composed_decision
from lorekeep.answering.kinds.lists import Lists
from lorekeep.answering.objects.described_keys import property_of
from lorekeep.answering.objects.fields import build_object
from lorekeep.answering.objects.json_keys import are_named
from lorekeep.answering.objects.key_words import spaced
from lorekeep.answering.objects.other_readings import (
    as_object,
    other_keys,
    plain_questions,
    values_of,
    wants_array,
)
from lorekeep.answering.reading.request import Request, wants_json
from lorekeep.answering.rerank.combiner import Combiner, allows_null
from lorekeep.answering.rerank.objects.clauses import object_by_clauses
from lorekeep.answering.rerank.objects.kind_keys import with_names
from lorekeep.answering.rerank.objects.marked import marked_object
from lorekeep.answering.rerank.objects.nested import by_template, of_each
from lorekeep.answering.rerank.objects.of_tables import of_table
from lorekeep.answering.rerank.objects.records import records

# Minimum logit of a fact that has the property that a message wants.
_MIN_LOGIT = -2.0
# A key as code and lists have it: "opens", "minAge", "min-age".
_KEY_WORD = re.compile(r"[a-z_][\w-]*")


def object_for(
    request: Request,
    asked: Sequence[str],
    combiner: Combiner,
    lists: Lists,
    with_keys: Callable[[str, tuple[str, ...]], Decision],
    plain: Callable[[str], Decision],
) -> Decision:
    """`asked` are the questions before the message. `with_keys` decides a reading with its keys, `plain` a plain question."""
    if (rows := of_table(request, combiner, lists)) is not None:
        return composed_decision(rows, None, request.asked, "")
    if (filled := by_template(request, combiner)) is not None:
        return composed_decision(filled, None, request.asked, "")
    marked = marked_object(request, asked, combiner)
    decision = marked and composed_decision(marked, None, request.asked, "")
    if not decision or not marked or not _is_whole(marked.text, _likely_keys(request)):
        best = _by_rules(request, asked[-1] if asked else "", combiner, with_keys, plain)
        decision = best if best.answers or not decision else decision
    return with_names(decision, request.text, lists, combiner.judge)


def _named_keys(request: Request) -> tuple[str, ...]:
    return request.keys if are_named(request.keys, request.text) else ()


def _likely_keys(request: Request) -> list[str]:
    """The keys that a message names, without words at the start of a sentence, which the rules may take for keys."""
    quoted = [key for key in request.keys if re.search(rf"[\"'“‘`]{re.escape(key)}[\"'”’`]", request.text)]
    return [key for key in _named_keys(request) if key in quoted or _KEY_WORD.fullmatch(key)]


def _is_whole(text: str, named: Sequence[str]) -> bool:
    """Whether all objects have a value for each key, and have as many keys as a message names."""
    found: set[str] = set()

    def whole(value: Any) -> bool:
        if isinstance(value, dict):
            found.update(value)
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return value is not None and all(whole(one) for one in inner)

    return whole(json.loads(text)) and len(found) >= len(named)


def _by_rules(
    request: Request,
    before: str,
    combiner: Combiner,
    with_keys: Callable[[str, tuple[str, ...]], Decision],
    plain: Callable[[str], Decision],
) -> Decision:
    """The decision by rules, where the marked spans of a message give no complete object."""
    named = bool(_named_keys(request))
    made = records(request, combiner) or of_each(request, combiner)
    if made is None and request.keys and allows_null(request.text):
        made = combiner.filled(request)
    if made is not None:
        return composed_decision(made, None, request.asked, "")
    best = with_keys(request.asked, request.keys)
    if len(request.keys) == 1 and best.answers and _lacks_property(best, request, combiner):
        best = Decision("base", "base", "no fact has what the message asks for", [], found=best.found)
    as_array = not named and wants_array(request.text)
    # "The prices of Zorbax and Wixby" has two subjects, even if fewer keys were recognized.
    names = combiner.judge.knowledge.subjects(request.text)
    of_fewer = not named and (len(best.facts) < len(names) or _mixes_name_and_keys(request.keys, names))
    if best.answers and (named or best.key_count > 1) and not as_array and not of_fewer:
        return best
    guesses = _other_readings(request, before, combiner, named, with_keys, plain)
    for guess in guesses:
        if not best.answers or len(guess.facts) + (as_array or of_fewer) > len(best.facts):
            best, as_array, of_fewer = guess, False, False
        if len(best.facts) > 1:
            break
    return best


def _mixes_name_and_keys(keys: tuple[str, ...], names: list[str]) -> bool:
    """Whether one of several keys is only a name, and another is not: "years_of_zorbax" and "wixby"."""
    known = {name.lower() for name in names}
    bare = [spaced(key).removeprefix("the ") in known for key in keys]
    return len(keys) == len(names) and any(bare) and not all(bare)


def _lacks_property(best: Decision, request: Request, combiner: Combiner) -> bool:
    """Whether the facts for a single key lack the property that the message names: "The colour of Zorbax with the key "it"." """
    names = combiner.judge.knowledge.subjects(request.asked)
    wanted = property_of(names[0], request.text) if len(names) == 1 else ""
    if not wanted or wanted in spaced(request.keys[0]).split():
        return False
    read = combiner.reranker.read(f"{wanted} of {names[0]}", best.facts, combiner.judge)
    return max((logit for logit, _ in read), default=_MIN_LOGIT) < _MIN_LOGIT


def _other_readings(
    request: Request,
    before: str,
    combiner: Combiner,
    named: bool,
    with_keys: Callable[[str, tuple[str, ...]], Decision],
    plain: Callable[[str], Decision],
) -> Iterator[Decision]:
    """Decisions by other readings, the most reliable first."""
    knowledge = combiner.judge.knowledge
    if not named and (made := object_by_clauses(request, combiner)) is not None:
        yield composed_decision(made, None, request.asked, "")
    for asked, keys in other_keys(request.text, before, knowledge):
        guess = with_keys(asked, keys)
        # A message without named keys and with a single inferred key is handled as a plain question.
        if guess.answers and (named or guess.key_count > 1):
            yield guess
    for asked in plain_questions(request.text, before, request.keys if named else ()):
        if wants_json(asked) or not (guess := plain(asked)).answers:
            continue
        if combiner.filling.tell_of_json(guess.facts):
            yield guess  # "What does the JSON export cost?"
        elif not named:
            made = as_object(guess.way, guess.facts, guess.text or "", request.text, knowledge)
            yield composed_decision(made, None, asked, "")
        elif len(values := values_of(guess.way, guess.facts, guess.text or "", knowledge)) == len(
            request.keys
        ):
            text = build_object(dict(zip(request.keys, values, strict=True)))
            yield composed_decision(
                Composed("json", tuple(guess.facts), text, guess.likeness, asked), None, asked, ""
            )
