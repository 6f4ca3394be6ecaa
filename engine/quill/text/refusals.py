"""Questions that no fact of the world answers."""

import re

from . import composed
from .asker import HOP, Asked, Asker, of, shown_answer
from .contexts import REFUSAL
from .follow_ups import ELLIPSIS, follow_up
from .questions import NOUN_QUESTIONS, REVERSED, WHETHER
from .relations import kind_word, pronouns
from .values import Voice, capital
from .worlds import Known, draw_relation


def near_name(voice: Voice, name: str, taken: set[str]) -> str:
    """A near name: one word, letter or number of the name is changed."""
    for _ in range(20):
        words = name.split(" ")
        i = voice.r.randrange(len(words))
        w = words[i]
        x = voice.r.random()
        if any(c.isdigit() for c in w):
            new = re.sub(r"\d", lambda m: str(voice.r.randint(1, 9)), w, count=1)
        elif not w[:1].isupper():
            continue
        elif x < 0.6 or len(w) < 5:
            new = voice.name()
        else:
            j = voice.r.randint(1, len(w) - 1)
            new = w[:j] + voice.pick(list("aeioulnrst")) + w[j + 1 :]
        made = " ".join([*words[:i], new, *words[i + 1 :]])
        if made != name and made not in taken:
            return made
    return name + " " + voice.name()


def refused(a: Asker, text: str) -> Asked | None:
    """A known subject with an unstated relation, or a near name of a known subject with a stated relation."""
    voice = a.voice
    k = voice.pick(a.world.known)
    if voice.chance(0.5):
        told = {o.relation.key for o in a.world.by_subject[k.subject]}
        kinds = {o.relation.value for o in a.world.by_subject[k.subject]}
        near = [o.relation for o in a.world.known if o.kind == k.kind and o.relation.key not in told]
        r = voice.pick(near) if near and voice.chance(0.6) else draw_relation(voice, k.kind)
        # A relation with a value of the same kind might be a paraphrase.
        if r.key in told or (not near and r.value in kinds) or told & set(r.nouns):
            return None
        name = k.subject
    else:
        r, name = k.relation, near_name(voice, k.subject, set(a.world.by_subject))
        if name in text:
            return None
    x = voice.r.random()
    alone = Known(name, k.kind, r, voice.make(r.value))
    if x < 0.55 or not r.nouns:
        q = a.question(alone)
    elif x < 0.8:
        q = capital(
            a.form(NOUN_QUESTIONS, composed.noun_question).format(n=voice.pick(r.nouns), e=name, s=of(alone))
        )
    elif x < 0.9:
        q = capital(
            a.form(WHETHER, composed.whether_noun).format(
                n=voice.pick(r.nouns), e=name, v=alone.value, s=of(alone)
            )
        )
    else:  # the value's own subject is not there
        q = capital(
            a.form(REVERSED, composed.reversed_).format(
                n=voice.pick(r.nouns), v=alone.value, t=kind_word(voice, k.kind)
            )
        )
        if alone.value in text:
            return None
    return Asked(q, REFUSAL, None, None, subject=name)


def refused_follow_up(a: Asker, text: str) -> Asked | None:
    made = follow_up(a, text)
    lost = refused(a, text)
    if not made or not lost or lost.subject not in a.world.by_subject:
        return None
    k = a.voice.pick(list(a.world.by_subject[lost.subject]))
    if not a.only(k):
        return None
    told = {o.relation.key for o in a.world.by_subject[k.subject]}
    r = draw_relation(a.voice, k.kind)
    if r.key in told or not r.nouns or r.value in {o.relation.value for o in a.world.by_subject[k.subject]}:
        return None
    n = a.voice.pick(r.nouns)
    q = capital(
        a.form(ELLIPSIS, composed.ellipsis).format(n=n, N=capital(n), p=pronouns(k.kind, k.subject)[2])
    )
    return Asked(
        q,
        REFUSAL,
        None,
        None,
        [(a.question(k), shown_answer(k, text))],
        f"What is the {n} of {k.subject}?",
        k.subject,
    )


def refused_hop(a: Asker, text: str) -> Asked | None:
    """The first step is stated, the second is not."""
    x = a.pick(lambda k: k.relation.nouns and k.value in a.world.by_subject)
    if not x:
        return None
    known = a.world.by_subject[x.value]
    r = draw_relation(a.voice, known[0].kind)
    if (
        not r.nouns
        or r.key in {k.relation.key for k in known}
        or r.value in {k.relation.value for k in known}
    ):
        return None
    n1, n2 = a.voice.pick(x.relation.nouns), a.voice.pick(r.nouns)
    return Asked(capital(a.form(HOP).format(n1=n1, n2=n2, e=x.subject, s=of(x))), REFUSAL, subject=x.subject)
