"""Loss curve of a job: the mean loss over all facts after each wave."""

import math


class MeanLoss:
    """Facts of finished waves count with the final loss of their expert, the others with the mean initial
    loss of the first wave. The curve therefore falls during training, though every wave trains other facts
    and later ones may begin higher."""

    def __init__(self, facts: int):
        self.facts = facts
        self.waves = 0  # added so far
        self._taught = 0
        self._before: float | None = None
        self._ended = 0.0

    def add(self, experts: list[dict]) -> None:
        """Adds the experts of the next wave, as named in its result."""
        self.waves += 1
        # Experts that were taken over have learnt nothing here.
        self.facts -= sum(len(one["facts"]) for one in experts if one.get("moved"))
        known = [one for one in experts if one.get("begun") is not None and one["loss"] is not None]
        if not known:
            return
        counts = [len(one["facts"]) for one in known]
        if self._before is None:
            self._before = sum(one["begun"] * n for one, n in zip(known, counts, strict=True)) / sum(counts)
        self._ended += sum(one["loss"] * n for one, n in zip(known, counts, strict=True))
        self._taught += sum(counts)

    @property
    def before(self) -> float | None:
        """Mean loss before training, as far as the first wave shows it."""
        return None if self._before is None else _rounded(self._before)

    @property
    def mean(self) -> float | None:
        if self._before is None:
            return None
        left = max(0, self.facts - self._taught)
        return _rounded((self._ended + self._before * left) / (self._taught + left))


def _rounded(loss: float) -> float | None:
    return round(loss, 5) if math.isfinite(loss) else None
