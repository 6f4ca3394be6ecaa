"""Makes engine/lorekeep/routing/relation.safetensors: the matrix by which what is asked about a subject is turned, so that the same asked in
other words comes near and another thing in almost the same words goes away. From relations.jsonl, which was written for this, and what the
base's own text asks about firms, products and the like; persons and places decide (tune.py), and nothing of theirs is read. Prints, of
subjects' kinds that were left out of the fitting, the questions answered right at a share of those that no fact answers."""

import argparse
import json
import random
import sys
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

from generated import DECIDING, FRAMES_BY_ENTITY
from lorekeep.routing import relation
from lorekeep.routing.embedders.parts import router_parts
from peers.curve import best_within, curve

# Kinds of subjects in a step, and the maximum number of relations of each; every relation is asked in two ways.
STEP_KINDS, MAX_STEP_RELATIONS, STEPS = 6, 10, 1500
RATE, DECAY, DROPOUT, TEMPERATURE = 3e-4, 0.01, 0.3, 0.1
FOLDS, EPISODES = 4, 1000
Relations = dict[str, list[list[str]]]  # by kind of subject: the ways to ask for each relation


def read() -> Relations:
    found: Relations = {}
    for line in (HERE / "relations.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        found.setdefault(row["subject"], []).append(row["asks"])
    for kind, frames in FRAMES_BY_ENTITY.items():
        if kind not in DECIDING and len(frames) > 1:
            found[f"{kind} of the base"] = [
                [_of_it(question) for question in frame.questions + frame.unseen_questions]
                for frame in frames
            ]
    return found


def _of_it(question: str) -> str:
    text = question.format(e="it").replace("it's", "its")
    return text[:1].upper() + text[1:]


def fit(relations: Relations, vectors: dict[str, np.ndarray], seed: int = 0) -> np.ndarray:
    """Fits the matrix so that one way to ask for a relation finds the other, among all relations of one kind of
    subject."""
    torch.manual_seed(seed)
    choose = random.Random(seed)
    matrix_D_D = torch.zeros(*[len(next(iter(vectors.values())))] * 2, requires_grad=True)
    optimiser = torch.optim.AdamW([matrix_D_D], RATE, weight_decay=DECAY)

    def turned(texts: list[str]) -> torch.Tensor:
        x_N_D = torch.tensor(np.stack([vectors[text] for text in texts]))
        more_N_D = torch.nn.functional.dropout(x_N_D, DROPOUT) @ matrix_D_D
        return torch.nn.functional.normalize(x_N_D + more_N_D, dim=-1)

    for _ in range(STEPS):
        some = [
            (kind, choose.sample(ways, 2))
            for kind in choose.sample(sorted(relations), min(STEP_KINDS, len(relations)))
            for ways in choose.sample(relations[kind], min(MAX_STEP_RELATIONS, len(relations[kind])))
        ]
        asked_N_D, other_N_D = (turned([ways[i] for _, ways in some]) for i in (0, 1))
        kinds = np.array([kind for kind, _ in some])
        apart = torch.tensor(kinds[:, None] != kinds[None])
        likeness_N_N = (asked_N_D @ other_N_D.T / TEMPERATURE).masked_fill(apart, -torch.inf)
        right = torch.arange(len(some))
        sides = [torch.nn.functional.cross_entropy(side, right) for side in (likeness_N_N, likeness_N_N.T)]
        loss = torch.stack(sides).sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return matrix_D_D.detach().numpy()


class Trials:
    """Trials with one to four known relations of a subject, each in its taught wording. Two are asked for: a known one in
    another wording, and an unknown one."""

    def __init__(self, relations: Relations, seed: int):
        choose = random.Random(seed)
        self.known: list[tuple[str, list[str], int]] = []  # question, taught ones, index of the right one
        self.unknown: list[tuple[str, list[str]]] = []
        for _ in range(EPISODES):
            ways = relations[choose.choice(sorted(relations))]
            numbers = choose.sample(range(len(ways)), min(choose.randint(1, 4) + 1, len(ways)))
            *known, stranger = numbers
            taught = [choose.choice(ways[i]) for i in known]
            at = choose.randrange(len(known))
            asked = choose.choice([way for way in ways[known[at]] if way != taught[at]])
            self.known.append((asked, taught, at))
            self.unknown.append((choose.choice(ways[stranger]), taught))

    def scores(self, vectors: dict[str, np.ndarray], matrix_D_D: np.ndarray):
        turned: dict[str, np.ndarray] = {}

        def likeness(asked: str, taught: list[str]) -> np.ndarray:
            for text in (asked, *taught):
                if text not in turned:
                    turned[text] = relation.project(vectors[text], matrix_D_D)
            return np.array([float(turned[asked] @ turned[text]) + _kinds(asked, text) for text in taught])

        known = [(likeness(asked, taught), at) for asked, taught, at in self.known]
        return (
            [(float(found.max()), int(found.argmax()) == at) for found, at in known],
            [float(likeness(asked, taught).max()) for asked, taught in self.unknown],
        )


def _kinds(a: str, b: str) -> float:
    """Agreement of the kinds of two questions, as the router scores it."""
    mine, its = relation.asks_for(a), relation.asks_for(b)
    return 0.0 if not (mine and its) else relation.ALIKE if mine == its else -relation.ALIKE


def main() -> None:
    relations = read()
    embed, _ = router_parts()
    texts = sorted({way for kind in relations.values() for ways in kind for way in ways}, key=len)
    vectors = dict(zip(texts, embed(texts), strict=True))
    kinds, still = sorted(relations), np.zeros((embed.dimensions,) * 2, dtype=np.float32)
    found = {"as they are": ([], []), "turned": ([], [])}
    for i in range(FOLDS):
        out = {kind: relations[kind] for kind in kinds[i::FOLDS]}
        matrix = fit({kind: relations[kind] for kind in kinds if kind not in out}, vectors)
        trials = Trials(out, i)
        for name, by in (("as they are", still), ("turned", matrix)):
            for side, scores in zip(found[name], trials.scores(vectors, by), strict=True):
                side.extend(scores)
    for name, (known, unknown) in found.items():
        points = curve(known, unknown)
        print(
            f"{name:12}",
            *(f"{best_within(points, b).right:.3f} at {b};" for b in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0)),
        )
        print(
            f"{'':12} of what no fact answers .05 .1 .2 .4 .7 reach",
            np.quantile(unknown, [0.95, 0.9, 0.8, 0.6, 0.3]).round(3),
        )
    save_file({"matrix": fit(relations, vectors).astype(np.float16)}, relation.FILE)


if __name__ == "__main__":
    main()
