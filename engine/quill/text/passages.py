"""Passages: facts told as prose, record, list, questions and answers, dialogue or table, with filler around them.

A passage records the span of each fact, so that training knows an answer's exact position in the final prompt.
"""

from dataclasses import dataclass, field

from . import lexicon as lx
from .clause_words import ONE_ACTOR
from .clauses import clause_fact, general_fact, noun_phrase
from .events import event_fact
from .facts import FRAMES_BY_ENTITY, Ask, Fact, attribute, attribute_fact, frame_fact, span_in
from .values import ANY_ENTITY, Voice, capital


@dataclass
class Told:
    """One fact inside a passage: its questions and the span of its sentence in the passage's text."""

    asks: list[Ask]
    start: int
    end: int


@dataclass
class Passage:
    text: str
    told: list[Told] = field(default_factory=list)
    title: str = ""


# Kinds of values of a table column, or of a set of rivals.
VALUE_KINDS = [
    "person",
    "company",
    "place",
    "date",
    "money",
    "number",
    "code",
    "measure",
    "word",
    "colour",
    "clock",
    "job",
]


def random_fact(voice: Voice) -> Fact:
    x = voice.r.random()
    if voice.new_relations:
        return attribute_fact(voice) if x < 0.6 else event_fact(voice)
    if x < 0.18:
        return attribute_fact(voice)
    return event_fact(voice) if x < 0.4 else general_fact(voice) if x < 0.68 else frame_fact(voice)


def _facts_about_one(voice: Voice, n: int) -> list[Fact]:
    """n facts of different relations about the same entity."""
    if voice.chance(0.3):
        subject = noun_phrase(voice, voice.pick(ONE_ACTOR), plural=False)
        by_verb = {fact.topic: fact for fact in (clause_fact(voice, subject) for _ in range(n))}
        return list(by_verb.values())
    kind = voice.pick([k for k, frames in FRAMES_BY_ENTITY.items() if len(frames) >= 2])
    entity = voice.make(kind)
    frames = voice.r.sample(FRAMES_BY_ENTITY[kind], min(n, len(FRAMES_BY_ENTITY[kind])))
    facts, kinds = [], set()
    for frame in frames:  # one value per kind, or a question such as "where" has two right answers
        if frame.value_kind not in kinds:
            kinds.add(frame.value_kind)
            facts.append(frame_fact(voice, frame, entity))
    while len(facts) < n:
        facts.append(attribute_fact(voice, entity))
    return facts


def _join(parts: list[tuple[str, list[Ask] | None]], glue: str, title: str = "") -> Passage:
    passage = Passage("", title=title)
    for text, asks in parts:
        if passage.text:
            passage.text += glue
        start = len(passage.text)
        passage.text += text
        if asks:
            passage.told.append(Told(asks, start, len(passage.text)))
    return passage


def _prose(voice: Voice, facts: list[Fact], filler: float) -> Passage:
    parts: list[tuple[str, list[Ask] | None]] = []
    said: str | None = None
    for fact in facts:
        while voice.chance(filler):
            parts.append((voice.pick(lx.FILLER), None))
        use_pronoun = said == fact.entity and fact.pronoun_sentence and voice.chance(0.6)
        parts.append((fact.pronoun_sentence if use_pronoun else fact.sentence, fact.asks))  # type: ignore[arg-type]
        said = fact.entity
    if voice.chance(filler):
        parts.append((voice.pick(lx.FILLER), None))
    return _join(parts, " ")


def _record(voice: Voice) -> Passage:
    """A data sheet: 'Name: Brax 20', then 'Price: 30 euros', one a line (or with commas, bullets, bars)."""
    entity = voice.entity()
    facts = _labelled(voice, entity, voice.r.randint(2, 5))
    style = voice.pick(["{k}: {v}", "- {k}: {v}", "* {k} - {v}", "{k} = {v}", "| {k} | {v} |", "{k}\t{v}"])
    head = voice.pick(
        [
            f"Name: {entity}",
            entity,
            f"{capital(entity)}:",
            f"# {entity}",
            f"{entity} - details",
            f"| Name | {entity} |",
        ]
    )
    parts: list[tuple[str, list[Ask] | None]] = [(capital(head), None)]
    parts += [(style.format(k=capital(f.label[0]), v=f.label[1]), f.asks) for f in facts if f.label]
    return _join(parts, voice.pick(["\n", "\n", "; "]))


def _labelled(voice: Voice, entity: str, n: int) -> list[Fact]:
    facts: dict[str, Fact] = {}
    while len(facts) < n:
        fact = attribute_fact(voice, entity)
        facts.setdefault(fact.topic, fact)
    return list(facts.values())


