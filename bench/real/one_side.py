"""One side of real.py: `one_side.py ours|transformers|Q8_0|Q4_K MODEL TOKENS STREAMS PREFILL FACTS` prints its figures as
JSON. With facts, a second process tunes beside the serving one. Peaks are proportional set sizes: a page that both map counts once."""

import contextlib
import json
import os
import random
import subprocess
import sys
import threading
import time
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import torch
from lorekeep import folders
from lorekeep.infer import generate
from lorekeep.infer.weights import reading
from lorekeep.protocol import Generate
from lorekeep.tune.facts import Fact
from lorekeep.tune.training.train import Recipe
from lorekeep.tune.training.trainer import Taught, Trainer
from transformers import AutoModelForCausalLM, AutoTokenizer

WORDS = (
    "the library of Brimoor opens at nine while Ada Quist counts seventeen roofs under rain and old maps rest"
)


class Peak:
    """Peak of the total memory of processes, polled in a thread."""

    def __init__(self):
        self.most, self.processes, self.lock = 0, [os.getpid()], threading.Lock()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while True:
            found = sum(map(memory, self.processes))
            with self.lock:
                self.most = max(self.most, found)
            time.sleep(0.05)

    def restart(self, processes: list[int]) -> None:
        """Measures these processes from now on."""
        time.sleep(0.2)
        with self.lock:
            self.most, self.processes = 0, processes


def memory(process: int) -> int:
    """Proportional set size; 0 of a process that has ended."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return 0


def text(choose: random.Random, words: int) -> str:
    return " ".join(choose.choices(WORDS.split(), k=words))


class Side(Protocol):
    tokenizer: Any

    def run(self, prompts: list[str], tokens: int) -> None: ...


class Ours:
    def __init__(self, model: str, device: str = "cpu"):
        folder = folders.check(model, "generate")
        loaded, self.tokenizer = reading.read(folder, reading.dtype_for(folder, device), torch.device(device))
        self.ended: list[dict] = []
        self.generator = generate.Generator(
            folder, loaded, self.tokenizer, 32, 500_000_000, self.ended.append
        )

    def run(self, prompts: list[str], tokens: int) -> None:
        for number, prompt in enumerate(prompts):
            request = Generate(type="generate", id=str(number), model="-", prompt=prompt, max_tokens=tokens)
            self.generator.submit(request)
        while self.generator.busy:
            self.generator.step()


class Transformers:
    def __init__(self, model: str, device: str = "cpu"):
        self.tokenizer = AutoTokenizer.from_pretrained(model, padding_side="left")
        self.tokenizer.pad_token_id = 0
        self.model = AutoModelForCausalLM.from_pretrained(model, dtype=torch.bfloat16).eval().to(device)

    @torch.inference_mode()
    def run(self, prompts: list[str], tokens: int) -> None:
        asked = self.tokenizer(prompts, return_tensors="pt", padding=True, return_token_type_ids=False)
        asked = asked.to(self.model.device)
        self.model.generate(**asked, max_new_tokens=tokens, min_new_tokens=tokens, do_sample=False)


def rate(side: Side, prompts: list[str], tokens: int, counted: int) -> float:
    begun = time.process_time()
    side.run(prompts, tokens)
    return counted / (time.process_time() - begun)


def teach(trainer: Trainer, count: int) -> list[Taught]:
    facts = [
        Fact(f"Which code has item {n} of Brimoor?", f"BR-{n * 7919 % 10000:04}/{n}", n) for n in range(count)
    ]
    recipe = Recipe(rank=4, rate=0.01, max_steps=100)
    return trainer.train(
        [[fact] for fact in facts], recipe, lambda some: sha256(some[0].id.encode()).hexdigest()
    )


def taught(model: str, count: int) -> dict:
    trainer = Trainer(model)
    begun = time.process_time()
    found = teach(trainer, count)
    return {
        "fact": (time.process_time() - begun) / count,
        "taught": f"{sum(all(one.recalled) for one in found)} of {count}",
    }


def beside(peak: Peak, model: str, facts: int) -> dict:
    """Tunes in a process of its own; this one holds the model and has answered."""
    serving, idle = memory(os.getpid()), 0
    command = [sys.executable, __file__, "tuning", model, "0", "0", "0", str(facts)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdin is not None and child.stdout is not None
    child.stdout.readline()  # it has imported everything, like a waiting worker
    serving, idle = memory(os.getpid()), memory(child.pid)
    peak.restart([os.getpid(), child.pid])
    child.stdin.write("begin\n")
    child.stdin.flush()
    figures = json.loads(child.stdout.readline())
    child.wait()
    return {**figures, "together": peak.most, "added": peak.most - serving - idle, "worker": idle}


def opened(side: str, model: str, streams: int, context: int) -> Side:
    if side == "ours":
        return Ours(model)
    if side == "transformers":
        return Transformers(model)
    from llama_cpp import LlamaCpp  # its packages are installed only if it is measured

    return LlamaCpp(model, side, streams, context)


def main() -> None:
    side, model, *numbers = sys.argv[1:]
    tokens, streams, prefill, facts = map(int, numbers)
    torch.set_num_threads(1)
    if side == "tuning":
        print("ready", flush=True)
        sys.stdin.readline()
        print(json.dumps(taught(model, facts)), flush=True)
        return
    peak, choose = Peak(), random.Random(5)
    begun = time.process_time()
    one = opened(side, model, streams, 2 * prefill + streams * (tokens + 64))
    figures: dict = {"load": time.process_time() - begun}
    one.run([text(choose, 8)], 2)
    figures["one"] = rate(one, [text(choose, 12)], tokens, tokens)
    figures["several"] = rate(one, [text(choose, 12) for _ in range(streams)], tokens, tokens * streams)
    long = text(choose, prefill)
    figures["prefill"] = rate(one, [long], 1, len(one.tokenizer(long)["input_ids"]))
    figures["peak"] = peak.most
    if facts:
        figures |= beside(peak, model, facts)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
