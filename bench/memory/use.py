"""Use of facts by a tuned model: twelve kinds of questions about invented worlds, each asked of the base, of the base
with facts in its prompt, of a lookup, of a document index of the same facts as sentences, of a LoRA, of a model that only recites, and
of the product, all by free generation. ../use.ts starts it."""

import argparse
import json
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import torch

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "engine"), str(HERE)]
torch.set_num_threads(1)

from lorekeep.answering.facts_prompt import facts_block
from lorekeep.answering.statement import statement
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.expert_cache import ExpertCache
from lorekeep.memory.tuned import TunedModel
from lorekeep.protocol import Generate
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.testing import Bench
from lorekeep.tune import job
from peers import lora
from peers.nearest import Nearest
from peers.speaker import Speaker
from use_worlds import SETS, Row, World, holds, right

SYSTEMS = ("base", "base with facts", "lookup", "documents", "LoRA", "recite only", "product")
# Maximum tokens of the facts in the prompt of the base, the right ones included, and of an answer.
_MAX_FACT_TOKENS, _MAX_ANSWER_TOKENS = 400, 64
# Minimum likeness of the nearest fact for the lookup to answer; below it the base answers. 2% of near misses are
# above it (docs/experiments/2026-11-22-turned-asks.md).
_LOOKUP_THRESHOLD = 0.9


@dataclass
class Said:
    """An answer and its cost."""

    text: str
    tokens: int  # of the prompt
    seconds: float
    memory: dict = field(default_factory=dict)


