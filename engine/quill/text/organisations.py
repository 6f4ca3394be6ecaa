"""Organisations written by hand (`organisations/*.txt`, one a file): their facts, and what people ask about them in their own words.

A file: "# trade", numbered facts `1. question = answer`, then questions `kind numbers: question`, with `= answer` where the kind has
one of its own: `same` is a fact's question in other words, `part` wants a piece of its answer, `back` names the answer and asks for
what the question is about, `two`, `three` and `list` want several facts, `hop` goes over the first to the second, `follow` is asked
behind the first and means the second, `yes` and `no` are decided by facts, `compare`, `sentence` and `text` have their own answer,
`json` its keys; `none`, and `lost` behind a fact, no fact answers. `bench/memory/domains.jsonl` is read as more of them. One trade in
ten is the exam's.

    python -m quill.text.organisations FILE ...     # what is wrong with files, or how many questions they hold
"""

import json
import re
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

from .answer_shapes import escaped
from .contexts import REFUSAL
from .ordinary import lines_of
from .questions import enumerated
from .reading import names_in
from .relations import BENCH, HELD_OUT
from .talks import ANSWERED, PLAIN, TAILS, same_prompt
from .template import BEGIN, HEADER, HEADER_END, REPLY, TURN_END, USER, Example, Turn
from .values import Voice
from .varied import Variation
from .worlds import HEADS

FOLDER = Path(__file__).with_name("organisations")
# Minimum and maximum number of facts of a kind of question; whether it has its own answer.
KINDS = {
    "same": (1, 1, False), "part": (1, 1, True), "back": (1, 1, True), "two": (2, 2, False), "three": (3, 3, False), "hop": (2, 2, False), "follow": (2, 2, False),
    "yes": (1, 3, False), "no": (1, 3, False), "compare": (2, 3, True), "list": (2, 8, False), "sentence": (1, 3, True), "text": (1, 3, True), "json": (1, 6, True),
    "none": (0, 0, False), "lost": (1, 1, False),
}  # fmt: skip
BEHIND = {"follow", "lost"}
UNANSWERED = {"none", "lost"}
# Kinds whose answers may be wrong with other numbers.
_NUMBER_DEPENDENT_KINDS = {"yes", "no", "compare", "text", "sentence"}
_ASK_PATTERN = re.compile(r"(?P<kind>[a-z]+)(?P<facts>(?: \d+)*): (?P<question>\S.*)")
_NAME_PATTERN = re.compile(r"[^\W\d_]+(?:-[A-Z][a-z]+)*")


@dataclass
class Fact:
    question: str
    answer: str


@dataclass
class Ask:
    kind: str
    facts: list[int]
    question: str
    answer: str = ""


@dataclass
class Organisation:
    trade: str
    facts: list[Fact]
    asks: list[Ask]


class BadOrganisation(ValueError):
    """A line that violates the format above."""


def parse(text: str, name: str) -> Organisation:
    made = Organisation("", [], [])
    for number, line in enumerate(filter(str.strip, text.splitlines()), 1):
        line = line.strip()
        if number == 1 and line.startswith("# "):
            made.trade = line[2:]
        elif fact := re.fullmatch(r"(\d+)\. (.+?) = (.+)", line):
            if int(fact[1]) != len(made.facts) + 1:
                raise BadOrganisation(f"{name}: fact {fact[1]} follows {len(made.facts)} facts.")
            made.facts.append(Fact(fact[2].strip(), fact[3].strip()))
        elif ask := _ASK_PATTERN.fullmatch(line):
            made.asks.append(_ask(ask, made.facts, f"{name}: {line!r}"))
        else:
            raise BadOrganisation(
                f"{name}: {line!r} is neither '# trade', '1. question = answer' nor 'kind 1: question'."
            )
    if not made.trade or not made.facts or not made.asks:
        raise BadOrganisation(f"{name}: needs a trade in the first line, facts and questions.")
    return made


def _ask(said: re.Match, facts: list[Fact], where: str) -> Ask:
    if said["kind"] not in KINDS:
        raise BadOrganisation(f"{where}: no kind {said['kind']!r}; the kinds are {', '.join(KINDS)}.")
    least, most, own = KINDS[said["kind"]]
    numbers = [int(n) - 1 for n in said["facts"].split()]
    if not least <= len(numbers) <= most or any(n not in range(len(facts)) for n in numbers):
        raise BadOrganisation(
            f"{where}: needs {least} to {most} of the {len(facts)} facts' numbers before ':'."
        )
    question, equals, answer = said["question"].partition(" = ")
    if bool(equals) != own or (own and not answer.strip()):
        raise BadOrganisation(f"{where}: {'needs' if own else 'takes no'} ' = answer'.")
    if said["kind"] == "json" and len(answer.split(",")) != len(numbers):
        raise BadOrganisation(f"{where}: {len(numbers)} facts need as many keys behind ' = '.")
    return Ask(said["kind"], numbers, question.strip(), answer.strip())


def is_exam_trade(name: str) -> bool:
    return crc32(name.encode()) % 10 == 0


