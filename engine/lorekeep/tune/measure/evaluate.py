"""Evaluates a tuned model as it is served: questions pass the router and the batch, answers are generated
freely and greedily."""

import json
import math
import random
import re
from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lorekeep import folders
from lorekeep.bulk import bulk
from lorekeep.memory.expert_cache import ExpertCache
from lorekeep.memory.folder import Memory
from lorekeep.memory.tuned import TunedModel
from lorekeep.memory.validity import Validity
from lorekeep.protocol import Generate, Turn
from lorekeep.routing.router import Router
from lorekeep.routing.vectors import Vectors
from lorekeep.routing.words import words
from lorekeep.tune.facts import without_end
from lorekeep.tune.measure.reworded import reworded
from lorekeep.tune.training.trainer import Trainer

# Prompts asked per kind for a new model; all facts were recited before.
_SAMPLE = 100
# Maximum number of these that are also asked reworded: all.
_REWORDED = _SAMPLE
# Prompts asked for a changed model: of new experts, of reused ones, and unrelated prompts.
_CHANGED, _UNRELATED = (25, 4), 4
# Tokens of answers to unrelated prompts by which a changed model is compared with its base.
_COMPARED_TOKENS = 8
_CACHE = 256_000_000
# Maximum number of failures that are named.
_MAX_NAMED = 20
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


def answers_of(facts: int) -> int:
    """Number of answers that `measure` generates for a new model with this number of facts."""
    return 3 * min(_SAMPLE, facts) + 2 * len(UNRELATED)


@dataclass
class Prompt:
    text: str
    before: str | None = None  # an earlier message
    to_base: bool = False
    max_tokens: int | None = None  # default: that of the longest answer


def measure(memory: Memory, asker: "Asker", taken_over: Container[str] = ()) -> dict:
    """Measures a model on its own facts: as taught, reworded by rule and changed into near misses; and on
    unrelated prompts, whose answers must equal the base's. Reused experts were measured when they were made.
    Facts that were not learnt count as wrong in every share, in proportion to all facts."""
    choose = random.Random(0)
    learnt = sum(fact["recalled"] for fact in memory.facts) / max(1, len(memory.facts))
    known = {re.sub(r"\s+", " ", fact["input"]) for fact in memory.facts}
    facts = []
    for sample_size, over in zip(_CHANGED if taken_over else (_SAMPLE, 0), (False, True), strict=True):
        some = [fact for fact in memory.facts if fact["recalled"] and (fact["expert"] in taken_over) == over]
        facts += choose.sample(some, min(sample_size, len(some)))
    questions, wanted = [fact["input"] for fact in facts], [fact["output"] for fact in facts]
    # Facts of reused experts are asked only as taught, since they were measured in every way when they were made.
    fresh = [fact for fact in facts if fact["expert"] not in taken_over] or facts[:1]
    asked_otherwise = [reworded(fact["input"], fact["names"], choose) for fact in fresh[:_REWORDED]]
    unrelated = choose.sample(UNRELATED, _UNRELATED) if taken_over else UNRELATED
    compared = _COMPARED_TOKENS if taken_over else None
    # All in one batch, since a large batch costs little more than a small one.
    said = asker.ask({
        "exact": [Prompt(question) for question in questions],
        "in conversation": [Prompt(fact["input"], before="Hello!") for fact in fresh],
        "reworded by rule": [Prompt(text) for text in asked_otherwise],
        "base": [Prompt(question, to_base=True, max_tokens=compared) for question in unrelated],
        "tuned": [Prompt(question, max_tokens=compared) for question in unrelated],
    })  # fmt: skip
    missed = [miss for fact in facts if (miss := _near_miss(fact, choose, known))]
    left = [not asker.passes(question) for question in missed]
    same = [base == tuned for base, tuned in zip(said["base"], said["tuned"], strict=True)]
    return {
        **{
            kind: _measured(
                "right",
                questions[: len(said[kind])],
                [a == b for a, b in zip(said[kind], wanted, strict=False)],
                of=learnt,
            )
            for kind in ("exact", "in conversation", "reworded by rule")
        },
        "near misses": _measured("left to the base", missed, left),
        "unrelated": _measured("same as the base", unrelated, same),
        "gate": memory.gate.measured,
    }


