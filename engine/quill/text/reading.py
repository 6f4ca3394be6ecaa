"""Passages written by hand in many registers (`reading/*.txt`, a topic a file), with questions, follow-ups and unanswerable questions.

A file: a title behind "#", then passages. "== register", the text, an empty line, then "Q:" a question, "F:" one that follows it, "A:" the
answer of either ("-" where the passage does not hold it; other right wordings behind " | "), and "~" at the end.
In training, names, numbers, days and months of a passage and its questions are replaced consistently each time.
"""

import re
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path

from . import lexicon as lx
from .contexts import JOINERS, REFUSAL
from .names import REAL_WORDS
from .passages import Passage
from .prompts import CONTEXT_FIRST, QUESTION_FIRST, SYSTEMS
from .relations import HELD_OUT
from .talks import ANSWERED, PLAIN
from .template import BEGIN, HEADER, HEADER_END, REPLY, TURN_END, USER, Example, Turn
from .values import Voice, capital
from .varied import Variation

FOLDER = Path(__file__).with_name("reading")
# A tenth of the topics, held out from training.
EXAM_TOPICS = {
    "hotels-and-guesthouses", "library-and-reading-room", "meetings-and-minutes", "pets-and-vets",
    "software-manuals", "telecom-contracts", "facts-explorers-and-archaeology", "facts-food-coins-and-stamps",
    "facts-laws-schools-and-newspapers", "facts-towns-and-regions", "help-ski-areas-and-mountain-railways", "help-swimming-pools-and-saunas",
    "life-rivers-and-lakes", "life-theatre-and-circus", "life-travel-notes", "short-b-deals-and-mergers",
    "short-b-how-tos", "talk-hobby-forums", "talk-parents-and-teachers", "talk-tradesmen-reviews",
    "work-quality-complaints-and-recalls", "short-a-history", "short-a-notices", "tech-heat-pumps-and-boilers",
    "tech-timetables",
}  # fmt: skip


@dataclass
class Item:
    """A question, its answers (none if the passage has no answer), and its follow-ups."""

    question: str
    answers: tuple[str, ...]
    after: list["Item"] = field(default_factory=list)


@dataclass
class Reading:
    topic: str
    register: str
    text: str
    items: list[Item]


class BadReading(ValueError):
    """A file that violates the format above."""


def parse(text: str, topic: str) -> list[Reading]:
    head, *blocks = re.split(r"^== ", text, flags=re.MULTILINE)
    if not head.startswith("# ") or not blocks:
        raise BadReading(
            f"{topic}: begins with {head[:40]!r} instead of '# title' and passages behind '== register'."
        )
    return [_passage(block, topic, number) for number, block in enumerate(blocks, 1)]


def _passage(block: str, topic: str, number: int) -> Reading:
    where = f"{topic}, passage {number}"
    register, _, rest = block.partition("\n")
    body, end, after = rest.rstrip().rpartition("\n~")
    passage, gap, asked = body.strip().rpartition("\n\n")
    if not end or after.strip() or not gap or not register.strip():
        raise BadReading(
            f"{where}: needs a register, a text, an empty line, questions and '~' on a line of its own."
        )
    items: list[Item] = []
    lines = asked.splitlines()
    if len(lines) % 2:
        raise BadReading(
            f"{where}: {len(lines)} lines of questions and answers; every question needs one answer."
        )
    for q, a in zip(lines[::2], lines[1::2], strict=True):
        if not re.match(r"[QF]: \S", q) or not re.match(r"A: \S", a):
            raise BadReading(f"{where}: {q!r} and {a!r} are not 'Q:' or 'F:' and 'A:'.")
        item = Item(
            q[3:].strip(), () if a[3:].strip() == "-" else tuple(x.strip() for x in a[3:].split(" | "))
        )
        if q[0] == "Q":
            items.append(item)
        elif items:
            items[-1].after.append(item)
        else:
            raise BadReading(f"{where}: {q!r} follows nothing.")
    return Reading(topic, register.strip(), passage.strip(), items)


@cache
def readings(exam: bool) -> list[Reading]:
    return [
        r
        for path in sorted(FOLDER.glob("*.txt"))
        if (path.stem in EXAM_TOPICS) == exam
        for r in parse(path.read_text(), path.stem)
    ]


# ---------------------------------------------------------------- the same passage with other names
_WORD = re.compile(r"[^\W\d_]+(?:-[A-Z][a-z]+)*")
_DIGITS = re.compile(r"\d+")
_KEPT_WORDS = {
    "Dr",
    "Mr",
    "Mrs",
    "Ms",
    "PIN",
    "PDF",
    "WLAN",
    "USB",
    "The",
    "Dear",
    "Yours",
    "Street",
    "Lane",
    "Road",
    "Monday",
    "January",
}


_DAYS_AND_MONTHS = {*lx.DAYS, *lx.MONTHS}


@cache
def names_in(text: str) -> tuple[str, ...]:
    """Capitalised words in the middle of a sentence that are not ordinary words."""
    found = {}
    for m in _WORD.finditer(text):
        w = m[0]
        if (
            not (w[0].isupper() and w[1:2].islower())
            or w in _KEPT_WORDS
            or w.removesuffix("s") in _DAYS_AND_MONTHS
            or len(w) < 3
        ):
            continue
        before = text[: m.start()].rstrip(" \"'(")
        starts = not before or before[-1] in ".!?:\n-•*" or text[m.start() - 1] == "\n"
        if w.lower() not in REAL_WORDS and not starts:
            found[w] = None
    return tuple(found)


