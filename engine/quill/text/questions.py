"""Questions that facts of the world answer: asked directly, in other words, together, over two steps, compared, listed."""

import re

from .asker import HOP, Asked, Asker, make_forms, of, shown_answer, without_capital
from .relations import kind_word, with_pronoun
from .values import Voice, capital
from .worlds import NUMERIC, Known


def direct(a: Asker, text: str) -> Asked | None:
    k = a.pick()
    if not k:
        return None
    q = (
        k.asked
        if k.asked and a.voice.chance(0.5)
        else a.question(k)
        if not a.unseen
        else capital(a.voice.pick(k.relation.questions).replace("{e}", k.subject))
    )
    return Asked(q, shown_answer(k, text), k.place, k.span, subject=k.subject)


NOUN_QUESTIONS = make_forms(
    "What is the {n} of {e}?|What is {s} {n}?|Tell me {s} {n}.|{e}: {n}?|Give me the {n} of {e}.|Do you know the {n} of {e}?|I need {s} {n}.|Please tell me the {n} of {e}.|"
    "Which {n} does {e} have?|{s} {n}?|What's the {n} of {e}?|the {n} of {e}|{e} {n}|I would like to know {s} {n}.|Could you give me the {n} of {e}?|Which is the {n} of {e}?"
    "||Can you tell me {s} {n}?|{n} of {e}?|Look up the {n} of {e}, please.|What do we have as the {n} of {e}?"
)


def reworded(a: Asker, text: str) -> Asked | None:
    """Other words than those the context has for it: another question, or a noun for the relation."""
    k = a.pick()
    if not k:
        return None
    if k.relation.nouns and (a.voice.chance(0.35) or (a.unseen and not k.relation.unseen)):
        q = capital(a.form(NOUN_QUESTIONS).format(n=a.voice.pick(k.relation.nouns), e=k.subject, s=of(k)))
    else:
        q = a.question(k, other=True)
    if not a.unseen and a.voice.chance(0.06):
        q = slip(a.voice, q, k.subject)
    return Asked(q, shown_answer(k, text), k.place, k.span, subject=k.subject)


def slip(voice: Voice, q: str, subject: str) -> str:
    """As people type: no capitals, no mark, or a letter wrong outside of the name."""
    if voice.chance(0.5):
        return q.rstrip("?.").lower() + voice.pick(["", "?", "??"])
    words = q.split(" ")
    at = [i for i, w in enumerate(words) if len(w) > 4 and w.isalpha() and w not in subject]
    if at:
        i = voice.pick(at)
        j = voice.r.randint(1, len(words[i]) - 2)
        words[i] = words[i][:j] + words[i][j + 1] + words[i][j] + words[i][j + 2 :]
    return " ".join(words)


REVERSED = make_forms(
    "Whose {n} is {v}?|{v} is the {n} of what?|Which one has the {n} {v}?|What has {v} as its {n}?|Of what is {v} the {n}?|Name the {t} whose {n} is {v}.|Who or what has {v} as {n}?|"
    "Find the {t} that has a {n} of {v}.|{v}: the {n} of what?|Which {t} has {v} as its {n}?|Which {t} has a {n} of {v}?|The {n} is {v}: which {t} is it?|What is the name of the {t} whose {n} is {v}?|"
    "Which {t} is it whose {n} is {v}?|I am looking for the {t} with the {n} {v}.|Do you know which {t} has {v} as its {n}?|{v} is the {n} of which {t}?|With {v} as the {n}, which {t} is meant?"
    "||The {n} {v} belongs to which {t}?|Tell me which {t} has {v} as its {n}.|For which {t} is the {n} {v}?|Say whose {n} {v} is."
)


