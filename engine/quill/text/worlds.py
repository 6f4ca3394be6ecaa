"""Worlds: subjects with facts, rivals of the same kind, values that are subjects themselves; and the layouts of facts in a prompt.

Three layouts and their mixture: lines of a question with its answer, statements, passages of prose.
"""

import re
from dataclasses import dataclass, field

from . import lexicon as lx
from .facts import _with_pronoun
from .names import is_held_out
from .relations import BY_SUBJECT, Relation, attribute_relation, things
from .template import Span
from .values import ANY_ENTITY, Voice, capital

ASKABLE = [k for k, found in BY_SUBJECT.items() if len(found) >= 2]
LINKS = {
    "person",
    "company",
    "town",
    "team",
    "building",
    "product",
    "room",
    "book_title",
}  # values that may be subjects
LISTED = {
    "person",
    "company",
    "product",
    "name",
    "town",
    "place",
    "book_title",
    "thing",
    "a_thing",
    "language",
    "colour",
    "code",
    "food",
    "subject",
}
NUMERIC = {"year", "number", "money", "measure", "span_of_time"}
VALUES = [
    "person", "person", "company", "place", "date", "money", "number", "code", "measure", "year", "word", "colour", "clock", "job", "thing",
    "phone", "email", "span_of_time", "product", "words",
    "odd",
]  # fmt: skip


@dataclass
class Known:
    """One fact of a world and its span in the context."""

    subject: str
    kind: str
    relation: Relation
    value: str
    span: Span = (0, 0)  # of the line or sentence, in characters of the context
    place: Span | None = None  # of the value
    asked: str | None = None  # the question that it is listed with, if any
    told: str = ""  # the sentence that states it, if any


@dataclass
class World:
    known: list[Known]
    by_subject: dict[str, list[Known]] = field(default_factory=dict)
    by_value: dict[tuple[str, str], list[Known]] = field(default_factory=dict)
    by_relation: dict[tuple[str, str], list[Known]] = field(default_factory=dict)  # of one subject

    def __post_init__(self) -> None:
        for k in self.known:
            self.by_subject.setdefault(k.subject, []).append(k)
            self.by_value.setdefault((k.relation.key, k.value), []).append(k)
            self.by_relation.setdefault((k.subject, k.relation.key), []).append(k)


def thing_kind(voice: Voice) -> str:
    """One trade in eight is held out for the exam."""
    kinds = [k for k in things() if is_held_out(k) == voice.held_out]
    return voice.pick(kinds)


def draw_subject(voice: Voice, kind: str) -> str:
    if kind not in things():
        return voice.make(kind)
    word = kind.removesuffix(" model").removesuffix(" number")
    word = word.split(" or ")[0]
    x = voice.r.random()
    return (
        f"the {voice.name()} {word}"
        if x < 0.4
        else f"{word} {voice.code()}"
        if x < 0.5
        else voice.name()
        if x < 0.75
        else voice.product()
    )


def draw_relation(voice: Voice, kind: str, linking: bool = False) -> Relation:
    """A relation. Half of the `linking` ones have values that may be subjects themselves."""
    own = things().get(kind) or BY_SUBJECT.get(kind, [])
    if voice.new_relations or not own or (kind not in things() and voice.chance(0.22)):
        return attribute_relation(voice, kind, voice.pick(VALUES))
    found = [r for r in own if r.value in LINKS and r.value in BY_SUBJECT and r.nouns] if linking else []
    return voice.pick(found if found and voice.chance(0.5) else own)


def _value(voice: Voice, relation: Relation, others: list[str], like: str | None) -> str:
    """A value; sometimes another subject of the world, for chains; for a comparison, a number similar to another."""
    if like and re.search(r"\d", like):
        return re.sub(r"\d+", lambda m: _number_like(voice, m[0]), like, count=1)
    if others and voice.chance(0.6):
        return voice.pick(others)
    for _ in range(20):
        value = voice.make(relation.value)
        if not set('{"\\') & set(value):
            return value
    return voice.word()


def _number_like(voice: Voice, digits: str) -> str:
    if len(digits) == 4 and digits[0] in "12":
        return str(int(digits) + voice.r.randint(-60, 60))
    low = 10 ** (len(digits) - 1)
    return str(voice.r.randint(max(1, low), low * 10 - 1))


