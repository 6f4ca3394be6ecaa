"""The engine on a CUDA device, beside transformers in 16 bits, in one process and within a number of seconds: rates by the clock
on the wall, memory of the device, distance of the logits, equality of answers alone and in a batch, and tuning. A part that fails
is reported, and the next one begins. Parts that do not fit into the seconds are named."""

import time

BEGUN = time.perf_counter()  # imports count

import argparse
import gc
import logging
import random
import shutil
import signal
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import products
import torch
import transformers
from lorekeep.infer import attention
from lorekeep.quantization import write as writing
from lorekeep.tune.training.trainer import Trainer
from one_side import Ours, Side, Transformers, teach, text
from real import SHAPES, write

TINY = {
    **SHAPES["llama-1b"], "hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 32, "vocab_size": 32768,
}  # fmt: skip
# Tokens whose logits are compared, and tokens of each answer that is compared.
COMPARED_LOGITS, COMPARED_TOKENS = 128, 16
# Rows that every step is padded to in a second comparison, after a first that found a difference: no step of this bench has more.
PADDED_ROWS = 384
# Minimum seconds that must be left to begin a part.
MIN_PART_SECONDS = 2.0


class Spent(BaseException):
    """The time limit is reached. It is no Exception, so that the engine does not handle it as a failed step."""


class Kept(logging.Handler):
    """The last warning or failure that the engine has logged instead of raising it."""

    last = ""

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING and record.name.startswith("lorekeep"):
            raised = record.exc_info and record.exc_info[1]
            self.last = record.getMessage() + "\n" + (last_lines(raised) if raised else "")


@dataclass
class Run:
    said: argparse.Namespace
    folder: Path
    kept: Kept
    models: dict[str, Path] = field(default_factory=dict)  # by precision
    peer: dict[str, float] = field(default_factory=dict)
    logits: torch.Tensor | None = None  # of transformers in 16 bits
    side: Ours | None = None  # the engine of the present precision
    differs: bool = False  # whether an answer of that engine was another alone

    def left(self) -> float:
        return self.said.seconds - (time.perf_counter() - BEGUN)

    def part(self, name: str, work: Callable[[], str]) -> None:
        """Runs one part and prints its line, or the reason why there is none."""
        if self.left() < MIN_PART_SECONDS:
            tell(f"{name}: skipped, the seconds are spent")
            return
        begun, self.kept.last = time.perf_counter(), ""
        try:
            # Repeats each second in case something catches it.
            signal.setitimer(signal.ITIMER_REAL, self.left(), 1.0)
            said = work()
        except Spent:
            said = "cut off, the seconds are spent"
        except Exception as error:  # noqa: BLE001 (other parts say more)
            said = f"FAILED\n{last_lines(error)}"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        tell(f"{name}: {said}   [{time.perf_counter() - begun:.1f} s]")
        if self.kept.last:
            tell(f"  logged by the engine: {self.kept.last}")

    def timed(self, work: Callable[[], object]) -> float:
        self.wait()
        begun = time.perf_counter()
        work()
        self.wait()
        return time.perf_counter() - begun

    def wait(self) -> None:
        if self.said.device != "cpu":
            torch.cuda.synchronize()

    def peak(self) -> str:
        return f"{torch.cuda.max_memory_allocated() / 1e9:.2f} GB" if self.said.device != "cpu" else "-"

    def free(self) -> None:
        self.side, self.differs = None, False
        gc.collect()
        if self.said.device != "cpu":
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()

    def ours(self) -> "Told":
        assert isinstance(self.side, Told), "its model is not loaded"
        return self.side


class Told(Ours):
    """The engine; a request that ended with an error raises it."""

    def run(self, prompts: list[str], tokens: int) -> None:
        self.ended.clear()
        super().run(prompts, tokens)
        wrong = [one for one in self.ended if one["type"] != "end"]
        if wrong:
            raise RuntimeError(f"{len(wrong)} of {len(prompts)} requests failed: {wrong[0]}")


class Static(Transformers):
    """Transformers with a static cache, not compiled: to compile takes longer than this bench."""

    @torch.inference_mode()
    def run(self, prompts: list[str], tokens: int) -> None:
        asked = self.tokenizer(prompts, return_tensors="pt", padding=True, return_token_type_ids=False)
        self.model.generate(
            **asked.to(self.model.device), max_new_tokens=tokens, min_new_tokens=tokens, do_sample=False,
            cache_implementation="static", disable_compile=True,
        )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=[*SHAPES, "tiny"], default="llama-1b")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--precisions", default="none,int4,int8")
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--streams", type=int, default=16)
    parser.add_argument("--prefill", type=int, default=2000)
    parser.add_argument("--facts", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=75, help="from the start, imports included")
    said = parser.parse_args()
    signal.signal(signal.SIGALRM, spent)
    kept = Kept()
    logging.getLogger().addHandler(kept)
    transformers.utils.logging.disable_progress_bar()
    memory = Path("/dev/shm")
    there = memory if memory.is_dir() and shutil.disk_usage(memory).free > 16e9 else None
    name = "the CPU" if said.device == "cpu" else torch.cuda.get_device_name()
    tell(f"{said.shape} on {name}, torch {torch.__version__}, transformers {transformers.__version__}")
    tell(f"imports: {time.perf_counter() - BEGUN:.1f} s. In round brackets: ratio to transformers.")
    with tempfile.TemporaryDirectory(prefix="lorekeep-gpu-", dir=there) as folder:
        parts(Run(said, Path(folder), kept))
    tell(f"whole: {time.perf_counter() - BEGUN:.1f} s")


