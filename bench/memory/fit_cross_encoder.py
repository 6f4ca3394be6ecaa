"""Makes engine/lorekeep/answering/rerank/cross_encoder.safetensors: the low-rank updates by which the embedding model reads a question
and a fact at once. Fitted on the facts of beside.jsonl and pairs.jsonl but for some topics, and on organisations but for those of
the base's exam; prints, after each round, what passes of these. `--start` goes on from weights that were fitted before."""

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--rate", type=float, default=6e-4)
parser.add_argument("--start", type=Path, help="weights to go on from")
parser.add_argument("--seed", type=int, default=0)
if __name__ == "__main__":
    # The imports below take seconds; help needs none of them.
    said = parser.parse_args()

import json

import numpy as np
import torch
from safetensors.torch import load_file, save_file

sys.path[:0] = [str(HERE.parents[1] / "engine"), str(HERE)]
torch.set_num_threads(1)

from asked import left_out
from lorekeep import default_embedder
from lorekeep.answering.rerank.cross_encoder import FILE, CrossEncoder
from lorekeep.routing.embedders.parts import router_parts
from quill.text.organisations import Organisation, organisations
from transformers import AutoModel, AutoTokenizer

BATCH, DECAY, WARM = 64, 0.01, 100
# Pairs of an ordinary fact in a round, and their kinds: the same in other words, a near miss, another fact of the topic or one that sounds
# like it.
OF_A_FACT = 2
SHARES = {"same": 0.42, "near": 0.4, "other": 0.1, "stranger": 0.08}
STRANGERS = slice(5, 40)
# Facts of an organisation that are laid beside a question: by likeness, one of the nearest and one behind them.
NEAREST, BEHIND, READ = 4, 12, 8
Pair = tuple[str, str, float]  # question, fact, whether it answers


def fact_text(question: str, answer: str) -> str:
    return f"{question} {answer}"


class Ordinary:
    """Facts without names, each with rewordings and near misses."""

    def __init__(self, facts: list[dict], embed):
        self.facts, self.topics = facts, {}
        for at, fact in enumerate(facts):
            self.topics.setdefault(fact["topic"], []).append(at)
        self.vectors_F_D = embed([fact["input"] for fact in facts])

    def pairs(self, choose: random.Random) -> Iterator[Pair]:
        for at, fact in enumerate(self.facts):
            text = fact_text(fact["input"], fact["output"])
            for kind in choose.choices(list(SHARES), list(SHARES.values()), k=OF_A_FACT):
                if kind == "same":
                    asked = choose.choice([fact["input"], *fact["rewordings"]])
                    yield asked, text, 1.0
                elif kind == "near" and fact["near_misses"]:
                    yield choose.choice(fact["near_misses"]), text, 0.0
                else:
                    other = self.facts[self._another(at, kind, choose)]
                    yield choose.choice([other["input"], *other["rewordings"]]), text, 0.0

    def _another(self, at: int, kind: str, choose: random.Random) -> int:
        beside = [other for other in self.topics[self.facts[at]["topic"]] if other != at]
        if beside and kind != "stranger":
            return choose.choice(beside)
        return int(choose.choice(np.argsort(-(self.vectors_F_D @ self.vectors_F_D[at]))[STRANGERS].tolist()))


class Asked:
    """An organisation's questions, each with the facts by their likeness to it."""

    def __init__(self, one: Organisation, embed):
        self.one = one
        self.texts = [fact_text(fact.question, fact.answer) for fact in one.facts]
        # A follow-up is no question without the message before it; of a hop the second fact alone says nothing.
        self.asks = [ask for ask in one.asks if ask.kind not in ("follow", "lost", "text", "json", "hop")]
        asked_N_D = embed([ask.question for ask in self.asks])
        facts_F_D, whole_F_D = embed([fact.question for fact in one.facts]), embed(self.texts)
        self.nearest_N_F = np.argsort(-np.maximum(asked_N_D @ facts_F_D.T, asked_N_D @ whole_F_D.T), axis=1)

    def pairs(self, choose: random.Random) -> Iterator[Pair]:
        for ask, nearest_F in zip(self.asks, self.nearest_N_F.tolist(), strict=True):
            if ask.kind == "none":
                for fact in choose.sample(nearest_F[:NEAREST], 2):
                    yield ask.question, self.texts[fact], 0.0
                continue
            for fact in ask.facts:
                yield ask.question, self.texts[fact], 1.0
            rest = [fact for fact in nearest_F if fact not in ask.facts]
            for some in (rest[:NEAREST], rest[NEAREST:BEHIND]):
                if some:
                    yield ask.question, self.texts[choose.choice(some)], 0.0


