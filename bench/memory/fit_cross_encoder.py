"""Makes engine/lorekeep/answering/rerank/cross_encoder.safetensors: the low-rank updates by which the embedding model reads a question
and a fact at once. Fitted on the facts of beside.jsonl and pairs.jsonl but for some topics, and on organisations but for those of
the base's exam; prints what passes of these. `--start` goes on from weights that were fitted before.

    python bench/memory/fit_cross_encoder.py --rounds 3                                             # 50 minutes a round on one core
    python bench/memory/fit_cross_encoder.py --minutes 6 --device cuda --batch 256 --rate 1e-3      # on a GPU"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument(
    "--minutes", type=float, default=0, help="if given, the length of the fit instead of the rounds"
)
parser.add_argument("--rate", type=float, default=6e-4)
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--device", default="cpu")
parser.add_argument("--show-every", type=int, default=1, help="rounds")
parser.add_argument("--start", type=Path, help="weights to go on from")
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--out", type=Path, help="where the weights go, if not into the engine")
if __name__ == "__main__":
    # The imports below take seconds; help needs none of them.
    said = parser.parse_args()

import json

import numpy as np
import torch
from safetensors.torch import load_file, save_file

sys.path[:0] = [str(HERE.parents[1] / "engine"), str(HERE)]

from asked import left_out
from lorekeep import default_embedder
from lorekeep.answering.rerank.cross_encoder import FILE, CrossEncoder, fact_text
from lorekeep.routing.embedders.parts import router_parts
from quill.text.organisations import (
    BEHIND,
    UNANSWERED,
    Ask,
    Fact,
    Organisation,
    Retelling,
    organisations,
)
from quill.text.values import Voice
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import AutoModel

DECAY, WARM, ALIKE = 0.01, 100, 2048
_KERNELS = (
    SDPBackend.FLASH_ATTENTION,
    SDPBackend.EFFICIENT_ATTENTION,
    SDPBackend.CUDNN_ATTENTION,
    SDPBackend.MATH,
)
# Share of the organisations of a round that have other names and numbers.
RETOLD = 0.5
# Pairs of an ordinary fact in a round, and their kinds: the same in other words, a near miss, another fact of the topic or one that sounds
# like it.
OF_A_FACT = 2
SHARES = {"same": 0.42, "near": 0.4, "other": 0.1, "stranger": 0.08}
STRANGERS = slice(5, 40)
# Facts of an organisation that are laid beside a question: by likeness, one of the nearest and one behind them.
NEAREST, BEHIND_NEAREST, READ = 4, 12, 8
# Kinds of questions that the last of their facts answers.
BY_THE_LAST = ("follow", "hop")
Pair = tuple[str, str, float]  # question, fact, whether it answers


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
        self.asks = [ask for ask in one.asks if ask.kind not in ("text", "json")]
        facts_F_D = embed([fact.question for fact in one.facts])
        whole_F_D = embed([fact_text(fact.question, fact.answer) for fact in one.facts])
        asked_N_D = embed([self._behind(ask, one.facts) + ask.question for ask in self.asks])
        self.nearest_N_F = np.argsort(-np.maximum(asked_N_D @ facts_F_D.T, asked_N_D @ whole_F_D.T), axis=1)

    @staticmethod
    def _behind(ask: Ask, facts: list[Fact]) -> str:
        """The question that a follow-up stands behind; none for other questions."""
        return f"{facts[ask.facts[0]].question} " if ask.kind in BEHIND else ""

    def pairs(self, voice: Voice, retold: bool = True) -> Iterator[Pair]:
        anew = Retelling(voice, self.one) if retold else str
        facts = [Fact(anew(fact.question), anew(fact.answer)) for fact in self.one.facts]
        texts = [fact_text(fact.question, fact.answer) for fact in facts]
        for ask, nearest_F in zip(self.asks, self.nearest_N_F.tolist(), strict=True):
            asked = self._behind(ask, facts) + anew(ask.question)
            answer = ask.facts[-1:] if ask.kind in BY_THE_LAST else ask.facts
            if ask.kind in UNANSWERED:
                for fact in {*ask.facts, *voice.r.sample(nearest_F[:NEAREST], 2)}:
                    yield asked, texts[fact], 0.0
                continue
            for fact in answer:
                yield asked, texts[fact], 1.0
            rest = [fact for fact in nearest_F if fact not in answer]
            for some in (rest[:NEAREST], rest[NEAREST:BEHIND_NEAREST]):
                if some:
                    yield asked, texts[voice.r.choice(some)], 0.0

    @torch.inference_mode()
    def logits(self, model: CrossEncoder) -> Iterator[tuple[Ask, np.ndarray, list[int]]]:
        """Questions that one fact answers or none, with the logits of the nearest facts and their numbers."""
        texts = [fact_text(fact.question, fact.answer) for fact in self.one.facts]
        nearest_N_R = self.nearest_N_F[:, :READ]
        pairs = [
            (self._behind(ask, self.one.facts) + ask.question, texts[fact])
            for ask, nearest_R in zip(self.asks, nearest_N_R, strict=True)
            for fact in nearest_R
        ]
        logits_N_R = model(*model.batch(pairs)).view(nearest_N_R.shape).cpu().numpy()
        for ask, logits_R, nearest_R in zip(self.asks, logits_N_R, nearest_N_R.tolist(), strict=True):
            if len(ask.facts) <= 1 or ask.kind in BY_THE_LAST:
                yield ask, logits_R, nearest_R


def batches(pairs: list[Pair], size: int, choose: random.Random) -> list[list[Pair]]:
    """Pairs of about one length together, in an order left to chance."""
    choose.shuffle(pairs)
    alike = [
        pair
        for at in range(0, len(pairs), ALIKE)
        for pair in sorted(pairs[at : at + ALIKE], key=lambda pair: len(pair[0]) + len(pair[1]))
    ]
    made = [alike[at : at + size] for at in range(0, len(alike), size)]
    choose.shuffle(made)
    return made


def loss_of(model: CrossEncoder, batch: list[Pair], device: str) -> torch.Tensor:
    # The other kernel for CPUs is slow on the way back.
    kernels = [SDPBackend.MATH] if device == "cpu" else [*_KERNELS]
    with sdpa_kernel(kernels), torch.autocast(device, dtype=torch.bfloat16):
        logits_B = model(*model.batch([(asked, fact) for asked, fact, _ in batch]))
    answers_B = torch.tensor([answers for *_, answers in batch]).to(device)
    return torch.nn.functional.binary_cross_entropy_with_logits(logits_B, answers_B)


def fit(model: CrossEncoder, draw: Callable[[], list[list[Pair]]], show: Callable[[], None]) -> None:
    weights = list(model.parameters())
    optimiser = torch.optim.AdamW(weights, said.rate, weight_decay=DECAY)
    begun, step, round_, done = time.time(), 0, 0, 0.0
    while done < 1:
        made, losses = draw(), []
        model.train()
        for batch in made:
            done = (
                (time.time() - begun) / (60 * said.minutes)
                if said.minutes
                else step / (said.rounds * len(made))
            )
            optimiser.param_groups[0]["lr"] = said.rate * min(1, (step + 1) / WARM) * max(0.01, 1 - done)
            loss = loss_of(model, batch, said.device)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimiser.step()
            step += 1
            losses.append(loss.detach())  # reading it would wait for a GPU
        round_ += 1
        done = done if said.minutes else round_ / said.rounds
        print(f"round {round_}, {done:.2f} of the fit: loss {torch.stack(losses).mean():.4f}", flush=True)
        save_file(
            {name: weight.half().cpu().contiguous() for name, weight in model.state_dict().items()},
            said.out or FILE,
        )
        if round_ % said.show_every == 0 or done >= 1:
            show()


def show(model: CrossEncoder, judged: list[Asked]) -> None:
    """Prints the share that finds its fact among the nearest, where a share of the questions that no fact answers finds one."""
    model.eval()
    found: dict[str, list[tuple[float, bool]]] = {}
    lost: list[float] = []
    for asked in judged:
        for ask, logits_N, nearest_N in asked.logits(model):
            best = int(np.argmax(logits_N))
            if ask.kind in UNANSWERED:
                lost.append(float(logits_N[best]))
            else:
                found.setdefault(ask.kind, []).append(
                    (float(logits_N[best]), nearest_N[best] == ask.facts[-1])
                )
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
    torch.set_num_threads(1 if said.device == "cpu" else 8)
    voice = Voice(said.seed)
    embed, _ = router_parts()
    folder = default_embedder.folder()
    bert = AutoModel.from_pretrained(folder, local_files_only=True, dtype=torch.float32).requires_grad_(False)
    # The tokenizer of the engine, which neither pads nor cuts.
    model = CrossEncoder(bert.to(said.device), embed.embedder.tokenizer)
    model.to(said.device)
    if said.start:
        model.load_state_dict({name: weight.float() for name, weight in load_file(said.start).items()})
    out = left_out(read("pairs.jsonl"))
    ordinary = Ordinary(
        [fact for fact in read("beside.jsonl") + read("pairs.jsonl") if fact["topic"] not in out], embed
    )
    asked = [Asked(one, embed) for one in organisations(False)]
    judged = [Asked(one, embed) for one in organisations(True)]

    def draw() -> list[list[Pair]]:
        organised = (pair for one in asked for pair in one.pairs(voice, retold=voice.chance(RETOLD)))
        return batches([*ordinary.pairs(voice.r), *organised], said.batch, voice.r)

    fit(model, draw, lambda: show(model, judged[::2]))


if __name__ == "__main__":
    main()
