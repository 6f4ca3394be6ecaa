"""Decoding beside llama.cpp, in turn: each side is a process that waits while the other is measured. The ratio is the median over
rounds of the ratios of two consecutive measurements."""

import argparse
import functools
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import llama_cpp
import torch
from lorekeep.infer import attention, batch
from lorekeep.quantization import native
from lorekeep.quantization.linear import ComputingLinear
from lorekeep.quantization.write import quantize
from one_side import Ours, Side, text
from real import SHAPES, write


def main() -> None:
    if sys.argv[1:2] == ["side"]:
        answer(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=SHAPES, default="llama-1b")
    parser.add_argument("--model", help="a folder of weights, instead of random ones")
    parser.add_argument("--precision", default="int4")
    parser.add_argument("--kind", default="Q4_K")
    parser.add_argument("--tokens", type=int, default=24)
    parser.add_argument("--streams", default="1,8")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--torch", action="store_true", help="our engine without kernels of its own, too")
    said = parser.parse_args()
    counts = [int(one) for one in said.streams.split(",")]
    with tempfile.TemporaryDirectory(prefix="lorekeep-decode-") as kept:
        folder = Path(kept)
        stored = Path(said.model) if said.model else write(SHAPES[said.shape], folder / "none")
        ours = folder / said.precision
        quantize(stored, ours, said.precision)
        llama_cpp.write(stored, said.kind)
        names = {"llama.cpp": stored, "ours": ours}
        if said.torch:
            names["torch"] = folder / "torch"
            shutil.copytree(ours, names["torch"])
        sides = {name: _Process(name, model, said.kind, counts, said.tokens) for name, model in names.items()}
        print(
            f"{said.model or said.shape}: ours in {said.precision}, llama.cpp in {said.kind}; tokens a second of the processor's time"
        )
        for streams in counts:
            rounds = [{name: one.rate(streams) for name, one in sides.items()} for _ in range(said.rounds)]
            for name in sides:
                rates = [one[name] for one in rounds]
                ratios = sorted(one[name] / one["llama.cpp"] for one in rounds)
                print(
                    f"{streams:3} streams  {name:10} {statistics.median(rates):7.1f}  ratio {statistics.median(ratios):.2f}"
                    f" ({ratios[0]:.2f} to {ratios[-1]:.2f})",
                    flush=True,
                )
        for name in [name for name in sides if name != "llama.cpp"]:
            print(f"milliseconds of a token, {name}: {sides[name].parts()}")


class _Process:
    def __init__(self, name: str, model: Path, kind: str, counts: list[int], tokens: int):
        side = [name if name != "llama.cpp" else kind, str(model), str(max(counts)), str(tokens)]
        command = [sys.executable, __file__, "side", *side]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._ask("1")

    def _ask(self, words: str) -> dict:
        assert self.child.stdin is not None and self.child.stdout is not None
        self.child.stdin.write(f"{words}\n")
        self.child.stdin.flush()
        while not (line := self.child.stdout.readline()).startswith("{"):
            if not line:
                raise RuntimeError(f"{self.child.args} has ended")
        return json.loads(line)

    def rate(self, streams: int) -> float:
        return self._ask(str(streams))["rate"]

    def parts(self) -> dict:
        return self._ask("parts")


def answer(name: str, model: str, streams: int, tokens: int) -> None:
    """Answers each line of input: a number of streams, or `parts`."""
    torch.set_num_threads(1)
    if name == "torch":
        native.available = lambda: False
    own = name in ("ours", "torch")
    side: Side = Ours(model) if own else llama_cpp.LlamaCpp(model, name, streams, streams * (tokens + 64))
    choose = random.Random(5)
    for line in sys.stdin:
        if line.strip() == "parts":
            print(json.dumps(parts(side, tokens)), flush=True)
            continue
        prompts = [text(choose, 8) for _ in range(int(line))]
        side.run(prompts, 2)
        begun = time.process_time()
        side.run(prompts, 2)
        short = time.process_time() - begun
        begun = time.process_time()
        side.run(prompts, tokens + 2)
        # Prompts and the first tokens take the same time in both.
        print(json.dumps({"rate": tokens * len(prompts) / (time.process_time() - begun - short)}), flush=True)


def parts(side: Side, tokens: int) -> dict:
    """Milliseconds of a token by part; `rest` is the time outside all other parts."""
    assert isinstance(side, Ours)
    spent: Counter[str] = Counter()
    inside: list[float] = []

    def timed(name, called):
        @functools.wraps(called)
        def timing(*given, **more):
            begun = time.process_time()
            inside.append(0.0)
            try:
                return called(*given, **more)
            finally:
                all_of_it = time.process_time() - begun
                spent[name] += all_of_it - inside.pop()
                if inside:
                    inside[-1] += all_of_it

        return timing

    model = side.generator.model
    head = model.get_output_embeddings()
    for path, module in model.named_modules():
        if isinstance(module, ComputingLinear):
            module.forward = timed("head" if module is head else path.split(".")[-1], module.forward)
        elif "norm" in type(module).__name__.lower():
            module.forward = timed("norms", module.forward)
        elif "rotary" in type(module).__name__.lower():
            module.forward = timed("positions", module.forward)
    attention.AttentionInterface.register(attention.NAME, timed("attention", attention.attend))
    batch.Batch._forward = timed("rest of the model", batch.Batch._forward)
    batch.Batch._grow = timed("choice", batch.Batch._grow)
    side.run([text(random.Random(6), 8)], tokens)
    spent.clear()
    begun = time.process_time()
    side.run([text(random.Random(7), 8)], tokens)
    spent["rest"] = time.process_time() - begun - sum(spent.values())
    return {name: round(seconds / tokens * 1000, 2) for name, seconds in spent.most_common()}


if __name__ == "__main__":
    main()