def _faq(voice: Voice, facts: list[Fact]) -> Passage:
    """Questions with short or full answers beneath."""
    q, a = voice.pick([("Q: ", "A: "), ("", ""), ("Question: ", "Answer: "), ("- ", "  ")])
    parts = []
    for fact in facts:
        ask = voice.pick([k for k in fact.asks if not k.unseen])
        told = [k for k in fact.asks if k.answer == ask.answer]
        reply = capital(ask.answer) + "." if voice.chance(0.5) else fact.sentence
        parts.append((f"{q}{ask.question}\n{a}{reply}", told))
    return _join(parts, "\n")


def _dialogue(voice: Voice, facts: list[Fact]) -> Passage:
    one, two = voice.first_name(), voice.first_name()
    parts = []
    for fact in facts:
        ask = voice.pick([k for k in fact.asks if not k.unseen])
        told = [k for k in fact.asks if k.answer == ask.answer]
        reply = voice.pick(
            [
                fact.sentence,
                fact.pronoun_sentence or fact.sentence,
                f"I think {ask.answer}.",
                capital(ask.answer) + ".",
            ]
        )
        parts.append((f"{one}: {ask.question}\n{two}: {reply}", told))
    return _join(parts, "\n")


def _table(voice: Voice) -> Passage:
    """Rows of entities, columns of attributes; a question names both."""
    columns = list(dict.fromkeys(attribute(voice)[0] for _ in range(voice.r.randint(1, 3))))
    kind = voice.pick(ANY_ENTITY)
    bar = voice.pick([" | ", ", ", "\t", "; "])
    kinds = [voice.pick(VALUE_KINDS) for _ in columns]
    parts: list[tuple[str, list[Ask] | None]] = [(bar.join(["Name", *map(capital, columns)]), None)]
    for _ in range(voice.r.randint(2, 5)):
        entity = voice.make(kind)
        facts = [attribute_fact(voice, entity, noun, k) for noun, k in zip(columns, kinds, strict=True)]
        parts.append((bar.join([entity, *(f.value for f in facts)]), [a for f in facts for a in f.asks]))
    return _join(parts, "\n")


def passage(voice: Voice, sentences: int | None = None, filler: float = 0.2) -> Passage:
    """One passage in some style; `sentences` fixes plain prose of that many facts without filler."""
    if sentences:
        return _prose(voice, [random_fact(voice) for _ in range(sentences)], 0)
    x, n = voice.r.random(), voice.pick([1, 1, 2, 2, 3, 4])
    if not voice.new_relations and x > 0.78:
        if x < 0.86:
            return _record(voice)
        facts = [random_fact(voice) for _ in range(min(n, 3))]
        return _faq(voice, facts) if x < 0.92 else _dialogue(voice, facts) if x < 0.97 else _table(voice)
    facts = _facts_about_one(voice, n) if voice.chance(0.4) else [random_fact(voice) for _ in range(n)]
    made = _prose(voice, facts, filler if voice.chance(0.6) else 0)
    made.title = voice.pick(
        [capital(facts[0].entity), f"About {facts[0].entity}", capital(voice.words()), "Notes", "Rules"]
    )
    return made


def one_sentence(fact: Fact) -> Passage:
    return Passage(fact.sentence, [Told(fact.asks, 0, len(fact.sentence))])


def rivals(voice: Voice, n: int) -> list[Passage]:
    """n one-sentence passages that differ from each other by one key only: same relation, or same entity, values of one kind."""
    kind = voice.pick([*VALUE_KINDS, "thing", "room"])
    noun = attribute(voice)[0]
    entity = voice.entity()
    x = voice.r.random()
    pairs: dict[tuple[str, str], None] = {}
    entities = [voice.entity() for _ in range(max(2, (n + 1) // 2))]
    nouns = [attribute(voice)[0] for _ in range(max(2, (n + 1) // 2))]
    while len(pairs) < n:
        if x < 0.35:
            pairs[voice.entity(), noun] = None
        elif x < 0.65:
            pairs[entity, attribute(voice)[0]] = None
        else:
            pairs[voice.pick(entities), voice.pick(nouns)] = None
            if len(pairs) == len(set(entities)) * len(set(nouns)) and len(pairs) < n:
                entities.append(voice.entity())
    mixed = voice.chance(0.3)
    made = []
    for e, a in pairs:
        fact = attribute_fact(voice, e, a, None if mixed else kind)
        made.append(one_sentence(fact))
    return made


def frame_rivals(voice: Voice, n: int) -> list[Passage]:
    """n passages of one ordinary relation about n entities: only the entity tells them apart."""
    kind = voice.pick(list(FRAMES_BY_ENTITY))
    frame = voice.pick(FRAMES_BY_ENTITY[kind])
    facts: dict[str, Fact] = {}
    while len(facts) < n:
        fact = frame_fact(voice, frame)
        facts[fact.entity] = fact
    return [one_sentence(fact) for fact in facts.values()]


def answer_place(p: Passage, told: Told, answer: str) -> tuple[int, int] | None:
    """The answer's span in the passage's text, or None if the passage does not contain it word for word."""
    span = span_in(p.text[told.start : told.end], answer)
    return (told.start + span[0], told.start + span[1]) if span else None
