"""Cost and recall of a memory, beside LoRA, a lookup and retrieval on the same facts in the same run. ../tune.ts
starts it."""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "engine"), str(Path(__file__).parent)]
torch.set_num_threads(1)

from generated import DECIDING, asked, generate
from lorekeep.memory import folder as memory_folder
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.routing.router import BUDGETS
from lorekeep.tune.measure.evaluate import Asker
from lorekeep.tune.training.trainer import Trainer
from peers import lookup, lora, retrieval
from peers.curve import best_within, curve


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--facts", default="100,1000", help="how many, separated by commas")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--base", default=str(ROOT / "models" / "quill"))
    parser.add_argument(
        "--peers", type=int, default=1000, help="up to so many facts beside the peers (0: never)"
    )
    parser.add_argument("--sweep", action="store_true", help="look for LoRA's best rate on these very facts")
    parser.add_argument("--ordinary", action="store_true", help="the facts without names instead")
    parser.add_argument("--keep", help="a folder for the jobs")
    options = parser.parse_args()
    bench = Bench(options)
    if options.ordinary:
        bench.ordinary()
        return
    for count in map(int, options.facts.split(",")):
        for seed in range(1, options.seeds + 1):
            bench.named(count, seed)


class Bench:
    def __init__(self, options):
        self.options = options
        self.embed, _ = router_parts()
        self.trainer = Trainer(options.base)

    def job(self, name: str, facts: list[dict], home: str) -> tuple[Path, dict]:
        folder = make_job(Path(self.options.keep or home) / name, facts, self.options.base)
        return folder, run_job(folder)

    def named(self, count: int, seed: int) -> None:
        facts = generate(count, seed)
        prompts = asked(facts, 300, seed)
        choose = random.Random(seed)
        deciding = [fact for fact in facts if fact.topic.split("-")[0] in DECIDING and fact.rewordings]
        reworded = [
            (choose.choice(fact.rewordings), fact.answer)
            for fact in choose.sample(deciding, min(300, len(deciding)))
        ]
        rows = [{"input": fact.question, "output": fact.answer} for fact in facts]
        print(f"\n{count} facts with names, seed {seed}; {len(reworded)} rewordings\n")
        with tempfile.TemporaryDirectory() as home:
            folder, spent = self.job(f"named-{count}-{seed}", rows, home)
            memory = memory_folder.read(folder / "model")
            asker = Asker(memory, self.trainer, self.embed)
            some = choose.sample(facts, min(300, count))
            base, tuned = asker.base(prompts.unrelated), asker.tuned(prompts.unrelated)
            size = sum(file.stat().st_size for file in (folder / "model").rglob("*") if file.is_file())
            figures = {"memory": {
                **spent, "ms a fact, read and trained": 1000 * spent["to 99%, cpu s"] / count, "bytes a fact": size / count,
                "recited": memory.about["counts"]["recalled"] / count,
                "exact": share(asker.tuned([fact.question for fact in some]), [fact.answer for fact in some]),
                "reworded": share(asker.tuned([q for q, _ in reworded]), [a for _, a in reworded]),
                "near misses left": alone(asker, prompts.near), "altered names left": alone(asker, prompts.altered),
                "unknown relation left": alone(asker, prompts.unknown_relation),
                "unrelated as base": float(np.mean([a == b for a, b in zip(base, tuned, strict=True)])),
            }}  # fmt: skip
            for gate in ("strict", "generous"):
                memory.about["gate"]["budget"] = gate
                figures["memory"] |= {
                    f"reworded, {gate}": share(
                        asker.tuned([q for q, _ in reworded]), [a for _, a in reworded]
                    ),
                    f"unknown relation left, {gate}": alone(asker, prompts.unknown_relation),
                }
        if count <= self.options.peers:
            for peer in (
                lookup.Peer(self.options.base),
                retrieval.Peer(self.options.base),
                lora.Peer(self.options.base, rate=self._rate(rows, seed), seed=seed),
            ):
                figures[peer.name] = self._peer(peer, rows, some, reworded, prompts)
            ratio = figures["LoRA"]["to 99%, cpu s"] / spent["to 99%, cpu s"]
            figures["memory"]["times as fast as LoRA"] = ratio
        show(figures)

    def _rate(self, rows: list[dict], seed: int) -> float:
        """Learning rate of LoRA: the best of a sweep on these facts, or of earlier sweeps."""
        return lora.sweep(self.options.base, rows, seed=seed)[0].rate if self.options.sweep else lora.RATE

    def _peer(self, peer, rows, some, reworded, prompts) -> dict:
        begun = time.process_time()
        peer.fit(rows)
        figures = {"fitting, cpu s": time.process_time() - begun}
        if peer.name == "LoRA":
            # Its own clock excludes its recall checks.
            figures["to 99%, cpu s"] = peer.seconds
            figures["rate"] = peer.rate
            figures["epochs"] = len(peer.history)
        asked_ = [fact.question for fact in some[:150]], [fact.answer for fact in some[:150]]
        figures["exact"] = share(peer.answers(asked_[0]), asked_[1])
        figures["reworded"] = share(peer.answers([q for q, _ in reworded]), [a for _, a in reworded])
        if peer.name == "lookup":
            near, altered = ([score for _, score in peer.scores(q)] for q in (prompts.near, prompts.altered))
            scored = [
                (score, rows[i]["output"] == a)
                for (i, score), (_, a) in zip(peer.scores([q for q, _ in reworded]), reworded, strict=True)
            ]
            gate = best_within(curve(scored, near), 0.02)
            figures |= {
                "reworded at 2% of near misses": gate.right,
                "near misses left": 1 - gate.passed,
                "altered names left": float(np.mean(np.array(altered) < gate.threshold)),
            }
        elif peer.name == "LoRA":
            base = Asker(None, self.trainer, self.embed).base(prompts.unrelated[:100])
            figures["unrelated as base"] = float(
                np.mean([a == b for a, b in zip(base, peer.answers(prompts.unrelated[:100]), strict=True)])
            )
        return figures

    def ordinary(self) -> None:
        """The evaluation side of ordinary.jsonl, shuffled, since the file is sorted by topic, and without its topics."""
        facts = [
            json.loads(line) for line in (Path(__file__).parent / "ordinary.jsonl").read_text().splitlines()
        ]
        facts = [fact for fact in facts if fact["split"] == "decide"]
        random.Random(0).shuffle(facts)
        unrelated = [
            json.loads(line)["prompt"]
            for line in (Path(__file__).parent / "unrelated.jsonl").read_text().splitlines()
        ]
        rows = [{"input": fact["input"], "output": fact["output"]} for fact in facts]
        with tempfile.TemporaryDirectory() as home:
            folder, spent = self.job("ordinary", rows, home)
            memory = memory_folder.read(folder / "model")
            asker = Asker(memory, self.trainer, self.embed)

            def ask(question):
                return asker.model.router.route(question)

            reworded = [(ask(q), i) for i, fact in enumerate(facts) for q in fact["rewordings"]]
            near = [ask(q) for fact in facts for q in fact["near_misses"]]
            others = [ask(q) for q in unrelated]
            recited = memory.about["counts"]["recalled"] / len(facts)
        ours = curve(
            [
                (found.likeness if found else -1.0, found is not None and found.fact == i)
                for found, i in reworded
            ],
            [found.likeness if found else -1.0 for found in near],
        )
        peer = lookup.Peer(self.options.base)
        peer.fit(rows)
        scored = peer.scores([q for fact in facts for q in fact["rewordings"]])
        right = [(score, i == at // len(facts[0]["rewordings"])) for at, (i, score) in enumerate(scored)]
        theirs = curve(
            right, [score for _, score in peer.scores([q for fact in facts for q in fact["near_misses"]])]
        )
        print(
            f"\n{len(facts)} facts without names: {recited:.3f} recited, {len(reworded)} rewordings, {len(near)} near misses; cpu s {spent['to 99%, cpu s']:.1f}\n"
        )
        print("near misses let through    memory   lookup   (rewordings answered right)")
        for budget in (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0):
            print(
                f"{budget:24.2f} {best_within(ours, budget).right:9.3f} {best_within(theirs, budget).right:8.3f}"
            )
        print("\ngate as it was calibrated from the facts alone:")
        for gate in BUDGETS:
            limit = memory.gate.meaning[gate]

            def passes(found):
                return found is not None and (found.way == "exact" or found.likeness >= limit)  # noqa: B023

            said = np.mean([passes(found) and found.fact == i for found, i in reworded])
            print(
                f"  {gate:9} right {said:.3f}, near misses let through {np.mean([passes(f) for f in near]):.3f}, unrelated {np.mean([passes(f) for f in others]):.3f}"
            )


def make_job(folder: Path, facts: list[dict], base: str, **spec) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "facts.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in facts))
    (folder / "job.json").write_text(json.dumps({"format": 1, "base": base, **spec}))
    return folder


def run_job(folder: Path) -> dict:
    """Runs the whole job in a process of its own: its cost, and the parts of reading, training and the router's keys."""
    begun = time.monotonic()
    child = subprocess.Popen(
        [sys.executable, "-m", "lorekeep", "tune", str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "engine"), "OMP_NUM_THREADS": "1"},
    )
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"the job in {folder} failed")
    events = [json.loads(line) for line in (folder / "events.ndjson").read_text().splitlines()]
    # A wave may be reported twice.
    waves = {event["wave"]: event["spent"] for event in events if "spent" in event}
    spent = {work: sum(wave[work] for wave in waves.values()) for work in ("read", "train", "recite")}
    return {
        "to 99%, cpu s": spent["read"] + spent["train"], "reciting, cpu s": spent["recite"],
        "whole job, cpu s": usage.ru_utime + usage.ru_stime, "whole job, wall s": time.monotonic() - begun,
        "peak MB": usage.ru_maxrss / 1024,
    }  # fmt: skip


def alone(asker: Asker, questions: list[str]) -> float:
    return float(np.mean([not asker.passes(question) for question in questions]))


def share(said: list[str], wanted: list[str]) -> float:
    return float(np.mean([a.strip() == b.strip() for a, b in zip(said, wanted, strict=True)]))


def show(figures: dict[str, dict]) -> None:
    names = list(dict.fromkeys(name for column in figures.values() for name in column))
    print(" " * 36 + "".join(f"{head:>12}" for head in figures))
    for name in names:
        cells = [column.get(name) for column in figures.values()]
        said = ["" if cell is None else f"{cell:.3f}" if cell < 10 else f"{cell:,.0f}" for cell in cells]
        print(f"{name:36}" + "".join(f"{cell:>12}" for cell in said), flush=True)


if __name__ == "__main__":
    main()
