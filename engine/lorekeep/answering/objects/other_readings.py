"""Alternative readings of a message that wants JSON, if no facts fill the object of its first reading: with other keys, or as a
plain question whose answers become an object."""

import re
from collections.abc import Iterator, Sequence

from lorekeep.answering.compose import Composed
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.objects import json_keys, json_request
from lorekeep.answering.objects.described_keys import note_of, property_of
from lorekeep.answering.objects.fields import build_object
from lorekeep.answering.reading import standalone
from lorekeep.answering.reading.questions import is_question
from lorekeep.routing.question_kind import UNKNOWN, answer_kind
from lorekeep.routing.words import STOP, any_case, words

# Maximum number of readings that are tried after the first one.
_MAX_READINGS = 2
_JSON = any_case(r"\bjson\b")
# "My script runs json.loads() on whatever you answer."
_PROGRAM_WORD = any_case(
    r"\b(?:script|parser|program|programme|app|application|code|tool|system|importer|import|pipeline|bot|form|template|spreadsheet|database|website|page|api|endpoint|client|machine|json\.\w+)\b"
)
_ARRAY = any_case(r"\b(?:array|list)\b(?! of objects| with (?:one|two|an) objects?)")
# "The names of the chairs of A and B, in that order."
_NAMES_OF = any_case(r"^(?:the )?names? of (?=(?:the|our|all|both)\b)")
_IN_ORDER = any_case(r",? (?:in )?(?:that|this|the same|the given) order\b")
_GREETING = any_case(
    r"^\W*(?:(?:hi|hello|hey|dear|good (?:morning|day|afternoon|evening))\b[^,.!?\n]{0,30}[,.!\n]\s*)"
)
_FILLERS = any_case(
    r"^\W*(?:(?:hmm+|oh|ah|thx|thanks?|thank you|ty|great|cool|nice|perfect|super|fine|and|now|then|actually)\b[\s,.!:;]*)+"
)
# "The same as JSON", "Can I have that in JSON instead?", with additions to it.
_SAME_AS_BEFORE = any_case(
    r"^\W*(?:(?:can|could|may) (?:i|we|you) (?:please )?(?:have|get|give(?: me)?|send(?: me)?) )?(?:(?:the|all|both of|everything of) )?(?:same(?: thing| again)?|that|this|it|those|them|these|both|again)(?: (?:again|instead|as well|too|please))*(?:,? (?:and |plus |but )?(?:please )?(?:add|also add|with|plus|including|and|but))?(?=\W|$)|\b(?:the same|that|this|it|those|them|both)\b.{0,20}\bjson\b|\bjson\b.{0,20}\b(?:instead|the same)\b"
)
_CLAUSES = re.compile(
    r"(?<=[.?!;:])\s+|\n+|,\s+|\s+(?=(?:as|with|under|in|into) (?:an? |one |the |tiny |small |single |json |key |valid )*(?:json|object|keys?|fields?)\b)",
    re.IGNORECASE,
)
_BOTH = any_case(r"\b(?:both|all of it)(?: of (?:them|these|those))?\b(?: in (?:one|a))?")
_ARTICLE = any_case(r"^(?:the|an?|our|your) ")
# Parts of names that a program joins: "wenna_drosk".
_NAME_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])_(?=[a-z])|%20")
_MAX_KEY_WORDS = 3


def other_keys(text: str, before: str, knowledge: Knowledge) -> list[tuple[str, tuple[str, ...]]]:
    """Other readings of the keys of a message, each with the message rewritten for them: its keys for its only subject, its keys for the
    previous question, or other keys, if it does not name them explicitly."""
    asked, first = json_request.json_request(text)
    found = []
    if len(first) > 1 and before and _SAME_AS_BEFORE.search(text) and not knowledge.subjects(text):
        found.append((f"JSON with the keys {', '.join(first)} for {before}", first))
    if first and json_keys.are_named(first, text):
        names = knowledge.subjects(_without(first, text))
        notes = ((key, note_of(key, asked)) for key in first)
        said = ", ".join(f"{key} ({note})" if note else key for key, note in notes)
        of_one = len(names) == 1 and not property_of(names[0], text)
        return [*found, (f"JSON with the keys {said} for {names[0]}", first)] if of_one else found
    said = without_frame(text)
    found += [(asked, keys) for keys in json_keys.readings(asked)]
    found += [json_request.listed(one) for one in (said, *_sentences(said))]
    others = {keys: said for said, keys in reversed(found) if keys and keys != first}
    return [(said, keys) for keys, said in reversed(others.items())][:_MAX_READINGS]


