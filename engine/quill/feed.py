"""The recipe of a run, and its training text: rows of examples, batches, and the processes that prefetch them."""

import os
import random
from dataclasses import dataclass
from multiprocessing.pool import AsyncResult

import torch
import torch.multiprocessing as mp

from .batches import Batch, Encoder, Row, batches
from .mix import example, shares
from .text.skills import SKILLS
from .text.values import Voice


@dataclass
class Recipe:
    out: str
    hours: float = 2.0
    steps: int = 0  # if given, the length of the run instead of the hours
    workers: int = 1  # processes, one CPU thread each, that train on their own text and average their weights
    sync_every: int = 8  # steps between two averagings: synchronising at every step costs a third of the time
    feeders: int = 0  # processes that prefetch text for a fast device; 0: the worker generates its own
    device: str = "cpu"
    width: int = 256
    layers: int = 6
    inner: int = 512
    pieces: int = 3200
    tokenizer: str = ""  # a tokenizer.json to use as it is
    start_from: str = ""  # initial checkpoint or exported folder; a shallower model is grown
    batch_tokens: int = 2048  # per worker and step
    chunk_rows: int = 256  # minimum number of examples generated at once
    longest: int = 448  # maximum tokens of an ordinary example
    matrix_rate: float = 0.003
    other_rate: float = 4e-4
    attention_weight: float = 1.0  # of the auxiliary attention losses
    attention_until: float = 0.65  # share of the run; faded out over the next fifth
    decay_from: float = 0.55  # share of the run
    hard: float = 0.5  # share of contexts whose passages differ by one key
    absent: float = 0.06
    mix: str = ""  # shares of the kinds of text, as `facts=0.45,reading=0.06`; default: those of mix.py
    max_facts: int = 0  # maximum facts in one world; 0: any number
    skills: str = ""  # shares of the questions about a world, as `reversed=4,hop=2`
    curriculum: bool = True  # one passage at first, then two, three, five
    compiled: bool = False  # the blocks but the last, for a GPU
    seed: int = 0
    save_minutes: float = 5.0
    watch: int = 100  # questions in each small set that is evaluated at every checkpoint
    exam: int = 200  # questions in each section of the exam at the end; 0: no exam


def most_passages(r: Recipe, done: float) -> int:
    return 5 if not r.curriculum or done > 0.24 else 3 if done > 0.14 else 2 if done > 0.06 else 1


def attention_fade(r: Recipe, done: float) -> float:
    """1 while the attention losses are used, then falling to 0."""
    return max(0.0, min(1.0, (r.attention_until + 0.2 - done) / 0.2)) if r.attention_weight else 0.0


def draw_rows(r: Recipe, encoder: Encoder, name: str, done: float, n: int) -> list[Row]:
    """n rows that depend only on the name and on the progress of the run."""
    voice = Voice(name)
    mix, skills = shares(r.mix), shares(r.skills, SKILLS)
    rows: list[Row] = []
    while len(rows) < n:
        absent = r.absent * (0.3 if done < 0.4 else 1.0)  # early on, the model would only learn to refuse
        made = example(voice, most_passages(r, done), r.hard, absent, mix, r.max_facts, skills)
        row = encoder.row(made, targets=attention_fade(r, done) > 0)
        if len(row.ids) <= r.longest or (
            len(row.ids) <= 1400 and voice.chance(0.05 if done > 0.3 or not r.curriculum else 0)
        ):
            rows.append(row)
    return rows


def draw_batches(r: Recipe, encoder: Encoder, name: str, done: float) -> list[Batch]:
    n = max(r.chunk_rows, r.batch_tokens // 32)
    return batches(draw_rows(r, encoder, name, done, n), r.batch_tokens, random.Random(name))


def _fed(*order: object) -> list[dict]:
    return [batch.packed() for batch in draw_batches(*order)]  # type: ignore[arg-type]


def _one_thread() -> None:
    torch.set_num_threads(1)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"


class Feed:
    """Chunks of batches by number, generated here on demand or prefetched by other processes."""

    def __init__(self, r: Recipe, encoder: Encoder, rank: int):
        self.r, self.encoder, self.rank = r, encoder, rank
        self.pool = mp.get_context("spawn").Pool(r.feeders, _one_thread) if r.feeders else None
        self.asked: dict[int, AsyncResult] = {}

    def _order(self, chunk: tuple[int, float]) -> tuple:
        return self.r, self.encoder, f"{self.r.seed}/{self.rank}/{chunk[0]}", chunk[1]

    def ask(self, chunk: tuple[int, float]) -> None:
        if self.pool and chunk[0] >= 0:
            self.asked[chunk[0]] = self.pool.apply_async(_fed, self._order(chunk))

    def close(self) -> None:
        if self.pool:
            self.pool.terminate()
            self.pool.join()

    def take(self, chunk: tuple[int, float]) -> list[Batch]:
        return (
            [Batch.unpacked(b) for b in self.asked.pop(chunk[0]).get()]
            if self.pool
            else draw_batches(*self._order(chunk))
        )
