"""Compares the report's rewordings by rule with rewordings by people: of each set the share that the router answers right, by rule
and as written by hand. Only "decide" and the generated facts were used for nothing else. ../reworded.ts starts it."""

import argparse
import json
import random
import sys
from pathlib import Path

import numpy as np
import torch

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "engine"), str(HERE)]
torch.set_num_threads(1)

from asked import left_out
from generated import DECIDING, generate
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.routing.gate import calibrate
from lorekeep.routing.router import Gate, Router
from lorekeep.routing.stored_keys import Entry, keys_of, names_of
from lorekeep.tune.measure.reworded import reworded


def sets(seed: int) -> dict[str, list[dict]]:
    def read(name):
        return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]

    ordinary, pairs = read("ordinary.jsonl"), read("pairs.jsonl")
    unseen = left_out(pairs)
    return {
        "facts with names, generated": [
            {"input": f.question, "output": f.answer, "rewordings": f.rewordings, "asked": f.topic.split("-")[0] in DECIDING}
            for f in generate(300, seed)
        ],
        "ordinary.jsonl, choosing side": [f for f in ordinary if f["split"] == "choose"],
        "ordinary.jsonl, deciding side": [f for f in ordinary if f["split"] == "decide"],
        "pairs.jsonl, topics left out": [f for f in pairs if f["topic"] in unseen],
    }  # fmt: skip


def right(router: Router, asked: list[tuple[str, int]]) -> list[bool]:
    """For each question, whether the memory would answer with its fact, or with a fact of the same answer."""
    router.prefetch([text for text, _ in asked])
    found = [router.route(text) for text, _ in asked]

    def answer(fact):
        return router.entries[fact].output

    return [
        each is not None and each.passed and answer(each.fact) == answer(i)
        for each, (_, i) in zip(found, asked, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sets", default="", help="only those whose name contains this")
    parser.add_argument("--most", type=int, default=3, help="of each fact, so many rewordings of either kind")
    parser.add_argument("--show", type=int, default=0, help="so many rewordings of each set")
    options = parser.parse_args()
    embed, vocabulary = router_parts()
    print(
        f"{'share answered right, balanced gate':38} {'questions':>9} {'by rule':>8} {'by hand':>8} {'apart':>6}"
    )
    for name, facts in sets(options.seed).items():
        if options.sets not in name:
            continue
        random.Random(options.seed).shuffle(facts)
        entries = [Entry(fact["input"], fact["output"]) for fact in facts]
        names = names_of(entries, vocabulary)
        router = Router(entries, keys_of(entries, names, embed), Gate(), vocabulary, embed)
        router.gate = calibrate(router)
        choose = random.Random(options.seed)
        some = [i for i, fact in enumerate(facts) if fact.get("asked", True) and fact["rewordings"]]

        def some_of(texts):
            return choose.sample(texts, min(options.most, len(texts)))  # noqa: B023

        hand = [(text, i) for i in some for text in some_of(facts[i]["rewordings"])]
        rule = [(reworded(facts[i]["input"], names[i], choose), i) for i in some for _ in range(options.most)]
        by_rule, by_hand = (np.array(right(router, asked)) for asked in (rule, hand))
        print(
            f"{name:38} {len(hand):9} {by_rule.mean():8.3f} {by_hand.mean():8.3f} {by_rule.mean() - by_hand.mean():+6.3f}",
            flush=True,
        )
        for (text, i), well in list(zip(rule, by_rule, strict=True))[: options.show]:
            print(f"  {'right' if well else '     '} {facts[i]['input']} -> {text}")


if __name__ == "__main__":
    main()
