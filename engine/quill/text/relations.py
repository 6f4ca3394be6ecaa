"""Relations of subjects, with every way to say one and to ask for it. Worlds (worlds.py) are made of them.

Four sources: `frames.txt`, attributes of invented things, the relations that `bench/memory/relations.jsonl` holds (written by hand:
ten questions each, about "it"), and inverted verbs: "{e} was founded by {v}." also asks "Which company was founded by {v}?" and
"Was {e} founded by {v}?".
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from . import lexicon as lx
from .facts import (
    ATTRIBUTE_QUESTIONS,
    ATTRIBUTE_STATEMENTS,
    ATTRIBUTE_UNSEEN,
    FRAMES,
    PLURAL_KINDS,
    Frame,
    attribute,
    pronoun_for,
)
from .values import Voice, capital

BENCH = Path(__file__).resolve().parents[3] / "bench" / "memory"
HELD_OUT = re.compile(rf"\b({'|'.join(lx.HELD_OUT_WORDS)})s?\b", re.IGNORECASE)


@dataclass(frozen=True)
class Relation:
    """Templates hold {e} for the subject and {v} for the value; `unseen` ones are held out for the exam."""

    key: str
    subject: str  # maker of the subject, or a word for it where `things` made it
    value: str  # maker of the value
    nouns: tuple[str, ...]  # "the {n} of {e}"
    statements: tuple[str, ...]
    questions: tuple[str, ...]
    unseen: tuple[str, ...]
    reversed: tuple[str, ...] = ()  # asks for the subject
    verify: tuple[str, ...] = ()  # asks whether it is {v}


# Words for a subject of a kind when it is asked for.
KIND_WORDS = {
    "person": ["person", "one", "man or woman"],
    "company": ["company", "firm", "business"],
    "product": ["product", "device", "model"],
    "place": ["place", "town"],
    "town": ["town", "place", "city"],
    "building": ["building", "place"],
    "event": ["event", "occasion"],
    "team": ["team", "group"],
    "team_name": ["team", "club"],
    "thing": ["thing", "object", "item"],
    "room": ["room", "place"],
    "animal": ["animal", "creature"],
    "book_title": ["book", "work", "title"],
    "work_of_art": ["work", "work of art", "painting"],
    "plural": ["things", "items"],
    "group": ["people", "group"],
    "dish": ["dish", "meal", "recipe"],
    "illness": ["illness", "disease"],
    "form_code": ["form", "paper"],
    "error_code": ["error", "fault"],
    "subject": ["subject", "class"],
}


def kind_word(voice: Voice, kind: str) -> str:
    return voice.pick(KIND_WORDS.get(kind, [kind.replace("_", " ")]))


SINGULAR = {"has": "have", "goes": "go", "does": "do", "is": "be", "carries": "carry", "teaches": "teach"}
AUXILIARY = {"is", "was", "are", "were", "will", "must", "may", "can", "has been", "should"}


def _turn_round(statements: tuple[str, ...], kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(questions for the subject, questions whether) from statements that begin with the subject."""
    words = KIND_WORDS.get(kind, [kind])
    plural = kind in PLURAL_KINDS - {"team"}
    asks, whether = [], []
    for s in statements:
        m = re.match(r"(The )?\{e\} (\w+) (.*)\.$", s)
        if not m or s.count("{e}") > 1:
            continue
        head, verb, rest = (m[1] or "").lower() + "{e}", m[2], m[3]
        asks += [f"Which {w} {verb} {rest}?" for w in words[:2]]
        if kind == "person":
            asks.append(f"Who {verb} {rest}?")
        asks.append(
            f"What is the name of the {words[0]} that {verb} {rest}?"
            if not plural
            else f"Which are the {words[0]} that {verb} {rest}?"
        )
        if verb in AUXILIARY:
            whether.append(f"{capital(verb)} {head} {rest}?")
        elif verb.endswith("s") and not plural and len(verb) > 3 and not verb.endswith("ss"):
            base = SINGULAR.get(verb, verb[:-2] if verb.endswith(("ches", "shes", "sses")) else verb[:-1])
            whether.append(f"Does {head} {base} {rest}?")
        elif verb == "has":
            done = rest.split()[0].endswith("ed")  # "has reached the age of"
            whether.append(f"Has {head} {rest}?" if done else f"Does {head} have {rest}?")
    return tuple(asks), tuple(whether)


def _of_frame(frame: Frame) -> Relation:
    asks, whether = _turn_round(frame.statements, frame.entity_kind)
    if any(
        q.startswith("Form {e}") or "the {e}" in q or "rror {e}" in q
        for q in (*frame.questions, *frame.statements)
    ):
        asks = ()  # "Form B12" is not the form's name alone: its statements turned round would ask for half of it
    return Relation(
        frame.topic, frame.entity_kind, frame.value_kind, frame.nouns,
        frame.statements, frame.questions, frame.unseen_questions, asks, whether,
    )  # fmt: skip


RELATIONS = [_of_frame(f) for f in FRAMES]
BY_SUBJECT: dict[str, list[Relation]] = {}
for _relation in RELATIONS:
    BY_SUBJECT.setdefault(_relation.subject, []).append(_relation)