def tuned(base: Path, facts: list[dict], embedder: Path | None) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="lorekeep-use-")) / "job"
    folder.mkdir()
    (folder / "facts.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in facts))
    spec = {"format": 1, "base": str(base), "embedder": embedder and str(embedder)}
    (folder / "job.json").write_text(json.dumps(spec))
    if job.run(folder) != 0:
        raise SystemExit(f"The model could not be tuned: {folder}.")
    return folder / "model"


class Asker(Bench):
    """The base, the tuned model and the systems that they are compared with."""

    def __init__(self, options: argparse.Namespace, model: Path, facts: list[dict], rows: list[Row]):
        super().__init__(options.base)
        embed, _ = router_parts(options.embedder)
        self.model = TunedModel(
            memory_folder.read(model), self.generator, "-", ExpertCache(64_000_000), embed
        )
        self.facts, self.nearest = facts, Nearest()
        self.nearest.learn([fact["input"] for fact in facts])
        # The answer of the document index to each row; the product serves the index (../use.ts).
        self.documents: dict[str, Said] = {}
        if options.documents:
            lines = options.documents.read_text("utf-8").splitlines()
            pairs = zip(rows, map(json.loads, lines), strict=True)
            self.documents = {key_of(row): Said(**answer) for row, answer in pairs}
        self.lora: lora.Peer | None = None
        if "LoRA" in options.systems:
            self.lora = lora.Peer(options.base, epochs=options.epochs)
            self.lora.fit(facts)

    def said(self, system: str, row: Row) -> Said:
        if system == "documents":
            return self.documents[key_of(row)]
        turns = [{"role": role, "content": text} for role, text in row.before]
        text = row.question
        if system == "base with facts":
            text = f"{self.told(row)}\n{text}"
        turns.append({"role": "user", "content": text})
        begun = time.perf_counter()
        if system == "lookup":
            found_1_1, near_1_1 = self.nearest.find([row.question], 1)
            if near_1_1[0, 0] >= _LOOKUP_THRESHOLD:
                answer = self.facts[found_1_1[0, 0]]["output"]
                return Said(answer, 0, time.perf_counter() - begun)
        request = Generate(
            type="generate", id="1", model="-", messages=turns, max_tokens=_MAX_ANSWER_TOKENS, explain=True,
            answer_from="recital" if system == "recite only" else None,
        )  # fmt: skip
        if system == "LoRA":
            assert self.lora is not None
            end = answered(self.lora.speaker, request)
        else:
            self.answers.clear()
            (self.model if system in ("product", "recite only") else self.generator).submit(request)
            end = self.run()["1"]
        took = time.perf_counter() - begun
        return Said(end["text"], end["usage"]["prompt_tokens"], took, end.get("memory") or {})

    def told(self, row: Row) -> str:
        """The facts that answer a question among others, in the order in which they were taught."""
        knowledge = self.model.knowledge
        wanted = {fact.question for fact in row.facts}
        inputs = [entry.input for entry in knowledge.entries]
        mine = [i for i, text in enumerate(inputs) if text in wanted]
        others = [i for i in range(0, len(inputs), max(1, len(inputs) // 8)) if i not in mine][:8]
        return facts_block(knowledge, sorted([*mine, *others]), self.model._tokens, _MAX_FACT_TOKENS)[0]


def key_of(row: Row) -> str:
    return json.dumps([row.before, row.question])


def answered(speaker: Speaker, request: Generate) -> dict:
    speaker.generator.submit(request)
    while speaker.generator.busy:
        speaker.generator.step()
    return speaker.ended["1"]


def options_of() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", choices=("develop", "report"), default="report", help="whose wordings")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--each", type=int, default=25, help="questions of each kind")
    parser.add_argument("--subjects", type=int, default=24, help="of each of three kinds")
    parser.add_argument("--base", type=Path, default=ROOT / "models" / "quill")
    parser.add_argument("--embedder", type=Path, help="an embedding model other than the default one")
    parser.add_argument("--systems", type=lambda text: text.split(","), default=list(SYSTEMS))
    parser.add_argument("--epochs", type=int, default=lora.EPOCHS, help="at most, of the LoRA")
    parser.add_argument(
        "--wrong", type=int, default=0, help="of each kind, so many wrong answers of the product"
    )
    parser.add_argument("--write", type=Path, help="write the world for the document index, and nothing else")
    parser.add_argument("--documents", type=Path, help="the answers of the document index")
    return parser.parse_args()


def write(folder: Path, facts: list[dict], rows: list[Row]) -> None:
    """Facts as sentences in a text, and the questions, for ../use.ts."""
    sentences = [statement(fact["input"], fact["output"], fact["subject"]) for fact in facts]
    (folder / "facts.txt").write_text("\n\n".join(sentences) + "\n", "utf-8")
    turns = [
        [{"role": role, "content": text} for role, text in [*row.before, ("user", row.question)]]
        for row in rows
    ]
    (folder / "questions.json").write_text(json.dumps(turns), "utf-8")


def main() -> None:
    options = options_of()
    world = World(options.side, options.seed, options.subjects)
    rows, values = world.rows(options.each), {fact.value.lower() for fact in world.facts}
    facts = [{"input": fact.question, "output": fact.value, "subject": fact.subject} for fact in world.facts]
    if options.write:
        write(options.write, facts, rows)
        return
    facts = [{"input": fact["input"], "output": fact["output"]} for fact in facts]
    begun = time.perf_counter()
    model = tuned(options.base, facts, options.embedder)
    print(
        f"{len(facts)} facts taught in {time.perf_counter() - begun:.0f} s, wordings of the side “{options.side}”, seed {options.seed}"
    )
    asker = Asker(options, model, facts, rows)
    systems = [
        system
        for system in SYSTEMS
        if system in options.systems and (system != "documents" or options.documents)
    ]
    found = {
        kind: measured(asker, [row for row in rows if row.set == kind], systems, values, options.wrong)
        for kind in SETS
    }
    for at, what in enumerate(("answered right", "tokens of the prompt", "milliseconds")):
        print(f"\n| {what} | " + " | ".join(systems) + " |\n|---|" + "---|" * len(systems))
        for kind in SETS:
            figures = [found[kind][system][at] for system in systems]
            print(
                f"| {kind} | "
                + " | ".join(f"{one:.2f}" if at == 0 else f"{one:.0f}" for one in figures)
                + " |"
            )


def measured(
    asker: Asker, rows: list[Row], systems: list[str], values: set[str], wrong: int
) -> dict[str, tuple[float, float, float]]:
    """The share that each system answers right, and the tokens and milliseconds of a question."""
    sums = {system: [0.0, 0.0, 0.0] for system in systems}
    for row in rows:
        base = asker.said("base", row).text
        for system in systems:
            said = asker.said(system, row)
            # The index answers in the words of its sentences: the value in one of them is right.
            well = holds(row, said.text) if system == "documents" else right(row, said.text, base, values)
            for at, figure in enumerate((well, said.tokens, 1000 * said.seconds)):
                sums[system][at] += figure / len(rows)
            if system == "product" and not well and wrong > 0:
                wrong -= 1
                record = f"{said.memory['outcome']}, {said.memory['reason']}"
                print(f"{row.set}: {row.question} -> {said.text} (wanted {row.wanted}; {record})", flush=True)
    return {system: (figures[0], figures[1], figures[2]) for system, figures in sums.items()}


if __name__ == "__main__":
    main()
