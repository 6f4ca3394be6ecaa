"""Fills the fields of an object that a message describes from facts: each field becomes a question about the subject, or about the
rest of the message."""

import json
import re
from typing import Any

from lorekeep.answering.judge import FactAnswer, Judge
from lorekeep.answering.objects.described_keys import definitions
from lorekeep.answering.objects.json_keys import NOTE, SHAPE, WITH_SHORT, given_values
from lorekeep.answering.objects.key_words import spaced
from lorekeep.answering.reading import standalone
from lorekeep.answering.word_match import WordMatch

Path = tuple[str, ...]
# Minimum likeness for fields of the subject of the whole memory: facts of any kind are about it, so its fields need a better match.
_MIN_HOME_LIKENESS = 0.6
_PART_BREAK = re.compile(r"(?<=[.!?:;])\s+|\s*[:;]\s+|\n+")
_JSON_WORD = re.compile(r"\bjson\b|\bkeys?\b|\bfields?\b|\bproperties\b|^\W*format\W*$", re.IGNORECASE)
# Words about the form of the object, not about its values.
_INSTRUCTION = re.compile(
    r"\b(?:(?:another|the other)(?: one)? (?:called|named|is)|(?:can|could|may) (?:i|we|you) (?:please )?(?:have|get|send|make|produce|give)(?: me| us)?|please|pls|plz|thanks?|thx|only|just|to give (?:an )?answer|(?:answer )?like(?= *$)|complete(?: this| it)?|fill (?:this |it )?in|output|return|reply|respond|answer|provide|give me|send(?: me)?|show(?: me)?|get(?: me)?|(?:i|we)(?:['’]d| would)? (?:need|want|like)|need|make|build|create|generate|write|produce|describe|describing|format|as|in|with|an?|the|nothing else"
    r"|(?:an? )?(?:json )?(?:machine[- ]readable output|record)(?: (?:for|of|about|on)\b|(?=,? (?:with|containing)\b))|containing|having|namely|use|whose|(?:field|key|property) names?|out of (?:this|that|it)|(?:this|it) is (?:about|for)|(?:type|interface) \w+ ?=?|literal|(?:of|in|with|like|matching) (?:that|this) (?:type|shape|form|schema|format)|fill in the blanks|send it back"
    r"|(?:valid |raw )?json(?: object| format| please| record| snippet)?|(?:single |one |two |three |exactly |the |first |second |third |next |last )*(?:keys?|fields?|properties)(?:,? named| called| is| are| being)?)\b[\s,:;.]*",
    re.IGNORECASE,
)
_LEADING_JOINS = re.compile(
    r"^[\s,.:;&-]*(?:(?:and|giving|holding|containing|showing|with|for|of|from|about|that (?:has|have|gives?|holds?)|an? (?:array|list) of|the|each)\b[\s,:]*)+",
    re.IGNORECASE,
)
ARRAY = re.compile(r"\b(?:an? )?(?:array|list) of\b", re.IGNORECASE)
# The closing of a letter; the name in it is not a subject.
_SIGNATURE = re.compile(
    r"[.,!?]\s*(?:many thanks|thanks|thank you|thx|cheers|(?:kind |best )?regards|all the best)\b[^.?]*[.!]?\s*$",
    re.IGNORECASE,
)
# Keys for a place.
_PLACE_KEYS = frozenset(["from", "based", "located", "born", "kept"])
# "Whose values are the heads of those offices", "the fare as value".
_VALUE_WORDS = re.compile(
    r"\b(?:whose|and|the|with|as|their) (?:the )?values?(?: (?:are|is|being|should be))?\b|\bas (?:its |the )?(?:keys?|fields?)\b(?: and\b)?",
    re.IGNORECASE,
)
_OF_THOSE = re.compile(r"\bof (?:those|these|them|the respective)(?: [a-z]+)?(?=\W*$)", re.IGNORECASE)
_OF_EACH = re.compile(r"\s*(?:of|for) each\b(?: (?:one )?as (?:the |a )?values?)?", re.IGNORECASE)
# Keys for the subject itself.
_SUBJECT_KEYS = frozenset(["name", "id", "code", "title", "subject", "item", "entity"])


