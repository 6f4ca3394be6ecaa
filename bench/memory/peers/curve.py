"""Cost of a threshold: the share of rewordings answered right against the share of near misses let through, at every
threshold."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Point:
    threshold: float  # minimum score of an answer
    right: float  # share of rewordings answered with the right fact
    passed: float  # share of near misses answered


def curve(rewordings: list[tuple[float, bool]], near_misses: list[float]) -> list[Point]:
    """Points from the strictest threshold, where nothing is answered, to the loosest, where everything is. `rewordings`: the score of
    each, and whether its answer would be the right fact."""
    right = np.sort([score for score, is_right in rewordings if is_right])
    near = np.sort(near_misses)
    thresholds = [np.inf, *sorted({score for score, _ in rewordings} | set(near_misses), reverse=True)]
    return [
        Point(
            float(threshold),
            _share(right, threshold, len(rewordings)),
            _share(near, threshold, len(near_misses)),
        )
        for threshold in thresholds
    ]


def best_within(points: list[Point], budget: float) -> Point:
    """The point with the most right rewordings within a budget of near misses."""
    return max(
        (point for point in points if point.passed <= budget), key=lambda point: (point.right, -point.passed)
    )


def _share(sorted_scores: np.ndarray, threshold: float, of: int) -> float:
    return float(len(sorted_scores) - np.searchsorted(sorted_scores, threshold)) / max(1, of)
