"""Cost of a memory while answers are spoken: tokens a second of prompts that each have their own expert, beside the
same batch on the base; the experts alone, then a tuned model with its router and its files, asked for its facts and
for other things. ../serve-tuned.ts starts it."""

import argparse
import json
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
from lorekeep.infer.experts import Expert
from lorekeep.infer.generate import Recall
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.fact_tokens import question_tokens
from lorekeep.memory.tuned import Tuned
from lorekeep.protocol import Generate
from lorekeep.tune.evaluate import Asker
from lorekeep.tune.job import router_parts
from lorekeep.tune.training.train import Recipe, fresh
from lorekeep.tune.training.trainer import Trainer
from tune import make_job, run_job

# End tokens do not end these: both sides say the same number of tokens.
LONG = 48


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rank", type=int, default=8)
    options = parser.parse_args()
    base = str(ROOT / "models" / "quill")
    trainer = Trainer(base)
    trainer.generator.ends = []
    facts = generate(32, 5)
    experts = [Expert(str(i), fresh(trainer.top, i, Recipe(rank=options.rank))) for i in range(32)]
    prompts = [question_tokens(trainer.generator.prompts, fact.question) for fact in facts]
    for count in (1, 32):
        speeds = {"base": [], "experts": []}
        for _ in range(options.rounds):
            for name, acting in (("base", None), ("experts", experts)):
                speeds[name].append(speed(trainer, facts[:count], prompts, acting))
        show(f"{count:3} prompts, with experts", speeds["base"], speeds["experts"])
    with tempfile.TemporaryDirectory() as home:
        asker = taught(trainer, base, Path(home))
        for what, questions in (("facts", [fact.question for fact in facts]), ("others", others())):
            for count in (1, 32):
                speeds = {"base": [], "tuned": []}
                for at in range(options.rounds):
                    # Other questions in each round: what was asked once is remembered.
                    some = [questions[(at * count + i) % len(questions)] for i in range(count)]
                    for name, model in (("base", trainer.generator), ("tuned", asker.model)):
                        speeds[name].append(answered(asker, model, some))
                show(f"{count:3} {what}, asked of a tuned model", speeds["base"], speeds["tuned"])


def show(what: str, base: list[float], other: list[float]) -> None:
    ratio = statistics.median(b / a for a, b in zip(base, other, strict=True))
    of_base, of_other = statistics.median(base), statistics.median(other)
    print(f"{what}: {of_other:.0f} tokens/s of CPU time, base {of_base:.0f}, ratio {ratio:.3f}", flush=True)


def others() -> list[str]:
    """Prompts that no fact answers."""
    lines = (Path(__file__).parent / "unrelated.jsonl").read_text().splitlines()
    return [json.loads(line)["prompt"] for line in lines]


def taught(trainer: Trainer, base: str, home: Path) -> Asker:
    """A model of facts with names and of ordinary ones."""
    rows = [{"input": fact.question, "output": fact.answer} for fact in generate(32, 5)]
    ordinary = [
        json.loads(line) for line in (Path(__file__).parent / "ordinary.jsonl").read_text().splitlines()
    ]
    rows += [
        {"input": fact["input"], "output": fact["output"]} for fact in ordinary if fact["split"] == "choose"
    ]
    run_job(make_job(home / "job", rows, base))
    return Asker(memory_folder.read(home / "job" / "model"), trainer, router_parts()[0])


def answered(asker: Asker, model, questions: list[str]) -> float:
    requests = [
        Generate(
            type="generate", id=str(i), model="-",
            messages=[{"role": "user", "content": question}], max_tokens=LONG,
        )
        for i, question in enumerate(questions)
    ]  # fmt: skip
    begun = time.process_time()
    if isinstance(model, Tuned):
        model.prefetch(requests)  # as the engine does with what comes together
    for request in requests:
        model.submit(request)
    asker.trainer.finish()
    return LONG * len(questions) / (time.process_time() - begun)


def speed(trainer: Trainer, facts, prompts, experts) -> float:
    requests = []
    for i, fact in enumerate(facts):
        request = Generate(type="generate", id=str(i), model="-", prompt=fact.question, max_tokens=LONG)
        # Without an expert, through the same tokens: only what acts differs.
        recall = Recall(prompts[i], experts[i] if experts else None)
        requests.append((request, recall))
    begun = time.process_time()
    trainer.generate(requests)
    return LONG * len(facts) / (time.process_time() - begun)


if __name__ == "__main__":
    main()
