"""Questions that want their answer in a shape: a sentence, few words, JSON, a short text."""

import re

from .asker import Asked, Asker, make_forms
from .questions import enumerated, reworded
from .relations import kind_word
from .values import Voice, capital
from .worlds import Known

SENTENCE = make_forms(
    " Answer in one sentence.| Reply with a full sentence.| Please answer in a complete sentence.| Use one whole sentence.| (one sentence, please)| Write your answer as a sentence.| One sentence."
    "|| Give the answer as one full sentence.| Answer with a single sentence, please."
)


def full_sentence(k: Known) -> str:
    """The statement of a fact that the context does not hold: the relation's first one."""
    r = k.relation
    if r.statements:
        return capital(r.statements[0].replace("{e}", k.subject).replace("{v}", k.value))
    return f"{k.asked or capital(r.questions[0].replace('{e}', k.subject))} {k.value}."


def sentence(a: Asker, text: str) -> Asked | None:
    k = a.pick(lambda k: k.relation.statements)
    if not k:
        return None
    q = a.question(k) + a.form(SENTENCE)
    said = k.told if k.told and k.subject in k.told else full_sentence(k)
    return Asked(q, said, subject=k.subject)


BRIEF = make_forms(
    " Answer in a few words.| Be brief.| Just the answer, please.| In as few words as possible.| Only the answer, no sentence.|| Keep it to a few words.| Nothing but the answer."
)


def brief(a: Asker, text: str) -> Asked | None:
    made = reworded(a, text)
    if made:
        made.question += a.form(BRIEF)
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


JSON = make_forms(
    "Give me the {ns} of {e} as JSON with the keys {ks}.|Answer as JSON with the keys {ks}: what are the {ns} of {e}?|Return a JSON object with {ks} for {e}.|Fill this in for {e}: {shape}|"
    "{shape} for {e}|Tell me about {e} in JSON. Keys: {ks}.|Describe {e} as a JSON object with exactly these keys: {ks}.|JSON for {e} with {ks}, please.|What are the {ns} of {e}? Reply as JSON like {shape}.|"
    "{e}: {ns}. Use JSON with the keys {ks}.|Write the {ns} of {e} as {shape}"
    "||Please output JSON ({ks}) about {e}.|For {e}, produce an object with the fields {ks}.|Extract {ks} of {e} into JSON."
)
ANSWER_JSON = [
    " Answer as JSON.",
    ' Reply with JSON like {"answer":"..."}.',
    " Write the answer as JSON.",
    ' Use JSON: {"answer":string}.',
]


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
    q = a.form(JSON)
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
        made.question += a.voice.pick(ANSWER_JSON)
        made.answer = '{"answer":"' + escaped(made.answer) + '"}'
        made.gold = None
    return made


# {e} subject, {n} noun, {v} value. What is asked for, and how it reads.
TEXTS = [t.split(" => ") for t in """Write a one-sentence welcome to {e} that names the {n}. => Welcome to {e}! The {n} is {v}.
Write a short welcome message for {e} and mention the {n}. => Welcome to {e}! The {n} is {v}.
Write a headline about {e} with the {n}. => {e}: the {n} is {v}
Draft a headline for {e} that gives the {n}. => {e}: the {n} is {v}
Write a reminder about the {n} of {e}. => Please remember: the {n} of {e} is {v}.
Remind everybody of the {n} of {e}. => Please remember: the {n} of {e} is {v}.
Write a short note to a colleague with the {n} of {e}. => Hello, just a short note: the {n} of {e} is {v}.
Write a note that tells a new colleague the {n} of {e}. => Hello, just a short note: the {n} of {e} is {v}.
Write an announcement of the {n} of {e}. => We are pleased to announce: the {n} of {e} is {v}.
Announce the {n} of {e} in one sentence. => We are pleased to announce: the {n} of {e} is {v}.
Write a thank-you line to a customer who asked for the {n} of {e}. => Thank you for asking! The {n} of {e} is {v}.
Answer a customer politely who asks for the {n} of {e}. => Thank you for asking! The {n} of {e} is {v}.
Introduce {e} in one sentence with the {n}. => Meet {e}: the {n} is {v}.
Present {e} in one sentence and name the {n}. => Meet {e}: the {n} is {v}.
Write a quiz question about the {n} of {e}, with the answer. => What is the {n} of {e}? It is {v}.
Make a flash card for the {n} of {e}. => What is the {n} of {e}? It is {v}.""".splitlines()]  # fmt: skip
TEXTS_UNSEEN = [t.split(" => ") for t in """Compose a one-line welcome for guests of {e} in which the {n} appears. => Welcome to {e}! The {n} is {v}.
Put up a reminder: what is the {n} of {e}? => Please remember: the {n} of {e} is {v}.
Send a colleague a line about the {n} of {e}. => Hello, just a short note: the {n} of {e} is {v}.""".splitlines()]  # fmt: skip


def short_text(a: Asker, text: str) -> Asked | None:
    k = a.pick(lambda k: k.relation.nouns)
    if not k:
        return None
    wish, reply = a.voice.pick(TEXTS_UNSEEN if a.unseen else TEXTS)
    parts = {"e": k.subject, "n": a.voice.pick(k.relation.nouns), "v": k.value}
    return Asked(wish.format(**parts), capital(reply.format(**parts)), subject=k.subject)


# ---------------------------------------------------------------- conversations
