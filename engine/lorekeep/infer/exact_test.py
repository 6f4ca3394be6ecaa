"""The number of rows from which a layer's rows are exact, on a processor whose kernel depends on the number of rows."""

import torch
from torch import nn

from lorekeep.infer import exact


class Divided(nn.Linear):
    """Sums in two parts below a number of rows, as GPUs do for few rows and long sums."""

    def __init__(self, below: int):
        super().__init__(64, 8, bias=False)
        self.below = below

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        whole = (x[..., None, :] * self.weight).sum(-1)  # each row by itself
        return whole + 1e-3 if x.shape[-2] < self.below else whole


def test_small_steps_are_padded_to_the_rows_from_which_bits_stay(monkeypatch):
    monkeypatch.setattr(exact, "_probed", lambda device: exact._PROBED_ON_GPU)
    for below, least in ((1, 1), (30, 32), (161, 192), (400, 1)):
        model = nn.Sequential(Divided(below))
        assert exact.least_rows(model, torch.float32, torch.device("cpu")) == least
