"""The whole recipe in one command: generate, tokenizer, starting weights, training, export, exam.

    python -m quill.train --hours 2 --workers 2 --out DIR        # on two cores
    python -m quill.train --hours 0.4 --device cuda --feeders 15 --layers 12 --inner 768 --batch-tokens 65536 --longest 1200 --out DIR

A stopped run goes on with --resume. With --steps instead of --hours a run is the same bit for bit, interrupted or not.
"""

import argparse
import json
import os
import random
import time
from dataclasses import asdict, dataclass
from multiprocessing.pool import AsyncResult
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor
from torch.multiprocessing.spawn import spawn

from . import circuits
from . import tokenizer as tk
from .batches import NEVER, Batch, Encoder, Row, batches
from .mix import example, shares
from .model import Quill, Shape, grow, keep_memory, load_hugging_face, mixed_precision, save_hugging_face
from .muon import Muon
from .text.skills import SKILLS
from .text.values import Voice
from .watch import watch_sets

MEETING = "workers.meet"  # the file by which workers find each other


@dataclass
class Recipe:
    out: str
    hours: float = 2.0
    steps: int = 0  # if given, the length of the run instead of the hours
    workers: int = 1  # processes, one CPU thread each, that train on their own text and average their weights
    sync_every: int = 8  # steps between two averagings: waiting for each other at every step costs a third
    feeders: int = 0  # processes that write text ahead of a fast device; 0: the worker writes its own
    device: str = "cpu"
    width: int = 256
    layers: int = 6
    inner: int = 512
    pieces: int = 3200
    tokenizer: str = ""  # a tokenizer.json to use as it is
    start_from: str = ""  # a checkpoint, or an exported folder, to begin with; a shallower model grows
    batch_tokens: int = 2048  # per worker and step
    chunk_rows: int = 256  # examples that are written at once, at least
    longest: int = 448  # tokens of an ordinary example
    matrix_rate: float = 0.003
    other_rate: float = 4e-4
    attention_weight: float = 1.0  # of the losses that show attention where to look
    attention_until: float = 0.65  # of the run; faded out over the next fifth
    decay_from: float = 0.55  # of the run
    hard: float = 0.5  # share of contexts whose passages differ by one key
    absent: float = 0.06
    mix: str = ""  # shares of the kinds of text, as `facts=0.45,reading=0.06`; those of mix.py without it
    max_facts: int = 0  # in one world of facts; 0: any number
    skills: str = ""  # shares of the questions about a world, as `reversed=4,hop=2`
    curriculum: bool = True  # one passage at first, then two, three, five
    seed: int = 0
    save_minutes: float = 5.0
    watch: int = 100  # questions in each small set that is looked at whenever it saves
    exam: int = 200  # questions in each section of the exam at the end; 0: no exam


def most_passages(r: Recipe, done: float) -> int:
    return 5 if not r.curriculum or done > 0.24 else 3 if done > 0.14 else 2 if done > 0.06 else 1


def attention_fade(r: Recipe, done: float) -> float:
    """1 while attention is shown where to look, then falling to 0."""
    return max(0.0, min(1.0, (r.attention_until + 0.2 - done) / 0.2)) if r.attention_weight else 0.0


def draw_rows(r: Recipe, encoder: Encoder, name: str, done: float, n: int) -> list[Row]:
    """n rows that depend on the name and on how far the run is, on nothing else."""
    voice = Voice(name)
    mix, skills = shares(r.mix), shares(r.skills, SKILLS)
    rows: list[Row] = []
    while len(rows) < n:
        absent = r.absent * (0.3 if done < 0.4 else 1.0)  # refusing is the lazy answer while choosing is hard
        made = example(voice, most_passages(r, done), r.hard, absent, mix, r.max_facts, skills)
        row = encoder.row(made, targets=attention_fade(r, done) > 0)
        if len(row.ids) <= r.longest or (
            len(row.ids) <= 1400 and voice.chance(0.05 if done > 0.3 or not r.curriculum else 0)
        ):
            rows.append(row)
    return rows


