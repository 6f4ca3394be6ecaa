"""General sentences of rules, descriptions and habits: who does, can or must do what, where, when, how often, for how long.

Built from parts, so that any part can be asked for by inverting the sentence: "Guests can leave their coats in the hall
every evening." -> "Where can guests leave their coats?", "Who can leave their coats in the hall?"
"""

from . import lexicon as lx
from .clause_words import ACTORS, CONDITIONS, GOODS, LONG, MODALS, OFTEN, ONE_ACTOR, VERBS, WAYS
from .facts import Ask, Fact
from .values import Voice, capital


def noun_phrase(voice: Voice, noun: str, plural: bool) -> str:
    """A noun with the modifiers of ordinary text."""
    x = voice.r.random()
    front = (
        voice.pick(["the", "our", "the", "this"])
        if not plural
        else voice.pick(["", "", "all", "the", "most", "new", "old"])
    )
    if x < 0.3:
        front += " " + voice.adjective()
    text = f"{front} {noun}".strip()
    if x > 0.78:
        text += " " + voice.pick(
            [
                f"from {voice.town()}",
                f"for {voice.pick(ACTORS)}",
                f"with {voice.a_thing()}",
                f"on the {voice.ordinal()} floor",
                f"near the {voice.pick(lx.PUBLIC_PLACES)}",
                f"of the {voice.pick(ONE_ACTOR)}",
                f"under {voice.small_number()} years",
            ]
        )
    return text


def _where(voice: Voice) -> str:
    x = voice.r.random()
    if x < 0.5:
        return voice.spot()
    first = (
        f"{voice.pick(['in', 'at', 'behind', 'beside', 'near', 'under', 'above', 'outside', 'next to'])} the "
    )
    text = first + voice.pick(
        [
            *lx.ROOMS,
            *lx.PUBLIC_PLACES,
            *lx.CONTAINERS,
            "main road",
            "front door",
            "window",
            "old wall",
        ]
    )
    return text + (
        f" {voice.pick(['near', 'behind', 'under', 'of'])} the {voice.pick(ONE_ACTOR)}" if x > 0.8 else ""
    )


def _when(voice: Voice) -> str:
    return voice.pick([f"on {voice.pick(lx.DAYS)}", f"at {voice.clock()}", f"in {voice.pick(lx.MONTHS)}", f"before {voice.clock()}",
                       f"after {voice.pick(lx.DAYS)}", f"within {voice.span_of_time()}", "before breakfast", "after dark",
                       f"from {voice.pick(lx.DAYS)} to {voice.pick(lx.DAYS)}", f"by {voice.pick(lx.MONTHS)}"])  # fmt: skip


# Paraphrases of role questions; events hold out some of theirs for the exam.
ALSO = {"Where": ["In which place", "Whereabouts"], "When": ["At what time", "On which day or at what time"],
        "Why": ["For what reason"], "How": ["In what way"]}  # fmt: skip
TOLD = ["Tell me {c}.", "Say {c}.", "Do you know {c}?", "I wonder {c}."]


ROLES = {"Where": _where, "When": _when, "How often": lambda v: v.pick(OFTEN), "How long": lambda v: v.pick(LONG),
         "How": lambda v: v.pick(WAYS), "Why": lambda v: "because " + v.reason() if v.chance(0.5) else "to " + v.purpose()}  # fmt: skip


SAID_ONLY = {
    "When": ("on ", "in ", "at "),
    "How long": ("for ",),
    "Why": ("because ", "to "),
}


def _answer(role: str, phrase: str) -> str:
    """The answer without its leading preposition, as in the other sources of facts."""
    for head in SAID_ONLY.get(role, ()):
        phrase = phrase.removeprefix(head)
    return phrase


def _inverted(
    subject: str, modal: str, verb: tuple[str, str, str], plural: bool
) -> tuple[str, str, str, str]:
    """(statement's verb phrase, the question's auxiliary, the rest after the subject, the verb phrase asking for the subject)"""
    base, third, _ = verb
    if modal in ("need to", "have to"):
        if plural:
            return (
                f"{modal} {base}",
                "do",
                f"{modal} {base}",
                f"{modal.replace('have', 'has').replace('need', 'needs')} {base}",
            )
        word = modal.replace("have", "has").replace("need", "needs")
        return f"{word} {base}", "does", f"{modal} {base}", f"{word} {base}"
    if modal:
        return f"{modal} {base}", modal, base, f"{modal} {base}"
    return (base, "do", base, third) if plural else (third, "does", base, third)


