"""Events: who did what, where, when, why, how, with whom, for how much; and a question for every stated role."""

from . import lexicon as lx
from .facts import Ask, Fact
from .values import Voice, capital

GIVING = {
    "give",
    "send",
    "lend",
    "show",
    "hand",
    "bring",
    "donate",
    "recommend",
    "sell",
}
TAKING = {
    "buy",
    "borrow",
    "steal",
    "take",
    "rent",
    "receive",
    "purchase",
    "collect",
    "order",
}
PAYING = {"buy", "sell", "purchase", "rent", "auction", "order", "import"}
# "{a}" the agent, "{o}" the object, "{pp}" the participle, "{past}", "{base}"; tails follow
ACTIVE = "{a} {past} {o}"
PASSIVE = "{o} {was} {pp} by {a}"


def _verb_and_object(voice: Voice) -> tuple[tuple[str, str, str], str, bool]:
    """(verb forms, object phrase, whether the object is a person)"""
    x = voice.r.random()
    if voice.new_relations:
        if x < 0.6:
            verb = voice.pick(lx.HELD_OUT_VERBS_OBJECT)
            return (verb, voice.someone(), True) if verb[0] == "hire" else (verb, voice.thing(), False)
        return voice.pick(lx.HELD_OUT_VERBS_WORK), _work(voice), False
    if x < 0.55:
        y = voice.r.random()
        thing = (
            voice.thing()
            if y < 0.6
            else voice.a_thing()
            if y < 0.75
            else f"{voice.small_number()} {voice.plural()}"
        )
        return (
            voice.pick(lx.VERBS_OBJECT),
            thing if y < 0.9 else f"the {voice.product()}",
            False,
        )
    if x < 0.72:
        return voice.pick(lx.VERBS_PERSON), voice.someone(), True
    if x < 0.87:
        return voice.pick(lx.VERBS_WORK), _work(voice), False
    return voice.pick(lx.VERBS_FOOD), voice.food(), False


def _work(voice: Voice) -> str:
    x = voice.r.random()
    return (
        voice.book_title()
        if x < 0.35
        else f"{voice.pick(['the', 'a'])} {voice.pick(lx.WORKS)} about {voice.town() if x < 0.6 else voice.subject()}"
    )


def _time(voice: Voice) -> str:
    x = voice.r.random()
    if x < 0.3:
        return f"on {voice.pick(lx.DAYS)}"
    if x < 0.5:
        return f"in {voice.pick(lx.MONTHS)}" if x < 0.4 else f"in {voice.year()}"
    if x < 0.75:
        return f"on {voice.r.randint(1, 28)} {voice.pick(lx.MONTHS)}" + (
            f" {voice.year()}" if x < 0.65 else ""
        )
    if x < 0.85:
        return f"at {voice.clock()}"
    return voice.pick(
        [
            "last week",
            "yesterday",
            "last summer",
            "two days ago",
            "in the spring",
            "before breakfast",
            "after lunch",
            "last night",
        ]
    )


def _bare(phrase: str) -> str:
    """'on Monday' answers as 'Monday': the preposition belongs to the sentence, not to the answer."""
    head, _, rest = phrase.partition(" ")
    return rest if head in {"on", "in", "at"} and rest and not rest.startswith("the spring") else phrase


# "Tell me ..." is held out for the exam.
INDIRECT = ["Do you know {c}?", "Say {c}.", "Please say {c}.", "I want to know {c}.", "I wonder {c}.", "Can you say {c}?", "Let me know {c}.",
            "Does it say {c}?", "Find out {c}.", "We need to know {c}.", "Could you explain {c}?", "It is not clear to me {c}."]  # fmt: skip


