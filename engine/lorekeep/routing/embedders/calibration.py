"""Calibrates likeness for an embedding model that the shipped networks were not fitted on, with hand-written questions
(calibration.jsonl, a part of the networks' training data, made by bench/memory/make_calibration.py). It takes some
seconds, once per tuned model."""

import json
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch

from lorekeep import contract
from lorekeep.routing.by_meaning import MeaningIndex
from lorekeep.routing.embedders.likeness import Calibrated, features
from lorekeep.routing.embedders.unit import unit
from lorekeep.routing.question_match import QuestionVectors
from lorekeep.routing.stored_keys import plain_keys
from lorekeep.routing.vectors import Vectors
from lorekeep.routing.words import Vocabulary

FILE = Path(__file__).parent / "calibration.jsonl"
# The matrix is fitted as the shipped one (bench/memory/fit_relation.py), in fewer steps. The temperature makes the scale
# of likeness, and with it the meaning of every threshold, the same for all embedding models.
_MAX_KINDS, _MAX_RELATIONS, _STEPS, _RATE, _DECAY, _DROPOUT, _TEMPERATURE = 6, 10, 300, 3e-4, 0.01, 0.3, 0.1
# Penalty of the logistic regression; weights of a question in nearly the same words and of one that no fact answers.
_PENALTY, _NEARLY_WEIGHT, _UNASKED_WEIGHT = 3.0, 2.0, 2.0


@dataclass
class Questions:
    """`facts`: sets of facts, each with rewordings, near misses and its question in nearly the same words; `relations`: the ways
    to ask for each relation, by kind of subject; `unasked`: unrelated prompts."""

    facts: list[list[dict]]
    relations: list[list[list[str]]]
    unasked: list[str]


@cache
def questions() -> Questions:
    found = Questions([], [], [])
    for line in FILE.read_text("utf-8").splitlines():
        row = json.loads(line)
        if "input" in row:
            found.facts += [[]] * (row["set"] == len(found.facts))
            found.facts[row["set"]] = [*found.facts[row["set"]], row]
        elif "ways" in row:
            found.relations.append(row["ways"])
        else:
            found.unasked.append(row["prompt"])
    return found


def calibrated(embed: Vectors, vocabulary: Vocabulary) -> Calibrated:
    """`embed` must return uncalibrated vectors. The result is meant for another `Vectors`."""
    relations = questions().relations
    asks = list(dict.fromkeys(ask for kind in relations for ways in kind for ask in ways))
    facts = [fact for some in questions().facts for fact in some]
    texts = [fact["input"] for fact in facts]
    vectors = dict(zip([*asks, *texts], embed([*asks, *texts]), strict=True))
    centre_D = np.mean(list(vectors.values()), 0).astype(np.float32)
    matrix_D_D = _fit_matrix(relations, {ask: unit(vectors[ask] - centre_D) for ask in asks})
    none = np.zeros(1, dtype=np.float32)
    beside = Vectors(embed.embedder, Calibrated(centre_D, matrix_D_D, none, none, none, 0.0))
    rows = [row for some in questions().facts for row in _rows(some, beside, vocabulary)]
    mean_F, scale_F, weight_F, bias = _fit_logistic(rows)
    alone, among = _thresholds(rows)
    return Calibrated(centre_D, matrix_D_D, mean_F, scale_F, weight_F, bias, alone, among)


def _fit_matrix(relations: list[list[list[str]]], vectors: dict[str, np.ndarray]) -> np.ndarray:
    choose = random.Random(0)
    width = len(next(iter(vectors.values())))
    matrix_D_D = torch.zeros(width, width, requires_grad=True)
    optimiser = torch.optim.AdamW([matrix_D_D], _RATE, weight_decay=_DECAY)
    generator = torch.Generator().manual_seed(0)

    def turned(texts: list[str]) -> torch.Tensor:
        x_N_D = torch.tensor(np.stack([vectors[text] for text in texts]), dtype=torch.float32)
        kept_N_D = torch.rand(x_N_D.shape, generator=generator) >= _DROPOUT
        return torch.nn.functional.normalize(x_N_D + (x_N_D * kept_N_D / (1 - _DROPOUT)) @ matrix_D_D, dim=-1)

    for _ in range(_STEPS):
        some = [
            (kind, choose.sample(ways, 2))
            for kind in choose.sample(range(len(relations)), min(_MAX_KINDS, len(relations)))
            for ways in choose.sample(relations[kind], min(_MAX_RELATIONS, len(relations[kind])))
        ]
        asked_N_D, other_N_D = (turned([ways[i] for _, ways in some]) for i in (0, 1))
        kinds = np.array([kind for kind, _ in some])
        apart = torch.tensor(kinds[:, None] != kinds[None])
        likeness_N_N = (asked_N_D @ other_N_D.T / _TEMPERATURE).masked_fill(apart, -torch.inf)
        right = torch.arange(len(some))
        cross = torch.nn.functional.cross_entropy
        loss = cross(likeness_N_N, right) + cross(likeness_N_N.T, right)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return matrix_D_D.detach().numpy()