def attention_loss(seen: dict[int, Tensor], batch: Batch) -> Tensor:
    """Distance of the circuits' attention from its targets, in nats."""
    total = torch.zeros((), device=batch.ids.device)

    def at(layer: int, heads: tuple[int, ...], where: Tensor) -> Tensor:  # [N, heads, T]
        return torch.log_softmax(seen[layer][where[:, 0], :, where[:, 1]][:, list(heads)].float(), -1)

    if len(batch.copy_first):  # either kind of picking head may be the one that finds it
        goal = batch.copy_first[:, 2][:, None, None]
        kinds = []
        for heads in (circuits.PICK_AFTER, circuits.PICK_BEFORE):
            logs = at(circuits.PICK_LAYER, heads, batch.copy_first)
            kinds.append(logs.gather(2, goal.expand(-1, len(heads), 1)).mean((1, 2)))
        total = total - torch.logsumexp(torch.stack(kinds), 0).mean()
    if len(batch.copy_next):
        logs = at(circuits.MATCH_LAYER, circuits.CONTINUE, batch.copy_next)
        goal = batch.copy_next[:, 2][:, None, None].expand(-1, logs.shape[1], 1)
        total = total - logs.gather(2, goal).mean()
    for layer, heads, (where, allow) in (
        (circuits.MATCH_LAYER, circuits.MATCH, batch.match),
        (circuits.GATHER_LAYER, circuits.GATHER, batch.gather),
    ):
        if len(where):
            found = torch.logsumexp(at(layer, heads, where) + allow[:, None], -1)
            total = total - found.clamp(min=NEVER / 100).mean()
    return total


def loss_of(model: Quill, batch: Batch, attention: float) -> tuple[Tensor, Tensor]:
    """(mean loss on the answers' tokens, attention loss)"""
    watch = (circuits.GATHER_LAYER, circuits.MATCH_LAYER, circuits.PICK_LAYER) if attention else ()
    with mixed_precision(batch.ids.device.type):
        # The token before an answer's first is the prompt's last; branches are contiguous, so a shift by one is right.
        wanted = batch.weight[:, 1:] > 0
        hidden, seen = model(batch.ids, batch.places, batch.mask, watch, F.pad(wanted, (0, 1)))
        logits = model.logits(hidden)
    # An answer's first token decides which span is copied: it counts twice.
    counts = 1.0 + (wanted & (batch.weight[:, :-1] == 0))[wanted]
    losses = F.cross_entropy(logits.float(), batch.ids[:, 1:][wanted], reduction="none")
    loss = (losses * counts).sum() / counts.sum()
    return loss, attention_loss(seen, batch) if attention else torch.zeros(())


@torch.no_grad()
def exact(model: Quill, sets: dict[str, list[Row]], device: str) -> dict[str, float]:
    """Share of answers of which every token is the likeliest: what greedy generation would say, token for token."""
    result = {}
    for name, rows in sets.items():
        right = 0
        for batch in batches(rows, 8192, None):
            batch = batch.to(device)
            with mixed_precision(device):
                wanted = batch.weight[:, 1:] > 0
                hidden, _ = model(batch.ids, batch.places, batch.mask, only=F.pad(wanted, (0, 1)))
                said = model.logits(hidden).argmax(-1)
            wrong = torch.zeros_like(wanted)
            wrong[wanted] = said != batch.ids[:, 1:][wanted]
            right += (~wrong.any(1)).sum().item()
        result[name] = round(right / len(rows), 3)
    return result


def start(r: Recipe) -> tuple[Tokenizer, Tensor, Quill]:
    """The tokenizer, how much each token tells, and starting weights; the first two are kept in the run's folder."""
    out = Path(r.out)
    torch.manual_seed(r.seed)
    tokenizer = Tokenizer.from_file(r.tokenizer) if r.tokenizer else tk.build(r.pieces)
    shape = Shape(tokenizer.get_vocab_size(), r.width, r.layers, r.inner)
    tk.save(tokenizer, out, shape.max_length)
    counts = torch.zeros(shape.vocab)
    for encoded in tokenizer.encode_batch(tk.sample_text(1500, seed=2)):
        counts += torch.bincount(torch.tensor(encoded.ids), minlength=shape.vocab)
    telling = circuits.telling_of(counts)
    model = Quill(shape)
    circuits.set_circuits(model, tokenizer, telling)
    if r.start_from:
        folder = Path(r.start_from)
        known = (
            load_hugging_face(folder).state_dict()
            if folder.is_dir()
            else torch.load(folder, weights_only=True)["model"]
        )
        grow(model, known)
    return tokenizer, telling, model


