"""What a tuned model knows, measured as it is served: questions through the router and the batch, answers by free greedy generation."""

import json
import random
import re
from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lorekeep.memory.folder import Memory
from lorekeep.memory.router import Router
from lorekeep.memory.shelf import Shelf
from lorekeep.memory.tuned import Tuned
from lorekeep.memory.vectors import Vectors
from lorekeep.memory.words import words
from lorekeep.protocol import Generate
from lorekeep.tune.workshop import Workshop

# Of every kind of prompt, so many are asked when a model is made; all facts were recited before.
_SAMPLE = 100
# So many when one is changed: of new experts, and of those that were taken over; and so many unrelated prompts.
_CHANGED, _UNRELATED = (25, 8), 8
_SHELF = 256_000_000
# Of those that failed, so many are named.
_NAMED = 20
UNRELATED = [
    "Hello!",
    "Thank you very much.",
    "What can you do?",
    "Write a short poem about the sea.",
    "Explain how a bicycle works.",
    "Give me three tips for better sleep.",
    "Translate good morning into French.",
    "What is two plus two?",
    "Why is the sky blue?",
    "Tell me a joke.",
    "How do I boil an egg?",
    "List five fruits.",
    "What is a contract?",
    "Write an email to ask for a day off.",
    "Summarise the plot of a fairy tale.",
    "How far away is the moon?",
    "Suggest a name for a cat.",
    "What does a lawyer do?",
    "How can I learn to swim?",
    "What should I cook tonight?",
]


@dataclass
class Prompt:
    text: str
    before: str | None = None  # what was said before
    to_base: bool = False


def measure(memory: Memory, asker: "Asker", taken_over: Container[str] = ()) -> dict:
    """Made from the model's own facts: as they were taught, reworded by rule, changed into near misses; and prompts about other things,
    whose answers have to be the base's. Experts that were taken over were measured when they were made."""
    choose = random.Random(0)
    known = {re.sub(r"\s+", " ", fact["input"]) for fact in memory.facts}
    facts = []
    for most, over in zip(_CHANGED if taken_over else (_SAMPLE, 0), (False, True), strict=True):
        some = [fact for fact in memory.facts if fact["recalled"] and (fact["expert"] in taken_over) == over]
        facts += choose.sample(some, min(most, len(some)))
    questions, wanted = [fact["input"] for fact in facts], [fact["output"] for fact in facts]
    unrelated = choose.sample(UNRELATED, _UNRELATED) if taken_over else UNRELATED
    # All at once: a batch of many costs little more than one of a few.
    said = asker.ask({
        "exact": [Prompt(question) for question in questions],
        "in conversation": [Prompt(question, before="Hello!") for question in questions],
        "reworded by rule": [Prompt(_reworded(question, choose)) for question in questions],
        "base": [Prompt(question, to_base=True) for question in unrelated],
        "tuned": [Prompt(question) for question in unrelated],
    })  # fmt: skip
    missed = [miss for fact in facts if (miss := _near_miss(fact, choose, known))]
    left = [not asker.passes(question) for question in missed]
    same = [base == tuned for base, tuned in zip(said["base"], said["tuned"], strict=True)]
    return {
        **{
            kind: _told("right", questions, [a == b for a, b in zip(said[kind], wanted, strict=True)])
            for kind in ("exact", "in conversation", "reworded by rule")
        },
        "near misses": _told("left to the base", missed, left),
        "unrelated": _told("same as the base", unrelated, same),
        "gate": memory.gate.measured,
    }


def evaluate(asker: "Asker", file: Path, prompt: str | None = None) -> dict:
    """Any set of questions with answers: how many the base, the base with a prompt, and the tuned model answer word for word."""
    asked = []
    for line in file.read_text("utf-8").splitlines():
        if line.strip():
            found = json.loads(line)
            asked.append((str(found["input"]), str(found["output"])))
    answers = {"base": asker.base([question for question, _ in asked])}
    if prompt:
        answers["base with prompt"] = asker.base([f"{prompt}\n\n{question}" for question, _ in asked])
    if asker.model is not None:
        answers["tuned"] = asker.tuned([question for question, _ in asked])
    figures = {"asked": len(asked)}
    for who, said in answers.items():
        right = [text.strip() == wanted.strip() for text, (_, wanted) in zip(said, asked, strict=True)]
        holds = [
            wanted.strip().lower() in text.lower() for text, (_, wanted) in zip(said, asked, strict=True)
        ]
        figures[who] = {"exact": _share(right), "contained": _share(holds)}
    figures["rows"] = [
        {"input": question, "wanted": wanted, **{who: said[i] for who, said in answers.items()}}
        for i, (question, wanted) in enumerate(asked)
    ]
    return figures


