"""What experts cost while answers are spoken: tokens a second of prompts that each have their own expert, beside the same batch on the
base. ../serve-tuned.ts starts it."""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "engine"), str(Path(__file__).parent)]
torch.set_num_threads(1)

from generated import generate
from lorekeep.generate import Recall
from lorekeep.memory.expert import Expert
from lorekeep.memory.reading import question_tokens
from lorekeep.protocol import Generate
from lorekeep.tune.train import Recipe, fresh
from lorekeep.tune.workshop import Workshop

# End tokens do not end these: both sides say the same number of tokens.
LONG = 48


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rank", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory():
        workshop = Workshop(str(ROOT / "models" / "quill"))
    workshop.generator.ends = []
    facts = generate(32, 5)
    experts = [Expert(str(i), fresh(workshop.top, i, Recipe(rank=options.rank))) for i in range(32)]
    prompts = [question_tokens(workshop.generator.prompts, fact.question) for fact in facts]
    for count in (1, 32):
        speeds = {"base": [], "experts": []}
        for _ in range(options.rounds):
            for name, acting in (("base", None), ("experts", experts)):
                speeds[name].append(speed(workshop, facts[:count], prompts, acting))
        ratios = [b / a for a, b in zip(speeds["base"], speeds["experts"], strict=True)]
        said = {name: statistics.median(some) for name, some in speeds.items()}
        print(
            f"{count:3} prompts: base {said['base']:.0f} tokens/s of CPU time, with experts {said['experts']:.0f}, ratio {statistics.median(ratios):.3f}",
            flush=True,
        )


def speed(workshop: Workshop, facts, prompts, experts) -> float:
    requests = []
    for i, fact in enumerate(facts):
        request = Generate(type="generate", id=str(i), model="-", prompt=fact.question, max_tokens=LONG)
        # Without an expert, through the same tokens: only what acts differs.
        recall = Recall(prompts[i], experts[i] if experts else None)
        requests.append((request, recall))
    begun = time.process_time()
    workshop.generate(requests)
    return LONG * len(facts) / (time.process_time() - begun)


if __name__ == "__main__":
    main()
