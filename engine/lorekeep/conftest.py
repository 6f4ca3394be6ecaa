"""One thread, as the engine runs: with several, how work is split among them depends on the batch, and with it the last bits of a row."""

import torch

torch.set_num_threads(1)
