"""Linear layers whose rows are identical bit for bit, however many rows are computed together. A greedy
answer is therefore the same alone and in any batch. Measured in
docs/experiments/2026-11-21-rows-independent-of-batch.md."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from lorekeep.infer.cache import BLOCK
from lorekeep.infer.weights.packed_linear import MklLinear, NativeLinear, OneDnnLinear, PackedLinear
from lorekeep.quantization.linear import ComputingLinear, Leading

# Representative row counts: kernels change at small counts and at block edges.
_PROBED = (1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 32, 33, 48, 64)
# A GPU chooses its kernel by the number of rows, and divides long sums among its units for some numbers: for 160 and 208 rows of 8,192
# products on an H100, not for 192. Its steps have multiples of GRANULE rows, each of which is probed.
GRANULE, _REFERENCE_ROWS, _MAX_ROWS = 64, 512, 2048


@dataclass(frozen=True)
class StepRows:
    """Numbers of rows that a step may have, so that its rows are exact."""

    least: int
    most: int | None = None
    granule: int = 1

    def padded(self, count: int) -> int:
        return max(self.least, -(-count // self.granule) * self.granule)


def pack(
    model: nn.Module, done: Callable[[str, nn.Linear, PackedLinear], None] = lambda name, plain, packed: None
) -> None:
    """Replaces plain linear layers on the CPU by packed ones if packing helps, and frees the plain weights. `done` is
    called for each layer with its full name."""
    chosen: dict[tuple, type[PackedLinear] | None] = {}
    for path, module in list(model.named_modules()):
        for name, child in list(module.named_children()):
            if type(child) is not nn.Linear or child.weight.device.type != "cpu":
                continue
            shape = (child.in_features, child.out_features, child.weight.dtype, child.bias is None)
            if shape not in chosen:
                chosen[shape] = _choose(child)
            kind = chosen[shape]
            if kind is not None:
                packed = kind(child)
                setattr(module, name, packed)
                done(f"{path}.{name}".lstrip("."), child, packed)


def pack_in_place(model: nn.Module) -> None:
    """Replaces the plain layers that can be computed exactly without a layout of their own."""
    for name, module in list(model.named_modules()):
        if type(module) is nn.Linear and module.weight.device.type == "cpu" and NativeLinear.fits(module):
            model.set_submodule(name, NativeLinear(module))


def least_rows(model: nn.Module, dtype: torch.dtype, device: torch.device) -> int:
    """Minimum number of rows from which every linear layer of this model computes each row with the same bits
    on this processor. Smaller steps are padded to it."""
    return max(
        (_min_rows(layer, _noise(layer, max(_PROBED), dtype, device)) for layer in _layers(model)), default=1
    )


@torch.inference_mode()
def step_rows_of_gpu(model: nn.Module, dtype: torch.dtype, device: torch.device) -> StepRows:
    """Multiples of the granule between which every linear layer gives a row the same bits as in a step of medium size. The head
    computes one row per sequence, never more rows than that step."""
    head = model.get_output_embeddings() if hasattr(model, "get_output_embeddings") else None  # pyright: ignore[reportCallIssue]
    least, most = GRANULE, _MAX_ROWS
    for layer in _layers(model):
        end = _REFERENCE_ROWS if layer is head else _MAX_ROWS
        x_N_D = _noise(layer, end, dtype, device)
        y_N_E = layer(x_N_D[None, :_REFERENCE_ROWS])[0]
        for n in range(GRANULE, end + 1, GRANULE):
            if torch.equal(layer(x_N_D[None, :n])[0, :_REFERENCE_ROWS], y_N_E[:n]):
                continue
            if n < _REFERENCE_ROWS:
                least = max(least, n + GRANULE)
            else:
                most = min(most, n - GRANULE)
    return StepRows(least, most, GRANULE)


def leading(model: nn.Module) -> Leading:
    """Installs the number of a step's first rows that quantized layers compute with dequantized weights, shared by the
    layers. The head is excluded, since it computes other rows than those of the step."""
    shared, head = Leading(), model.get_output_embeddings()  # pyright: ignore[reportCallIssue]
    for module in model.modules():
        if isinstance(module, ComputingLinear) and module is not head:
            module.leading = shared
    return shared


@torch.inference_mode()
def written_rows_are_exact(model: nn.Module, device: torch.device) -> bool:
    """Whether this model has quantized layers that give a row the same bits for any number of blocks computed together
    with dequantized weights."""
    layers = {
        (type(module), module.in_features, module.out_features): module
        for module in model.modules()
        if isinstance(module, ComputingLinear)
    }
    return device.type == "cpu" and bool(layers) and all(map(_written_out_is_exact, layers.values()))


def _written_out_is_exact(layer: ComputingLinear) -> bool:
    noise = torch.Generator().manual_seed(1)
    x_N_D = torch.randn(6 * BLOCK, layer.in_features, generator=noise).to(torch.bfloat16)
    y_N_E = layer.written_out(x_N_D)
    return all(torch.equal(layer.written_out(x_N_D[: n * BLOCK]), y_N_E[: n * BLOCK]) for n in range(1, 6))


def _layers(model: nn.Module) -> list[nn.Linear | PackedLinear | ComputingLinear]:
    """One layer of each shape."""
    layers = {
        (module.in_features, module.out_features): module
        for module in model.modules()
        if isinstance(module, nn.Linear | PackedLinear | ComputingLinear)
        and not isinstance(module, NativeLinear)  # its rows are the same by construction
    }
    return [*layers.values()]


@torch.inference_mode()
def _choose(linear: nn.Linear) -> type[PackedLinear] | None:
    """The kind that is exact from the fewest rows on, ties broken by speed. Its results must match the plain
    layer."""
    x_N_D = _noise(linear, max(_PROBED), linear.weight.dtype, linear.weight.device)
    plain_N_E = linear(x_N_D)
    right = []
    for kind in _kinds(linear.weight.dtype):
        packed = kind(linear)
        if all(torch.allclose(packed(x_N_D[:n]), plain_N_E[:n], rtol=0.02, atol=0.02) for n in _PROBED):
            right.append((_min_rows(packed, x_N_D), kind))
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
def _min_rows(layer: Callable[[torch.Tensor], torch.Tensor], x_N_D: torch.Tensor) -> int:
    y_N_E = layer(x_N_D[None])[0]
    unlike = [n for n in _PROBED if not torch.equal(layer(x_N_D[None, :n])[0], y_N_E[:n])]
    return next((n for n in _PROBED if n > max(unlike)), max(_PROBED)) if unlike else 1


def _noise(
    layer: nn.Linear | PackedLinear | ComputingLinear, rows: int, dtype: torch.dtype, device: torch.device
) -> torch.Tensor:
    noise = torch.Generator().manual_seed(0)
    return torch.randn(rows, layer.in_features, generator=noise).to(device, dtype)