@cache
def _attribute(said: str, asked: str, kind: str, value: str) -> Relation:
    def fill(forms, noun):
        return tuple(f.replace("{a}", noun) for f in forms)

    return Relation(
        said, kind, value, tuple(dict.fromkeys((said, asked))), fill(ATTRIBUTE_STATEMENTS, said),
        fill(ATTRIBUTE_QUESTIONS, asked), fill(ATTRIBUTE_UNSEEN, asked),
    )  # fmt: skip


def attribute_relation(voice: Voice, kind: str, value: str) -> Relation:
    return _attribute(*attribute(voice), kind, value)


# ---------------------------------------------------------------- relations of things of every trade, written by hand
_KINDS = [
    (r"how many|^number of|^total number", "number"),
    (r"^who\b|whom|head\b|captain|author|manager|lead$|contact|coach|president|owner|trainer|designer|composer|director|physician|nurse|client|policyholder|insurer|beneficiary", "person"),
    (r"phone|telephone|fax|extension", "phone"),
    (r"e-?mail", "email"),
    (r"year\b", "year"),
    (r"date|day|deadline|reboot|until when|^when was|^when is", "date"),
    (r"opening time|closing time|check-in|check-out|start of|end of|time of day|what time", "clock"),
    (r"number|serial|code|version|address|key|tag|register", "code"),
    (r"how many|count|quantity|places|seats|crew", "number"),
    (r"price|cost|fee|budget|premium|rent|balance|amount|limit|turnover|profit|deductible|fine|how much does|takings", "money"),
    (r"how long|duration|period|time until|lead time|timeout|lasts|life|term\b|running time|frequency|how often", "span_of_time"),
    (r"where|room|location|place|stands|kept|floor|port\b", "spot"),
    (r"how (heavy|high|wide|big|tall|loud|hot|far|fast)|weight|length|width|height|temperature|speed|capacity|distance|power|area|density|point|dose|size|consumption|spacing|diameter", "measure"),
    (r"colour|gloss", "colour"),
    (r"material|fabric|lining", "material"),
    (r"how do|how is|fix|remedy|what must", "action"),
    (r"why|cause", "reason"),
]  # fmt: skip


def _value_of(relation: str, question: str) -> str:
    for text in (relation.lower(), question.lower()):
        for pattern, kind in _KINDS:
            if re.search(pattern, text):
                return kind
    return "words"


@cache
def things() -> dict[str, list[Relation]]:
    """Relations by the word for the subject; the last two questions of each are the exam's."""
    made: dict[str, list[Relation]] = {}
    for line in (BENCH / "relations.jsonl").read_text().splitlines():
        row = json.loads(line)
        asks = [_about(q) for q in row["asks"] if not HELD_OUT.search(q)]
        asks = [capital(q) for q in asks if q.count("{e}") == 1]
        noun = row["relation"]
        if len(asks) < 5 or HELD_OUT.search(noun) or HELD_OUT.search(row["subject"]):
            continue
        plain = not re.search(r"\b(who|whom|what|how|whether|does|it|is|where|was|has)\b", noun)
        nouns = (noun,) if plain and len(noun.split()) < 6 else ()
        statements = tuple(s.replace("{a}", noun) for s in ATTRIBUTE_STATEMENTS) if nouns else ()
        made.setdefault(row["subject"], []).append(
            Relation(f"{row['subject']}/{noun}", row["subject"], _value_of(noun, row["asks"][0]), nouns, statements, tuple(asks[:-2]), tuple(asks[-2:]))
        )  # fmt: skip
    return {s: r for s, r in made.items() if len(r) > 1}


def _about(question: str) -> str:
    """'When does its contract end?' -> "When does {e}'s contract end?"; a second 'it' stays."""
    return re.sub(r"\b([Ii])t(s?)\b(?!')", lambda m: "{e}" + ("'s" if m[2] else ""), question, count=1)


# ---------------------------------------------------------------- pronouns
_BEFORE_SUBJECT = {
    "is", "was", "are", "were", "does", "did", "do", "has", "have", "can", "will", "must", "may", "should", "where", "when", "why", "how",
    "that", "what", "which", "whom", "who", "if", "whether", "and",
}  # fmt: skip


def pronouns(kind: str, name: str) -> tuple[str, str, str]:
    """(subject, object, possessive), lower case."""
    subject, possessive = (w.lower() for w in pronoun_for(kind, name))
    return subject, {"he": "him", "she": "her", "they": "them", "it": "it"}[subject], possessive


def with_pronoun(template: str, kind: str, name: str) -> str | None:
    """A question's template with a pronoun for its subject."""
    if template.count("{e}") != 1:
        return None
    subject, other, possessive = pronouns(kind, name)
    text = re.sub(r"\b([Tt]he|[Ff]orm|[Ee]rror) \{e\}", "{e}", template)
    before, after = text.split("{e}")
    if after.startswith("'s "):
        return before + (capital(possessive) if not before else possessive) + after[2:]
    if not before or (
        re.match(r"[:,] |\?$", after) and not before.rstrip().endswith(("of", "for", "by", "to", "in", "at"))
    ):
        return None  # "Zorbax: price?" has no sentence to stand in
    word = before.split()[-1].lower()
    starts = (word in _BEFORE_SUBJECT and not re.match(r"[?.,]", after)) or word in (
        "is",
        "was",
        "are",
        "were",
    )
    return before + (subject if starts else other) + after
