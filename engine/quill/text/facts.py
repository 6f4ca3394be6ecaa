"""One fact: a sentence that states it and the questions it answers, each with the exact span of the sentence.

Three sources: `frames.txt` (ordinary relations, many wordings), attributes ("the <noun> of <entity>") and events (`events.py`).
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from . import lexicon as lx
from .values import Voice, capital


@dataclass(frozen=True)
class Ask:
    question: str
    answer: str
    unseen: bool = False  # a form of question that only the exam uses


@dataclass
class Fact:
    sentence: str
    asks: list[Ask]
    topic: str  # the relation: two facts of a context never share topic and entity
    entity: str
    label: tuple[str, str] | None = None  # (attribute, value) where the fact fits into a table
    value: str = ""
    # the same fact told with a pronoun, for a sentence that follows one that named the entity
    pronoun_sentence: str | None = None


@dataclass(frozen=True)
class Frame:
    topic: str
    entity_kind: str
    value_kind: str
    statements: tuple[str, ...]
    questions: tuple[str, ...]
    unseen_questions: tuple[str, ...] = field(default=())
    nouns: tuple[str, ...] = field(default=())


def _read_frames() -> list[Frame]:
    frames = []
    blocks = [b for b in Path(__file__).with_name("frames.txt").read_text().split("\n\n") if b.strip()]
    for number, block in enumerate(blocks):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        entity_kind, value_kind = lines[0].split()
        parts = {line[0]: tuple(line[3:].split("|")) for line in lines[1:]}
        # "Tell me" fits any indirect question; for events it is held out for the exam.
        parts["Q"] += tuple(q.replace("Say ", "Tell me ", 1) for q in parts["Q"] if q.startswith("Say "))
        frames.append(
            Frame(
                f"{entity_kind}-{number}",
                entity_kind,
                value_kind,
                parts["S"],
                parts["Q"],
                parts.get("U", ()),
                parts["N"],
            )
        )
    return frames


FRAMES = _read_frames()
FRAMES_BY_ENTITY: dict[str, list[Frame]] = {}
for _frame in FRAMES:
    FRAMES_BY_ENTITY.setdefault(_frame.entity_kind, []).append(_frame)
PLURAL_KINDS = {"plural", "group", "team"}


def pronoun_for(kind: str, entity: str) -> tuple[str, str]:
    """(subject, possessive) for the second mention; a person's gender is fixed by the name so that a passage is consistent."""
    if kind == "person":
        return ("She", "Her") if sum(entity.encode()) % 2 else ("He", "His")
    return ("They", "Their") if kind in PLURAL_KINDS else ("It", "Its")


def _with_pronoun(template: str, kind: str, entity: str, value: str) -> str | None:
    subject, possessive = pronoun_for(kind, entity)
    for head, word in (
        ("The {e} ", subject + " "),
        ("{e}'s ", possessive + " "),
        ("{e} ", subject + " "),
    ):
        if template.startswith(head):
            text = word + template[len(head) :]
            if subject == "They":
                text = re.sub(
                    r"^They (is|was|has|opens|meets|sits)\b",
                    lambda m: "They " + PLURAL_VERB[m[1]],
                    text,
                )
            return text.format(e=entity, v=value)
    return None


PLURAL_VERB = {
    "is": "are",
    "was": "were",
    "has": "have",
    "opens": "open",
    "meets": "meet",
    "sits": "sit",
}


def frame_fact(voice: Voice, frame: Frame | None = None, entity: str | None = None) -> Fact:
    frame = frame or voice.pick(FRAMES)
    e = entity or voice.make(frame.entity_kind)
    v = voice.make(frame.value_kind)
    while v == e:
        v = voice.make(frame.value_kind)
    template = voice.pick(frame.statements)
    # One ask for each form of question: a sentence keeps the value's own words, so every form has the same answer.
    asks = [Ask(capital(q.format(e=e)), v) for q in frame.questions]
    asks += [Ask(capital(q.format(e=e)), v, unseen=True) for q in frame.unseen_questions]
    second = _with_pronoun(template, frame.entity_kind, e, v)
    return Fact(
        capital(template.format(e=e, v=v)),
        asks,
        frame.topic,
        e,
        value=v,
        pronoun_sentence=second,
    )