def subject_fields(
    name: str, paths: list[Path], judge: Judge, described: list[str] | None = None
) -> list[FactAnswer | None]:
    """The fact for each field, by the path and the description of the field. All fields have the same subject, and no fact is
    used twice."""
    asked = []
    for i, path in enumerate(paths):
        said = judge.taught_words.forms(" ".join(spaced(part) for part in path[-2:]))
        said += described[i : i + 1] if described else []
        asked.append([one for noun in said for one in _property_questions(noun, name)])
    judge.best_answer([one for some in asked for one in some])
    steps = [judge.best_answer(some) for some in asked]
    taken: set[int] = set()
    surest = sorted(enumerate(steps), key=lambda one: -(one[1].likeness if one[1] else 0))
    for i, step in surest:
        if step is not None and set(step.facts) & taken:
            steps[i] = step = judge.other(asked[i], frozenset(taken))
        taken.update(step.facts if step else ())
    return steps


def _property_questions(noun: str, name: str) -> list[str]:
    """Questions for a property of a subject."""
    if noun.endswith("s") and not noun.endswith("ss"):
        return [f"What is the {noun} of {name}?", f"How many {noun} does {name} have?", f"{noun} of {name}"]
    found = [
        f"What is the {noun} of {name}?",
        f"Who is the {noun} of {name}?",
        f"{noun} of {name}",
        f"{noun} {name}?",
        f"In which {noun} is {name}?",
    ]
    return [*found, f"Where is {name} {noun}?"] if noun in _PLACE_KEYS else found


def _described_as(text: str, count: int) -> list[str]:
    """Descriptions of the values, if a message lists as many as there are keys: "the founder and the year of foundation of
    Zorbax"."""
    listed = re.search(
        r"\b(?:the|its|their|his|her) (.+?) (?:of|for|about) (?=[^,]+?(?:\bas\b|\bin\b|[,.:(]|$))", text
    )
    parts = re.split(r",\s*(?:and\s+)?|\s+and\s+", listed[1]) if listed else []
    parts = [re.sub(r"^(?:the|a|an|its|their) ", "", part.strip()) for part in parts]
    return parts if len(parts) == count else []


def fill_keys(question: str, keys: tuple[str, ...], judge: Judge) -> FactAnswer | None:
    """An object with the keys that a message names, each filled from a fact."""
    if given_values(question):
        return None  # given values identify the subject, and the reranker reads them
    values = _values(question, keys, judge)
    if not values or any(value is None for value in values):
        return _single_key_object(question, keys, judge)
    return _object(keys, [value for value in values if value], ARRAY.search(question) is not None)


def _values(question: str, keys: tuple[str, ...], judge: Judge) -> list[FactAnswer | None]:
    if stands_for := key_meanings(question, keys, judge):
        return [judge.best_answer(_meaning_questions(stands_for[key])) for key in keys]
    rest = without_keys(question, keys)
    names = judge.knowledge.subjects(judge.taught_words.read(rest)) or judge.knowledge.subjects(question)
    own = [_fact_of_rest(key, rest, judge) for key in keys] if rest else []
    if own and all(own) and len({step.facts for step in own if step}) == len(keys):
        return own
    values: list[FactAnswer | None] = []
    if names:
        values = subject_fields(names[0], [(key,) for key in keys], judge, _described_as(question, len(keys)))
        least = _MIN_HOME_LIKENESS if names[0] == judge.knowledge.home else 0.0
        values = [None if step is None or step.likeness < least else step for step in values]
    if (not values or not all(values)) and (described := _of_described_subject(keys, rest, judge)):
        return described
    values = _further(keys, values, judge)
    if names and any(values):
        itself = FactAnswer((), names[0], 1.0)
        values = [
            itself if step is None and spaced(key) in _SUBJECT_KEYS else step
            for key, step in zip(keys, values, strict=True)
        ]
    return values


def key_meanings(question: str, keys: tuple[str, ...], judge: Judge) -> dict[str, str]:
    """The meaning of each key, if a message gives one for every key, with "its" resolved: "b = its year of launch"."""
    names = judge.knowledge.subjects(question)
    return {
        key: (standalone.with_name(said, names[0]) if names else None) or said
        for key, said in definitions(question, keys).items()
    }


def _meaning_questions(wanted: str) -> list[str]:
    return [wanted, f"What is the {wanted}?", f"Who is the {wanted}?"]