@cache
def organisations(exam: bool) -> list[Organisation]:
    """Organisations of the exam, or of training without questions that contain the exam's words."""
    found = [
        parse(path.read_text(), path.stem)
        for path in sorted(FOLDER.glob("*.txt"))
        if is_exam_trade(path.stem) == exam
    ]
    for number, line in enumerate((BENCH / "domains.jsonl").read_text().splitlines()):
        if (number % 3 == 0) == exam:  # those used by `bench domains`
            found.append(_of_domain(json.loads(line)))
    if not exam:
        for one in found:
            one.asks = [a for a in one.asks if not _says_held_out(a, one.facts)]
    return found


def _says_held_out(a: Ask, facts: list[Fact]) -> bool:
    return any(HELD_OUT.search(text) for text in (a.question, *(facts[n].question for n in a.facts)))


def _of_domain(row: dict) -> Organisation:
    kinds = {"same": "same", "near": "none", "yes": "yes", "no": "no", "unknown": "none"}
    asks = []
    for kind, question, fact, *says in row["asks"]:
        as_kind = kinds[says[0] if kind == "claim" else kind]
        asks.append(Ask(as_kind, [] if as_kind == "none" else [fact], question))
    return Organisation(row["domain"], [Fact(q, a) for q, a in row["facts"]], asks)


# Kinds of questions of the exam, by title.
EXAM = {
    "same": ("in people's own words", ("same", "part")), "back": ("backwards", ("back",)), "two": ("two in one", ("two",)), "hop": ("two hops", ("hop",)), "follow": ("follow-ups", ("follow",)),
    "yes_no": ("yes or no", ("yes", "no")), "none": ("not in the facts: refuses", ("none", "lost")), "json": ("JSON, free", ("json",)),
}  # fmt: skip


# ---------------------------------------------------------------- with other names and numbers
class Retelling:
    """Replaces names and numbers in an organisation's texts consistently."""

    def __init__(self, voice: Voice, o: Organisation):
        self.facts, self.put = o.facts, {}
        if voice.chance(0.75):
            for name in names_in("\n".join(f"{f.question}\n{f.answer}" for f in o.facts)):
                self.put[name] = voice.first_name().split("-")[0] if voice.chance(0.5) else voice.surname()
            if len(set(self.put.values())) < len(self.put):
                self.put = {}
        self.variation = Variation(voice)

    def __call__(self, text: str) -> str:
        named = _NAME_PATTERN.sub(lambda m: self.put.get(m[0], m[0]), text) if self.put else text
        return self.variation(named)

    def holds(self, a: Ask) -> bool:
        """Whether a question's answer is the same with other numbers."""
        if not self.variation.numbers or a.kind not in _NUMBER_DEPENDENT_KINDS:
            return True
        return not any(re.search(r"\d", self.facts[n].answer) for n in a.facts)


def told_anew(voice: Voice, o: Organisation) -> Organisation:
    anew = Retelling(voice, o)
    facts = [Fact(anew(f.question), anew(f.answer)) for f in o.facts]
    asks = [
        Ask(a.kind, a.facts, anew(a.question), a.answer if a.kind == "json" else anew(a.answer))
        for a in o.asks
        if anew.holds(a)
    ]
    return Organisation(o.trade, facts, asks)


# ---------------------------------------------------------------- prompts
def answer_of(facts: list[Fact], a: Ask) -> str:
    values = [facts[n].answer.removesuffix(".") for n in a.facts]
    if a.kind in UNANSWERED:
        return REFUSAL
    if a.kind in ("yes", "no"):
        return a.kind.capitalize() + "."
    if a.kind == "json":
        keys = [key.strip().strip('"') for key in a.answer.split(",")]
        return "{" + ",".join(f'"{k}":"{escaped(v)}"' for k, v in zip(keys, values, strict=True)) + "}"
    if a.kind in ("two", "three", "list"):
        return enumerated(values)
    return a.answer or values[-1]


def turns_of(a: Ask, facts: list[Fact], first: str, before: str) -> list[Turn]:
    """The question, preceded by that of its first fact if it is a follow-up."""
    turns = []
    if a.kind in BEHIND:
        turns.append(Turn(first + before + REPLY, facts[a.facts[0]].answer.removesuffix(".") + TURN_END))
        first = USER
    return [*turns, Turn(first + a.question + REPLY, answer_of(facts, a) + TURN_END)]