ATTRIBUTE_STATEMENTS = """The {a} of {e} is {v}.|{e} has a {a} of {v}.|{e}'s {a} is {v}.|For {e}, the {a} is {v}.|{e}: {a} {v}.|
The {a} for {e} was set to {v}.|{v} is the {a} of {e}.|As for {e}, its {a} is now {v}.|The {a} of {e} was {v}.|{v} was named as the {a} of {e}.|
The {a} that belongs to {e} is {v}.|In the case of {e}, the {a} is {v}.|{e} chose {v} as {a}.|{e} gave {v} as the {a}.|
The {a} listed for {e} is {v}.|According to the list, {v} is {e}'s {a}.|The {a} of {e}, {v}, is well known.|{e} lists {v} as its {a}.""".replace(
    "\n", ""
).split("|")
ATTRIBUTE_QUESTIONS = """What is the {a} of {e}?|What is {e}'s {a}?|Tell me the {a} of {e}.|Do you know {e}'s {a}?|
Please give the {a} for {e}.|{e}: {a}?|I need to know the {a} of {e}.|What {a} is given for {e}?|Which {a} does {e} have?|
What was the {a} of {e}?|What's the {a} of {e}?|What {a} does {e} have?|Give me {e}'s {a}.|What is the {a} for {e}?|
Name the {a} of {e}.|What is listed as the {a} of {e}?|Find the {a} of {e}.|Show me the {a} of {e}.|Say what {e}'s {a} is.|
Do you have the {a} of {e}?|{e}'s {a}, please.|I am looking for the {a} of {e}.|Which is the {a} of {e}?|Any idea what {e}'s {a} is?|
Could you say what the {a} of {e} is?|How about the {a} of {e}?|Let me know {e}'s {a}.|Check the {a} of {e}.|We need {e}'s {a}.|
The {a} of {e} is what?|What would be the {a} for {e}?|I want to know what {a} {e} has.|Do we know the {a} of {e}?|{e} has what {a}?|
What is given as {e}'s {a}?|Is there a {a} for {e}?|Read me the {a} of {e}.|My question is about {e}: what is the {a}?""".replace(
    "\n", ""
).split("|")
ATTRIBUTE_UNSEEN = """Can you tell me {e}'s {a}?|{a} of {e}?|I would like the {a} that {e} has.|What does it say about the {a} of {e}?|
Could you find the {a} of {e} for me?|Look up the {a} for {e}, please.""".replace("\n", "").split("|")


def attribute(voice: Voice) -> tuple[str, str]:
    """(the text's word, the question's word)"""
    if voice.new_relations:
        noun = voice.pick(lx.HELD_OUT_ATTRIBUTES)
    elif voice.chance(0.08):
        noun = voice.pick(list(lx.SYNONYMS))
        return noun, voice.pick([noun, *lx.SYNONYMS[noun]])
    else:
        noun = voice.pick(lx.ATTRIBUTES)
    if voice.chance(0.25):
        noun = f"{voice.pick(lx.ATTRIBUTE_MODIFIERS)} {noun}"
    return noun, noun


def attribute_fact(
    voice: Voice,
    entity: str | None = None,
    noun: str | None = None,
    value_kind: str | None = None,
    key_first: bool = False,
) -> Fact:
    e = entity or voice.entity()
    said, asked = (noun, noun) if noun else attribute(voice)
    v = voice.make(value_kind) if value_kind else voice.value()
    templates = (
        [t for t in ATTRIBUTE_STATEMENTS if not t.startswith("{v}")] if key_first else ATTRIBUTE_STATEMENTS
    )
    template = voice.pick(templates)
    asks = [Ask(capital(q.format(a=asked, e=e)), v) for q in ATTRIBUTE_QUESTIONS]
    asks += [Ask(capital(q.format(a=asked, e=e)), v, unseen=True) for q in ATTRIBUTE_UNSEEN]
    second = f"It has a {said} of {v}." if template.startswith("{e} has") else None
    if template.startswith("The {a} of {e} "):
        second = template.replace("The {a} of {e}", "Its {a}").format(a=said, v=v)
    return Fact(capital(template.format(a=said, e=e, v=v)), asks, said, e, (said, v), v, second)


def span_in(sentence: str, answer: str) -> tuple[int, int] | None:
    """Span of the answer in the sentence, as whole words; at the start of a sentence it may be capitalised."""
    for text in (answer, capital(answer)):
        m = re.search(rf"(?<!\w){re.escape(text)}(?!\w)", sentence)
        if m:
            return m.span()
    return None
