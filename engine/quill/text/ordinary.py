"""Facts of every trade, written by hand (`bench/memory/beside.jsonl`, `pairs.jsonl`): questions in ordinary words, four paraphrases each, and
near misses. One topic in ten is held out for the exam."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol
from zlib import crc32

from .clauses import general_fact
from .contexts import REFUSAL
from .relations import BENCH, HELD_OUT
from .talks import ANSWERED, PLAIN, TAILS, same_prompt
from .template import BEGIN, HEADER, HEADER_END, REPLY, TURN_END, USER, Example, Turn
from .values import Voice, capital
from .varied import Variation
from .worlds import HEADS, LINES, MARKS

STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "can",
        "could",
        "may",
        "must",
        "i",
        "my",
        "me",
        "we",
        "you",
        "your",
        "it",
        "its",
        "of",
        "for",
        "to",
        "in",
        "on",
        "at",
        "by",
        "with",
        "from",
        "how",
        "what",
        "when",
        "where",
        "who",
        "which",
        "why",
        "much",
        "many",
        "long",
        "often",
        "and",
        "or",
        "if",
        "be",
        "have",
        "has",
        "there",
    ]
)


class Asked(Protocol):
    """A fact as shown in a line."""

    question: str
    answer: str


@dataclass
class Ordinary:
    question: str
    answer: str
    rewordings: list[str]
    near: list[str]
    topic: str
    origin: str = ""  # the original question of a fact whose numbers were replaced


def is_exam_topic(topic: str) -> bool:
    return crc32(topic.encode()) % 10 == 0


def words(text: str) -> set[str]:
    return {w for w in re.findall(r"[a-z0-9]+", text.lower()) if w not in STOP}


@cache
def ordinary(exam: bool) -> dict[str, list[Ordinary]]:
    """Facts by topic. Questions with words held out for the exam are left out of training."""
    made: dict[str, list[Ordinary]] = {}
    for name in ("beside.jsonl", "pairs.jsonl"):
        for line in (BENCH / name).read_text().splitlines():
            row = json.loads(line)

            def keep(texts):
                return [t for t in texts if exam or not HELD_OUT.search(t)]

            if is_exam_topic(row["topic"]) != exam or not keep([row["input"]]) or not keep([row["output"]]):
                continue
            made.setdefault(row["topic"], []).append(
                Ordinary(
                    row["input"],
                    row["output"],
                    keep(row["rewordings"]),
                    keep(row["near_misses"]),
                    row["topic"],
                )
            )
    return made


def some_facts(voice: Voice, n: int, exam: bool = False) -> list[Ordinary]:
    """n facts, half of them of one topic, with replaced numbers."""
    topics = ordinary(exam)
    names = list(topics)
    found: list[Ordinary] = []
    own = topics[voice.pick(names)]
    found += voice.r.sample(own, min(len(own), max(1, round(n * voice.pick([0.4, 0.7, 1.0])))))
    while len(found) < n:
        f = voice.pick(topics[voice.pick(names)])
        if f not in found:
            found.append(f)
    found = found[:n]
    voice.r.shuffle(found)
    if exam:
        return found
    made = []
    for f in found:
        v = Variation(voice)
        answer = v(f.answer)
        if voice.chance(0.1):  # so that answers of several sentences are copied to the end
            more = " ".join(general_fact(voice).sentence for _ in range(voice.r.randint(1, 4)))
            answer = f"{capital(answer).rstrip('.')}. {more}"
        made.append(
            Ordinary(
                v(f.question),
                answer,
                [v(t) for t in f.rewordings],
                [v(t) for t in f.near],
                f.topic,
                f.question,
            )
        )
    return made


def missing_facts(voice: Voice, facts: list[Ordinary]) -> list[Ordinary]:
    """Other facts of the topics of these facts: the most frequent unanswerable questions."""
    told, topics = {f.origin for f in facts}, dict.fromkeys(f.topic for f in facts)
    others = [f for topic in topics for f in ordinary(False)[topic] if f.question not in told]
    return voice.r.sample(others, min(len(others), 4))


def lines_of(voice: Voice, facts: Sequence[Asked], plain: bool = False) -> tuple[str, list[tuple[int, int]]]:
    mark, line = ("{i}. ", "Q: {q} A: {a}") if plain else (voice.pick(MARKS), voice.pick(LINES))
    glue = "\n\n" if line == "{q}\n{a}" and not mark else "\n"
    text, places = "", []
    for i, f in enumerate(facts, 1):
        body = mark.replace("{i}", str(i)) + line.replace("{q}", f.question).replace("{a}", f.answer)
        text += (glue if text else "") + body
        places.append((len(text) - len(f.answer), len(text)))
    return text, places


def is_apart(near: str, f: Ordinary, facts: list[Ordinary]) -> bool:
    """Whether no other fact of the context is similar enough to answer the near miss."""
    asked = words(near)
    return all(
        len(asked & words(o.question + " " + o.answer)) < 0.5 * len(asked) for o in facts if o is not f
    )


def ordinary_prompt(voice: Voice) -> Example:
    facts = some_facts(voice, voice.pick([1, 2, 3, 4, 5, 6, 8, 10, 12]))
    text, places = lines_of(voice, facts)
    head, first = PLAIN if voice.chance(0.4) else (voice.pick(HEADS), voice.pick(TAILS))
    if voice.chance(0.3):
        prefix, first = f"{BEGIN}{HEADER}system{HEADER_END}\n\n{head}{text}", TURN_END + USER
    else:
        prefix = BEGIN + USER + head + text
    shift = len(prefix) - len(text)
    missing = missing_facts(voice, facts)
    branches = []
    for _ in range(voice.r.randint(4, 8)):
        i = voice.r.randrange(len(facts))
        f = facts[i]
        x = voice.r.random()
        if x < 0.18 and missing:
            f = voice.pick(missing)
            q, answer, gold = Variation(voice)(voice.pick([f.question, *f.rewordings])), REFUSAL, None
            if not is_apart(q, f, facts):
                continue
        elif x < 0.36 and f.near:
            q, answer, gold = voice.pick(f.near), REFUSAL, None
            if not is_apart(q, f, facts):
                continue
        else:
            q = f.question if x < 0.43 or not f.rewordings else voice.pick(f.rewordings)
            answer, gold = f.answer, (places[i][0] + shift, places[i][1] + shift)
        if voice.chance(0.33):
            wish = ("\n\n" if voice.chance(0.7) else "\n") + voice.pick(ANSWERED)
            branches.append([Turn(first + q + wish + REPLY, ("no" if gold is None else "yes") + TURN_END)])
            continue
        at = len(prefix) + len(first)
        branches.append([Turn(first + q + REPLY, answer + TURN_END, gold, None, (at, at + len(q)))])
    return Example(prefix, branches) if branches else ordinary_prompt(voice)


def ordinary_pair(voice: Voice, exam: bool = False) -> tuple[str, str, bool]:
    topics = ordinary(exam)
    facts = topics[voice.pick(list(topics))]
    f = voice.pick(facts)
    v = Variation(voice) if not exam else (lambda t: t)
    if voice.chance(0.5) and f.rewordings:
        one, two = voice.r.sample([f.question, *f.rewordings], 2)
        return v(one), v(two), True
    if f.near and voice.chance(0.75):
        one = f.question if voice.chance(0.6) or not f.rewordings else voice.pick(f.rewordings)
        return v(one), v(voice.pick(f.near)), False
    other = voice.pick(facts if voice.chance(0.8) else topics[voice.pick(list(topics))])
    if other is f:
        return ordinary_pair(voice, exam)
    return (
        v(voice.pick([f.question, *f.rewordings])),
        v(voice.pick([other.question, *other.rewordings])),
        False,
    )


def ordinary_same_prompt(voice: Voice) -> Example:
    return same_prompt(voice, ordinary_pair)
