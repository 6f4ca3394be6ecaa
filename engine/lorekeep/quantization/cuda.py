"""Linear layers with weights of 4 bits for NVIDIA processors. Layers of 8 bits need no class of their own: linear.py dequantizes
them for each product there."""

import torch
from torch.nn import functional as F

from lorekeep.quantization.linear import ComputingLinear

# Numbers of tiles of 16 columns that the kernel's layout can store together, widest reads first.
_TILE_COUNTS = (8, 4, 2)
# Rows of the unit matrix that are multiplied at once to read out the weights.
_UNIT_ROWS = 512


class CudaInt4Linear(ComputingLinear):
    """4-bit integers with a scale and an offset for each group of columns, multiplied by torch's kernel for CUDA. The kernel adds
    the products of a row in one order, so a row has the same bits in any batch. Where the kernel refuses a layer, its values take
    8 bits each and are dequantized for each product."""

    def __init__(
        self,
        values_O_D: torch.Tensor,  # from -8 to 7
        scale_O_G: torch.Tensor,
        zero_O_G: torch.Tensor,
        group: int,
        bias: torch.Tensor | None,
        dtype: torch.dtype,
    ):
        super().__init__()
        self.out_features, self.in_features = values_O_D.shape
        self.group, self.bias = group, bias
        both = torch.stack([scale_O_G.float(), zero_O_G.float()], -1).transpose(0, 1).contiguous().to(dtype)
        packed = _packed(values_O_D, both, group)
        self.has_kernel = packed is not None
        self.register_buffer("scale_G_O_2", both)
        self.register_buffer("packed", values_O_D.contiguous() if packed is None else packed)

    def product(self, x_T_D: torch.Tensor) -> torch.Tensor:
        scale = self.get_buffer("scale_G_O_2")
        if self.has_kernel and x_T_D.dtype == scale.dtype:
            return _product(x_T_D, self.get_buffer("packed"), self.group, scale)
        return F.linear(x_T_D, self.weights(x_T_D.dtype))

    def written_out(self, x_T_D: torch.Tensor) -> torch.Tensor:
        return self.product(x_T_D)

    def weights(self, dtype: torch.dtype) -> torch.Tensor:
        packed, scale = self.get_buffer("packed"), self.get_buffer("scale_G_O_2")
        if not self.has_kernel:
            return _dequantized(packed, scale, dtype)
        # The kernel's product with the unit matrix is the weights, since its layout is its own.
        found = torch.empty(self.out_features, self.in_features, dtype=dtype, device=packed.device)
        for start in range(0, self.in_features, _UNIT_ROWS):
            rows = min(_UNIT_ROWS, self.in_features - start)
            unit = torch.zeros(rows, self.in_features, dtype=scale.dtype, device=packed.device)
            unit.diagonal(start).fill_(1)
            found[:, start : start + rows] = _product(unit, packed, self.group, scale).T
        return found

    def rows(self, numbers: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        return self.weights(dtype)[numbers]


def _product(
    x_T_D: torch.Tensor, packed: torch.Tensor, group: int, scale_G_O_2: torch.Tensor
) -> torch.Tensor:
    return torch.ops.aten._weight_int4pack_mm(x_T_D.contiguous(), packed, group, scale_G_O_2)


def _packed(values_O_D: torch.Tensor, scale_G_O_2: torch.Tensor, group: int) -> torch.Tensor | None:
    """The values in the kernel's layout; None where it refuses them."""
    rows, columns = values_O_D.shape
    tiles = next((tiles for tiles in _TILE_COUNTS if columns % (16 * tiles) == 0), None)
    if tiles is None or rows % 8 or scale_G_O_2.dtype != torch.bfloat16:
        return None
    raised = (values_O_D + 8).to(torch.uint8)
    # The first of two values is in the upper bits.
    halves = (raised[:, ::2] << 4 | raised[:, 1::2]).contiguous()
    try:
        packed = torch.ops.aten._convert_weight_to_int4pack(halves, tiles)
        _product(scale_G_O_2.new_zeros(1, columns), packed, group, scale_G_O_2)
    except torch.OutOfMemoryError:
        raise
    except RuntimeError:  # another group, or a processor without the kernel
        return None
    return packed


def _dequantized(values_O_D: torch.Tensor, scale_G_O_2: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    scale_O_G, zero_O_G = (one.T[..., None].to(dtype) for one in scale_G_O_2.unbind(-1))
    parts_O_G_N = values_O_D.view(*scale_O_G.shape[:2], -1).to(dtype)
    return (parts_O_G_N * scale_O_G + zero_O_G).view(values_O_D.shape)
