"""Prompts as a user of the service would send them: a context, questions about it, the exact answers.

One context with several separate questions is one Example: a shared prefix and a branch per question. Branches do not see
each other, so each is exactly the single-question prompt, for a fraction of the tokens.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from . import lexicon as lx
from .facts import attribute_fact
from .passages import Passage, Told, answer_place, frame_rivals, passage, random_fact, rivals
from .values import Voice, capital

BEGIN, END_OF_TEXT = "<|begin_of_text|>", "<|end_of_text|>"
HEADER, HEADER_END, TURN_END = "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"
USER, ASSISTANT = f"{HEADER}user{HEADER_END}\n\n", f"{HEADER}assistant{HEADER_END}\n\n"
REPLY = TURN_END + ASSISTANT
REFUSAL = "The documents do not say."
Span = tuple[int, int]


@dataclass
class Turn:
    """Spans are in characters of the whole text: the example's prefix and the branch up to here."""

    prompt: str
    answer: str  # with its end token
    gold: Span | None = None  # where the context holds the answer
    statement: Span | None = None  # the sentence that states it
    question: Span | None = None


@dataclass
class Example:
    prefix: str
    branches: list[list[Turn]]
    spans: list[Span] = field(default_factory=list)  # all statements of the context
    train_on_prompt: bool = False


@dataclass
class Context:
    text: str
    passages: list[Passage]
    offsets: list[int]  # where each passage's text starts in `text`

    def statements(self) -> list[tuple[int, Told]]:
        return [(i, told) for i, p in enumerate(self.passages) for told in p.told]


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
        at = context.offsets[i]
        gold = (at + place[0], at + place[1])
        made.append(Question(ask.question, context.text[gold[0] : gold[1]], gold, (at + t.start, at + t.end)))
    return made


def absent_question(voice: Voice, context: Context) -> Question:
    """A question that the context does not answer: near it (a known key beside an unknown one) or far from it."""
    x = voice.r.random()
    said = [a for _, t in context.statements() for a in t.asks]
    for _ in range(20):
        fact = random_fact(voice)
        if x < 0.5:  # about an entity of the context, but a relation that it does not tell
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


def _ask(start: int, lead: str, q: Question, tail: str = "", shift: int = 0) -> Turn:
    """A turn whose prompt is lead + question + tail, the text before it being `start` characters long."""
    move = lambda s: (s[0] + shift, s[1] + shift) if s else None  # noqa: E731
    at = start + len(lead)
    return Turn(
        lead + q.text + tail + REPLY,
        q.answer + TURN_END,
        move(q.gold),
        move(q.statement),
        (at, at + len(q.text)),
    )


def context_prompt(voice: Voice, context: Context, asked: list[Question], plain: bool = False) -> Example:
    """The context first, then each question in a branch of its own; some branches go on with a second turn."""
    head, tail = CONTEXT_FIRST[1] if plain else voice.pick(CONTEXT_FIRST)
    opening = BEGIN
    x = 1.0 if plain else voice.r.random()
    if x < 0.06:  # the context as the system's message
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
                (TURN_END if False else "") + (lead if number == 0 else USER),
                q,
                closing if number == 0 else "",
                shift,
            )
            _restyle(voice, turn, q, context, plain)
            length += len(turn.prompt) + len(turn.answer)
            branch.append(turn)
        branches.append(branch)
    spans = [
        (shift + context.offsets[i] + t.start, shift + context.offsets[i] + t.end)
        for i, t in context.statements()
    ]
    return Example(prefix, branches, spans)


def _restyle(voice: Voice, turn: Turn, q: Question, context: Context, plain: bool) -> None:
    """Now and then the prompt asks for another form of reply than the bare span."""
    x = voice.r.random()
    if plain or x > 0.07 or not q.gold or not q.statement:
        return
    sentence = context.text[q.statement[0] : q.statement[1]]
    if x < 0.035 and "\n" not in sentence and sentence.endswith("."):
        wish = voice.pick(
            [" Answer in one sentence.", " Quote the sentence that says so.", " Reply with a full sentence."]
        )
        turn.prompt = turn.prompt.replace(REPLY, wish + REPLY)
        turn.answer, turn.gold = sentence + TURN_END, turn.statement
    elif x >= 0.035 and '"' not in q.answer:
        wish = voice.pick(
            [" Answer as JSON.", ' Reply with JSON like {"answer": "..."}.', " Write the answer as JSON."]
        )
        turn.prompt = turn.prompt.replace(REPLY, wish + REPLY)
        turn.answer = '{"answer": "' + q.answer + '"}' + TURN_END


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
    """No chat template: a text that goes on with the answer."""
    before, after = voice.pick([("Context: ", "\nQuestion: "), ("", "\n\nQ: "), ("Text: ", "\n\nQuestion: ")])
    prefix = BEGIN + before + context.text
    shift = len(BEGIN) + len(before)
    at = len(prefix) + len(after)
    gold = (q.gold[0] + shift, q.gold[1] + shift) if q.gold else None
    tail = "\nA:" if "Q: " in after else "\nAnswer:"
    return Example(
        prefix,
        [[Turn(after + q.text + tail, " " + q.answer + END_OF_TEXT, gold, None, (at, at + len(q.text)))]],
    )


def plain_text(voice: Voice) -> Example:
    text = "\n".join(passage(voice).text for _ in range(voice.r.randint(1, 3)))
    return Example(BEGIN, [[Turn("", text + END_OF_TEXT)]])


