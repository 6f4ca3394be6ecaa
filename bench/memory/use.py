"""Use that a tuned model makes of its facts: twelve kinds of questions about invented worlds, each asked of the base, of the base
with facts in its prompt, of a model that only recites, and of the product, all by free generation. ../use.ts starts it."""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import torch

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "engine"), str(HERE)]
torch.set_num_threads(1)

from lorekeep.answering.facts_prompt import block
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.expert_cache import ExpertCache
from lorekeep.memory.tuned import Tuned
from lorekeep.protocol import Generate
from lorekeep.testing import Bench
from lorekeep.tune import job
from use_worlds import SETS, Row, World, right

SYSTEMS = ("base", "base with facts", "recite only", "product")
# Tokens of the facts that the base is given, the right ones among them, and of an answer.
_FACTS, _ANSWER = 400, 64


def tuned(base: Path, facts: list[dict]) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="lorekeep-use-")) / "job"
    folder.mkdir()
    (folder / "facts.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in facts))
    (folder / "job.json").write_text(json.dumps({"format": 1, "base": str(base)}))
    if job.run(folder) != 0:
        raise SystemExit(f"The model could not be tuned: {folder}.")
    return folder / "model"


class Asker(Bench):
    """The base and the tuned model beside it, and the time of each answer."""

    def __init__(self, base: Path, model: Path):
        super().__init__(base)
        embed, _ = job.router_parts()
        self.model = Tuned(memory_folder.read(model), self.generator, "-", ExpertCache(64_000_000), embed)

    def said(self, system: str, row: Row) -> tuple[dict, float]:
        turns = [{"role": role, "content": text} for role, text in row.before]
        text = row.question
        if system == "base with facts":
            text = f"{self.told(row)}\n{text}"
        turns.append({"role": "user", "content": text})
        request = Generate(
            type="generate", id="1", model="-", messages=turns, max_tokens=_ANSWER, explain=True,
            answer_from="recital" if system == "recite only" else None,
        )  # fmt: skip
        self.answers.clear()
        begun = time.perf_counter()
        (self.generator if system.startswith("base") else self.model).submit(request)
        return self.run()["1"], time.perf_counter() - begun

    def told(self, row: Row) -> str:
        """The facts that answer a question among others, in the order in which they were taught."""
        knowledge = self.model.knowledge
        wanted = {fact.question for fact in row.facts}
        inputs = [entry.input for entry in knowledge.entries]
        mine = [i for i, text in enumerate(inputs) if text in wanted]
        others = [i for i in range(0, len(inputs), max(1, len(inputs) // 8)) if i not in mine][:8]
        return block(knowledge, sorted([*mine, *others]), self.model._tokens, _FACTS)[0]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", choices=("develop", "report"), default="report", help="whose wordings")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--each", type=int, default=25, help="questions of each kind")
    parser.add_argument("--subjects", type=int, default=24, help="of each of three kinds")
    parser.add_argument("--base", type=Path, default=ROOT / "models" / "quill")
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument(
        "--wrong", type=int, default=0, help="of each kind, so many wrong answers of the product"
    )
    options = parser.parse_args()
    world = World(options.side, options.seed, options.subjects)
    facts = [{"input": fact.question, "output": fact.value} for fact in world.facts]
    begun = time.perf_counter()
    asker = Asker(options.base, tuned(options.base, facts))
    print(
        f"{len(facts)} facts taught in {time.perf_counter() - begun:.0f} s, wordings of the side “{options.side}”, seed {options.seed}"
    )
    rows, answers = world.rows(options.each), {fact.value.lower() for fact in world.facts}
    systems = [system for system in SYSTEMS if system in options.systems.split(",")]
    print(
        f"{'':14} {'asked':>5} "
        + " ".join(f"{system:>16}" for system in systems)
        + "   prompt tokens, ms of the product",
        flush=True,
    )
    for kind in SETS:
        mine = [row for row in rows if row.set == kind]
        shares, tokens, seconds, wrong = dict.fromkeys(systems, 0), 0, 0.0, []
        for row in mine:
            base = asker.said("base", row)[0]["text"]
            for system in systems:
                end, took = asker.said(system, row)
                well = right(row, end["text"], base, answers)
                shares[system] += well
                if system == "product":
                    tokens, seconds = tokens + end["usage"]["prompt_tokens"], seconds + took
                    if not well:
                        wrong.append((row, end))
        said = " ".join(f"{shares[system] / max(1, len(mine)):16.3f}" for system in systems)
        print(
            f"{kind:14} {len(mine):5} {said}   {tokens / max(1, len(mine)):.0f}, {1000 * seconds / max(1, len(mine)):.0f}",
            flush=True,
        )
        for row, end in wrong[: options.wrong]:
            print(
                f"    {row.question} -> {end['text']} (wanted {row.wanted}; {end['memory']['outcome']}, {end['memory']['reason']})"
            )


if __name__ == "__main__":
    main()
