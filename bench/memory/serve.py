"""Cost of a memory while answers are spoken: tokens a second of prompts that each have their own expert, beside the
same batch on the base; the experts alone, then a tuned model with its router and its files, asked for its facts and
for other things; and recitals with and without their draft. ../serve-tuned.ts starts it."""

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
from lorekeep.memory.tuned import TunedModel
from lorekeep.protocol import Generate
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.tune.measure.evaluate import Asker
from lorekeep.tune.training.train import Recipe, fresh
from lorekeep.tune.training.trainer import Trainer
from tune import make_job, run_job

# Tokens of each answer; end tokens are ignored, so that both sides generate the same number.
LONG = 48


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rank", type=int, default=8)
    options = parser.parse_args()
    base = str(ROOT / "models" / "quill")
    trainer = Trainer(base)
    ends, trainer.generator.ends = trainer.generator.ends, []
    trainer.generator.knows_nothing = False  # it generates tokens instead of a notice
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
        letters = trainer.generator.prompts.text_tokens
        # At most as many tokens as the answer has: a different answer is no recital.
        taught_ones = [(fact.question, len(letters(fact.answer))) for fact in facts]
        for what, questions in (("facts", taught_ones), ("others", [(one, LONG) for one in others()])):
            for count in (1, 32):
                speeds = {"base": [], "tuned": []}
                for at in range(options.rounds):
                    # Different questions in each round, since answers are cached.
                    some = [questions[(at * count + i) % len(questions)] for i in range(count)]
                    for name, model in (("base", trainer.generator), ("tuned", asker.model)):
                        speeds[name].append(answered(asker, model, some))
                show(f"{count:3} {what}, asked of a tuned model", speeds["base"], speeds["tuned"])
        trainer.generator.ends = ends
        for count in (1, 32):
            drafts([fact.question for fact in facts], count, asker, options.rounds)


def drafts(questions: list[str], count: int, asker: Asker, rounds: int) -> None:
    """Steps and seconds of recitals, up to their ends, with and without the taught answer as a draft."""
    batch = asker.trainer.generator.batch
    ahead, spent = batch.ahead, {True: [], False: []}
    for at in range(-1, rounds):
        some = [questions[(at * count + i) % len(questions)] for i in range(count)]
        for drafted in (False, True):
            batch.ahead = ahead if drafted else 0
            found = recited(asker, some)
            if at >= 0:  # the first round reads experts
                spent[drafted].append(found)
    batch.ahead = ahead
    steps, seconds = (
        {drafted: statistics.mean(one[i] for one in found) for drafted, found in spent.items()}
        for i in (0, 1)
    )
    print(
        f"{count:3} recitals with a draft: {steps[True]:.1f} steps and {seconds[True] * 1e3:.1f} ms of CPU time, without "
        f"{steps[False]:.1f} and {seconds[False] * 1e3:.1f} ms, ratio {seconds[False] / seconds[True]:.2f}",
        flush=True,
    )


def recited(asker: Asker, questions: list[str]) -> tuple[int, float]:
    steps, begun = 0, time.process_time()
    for i, question in enumerate(questions):
        asker.model.submit(Generate(type="generate", id=str(i), model="-", prompt=question, scope=str(i)))
    while asker.trainer.generator.busy:
        asker.trainer.generator.step()
        steps += 1
    return steps, time.process_time() - begun


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


def answered(asker: Asker, model, questions: list[tuple[str, int]]) -> float:
    """Tokens a second for questions, each with its number of answer tokens."""
    requests = [
        Generate(
            type="generate", id=str(i), model="-",
            messages=[{"role": "user", "content": question}], max_tokens=most,
        )
        for i, (question, most) in enumerate(questions)
    ]  # fmt: skip
    begun = time.process_time()
    if isinstance(model, TunedModel):
        model.prefetch(requests)  # as the engine does for concurrent requests
    for request in requests:
        model.submit(request)
    asker.trainer.finish()
    return sum(most for _, most in questions) / (time.process_time() - begun)


def speed(trainer: Trainer, facts, prompts, experts) -> float:
    requests = []
    for i, fact in enumerate(facts):
        request = Generate(type="generate", id=str(i), model="-", prompt=fact.question, max_tokens=LONG)
        # Without an expert, through the same tokens: only the expert differs.
        recall = Recall(prompts[i], experts[i] if experts else None)
        requests.append((request, recall))
    begun = time.process_time()
    trainer.generate(requests)
    return LONG * len(facts) / (time.process_time() - begun)


if __name__ == "__main__":
    main()
