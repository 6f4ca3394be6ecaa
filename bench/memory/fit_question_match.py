"""Makes engine/lorekeep/routing/question_match.safetensors: the networks by which questions are matched, from facts with rewordings and near misses that were
written by hand. pairs.jsonl and unasked.jsonl were written for this; of ordinary.jsonl only the choosing side is read. Prints what the
questions of each topic get from networks that were fitted without that topic."""

import argparse
import itertools
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
from safetensors.numpy import save_file

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "engine"), str(HERE)]
torch.set_num_threads(1)

from asked import left_out, politely, turned
from lorekeep.routing import question_match
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.routing.question_match import QuestionVectors
from lorekeep.routing.router import BUDGETS, Gate, Router
from lorekeep.routing.stored_keys import Entry, keys_of, names_of
from organisations import of_organisations
from peers.curve import best_within, curve

# Weights of questions: 1 on the choosing side; less for pairs.jsonl, whose near misses are nearer; more for the same
# question with a few polite words around it, since such easy ones were not written by hand; and the weight of questions
# that no fact answers.
PAIRS_WEIGHT, EASY_WEIGHT, UNASKED_WEIGHT = 0.5, 2.0, 2.0
# Minimum facts of pairs.jsonl in one router, filled with whole topics.
MIN_ROUTER_FACTS = 100
FOLDS = 9
MEMBERS, HIDDEN, EPOCHS, BATCH, RATE, DECAY, DROPOUT = 3, 64, 20, 512, 3e-3, 0.3, 0.1


@dataclass
class Question:
    text: str
    topic: str
    fact: int | None  # index of the fact that answers it
    kind: str  # reworded, near, easy, unasked
    weight: float


class Side:
    """Facts in one router, and for each question its candidates with their features, and the right one."""

    def __init__(self, facts: list[dict], unasked: list[str], weight: float, parts):
        embed, vocabulary = parts
        entries = [Entry(fact["input"], fact["output"]) for fact in facts]
        router = Router(
            entries, keys_of(entries, names_of(entries, vocabulary), embed), Gate(), vocabulary, embed
        )
        self.questions = questions(facts, set(router.keys.plain), weight)
        self.questions += [
            Question(text, facts[i % len(facts)]["topic"], None, "unasked", UNASKED_WEIGHT)
            for i, text in enumerate(unasked)
        ]
        rows = []
        for at, question in enumerate(self.questions):
            read = embed.read(question.text)
            asked = QuestionVectors(question.text, read.vector_D, read.words_W_D, read.tokens_T_P)
            for number, second in router.meant.closest(asked):
                fact = router.meant.fact(number)
                rows.append(
                    (
                        at,
                        number == question.fact,
                        question_match.features(asked, fact, second),
                        question_match.token_logits(asked, [fact])[0],
                    )
                )
        self.of, self.right = np.array([row[0] for row in rows]), np.array([float(row[1]) for row in rows])
        self.names = list(rows[0][2])
        self.X = np.array([[row[2][name] for name in self.names] for row in rows])
        self.beside = question_match.TOKEN_LOGIT_WEIGHT * np.array([row[3] for row in rows])
        self.topics = np.array([self.questions[at].topic for at in self.of])
        self.weights = np.array([self.questions[at].weight for at in self.of])

    def best(self, scores: np.ndarray, kind: str, topics: set[str]) -> list[tuple[float, bool]]:
        """The best score of each question of a kind, and whether it is that of the right fact."""
        found = []
        for at, question in enumerate(self.questions):
            if question.kind == kind and question.topic in topics:
                mine = np.flatnonzero(self.of == at)
                top = mine[scores[mine].argmax()] if len(mine) else None
                found.append((-99.0, False) if top is None else (scores[top], bool(self.right[top])))
        return found


def questions(facts: list[dict], plain: set[int], weight: float) -> list[Question]:
    choose, found = random.Random(0), []
    for i, fact in enumerate(facts):
        if i not in plain:
            continue
        easy = EASY_WEIGHT * weight
        asked = [(text, i, "reworded", weight) for text in fact["rewordings"]]
        asked += [(text, None, "near", weight) for text in fact["near_misses"]]
        asked += [
            (politely(fact["input"], choose), i, "easy", easy),
            (turned(fact["input"]), i, "easy", easy),
            (politely(choose.choice(fact["rewordings"]), choose), i, "polite", easy),
        ]
        if fact["near_misses"]:
            asked += [
                (turned(choose.choice(fact["near_misses"])), None, "turned", easy),
                (politely(choose.choice(fact["near_misses"]), choose), None, "polite", easy),
            ]
        found += [Question(text, fact["topic"], right, kind, much) for text, right, kind, much in asked]
    return found