def draw_batches(r: Recipe, encoder: Encoder, name: str, done: float) -> list[Batch]:
    n = max(r.chunk_rows, r.batch_tokens // 32)
    return batches(draw_rows(r, encoder, name, done, n), r.batch_tokens, random.Random(name))


def _fed(*order: object) -> list[dict]:
    return [batch.packed() for batch in draw_batches(*order)]  # type: ignore[arg-type]


def _one_thread() -> None:
    torch.set_num_threads(1)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"


class Feed:
    """Chunks of batches by number, written here when they are taken or by other processes from when they are asked for."""

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


class Run:
    """One worker's training: all state that a checkpoint needs is here."""

    def __init__(self, r: Recipe, rank: int = 0):
        self.r, self.rank = r, rank
        self.tokenizer, telling, self.model = start(r)
        self.model.to(r.device)
        self.encoder = Encoder(self.tokenizer, telling)
        self.matrices = [p for p in self.model.parameters() if p.ndim == 3]
        self.others = [p for p in self.model.parameters() if p.ndim < 3]
        self.muon = Muon(self.matrices)
        self.adam = torch.optim.AdamW(self.others, lr=r.other_rate, betas=(0.9, 0.95), weight_decay=0.0)
        self.step, self.seconds, self.tokens = 0, 0.0, 0
        # Text comes in chunks that depend on their number and on how far the run was when they were asked for.
        self.chunk: tuple[int, float] = (-1, 0.0)
        self.ahead: list[tuple[int, float]] = []
        self.used = 0
        self.feed = Feed(r, self.encoder, rank)
        self.queue: list[Batch] = []
        self.mean = {"loss": 0.0, "attention": 0.0}

    def done(self) -> float:
        return min(
            1.0,
            self.step / self.r.steps if self.r.steps else self.seconds / (self.r.hours * 3600),
        )

    def next_batch(self) -> Batch:
        if self.used >= len(self.queue):
            while len(self.ahead) < 1 + self.r.feeders:
                self.ahead.append(((self.ahead or [self.chunk])[-1][0] + 1, self.done()))
                self.feed.ask(self.ahead[-1])
            self.chunk, self.used = self.ahead.pop(0), 0
            self.queue = self.feed.take(self.chunk)
        self.used += 1
        return self.queue[self.used - 1].to(self.r.device)

    def advance(self) -> None:
        """One step; every few steps the workers average their weights."""
        began, r, done = time.time(), self.r, self.done()
        batch = self.next_batch()
        fade = attention_fade(r, done)
        loss, attention = loss_of(self.model, batch, r.attention_weight * fade)
        (loss + r.attention_weight * fade * attention).backward()
        torch.nn.utils.clip_grad_norm_(self.others, 1.0)
        rate = min(1.0, (self.step + 1) / 50) * min(1.0, max(0.04, (1 - done) / (1 - r.decay_from)))
        self.adam.param_groups[0]["lr"] = r.other_rate * rate
        self.muon.step(r.matrix_rate * rate)
        self.adam.step()
        self.model.zero_grad(set_to_none=True)
        keep = 0.98 if self.step else 0.0
        for name, value in (("loss", loss), ("attention", attention)):
            self.mean[name] = keep * self.mean[name] + (1 - keep) * value.item()
        self.step += 1
        self.tokens += batch.ids.numel() * r.workers
        self.seconds += time.time() - began
        if r.workers > 1 and self.synced():
            average_weights([*self.matrices, *self.others])
            clock = torch.tensor([self.seconds])  # one clock, or the workers would stop at different steps
            dist.all_reduce(clock, dist.ReduceOp.MAX)
            self.seconds = clock.item()

    def synced(self) -> bool:
        """All workers hold the same weights: a time to save, or to stop."""
        return self.r.workers == 1 or self.step % self.r.sync_every == 0

    def state(self) -> dict:
        names = ("step", "seconds", "tokens", "chunk", "ahead", "used", "mean")
        return {
            "model": self.model.state_dict(),
            "muon": self.muon.buffers,
            "adam": self.adam.state_dict(),
            "at": {n: getattr(self, n) for n in names},
        }

    def load(self, state: dict) -> None:
        self.model.load_state_dict(state["model"])
        for mine, saved in zip(self.muon.buffers, state["muon"], strict=True):
            mine.copy_(saved)
        self.adam.load_state_dict(state["adam"])
        for name, value in state["at"].items():
            setattr(self, name, value)
        for chunk in [self.chunk, *self.ahead]:
            self.feed.ask(chunk)
        if self.chunk[0] >= 0:
            self.queue = self.feed.take(self.chunk)


@torch.no_grad()
def average_weights(params: list[Tensor]) -> None:
    flat = torch.cat([p.view(-1) for p in params])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    for p, mean in zip(params, flat.split([p.numel() for p in params]), strict=True):
        p.copy_(mean.view_as(p))


def save(run: Run, name: str = "checkpoint.pt") -> None:
    target = Path(run.r.out) / name
    torch.save(run.state(), target.with_suffix(".part"))
    os.replace(target.with_suffix(".part"), target)
    save_hugging_face(run.model, Path(run.r.out))


def work(rank: int, r: Recipe, resume: bool) -> None:
    """One worker from the start (or the checkpoint) to the end; worker 0 writes."""
    if r.device == "cpu":
        keep_memory()
        torch.set_num_threads(1)
    if r.workers > 1:
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"  # a port would be open to other machines
        meeting = (Path(r.out) / MEETING).absolute().as_uri()
        dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=r.workers)
    run = Run(r, rank)
    out = Path(r.out)
    if resume:
        run.load(torch.load(out / "checkpoint.pt", weights_only=True, map_location=r.device))
    sets = watch_sets(run.encoder, r.watch) if rank == 0 and r.watch else {}
    saved = time.time()
    # Between two averagings each worker's clock is its own: they end together only where it is one.
    while run.done() < 1 or not run.synced():
        run.advance()
        if rank == 0 and (run.step == 100 or time.time() - saved > r.save_minutes * 60 or run.done() >= 1):
            saved = time.time()
            save(run)
            line = {
                "step": run.step,
                "minutes": round(run.seconds / 60, 1),
                "tokens": run.tokens,
                **run.mean,
            }
            line |= exact(run.model, sets, r.device)
            with (out / "log.jsonl").open("a") as log:
                log.write(json.dumps(line) + "\n")
            print(json.dumps(line), flush=True)
    run.feed.close()
    if r.workers > 1:
        dist.barrier()
        dist.destroy_process_group()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, value in asdict(Recipe("")).items():
        flag = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, default=value)
        else:
            parser.add_argument(flag, type=type(value), default=value, required=name == "out")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    resume = (args := vars(parser.parse_args())).pop("resume")
    r = Recipe(**args)
    Path(r.out).mkdir(parents=True, exist_ok=True)
    if not r.tokenizer:  # built once, then read by every worker, and again on resume
        kept = Path(r.out) / "tokenizer.json"
        if not (resume and kept.exists()):
            tk.save(tk.build(r.pieces), Path(r.out), Shape().max_length)
        r.tokenizer = str(kept)
    (Path(r.out) / "recipe.json").write_text(json.dumps(asdict(r), indent=2) + "\n")
    if r.workers > 1:
        (Path(r.out) / MEETING).unlink(missing_ok=True)
        spawn(work, (r, resume), nprocs=r.workers)
    else:
        work(0, r, resume)
    if r.exam:
        from .exam import examine  # the exam needs transformers, training does not

        examine(Path(r.out), r.exam)


if __name__ == "__main__":
    main()
