"""Tests run on one thread, as the engine does. With several threads the split of the work, and with it the
last bits of a row, depends on the batch."""

import torch

torch.set_num_threads(1)