class Networks:
    """Ensemble of small networks with two hidden layers, which differ only in their seeds."""

    def __init__(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray):
        self.mean, self.scale = X.mean(0), X.std(0) + 1e-6
        x, labels, weights = [torch.tensor(part, dtype=torch.float32) for part in (self._near(X), y, weight)]
        self.members = [self._fitted(x, labels, weights, seed) for seed in range(MEMBERS)]

    def _near(self, X: np.ndarray) -> np.ndarray:
        return ((X - self.mean) / self.scale).clip(-question_match.Ensemble.FAR, question_match.Ensemble.FAR)

    def _fitted(self, X, y, weight, seed: int) -> torch.nn.Sequential:
        torch.manual_seed(seed)
        net = torch.nn.Sequential(
            torch.nn.Linear(X.shape[1], HIDDEN), torch.nn.SiLU(), torch.nn.Dropout(DROPOUT),
            torch.nn.Linear(HIDDEN, HIDDEN), torch.nn.SiLU(), torch.nn.Linear(HIDDEN, 1),
        )  # fmt: skip
        optimiser = torch.optim.AdamW(net.parameters(), RATE, weight_decay=DECAY)
        rates = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, EPOCHS * -(-len(X) // BATCH))
        for _ in range(EPOCHS):
            for some in torch.randperm(len(X)).split(BATCH):
                loss = torch.nn.functional.binary_cross_entropy_with_logits(
                    net(X[some])[:, 0], y[some], weight[some]
                )
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
                rates.step()
        return net.eval()

    @torch.inference_mode()
    def __call__(self, X: np.ndarray) -> np.ndarray:
        near = torch.tensor(self._near(X), dtype=torch.float32)
        return torch.stack([net(near)[:, 0] for net in self.members]).mean(0).numpy()

    def write(self, file: Path, features: list[str], presets: dict) -> None:
        linear = [[layer for layer in net if isinstance(layer, torch.nn.Linear)] for net in self.members]
        tensors = {"mean": self.mean.astype(np.float32), "scale": self.scale.astype(np.float32)}
        for i, layers in enumerate(zip(*linear, strict=True)):
            tensors[f"{i}.weight"] = (
                torch.stack([layer.weight.T for layer in layers]).contiguous().numpy(force=True)
            )
            tensors[f"{i}.bias"] = torch.stack([layer.bias for layer in layers]).numpy(force=True)
        save_file(tensors, file, {"features": json.dumps(features), "thresholds": json.dumps(presets)})


def thresholds(near_misses: list[float]) -> dict[str, float]:
    ordered = 1 / (1 + np.exp(-np.sort(near_misses)))
    return {
        name: round(float(ordered[int(np.ceil(len(ordered) * (1 - share)))]), 5)
        for name, share in BUDGETS.items()
    }


def together(facts: list[dict]) -> list[list[dict]]:
    """Sets of whole topics."""
    sets: list[list[dict]] = [[]]
    for _, some in itertools.groupby(facts, lambda fact: fact["topic"]):
        if len(sets[-1]) >= MIN_ROUTER_FACTS:
            sets.append([])
        sets[-1] += some
    return sets


def main() -> None:
    def read(name):
        return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]

    parts, unasked = router_parts(), [row["prompt"] for row in read("unasked.jsonl")]
    choosing = Side(
        [fact for fact in read("ordinary.jsonl") if fact["split"] == "choose"], unasked, 1.0, parts
    )
    # Unanswerable questions are about equally near to all facts: two sets of them suffice.
    pairs = [
        Side(facts, unasked if i == 0 else [], PAIRS_WEIGHT, parts)
        for i, facts in enumerate(together(read("pairs.jsonl") + of_organisations()))
    ]
    sides = [choosing, *pairs]
    X, y, weight, topics, beside = (
        np.concatenate([getattr(side, name) for side in sides])
        for name in ("X", "right", "weights", "topics", "beside")
    )
    fold = {topic: i % FOLDS for i, topic in enumerate(sorted(set(topics)))}
    folds, scores = np.array([fold[topic] for topic in topics]), np.zeros(len(X))
    for i in range(FOLDS):
        out = folds == i
        networks = Networks(X[~out], y[~out], weight[~out])
        scores[out] = networks(X[out]) + beside[out]
    edges = np.cumsum([0, *(len(side.X) for side in sides)])
    of = {id(side): slice(edges[i], edges[i + 1]) for i, side in enumerate(sides)}
    # Pairs that were not used to fit the token matcher.
    unseen = {question.topic for question in choosing.questions} | left_out(read("pairs.jsonl"))

    def best(some, kind, scores):
        return [found for side in some for found in side.best(scores[of[id(side)]], kind, unseen)]

    near = []
    for name, some in (("choosing side", [choosing]), ("pairs left out", pairs)):
        missed = [score for score, _ in best(some, "near", scores)]
        points = curve(best(some, "reworded", scores), missed)
        limit = best_within(points, 0.05).threshold
        print(
            f"{name:14}",
            *(
                f"{best_within(points, b).right:.3f} at {b:.2f};"
                for b in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
            ),
        )
        for kind in ("easy", "polite", "turned", "unasked"):
            found = best(some, kind, scores)
            print(
                f"    {kind}: {np.mean([s >= limit for s, _ in found]):.3f} pass at .05, right {np.mean([s >= limit and r for s, r in found]):.3f}"
            )
        print("    thresholds", thresholds(missed))
        near += missed
    presets = {"among": thresholds(near)}
    print(presets)
    Networks(X, y, weight).write(question_match.FILE, choosing.names, presets)


if __name__ == "__main__":
    main()
