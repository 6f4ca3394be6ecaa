"""The whole recipe in one command: generate, tokenizer, starting weights, training, export, exam.

    python -m quill.train --hours 2 --workers 2 --out DIR        # on two cores
    python -m quill.train --hours 0.4 --device cuda --compiled --feeders 15 --layers 10 --inner 768 --batch-tokens 65536 --out DIR

--resume continues a stopped run. With --steps instead of --hours a run is bit-identical, interrupted or not.
"""

import argparse
import json
import os
import time
from dataclasses import asdict
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor
from torch.multiprocessing.spawn import spawn

from . import circuits
from . import tokenizer as tk
from .batches import NEVER, Batch, Encoder, Row, batches
from .feed import Feed, Recipe, attention_fade
from .model import Quill, Shape, grow, keep_memory, load_hugging_face, mixed_precision, save_hugging_face
from .muon import Muon
from .watch import watch_sets

MEETING = "workers.meet"  # rendezvous file of the workers


def attention_loss(seen: dict[int, Tensor], batch: Batch) -> Tensor:
    """Distance of the circuits' attention from its targets, in nats."""
    total = torch.zeros((), device=batch.ids.device)

    def at(layer: int, heads: tuple[int, ...], where: Tensor) -> Tensor:  # [N, heads, T]
        return torch.log_softmax(seen[layer][where[:, 0], :, where[:, 1]][:, list(heads)].float(), -1)

    if len(batch.copy_first):  # either kind of picking head may find it
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
        # Indices instead of a mask: a mask makes a GPU's queue run empty at each place where it is used.
        rows, columns = (batch.weight[:, 1:] > 0).nonzero(as_tuple=True)
        hidden, seen = model(batch.ids, batch.places, batch.mask, watch, (rows, columns))
        logits = model.logits(hidden)
    # An answer's first token decides which span is copied, so its weight is doubled.
    counts = 1.0 + (batch.weight[rows, columns] == 0)
    losses = F.cross_entropy(logits.float(), batch.ids[rows, columns + 1], reduction="none")
    loss = (losses * counts).sum() / counts.sum()
    return loss, attention_loss(seen, batch) if attention else torch.zeros(())


@torch.no_grad()
@torch.compiler.set_stance("force_eager")  # recompiling without gradients takes longer than a few batches
def exact(model: Quill, sets: dict[str, list[Row]], device: str) -> dict[str, float]:
    """Share of answers whose every token has the highest probability, as greedy generation would produce it."""
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
    """The tokenizer, the informativeness of each token, and initial weights; the first two are saved in the run's folder."""
    out = Path(r.out)
    torch.manual_seed(r.seed)
    tokenizer = Tokenizer.from_file(r.tokenizer) if r.tokenizer else tk.build(r.pieces)
    shape = Shape(tokenizer.get_vocab_size(), r.width, r.layers, r.inner)
    tk.save(tokenizer, out, shape.max_length)
    counts = torch.zeros(shape.vocab)
    for encoded in tokenizer.encode_batch(tk.sample_text(1500, seed=2), add_special_tokens=False):
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


class Run:
    """One worker's training, with all state that a checkpoint needs."""

    def __init__(self, r: Recipe, rank: int = 0):
        self.r, self.rank = r, rank
        self.tokenizer, telling, self.model = start(r)
        self.model.to(r.device)
        if r.compiled:
            for block in self.model.blocks[:-1]:
                block.compile(dynamic=True)
        self.encoder = Encoder(self.tokenizer, telling)
        self.matrices = [p for p in self.model.parameters() if p.ndim == 3]
        self.others = [p for p in self.model.parameters() if p.ndim < 3]
        self.muon = Muon(self.matrices)
        self.adam = torch.optim.AdamW(self.others, lr=r.other_rate, betas=(0.9, 0.95), weight_decay=0.0)
        self.step, self.seconds, self.tokens = 0, 0.0, 0
        # Text comes in chunks that depend on their number and on the progress of the run when they were requested.
        self.chunk: tuple[int, float] = (-1, 0.0)
        self.ahead: list[tuple[int, float]] = []
        self.used = 0
        self.feed = Feed(r, self.encoder, rank)
        self.queue: list[Batch] = []
        self.mean: dict[str, float | Tensor] = {"loss": 0.0, "attention": 0.0}

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
            self.mean[name] = (
                keep * self.mean[name] + (1 - keep) * value.detach()
            )  # reading it would synchronise with the GPU
        self.step += 1
        self.tokens += batch.ids.numel() * r.workers
        self.seconds += time.time() - began
        if r.workers > 1 and self.synced():
            average_weights([*self.matrices, *self.others])
            clock = torch.tensor([self.seconds])  # one shared clock, or workers would stop at different steps
            dist.all_reduce(clock, dist.ReduceOp.MAX)
            self.seconds = clock.item()

    def means(self) -> dict[str, float]:
        return {name: float(value) for name, value in self.mean.items()}

    def synced(self) -> bool:
        """Whether all workers have the same weights, so that the run may save or stop."""
        return self.r.workers == 1 or self.step % self.r.sync_every == 0

    def state(self) -> dict:
        names = ("step", "seconds", "tokens", "chunk", "ahead", "used")
        return {
            "model": self.model.state_dict(),
            "muon": self.muon.buffers,
            "adam": self.adam.state_dict(),
            "at": {n: getattr(self, n) for n in names} | {"mean": self.means()},
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
    torch.backends.cuda.enable_cudnn_sdp(False)  # it replans for each batch shape: six times as slow
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
    # Between two averagings the workers' clocks differ: they stop together only when synced.
    while run.done() < 1 or not run.synced():
        run.advance()
        if rank == 0 and (run.step == 100 or time.time() - saved > r.save_minutes * 60 or run.done() >= 1):
            saved = time.time()
            save(run)
            line = {
                "step": run.step,
                "minutes": round(run.seconds / 60, 1),
                "tokens": run.tokens,
                **run.means(),
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
