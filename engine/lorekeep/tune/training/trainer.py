"""Trains waves of experts on a base and verifies each fact: free greedy generation through the serving code
has to recite its answer."""

import math
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, replace

import torch

from lorekeep import folders, machine
from lorekeep.infer.experts import Expert, Pair
from lorekeep.infer.generate import Generator, Recall
from lorekeep.infer.weights import reading
from lorekeep.memory.fact_tokens import answer_tokens, question_tokens
from lorekeep.protocol import Generate
from lorekeep.tune.facts import Fact
from lorekeep.tune.training.last_layer import LastLayer
from lorekeep.tune.training.train import Material, Recipe, Trained, train_wave, wave_bytes
from lorekeep.tune.training.trunk import Row, Trunk

# Maximum sequences that recite in one batch, and memory for their states.
_MAX_BATCH, _KV_BYTES = 32, 256_000_000
# Memory for experts that are trained side by side.
_WAVE_BYTES = 1 << 27
# Precision of stored experts; recitals are verified in it.
STORED = torch.bfloat16
# Maximum steps of the first attempt: typical answers take some twenty; what has not converged by then needs another recipe.
FIRST = 160
# Minimum steps of further attempts unless fewer than FEW were requested, and the ranks of these attempts.
LAST, FEW = 400, 20
RANKS = (32, 128)


@dataclass
class Taught:
    """A trained expert and its result."""

    name: str
    facts: list[Fact]
    weights: dict[str, Pair]
    steps: int
    loss: float
    restarts: int
    recalled: list[bool]  # whether each of its facts is recalled, in order
    begun: float = math.nan  # its loss before the first step
    moved: bool = False  # whether it comes from a model on another base

    @property
    def rank(self) -> int:
        return next(iter(self.weights.values()))[0].shape[1]


def harder(recipe: Recipe) -> list[Recipe]:
    """Recipes for facts that the first recipe did not teach: answers of pieces that the base has rarely seen,
    with similar vectors. They train for the widest margin against a larger shortlist, with a higher rank and
    at least LAST steps, unless very few were requested."""
    shared = {
        "max_steps": max(recipe.max_steps, LAST) if recipe.max_steps >= FEW else recipe.max_steps,
        "rate": recipe.rate * 0.3, "sharpness": 4.0, "ahead": 1.0, "falling": True, "shortlist": 4096, "renewed": 10,
        "grace_steps": 30, "grown": (5.0, 3.0),
    }  # fmt: skip
    return [replace(recipe, rank=max(recipe.rank, rank), **shared) for rank in RANKS]


