"""Contexts: passages joined as in a prompt, and the questions that they answer or nearly answer."""

from collections.abc import Callable
from dataclasses import dataclass

from .facts import attribute_fact
from .passages import (
    Passage,
    Told,
    answer_place,
    frame_rivals,
    passage,
    random_fact,
    rivals,
)
from .template import Span
from .values import Voice

REFUSAL = "The documents do not say."


@dataclass
class Context:
    text: str
    passages: list[Passage]
    offsets: list[int]  # where each passage's text starts in `text`

    def statements(self) -> list[tuple[int, Told]]:
        return [(i, told) for i, p in enumerate(self.passages) for told in p.told]


JOINERS: list[tuple[str, Callable[[int, Passage], str]]] = [
    (" ", lambda i, p: ""),
    ("\n", lambda i, p: ""),
    ("\n\n", lambda i, p: ""),
    (" ", lambda i, p: f"[{i}] "),
    ("\n", lambda i, p: f"[{i}] "),
    ("\n\n", lambda i, p: f"[{i}] "),
    ("\n", lambda i, p: f"{i}. "),
    ("\n", lambda i, p: "- "),
    ("\n\n", lambda i, p: f"Passage {i}: "),
    ("\n\n", lambda i, p: f"Document {i}\n"),
    ("\n\n", lambda i, p: f"Title: {p.title or 'Notes'}\n"),
    ("\n\n", lambda i, p: f"[{i}] {p.title or 'Notes'}\n"),
    ("\n\n", lambda i, p: f"# {p.title or 'Notes'}\n"),
]


def join_context(voice: Voice, passages: list[Passage], plain: bool = False) -> Context:
    glue, label = JOINERS[0] if plain else voice.pick(JOINERS)
    text, offsets = "", []
    for number, p in enumerate(passages, 1):
        text += (glue if text else "") + label(number, p)
        offsets.append(len(text))
        text += p.text
    return Context(text, passages, offsets)


def make_context(voice: Voice, n: int, hard: float, filler: float = 0.2, plain: bool = False) -> Context:
    """n passages; with probability `hard` they are rivals, told apart by a single key."""
    x = voice.r.random()
    if n > 1 and x < hard:
        made = rivals(voice, n) if x < hard * 0.75 else frame_rivals(voice, n)
        if not plain and voice.chance(0.3):
            made[-1] = passage(voice, filler=filler)
    else:
        made = [passage(voice, 1 if plain else None, filler) for _ in range(n)]
    voice.r.shuffle(made)
    return join_context(voice, made, plain)


@dataclass
class Question:
    text: str
    answer: str
    gold: Span | None  # in characters of the context
    statement: Span | None


# Words that people write around a question.
FRAMES = ["Please answer: {q}", "Quick question: {q}", "{q} Thank you.", "I have a question. {q}", "{q} Please be exact.", "Hello, {l}", "So {l}",
          "According to the text, {l}", "One thing I want to know: {l}", "Does the text say this? {q}", "From the text: {l}", "{q} Answer briefly.",
          "{q} I could not find it.", "Sorry, but {l}", "My question: {q}"]  # fmt: skip


def framed(voice: Voice, question: str) -> str:
    """One question in eight with words around it; a question word loses its capital after them."""
    if not voice.chance(0.12):
        return question
    first = question.split(" ", 1)[0]
    lower = question[0].lower() + question[1:] if first in OPENERS else question
    return voice.pick(FRAMES).format(q=question, l=lower)


OPENERS = {
    "Who",
    "What",
    "When",
    "Where",
    "Why",
    "How",
    "Which",
    "Whose",
    "To",
    "From",
    "By",
    "In",
    "At",
    "For",
    "Do",
    "Does",
    "Did",
    "Is",
    "Are",
}


def questions(voice: Voice, context: Context, n: int, unseen: bool = False) -> list[Question]:
    """Up to n questions about different facts where possible, each answered by an exact span."""
    told = context.statements()
    voice.r.shuffle(told)
    made: list[Question] = []
    used: set[str] = set()
    for i, t in told * 3:
        if len(made) >= n:
            break
        asks = [a for a in t.asks if a.unseen == unseen and a.question not in used]
        if not asks:
            continue
        ask = voice.pick(asks)
        place = answer_place(context.passages[i], t, ask.answer)
        if not place:
            continue
        used.add(ask.question)
        text = ask.question if unseen or voice.held_out else framed(voice, ask.question)
        at = context.offsets[i]
        gold = (at + place[0], at + place[1])
        made.append(
            Question(
                text,
                context.text[gold[0] : gold[1]],
                gold,
                (at + t.start, at + t.end),
            )
        )
    return made


def absent_question(voice: Voice, context: Context) -> Question:
    """A question that the context does not answer: near it (a known key beside an unknown one) or far from it."""
    x = voice.r.random()
    said = [a for _, t in context.statements() for a in t.asks]
    for _ in range(20):
        fact = random_fact(voice)
        if x < 0.5:  # about an entity of the context, but an unstated relation
            known = voice.pick(said).question
            names = [
                w
                for w in known.replace("?", "").replace(".", "").split()[1:]
                if w[0].isupper() and not w.endswith("'s")
            ]
            if names:
                fact = attribute_fact(voice, " ".join(names[-2:]))
        question = voice.pick([a for a in fact.asks if not a.unseen]).question
        if fact.topic not in context.text and all(question != a.question for a in said):
            return Question(question, REFUSAL, None, None)
    return Question(f"What is the {voice.word()} of {voice.name()}?", REFUSAL, None, None)