def _depends_on_numbers(r: Reading) -> bool:
    """Whether a question or an answer has a number that is not in the passage: it depends on the numbers, which must not be replaced."""
    said = set(_DIGITS.findall(r.text))
    texts = [t for i in r.items for j in (i, *i.after) for t in (j.question, *j.answers)]
    return any(set(_DIGITS.findall(t)) - said for t in texts)


def told_anew(voice: Voice, r: Reading) -> Reading:
    put = {}
    if voice.chance(0.75):
        for name in names_in(r.text):
            put[name] = voice.first_name().split("-")[0] if voice.chance(0.5) else voice.surname()
        if len(set(put.values())) < len(put):
            put = {}
    v = Variation(voice)
    v.numbers = v.numbers and not _depends_on_numbers(r)
    if v.numbers:  # keeps the order of numbers
        numbers = sorted({int(d) for d in _DIGITS.findall(r.text) if len(d) < 12})
        for _ in range(6):
            v.put.clear()
            v(r.text)
            new = [int(v.put.get(str(n), n)) for n in numbers]
            if all(a < b for a, b in pairwise(new)):
                break
        else:
            v.numbers = False

    def anew(text: str) -> str:
        return v(_WORD.sub(lambda m: put.get(m[0], m[0]), text) if put else text)

    def item(i):
        return Item(anew(i.question), tuple(map(anew, i.answers)), [item(j) for j in i.after])

    return Reading(r.topic, r.register, anew(r.text), [item(i) for i in r.items])


# ---------------------------------------------------------------- prompts
def _answer(i: Item) -> str:
    return i.answers[0] if i.answers else REFUSAL


def reading_prompt(voice: Voice) -> Example:
    """One passage, alone or among others, and its questions; sometimes a question of another passage, which this one cannot answer."""
    known = readings(False)
    origin = voice.pick(known)
    r = told_anew(voice, origin)
    others = []
    for _ in range(voice.pick([0, 0, 0, 0, 1, 1, 2, 3, 4])):
        o = voice.pick(known)
        if o is not origin and o not in others:
            others.append(o)
    shown = [
        Passage(r.text, title=capital(r.register)),
        *(Passage(t.text, title=capital(t.register)) for t in (told_anew(voice, o) for o in others)),
    ]
    order = voice.r.sample(range(len(shown)), len(shown))
    x = voice.r.random()
    glue, label = JOINERS[2] if x < 0.35 else voice.pick(JOINERS)
    text, at = "", 0
    for number, i in enumerate(order, 1):
        text += (glue if text else "") + (label(number, shown[i]) if len(shown) > 1 or x > 0.6 else "")
        if i == 0:
            at = len(text)
        text += shown[i].text
    head, tail = (
        CONTEXT_FIRST[1] if x < 0.25 else ("Facts:\n{c}", "\n\n{q}") if x < 0.4 else voice.pick(CONTEXT_FIRST)
    )
    before, after = head.split("{c}")
    opening = BEGIN + USER
    if voice.chance(0.2):
        opening = f"{BEGIN}{HEADER}system{HEADER_END}\n\n{before}"
        before, after, tail = "", "", TURN_END + USER + "{q}"
    elif voice.chance(0.15):
        opening = f"{BEGIN}{HEADER}system{HEADER_END}\n\n{voice.pick(SYSTEMS)}{TURN_END}{USER}"
    lead, closing = tail.split("{q}")
    prefix = opening + before + text + after
    shift = len(opening + before) + at
    branches = []
    items = [i for i in r.items if not HELD_OUT.search(i.question)]
    if voice.chance(0.25) and len(known) > 1:  # a question about another topic's passage
        o = voice.pick(known)
        if o.topic != r.topic and all(o.topic != p.topic for p in others):
            items = [*items, Item(voice.pick(o.items).question, ())]
    for item in items:
        if voice.chance(0.12):
            says = "yes" if item.answers else "no"
            branches.append(
                [
                    Turn(
                        lead + item.question + closing + "\n\n" + voice.pick(ANSWERED) + REPLY,
                        says + TURN_END,
                    )
                ]
            )
            continue
        turns, length, first = [], len(prefix), lead
        for i in (item, *(item.after if voice.chance(0.8) else [])):
            answer = _answer(i)
            found = r.text.find(answer)
            gold = (shift + found, shift + found + len(answer)) if found >= 0 and i.answers else None
            end = closing if first == lead else ""
            turn = Turn(
                first + i.question + end + REPLY,
                answer + TURN_END,
                gold,
                None,
                (length + len(first), length + len(first) + len(i.question)),
            )
            length += len(turn.prompt) + len(turn.answer)
            turns.append(turn)
            first = USER
        branches.append(turns)
    return Example(prefix, branches) if branches else reading_prompt(voice)


def reading_question_first(voice: Voice) -> Example:
    r = told_anew(voice, voice.pick(readings(False)))
    item = voice.pick(r.items)
    text = voice.pick(QUESTION_FIRST).replace("{c}", r.text).replace("{q}", item.question)
    return Example(BEGIN + USER, [[Turn(text + REPLY, _answer(item) + TURN_END)]])


def exam_prompts(voice: Voice, others: int) -> list[tuple[str, tuple[str, ...], str]]:
    """(prompt, right answers, question) for each answerable first question of the exam's topics, among so many other passages."""
    known, made = readings(True), []
    for r in known:
        for item in r.items:
            passages = [o.text for o in voice.r.sample([o for o in known if o.topic != r.topic], others)]
            passages.insert(voice.r.randint(0, others), r.text)
            text = "\n\n".join(passages)
            made.append(
                (
                    BEGIN + USER + PLAIN[0] + text + PLAIN[1] + item.question + REPLY,
                    item.answers or (REFUSAL,),
                    item.question,
                )
            )
    return made