class Trainer:
    def __init__(self, base: str, device: str = "cpu", dtype: torch.dtype | None = None):
        self.folder = folders.check(base, "generate")
        where = torch.device(device)
        dtype = dtype or reading.dtype_for(self.folder, where.type)
        if where.type == "cpu":
            machine.refuse_larger(f"Tuning on {base}", reading.tuning_bytes(self.folder, dtype, where))
        model, tokenizer = reading.read(self.folder, dtype, where)
        self.top = LastLayer(model)  # before the generator packs the weights
        self.answers: dict[str, dict] = {}
        self.generator = Generator(self.folder, model, tokenizer, _MAX_BATCH, _KV_BYTES, self._store_answer)
        self.generator.install_expert_hooks()
        self.trunk = Trunk(model, self.generator.leading)
        self.spent = {"read": 0.0, "train": 0.0, "recite": 0.0}  # seconds of this process

    @property
    def width(self) -> int:
        return self.top.width

    def forget(self) -> None:
        """Drops cached prompt states of a job."""
        self.answers.clear()
        self.top.forget_constants()
        self.generator.batch.arena.clear()

    def row(self, fact: Fact) -> Row:
        prompts = self.generator.prompts
        question = tuple(question_tokens(prompts, fact.input))
        return Row(question, tuple(answer_tokens(prompts, fact.output, self.generator.ends[0])))

    def train(
        self,
        groups: list[list[Fact]],
        recipe: Recipe,
        name: Callable[[list[Fact]], str],
        apart: bool = True,
        losses: list[list[float]] | None = None,
    ) -> list[Taught]:
        """Trains one expert per group. Groups with unrecited facts are trained again by each of the `harder`
        recipes, and if `apart`, their remaining facts in an expert each. `losses` receives the losses of
        every step of the first attempt."""
        taught = self.teach(groups, replace(recipe, max_steps=min(recipe.max_steps, FIRST)), name, losses)
        for more in harder(recipe):
            taught = [one for old in taught for one in self._again(old, more, name, apart)]
        return taught

    def _again(
        self, old: Taught, recipe: Recipe, name: Callable[[list[Fact]], str], apart: bool
    ) -> list[Taught]:
        if all(old.recalled):
            return [old]
        (better,) = self.teach([old.facts], recipe, name)
        if sum(better.recalled) < sum(old.recalled):
            better = old
        if all(better.recalled) or not apart or len(old.facts) == 1:
            return [better]
        alone = [one for fact in old.facts for one in self.teach([[fact]], recipe, name)]
        return alone if _recalled_count(alone) > sum(better.recalled) else [better]

    def teach(
        self,
        groups: list[list[Fact]],
        recipe: Recipe,
        name: Callable[[list[Fact]], str],
        losses: list[list[float]] | None = None,
    ) -> list[Taught]:
        """Trains groups. Experts that converged but fail to recite are trained once more with a wider
        margin."""
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
            surer = replace(recipe, rate=recipe.rate * 0.5, margin=recipe.margin * 2)
            better = self._taught(
                [names[i] for i in again], [groups[i] for i in again], [materials[i] for i in again], surer
            )
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
        for size, every in sorted(sizes.items()):
            most = max(1, _WAVE_BYTES // wave_bytes(self.top, size, recipe))
            parts = -(-len(every) // most)
            for some in (every[part::parts] for part in range(parts)):
                with self._counted("train"):
                    found = train_wave(self.top, [materials[i] for i in some], recipe, losses)
                trained |= dict(zip(some, found, strict=True))
        weights = [_stored(trained[i].weights) for i in range(len(names))]
        recalled = self.recalled(list(zip(names, groups, weights, strict=True)))
        return [
            Taught(
                names[i], groups[i], weights[i], trained[i].steps, trained[i].loss, trained[i].restarts,
                recalled[i], trained[i].begun,
            )
            for i in range(len(names))
        ]  # fmt: skip

    def recalled(self, experts: list[tuple[str, list[Fact], dict[str, Pair]]]) -> list[list[bool]]:
        """Whether each expert (name, facts, weights) recites each of its facts word for word."""
        asked = [(fact, Expert(name, pairs)) for name, facts, pairs in experts for fact in facts]
        with self._counted("recite"):
            said = iter(self.recite(asked))
        return [[next(said) == fact.output for fact in facts] for _, facts, _ in experts]

    def recite(self, asked: list[tuple[Fact, Expert]]) -> list[str]:
        """Answers of experts to their facts by free greedy generation, as served."""
        prompts = self.generator.prompts
        recalls = []
        for i, (fact, expert) in enumerate(asked):
            max_tokens = len(prompts.text_tokens(fact.output)) + 8
            request = Generate(
                type="generate", id=str(i), model="-", prompt=fact.input, max_tokens=max_tokens
            )
            recalls.append((request, Recall(question_tokens(prompts, fact.input), expert, fact.output)))
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

    def finish(self, on_step: Callable[[], None] = lambda: None) -> None:
        while self.generator.busy:
            self.generator.step()
            on_step()

    def _store_answer(self, answer: dict) -> None:
        if answer["type"] != "delta":
            self.answers[answer["id"]] = answer


def _stored(weights: dict[str, Pair]) -> dict[str, Pair]:
    return {name: (A.to(STORED), B.to(STORED)) for name, (A, B) in weights.items()}


def _recalled_count(taught: list[Taught]) -> int:
    return sum(sum(one.recalled) for one in taught)
