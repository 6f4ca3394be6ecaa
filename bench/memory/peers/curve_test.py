import math

from peers.curve import Point, best_within, curve

REWORDINGS = [(0.9, True), (0.8, False), (0.7, True), (0.2, True)]
NEAR_MISSES = [0.8, 0.3]


def test_curve_has_a_point_for_every_threshold():
    assert curve(REWORDINGS, NEAR_MISSES) == [
        Point(math.inf, 0, 0),
        Point(0.9, 0.25, 0),
        Point(0.8, 0.25, 0.5),
        Point(0.7, 0.5, 0.5),
        Point(0.3, 0.5, 1),
        Point(0.2, 0.75, 1),
    ]


def test_best_point_within_a_budget_has_the_most_rewordings():
    points = curve(REWORDINGS, NEAR_MISSES)
    assert best_within(points, 0).threshold == 0.9
    assert best_within(points, 0.5).threshold == 0.7
    assert best_within(points, 1).threshold == 0.2


def test_curve_accepts_no_near_misses():
    assert best_within(curve(REWORDINGS, []), 0).right == 0.75
