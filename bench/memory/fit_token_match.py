"""Makes engine/lorekeep/routing/token_match.safetensors: the network that lays two questions beside each other, from the facts of beside.jsonl, which
were written for this by hand, of organisations, and of pairs.jsonl but for some topics, by which fit_question_match.py, to be run after it, finds what lets how much
through. Prints what passes of those at which share of near misses when nothing else is asked."""

import argparse
import json
import random
import sys
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    # The imports below take seconds; help needs none of them.
    argparse.ArgumentParser(description=__doc__).parse_args()

import numpy as np
import torch
from safetensors.torch import save_file

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "engine"), str(HERE)]
torch.set_num_threads(1)

from asked import left_out, politely, turned
from lorekeep.routing import token_match
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.routing.token_match import TokenMatcher
from organisations import of_organisations
from peers.curve import best_within, curve

ROUNDS, PAIRS_PER_FACT, BATCH, RATE, DECAY, DROPOUT = 8, 6, 64, 1e-3, 0.05, 0.2
# Shares of the kinds of pairs: a rewording, a near miss, a rewording in nearly the same words; another fact of the
# topic, a similar fact of another topic, and a question that no fact answers.
SHARES = {"reworded": 0.38, "near": 0.42, "easy": 0.08, "other": 0.05, "stranger": 0.05, "unasked": 0.02}
# Strangers: likeness ranks among facts of other topics, without the nearest, which may ask the same.
STRANGER_RANKS = slice(5, 40)
# Probability that a pair uses the fact's own question, and not one of its rewordings.
OWN_QUESTION_PROBABILITY = 0.6
SEED = 0
Pair = tuple[str, str, float]


@dataclass
class Said:
    """Output of the embedding model for a text."""

    deep_T_K: torch.Tensor
    vector_D: torch.Tensor


def easy(facts: list[dict]) -> dict[str, list[str]]:
    choose = random.Random(3)
    return {
        fact["input"]: [
            politely(fact["input"], choose),
            turned(fact["input"]),
            politely(choose.choice(fact["rewordings"]), choose),
        ]
        for fact in facts
    }


def said(texts: list[str]) -> dict[str, Said]:
    embed, _ = router_parts()
    return {
        text: Said(token_match.deep(states).half(), torch.tensor(vector_D))
        for text, vector_D, states in embed.compute(list(dict.fromkeys(texts)))
    }


class Drawing:
    """Draws pairs for each fact: an asked question, and the question that a fact is stored with."""

    def __init__(self, facts: list[dict], unasked: list[str], of: dict[str, Said], seed: int):
        self.facts, self.unasked, self.choose = facts, unasked, random.Random(seed)
        self.easily = easy(facts)
        vectors_N_D = torch.stack([of[fact["input"]].vector_D for fact in facts])
        self.beside: dict[str, list[dict]] = {}
        self.strangers: dict[str, list[dict]] = {}
        for fact, vector_D in zip(facts, vectors_N_D, strict=True):
            by_likeness = [facts[i] for i in (vectors_N_D @ vector_D).argsort(descending=True).tolist()]

            def its(other, fact=fact):
                return other["topic"] == fact["topic"]

            self.beside[fact["input"]] = [other for other in by_likeness if its(other) and other is not fact]
            self.strangers[fact["input"]] = [other for other in by_likeness if not its(other)][STRANGER_RANKS]

    def __call__(self) -> list[Pair]:
        found = []
        for fact in self.choose.sample(self.facts, len(self.facts)):
            for kind in self.choose.choices(list(SHARES), SHARES.values(), k=PAIRS_PER_FACT):
                if kind == "near" and not fact["near_misses"]:
                    kind = "other"
                one, other = self._two(fact, kind)
                right = float(kind in ("reworded", "easy"))
                found.append((other, one, right))
        return found

    def _two(self, fact: dict, kind: str) -> tuple[str, str]:
        choice, own = self.choose.choice, fact["input"]
        one = own if self.choose.random() < OWN_QUESTION_PROBABILITY else choice(fact["rewordings"])
        match kind:
            case "reworded":
                return one, choice([text for text in (own, *fact["rewordings"]) if text != one])
            case "near":
                return one, choice(fact["near_misses"])
            case "easy":
                return own, choice(self.easily[own])
            case "unasked":
                return own, choice(self.unasked)
        another = choice((kind == "other" and self.beside[own]) or self.strangers[own])
        return own, choice([another["input"], *another["rewordings"]])


