"""One side of real.py: `one_side.py ours|theirs MODEL TOKENS STREAMS PREFILL FACTS` prints its figures as JSON. Peaks are
of memory that is the process's own: pages of mapped files can be given back."""

import gc
import json
import random
import sys
import threading
import time
from pathlib import Path

import torch
from lorekeep import folders
from lorekeep.infer import generate
from lorekeep.protocol import Generate
from lorekeep.tune.facts import Fact
from lorekeep.tune.training.train import Recipe
from lorekeep.tune.training.trainer import Trainer
from transformers import AutoModelForCausalLM, AutoTokenizer

WORDS = (
    "the library of Brimoor opens at nine while Ada Quist counts seventeen roofs under rain and old maps rest"
)


class Peak:
    """The most memory of its own that the process has had, looked at all the time."""

    def __init__(self):
        self.most = 0
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while True:
            self.most = max(self.most, own_memory())
            time.sleep(0.02)


def own_memory() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


def text(choose: random.Random, words: int) -> str:
    return " ".join(choose.choices(WORDS.split(), k=words))


class Ours:
    def __init__(self, model: str):
        folder = folders.check(model, "generate")
        loaded, tokenizer = generate.read(folder, generate.dtype_for(folder, "cpu"), torch.device("cpu"))
        self.ended: list[dict] = []
        self.generator = generate.Generator(folder, loaded, tokenizer, 32, 500_000_000, self.ended.append)

    def run(self, prompts: list[str], tokens: int) -> None:
        for number, prompt in enumerate(prompts):
            request = Generate(type="generate", id=str(number), model="-", prompt=prompt, max_tokens=tokens)
            self.generator.submit(request)
        while self.generator.busy:
            self.generator.step()


class Theirs:
    def __init__(self, model: str):
        self.tokenizer = AutoTokenizer.from_pretrained(model, padding_side="left")
        self.tokenizer.pad_token_id = 0
        self.model = AutoModelForCausalLM.from_pretrained(model, dtype=torch.bfloat16).eval()

    @torch.inference_mode()
    def run(self, prompts: list[str], tokens: int) -> None:
        asked = self.tokenizer(prompts, return_tensors="pt", padding=True, return_token_type_ids=False)
        self.model.generate(**asked, max_new_tokens=tokens, min_new_tokens=tokens, do_sample=False)


def rate(side: Ours | Theirs, prompts: list[str], tokens: int, counted: int) -> float:
    begun = time.process_time()
    side.run(prompts, tokens)
    return counted / (time.process_time() - begun)


def taught(model: str, count: int) -> dict:
    trainer = Trainer(model)
    facts = [
        Fact(f"Which code has item {n} of Brimoor?", f"BR-{n * 7919 % 10000:04}/{n}", n) for n in range(count)
    ]
    begun = time.process_time()
    recipe = Recipe(rank=4, rate=0.01, max_steps=100)
    found = trainer.train([[fact] for fact in facts], recipe, lambda some: some[0].id)
    return {
        "fact": (time.process_time() - begun) / count,
        "taught": f"{sum(all(one.recalled) for one in found)} of {count}",
    }


def main() -> None:
    side, model, *numbers = sys.argv[1:]
    tokens, streams, prefill, facts = map(int, numbers)
    torch.set_num_threads(1)
    peak, choose = Peak(), random.Random(5)
    begun = time.process_time()
    one = (Ours if side == "ours" else Theirs)(model)
    figures: dict = {"load": time.process_time() - begun}
    one.run([text(choose, 8)], 2)
    figures["one"] = rate(one, [text(choose, 12)], tokens, tokens)
    figures["several"] = rate(one, [text(choose, 12) for _ in range(streams)], tokens, tokens * streams)
    tokenizer = one.tokenizer if isinstance(one, Theirs) else one.generator.tokenizer
    long = text(choose, prefill)
    figures["prefill"] = rate(one, [long], 1, len(tokenizer(long)["input_ids"]))
    figures["peak"] = peak.most
    del one
    gc.collect()
    if facts:
        peak.most = 0
        figures |= taught(model, facts)
        figures["tuning_peak"] = peak.most
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
