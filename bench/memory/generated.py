"""Facts about invented names for the benches: persons, firms, products and places that no training text of the shipped base has
named, one to four facts each, with other wordings of every question, near misses and altered names."""

import random
import re
from dataclasses import dataclass, field

from quill.text.facts import FRAMES_BY_ENTITY
from quill.text.values import Voice

KINDS = ["person", "company", "product", "town"]
# Kinds whose rewordings are used for evaluation; routing was tuned on the others.
DECIDING = ("person", "town")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass
class Known:
    """One fact, and questions about it that were not taught."""

    entity: str
    question: str
    answer: str
    rewordings: list[str]
    topic: str


@dataclass
class Asked:
    """Prompts of a bench; the base must answer the `near`, `altered` and `unrelated` ones."""

    facts: list[Known]
    near: list[str] = field(default_factory=list)
    altered: list[str] = field(default_factory=list)
    unknown_relation: list[str] = field(default_factory=list)
    unrelated: list[str] = field(default_factory=list)


def generate(count: int, seed: int = 0) -> list[Known]:
    voice = Voice(f"memory {seed}", held_out=True)
    facts, taken = [], set()
    while len(facts) < count:
        kind = voice.pick(KINDS)
        entity = voice.make(kind)
        if entity in taken or (" " not in entity and len(entity) < 5):
            continue
        taken.add(entity)
        frames = voice.r.sample(FRAMES_BY_ENTITY[kind], min(voice.r.randint(1, 4), count - len(facts)))
        for frame in frames:
            questions = [_capital(q.format(e=entity)) for q in frame.questions + frame.unseen_questions]
            at = voice.r.randrange(len(frame.questions))
            rewordings = questions[:at] + questions[at + 1 :]
            facts.append(Known(entity, questions[at], voice.make(frame.value_kind), rewordings, frame.topic))
    return facts


def asked(facts: list[Known], count: int = 300, seed: int = 0) -> Asked:
    """`count` prompts of every kind."""
    choose = random.Random(f"asked {seed}")
    voice = Voice(f"stranger {seed}", held_out=True)
    entities = {fact.entity for fact in facts}
    topics = {}
    for fact in facts:
        topics.setdefault(fact.entity, set()).add(fact.topic)
    found = Asked(facts)
    sample = choose.sample(facts, min(count, len(facts)))
    for fact in sample:
        stranger = voice.make(_kind(fact))
        while stranger in entities:
            stranger = voice.make(_kind(fact))
        found.near.append(choose.choice(fact.rewordings).replace(fact.entity, stranger))
        altered = alter(fact.entity, choose)
        if altered not in entities:
            found.altered.append(choose.choice(fact.rewordings).replace(fact.entity, altered))
        others = [f for f in FRAMES_BY_ENTITY[_kind(fact)] if f.topic not in topics[fact.entity]]
        frame = choose.choice(others)
        found.unknown_relation.append(_capital(choose.choice(frame.questions).format(e=fact.entity)))
    found.unrelated = [unrelated(choose, voice) for _ in range(count)]
    return found


def alter(name: str, choose: random.Random) -> str:
    """The name with one letter or digit replaced."""
    at = choose.choice([i for i, c in enumerate(name) if c.isalnum()])
    among = "0123456789" if name[at].isdigit() else _LETTERS
    other = choose.choice([c for c in among if c != name[at].lower()])
    return name[:at] + (other.upper() if name[at].isupper() else other) + name[at + 1 :]


_TASKS = """Write a short poem about {t}.|What is {t}?|Explain {t} to a child.|Give me three tips on {t}.|How are {t} made?|
Translate "{t}" into French.|Who invented {t}?|Summarise what you know of {t}.|Why do people like {t}?|Thank you, that was helpful.|
Hello, how are you?|What can you do?|Write an email that asks about {t}.|List five words that rhyme with {t}.""".replace(
    "\n", ""
).split("|")


def unrelated(choose: random.Random, voice: Voice) -> str:
    """Ordinary requests, and questions from the base's own kind of text about things without a name."""
    if choose.random() < 0.6:
        return choose.choice(_TASKS).format(t=voice.pick(_THINGS))
    kind = choose.choice(["building", "event", "team", "animal", "thing", "plural"])
    frame = choose.choice(FRAMES_BY_ENTITY[kind])
    return _capital(choose.choice(frame.questions).format(e=voice.make(kind)))


_THINGS = [
    "clouds",
    "bridges",
    "gardening",
    "chess",
    "bread",
    "volcanoes",
    "the moon",
    "bicycles",
    "spreadsheets",
    "old maps",
    "rivers",
    "taxes",
    "trains",
    "painting",
    "sleep",
    "coffee",
    "whales",
    "glass",
    "music",
    "debt",
]


def _kind(fact: Known) -> str:
    return fact.topic.split("-")[0]


def _capital(text: str) -> str:
    return re.sub(r"^\s*\w", lambda m: m[0].upper(), text)