def parts(run: Run) -> None:
    precisions = run.said.precisions.split(",")
    run.part("write", lambda: written(run))
    run.free()
    run.part("transformers, bf16", lambda: peer(run))
    run.free()
    for number, name in enumerate(precisions):
        run.part(f"ours, {name}: load", lambda name=name: loaded(run, name))
        run.part(f"ours, {name}: rates", lambda: rates(run, run.ours(), run.peer))
        run.part(f"ours, {name}: logits", lambda: distance(run))
        run.part(f"ours, {name}: same answers", lambda: same(run, None))
        if run.differs:
            run.part(f"ours, {name}: same answers, padded", lambda: same(run, PADDED_ROWS))
        run.free()
        if number == 0:
            run.part("products", lambda: products.measured(run.said.device, shape_of(run), run.timed))
            run.free()
            run.part(f"ours, {name}: tuning", lambda name=name: tuned(run, name))
            run.free()
    for name in precisions[1:]:
        run.part(f"ours, {name}: tuning", lambda name=name: tuned(run, name))
        run.free()
    run.part("transformers, bf16, static cache", lambda: static(run))


def shape_of(run: Run) -> dict:
    return TINY if run.said.shape == "tiny" else SHAPES[run.said.shape]


def written(run: Run) -> str:
    run.models["none"] = write(shape_of(run), run.folder / "none", run.said.device)
    return "random weights"


def peer(run: Run) -> str:
    begun = time.perf_counter()
    side = Transformers(str(run.models["none"]), run.said.device)
    run.wait()
    seconds = time.perf_counter() - begun
    with torch.inference_mode():
        ids_1_T = torch.tensor([compared(run)], device=run.said.device)
        run.logits = side.model(ids_1_T).logits[0].float()
    return f"load {seconds:.1f} s, {rates(run, side, run.peer)}"


def static(run: Run) -> str:
    return rates(run, Static(str(run.models["none"]), run.said.device), run.peer)


def loaded(run: Run, name: str) -> str:
    made = ""
    if name not in run.models:
        seconds = run.timed(lambda: quantized(run, name))
        made = f"quantized in {seconds:.1f} s, "
    run.free()
    begun = time.perf_counter()
    run.side = Told(str(run.models[name]), run.said.device)
    run.wait()
    layers = {
        f"{type(one).__name__}{'' if getattr(one, 'has_kernel', True) else ' without its kernel'}"
        for one in run.side.generator.model.modules()
        if hasattr(one, "in_features")
    }
    batch = run.side.generator.batch
    rows = f"{batch.rows.least} rows a step at least, {batch.prompt_tokens} of prompts at most"
    return f"{made}load {time.perf_counter() - begun:.1f} s, {rows}, {', '.join(sorted(layers))}"


def quantized(run: Run, name: str) -> None:
    """Quantizes the weights on the device; the engine does so on the CPU, which takes longer than the time limit."""
    chosen, loss = writing._chosen, writing._loss

    def there(weight: torch.Tensor, name: str):
        found = chosen(weight.to(run.said.device), name)
        return found and (*found[:2], *(one.cpu() for one in found[2:]))

    def at_once(weight: torch.Tensor, values: torch.Tensor, scale: torch.Tensor) -> float:
        shown = (values.float().view(*scale.shape, -1) * scale[..., None]).view(weight.shape)
        return ((shown - weight.float()).norm() / weight.float().norm()).item()

    writing._chosen, writing._loss = there, at_once
    try:
        writing.quantize(run.models["none"], run.folder / name, name)
    finally:
        writing._chosen, writing._loss = chosen, loss
    run.models[name] = run.folder / name


