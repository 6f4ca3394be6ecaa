"""Prompts about worlds: the facts, instructions before and after them, conversations, and questions about the facts themselves.

Where a server puts the facts differs: in the system's message, in the first message, or in the last one after turns that did not
have them. All are trained; `PLAIN` is the one that measured best (EXPERIMENTS.md) and that the exam uses.
"""

from collections.abc import Callable

from . import composed
from .asker import Asked, Asker, forms_of, of, without_capital
from .contexts import REFUSAL, framed
from .questions import NOUN_QUESTIONS, slip
from .refusals import near_name
from .relations import BY_SUBJECT
from .skills import SKILLS
from .template import BEGIN, HEADER, HEADER_END, REPLY, TURN_END, USER, Example, Turn
from .values import Voice, capital
from .worlds import HEADS, LAYOUTS, Known, World, draw_relation, draw_subject, listed, thing_kind, world

PLAIN = ("Facts:\n", "\n\n")
TAILS = [
    "\n\n",
    "\n\n",
    "\n\n",
    "\n\nQuestion: ",
    "\n\nQuestion: ",
    "\nQuestion: ",
    "\n\nNow answer: ",
    "\n\nUser: ",
    "\n\n---\n",
]
RULES = [
    "You are a helpful assistant.", "Answer from the facts.", "Use the facts below and nothing else.", "Be brief and exact.", "You know the following.", "You are the assistant of a firm.",
    "If the facts do not hold the answer, say that the documents do not say.", "Answer the question at the end.", "Do not guess.", "You answer questions of customers.", "Follow the instructions of the user.",
]  # fmt: skip
AFTER = [
    " Use the facts above.",
    " Do not guess.",
    "\nAnswer from the facts.",
    " If you do not know, say so.",
    "\nBe exact.",
    " Only use what is written above.",
    "\nDo not make anything up.",
]
ANSWERED, ANSWERED_UNSEEN = forms_of("answered")
SIZES = [1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 8, 8, 10, 10, 10, 12, 15, 20, 30]


def ask_many(a: Asker, text: str, n: int, kinds: dict[str, float] | None = None) -> list[tuple[str, Asked]]:
    """Up to n questions of kinds drawn by weight."""
    weights = kinds or {k: w for k, (w, _) in SKILLS.items()}
    made: list[tuple[str, Asked]] = []
    said: set[tuple] = set()
    for kind in a.voice.r.choices(list(weights), list(weights.values()), k=n * 3):
        if len(made) >= n:
            break
        asked = SKILLS[kind][1](a, text)
        if not asked:
            continue
        key = (asked.question, tuple(asked.before))
        if key not in said:
            said.add(key)
            made.append((kind, asked))
    return made


def turns_of(asked: Asked, start: int, first: str, shift: int, tail: str = "") -> list[Turn]:
    """The conversation before, then the question; `first` precedes the first message's text."""
    made = []
    at = start
    for question, answer in asked.before:
        turn = Turn(first + question + REPLY, answer + TURN_END)
        at += len(turn.prompt) + len(turn.answer)
        made.append(turn)
        first = USER

    def move(s):
        return (s[0] + shift, s[1] + shift) if s else None

    begin = at + len(first)
    made.append(
        Turn(first + asked.question + tail + REPLY, asked.answer + TURN_END, move(asked.gold), move(asked.statement), (begin, begin + len(asked.question)))
    )  # fmt: skip
    return made


def drawn(
    voice: Voice,
    size: int | None = None,
    layout: str | None = None,
    plain: bool = False,
    linked: bool = False,
) -> tuple[World, str]:
    made = world(voice, size or voice.pick(SIZES), linked)
    return made, listed(voice, made, layout or voice.r.choices(LAYOUTS, (5, 2.2, 2.2, 1.6))[0], plain)