def _without_keys(text: str, keys: tuple[str, ...]) -> str:
    """A message without the clauses that name its keys."""
    clauses = _CLAUSES.split(text)
    kept = [
        one for one in clauses if not any(re.search(rf"(?<!\w){re.escape(key)}(?!\w)", one) for key in keys)
    ]
    return " ".join(one.strip(" ,") for one in kept).strip()


def _without(keys: tuple[str, ...], text: str) -> str:
    for key in keys:
        text = re.sub(rf"(?<!\w){re.escape(key)}(?!\w)", " ", text)
    return _NAME_PARTS.sub(" ", text)


def plain_questions(text: str, before: str, keys: tuple[str, ...]) -> Iterator[str]:
    """The plain questions of a message that wants JSON, without the keys that it names. It may refer to the previous question."""
    text = _without_keys(text, keys) if keys else text
    said = json_request.without_wish(without_frame(text))
    said = _NAMES_OF.sub("", _IN_ORDER.sub("", _FILLERS.sub("", said))).strip(" .,:;-?")
    if before and (again := _SAME_AS_BEFORE.match(said) if said else _SAME_AS_BEFORE.search(text)):
        more = said[again.end() :].strip(" .,:;-") if said else ""
        yield f"{before} {more}?" if more else before
    if not said:
        return
    if before and (more := _BOTH.sub("", said)) != said:
        yield f"{before} {more.strip(' .,:;-?')}?"
    yield said
    if not is_question(said):
        yield f"What is the {_ARTICLE.sub('', standalone.without_lead(said))}?"


def wants_array(text: str) -> bool:
    """Whether a message wants its values as a bare list."""
    return _ARRAY.search(text) is not None


def values_of(way: str, facts: Sequence[int], told: str, knowledge: Knowledge) -> list[str]:
    """The answers of the parts of a question, or the one answer that was told."""
    answers = [knowledge.entries[fact].output for fact in facts]
    each = way in ("two in one", "list") and all(answer.rstrip(".") in told for answer in answers)
    return answers if each or not told else [told]


def as_object(way: str, facts: Sequence[int], told: str, text: str, knowledge: Knowledge) -> Composed:
    """The answers of a plain question as an object, or as the array that a message wants."""
    answers = values_of(way, facts, told, knowledge)
    keys = keys_of(facts, knowledge)[-len(answers) :]
    made = answers if wants_array(text) and len(answers) > 1 else dict(zip(keys, answers, strict=True))
    return Composed("json", tuple(facts), build_object(made), 0.9, text)


def keys_of(facts: Sequence[int], knowledge: Knowledge) -> list[str]:
    """A key for the answer of each fact: its relation, or its subject if all facts have the same relation."""
    asked = [_key(knowledge.entries[fact].input, knowledge.subject(fact)) for fact in facts]
    subjects = [knowledge.subject(fact) for fact in facts]
    kinds = {answer_kind(knowledge.entries[fact].input) for fact in facts}
    alike = len(set(asked)) == 1 or (len(kinds) == 1 and UNKNOWN not in kinds)
    if alike and len(set(subjects)) == len(facts) > 1 and all(subjects):
        return subjects
    return [one if asked.count(one) == 1 else f"{one}_{at + 1}" for at, one in enumerate(asked)]


def _key(question: str, subject: str) -> str:
    own = {word.plain for word in words(subject)}
    said = [word.plain for word in words(question) if word.plain not in STOP | own]
    return "_".join(said[:_MAX_KEY_WORDS]) or "answer"


def _sentences(text: str) -> list[str]:
    return [part for part in json_request.SENTENCES.split(text) if re.search(r"\w", part)]


def without_frame(text: str) -> str:
    """A message without its greeting and the sentences that only request JSON, if others state the content."""
    parts = _sentences(_GREETING.sub("", json_request.without_remarks(text)))
    asks = [part for part in parts if is_question(part) and not _JSON.search(part)]
    said = [
        part
        for part in parts
        if json_request.without_wish(part)
        and not (asks and _JSON.search(part) and _PROGRAM_WORD.search(part))
    ]
    return " ".join(said) if said else text
