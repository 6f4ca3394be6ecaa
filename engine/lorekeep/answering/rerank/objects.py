"""Decides how a message that wants JSON is answered: by a template, by the keys that it names, clause by clause, or as a plain question
whose answers become an object."""

from collections.abc import Callable, Iterator

from lorekeep.answering.compose import Composed
from lorekeep.answering.decision import Decision, composed
from lorekeep.answering.objects.fields import object_of
from lorekeep.answering.objects.json_keys import are_named
from lorekeep.answering.objects.other_readings import (
    as_object,
    other_keys,
    plain_questions,
    values_of,
    wants_array,
)
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.by_clause import by_clause
from lorekeep.answering.rerank.nested import by_template
from lorekeep.answering.rerank.put_together import PutTogether, allows_null


def decide(
    request: Request,
    before: str,
    put: PutTogether,
    with_keys: Callable[[str, tuple[str, ...]], Decision],
    plain: Callable[[str], Decision],
) -> Decision:
    """`before` is the question before the message. `with_keys` decides by a reading of it and its keys, `plain` a plain question."""
    named = are_named(request.keys, request.text)
    made = by_template(request, put)
    if made is None and named and allows_null(request.text):
        made = put.filled(request)
    if made is not None:
        return composed(made, None, request.asked, "")
    best = with_keys(request.asked, request.keys)
    as_array = not named and wants_array(request.text)
    if best.answers and (named or best.has_keys > 1) and not as_array:
        return best
    guesses = _otherwise(request, before, put, named, with_keys, plain)
    for guess in guesses:
        if not best.answers or len(guess.facts) + as_array > len(best.facts):
            best, as_array = guess, False
        if len(best.facts) > 1:
            break
    return best


def _otherwise(
    request: Request,
    before: str,
    put: PutTogether,
    named: bool,
    with_keys: Callable[[str, tuple[str, ...]], Decision],
    plain: Callable[[str], Decision],
) -> Iterator[Decision]:
    """Decisions by other readings, the surest first."""
    knowledge = put.judge.knowledge
    if not named and (made := by_clause(request, put)) is not None:
        yield composed(made, None, request.asked, "")
    for asked, keys in other_keys(request.text, before, knowledge):
        if (guess := with_keys(asked, keys)).answers:
            yield guess
    for asked in plain_questions(request.text, before, request.keys if named else ()):
        if not (guess := plain(asked)).answers:
            continue
        texts = (
            f"{entry.input} {entry.output}" for fact in guess.facts if (entry := knowledge.entries[fact])
        )
        if any("json" in text.lower() for text in texts):
            yield guess  # "What does the JSON export cost?" asks about JSON
        elif not named:
            made = as_object(guess.way, guess.facts, guess.text or "", request.text, knowledge)
            yield composed(made, None, asked, "")
        elif len(values := values_of(guess.way, guess.facts, guess.text or "", knowledge)) == len(
            request.keys
        ):
            text = object_of(dict(zip(request.keys, values, strict=True)))
            yield composed(Composed("json", tuple(guess.facts), text, guess.likeness, asked), None, asked, "")