def laid(beside_: TokenMatcher, some: list[tuple[str, str]], of: dict[str, Said]) -> torch.Tensor:
    sides, there = [], []
    for texts in zip(*some, strict=True):
        longest = max(len(of[text].deep_T_K) for text in texts)
        deep_B_T_K = torch.zeros(len(texts), longest, of[texts[0]].deep_T_K.shape[1])
        there_B_T = torch.zeros(len(texts), longest, dtype=torch.bool)
        for row, text in enumerate(texts):
            deep_T_K = of[text].deep_T_K
            deep_B_T_K[row, : len(deep_T_K)] = deep_T_K
            there_B_T[row, : len(deep_T_K)] = True
        sides.append(beside_.tokens(deep_B_T_K))
        there.append(there_B_T)
    alike_B = torch.stack([of[a].vector_D @ of[b].vector_D for a, b in some])
    return beside_(sides[0], there[0], sides[1], there[1], alike_B)


def fitted(draw: Drawing, of: dict[str, Said], seed: int) -> TokenMatcher:
    torch.manual_seed(seed)
    beside_ = TokenMatcher(DROPOUT)
    steps = ROUNDS * -(-len(draw.facts) * PAIRS_PER_FACT // BATCH)
    optimiser = torch.optim.AdamW(beside_.parameters(), RATE, weight_decay=DECAY)
    rates = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1, (step + 1) / 100) * max(0.01, 1 - step / steps)
    )

    def length(pair):
        return len(of[pair[0]].deep_T_K) + len(of[pair[1]].deep_T_K)

    for round_ in range(ROUNDS):
        losses, some = [], draw()
        # Groups pairs of similar length, with an order that stays random.
        some = [
            pair
            for at in range(0, len(some), 16 * BATCH)
            for pair in sorted(some[at : at + 16 * BATCH], key=length)
        ]
        batches = [some[at : at + BATCH] for at in range(0, len(some), BATCH)]
        for batch in draw.choose.sample(batches, len(batches)):
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                laid(beside_, [(a, b) for a, b, _ in batch], of), torch.tensor([right for *_, right in batch])
            )
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(beside_.parameters(), 1.0)
            optimiser.step()
            rates.step()
            losses.append(loss.item())
        print(f"round {round_ + 1} of {ROUNDS}: loss {np.mean(losses):.4f}", flush=True)
    return beside_.eval()


@torch.inference_mode()
def show(beside_: TokenMatcher, facts: list[dict], of: dict[str, Said]) -> None:
    def score(fact, text):
        return float(laid(beside_, [(text, fact["input"])], of))

    right = [(score(fact, text), True) for fact in facts for text in fact["rewordings"]]
    points = curve(right, [score(fact, text) for fact in facts for text in fact["near_misses"]])
    print(
        f"{len(facts)} facts left out:",
        *(f"{best_within(points, b).right:.3f} at {b:.2f};" for b in (0.02, 0.05, 0.1, 0.2)),
    )


def main() -> None:
    def read(name):
        return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]

    out = left_out(read("pairs.jsonl"))
    facts, unasked = (
        read("beside.jsonl") + of_organisations() + read("pairs.jsonl"),
        [row["prompt"] for row in read("unasked.jsonl")],
    )
    inside = [fact for fact in facts if fact["topic"] not in out]
    judged = of_organisations(exam=True)
    of = said(
        [
            text
            for fact in [*facts, *judged]
            for text in (fact["input"], *fact["rewordings"], *fact["near_misses"])
        ]
        + [text for texts in easy(inside).values() for text in texts]
        + unasked
    )
    print(len(of), "texts", flush=True)
    beside_ = fitted(Drawing(inside, unasked, of, SEED), of, SEED)
    show(beside_, [fact for fact in facts if fact["topic"] in out], of)
    show(beside_, judged, of)
    save_file(
        {name: weight.half().contiguous() for name, weight in beside_.state_dict().items()}, token_match.FILE
    )


if __name__ == "__main__":
    main()
