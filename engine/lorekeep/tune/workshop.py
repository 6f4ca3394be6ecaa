"""A base made ready to learn: its trunk and its top for training, its generator for reciting. Teaches waves of experts and has every
fact recited by free greedy generation through the serving code."""

import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from lorekeep import folders, generate
from lorekeep.generate import Generator, Recall
from lorekeep.memory.expert import Expert, Pair
from lorekeep.memory.reading import answer_tokens, question_tokens
from lorekeep.protocol import Generate
from lorekeep.tune.facts import Fact
from lorekeep.tune.top import Top
from lorekeep.tune.train import Material, Recipe, Trained, train_wave
from lorekeep.tune.trunk import Row, Trunk

# Sequences that recite together, and the memory for their states.
_TOGETHER, _STATES = 32, 256_000_000
# Experts are stored in this precision, and are recited in it before they are believed.
STORED = torch.bfloat16


@dataclass
class Taught:
    """An expert and what came of it."""

    name: str
    facts: list[Fact]
    weights: dict[str, Pair]
    steps: int
    loss: float
    restarts: int
    recalled: list[bool]  # of its facts, in their order


class Workshop:
    def __init__(self, base: str, device: str = "cpu", dtype: torch.dtype | None = None):
        self.folder = folders.check(base, "generate")
        device = torch.device(device)
        small = self.folder.parameters <= 1_000_000_000 and device.type == "cpu"
        dtype = dtype or (torch.float32 if small else torch.bfloat16)
        model, tokenizer = generate.read(self.folder, dtype, device)
        self.top = Top(model)  # before the generator packs the weights
        self.answers: dict[str, dict] = {}
        self.generator = Generator(self.folder, model, tokenizer, _TOGETHER, _STATES, self._heard)
        self.generator.remember()
        self.trunk = Trunk(model)
        self.spent = {"read": 0.0, "train": 0.0, "recite": 0.0}  # seconds of this process

    @property
    def width(self) -> int:
        return self.top.width

    def row(self, fact: Fact) -> Row:
        prompts = self.generator.prompts
        question = tuple(question_tokens(prompts, fact.input))
        return Row(question, tuple(answer_tokens(prompts, fact.output, self.generator.ends[0])))

    def teach(
        self,
        groups: list[list[Fact]],
        recipe: Recipe,
        name: Callable[[list[Fact]], str],
        apart: bool = True,
        losses: list[list[float]] | None = None,
    ) -> list[Taught]:
        """One expert for each group. Where not all of a group's facts could be taught together, each gets its own expert, if `apart`.
        `losses` takes those of every step of the first attempt."""
        taught = self._teach(groups, recipe, name, losses)
        if not apart:
            return taught
        hard = [one for one in taught if not all(one.recalled) and len(one.facts) > 1]
        alone = self._teach([[fact] for one in hard for fact in one.facts], recipe, name) if hard else []
        better = {id(one): [other for other in alone if other.facts[0] in one.facts] for one in hard}
        return [
            kept
            for one in taught
            for kept in (
                better[id(one)] if id(one) in better and _sum(better[id(one)]) > sum(one.recalled) else [one]
            )
        ]

    def _teach(
        self,
        groups: list[list[Fact]],
        recipe: Recipe,
        name: Callable[[list[Fact]], str],
        losses: list[list[float]] | None = None,
    ) -> list[Taught]:
        """What does not recite though it should is taught once more, until it is surer."""
        names = [name(facts) for facts in groups]
        rows = [[self.row(fact) for fact in facts] for facts in groups]
        with self._counted("read"):
            readings = iter(self.trunk.read([row for some in rows for row in some]))
        materials = [
            Material(int(name[:15], 16), [next(readings) for _ in some])
            for name, some in zip(names, rows, strict=True)
        ]
        taught = self._taught(names, groups, materials, recipe, losses)
        again = [i for i, one in enumerate(taught) if not all(one.recalled) and one.steps < recipe.max_steps]
        if again:
            surer = Recipe(
                recipe.rank,
                recipe.rate * 0.5,
                recipe.rate_of_b,
                recipe.max_steps,
                recipe.scale,
                recipe.margin * 2,
            )
            better = self._taught(*([part[i] for i in again] for part in (names, groups, materials)), surer)
            for i, one in zip(again, better, strict=True):
                if sum(one.recalled) > sum(taught[i].recalled):
                    taught[i] = one
        return taught

    def _taught(
        self,
        names,
        groups,
        materials: list[Material],
        recipe: Recipe,
        losses: list[list[float]] | None = None,
    ) -> list[Taught]:
        trained: dict[int, Trained] = {}
        sizes: dict[int, list[int]] = {}
        for i, material in enumerate(materials):
            sizes.setdefault(material.padded, []).append(i)
        for size in sorted(sizes):
            with self._counted("train"):
                found = train_wave(self.top, [materials[i] for i in sizes[size]], recipe, losses)
            trained |= dict(zip(sizes[size], found, strict=True))
        weights = [_stored(trained[i].weights) for i in range(len(names))]
        asked = [
            (fact, Expert(name, pairs))
            for name, facts, pairs in zip(names, groups, weights, strict=True)
            for fact in facts
        ]
        with self._counted("recite"):
            heard = iter(self.recite(asked))
        return [
            Taught(
                names[i], groups[i], weights[i], trained[i].steps, trained[i].loss, trained[i].restarts,
                [next(heard) == fact.output for fact in groups[i]],
            )
            for i in range(len(names))
        ]  # fmt: skip

    def recite(self, asked: list[tuple[Fact, Expert]]) -> list[str]:
        """What each expert says when it is asked for its fact: free greedy generation, as it is served."""
        prompts = self.generator.prompts
        recalls = []
        for i, (fact, expert) in enumerate(asked):
            most = len(prompts.letters(fact.output)) + 8
            request = Generate(type="generate", id=str(i), model="-", prompt=fact.input, max_tokens=most)
            recalls.append((request, Recall(question_tokens(prompts, fact.input), expert)))
        return self.generate(recalls)

    def generate(self, requests: list[tuple[Generate, Recall | None]]) -> list[str]:
        self.answers.clear()
        for request, recall in requests:
            self.generator.submit(request, recall)
        self.finish()
        return [self.answers[request.id].get("text", "") for request, _ in requests]

    @contextmanager
    def _counted(self, work: str):
        begun = time.process_time()
        yield
        self.spent[work] += time.process_time() - begun

    def finish(self) -> None:
        while self.generator.busy:
            self.generator.step()

    def _heard(self, answer: dict) -> None:
        if answer["type"] != "delta":
            self.answers[answer["id"]] = answer


def _stored(weights: dict[str, Pair]) -> dict[str, Pair]:
    return {name: (A.to(STORED), B.to(STORED)) for name, (A, B) in weights.items()}


def _sum(taught: list[Taught]) -> int:
    return sum(sum(one.recalled) for one in taught)