def clause_fact(voice: Voice, subject: str | None = None) -> Fact:
    plural = voice.chance(0.6) if subject is None else False
    s = subject or noun_phrase(voice, voice.pick(ACTORS if plural else ONE_ACTOR), plural)
    o = noun_phrase(voice, voice.pick(GOODS), True)
    verb = voice.pick(VERBS)
    modal = voice.pick(MODALS) if voice.chance(0.55) else ""
    names = voice.r.sample(list(ROLES), voice.pick([0, 1, 1, 1, 2, 2]))
    names.sort(key=lambda n: n == "Why")
    roles = [(n, ROLES[n](voice)) for n in names]
    asks: list[Ask] = []
    second: str | None

    def ask(question: str, answer: str) -> None:
        asks.append(Ask(capital(question), answer))

    tail = "".join(f" {phrase}" for _, phrase in roles)
    hint = f" {roles[0][1]}" if roles and voice.chance(0.5) else ""
    if voice.chance(0.3) and modal not in (
        "need to",
        "have to",
    ):  # passive: the goods are the subject
        be = f"{modal} be" if modal else "are"
        by = f" by {s}" if voice.chance(0.4) else ""
        body, second = f"{o} {be} {verb[2]}{by}{tail}", None
        aux, rest = (modal, f"be {verb[2]}") if modal else ("are", verb[2])
        for name, phrase in roles:
            for word in [name, *ALSO.get(name, [])]:
                ask(f"{word} {aux} {o} {rest}?", _answer(name, phrase))
            ask(voice.pick(TOLD).format(c=f"{name.lower()} {o} {be} {verb[2]}"), _answer(name, phrase))
            if name == "Why":
                ask(f"What is the reason that {o} {be} {verb[2]}?", _answer(name, phrase))
        ask(f"What {be} {verb[2]}{hint}?", o)
        if by:
            ask(f"Who {aux} {o} {rest} by?", s)
            ask(f"By whom {aux} {o} {rest}?", s)
    else:
        said, aux, rest, who = _inverted(s, modal, verb, plural)
        body = f"{s} {said} {o}{tail}"
        second = f"{'They' if plural else 'It'} {said} {o}{tail}."
        for name, phrase in roles:
            for word in [name, *ALSO.get(name, [])]:
                ask(f"{word} {aux} {s} {rest} {o}?", _answer(name, phrase))
            ask(voice.pick(TOLD).format(c=f"{name.lower()} {s} {said} {o}"), _answer(name, phrase))
            if name == "Why":
                ask(f"What is the reason that {s} {said} {o}?", _answer(name, phrase))
        ask(f"What {aux} {s} {rest}{hint}?", o)
        ask(f"Who {who} {o}{hint}?", s)
        ask(voice.pick(TOLD).format(c=f"who {who} {o}"), s)
        ask(voice.pick(TOLD).format(c=f"what {s} {said}{hint}"), o)
    sentence = capital(body) + "."
    if roles and voice.chance(0.2) and not roles[-1][1].startswith("because"):
        front = roles[-1][1]
        sentence = capital(front) + ", " + body[: len(body) - len(front) - 1] + "."
    return Fact(sentence, asks, f"clause-{verb[0]}", s, value=o, pronoun_sentence=second)


def condition_fact(voice: Voice) -> Fact:
    """A condition and its consequence."""
    c, act = voice.pick(CONDITIONS), voice.action()
    sentence = voice.pick([f"If {c}, {act}.", f"If {c}, please {act}.", f"When {c}, you should {act}.", f"Please {act} if {c}.",
                           f"You must {act} when {c}."])  # fmt: skip
    asks = [
        Ask(q.format(c=c), act)
        for q in (
            "What should I do if {c}?",
            "What must you do when {c}?",
            "What do I do if {c}?",
            "Say what to do if {c}.",
            "If {c}, what should be done?",
            "Suppose that {c}. What now?",
        )
    ]
    asks += [
        Ask(q.format(a=act), c)
        for q in (
            "When should I {a}?",
            "When must you {a}?",
            "In what case should I {a}?",
            "Under which condition do I {a}?",
        )
    ]
    return Fact(capital(sentence), asks, "condition", c, value=act)