def batches(pairs: list[Pair], choose: random.Random) -> list[list[Pair]]:
    """Pairs of about one length together, in an order left to chance."""
    choose.shuffle(pairs)
    alike = [
        pair
        for at in range(0, len(pairs), 32 * BATCH)
        for pair in sorted(pairs[at : at + 32 * BATCH], key=lambda pair: len(pair[0]) + len(pair[1]))
    ]
    made = [alike[at : at + BATCH] for at in range(0, len(alike), BATCH)]
    choose.shuffle(made)
    return made


def loss_of(model: CrossEncoder, batch: list[Pair]) -> torch.Tensor:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits_B = model(*model.batch([(asked, fact) for asked, fact, _ in batch]))
    answers_B = torch.tensor([answers for *_, answers in batch])
    return torch.nn.functional.binary_cross_entropy_with_logits(logits_B, answers_B)


def fit(model: CrossEncoder, draw, rounds: int, rate: float, choose: random.Random, show) -> None:
    weights = list(model.parameters())
    optimiser = torch.optim.AdamW(weights, rate, weight_decay=DECAY)
    made = batches(draw(), choose)
    steps = rounds * len(made)
    rates = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1, (step + 1) / WARM) * max(0.01, 1 - step / steps)
    )
    for round_ in range(rounds):
        model.train()
        losses = []
        for batch in made:
            loss = loss_of(model, batch)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimiser.step()
            rates.step()
            losses.append(loss.item())
        print(f"round {round_ + 1} of {rounds}: loss {np.mean(losses):.4f}", flush=True)
        save_file({name: weight.half().contiguous() for name, weight in model.state_dict().items()}, FILE)
        show()
        made = batches(draw(), choose)


def show(model: CrossEncoder, judged: list[Asked]) -> None:
    """Prints the share that finds its fact among the nearest, where a share of the questions that no fact answers finds one."""
    model.eval()
    found: dict[str, list[tuple[float, bool]]] = {}
    lost: list[float] = []
    for asked in judged:
        for ask, nearest_F in zip(asked.asks, asked.nearest_N_F.tolist(), strict=True):
            if len(ask.facts) > 1:
                continue
            logits_N = model.logits(ask.question, [asked.texts[fact] for fact in nearest_F[:READ]])
            best = int(np.argmax(logits_N))
            if ask.kind == "none":
                lost.append(float(logits_N[best]))
            else:
                right = nearest_F[best] == ask.facts[0]
                found.setdefault(ask.kind, []).append((float(logits_N[best]), right))
    lost.sort(reverse=True)
    for share in (0.02, 0.05, 0.1, 0.2):
        least = lost[int(share * len(lost))]
        passed = {
            kind: np.mean([right and logit > least for logit, right in some]) for kind, some in found.items()
        }
        print(f"  {share} at {least:.2f}:", *(f"{kind} {passed[kind]:.3f}" for kind in passed), flush=True)


def main() -> None:
    def read(name: str) -> list[dict]:
        return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]

    torch.manual_seed(said.seed)
    choose = random.Random(said.seed)
    embed, _ = router_parts()
    folder = default_embedder.folder()
    bert = AutoModel.from_pretrained(folder, local_files_only=True, dtype=torch.float32).requires_grad_(False)
    model = CrossEncoder(bert, AutoTokenizer.from_pretrained(folder, local_files_only=True))
    if said.start:
        model.load_state_dict({name: weight.float() for name, weight in load_file(said.start).items()})
    out = left_out(read("pairs.jsonl"))
    ordinary = Ordinary(
        [fact for fact in read("beside.jsonl") + read("pairs.jsonl") if fact["topic"] not in out], embed
    )
    asked = [Asked(one, embed) for one in organisations(False)]
    judged = [Asked(one, embed) for one in organisations(True)]

    def draw() -> list[Pair]:
        return [*ordinary.pairs(choose), *(pair for one in asked for pair in one.pairs(choose))]

    fit(model, draw, said.rounds, said.rate, choose, lambda: show(model, judged[::2]))


if __name__ == "__main__":
    main()
