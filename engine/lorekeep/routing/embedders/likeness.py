"""Likeness (similarity score) of questions by the vectors of one embedding model. The shipped networks were fitted on the
default model and are invalid for another one. For another model calibration.py fits a centre, a matrix and a logistic
regression on the shipped questions; they are stored with every model that is tuned with it."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

from lorekeep.contract import NEAR_MISSES
from lorekeep.routing import question_match, relation, token_match
from lorekeep.routing.embedders.unit import unit
from lorekeep.routing.question_match import Fact, QuestionVectors

# File in the folder of a tuned model with another embedding model than the default one.
FILE = "likeness.safetensors"


class Likeness:
    """Likeness by the shipped networks, and interface of other ones."""

    centre_D: np.ndarray | None  # subtracted from every vector of a text
    alone: dict[str, float]  # thresholds of near misses, for a single fact and for a fact among others
    among: dict[str, float]
    reads_tokens = True  # whether the token matcher applies to the model's states

    def __init__(self):
        self.centre_D, self.alone, self.among = None, question_match.ALONE, question_match.AMONG

    @cached_property
    def weights(self) -> str:
        """Fingerprint of the weights. Thresholds are valid only for the weights that they were measured with."""
        files = (module.FILE for module in (question_match, token_match, relation))
        return blake2b(b"".join(file.read_bytes() for file in files), digest_size=6).hexdigest()

    def project(self, vectors: np.ndarray) -> np.ndarray:
        """Transforms vectors of relations (relation.py)."""
        return relation.project(vectors)

    def of_questions(self, asked: QuestionVectors, facts: list[Fact], seconds: list[float]) -> list[float]:
        """Likeness of a question and those of facts without names, between 0 and 1."""
        return question_match.likenesses(asked, facts, seconds)


FITTED = Likeness()


@dataclass(eq=False)
class Calibrated(Likeness):
    """Likeness fitted for another embedding model."""

    centre_D: np.ndarray  # type: ignore[assignment]
    matrix_D_D: np.ndarray
    mean_F: np.ndarray
    scale_F: np.ndarray
    weight_F: np.ndarray
    bias: float
    alone: dict[str, float] = field(default_factory=dict)
    among: dict[str, float] = field(default_factory=dict)
    reads_tokens = False

    @cached_property
    def weights(self) -> str:
        parts = (self.centre_D, self.matrix_D_D, self.mean_F, self.scale_F, self.weight_F)
        said = json.dumps([self.bias, self.alone, self.among]).encode()
        return blake2b(b"".join(part.tobytes() for part in parts) + said, digest_size=6).hexdigest()

    def project(self, vectors: np.ndarray) -> np.ndarray:
        return unit(vectors + vectors @ self.matrix_D_D)

    def of_questions(self, asked: QuestionVectors, facts: list[Fact], seconds: list[float]) -> list[float]:
        figures = [self.sum(features(asked, *one)) for one in zip(facts, seconds, strict=True)]
        return [float(1 / (1 + np.exp(-one))) for one in figures]

    def sum(self, found_F: np.ndarray) -> float:
        far = question_match.Ensemble.FAR
        return float(np.clip((found_F - self.mean_F) / self.scale_F, -far, far) @ self.weight_F + self.bias)

    def write(self, file: Path) -> None:
        save_file(
            {
                "centre": self.centre_D, "matrix": self.matrix_D_D,
                "mean": self.mean_F, "scale": self.scale_F, "weight": self.weight_F,
            },
            file,
            {
                "features": json.dumps(question_match.WEIGHING.features),
                "thresholds": json.dumps({"bias": self.bias, "alone": self.alone, "among": self.among}),
            },
        )  # fmt: skip


def features(asked: QuestionVectors, fact: Fact, second: float) -> np.ndarray:
    found = question_match.features(asked, fact, second)
    return np.array([found[name] for name in question_match.WEIGHING.features], dtype=np.float32)


def read(folder: Path) -> Likeness | None:
    """Likeness stored with a model: the shipped one if nothing is stored, None if another version stored it."""
    if not (folder / FILE).is_file():
        return FITTED
    with safe_open(folder / FILE, framework="np") as opened:
        said = opened.metadata() or {}
        parts = [opened.get_tensor(name) for name in ("centre", "matrix", "mean", "scale", "weight")]
    count, width = len(question_match.WEIGHING.features), len(parts[0])
    shapes = [(width,), (width, width), (count,), (count,), (count,)]
    if json.loads(said.get("features", "[]")) != question_match.WEIGHING.features:
        return None
    if [part.shape for part in parts] != shapes or not all(np.isfinite(part).all() for part in parts):
        raise ValueError(f"{FILE} does not hold what it should")
    more = json.loads(said["thresholds"])
    alone, among = (
        {budget: float(more[name][budget]) for budget in NEAR_MISSES} for name in ("alone", "among")
    )
    return Calibrated(*parts, bias=float(more["bias"]), alone=alone, among=among)
