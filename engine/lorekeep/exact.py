"""Linear layers whose rows come out bit for bit alike however many rows are computed together, so that a greedy answer is the
same alone and in any batch. Measured in docs/experiments.md (2026-11-21)."""

import torch
from torch import nn

# Row counts that stand for all: kernels change at small counts and at edges of blocks.
_PROBED = (1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 32, 33, 48, 64)
_PACKABLE = (torch.float32, torch.bfloat16)
_linear = torch.ops.mkldnn._linear_pointwise.default


class PackedLinear(nn.Module):
    """A linear layer in oneDNN's own weight layout. At one row it costs about what the plain one does, and unlike it, it does
    not change kernels between one row, three rows and many."""

    def __init__(self, linear: nn.Linear):
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.bias = linear.bias
        # 32 only tells oneDNN which block layout to choose; any number of rows may come.
        self.packed = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), 32)

    def forward(self, x_T_D: torch.Tensor) -> torch.Tensor:
        return _linear(x_T_D, self.packed, self.bias, "none", [], "")


def pack(model: nn.Module) -> None:
    """Replaces every plain linear layer on the CPU by a packed one; the plain weights are freed."""
    if not torch.backends.mkldnn.is_available():
        return
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if (
                type(child) is nn.Linear
                and child.weight.device.type == "cpu"
                and child.weight.dtype in _PACKABLE
            ):
                setattr(module, name, PackedLinear(child))


@torch.inference_mode()
def least_rows(model: nn.Module, dtype: torch.dtype, device: torch.device) -> int:
    """From how many rows on every linear layer of this model gives every row the same bits, on this machine. Steps with fewer
    rows are padded up to it."""
    seen, least = set(), 1
    for module in model.modules():
        if not isinstance(module, nn.Linear | PackedLinear):
            continue
        shape = (module.in_features, module.out_features)
        if shape in seen:
            continue
        seen.add(shape)
        x_N_D = torch.randn(max(_PROBED), shape[0], generator=torch.Generator().manual_seed(0)).to(
            device, dtype
        )
        y_N_E = module(x_N_D[None])[0]
        unlike = [n for n in _PROBED if not torch.equal(module(x_N_D[None, :n])[0], y_N_E[:n])]
        if unlike:
            least = max(least, next((n for n in _PROBED if n > max(unlike)), max(_PROBED)))
    return least
