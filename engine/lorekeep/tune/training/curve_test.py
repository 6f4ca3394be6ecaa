from lorekeep.testing import present
from lorekeep.tune.training.curve import MeanLoss


def expert(begun: float | None, loss: float | None, facts: int) -> dict:
    return {"begun": begun, "loss": loss, "facts": list(range(facts))}


def test_the_curve_falls_with_each_wave_even_if_later_waves_end_higher():
    curve = MeanLoss(6)
    points = []
    for loss in (0.01, 0.02, 0.03):
        curve.add([expert(4.0, loss, 2)])
        points.append(present(curve.mean))
    assert curve.before == 4.0
    assert [4.0, *points] == sorted([4.0, *points], reverse=True)
    assert points[-1] == 0.02


def test_the_curve_falls_even_if_later_waves_begin_higher():
    curve = MeanLoss(6)
    points = []
    for begun in (4.0, 9.0, 12.0):
        curve.add([expert(begun, 0.1, 2)])
        points.append(present(curve.mean))
    assert curve.before == 4.0
    assert [4.0, *points] == sorted([4.0, *points], reverse=True)
    assert points[-1] == 0.1


def test_missing_figures_are_omitted():
    curve = MeanLoss(3)
    assert curve.before is None and curve.mean is None
    curve.add([expert(None, 0.5, 1), expert(2.0, None, 1)])
    assert curve.waves == 1 and curve.mean is None
    curve.add([expert(2.0, 0.5, 1)])
    assert curve.mean == 1.5