def evaluate(asker: "Asker", file: Path, prompt: str | None = None) -> dict:
    """Evaluates a set of questions with answers: exact matches of the base, the base with a prompt, and the
    tuned model."""
    asked = []
    for line in file.read_text("utf-8").split("\n"):
        if line.strip():
            found = json.loads(line)
            asked.append((str(found["input"]), str(found["output"])))
    answers = {"base": asker.base([question for question, _ in asked])}
    if prompt:
        answers["base with prompt"] = asker.base([f"{prompt}\n\n{question}" for question, _ in asked])
    if asker.model is not None:
        answers["tuned"] = asker.tuned([question for question, _ in asked])
    ends = folders.end_tokens(asker.trainer.folder.path)
    asked = [(question, without_end(wanted, ends)) for question, wanted in asked]
    figures: dict[str, Any] = {"asked": len(asked)}
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

    @bulk()
    def __init__(
        self, memory: Memory | None, trainer: Trainer, embed: Vectors | None, router: Router | None = None
    ):
        self.trainer = trainer
        self.on_answers: Callable[[int, int], None] = lambda done, all: None
        self.model = memory and TunedModel(memory, trainer.generator, "-", ExpertCache(_CACHE), embed, router)
        if self.model is not None:
            self.model.validity = Validity([])  # facts are measured regardless of their validity

    def base(self, questions: list[str]) -> list[str]:
        return self.ask({"": [Prompt(question, to_base=True) for question in questions]})[""]

    def tuned(self, questions: list[str]) -> list[str]:
        return self.ask({"": [Prompt(question) for question in questions]})[""]

    def passes(self, question: str) -> bool:
        assert self.model is not None
        found = self.model.route(self._request("-", Prompt(question)))
        return found is not None and found.passed

    def ask(self, prompts: dict[str, list[Prompt]]) -> dict[str, list[str]]:
        self.trainer.answers.clear()
        requests = [
            (prompt, self._request(f"{kind} {i}", prompt))
            for kind, some in prompts.items()
            for i, prompt in enumerate(some)
        ]
        if self.model is not None:
            self.model.prefetch([request for prompt, request in requests if not prompt.to_base])
        for prompt, request in requests:
            asked = self.trainer.generator if prompt.to_base else self.model
            assert asked is not None
            asked.submit(request)
        self.trainer.finish(lambda: self.on_answers(len(self.trainer.answers), len(requests)))
        return {
            kind: [self.trainer.answers[f"{kind} {i}"].get("text", "") for i in range(len(some))]
            for kind, some in prompts.items()
        }

    def _request(self, id: str, prompt: Prompt) -> Generate:
        tokens = prompt.max_tokens or self.max_tokens
        if not self.trainer.generator.tokenizer.chat_template:
            return Generate(type="generate", id=id, model="-", prompt=prompt.text, max_tokens=tokens)
        turns = [Turn(role="user", content=prompt.text)]
        if prompt.before:
            turns = [
                Turn(role="user", content=prompt.before),
                Turn(role="assistant", content="Hello."),
                *turns,
            ]
        return Generate(type="generate", id=id, model="-", messages=turns, max_tokens=tokens)

    @cached_property
    def max_tokens(self) -> int:
        if self.model is None:
            return 128
        texts = max((fact["output"] for fact in self.model.memory.facts), key=len)
        return len(self.trainer.generator.prompts.text_tokens(texts)) + 16


def _near_miss(fact: dict, choose: random.Random, known: set[str]) -> str | None:
    """The same question about a name that differs in one letter or digit, if it has a name."""
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


def _measured(name: str, questions: list[str], right: list[bool], of: float = 1.0) -> dict:
    """`of` is the share of facts that the measurement covers."""
    failed = [question for question, is_right in zip(questions, right, strict=True) if not is_right][
        :_MAX_NAMED
    ]
    return {"asked": len(questions), name: _share(right, of), "failed": failed}


def _share(right: list[bool], of: float = 1.0) -> float | None:
    """Rounds down, so that only a complete result is 1."""
    if not right:
        return None if of else 0.0
    return math.floor(sum(right) / len(right) * of * 10_000 + 1e-6) / 10_000
