"""Makes engine/lorekeep/routing/embedders/calibration.jsonl: the questions by which likeness is calibrated for an embedding model that
the shipped networks were not fitted on, and by which the judgement of a base is measured. A part of pairs.jsonl, relations.jsonl
and unasked.jsonl, which the networks were fitted on."""

import argparse
import json
import random
import sys
from pathlib import Path

if __name__ == "__main__":
    # The imports below take seconds; help needs none of them.
    argparse.ArgumentParser(description=__doc__).parse_args()

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "engine"), str(HERE)]

from asked import politely
from lorekeep.routing.embedders.calibration import FILE
from lorekeep.routing.embedders.parts import default_tokenizer
from lorekeep.routing.words import Vocabulary

# Stride of topics, facts in one index, ways to ask for each relation, and number of other prompts.
TOPICS, TOGETHER, WAYS, UNASKED = 6, 90, 3, 30


def made() -> list[dict]:
    def read(name):
        return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]

    choose, known = random.Random(0), Vocabulary.of(default_tokenizer())
    pairs = [fact for fact in read("pairs.jsonl") if not known.names(fact["input"])]
    topics = sorted({fact["topic"] for fact in pairs})[::TOPICS]
    facts = [
        {
            "input": fact["input"], "output": fact["output"], "rewordings": fact["rewordings"][:2],
            "near_misses": fact["near_misses"][:2], "nearly": politely(fact["input"], choose),
        }
        for topic in topics
        for fact in pairs
        if fact["topic"] == topic
    ]  # fmt: skip
    relations: dict[str, list[list[str]]] = {}
    for row in read("relations.jsonl"):
        relations.setdefault(row["subject"], []).append(choose.sample(row["asks"], WAYS))
    return [
        *({"set": at // TOGETHER, **fact} for at, fact in enumerate(facts)),
        *({"ways": ways} for ways in relations.values()),
        *read("unasked.jsonl")[:UNASKED],
    ]


def main() -> None:
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in made()]
    FILE.write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()
