"""Makes engine/lorekeep/memory/match.json: the weights by which questions are matched, from facts with rewordings and near misses that were
written by hand. pairs.jsonl and unasked.jsonl were written for this; of ordinary.jsonl only the choosing side is read. Prints what the
questions of each topic get from weights that were fitted without that topic."""

import json
import random
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "engine"), str(HERE)]
torch.set_num_threads(1)

from lorekeep.memory import match
from lorekeep.memory.match import Asked
from lorekeep.memory.router import BUDGETS, Entry, Gate, Router, keys_of, names_of
from lorekeep.tune.job import router_parts
from peers.curve import best_within, curve

# What a question counts: of the choosing side 1, of pairs.jsonl, whose near misses are nearer, less; the same with a few polite words
# around it more, since no hand wrote such easy ones; and what asks for nothing that any fact knows. Weights are held small.
PAIRS, EASY, UNASKED, HELD = 0.2, 2.0, 2.0, 10.0
FOLDS = 9
OUT = ROOT / "engine" / "lorekeep" / "memory" / "match.json"


@dataclass
class Question:
    text: str
    topic: str
    fact: int | None  # the one that it asks for
    kind: str  # reworded, near, easy, unasked
    weight: float


class Side:
    """Facts in one router. Of each question its candidates with their features, and which of them is right."""

    def __init__(self, facts: list[dict], unasked: list[str], weight: float, parts):
        embed, vocabulary = parts
        entries = [Entry(fact["input"], fact["output"]) for fact in facts]
        router = Router(
            entries, keys_of(entries, names_of(entries, vocabulary), embed), Gate(), vocabulary, embed
        )
        self.questions = questions(facts, set(router.keys.plain), weight)
        self.questions += [
            Question(text, facts[i % len(facts)]["topic"], None, "unasked", UNASKED)
            for i, text in enumerate(unasked)
        ]
        rows = []
        for at, question in enumerate(self.questions):
            read = embed.read(question.text)
            asked = Asked(question.text, read.vector_D, read.words_W_D)
            for number, second in router.meant.closest(asked):
                fact = router.meant.fact(number)
                rows.append(
                    (
                        at,
                        number == question.fact,
                        match.features(asked, fact, second),
                        match.features(asked, fact, -1.0),
                    )
                )
        self.of, self.right = np.array([row[0] for row in rows]), np.array([float(row[1]) for row in rows])
        self.names = list(rows[0][2])
        self.X, self.alone = (
            np.array([[row[at][name] for name in self.names] for row in rows]) for at in (2, 3)
        )
        self.topics = np.array([self.questions[at].topic for at in self.of])
        self.weights = np.array([self.questions[at].weight for at in self.of])

    def best(self, scores: np.ndarray, kind: str) -> list[tuple[float, bool]]:
        """Of each question of a kind its best score, and whether that is the right fact's."""
        found = []
        for at, question in enumerate(self.questions):
            if question.kind == kind:
                mine = np.flatnonzero(self.of == at)
                top = mine[scores[mine].argmax()] if len(mine) else None
                found.append((-99.0, False) if top is None else (scores[top], bool(self.right[top])))
        return found


def questions(facts: list[dict], plain: set[int], weight: float) -> list[Question]:
    choose, found = random.Random(0), []
    for i, fact in enumerate(facts):
        if i not in plain:
            continue
        easy = EASY * weight
        asked = [(text, i, "reworded", weight) for text in fact["rewordings"]]
        asked += [(text, None, "near", weight) for text in fact["near_misses"]]
        asked += [
            (politely(fact["input"], choose), i, "easy", easy),
            (turned(fact["input"]), i, "easy", easy),
            (turned(choose.choice(fact["near_misses"])), None, "turned", easy),
            (politely(choose.choice(fact["rewordings"]), choose), i, "polite", easy),
            (politely(choose.choice(fact["near_misses"]), choose), None, "polite", easy),
        ]
        found += [Question(text, fact["topic"], right, kind, much) for text, right, kind, much in asked]
    return found


def politely(question: str, choose: random.Random) -> str:
    """In nearly the same words."""
    low = question if question.startswith("I ") else question[0].lower() + question[1:]
    bare = " ".join(word for word in question.split() if word.lower() not in ("the", "a", "an"))
    return choose.choice([
        f"Hi, {low}", f"Please tell me: {low}", f"{question} Thanks!", f"Hello! {question}", f"I have a question: {low}", bare,
        question.replace(" for ", " on ").replace(" in ", " at ").replace("?", ", please?"),
    ])  # fmt: skip