@dataclass
class _Row:
    """A question with one of its candidates."""

    question: str
    kind: str
    own: bool  # whether the question was written for this fact, as a rewording or a near miss
    among_F: np.ndarray
    alone_F: np.ndarray | None  # features of a near miss with its own fact as the only one

    @property
    def right(self) -> bool:
        return self.own and self.kind in ("reworded", "nearly")

    @property
    def weight(self) -> float:
        return {"nearly": _NEARLY_WEIGHT, "unasked": _UNASKED_WEIGHT}.get(self.kind, 1.0)


def _rows(facts: list[dict], embed: Vectors, vocabulary: Vocabulary) -> list[_Row]:
    pairs = [(fact["input"], fact["output"]) for fact in facts]
    index = MeaningIndex(
        vocabulary, list(range(len(facts))), [q for q, _ in pairs], [a for _, a in pairs],
        plain_keys(pairs, embed, {}), likeness=embed.likeness,
    )  # fmt: skip
    asked = [(text, i, "reworded") for i, fact in enumerate(facts) for text in fact["rewordings"]]
    asked += [(fact["nearly"], i, "nearly") for i, fact in enumerate(facts)]
    asked += [(text, i, "near") for i, fact in enumerate(facts) for text in fact["near_misses"]]
    asked += [(text, -1, "unasked") for text in questions().unasked]
    found = []
    reads = embed.read_all([text for text, *_ in asked])
    for (text, own_fact, kind), read in zip(asked, reads, strict=True):
        own = QuestionVectors(text, read.vector_D, read.words_W_D, read.tokens_T_P)
        for number, second in index.closest(own):
            fact = index.fact(number)
            alone_F = features(own, fact, -1.0) if kind == "near" and number == own_fact else None
            found.append(_Row(text, kind, number == own_fact, features(own, fact, second), alone_F))
    return found


def _fit_logistic(rows: list[_Row]) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Logistic regression by Newton's method: mean and scale of the features, weights and bias."""
    X_N_F = np.stack([row.among_F for row in rows]).astype(np.float64)
    right_N = np.array([float(row.right) for row in rows])
    weight_N = np.array([row.weight for row in rows])
    mean_F, scale_F = X_N_F.mean(0), X_N_F.std(0) + 1e-6
    X_N_G = np.concatenate([((X_N_F - mean_F) / scale_F).clip(-5, 5), np.ones((len(rows), 1))], 1)
    penalty_G = np.append(np.full(X_N_F.shape[1], _PENALTY), 1e-3)
    sum_G = np.zeros(X_N_G.shape[1])
    for _ in range(12):
        said_N = 1 / (1 + np.exp(-X_N_G @ sum_G))
        slope_G = X_N_G.T @ (weight_N * (said_N - right_N)) + penalty_G * sum_G
        bend_G_G = (X_N_G * (weight_N * said_N * (1 - said_N))[:, None]).T @ X_N_G + np.diag(penalty_G)
        sum_G -= np.linalg.solve(bend_G_G, slope_G)
    parts = (part.astype(np.float32) for part in (mean_F, scale_F, sum_G[:-1]))
    return (*parts, float(sum_G[-1]))  # type: ignore[return-value]


def _thresholds(rows: list[_Row]) -> tuple[dict[str, float], dict[str, float]]:
    """Thresholds by cross-validation: scores of near misses with their own fact alone and among all facts."""
    alone: dict[str, float] = {}
    among: dict[str, float] = {}
    for fold in range(2):
        mean_F, scale_F, weight_F, bias = _fit_logistic([row for row in rows if _fold(row) != fold])
        for row in rows:
            if _fold(row) == fold and row.kind == "near":
                for best, found_F in ((alone, row.alone_F), (among, row.among_F)):
                    if found_F is not None:
                        figure = float(((found_F - mean_F) / scale_F).clip(-5, 5) @ weight_F + bias)
                        best[row.question] = max(best.get(row.question, -99.0), figure)
    return _budget_thresholds(list(alone.values())), _budget_thresholds(list(among.values()))


def _fold(row: _Row) -> int:
    return sum(row.question.encode()) % 2


def _budget_thresholds(near_misses: list[float]) -> dict[str, float]:
    ordered = 1 / (1 + np.exp(-np.sort(near_misses)))
    last = len(ordered) - 1
    return {
        name: round(float(ordered[min(last, int(np.ceil(len(ordered) * (1 - share))))]), 5)
        for name, share in contract.NEAR_MISSES.items()
    }
