"""The training mix: questions on contexts, and lists of pairs, repeats, completions, plain text and small talk."""

from collections.abc import Collection

from .text import lexicon as lx
from .text.contexts import Context, Question, absent_question, make_context, questions
from .text.ordinary import ordinary_prompt, ordinary_same_prompt
from .text.organisations import organisation_prompt, organisation_same_prompt
from .text.passages import Passage, Told, passage, random_fact
from .text.prompts import SYSTEMS, completion_prompt, context_prompt, question_first_prompt
from .text.reading import reading_prompt, reading_question_first
from .text.talks import facts_prompt, late_facts_prompt, rewrite_prompt, same_prompt
from .text.template import (
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
from .text.values import Voice, capital


def plain_text(voice: Voice) -> Example:
    text = "\n".join(passage(voice).text for _ in range(voice.r.randint(1, 3)))
    return Example(BEGIN, [[Turn("", text + END_OF_TEXT)]])


def pairs_prompt(voice: Voice) -> Example:
    """A list of pairs of almost anything: copying and matching without grammar."""
    kinds = [
        "word",
        "name",
        "code",
        "number",
        "person",
        "words",
        "date",
        "money",
        "place",
        "thing",
        "odd",
    ]
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
        made.append(
            Question(
                form.format(k=key),
                value,
                (at, at + len(value)),
                (start, at + len(value)),
            )
        )
    voice.r.shuffle(made)
    context = Context(text, [Passage(text, [Told([], s, a + len(v)) for _, v, s, a in told])], [0])
    return context_prompt(voice, context, made[:6])


def repeat_prompt(voice: Voice) -> Example:
    kind = voice.r.random()
    if kind < 0.3:
        text = voice.odd()
    elif kind < 0.7:
        text = ", ".join(voice.value() for _ in range(voice.r.randint(1, 5)))
    else:
        text = random_fact(voice).sentence
    wish = voice.pick(
        [
            "Repeat: ",
            "Repeat this text: ",
            "Say: ",
            "Copy the following.\n\n",
            "Write this again: ",
        ]
    )
    start = len(BEGIN + USER + wish)
    return Example(
        BEGIN + USER,
        [[Turn(wish + text + REPLY, text + TURN_END, (start, start + len(text)))]],
    )


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


# Shares of the drawn examples. Examples of the second half are about twice as long as those of the first.
MIX = {
    "context": 0.34,
    "question_first": 0.05,
    "pairs": 0.06,
    "completion": 0.03,
    "plain": 0.01,
    "repeat": 0.04,
    "chat": 0.02,
    "long": 0.03,
    "facts": 0.22,
    "late_facts": 0.03,
    "ordinary": 0.08,
    "same": 0.025,
    "ordinary_same": 0.025,
    "organisation": 0.1,
    "organisation_same": 0.02,
    "rewrite": 0.04,
    "reading": 0.12,
    "reading_first": 0.02,
}


def shares(text: str, kinds: Collection[str] = MIX) -> dict[str, float] | None:
    """Shares as the command line writes them: `facts=0.45,reading=0.06`. Kinds that are not named are left out."""
    if not text:
        return None
    given = {name.strip(): float(share) for name, share in (part.split("=") for part in text.split(","))}
    unknown = given.keys() - set(kinds)
    if unknown:
        raise ValueError(f"There is no kind {min(unknown)!r}. Kinds: {', '.join(kinds)}.")
    return given


WHOLE = {
    "plain": plain_text,
    "repeat": repeat_prompt,
    "chat": chat_prompt,
    "pairs": pairs_prompt,
    "late_facts": late_facts_prompt,
    "ordinary": ordinary_prompt,
    "same": same_prompt,
    "ordinary_same": ordinary_same_prompt,
    "organisation": organisation_prompt,
    "organisation_same": organisation_same_prompt,
    "rewrite": rewrite_prompt,
    "reading": reading_prompt,
    "reading_first": reading_question_first,
}


def example(
    voice: Voice,
    most: int = 5,
    hard: float = 0.5,
    absent: float = 0.06,
    mix: dict[str, float] | None = None,
    max_facts: int = 0,
    skills: dict[str, float] | None = None,
) -> Example:
    """One training example with contexts of up to `most` passages, or worlds of up to `max_facts` facts (0: any number).

    `skills`: shares of the kinds of questions about a world; those of text/skills.py by default.
    """
    mix = mix or MIX
    kind = voice.r.choices(list(mix), list(mix.values()))[0]
    if kind == "facts":
        return facts_prompt(voice, max_facts=max_facts, skills=skills)
    if kind in WHOLE:
        return WHOLE[kind](voice)
    x = voice.r.random()  # a single passage is short: many questions for few tokens
    n = (
        voice.r.randint(6, 12)
        if kind == "long"
        else most
        if x < 0.35
        else 1
        if x < 0.6
        else voice.r.randint(1, most)
    )
    for _ in range(100):
        context = make_context(voice, n, hard, filler=voice.pick([0.0, 0.2, 0.4]))
        asked = questions(
            voice,
            context,
            1 if kind in ("question_first", "completion") else voice.r.randint(4, 8),
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
    """Words of ordinary English in random order, for the tokenizer only, so that it knows them all."""
    pool = [
        *lx.COMMON,
        *lx.ATTRIBUTES,
        *lx.HELD_OUT_ATTRIBUTES,
        *lx.OBJECTS,
        *lx.JOBS,
        *lx.FOODS,
    ]
    return " ".join(capital(w) if voice.chance(0.15) else w for w in voice.r.choices(pool, k=words))
