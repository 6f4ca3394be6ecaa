"""Questions that request a form of answer: a sentence, few words, JSON, a short text."""

import re

from . import composed
from .asker import Asked, Asker, forms_of
from .questions import enumerated, reworded
from .relations import kind_word
from .values import Voice, capital
from .worlds import Known

SENTENCE = forms_of("sentence")


def wished(form: str, question: str) -> str:
    """A question with a requested form after or around it."""
    return form.replace("{q}", question) if "{q}" in form else question + form


def full_sentence(k: Known) -> str:
    """A statement of a fact that is not in the context: the relation's first one."""
    r = k.relation
    if r.statements:
        return capital(r.statements[0].replace("{e}", k.subject).replace("{v}", k.value))
    return f"{k.asked or capital(r.questions[0].replace('{e}', k.subject))} {k.value}."


def sentence(a: Asker, text: str) -> Asked | None:
    k = a.pick(lambda k: k.relation.statements)
    if not k:
        return None
    q = wished(a.form(SENTENCE), a.question(k))
    said = k.told if k.told and k.subject in k.told else full_sentence(k)
    return Asked(q, said, subject=k.subject)


BRIEF = forms_of("brief")


def brief(a: Asker, text: str) -> Asked | None:
    made = reworded(a, text)
    if made:
        made.question = wished(a.form(BRIEF), made.question)
    return made


def key_of(voice: Voice, noun: str) -> str:
    words = re.sub(r"[^a-z0-9 ]", "", noun.lower()).split()
    words = [w for w in words if w not in ("the", "of", "a", "an", "to", "it", "in")] or ["value"]
    if len(words) > 2 and voice.chance(0.5):
        words = words[:2]
    return (
        voice.pick(["_", "_", "_", "-"]).join(words)
        if voice.chance(0.85)
        else words[0] + "".join(map(capital, words[1:]))
    )


JSON = forms_of("json")
ANSWER_JSON = forms_of("answer_json")


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def as_json(a: Asker, text: str) -> Asked | None:
    groups = [
        g
        for g in ([k for k in g if a.only(k) and k.relation.nouns] for g in a.world.by_subject.values())
        if g
    ]
    if not groups:
        return None
    g = a.voice.pick(groups)
    ks = a.voice.r.sample(g, min(len(g), a.voice.pick([1, 2, 2, 3, 3, 4])))
    pairs = {}
    nouns = []
    for k in ks:
        n = a.voice.pick(k.relation.nouns)
        key = key_of(a.voice, n)
        if key not in pairs:
            pairs[key] = k.value
            nouns.append(n)
    if a.voice.chance(0.25):
        pairs = {
            a.voice.pick(["name", "subject", kind_word(a.voice, ks[0].kind).split()[-1], "id"]): ks[0].subject
        } | pairs
    keys = [f'"{p}"' for p in pairs]
    if not a.unseen and a.voice.chance(0.3):
        keys = list(pairs)
    shape = "{" + ", ".join(f'"{p}": {a.voice.pick(["...", "string"])}' for p in pairs) + "}"
    q = a.form(JSON, composed.json_wish)
    for old, new in (
        ("{ns}", enumerated(nouns) if len(nouns) > 1 else nouns[0]),
        ("{ks}", enumerated(keys) if len(keys) > 1 else keys[0]),
        ("{shape}", shape),
        ("{e}", ks[0].subject),
    ):
        q = q.replace(old, new)
    return Asked(
        capital(q),
        "{" + ",".join(f'"{p}":"{escaped(v)}"' for p, v in pairs.items()) + "}",
        subject=ks[0].subject,
    )


def answer_json(a: Asker, text: str) -> Asked | None:
    made = reworded(a, text)
    if made:
        made.question += a.voice.pick(ANSWER_JSON[0])
        made.answer = '{"answer":"' + escaped(made.answer) + '"}'
        made.gold = None
    return made


TEXTS = forms_of("short_text")  # what is asked for => how it reads


def short_text(a: Asker, text: str) -> Asked | None:
    k = a.pick(lambda k: k.relation.nouns)
    if not k:
        return None
    wish, reply = a.form(TEXTS).split(" => ")
    parts = {"e": k.subject, "n": a.voice.pick(k.relation.nouns), "v": k.value}
    return Asked(wish.format(**parts), capital(reply.format(**parts)), subject=k.subject)


# ---------------------------------------------------------------- conversations