def amount_fact(voice: Voice) -> Fact:
    """An amount of a described thing, with its hedges: how many, how much, how old, how far."""
    s = noun_phrase(voice, voice.pick([*ONE_ACTOR, *lx.OBJECTS, *lx.PUBLIC_PLACES]), False)
    hedge = voice.pick(
        [
            "",
            "",
            "",
            "about ",
            "almost ",
            "more than ",
            "nearly ",
            "at least ",
            "up to ",
        ]
    )
    goods = voice.pick([*GOODS, *lx.GROUPS])
    x = voice.r.randrange(7)
    n, m, t = (
        hedge + voice.number(),
        hedge + voice.money(),
        hedge + voice.span_of_time(),
    )
    if x == 0:
        v, said, asked = (
            n,
            f"{s} has {n} {goods}",
            [f"How many {goods} does {s} have?", f"How many {goods} are there in {s}?"],
        )
    elif x == 1:
        v, said, asked = (
            m,
            f"{s} {voice.pick(['costs', 'will cost', 'is expected to cost'])} {m}",
            [
                f"How much will {s} cost?",
                f"What does {s} cost?",
                f"How much does {s} cost?",
                f"What is the price of {s}?",
            ],
        )
    elif x == 2:
        v, said, asked = (
            t,
            f"{s} is {t} old",
            [f"How old is {s}?", f"What is the age of {s}?"],
        )
    elif x == 3:
        d = hedge + voice.measure()
        v, said, asked = (
            d,
            f"{s} is {d} away",
            [f"How far away is {s}?", f"How far is {s}?"],
        )
    elif x == 4:
        v, said, asked = (
            n,
            f"{s} sold {n} {goods} last year",
            [f"How many {goods} did {s} sell?", f"How many {goods} were sold by {s}?"],
        )
    elif x == 5:
        v, said, asked = (
            t,
            f"{voice.pick(['a visit to', 'the trip to', 'the work on', 'a tour of'])} {s} takes {t}",
            [
                f"How long does it take to visit {s}?",
                f"How long does a tour of {s} take?",
                f"How much time do I need for {s}?",
            ],
        )
    else:
        v, said, asked = (
            m,
            f"{voice.pick(['entry to', 'a day in', 'a seat in', 'parking at'])} {s} costs {m}",
            [
                f"How much does it cost to visit {s}?",
                f"How much do visitors pay at {s}?",
                f"What is the price for {s}?",
            ],
        )
    return Fact(capital(said) + ".", [Ask(capital(q), v) for q in asked], "amount", s, value=v)


def story_fact(voice: Voice) -> Fact:
    """Someone did something while, before or after something else: the question is not about the other clause."""
    one, two = voice.person(), voice.someone()
    a, b = voice.r.sample(STORY, 2)
    o, p = voice.a_thing(), voice.spot()
    did = a.format(o=o, p=p, t=two)
    other = b.format(o=voice.a_thing(), p=voice.spot(), t=voice.role())
    link = voice.pick(
        [
            "while {w} {x}",
            "before {w} {x}",
            "after {w} {x}",
            "and then {x}",
            "but never {x}",
        ]
    )
    who = "she" if sum(one.encode()) % 2 else "he"
    sentence = f"{one} {did} {link.format(w=who, x=other)}."
    asks = [Ask(f"Who {did}?", one)]
    base = did.split()[0]
    if base in STORY_BASE:
        rest = did.removeprefix(base)
        if o in did:
            asks.append(
                Ask(
                    f"What did {one} {STORY_BASE[base]}{rest.split(o)[0].rstrip()}?".replace(
                        " with?", " with?"
                    ),
                    o,
                )
            )
        if p in did:
            asks.append(
                Ask(
                    f"Where did {one} {STORY_BASE[base]}{rest.replace(p, '').rstrip()}?",
                    p,
                )
            )
        if two in did:
            asks.append(Ask(f"Who did {one} {STORY_BASE[base]}?", two))
    return Fact(sentence, asks, f"story-{base}", one, value=one)


STORY = ["found {o} {p}", "lost {o} {p}", "met {t} {p}", "sat down {p}", "saw {t} {p}", "waited {p}", "bought {o} {p}", "heard {t} {p}",
         "hid {o} {p}", "helped {t}", "slept {p}", "worked {p}", "left {o} {p}", "grew up {p}", "called {t}", "broke {o}", "fell asleep {p}",
         "made {o}", "stood {p}", "arrived {p}"]  # fmt: skip
STORY_BASE = {"found": "find", "lost": "lose", "met": "meet", "sat": "sit", "saw": "see", "waited": "wait", "bought": "buy", "heard": "hear",
              "hid": "hide", "helped": "help", "slept": "sleep", "worked": "work", "left": "leave", "grew": "grow", "called": "call",
              "broke": "break", "fell": "fall", "made": "make", "stood": "stand", "arrived": "arrive"}  # fmt: skip


def general_fact(voice: Voice) -> Fact:
    x = voice.r.random()
    return (
        clause_fact(voice)
        if x < 0.6
        else amount_fact(voice)
        if x < 0.78
        else condition_fact(voice)
        if x < 0.86
        else story_fact(voice)
    )