def event_fact(voice: Voice, agent: str | None = None) -> Fact:
    (base, past, pp), o, is_person = _verb_and_object(voice)
    a = agent or (
        voice.someone() if voice.chance(0.8) else voice.pick([voice.company, voice.team, voice.role])()
    )
    while o == a:
        o = voice.someone()
    asks: list[Ask] = []
    tails: list[str] = []
    front = ""
    was = "were" if o.endswith("s") and not o.startswith(("the ", "a ")) else "was"
    who = voice.pick(["Who", "Who", "Which person"])
    what, whom = ("Who", "whom") if is_person else ("What", "what")

    def ask(question: str, answer: str, unseen: bool = False) -> None:
        asks.append(Ask(capital(question), answer, unseen))

    def indirect(word: str, clause: str, answer: str) -> None:
        ask(voice.pick(INDIRECT).format(c=f"{word} {clause}"), answer)

    roles = voice.r.sample(["where", "when", "with", "price", "why", "purpose", "how", "to", "from"], 9)
    wanted = voice.pick([0, 1, 1, 1, 2, 2, 3])
    for role in roles:
        if len(tails) + bool(front) >= wanted:
            break
        if role == "where":
            p = voice.spot()
            tails.append(p)
            ask(f"Where did {a} {base} {o}?", p)
            ask(f"Where {was} {o} {pp}?", p)
            ask(f"Whereabouts did {a} {base} {o}?", p)
            ask(f"At what spot did {a} {base} {o}?", p)
            ask(f"What was the place where {a} {past} {o}?", p)
            indirect("where", f"{a} {past} {o}", p)
            ask(f"In which place did {a} {base} {o}?", p, True)
        elif role == "when":
            t = _time(voice)
            if voice.chance(0.4):
                front = capital(t) + voice.pick([", ", " "])
            else:
                tails.append(t)
            t = _bare(t)
            ask(f"When did {a} {base} {o}?", t)
            ask(f"When {was} {o} {pp}?", t)
            ask(f"What was the day or time when {a} {past} {o}?", t)
            ask(f"On what date or at what hour did {a} {base} {o}?", t)
            indirect("when", f"{a} {past} {o}", t)
            ask(f"At what time {was} {o} {pp} by {a}?", t, True)
        elif role == "with" and not is_person:
            c = voice.person()
            tails.append(f"{voice.pick(['with', 'together with'])} {c}")
            ask(f"Who did {a} {base} {o} with?", c)
            ask(f"Who helped {a} to {base} {o}?", c)
            ask(f"Which person did {a} {base} {o} with?", c)
            ask(f"With which person did {a} {base} {o}?", c)
            ask(f"Together with which person was {o} {pp} by {a}?", c)
            ask(f"Who {past} {o} together with {a}?", c)
            ask(f"Who was with {a} for that?", c)
            ask(f"With whom did {a} {base} {o}?", c, True)
        elif role == "price" and base in PAYING:
            m = voice.money()
            tails.append(f"for {m}")
            ask(f"How much did {a} {base} {o} for?", m)
            ask(f"For how much {was} {o} {pp}?", m)
            ask(f"What sum of money did {a} {base} {o} for?", m)
            indirect("for how much", f"{a} {past} {o}", m)
            ask(
                f"What was the price when {a} {pp if base != past else past} {o}?",
                m,
                True,
            )
        elif role == "why" and not any("because" in t or t.startswith("to ") for t in tails):
            w = voice.reason()
            tails.append(f"because {w}")
            ask(f"Why did {a} {base} {o}?", w)
            ask(f"Why {was} {o} {pp}?", w)
            ask(f"For what reason did {a} {base} {o}?", w)
            ask(f"What made {a} {base} {o}?", w)
            ask(f"Give the reason why {a} {past} {o}.", w)
            ask(f"What is said to be the cause for which {a} {past} {o}?", w)
            indirect("why", f"{a} {past} {o}", w)
            ask(f"What was the reason that {a} {past} {o}?", w, True)
        elif role == "purpose" and not any("because" in t or t.startswith("to ") for t in tails):
            w = voice.purpose()
            tails.append(f"{voice.pick(['to', 'in order to'])} {w}")
            ask(f"Why did {a} {base} {o}?", w)
            ask(f"For what purpose did {a} {base} {o}?", w)
            ask(f"What did {a} want to do when they {past} {o}?", w)
        elif role == "how":
            w = voice.manner()
            tails.append(w)
            ask(f"How did {a} {base} {o}?", w)
            ask(f"How {was} {o} {pp}?", w)
            ask(f"In what way did {a} {base} {o}?", w)
            indirect("how", f"{a} {past} {o}", w)
        elif role == "to" and base in GIVING:
            c = voice.someone()
            tails.insert(0, f"to {c}")
            ask(f"Who did {a} {base} {o} to?", c)
            ask(f"To whom did {a} {base} {o}?", c)
            indirect("to whom", f"{a} {past} {o}", c)
        elif role == "from" and base in TAKING:
            c = voice.someone() if voice.chance(0.7) else voice.company()
            tails.insert(0, f"from {c}")
            ask(f"Who did {a} {base} {o} from?", c)
            ask(f"From whom did {a} {base} {o}?", c)
            indirect("from whom", f"{a} {past} {o}", c)
    # why and purpose clauses read best last
    tails.sort(key=lambda t: t.startswith(("because", "to ", "in order")) and base not in GIVING)
    tail = "".join(" " + t for t in tails)
    ask(f"{what} did {a} {base}?", o)
    ask(f"{what} {was} {pp} by {a}?", o)
    ask(f"{what} did {a} {base}{' ' + tails[0] if tails else ''}?", o)
    ask(f"{'Which person' if is_person else 'Which thing'} did {a} {base}?", o)
    ask(f"{what} was it that {a} {past}?", o)
    ask(f"Name {'the one' if is_person else 'the thing'} that {a} {past}.", o)
    indirect(whom, f"{a} {past}", o)
    ask(f"Tell me {whom} {a} {past}.", o, True)
    ask(f"{who} {past} {o}?", a)
    ask(f"{who} {past} {o}{' ' + tails[0] if tails else ''}?", a)
    ask(f"By whom {was} {o} {pp}?", a)
    ask(f"Who was it that {past} {o}?", a)
    ask(f"Name the one who {past} {o}.", a)
    ask(f"Give me the name of whoever {past} {o}.", a)
    ask(f"What is the name of the one who {past} {o}?", a)
    indirect("who", f"{past} {o}", a)
    ask(f"Tell me who {past} {o}.", a, True)
    x = voice.r.random()
    if x < 0.62:
        body = f"{a} {past} {o}{tail}"
    elif x < 0.82:
        body = f"{o} {was} {pp} by {a}{tail}"
    elif x < 0.88:
        body = f"it was {a} who {past} {o}{tail}"
    elif x < 0.94:
        body = f"{a} is the one who {past} {o}{tail}"
    else:
        body = f"{voice.pick(['we heard that', 'people say that', 'the report says that', 'it is known that'])} {a} {past} {o}{tail}"
    sentence = f"{front}{body if front else capital(body)}."
    return Fact(sentence, asks, f"event-{base}", a, value=o)
