"""Questions that facts of the world answer: asked directly, in other words, together, over two steps, compared, listed."""

import re

from . import composed
from .asker import HOP, Asked, Asker, forms_of, of, shown_answer, without_capital
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


NOUN_QUESTIONS = forms_of("noun_question")


def reworded(a: Asker, text: str) -> Asked | None:
    """A paraphrase of the words in the context: another question, or a noun for the relation."""
    k = a.pick()
    if not k:
        return None
    if k.relation.nouns and (a.voice.chance(0.35) or (a.unseen and not k.relation.unseen)):
        q = capital(
            a.form(NOUN_QUESTIONS, composed.noun_question).format(
                n=a.voice.pick(k.relation.nouns), e=k.subject, s=of(k)
            )
        )
    else:
        q = a.question(k, other=True)
    if not a.unseen and a.voice.chance(0.06):
        q = slip(a.voice, q, k.subject)
    return Asked(q, shown_answer(k, text), k.place, k.span, subject=k.subject)


def slip(voice: Voice, q: str, subject: str) -> str:
    """A typing slip: no capitals, no punctuation, or a wrong letter outside of the name."""
    if voice.chance(0.5):
        return q.rstrip("?.").lower() + voice.pick(["", "?", "??"])
    words = q.split(" ")
    at = [i for i, w in enumerate(words) if len(w) > 4 and w.isalpha() and w not in subject]
    if at:
        i = voice.pick(at)
        j = voice.r.randint(1, len(words[i]) - 2)
        words[i] = words[i][:j] + words[i][j + 1] + words[i][j] + words[i][j + 2 :]
    return " ".join(words)


REVERSED = forms_of("reversed")


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
        q = a.form(REVERSED, composed.reversed_).format(
            n=a.voice.pick(r.nouns), v=k.value, t=kind_word(a.voice, k.kind)
        )
    found = [m.span() for m in re.finditer(rf"(?<!\w){re.escape(k.subject)}(?!\w)", text[slice(*k.span)])]
    if not found:
        return Asked(capital(q), k.subject, subject=k.subject)
    place = (k.span[0] + found[0][0], k.span[0] + found[0][1])
    return Asked(
        capital(q), k.subject, place if text[slice(*place)] == k.subject else None, k.span, subject=k.subject
    )


# ---------------------------------------------------------------- several facts
TWO = forms_of("two")
THREE = forms_of("three")
BOTH = forms_of("both")
JOINED = forms_of("joined")


def whole_question(a: Asker, k: Known) -> str:
    """A question template with the placeholder for its subject."""
    if k.relation.nouns and not a.unseen and a.voice.chance(0.25):
        form = a.form(NOUN_QUESTIONS, composed.noun_question)
        return form.replace("{n}", a.voice.pick(k.relation.nouns)).replace("{s}", "{e}'s")
    return a.voice.pick(k.relation.questions)


def joined(a: Asker, x: Known, y: Known) -> str:
    """Two whole questions in one, the second with a pronoun where it can."""
    q1 = capital(whole_question(a, x).replace("{e}", x.subject))
    template = whole_question(a, y)
    q2 = (
        with_pronoun(template, y.kind, y.subject) if x.subject == y.subject and a.voice.chance(0.75) else None
    )
    q2 = q2 or template.replace("{e}", y.subject)
    return a.form(JOINED, composed.joined).format(
        a=q1.rstrip("?."), A=q1, b=without_capital(q2), B=capital(q2)
    )


def two(a: Asker, text: str) -> Asked | None:
    if a.voice.chance(0.2):
        return both(a, text)
    found = a.two()
    if not found:
        return None
    x, y = found
    if x.relation.nouns and y.relation.nouns and a.voice.chance(0.5):
        q = capital(
            a.form(TWO, composed.two).format(
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
    y, noun = a.voice.pick(others), a.voice.pick(x.relation.nouns)
    return Asked(
        capital(
            a.form(BOTH, composed.both).format(n=noun, ns=plural(noun), e=x.subject, s=of(x), f=y.subject)
        ),
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
        capital(a.form(THREE, composed.three).format(n1=n1, n2=n2, n3=n3, e=ks[0].subject, s=of(ks[0]))),
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
        deeper = composed.hop(a.voice, a.form(NOUN_QUESTIONS, composed.noun_question))
        q = capital(
            a.form(HOP, lambda _: deeper).format(
                n1=n1, n2=a.voice.pick(y.relation.nouns), e=x.subject, s=of(x)
            )
        )
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


MORE = forms_of("more")
LESS = forms_of("less")
EARLIER = forms_of("earlier")
LATER = forms_of("later")
SAME = forms_of("same")


def compare(a: Asker, text: str) -> Asked | None:
    """Comparison of two: more, less, the earlier or the later; values without an amount are compared for equality."""
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


LISTS = forms_of("list")
LIST_OF = forms_of("list_of")


def listing(a: Asker, text: str) -> Asked | None:
    """All values of a relation, or all subjects of a value, in the order of the context."""
    many = [g for g in a.world.by_relation.values() if len(g) > 1 and g[0].relation.nouns]
    same = [g for g in a.world.by_value.values() if len(g) > 1 and g[0].relation.nouns]
    if many and (not same or a.voice.chance(0.6)):
        picked = a.voice.pick(many)
        g = sorted(picked, key=lambda k: k.span)
        noun = a.voice.pick(g[0].relation.nouns)
        return Asked(
            capital(
                a.form(LISTS, composed.listing).format(n=noun, ns=plural(noun), e=g[0].subject, s=of(g[0]))
            ),
            enumerated([k.value for k in g]),
            subject=g[0].subject,
        )
    if same:
        picked = a.voice.pick(same)
        g = sorted(picked, key=lambda k: k.span)
        return Asked(
            capital(
                a.form(LIST_OF, composed.list_of).format(n=a.voice.pick(g[0].relation.nouns), v=g[0].value)
            ),
            enumerated([k.subject for k in g]),
        )
    return None


def plural(noun: str) -> str:
    """The plural of a noun, whose head may be followed by more words: `head of state`."""
    head, *rest = re.split(r"(?= (?:of|to|in|for|with) )", noun, maxsplit=1)
    if re.search(r"[^aeiou]y$", head):
        head = head[:-1] + "ie"
    elif re.search(r"(s|x|z|ch|sh)$", head):
        head += "e"
    return "".join([head, "s", *rest])


def enumerated(items: list[str]) -> str:
    return ", ".join(items[:-1]) + " and " + items[-1]


WHETHER = forms_of("whether")
WHETHER_SAID = forms_of("whether_said")
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
        q = capital(
            a.form(WHETHER, composed.whether_noun).format(n=a.voice.pick(r.nouns), e=k.subject, v=v, s=of(k))
        )
    elif r.statements:
        s = fill(a.voice.pick(r.statements)).rstrip(".")
        q = capital(a.form(WHETHER_SAID, composed.whether_said).format(s=s, c=capital(s)))
    else:
        return None
    return Asked(q + (a.voice.pick(YES_NO) if q[-1] == "?" else ""), says, None, None, subject=k.subject)


# ---------------------------------------------------------------- forms of answers