def organisation_prompt(voice: Voice) -> Example:
    """Some facts of an organisation, sometimes with those of another, and questions about them or about a fact that is left out."""
    known = organisations(False)
    o = told_anew(voice, voice.pick(known))
    asks = voice.r.sample(o.asks, min(len(o.asks), voice.r.randint(6, 11)))
    wanted = list(dict.fromkeys(n for a in asks[:-2] for n in a.facts))
    rest = [n for n in range(len(o.facts)) if n not in wanted]
    wanted += voice.r.sample(rest, min(len(rest), voice.pick([0, 1, 2, 4, 6])))
    shown = [o.facts[n] for n in wanted][:14]
    if voice.chance(0.2) or not shown:
        other = told_anew(voice, voice.pick(known))
        shown += voice.r.sample(other.facts, min(len(other.facts), 4)) if other.trade != o.trade else []
    voice.r.shuffle(shown)
    text, _ = lines_of(voice, shown, plain=voice.chance(0.4))
    head, first = PLAIN if voice.chance(0.5) else (voice.pick(HEADS), voice.pick(TAILS))
    asked = [one for a in asks if (one := _of_shown(a, o.facts, shown))]
    follows = [a for a in asked if a.kind in BEHIND]
    if follows and voice.chance(0.5):  # the facts come with the last message, after a turn without facts
        fact = follows[0].facts[0]
        begun = (
            f"{BEGIN}{USER}{_worded(voice, o, fact)}{REPLY}{o.facts[fact].answer.removesuffix('.')}{TURN_END}"
        )
        prefix = f"{begun}{USER}{head}{text}"
        asked = [a for a in asked if a.kind not in BEHIND or a.facts[0] == fact]
        return Example(prefix, [_branch(voice, o, a, first)[-1:] for a in asked])
    if voice.chance(0.25):
        prefix, first = f"{BEGIN}{HEADER}system{HEADER_END}\n\n{head}{text}", TURN_END + USER
    else:
        prefix = BEGIN + USER + head + text
    return (
        Example(prefix, [_branch(voice, o, a, first) for a in asked]) if asked else organisation_prompt(voice)
    )


def _of_shown(a: Ask, facts: list[Fact], shown: list[Fact]) -> Ask | None:
    """The question as answered by these facts: unanswerable if its fact is left out."""
    told = [facts[n] in shown for n in a.facts]
    if a.kind == "lost":
        return a if told[0] else None
    if a.kind == "none" or all(told):
        return a
    alone = a.kind in ("same", "back", "yes", "hop", "sentence") and not any(told)
    return Ask("none", [], a.question) if alone else None


def _worded(voice: Voice, o: Organisation, fact: int) -> str:
    """A question for a fact: its own, or a paraphrase."""
    return voice.pick(
        [o.facts[fact].question, *(a.question for a in o.asks if a.kind == "same" and a.facts == [fact])]
    )


def _branch(voice: Voice, o: Organisation, a: Ask, first: str) -> list[Turn]:
    if a.kind not in BEHIND and a.kind not in ("sentence", "text", "json") and voice.chance(0.15):
        judge = ("\n\n" if voice.chance(0.7) else "\n") + voice.pick(ANSWERED)
        says = "no" if a.kind in UNANSWERED else "yes"
        return [Turn(first + a.question + judge + REPLY, says + TURN_END)]
    return turns_of(a, o.facts, first, _worded(voice, o, a.facts[0]) if a.kind in BEHIND else "")


def asked_pair(voice: Voice) -> tuple[str, str, bool]:
    """Two questions of one organisation that ask the same, or do not."""
    o = told_anew(voice, voice.pick(organisations(False)))
    worded: dict[int, list[str]] = {}
    for a in o.asks:
        if a.kind == "same":
            worded.setdefault(a.facts[0], [o.facts[a.facts[0]].question]).append(a.question)
    same = voice.pick(list(worded.values()))
    if voice.chance(0.5):
        one, two = voice.r.sample(same, 2)
        return one, two, True
    others = [a.question for a in o.asks if a.kind == "none"] if voice.chance(0.5) else []
    others = others or [q for group in worded.values() if group is not same for q in group]
    return (voice.pick(same), voice.pick(others), False) if others else asked_pair(voice)


def organisation_same_prompt(voice: Voice) -> Example:
    return same_prompt(voice, asked_pair)


def exam_asked(voice: Voice, kinds: tuple[str, ...], n: int = 10) -> tuple[str, str]:
    """(prompt, answer) of a question of these kinds, from n facts of a held-out organisation."""
    while True:
        o = voice.pick(organisations(True))
        asks = [a for a in o.asks if a.kind in kinds]
        if not asks:
            continue
        a = voice.pick(asks)
        rest = [i for i in range(len(o.facts)) if i not in a.facts]
        shown = [*a.facts, *voice.r.sample(rest, max(0, min(len(rest), n - len(a.facts))))]
        voice.r.shuffle(shown)
        text, _ = lines_of(voice, [o.facts[i] for i in shown], plain=True)
        before = o.facts[a.facts[0]].question if a.kind in BEHIND else ""
        turns = turns_of(a, o.facts, PLAIN[1], before)
        said = "".join(t.prompt + t.answer for t in turns[:-1]) + turns[-1].prompt
        return BEGIN + USER + PLAIN[0] + text + said, answer_of(o.facts, a)


def main() -> None:
    counts: Counter[str] = Counter()
    for name in sys.argv[1:]:
        try:
            made = parse(Path(name).read_text(), Path(name).stem)
        except BadOrganisation as wrong:
            print(wrong)
            continue
        counts.update(a.kind for a in made.asks)
    print(f"{sum(counts.values())} questions:", ", ".join(f"{k} {n}" for k, n in counts.items()))


if __name__ == "__main__":
    main()