class Asker:
    """Asks the base and the tuned model in one batch."""

    def __init__(
        self, memory: Memory | None, workshop: Workshop, embed: Vectors | None, router: Router | None = None
    ):
        self.workshop = workshop
        self.model = memory and Tuned(memory, workshop.generator, "-", Shelf(_SHELF), embed, router)

    def base(self, questions: list[str]) -> list[str]:
        return self.ask({"": [Prompt(question, to_base=True) for question in questions]})[""]

    def tuned(self, questions: list[str]) -> list[str]:
        return self.ask({"": [Prompt(question) for question in questions]})[""]

    def passes(self, question: str) -> bool:
        found = self.model.route(self._request("-", Prompt(question)))
        return found is not None and found.passed

    def ask(self, prompts: dict[str, list[Prompt]]) -> dict[str, list[str]]:
        self.workshop.answers.clear()
        requests = [
            (prompt, self._request(f"{kind} {i}", prompt))
            for kind, some in prompts.items()
            for i, prompt in enumerate(some)
        ]
        if self.model is not None:
            self.model.foresee([request for prompt, request in requests if not prompt.to_base])
        for prompt, request in requests:
            (self.workshop.generator if prompt.to_base else self.model).submit(request)
        self.workshop.finish()
        return {
            kind: [self.workshop.answers[f"{kind} {i}"].get("text", "") for i in range(len(some))]
            for kind, some in prompts.items()
        }

    def _request(self, id: str, prompt: Prompt) -> Generate:
        if not self.workshop.generator.tokenizer.chat_template:
            return Generate(type="generate", id=id, model="-", prompt=prompt.text, max_tokens=self.longest)
        turns = [{"role": "user", "content": prompt.text}]
        if prompt.before:
            turns = [
                {"role": "user", "content": prompt.before},
                {"role": "assistant", "content": "Hello."},
                *turns,
            ]
        return Generate(type="generate", id=id, model="-", messages=turns, max_tokens=self.longest)

    @cached_property
    def longest(self) -> int:
        if self.model is None:
            return 128
        texts = max((fact["output"] for fact in self.model.memory.facts), key=len)
        return len(self.workshop.generator.prompts.letters(texts)) + 16


def _reworded(question: str, choose: random.Random) -> str:
    """The same question in other clothes: case, politeness, the mark at the end."""
    bare = question.rstrip(" ?.!")
    lower = bare[:1].lower() + bare[1:]
    return choose.choice(
        [
            f"Could you tell me: {lower}?",
            bare.lower(),
            f"{bare} ?",
            f"Please answer this: {lower}",
            f"I would like to know {lower}.",
        ]
    )


def _near_miss(fact: dict, choose: random.Random, known: set[str]) -> str | None:
    """The same question about a name that differs in one letter or digit, where there is a name."""
    question, named = fact["input"], fact["names"]
    said = [word for word in words(question) if word.plain in named and len(word.text) > 3]
    if not said:
        return None
    word = choose.choice(said)
    at = choose.choice([i for i, c in enumerate(word.text) if c.isalnum()])
    among = "0123456789" if word.text[at].isdigit() else "abcdefghijklmnopqrstuvwxyz"
    other = choose.choice([c for c in among if c != word.text[at].lower()])
    changed = word.text[:at] + (other.upper() if word.text[at].isupper() else other) + word.text[at + 1 :]
    missed = question[: word.start] + changed + question[word.end :]
    return None if missed in known else missed


def _told(name: str, questions: list[str], well: list[bool]) -> dict:
    failed = [question for question, right in zip(questions, well, strict=True) if not right][:_NAMED]
    return {"asked": len(questions), name: _share(well), "failed": failed}


def _share(right: list[bool]) -> float | None:
    return round(sum(right) / len(right), 4) if right else None