def rates(run: Run, side: Side, peer: dict[str, float]) -> str:
    """Tokens each second; the first side that is measured becomes the peer."""
    choose, tokens, streams = random.Random(5), run.said.tokens, run.said.streams
    side.run([text(choose, 8)], 2)
    side.run([text(choose, 12) for _ in range(streams)], 2)
    found = {"one stream": tokens / run.timed(lambda: side.run([text(choose, 12)], tokens))}
    several = [text(choose, 12) for _ in range(streams)]
    found[f"{streams} streams"] = tokens * streams / run.timed(lambda: side.run(several, tokens))
    for _ in range(2):  # the first is a warm-up
        ids = side.tokenizer(text(choose, run.said.prefill))["input_ids"][: run.said.prefill]
        long = side.tokenizer.decode(ids)
        count = len(side.tokenizer(long)["input_ids"])
        found[f"prefill of {count}"] = count / run.timed(lambda long=long: side.run([long], 1))
    if not peer:
        peer.update({name.split(" of ")[0]: rate for name, rate in found.items()})
    shown = (
        f"{name} {rate:.1f} t/s ({rate / peer[name.split(' of ')[0]]:.2f})" for name, rate in found.items()
    )
    return f"{', '.join(shown)}, peak {run.peak()}"


def compared(run: Run) -> list[int]:
    return random.Random(7).choices(range(2, shape_of(run)["vocab_size"]), k=COMPARED_LOGITS)


@torch.inference_mode()
def distance(run: Run) -> str:
    assert run.logits is not None, "transformers gave no logits"
    generator, ids = run.ours().generator, compared(run)
    arena = generator.batch.arena
    held = arena.take(len(ids))
    assert held is not None
    at_T = torch.arange(len(ids), device=arena.device)
    step = attention.Step(arena, at_T + held.start, [attention.Segment(held.start, 0, len(ids), len(ids))])
    ids_1_T = torch.tensor([ids], device=arena.device)
    said = generator.model(input_ids=ids_1_T, position_ids=at_T[None], use_cache=False, step=step).logits[0]
    arena.keep(held)
    apart = (said.float() - run.logits).abs()
    likeliest = (said.argmax(-1) == run.logits.argmax(-1)).sum().item()
    return (
        f"largest difference {apart.max().item():.4f}, mean {apart.mean().item():.5f}, spread of the logits "
        f"{run.logits.std().item():.3f}, same likeliest token at {likeliest} of {len(ids)}"
    )


def same(run: Run, rows: int | None) -> str:
    """Compares answers of all streams in a batch with each alone; with steps padded to a number of rows, if given."""
    side, choose = run.ours(), random.Random(11)
    # The shortest prompts fill part of a block, the longest several blocks.
    prompts = [text(choose, 6 + 9 * number) for number in range(run.said.streams)]
    batch = side.generator.batch
    before = batch.rows, batch.graph
    if rows:
        batch.rows, batch.graph = replace(batch.rows, least=rows), None
    try:
        together = answers(side, prompts, COMPARED_TOKENS)
        seconds = run.timed(lambda: answers(side, prompts[:1], COMPARED_TOKENS))
        alone = [answers(side, [prompt], COMPARED_TOKENS)[0] for prompt in prompts]
    finally:
        batch.rows, batch.graph = before
    pairs = list(zip(together, alone, strict=True))
    equal = sum(one == other for one, other in pairs)
    first = [
        next((at for at in range(COMPARED_TOKENS) if one[at : at + 1] != other[at : at + 1]), COMPARED_TOKENS)
        for one, other in pairs
    ]
    run.differs = equal < len(pairs)
    apart = "" if equal == len(pairs) else f", first different token of each {first}"
    captured = batch.graph is not None and batch.graph.graph is not None
    return (
        f"{equal} of {len(pairs)} the same{apart}; {1000 * seconds / COMPARED_TOKENS:.1f} ms a step alone"
        f"{', decoding captured as a CUDA graph' if captured else ''}"
    )


def answers(side: Told, prompts: list[str], tokens: int) -> list[list[int]]:
    """Tokens of the answers; the cache is cleared of them."""
    batch = side.generator.batch
    add, kept = batch.add, []

    def noted(sequence) -> None:
        kept.append(sequence)
        add(sequence)

    batch.add = noted
    try:
        side.run(prompts, tokens)
    finally:
        del batch.add
    batch.arena.clear()
    return [one.tokens[one.prompt :] for one in kept]


def tuned(run: Run, name: str) -> str:
    trainer = Trainer(str(run.models[name]), run.said.device)
    run.wait()
    begun = time.perf_counter()
    found = teach(trainer, run.said.facts)
    run.wait()
    seconds = time.perf_counter() - begun
    recalled = sum(all(one.recalled) for one in found)
    steps = sum(one.steps for one in found) / len(found)
    spent = ", ".join(f"{work} {taken:.1f}" for work, taken in trainer.spent.items())
    return (
        f"{seconds / run.said.facts:.2f} s a fact, {recalled} of {run.said.facts} taught, {steps:.0f} steps each, seconds of the "
        f"processor: {spent}; peak {run.peak()}"
    )


def last_lines(error: BaseException) -> str:
    lines = "".join(traceback.format_exception(error)).rstrip().splitlines()
    return "\n".join(f"    {line[:240]}" for line in lines[-8:])


def spent(*_) -> None:
    raise Spent


def tell(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main()
