"""Makes engine/lorekeep/memory/match.json: the weights by which questions are matched, from facts with rewordings and near misses that were
written by hand. pairs.jsonl was written for this; of ordinary.jsonl only the choosing side is read. Prints what every topic's questions get
from weights that were fitted without that topic."""

import json
import sys
from pathlib import Path

import numpy as np
import torch

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "engine"), str(HERE)]
torch.set_num_threads(1)

from lorekeep.memory import match
from lorekeep.memory.match import Asked
from lorekeep.memory.router import BUDGETS, Entry, Gate, Router, keys_of
from lorekeep.tune.job import router_parts
from peers.curve import best_within, curve

# Pairs count less than the choosing side, whose near misses are as people ask (docs/experiments.md), and weights are held small.
PAIRS, HELD = 0.3, 10.0
OUT = ROOT / "engine" / "lorekeep" / "memory" / "match.json"


class Side:
    """Facts of one kind in one router. Of each question: its candidates with their features, and which of them is right."""

    def __init__(self, facts: list[dict], parts):
        embed, vocabulary = parts
        entries = [Entry(fact["input"], fact["output"]) for fact in facts]
        self.router = Router(entries, keys_of(entries, vocabulary, embed), Gate(), vocabulary, embed)
        plain = set(self.router.keys.plain)
        self.questions, self.rows = [], []
        for i, fact in enumerate(facts):
            asked = [(q, True) for q in fact["rewordings"]] + [(q, False) for q in fact["near_misses"]]
            for question, same in asked if i in plain else []:
                at = len(self.questions)
                self.questions.append((question, fact["topic"], same))
                read = embed.read(question)
                one = Asked(question, read.vector_D, read.words_W_D)
                for number, second in self.router.meant.closest(one):
                    right = same and number == i
                    known = self.router.meant.fact(number)
                    self.rows.append((at, right, match.features(one, known, second), match.features(one, known, -1.0)))
        self.of = np.array([row[0] for row in self.rows])
        self.right = np.array([row[1] for row in self.rows], dtype=float)
        self.topics = np.array([self.questions[at][1] for at in self.of])
        self.names = list(self.rows[0][2])
        self.X, self.alone = (np.array([[row[which][name] for name in self.names] for row in self.rows]) for which in (2, 3))

    def best(self, scores: np.ndarray) -> tuple[list, list]:
        """Of the rewordings the best score and whether it is right; of the near misses the best score."""
        reworded, near = [], []
        for at, (_, _, same) in enumerate(self.questions):
            mine = np.flatnonzero(self.of == at)
            top = mine[scores[mine].argmax()] if len(mine) else None
            score = -1e9 if top is None else scores[top]
            if same:
                reworded.append((score, top is not None and bool(self.right[top])))
            else:
                near.append(score)
        return reworded, near


def logistic(X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    X = np.c_[X, np.ones(len(X))]
    at, hold = np.zeros(X.shape[1]), np.diag([HELD] * (X.shape[1] - 1) + [1e-6])
    for _ in range(100):
        p = 1 / (1 + np.exp(-X @ at))
        step = np.linalg.solve((X * (weight * p * (1 - p))[:, None]).T @ X + hold, X.T @ (weight * (p - y)) + hold @ at)
        at -= step
        if np.abs(step).max() < 1e-8:
            break
    return at


def main() -> None:
    read = lambda name: [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]
    parts = router_parts()
    choosing = Side([fact for fact in read("ordinary.jsonl") if fact["split"] == "choose"], parts)
    pairs = Side(read("pairs.jsonl"), parts)
    both = [choosing, pairs]
    X, y = np.concatenate([s.X for s in both]), np.concatenate([s.right for s in both])
    weight = np.concatenate([np.ones(len(choosing.X)), np.full(len(pairs.X), PAIRS)])
    topics = np.concatenate([s.topics for s in both])
    mean, scale = X.mean(0), X.std(0) + 1e-6
    scores, alone = np.zeros(len(X)), np.zeros(len(X))
    apart = np.concatenate([s.alone for s in both])
    for topic in sorted(set(topics)):
        out = topics == topic
        at = logistic((X[~out] - mean) / scale, y[~out], weight[~out])
        scores[out] = (X[out] - mean) / scale @ at[:-1] + at[-1]
        alone[out] = (apart[out] - mean) / scale @ at[:-1] + at[-1]
    edge = len(choosing.X)
    for name, side, mine in (("choosing side", choosing, scores[:edge]), ("pairs", pairs, scores[edge:])):
        points = curve(*side.best(mine))
        print(f"{name:14}", *(f"{best_within(points, b).right:.3f} at {b:.2f}" for b in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)))
    # A fact that stands alone has nothing beside it that comes near, which must not count for it.
    near = np.sort(np.concatenate([choosing.best(alone[:edge])[1], pairs.best(alone[edge:])[1]]))
    preset = {name: 1 / (1 + np.exp(-near[int(np.ceil(len(near) * (1 - share)))])) for name, share in BUDGETS.items()}
    at = logistic((X - mean) / scale, y, weight)
    weights = {
        name: [round(float(mean[i]), 5), round(float(scale[i]), 5), round(float(at[i]), 5)] for i, name in enumerate(choosing.names)
    }
    fitted = {"bias": round(float(at[-1]), 5), "weights": weights, "preset": {name: round(float(p), 5) for name, p in preset.items()}}
    print("preset", fitted["preset"])
    OUT.write_text(json.dumps(fitted, indent=1) + "\n")


if __name__ == "__main__":
    main()
