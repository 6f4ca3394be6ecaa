"""Row counts for which a layer's rows are exact, on a processor whose kernel depends on the number of rows."""

from collections.abc import Callable

import torch
from torch import nn

from lorekeep.infer import exact

CPU = torch.device("cpu")


class Divided(nn.Linear):
    """Sums in two parts for some numbers of rows, as processors do for few rows and long sums."""

    def __init__(self, divides: Callable[[int], bool]):
        super().__init__(16, 4, bias=False)
        self.divides = divides

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        whole = (x[..., None, :] * self.weight).sum(-1)  # each row by itself
        return whole + 1e-3 if self.divides(x.shape[-2]) else whole


def test_small_steps_are_padded_to_the_minimum_exact_row_count():
    for below, least in ((1, 1), (30, 32), (64, 64)):
        model = nn.Sequential(Divided(lambda rows, below=below: rows < below))
        assert exact.least_rows(model, torch.float32, CPU) == least


def test_a_gpu_computes_only_probed_row_counts():
    # Like an H100 for sums of 8,192 products, and like other processors for large steps.
    model = nn.Sequential(
        Divided(lambda rows: rows in (160, 208)), Divided(lambda rows: rows < 100 or rows > 1500)
    )
    rows = exact.step_rows_of_gpu(model, torch.float32, CPU)
    assert (rows.least, rows.most) == (128, 1472)
    assert [rows.padded(count) for count in (1, 128, 129, 208, 1400)] == [128, 128, 192, 256, 1408]