_TURNS = (
    ("How do I ", "What do I do to "), ("How long is ", "What is "), ("How long ", "For what time "), ("How much is ", "What is the price of "),
    ("How much does ", "What is the price if "), ("What does ", "How much is it that "), ("What is the price of ", "How much is "),
    ("What is ", "How long or large is "), ("When is ", "At what time is "), ("When ", "On which day "), ("Where is ", "In which place is "),
    ("Where ", "At which place "), ("Who ", "Which person "), ("May I ", "Am I allowed to "), ("Can I ", "Is it possible to "),
    ("May ", "Are they allowed: "), ("Do you ", "Is it so that you "), ("Is ", "Tell me whether it is so: is "), ("How many ", "What number of "),
    ("How often ", "At what intervals "), ("Which ", "What "), ("What ", "Which "), ("How ", "In what way "),
)  # fmt: skip


def turned(question: str) -> str:
    """Asked for in another way, of the same thing."""
    begun = next(((old, new) for old, new in _TURNS if question.startswith(old)), ("", "Say, "))
    return (begun[1] + question.removeprefix(begun[0])).replace(" for ", " on ")


def logistic(X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    X = np.c_[X, np.ones(len(X))]
    at, hold = np.zeros(X.shape[1]), np.diag([HELD] * (X.shape[1] - 1) + [1e-6])
    for _ in range(100):
        p = 1 / (1 + np.exp(-X @ at))
        step = np.linalg.solve(
            (X * (weight * p * (1 - p))[:, None]).T @ X + hold, X.T @ (weight * (p - y)) + hold @ at
        )
        at -= step
        if np.abs(step).max() < 1e-8:
            break
    return at


def thresholds(near_misses: list[float]) -> dict[str, float]:
    ordered = 1 / (1 + np.exp(-np.sort(near_misses)))
    return {
        name: round(float(ordered[int(np.ceil(len(ordered) * (1 - share)))]), 5)
        for name, share in BUDGETS.items()
    }


def main() -> None:
    read = lambda name: [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]
    parts, unasked = router_parts(), [row["prompt"] for row in read("unasked.jsonl")]
    choosing = [fact for fact in read("ordinary.jsonl") if fact["split"] == "choose"]
    sides = [Side(choosing, unasked, 1.0, parts), Side(read("pairs.jsonl"), unasked, PAIRS, parts)]
    X, y, weight, topics, apart = (
        np.concatenate([getattr(side, name) for side in sides])
        for name in ("X", "right", "weights", "topics", "alone")
    )
    mean, scale = X.mean(0), X.std(0) + 1e-6
    X, apart = (X - mean) / scale, (apart - mean) / scale
    fold = {topic: i % FOLDS for i, topic in enumerate(sorted(set(topics)))}
    folds, scores, alone = np.array([fold[topic] for topic in topics]), np.zeros(len(X)), np.zeros(len(X))
    for i in range(FOLDS):
        out = folds == i
        at = logistic(X[~out], y[~out], weight[~out])
        scores[out], alone[out] = X[out] @ at[:-1] + at[-1], apart[out] @ at[:-1] + at[-1]
    edge, near, lone = len(sides[0].X), [], []
    for name, side, part in (
        ("choosing side", sides[0], slice(edge)),
        ("pairs", sides[1], slice(edge, None)),
    ):
        missed = [score for score, _ in side.best(scores[part], "near")]
        points = curve(side.best(scores[part], "reworded"), missed)
        limit = best_within(points, 0.05).threshold
        print(
            f"{name:14}",
            *(
                f"{best_within(points, b).right:.3f} at {b:.2f};"
                for b in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
            ),
        )
        for kind in ("easy", "polite", "turned", "unasked"):
            found = side.best(scores[part], kind)
            print(
                f"    {kind}: {np.mean([s >= limit for s, _ in found]):.3f} pass at .05, right {np.mean([s >= limit and r for s, r in found]):.3f}"
            )
        near += missed
        # A fact that stands alone has nothing beside it that comes near, which must not count for it.
        lone += [score for score, _ in side.best(alone[part], "near")]
    presets = {name: thresholds(found) for name, found in (("alone", lone), ("among", near))}
    at = logistic(X, y, weight)
    fitted = {
        "bias": round(float(at[-1]), 5),
        "thresholds": presets,
        "weights": {
            name: [round(float(part), 5) for part in (mean[i], scale[i], at[i])]
            for i, name in enumerate(sides[0].names)
        },
    }
    print(presets)
    OUT.write_text(json.dumps(fitted, indent=1) + "\n")


if __name__ == "__main__":
    main()