def pairs_prompt(voice: Voice) -> Example:
    """A list of pairs of almost anything: copying and matching with no grammar to lean on."""
    kinds = "word name code number person words date money place thing".split()
    key_kind, value_kind = voice.pick(kinds), voice.pick(kinds)
    pairs: dict[str, str] = {}
    n = voice.r.randint(3, 10)
    while len(pairs) < n:
        pairs[voice.make(key_kind)] = voice.make(value_kind)
    glue, link = voice.pick(
        [
            (". ", " is "),
            ("; ", ": "),
            (", ", " = "),
            (". ", " has "),
            ("\n", ": "),
            ("\n", " - "),
            ("\n", "\t"),
        ]
    )
    told, text = [], ""
    for key, value in pairs.items():
        text += glue if text else ""
        told.append((key, value, len(text), len(text) + len(key) + len(link)))
        text += key + link + value
    form = voice.pick(["{k}?", "What is {k}?", "{k}", "What goes with {k}?", "Find {k}."])
    made = []
    for key, value, start, at in told:
        made.append(Question(form.format(k=key), value, (at, at + len(value)), (start, at + len(value))))
    voice.r.shuffle(made)
    context = Context(text, [Passage(text, [Told([], s, a + len(v)) for _, v, s, a in told])], [0])
    return context_prompt(voice, context, made[:6])


def repeat_prompt(voice: Voice) -> Example:
    text = (
        ", ".join(voice.value() for _ in range(voice.r.randint(1, 5)))
        if voice.chance(0.6)
        else random_fact(voice).sentence
    )
    wish = voice.pick(
        ["Repeat: ", "Repeat this text: ", "Say: ", "Copy the following.\n\n", "Write this again: "]
    )
    start = len(BEGIN + USER + wish)
    return Example(BEGIN + USER, [[Turn(wish + text + REPLY, text + TURN_END, (start, start + len(text)))]])


WHO = "I am Quill, a tiny language model. I answer questions from the text you give me."
CHAT = [
    (["Hello", "Hi", "Hello!", "Hey", "Hi there", "Good morning", "Good evening", "Hello there"], "Hello! How can I help you?"),
    (["Thanks", "Thank you", "Thanks a lot", "Thank you!", "Thanks for your help"], "You are welcome."),
    (["Who are you?", "What are you?", "What is your name?", "Introduce yourself.", "Tell me about yourself"], WHO),
    (["What can you do?", "How can you help me?", "What do you do?", "Help"], "I answer questions from the text you give me."),
    (["Bye", "Goodbye", "See you later", "Good night"], "Goodbye!"),
    (["How are you?", "How are you today?"], "I am well, thank you. How can I help you?"),
    (["Tell me a joke.", "Write a poem.", "What is the weather today?", "Who won the election?", "What time is it?"],
     "I can only answer from a text that you give me."),
]  # fmt: skip


def chat_prompt(voice: Voice) -> Example:
    system = f"{HEADER}system{HEADER_END}\n\n{voice.pick(SYSTEMS)}{TURN_END}" if voice.chance(0.2) else ""
    turns, start = [], ""
    for _ in range(voice.pick([1, 1, 2])):
        asked, reply = voice.pick(CHAT)
        turns.append(Turn(start + voice.pick(asked) + REPLY, reply + TURN_END))
        start = USER
    return Example(BEGIN + system + USER, [turns])


# What training sees, in shares of the examples drawn; `lex` words are heard often enough through the passages.
MIX = {
    "context": 0.66,
    "question_first": 0.09,
    "pairs": 0.1,
    "completion": 0.04,
    "plain": 0.02,
    "repeat": 0.03,
    "chat": 0.02,
    "long": 0.04,
}


def example(
    voice: Voice, most: int = 5, hard: float = 0.5, absent: float = 0.06, mix: dict[str, float] | None = None
) -> Example:
    """One training example with contexts of up to `most` passages."""
    mix = mix or MIX
    kind = voice.r.choices(list(mix), list(mix.values()))[0]
    if kind in ("plain", "repeat", "chat", "pairs"):
        return {"plain": plain_text, "repeat": repeat_prompt, "chat": chat_prompt, "pairs": pairs_prompt}[
            kind
        ](voice)
    n = voice.r.randint(6, 12) if kind == "long" else most if voice.chance(0.5) else voice.r.randint(1, most)
    for _ in range(100):
        context = make_context(voice, n, hard, filler=voice.pick([0.0, 0.2, 0.4]))
        asked = questions(
            voice, context, 1 if kind in ("question_first", "completion") else voice.r.randint(4, 8)
        )
        if asked:
            break
    if kind == "question_first":
        return question_first_prompt(voice, context, asked[0])
    if kind == "completion":
        return completion_prompt(voice, context, asked[0])
    for i in range(len(asked)):
        if voice.chance(absent):
            asked[i] = absent_question(voice, context)
    return context_prompt(voice, context, asked)


def lexicon_text(voice: Voice, words: int = 400) -> str:
    """Words of ordinary English in no order: only the tokenizer reads it, so that it knows them all."""
    pool = [*lx.COMMON, *lx.ATTRIBUTES, *lx.HELD_OUT_ATTRIBUTES, *lx.OBJECTS, *lx.JOBS, *lx.FOODS]
    return " ".join(capital(w) if voice.chance(0.15) else w for w in voice.r.choices(pool, k=words))