def world(voice: Voice, n: int, linked: bool = False) -> World:
    """n facts about a few subjects; rivals share their relations, so that only a name tells them apart.

    `linked` makes chains and lists as frequent as the rest; otherwise one question in seventy is about either.
    """
    known: list[Known] = []
    taken: set[tuple[str, str]] = set()
    kinds: dict[str, str] = {}

    def add(subject: str, relation: Relation, value: str) -> None:
        if (subject, relation.key) not in taken and value != subject and len(known) < n:
            taken.add((subject, relation.key))
            known.append(Known(subject, kinds[subject], relation, value))

    def meet(kind: str) -> str:
        while True:
            s = draw_subject(voice, kind)
            if s not in kinds:
                kinds[s] = kind
                return s

    guard = 0
    while len(known) < n and guard < 60:
        guard += 1
        x = voice.r.random()
        kind = (
            thing_kind(voice)
            if x < 0.25 and not voice.new_relations
            else voice.pick(ASKABLE if x < 0.8 else ANY_ENTITY)
        )
        if x < 0.42 or (n > 3 and x > 0.9):  # rivals: a grid of subjects and relations
            subjects = [meet(kind) for _ in range(voice.r.randint(2, min(5, max(2, n // 2))))]
            relations = {}
            for _ in range(voice.r.randint(1, 4)):
                r = draw_relation(voice, kind)
                relations[r.key] = r
            for r in relations.values():
                first = voice.make(r.value)
                for s in subjects:
                    if voice.chance(0.9):
                        like = first if r.value in NUMERIC and voice.chance(0.8) else None
                        add(s, r, _value(voice, r, [], like))
        else:  # one subject, and sometimes those that its values name
            s = meet(kind)
            for _ in range(voice.r.randint(1, 5)):
                r = draw_relation(voice, kind, linked)
                old = [o for o, k in kinds.items() if k == r.value and o != s]
                v = _value(voice, r, old, None)
                add(s, r, v)
                if (
                    r.value in LINKS
                    and r.value in BY_SUBJECT
                    and v not in kinds
                    and voice.chance(0.9 if linked else 0.65)
                ):
                    kinds[v] = r.value
                    for _ in range(voice.r.randint(1, 3)):
                        other = draw_relation(voice, r.value)
                        add(v, other, _value(voice, other, [], None))
    return World(with_list(voice, known, n, linked))


def with_list(voice: Voice, known: list[Known], n: int, linked: bool) -> list[Known]:
    """Sometimes gives one relation several values."""
    if not known or not voice.chance(0.6 if linked else 0.3):
        return known
    several = [k for k in known if k.relation.value in LISTED and k.relation.nouns]
    k = voice.pick(several if linked and several else known)
    more = [_value(voice, k.relation, [], None) for _ in range(voice.r.randint(1, 3))]
    if k.relation.value not in LISTED or k.value in more:
        return known
    if linked or n <= len(more):  # never more than n
        more = more[: n - 1]
        known = [k, *[o for o in known if o is not k][: n - 1 - len(more)]]
    elif k in known[: n - len(more)]:
        known = known[: n - len(more)]
    return known + [Known(k.subject, k.kind, k.relation, v) for v in dict.fromkeys(more)]


# ---------------------------------------------------------------- layouts
LINES = [
    "Q: {q} A: {a}",
    "Q: {q} A: {a}",
    "Q: {q} A: {a}",
    "{q} {a}",
    "Q: {q}\nA: {a}",
    "Question: {q} Answer: {a}",
    "{q} - {a}",
    "{q}\n{a}",
    "{q} => {a}",
]
MARKS = ["{i}. ", "{i}. ", "{i}. ", "- ", "[{i}] ", "", "", "* ", "Fact {i}: ", "({i}) "]
HEADS = [
    "Facts:\n", "Facts:\n", "Facts:\n", "Known facts:\n", "Context:\n", "Context: ", "Notes:\n", "What is known:\n", "Use these facts.\n", "Here are some facts.\n\n", "Information:\n",
    "Background:\n", "Answer from these facts:\n", "", "Memory:\n", "The following is known.\n", "Facts and documents:\n", "## Facts\n", "Use only what is written here.\n\n",
]  # fmt: skip
LAYOUTS = ("lines", "statements", "prose", "mixed")


def _line_question(voice: Voice, k: Known) -> str:
    return capital(voice.pick(k.relation.questions).replace("{e}", k.subject))


def _statement(voice: Voice, k: Known) -> str | None:
    if not k.relation.statements:
        return None
    return capital(voice.pick(k.relation.statements).replace("{e}", k.subject).replace("{v}", k.value))


def listed(voice: Voice, world: World, layout: str, plain: bool = False) -> str:
    """The text of the context; sets the span of each fact."""
    text = ""

    def put(before: str, body: str, k: Known, value: str) -> None:
        nonlocal text
        text += before
        at = len(text)
        text += body
        k.span = (at, len(text))
        found = body.rfind(value) if k.asked else body.find(value)
        if found < 0:
            found = body.find(capital(value))
        k.place = (at + found, at + found + len(value)) if found >= 0 else None

    if layout == "prose":
        groups = list(world.by_subject.values())
        voice.r.shuffle(groups)
        glue = voice.pick([" ", "\n", "\n\n", "\n\n"])
        filler = voice.pick([0.0, 0.0, 0.15, 0.4])
        for number, group in enumerate(groups, 1):
            said = False
            start = (glue if text else "") + (f"[{number}] " if glue == "\n\n" and voice.chance(0.3) else "")
            for k in voice.r.sample(group, len(group)):
                if voice.chance(filler):
                    text += start + voice.pick(lx.FILLER)
                    start = " "
                body = None
                if said and voice.chance(0.55) and k.kind not in things():
                    body = (
                        _with_pronoun(voice.pick(k.relation.statements), k.kind, k.subject, k.value)
                        if k.relation.statements
                        else None
                    )
                body = body or _statement(voice, k)
                if body is None:
                    k.asked = _line_question(voice, k)
                    body = f"{k.asked} {k.value}."
                k.told = body if not k.asked else ""
                put(start, body, k, k.value)
                start, said = " ", True
        return text
    mark = voice.pick(MARKS) if not plain else "{i}. "
    line = voice.pick(LINES) if not plain else "Q: {q} A: {a}"
    glue = (
        "\n"
        if (mark and not mark.startswith("(")) or "\n" in line or layout != "statements"
        else voice.pick(["\n", " "])
    )
    if line == "{q}\n{a}" and not mark:
        glue = "\n\n"
    stop = voice.chance(0.25)
    order = world.known if plain else voice.r.sample(world.known, len(world.known))
    for number, k in enumerate(order, 1):
        statement = (
            _statement(voice, k)
            if layout == "statements" or (layout == "mixed" and voice.chance(0.5))
            else None
        )
        before = (glue if text else "") + mark.replace("{i}", str(number))
        if statement:
            k.told = statement
            put(before, statement, k, k.value)
        else:
            k.asked = _line_question(voice, k)
            put(
                before,
                line.replace("{q}", k.asked).replace("{a}", k.value + ("." if stop else "")),
                k,
                k.value,
            )
    return text
