"""Questions that are understood from the turns before them."""

from . import composed
from .asker import Asked, Asker, forms_of, of, shown_answer, without_capital
from .relations import pronouns, with_pronoun
from .values import capital

AND_FORM = forms_of("and_form")
ELLIPSIS = forms_of("ellipsis")
SWITCH = forms_of("switch")
BACK = forms_of("back")
FIRST = [
    "And the first one's {n}?",
    "What about the {n} of the first one?",
    "And the {n} of the one before?",
    "The first one: what is the {n}?",
]


def follow_up(a: Asker, text: str) -> Asked | None:
    x = a.voice.r.random()
    if x < 0.2:
        return switch(a, text)
    if x < 0.34:
        return second_person(a, text)
    if x < 0.44:
        return about_the_answer(a, text)
    found = a.two()
    if not found:
        return None
    k, y = found
    before = [(a.question(k), shown_answer(k, text))]
    if a.voice.chance(0.25):
        more = [o for o in a.world.by_subject[k.subject] if o not in (k, y) and a.only(o)]
        if more:
            o = a.voice.pick(more)
            before.insert(0, (a.question(o), shown_answer(o, text)))
    if y.relation.nouns and a.voice.chance(0.55):
        n = a.voice.pick(y.relation.nouns)
        q = capital(
            a.form(ELLIPSIS, composed.ellipsis).format(n=n, N=capital(n), p=pronouns(y.kind, y.subject)[2])
        )
        alone = f"What is the {n} of {y.subject}?"
    else:
        template = a.voice.pick(y.relation.questions)
        said = with_pronoun(template, y.kind, y.subject)
        if not said:
            return None
        q = a.form(AND_FORM).format(q=without_capital(capital(said)), c=capital(said))
        alone = capital(template.replace("{e}", y.subject))
    return Asked(q, shown_answer(y, text), y.place, None, before, alone, y.subject)


def switch(a: Asker, text: str) -> Asked | None:
    """The same of another subject."""
    k = a.pick(
        lambda k: any(o.relation.key == k.relation.key and o.subject != k.subject for o in a.world.known)
    )
    if not k:
        return None
    others = [
        o for o in a.world.known if o.relation.key == k.relation.key and o.subject != k.subject and a.only(o)
    ]
    if not others:
        return None
    y = a.voice.pick(others)
    template = a.voice.pick(k.relation.questions)
    before = [(capital(template.replace("{e}", k.subject)), shown_answer(k, text))]
    return Asked(
        capital(a.form(SWITCH).format(f=y.subject)),
        shown_answer(y, text),
        y.place,
        None,
        before,
        capital(template.replace("{e}", y.subject)),
        y.subject,
    )


def second_person(a: Asker, text: str) -> Asked | None:
    """Two subjects are mentioned; then the last by pronoun, or the first by name."""
    k = a.pick()
    if not k:
        return None
    others = [o for o in a.world.known if o.subject != k.subject and a.only(o)]
    if not others:
        return None
    o = a.voice.pick(others)
    before = [(a.question(k), shown_answer(k, text)), (a.question(o), shown_answer(o, text))]
    back = a.voice.chance(0.5)
    rest = [
        y
        for y in a.world.by_subject[(k if back else o).subject]
        if y not in (k, o) and a.only(y) and y.relation.nouns
    ]
    if not rest:
        return None
    y = a.voice.pick(rest)
    n = a.voice.pick(y.relation.nouns)
    if back and not a.unseen and a.voice.chance(0.25):
        q = a.voice.pick(FIRST).format(n=n)
    elif back:
        q = a.form(BACK).format(n=n, e=y.subject, s=of(y))
    else:
        q = a.form(ELLIPSIS, composed.ellipsis).format(n=n, N=capital(n), p=pronouns(y.kind, y.subject)[2])
    return Asked(
        capital(q),
        shown_answer(y, text),
        y.place,
        None,
        before,
        f"What is the {n} of {y.subject}?",
        y.subject,
    )


def about_the_answer(a: Asker, text: str) -> Asked | None:
    """The follow-up is about the answer just given, not about the subject asked for."""
    k = a.pick(lambda k: k.value in a.world.by_subject)
    if not k:
        return None
    rest = [y for y in a.world.by_subject[k.value] if a.only(y)]
    if not rest or (rest[0].kind == "person") == (k.kind == "person"):
        return None  # only a pronoun of another kind is unambiguous
    y = a.voice.pick(rest)
    template = a.voice.pick(y.relation.questions)
    said = with_pronoun(template, y.kind, y.subject)
    if not said:
        return None
    q = a.form(AND_FORM).format(q=without_capital(capital(said)), c=capital(said))
    return Asked(
        q,
        shown_answer(y, text),
        y.place,
        None,
        [(a.question(k), shown_answer(k, text))],
        capital(template.replace("{e}", y.subject)),
        y.subject,
    )


# ---------------------------------------------------------------- what the facts do not hold