def without_keys(question: str, keys: tuple[str, ...]) -> str:
    """The part of a message that describes the values: "the number of beds" in "JSON with keys a and b giving the number of
    beds"."""
    text = _SIGNATURE.sub("", NOTE.sub(" ", SHAPE.sub(" ", WITH_SHORT.sub("with ", question))))
    for key in sorted(keys, key=len, reverse=True):
        text = re.sub(rf"[\"'“‘`]?\b{re.escape(key)}\b[\"'”’`]?\s*(?:,|and\b)?", " ", text, count=1)
    text = _OF_EACH.sub(" ", text)
    shaped = SHAPE.search(question) is not None
    parts = [
        _INSTRUCTION.sub(" ", part) if shaped or _JSON_WORD.search(part) else part
        for part in _PART_BREAK.split(text)
    ]
    said = _VALUE_WORDS.sub(" ", " ".join(parts))
    said = " ".join(_OF_THOSE.sub(" ", said).split())
    return _LEADING_JOINS.sub("", said).strip(" .,:;-=>→")


def _fact_of_rest(key: str, rest: str, judge: Judge) -> FactAnswer | None:
    """The fact for a key together with the rest of the message: "harrowmere" and "the number of beds"."""
    said = spaced(key)
    rest = re.sub(r"(?<=[a-z]{2}[^s])s$", "", rest)
    asked = [f"{said} {rest}", f"What is the {said} {rest}?", f"What is the {rest} of {said}?"]
    found = WordMatch(judge).search(f"{said} {rest}")
    return found or judge.best_answer([judge.taught_words.read(one) for one in asked])


def _of_described_subject(keys: tuple[str, ...], rest: str, judge: Judge) -> list[FactAnswer | None]:
    """Values about the subject that the rest of the message describes: the name and the birthplace of "the head of cardiology"."""
    bare = re.sub(r"^(?:the|a|an|our|my) ", "", rest, flags=re.IGNORECASE)
    asked = [f"what is the {bare}?", f"who is the {bare}?", f"which {bare}?"]
    inner = (judge.best_answer(asked) or WordMatch(judge).search(asked[0])) if rest else None
    names = [] if inner is None else judge.knowledge.subjects_in_answer(inner.text)
    if inner is None or len(names) != 1 or len(keys) < 2:
        return []
    steps = subject_fields(names[0], [(key,) for key in keys], judge)
    missing = [i for i, step in enumerate(steps) if step is None or set(step.facts) & set(inner.facts)]
    if len(missing) > 1 or (missing and missing[0] != 0):
        return []
    return [inner if i in missing else step for i, step in enumerate(steps)]


def _further(keys: tuple[str, ...], values: list[FactAnswer | None], judge: Judge) -> list[FactAnswer | None]:
    """Adds missing values about a subject that another value names: the extension of the porter of the building."""
    for found in [step for step in values if step is not None]:
        missing = [i for i, step in enumerate(values) if step is None]
        own = judge.knowledge.subject(found.facts[0])
        names = (
            [name for name in judge.knowledge.subjects_in_answer(found.text) if name != own]
            if missing
            else []
        )
        if len(names) == 1:
            steps = subject_fields(names[0], [(keys[i],) for i in missing], judge)
            for i, step in zip(missing, steps, strict=True):
                values[i] = step if step is None or not set(step.facts) & set(found.facts) else None
    return values


def _single_key_object(question: str, keys: tuple[str, ...], judge: Judge) -> FactAnswer | None:
    """An object with one key; the rest of the message asks for its value."""
    rest = without_keys(question, keys)
    if len(keys) != 1 or not rest:
        return None
    asked = [
        rest,
        *(
            f"{start} {rest}?"
            for start in ("What are the", "What is the", "Which")
            if not standalone.STARTS_WH.match(rest)
        ),
    ]
    step = judge.best_answer(asked) or WordMatch(judge).search(rest)
    return step and _object(keys, [step], ARRAY.search(question) is not None)


def _object(keys: tuple[str, ...], values: list[FactAnswer], arrays: bool) -> FactAnswer:
    said = {
        key: listed_items(step.text) if arrays else step.text for key, step in zip(keys, values, strict=True)
    }
    text = build_object(said)
    facts = tuple(dict.fromkeys(fact for step in values for fact in step.facts))
    return FactAnswer(facts, text, min(step.likeness for step in values))


def build_object(values: dict[str, Any] | list[Any]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def listed_items(text: str) -> list[str]:
    """The items that the first sentence of an answer lists."""
    first = re.split(r"(?<=[.!?])\s+", text.strip())[0].rstrip(".")
    first = first.rpartition(":")[2]
    return [one.strip() for one in re.split(r",\s*(?:and\s+|or\s+)?|\s+and\s+", first) if one.strip()]