def reversed_(a: Asker, text: str) -> Asked | None:
    k = a.pick(
        lambda k: (
            (k.relation.nouns or k.relation.reversed) and len(a.world.by_value[k.relation.key, k.value]) == 1
        )
    )
    if not k:
        return None
    r, seen = k.relation, k.relation.reversed
    if seen and (not r.nouns or a.voice.chance(0.55)):
        cut = max(1, len(seen) * 3 // 4)
        q = a.voice.pick(seen[cut:] or seen if a.unseen else seen[:cut]).replace("{v}", k.value)
    else:
        q = a.form(REVERSED).format(n=a.voice.pick(r.nouns), v=k.value, t=kind_word(a.voice, k.kind))
    found = [m.span() for m in re.finditer(rf"(?<!\w){re.escape(k.subject)}(?!\w)", text[slice(*k.span)])]
    if not found:
        return Asked(capital(q), k.subject, subject=k.subject)
    place = (k.span[0] + found[0][0], k.span[0] + found[0][1])
    return Asked(
        capital(q), k.subject, place if text[slice(*place)] == k.subject else None, k.span, subject=k.subject
    )


# ---------------------------------------------------------------- several facts
TWO = make_forms(
    "What is the {n1} of {e}, and what is the {n2}?|What is the {n1} of {e}, and the {n2}?|Tell me the {n1} and the {n2} of {e}.|{e}: {n1} and {n2}?|Please give me both the {n1} and the {n2} of {e}.|"
    "What are the {n1} and the {n2} of {e}?|I need the {n1} of {e} and the {n2}.|What is {s} {n1}? And the {n2}?|Give {s} {n1} and {n2}.|I want to know two things about {e}: the {n1} and the {n2}.|"
    "Name the {n1} and also the {n2} of {e}.|Do you know {s} {n1} and {n2}?|{s} {n1}, and {n2}?"
    "||Which {n1} and which {n2} does {e} have?|Could you tell me {s} {n1} as well as the {n2}?|For {e}, what are the {n1} and the {n2}?"
)
THREE = make_forms(
    "What are the {n1}, the {n2} and the {n3} of {e}?|Tell me {s} {n1}, {n2} and {n3}.|{e}: {n1}, {n2} and {n3}?|I need three things about {e}: {n1}, {n2}, {n3}.|Give me the {n1}, {n2} and {n3} of {e}."
    "||For {e}, what are the {n1}, the {n2} and the {n3}?|Could you list {s} {n1}, {n2} and {n3}?"
)
BOTH = make_forms(
    "What is the {n} of {e} and of {f}?|Tell me the {n} of {e} and the {n} of {f}.|What are the {n}s of {e} and {f}?|{e} and {f}: what is the {n} of each?|Give me the {n} of both {e} and {f}.|I need the {n} for {e} and for {f}."
    "||For {e} and {f}, what is the {n}?|Could you say what the {n} of {e} is, and that of {f}?"
)
AND = [", and ", " and ", "? And ", ", and also: ", " And "]
AND_UNSEEN = [" Also, ", ", as well as "]


def joined(a: Asker, x: Known, y: Known) -> str:
    """Two whole questions in one, the second with a pronoun where it can."""
    q1 = (
        a.question(x)
        if not a.unseen
        else capital(a.voice.pick(x.relation.questions).replace("{e}", x.subject))
    )
    template = a.voice.pick(y.relation.questions)
    q2 = (
        with_pronoun(template, y.kind, y.subject) if x.subject == y.subject and a.voice.chance(0.75) else None
    )
    q2 = q2 or template.replace("{e}", y.subject)
    glue = a.voice.pick(AND_UNSEEN if a.unseen else AND)
    if glue in (" And ", " Also, "):
        return f"{q1}{glue}{without_capital(q2)}"
    return f"{q1.rstrip('?.')}{glue}{without_capital(q2)}"


def two(a: Asker, text: str) -> Asked | None:
    if a.voice.chance(0.2):
        return both(a, text)
    found = a.two()
    if not found:
        return None
    x, y = found
    if x.relation.nouns and y.relation.nouns and a.voice.chance(0.5):
        q = capital(
            a.form(TWO).format(
                n1=a.voice.pick(x.relation.nouns), n2=a.voice.pick(y.relation.nouns), e=x.subject, s=of(x)
            )
        )
    else:
        q = joined(a, x, y)
    return Asked(q, f"{x.value} and {y.value}", subject=x.subject)


def both(a: Asker, text: str) -> Asked | None:
    x = a.pick(lambda k: k.relation.nouns)
    others = [
        k
        for k in a.world.known
        if x and k.relation.key == x.relation.key and k.subject != x.subject and a.only(k)
    ]
    if not x or not others:
        return None
    y = a.voice.pick(others)
    return Asked(
        capital(a.form(BOTH).format(n=a.voice.pick(x.relation.nouns), e=x.subject, f=y.subject)),
        f"{x.value} and {y.value}",
        subject=x.subject,
    )


def three(a: Asker, text: str) -> Asked | None:
    groups = [
        g
        for g in ([k for k in g if a.only(k) and k.relation.nouns] for g in a.world.by_subject.values())
        if len(g) > 2
    ]
    if not groups:
        return None
    ks = a.voice.r.sample(a.voice.pick(groups), 3)
    n1, n2, n3 = (a.voice.pick(k.relation.nouns) for k in ks)
    return Asked(
        capital(a.form(THREE).format(n1=n1, n2=n2, n3=n3, e=ks[0].subject, s=of(ks[0]))),
        f"{ks[0].value}, {ks[1].value} and {ks[2].value}",
        subject=ks[0].subject,
    )


def hop(a: Asker, text: str) -> Asked | None:
    x = a.pick(lambda k: k.relation.nouns and k.value in a.world.by_subject)
    if not x:
        return None
    y = a.voice.pick([k for k in a.world.by_subject[x.value] if a.only(k)] or [x])
    if y is x:
        return None
    n1 = a.voice.pick(x.relation.nouns)
    if y.relation.nouns and a.voice.chance(0.5):
        q = capital(a.form(HOP).format(n1=n1, n2=a.voice.pick(y.relation.nouns), e=x.subject, s=of(x)))
    else:
        middle = a.voice.pick([f"the {n1} of {x.subject}", f"{of(x)} {n1}"])
        pool = y.relation.unseen if a.unseen and y.relation.unseen else y.relation.questions
        q = capital(re.sub(r"([Tt]he )?\{e\}", middle, a.voice.pick(pool), count=1).replace("{e}", middle))
    return Asked(q, shown_answer(y, text), y.place, subject=x.subject)


def _amount(value: str) -> tuple[float, str] | None:
    m = re.search(r"\d[\d,]*(\.\d+)?", value)
    return (
        (float(m[0].replace(",", "")), value[: m.start()] + "#" + value[m.end() :])
        if m and not re.search(r"\d", value[m.end() :])
        else None
    )


MORE = make_forms(
    "Which has the higher {n}, {e} or {f}?|{e} or {f}: which has the greater {n}?|Is the {n} of {e} or that of {f} higher?|Which of the two has the larger {n}, {e} or {f}?|Compare {e} and {f}: which one has the higher {n}?|Between {e} and {f}, which has more {n}?"
    "||Who or what has the bigger {n}, {e} or {f}?|Take {e} and {f}: whose {n} is higher?"
)
LESS = make_forms(
    "Which has the lower {n}, {e} or {f}?|{e} or {f}: which has the smaller {n}?|Is the {n} of {e} or that of {f} lower?|Which of the two has the smaller {n}, {e} or {f}?|Compare {e} and {f}: which one has the lower {n}?|Between {e} and {f}, which has less {n}?"
    "||Who or what has the lesser {n}, {e} or {f}?|Take {e} and {f}: whose {n} is lower?"
)
EARLIER = make_forms(
    "Which has the earlier {n}, {e} or {f}?|{e} or {f}: whose {n} is earlier?|Which came first in {n}, {e} or {f}?||Take {e} and {f}: whose {n} comes first?"
)
LATER = make_forms(
    "Which has the later {n}, {e} or {f}?|{e} or {f}: whose {n} is later?|Which came last in {n}, {e} or {f}?||Take {e} and {f}: whose {n} comes last?"
)
SAME = make_forms(
    "Do {e} and {f} have the same {n}?|Is the {n} of {e} the same as that of {f}?|{e} and {f}: is it the same {n}?|Is {s} {n} that of {f}, too?||Are the {n} of {e} and the {n} of {f} equal?"
)


def compare(a: Asker, text: str) -> Asked | None:
    """Comparison of two: more, less, the earlier or the later; values that cannot be counted are asked for equality."""
    pairs = [
        (x, y)
        for x in a.world.known
        for y in a.world.known
        if x.relation.key == y.relation.key
        and x.subject != y.subject
        and x.relation.nouns
        and a.only(x)
        and a.only(y)
    ]
    counted = [
        (x, y, p[0], q[0])
        for x, y in pairs
        if x.relation.value in NUMERIC
        and (p := _amount(x.value))
        and (q := _amount(y.value))
        and p[1] == q[1]
        and p[0] != q[0]
    ]
    if not pairs:
        return None
    if counted and a.voice.chance(0.85):
        x, y, p, q = a.voice.pick(counted)
        more = a.voice.chance(0.5)
        forms = (LATER if more else EARLIER) if x.relation.value == "year" else MORE if more else LESS
        answer = (x if (p > q) == more else y).subject
    elif not counted and a.voice.chance(0.6):
        return None
    else:
        alike = [(x, y) for x, y in pairs if x.value == y.value]
        (x, y), forms = a.voice.pick(alike if alike and a.voice.chance(0.5) else pairs), SAME
        answer = "Yes." if x.value == y.value else "No."
    noun = a.voice.pick(x.relation.nouns)
    return Asked(
        capital(a.form(forms).format(n=noun, e=x.subject, f=y.subject, s=of(x))), answer, subject=x.subject
    )


LISTS = make_forms(
    "What are all the {n}s of {e}?|List every {n} of {e}.|Which {n}s does {e} have?|Name all {n}s of {e}.|{e}: all {n}s?|Give me a list of the {n}s of {e}.||Enumerate {s} {n}s.|What {n}s are there for {e}?"
)
LIST_OF = make_forms(
    "Which of them have {v} as {n}?|Name all whose {n} is {v}.|List everything that has the {n} {v}.|Who or what has {v} as {n}? Name all.||Enumerate those whose {n} is {v}."
)


def listing(a: Asker, text: str) -> Asked | None:
    """All values of a relation, or all subjects of a value, in the order of the context."""
    many = [g for g in a.world.by_relation.values() if len(g) > 1 and g[0].relation.nouns]
    same = [g for g in a.world.by_value.values() if len(g) > 1 and g[0].relation.nouns]
    if many and (not same or a.voice.chance(0.6)):
        picked = a.voice.pick(many)
        g = sorted(picked, key=lambda k: k.span)
        return Asked(
            capital(a.form(LISTS).format(n=a.voice.pick(g[0].relation.nouns), e=g[0].subject, s=of(g[0]))),
            enumerated([k.value for k in g]),
            subject=g[0].subject,
        )
    if same:
        picked = a.voice.pick(same)
        g = sorted(picked, key=lambda k: k.span)
        return Asked(
            capital(a.form(LIST_OF).format(n=a.voice.pick(g[0].relation.nouns), v=g[0].value)),
            enumerated([k.subject for k in g]),
        )
    return None


def enumerated(items: list[str]) -> str:
    return ", ".join(items[:-1]) + " and " + items[-1]


WHETHER = make_forms(
    "Is {v} the {n} of {e}?|Is it true that the {n} of {e} is {v}?|The {n} of {e} is {v}, right?|{s} {n} is {v}: yes or no?|Is the {n} of {e} {v}?|Does {e} have {v} as {n}?|True or not: {s} {n} is {v}.|Am I right that {v} is the {n} of {e}?|"
    "I think the {n} of {e} is {v}. Is that right?|Check this: the {n} of {e} is {v}.|Is {s} {n} {v}?"
    "||Would you agree that {v} is the {n} of {e}?|Somebody told me that {s} {n} is {v}. Is that correct?|Can you confirm that the {n} of {e} is {v}?"
)
WHETHER_SAID = make_forms(
    "Is it true that {s}?|Is this right: {s}?|{c}, right?|{c}. Yes or no?|Is it correct that {s}?|True or false: {s}?|Am I right that {s}?|{c}: is that so?||Can you confirm that {s}?|Would you agree that {s}?|Somebody said that {s}. Is that correct?"
)
YES_NO = ["", "", "", " Answer yes or no.", " Yes or no?", " Please answer with yes or no."]


def whether(a: Asker, text: str) -> Asked | None:
    k = a.pick()
    if not k:
        return None
    r, v, says = k.relation, k.value, "Yes."
    if a.voice.chance(0.5):
        says = "No."
        near = [o.value for o in a.world.known if o.relation.key == r.key and o.value != v] or [
            o.value for o in a.world.known if o.relation.value == r.value and o.value != v
        ]
        v = a.voice.pick(near) if near and a.voice.chance(0.7) else a.voice.make(r.value)
        if v == k.value or "{" in v:
            return None
    x = a.voice.r.random()

    def fill(t):
        return t.replace("{e}", k.subject).replace("{v}", v)

    if r.verify and x < 0.4 and not a.unseen:
        q = capital(fill(a.voice.pick(r.verify)))
    elif r.nouns and x < 0.75:
        q = capital(a.form(WHETHER).format(n=a.voice.pick(r.nouns), e=k.subject, v=v, s=of(k)))
    elif r.statements:
        s = fill(a.voice.pick(r.statements)).rstrip(".")
        q = capital(a.form(WHETHER_SAID).format(s=s, c=capital(s)))
    else:
        return None
    return Asked(q + (a.voice.pick(YES_NO) if q[-1] == "?" else ""), says, None, None, subject=k.subject)


# ---------------------------------------------------------------- forms of answers