def facts_prompt(
    voice: Voice, size: int | None = None, max_facts: int = 0, skills: dict[str, float] | None = None
) -> Example:
    """One world and several conversations about it."""
    drawn_size = min(voice.pick(SIZES), max_facts) if not size and max_facts else size
    made, text = drawn(voice, drawn_size, linked=voice.chance(0.7))
    asker = Asker(voice, made)
    x = voice.r.random()
    head, tail = (PLAIN[0], PLAIN[1]) if x < 0.35 else (voice.pick(HEADS), voice.pick(TAILS))
    rule = voice.pick(RULES) if voice.chance(0.25) else ""
    system = voice.chance(0.3)
    if system:
        opening = f"{BEGIN}{HEADER}system{HEADER_END}\n\n" + (rule + "\n\n" if rule else "") + head
        first = TURN_END + USER
    elif rule and voice.chance(0.5):
        opening, first = f"{BEGIN}{HEADER}system{HEADER_END}\n\n{rule}{TURN_END}{USER}{head}", tail
    else:
        opening, first = BEGIN + USER + (rule + "\n\n" if rule else "") + head, tail
    prefix = opening + text
    branches = []
    for kind, asked in ask_many(asker, text, voice.r.randint(*((5, 12) if max_facts else (4, 9))), skills):
        if kind in ("direct", "reworded") and not asked.before:
            asked.question = framed(voice, asked.question)
        elif kind in ASKED_PLAINLY and voice.chance(0.1):
            asked.question = composed.around(voice, asked.question, without_capital(asked.question))
        closing = voice.pick(AFTER) if kind not in ("json", "short_text") and voice.chance(0.06) else ""
        if kind in JUDGED and not asked.before and voice.chance(0.22):
            holds = asked.answer != REFUSAL
            judge = "\n\n" + voice.pick(ANSWERED) if voice.chance(0.7) else "\n" + voice.pick(ANSWERED)
            branches.append(
                [Turn(first + asked.question + judge + REPLY, ("yes" if holds else "no") + TURN_END)]
            )
            continue
        branches.append(turns_of(asked, len(prefix), first, len(opening), closing))
    if not branches:
        return facts_prompt(voice, size, max_facts, skills)
    spans = [(len(opening) + k.span[0], len(opening) + k.span[1]) for k in made.known]
    return Example(prefix, branches, spans)


ASKED_PLAINLY = {
    "reversed",
    "two",
    "three",
    "hop",
    "compare",
    "list",
    "yes_no",
    "refused",
    "refused_hop",
    "follow_up",
}
JUDGED = {"direct", "reworded", "reversed", "refused", "refused_hop", "yes_no", "two", "hop"}


def late_facts_prompt(voice: Voice) -> Example:
    """Turns without facts first; the facts come with the last message, before what the user wrote."""
    for _ in range(50):
        made, text = drawn(voice, voice.pick([2, 3, 4, 5, 6, 8, 10]))
        asker = Asker(voice, made)
        asks = [q for _, q in ask_many(asker, text, 8, {"follow_up": 1.0})]
        if asks:
            break
    start = asks[0].before
    same = [q for q in asks if q.before == start]
    # Others about the same turns: any further question may follow them.
    same += [
        q
        for _, q in ask_many(asker, text, 3, {"direct": 1, "two": 0.5, "reversed": 0.5, "yes_no": 0.5})
        if not q.before
    ]
    opening = BEGIN
    for question, answer in start:
        opening += USER + question + REPLY + answer + TURN_END
    opening += USER + (PLAIN[0] if voice.chance(0.5) else voice.pick(HEADS))
    first = PLAIN[1] if voice.chance(0.5) else voice.pick(TAILS)
    branches = []
    for asked in same:
        asked.before = []
        branches.append(turns_of(asked, len(opening + text), first, len(opening)))
    return Example(opening + text, branches)


# ---------------------------------------------------------------- judgements about questions
SAME_ASKS, SAME_UNSEEN = forms_of("same_asks")
PAIRS = ["\n1. {a}\n2. {b}", "\n1. {a}\n2. {b}", "\n- {a}\n- {b}", "\nA: {a}\nB: {b}", "\n{a}\n{b}"]


