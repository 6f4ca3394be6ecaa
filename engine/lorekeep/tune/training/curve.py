"""Loss curve of a job: the mean loss over all facts after each wave."""

import math


class MeanLoss:
    """Facts of finished waves count with the final loss of their expert, the others with the mean initial
    loss of finished waves. The curve therefore falls during training, though every wave trains other
    facts."""

    def __init__(self, facts: int):
        self.facts = facts
        self.waves = 0  # added so far
        self._taught = 0
        self._began = self._ended = 0.0

    def add(self, experts: list[dict]) -> None:
        """Adds the experts of the next wave, as named in its result."""
        self.waves += 1
        for expert in experts:
            began, ended = expert.get("begun"), expert["loss"]
            if began is None or ended is None:
                continue
            count = len(expert["facts"])
            self._taught += count
            self._began += began * count
            self._ended += ended * count

    @property
    def before(self) -> float | None:
        """Mean loss before training, as far as the added waves show it."""
        return _rounded(self._began / self._taught) if self._taught else None

    @property
    def mean(self) -> float | None:
        if not self._taught:
            return None
        left = max(0, self.facts - self._taught)
        return _rounded((self._ended + self._began / self._taught * left) / (self._taught + left))


def _rounded(loss: float) -> float | None:
    return round(loss, 5) if math.isfinite(loss) else None
