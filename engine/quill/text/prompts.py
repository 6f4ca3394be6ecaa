"""Prompts as a user of the service would send them: a context, questions about it, the exact answers."""

from .asker import forms_of
from .contexts import Context, Question
from .template import (
    BEGIN,
    END_OF_TEXT,
    HEADER,
    HEADER_END,
    REPLY,
    TURN_END,
    USER,
    Example,
    Turn,
)
from .values import Voice

CONTEXT_FIRST = [
    ("Context: {c}", " Question: {q}"),
    ("Context: {c}", "\nQuestion: {q}"),
    ("Context:\n{c}", "\n\nQuestion: {q}"),
    ("{c}", "\n\n{q}"),
    ("{c}", "\n{q}"),
    ("{c}", " {q}"),
    ("Use the following passages to answer.\n\n{c}", "\n\nQuestion: {q}"),
    ("Use the text to answer. {c}", " {q}"),
    ("Answer the question from the text below.\n\n{c}", "\n\n{q}"),
    ("Answer from these documents only.\n{c}", "\n\nQuestion: {q}\nAnswer:"),
    ("Passages:\n{c}", "\n\nAnswer this question from the passages: {q}"),
    ("Here is some information.\n\n{c}", "\n\nNow answer: {q}"),
    ("Read this text.\n{c}", "\nQ: {q}"),
    ("Documents:\n\n{c}", "\n\nUser question: {q}"),
    ('"{c}"', "\n\n{q}"),
    ("I have a text: {c}", " My question is: {q}"),
]
QUESTION_FIRST = [
    "Question: {q}\nContext: {c}",
    "{q}\n\n{c}",
    "Question: {q}\n\nPassages:\n{c}",
    "{q} Use this text: {c}",
    "Answer the question: {q}\n{c}",
]
SYSTEMS = [
    "You are a helpful assistant.",
    "Answer from the context.",
    "You answer questions about documents.",
    "Be brief.",
    "You are a careful assistant. Use only the text you are given.",
    "Answer with the exact words of the text.",
]


def _ask(start: int, lead: str, q: Question, tail: str = "", shift: int = 0) -> Turn:
    """A turn whose prompt is lead + question + tail, which begins at character `start`."""

    def move(s):
        return (s[0] + shift, s[1] + shift) if s else None

    at = start + len(lead)
    return Turn(
        lead + q.text + tail + REPLY,
        q.answer + TURN_END,
        move(q.gold),
        move(q.statement),
        (at, at + len(q.text)),
    )


def context_prompt(voice: Voice, context: Context, asked: list[Question], plain: bool = False) -> Example:
    """The context first, then each question in a branch of its own; some branches continue with a second turn."""
    head, tail = CONTEXT_FIRST[1] if plain else voice.pick(CONTEXT_FIRST)
    opening, style = BEGIN, ""
    x = 0.5 if plain else voice.r.random()
    if x > 0.92:  # the system's message wants all answers in a form
        style = voice.pick(list(WISHES))
        opening += f"{HEADER}system{HEADER_END}\n\n{voice.pick(WISHES[style]).strip()}{TURN_END}{USER}"
    elif x < 0.06:  # the context as the system's message
        opening += f"{HEADER}system{HEADER_END}\n\n"
        tail = TURN_END + USER + "{q}"
    elif x < 0.14:
        opening += f"{HEADER}system{HEADER_END}\n\n{voice.pick(SYSTEMS)}{TURN_END}{USER}"
    else:
        opening += USER
    before, after = head.split("{c}")
    shift = len(opening) + len(before)
    prefix = opening + before + context.text + after
    lead, closing = tail.split("{q}")
    branches = []
    queue = list(asked)
    while queue:
        branch: list[Turn] = []
        length = len(prefix)
        turns = 1 if plain or voice.chance(0.85) else voice.r.randint(2, 3)
        for number in range(min(turns, len(queue))):
            q = queue.pop()
            turn = _ask(
                length,
                lead if number == 0 else USER,
                q,
                closing if number == 0 else "",
                shift,
            )
            if style:
                _restyle(q, turn, context, style)
            elif not plain and voice.chance(0.07):
                wanted = voice.pick(list(WISHES))
                if _restyle(q, turn, context, wanted):
                    turn.prompt = turn.prompt.replace(REPLY, voice.pick(WISHES[wanted]) + REPLY)
            length += len(turn.prompt) + len(turn.answer)
            branch.append(turn)
        branches.append(branch)
    spans = [
        (shift + context.offsets[i] + t.start, shift + context.offsets[i] + t.end)
        for i, t in context.statements()
    ]
    return Example(prefix, branches, spans)


FORM_FILES = {"sentence": "sentence", "json": "answer_json"}
WISHES = {
    style: [form for form in forms_of(name)[0] if "{q}" not in form] for style, name in FORM_FILES.items()
}
WISHES["sentence"].append(" Quote the sentence that says so.")


def _restyle(q: Question, turn: Turn, context: Context, style: str) -> bool:
    """Converts an answer to the requested form; False if that is impossible."""
    if not q.gold or not q.statement:
        return False
    sentence = context.text[q.statement[0] : q.statement[1]]
    if style == "json" and '"' not in q.answer:
        turn.answer, turn.gold = '{"answer":"' + q.answer + '"}' + TURN_END, None
    elif style == "sentence" and "\n" not in sentence and sentence.endswith("."):
        turn.answer, turn.gold = sentence + TURN_END, turn.statement
    else:
        return False
    return True


def question_first_prompt(voice: Voice, context: Context, q: Question) -> Example:
    before, after = voice.pick(QUESTION_FIRST).split("{c}")
    lead, rest = before.split("{q}")
    prefix = BEGIN + USER
    shift = len(prefix) + len(lead) + len(q.text) + len(rest)
    turn = _ask(len(prefix), lead, q, rest + context.text + after, shift)
    spans = [
        (shift + context.offsets[i] + t.start, shift + context.offsets[i] + t.end)
        for i, t in context.statements()
    ]
    return Example(prefix, [[turn]], spans)


def completion_prompt(voice: Voice, context: Context, q: Question) -> Example:
    """No chat template: a text that continues with the answer."""
    before, after = voice.pick([("Context: ", "\nQuestion: "), ("", "\n\nQ: "), ("Text: ", "\n\nQuestion: ")])
    prefix = BEGIN + before + context.text
    shift = len(BEGIN) + len(before)
    at = len(prefix) + len(after)
    gold = (q.gold[0] + shift, q.gold[1] + shift) if q.gold else None
    tail = "\nA:" if "Q: " in after else "\nAnswer:"
    return Example(
        prefix,
        [
            [
                Turn(
                    after + q.text + tail,
                    " " + q.answer + END_OF_TEXT,
                    gold,
                    None,
                    (at, at + len(q.text)),
                )
            ]
        ],
    )