def pair_of_questions(voice: Voice, unseen: bool = False) -> tuple[str, str, bool]:
    """Two questions that ask the same, or a near miss: another relation of the subject, a near name, another value."""
    for _ in range(50):
        kind = (
            thing_kind(voice)
            if voice.chance(0.4) and not voice.new_relations
            else voice.pick(list(BY_SUBJECT))
        )
        k = Known(draw_subject(voice, kind), kind, draw_relation(voice, kind), "")

        def ask(k: Known) -> str:
            r = k.relation
            pool = r.unseen if unseen and r.unseen else r.questions
            if r.nouns and voice.chance(0.35):
                form = voice.pick(NOUN_QUESTIONS[1 if unseen else 0])
                return capital(form.format(n=voice.pick(r.nouns), e=k.subject, s=of(k)))
            return capital(voice.pick(pool).replace("{e}", k.subject))

        one = ask(k)
        if voice.chance(0.5):
            two = ask(k)
            if not unseen and voice.chance(0.1):
                two = slip(voice, two, k.subject)
            if two != one:
                return one, two, True
            continue
        if voice.chance(0.5):
            other = Known(near_name(voice, k.subject, {k.subject}), kind, k.relation, "")
        else:
            r = draw_relation(voice, kind)
            if (
                r.key == k.relation.key
                or set(r.nouns) & set(k.relation.nouns)
                or (r.value == k.relation.value and voice.chance(0.5))
            ):
                continue
            other = Known(k.subject, kind, r, "")
        return one, ask(other), False
    return "Who?", "Why?", False


def judge_pairs(
    voice: Voice, pair: tuple[str, str, bool] | None = None, unseen: bool = False
) -> tuple[str, str]:
    """(text of the message, yes or no)"""
    a, b, same = pair or pair_of_questions(voice, unseen)
    if voice.chance(0.5):
        a, b = b, a
    wish = voice.pick(SAME_UNSEEN if unseen else SAME_ASKS)
    return wish + voice.pick(PAIRS).format(a=a, b=b), "yes" if same else "no"


def same_prompt(voice: Voice, pair: Callable[[Voice], tuple[str, str, bool]] | None = None) -> Example:
    """Several judgements whether two questions ask the same; `pair` draws the questions."""
    branches = []
    for _ in range(8):
        text, says = judge_pairs(voice, pair(voice) if pair else None)
        branches.append([Turn(text + REPLY, says + TURN_END)])
    return Example(BEGIN + USER, branches)


# ---------------------------------------------------------------- a follow-up said so that it stands alone
REWRITE = [
    "Rewrite the last question so that it can be understood alone.", "Rewrite the last question as a standalone question.", "Say the last question again so that it needs no context.",
    "Make the last question stand alone.", "Turn the last question into one that can be understood without the conversation.",
]  # fmt: skip
REWRITE_UNSEEN = ["Restate the last question so that somebody who did not hear the rest understands it."]


def rewrite_asked(voice: Voice, unseen: bool = False) -> Asked:
    while True:
        made, text = drawn(voice, voice.pick([3, 4, 5, 6]), "lines")
        asker = Asker(voice, made, unseen)
        kinds = {"follow_up": 1.0} if voice.chance(0.8) else {"direct": 1.0, "reversed": 0.5}
        for _, q in ask_many(asker, text, 2, kinds):
            if not q.before:  # it stands alone already
                first = ask_many(asker, text, 1, {"direct": 1.0})
                if not first:
                    continue
                q.before, q.standalone = [(first[0][1].question, first[0][1].answer)], q.question
            return q


def rewrite_turns(voice: Voice, q: Asked, as_text: bool, unseen: bool = False) -> tuple[str, list[Turn]]:
    """(prefix, turns); the conversation as its turns, or written out in one message."""
    wish = voice.pick(REWRITE_UNSEEN if unseen else REWRITE)
    if as_text:
        said = "".join(f"User: {a}\nAssistant: {b}\n" for a, b in q.before) + f"User: {q.question}"
        lead = voice.pick(["Conversation:\n", "", "This was said.\n", "Dialogue:\n"])
        body = f"{wish}\n\n{lead}{said}" if voice.chance(0.4) else f"{lead}{said}\n\n{wish}"
        return BEGIN + USER, [Turn(body + REPLY, q.standalone + TURN_END)]
    prefix = BEGIN
    for question, answer in q.before:
        prefix += USER + question + REPLY + answer + TURN_END
    return prefix + USER, [Turn(f"{q.question}\n\n{wish}" + REPLY, q.standalone + TURN_END)]


def rewrite_prompt(voice: Voice) -> Example:
    q = rewrite_asked(voice)
    prefix, turns = rewrite_turns(voice, q, voice.chance(0.5))
    return Example(prefix, [turns])
