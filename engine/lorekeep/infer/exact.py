"""Linear layers whose rows are identical bit for bit, however many rows are computed together. A greedy
answer is therefore the same alone and in any batch. Measured in
docs/experiments/2026-11-21-rows-independent-of-batch.md."""

from collections.abc import Callable

import torch
from torch import nn

from lorekeep.quantization.linear import ComputingLinear

# Representative row counts: kernels change at small counts and at block edges.
_PROBED = (1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 32, 33, 48, 64)
# Row count for which a packed layout is chosen; any number of rows may follow.
_ROWS = 256


class PackedLinear(nn.Module):
    """A linear layer in a library's own weight layout. Unlike the plain layer, it uses one kernel for any
    number of rows."""

    def __init__(self, linear: nn.Linear):
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.bias = linear.bias


class OneDnnLinear(PackedLinear):
    """oneDNN layer. At one row it costs some 20 µs more than the plain one: much for a small layer, little
    for a large one."""

    def __init__(self, linear: nn.Linear):
        super().__init__(linear)
        self.linear = torch.ops.mkldnn._linear_pointwise.default
        self.packed = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), 32)

    def forward(self, x_T_D: torch.Tensor) -> torch.Tensor:
        return self.linear(x_T_D, self.packed, self.bias, "none", [], "")


class MklLinear(PackedLinear):
    """MKL layer. It is faster than the plain one at any number of rows."""

    def __init__(self, linear: nn.Linear):
        super().__init__(linear)
        self.linear = torch.ops.mkl._mkl_linear.default
        weight = linear.weight.detach()
        self.packed = torch.ops.mkl._mkl_reorder_linear_weight(weight, _ROWS)
        # Only the shape of this tensor is used.
        self.shape_E_D = weight.new_empty(1, 1).expand(weight.shape)

    def forward(self, x_T_D: torch.Tensor) -> torch.Tensor:
        # torch accepts the packed weight only for the row count given at packing.
        rows = x_T_D.numel() // self.in_features
        return self.linear(x_T_D, self.packed, self.shape_E_D, self.bias, rows)


def pack(model: nn.Module) -> None:
    """Replaces plain linear layers on the CPU by packed ones where packing helps, and frees the plain
    weights."""
    chosen: dict[tuple, type[PackedLinear] | None] = {}
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if type(child) is not nn.Linear or child.weight.device.type != "cpu":
                continue
            shape = (child.in_features, child.out_features, child.weight.dtype, child.bias is None)
            if shape not in chosen:
                chosen[shape] = _choose(child)
            packed = chosen[shape]
            if packed is not None:
                setattr(module, name, packed(child))


def least_rows(model: nn.Module, dtype: torch.dtype, device: torch.device) -> int:
    """Minimum number of rows from which every linear layer of this model computes each row with the same bits
    on this machine. Smaller steps are padded to it."""
    layers = {
        (module.in_features, module.out_features): module
        for module in model.modules()
        if isinstance(module, nn.Linear | PackedLinear | ComputingLinear)
    }
    return max((_least(layer, _rows(layer, dtype, device)) for layer in layers.values()), default=1)


@torch.inference_mode()
def _choose(linear: nn.Linear) -> type[PackedLinear] | None:
    """The kind that is exact from the fewest rows on, ties broken by speed. Its results must match the plain
    layer."""
    x_N_D = _rows(linear, linear.weight.dtype, linear.weight.device)
    plain_N_E = linear(x_N_D)
    right = []
    for kind in _kinds(linear.weight.dtype):
        packed = kind(linear)
        if all(torch.allclose(packed(x_N_D[:n]), plain_N_E[:n], rtol=0.02, atol=0.02) for n in _PROBED):
            right.append((_least(packed, x_N_D), kind))
    return min(right, key=lambda found: found[0])[1] if right else None


def _kinds(dtype: torch.dtype) -> list[type[PackedLinear]]:
    """Kinds that this build of torch supports, fastest first."""
    kinds = []
    if dtype == torch.float32 and torch.backends.mkl.is_available() and hasattr(torch.ops.mkl, "_mkl_linear"):
        kinds.append(MklLinear)
    if torch.backends.mkldnn.is_available() and (
        dtype == torch.float32
        # Processors without the required instructions have no such kernel.
        or (dtype == torch.bfloat16 and torch.ops.mkldnn._is_mkldnn_bf16_supported())
    ):
        kinds.append(OneDnnLinear)
    return kinds


@torch.inference_mode()
def _least(layer: Callable[[torch.Tensor], torch.Tensor], x_N_D: torch.Tensor) -> int:
    y_N_E = layer(x_N_D[None])[0]
    unlike = [n for n in _PROBED if not torch.equal(layer(x_N_D[None, :n])[0], y_N_E[:n])]
    return next((n for n in _PROBED if n > max(unlike)), max(_PROBED)) if unlike else 1


def _rows(
    layer: nn.Linear | PackedLinear | ComputingLinear, dtype: torch.dtype, device: torch.device
) -> torch.Tensor:
    noise = torch.Generator().manual_seed(0)
    return torch.randn(max(_PROBED), layer.in_features, generator=noise).to(device, dtype)
