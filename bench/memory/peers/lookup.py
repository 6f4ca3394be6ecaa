"""Baseline of a memory: the stored answer of the nearest stored question. Below a threshold the base answers."""

from pathlib import Path

from peers.nearest import Nearest
from peers.speaker import Speaker


class Peer:
    name = "lookup"

    def __init__(self, base_folder: str | Path, threshold: float = 0.0):
        self.threshold = threshold
        self.speaker = Speaker(base_folder)
        self.nearest = Nearest()
        self.facts: list[dict] = []

    def fit(self, facts: list[dict]) -> None:
        self.facts = facts
        self.nearest.learn([fact["input"] for fact in facts])

    def scores(self, questions: list[str]) -> list[tuple[int, float]]:
        """Index and similarity of the nearest fact of each question."""
        facts_Q_1, cosines_Q_1 = self.nearest.find(questions, 1)
        return [
            (int(fact), float(score)) for fact, score in zip(facts_Q_1[:, 0], cosines_Q_1[:, 0], strict=True)
        ]

    def answers(self, questions: list[str]) -> list[str]:
        scores = self.scores(questions)
        said = iter(
            self.speaker.answers(
                [q for q, (_, s) in zip(questions, scores, strict=True) if s < self.threshold]
            )
        )
        return [
            self.facts[fact]["output"] if score >= self.threshold else next(said) for fact, score in scores
        ]
