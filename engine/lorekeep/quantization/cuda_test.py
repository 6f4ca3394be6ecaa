"""Quantized layers on a CUDA device, compared with the product with dequantized weights."""

import pytest
import torch

from lorekeep.precision import Scheme
from lorekeep.quantization.cuda import CudaInt4Linear, _dequantized
from lorekeep.quantization.linear import Int8Linear, QuantizedLinear, packed, rounded
from lorekeep.quantization.load import _computing
from lorekeep.testing import needs_cuda

SHAPES = [(64, 128), (256, 2048), (48, 96), (24, 64), (20, 32)]


def stored(rows: int, columns: int, scheme: Scheme) -> tuple[QuantizedLinear, torch.Tensor]:
    """A stored layer, and its weights in 32 bits."""
    weight = torch.randn(rows, columns, generator=torch.Generator().manual_seed(rows)) * 0.02
    values, scale = rounded(weight, scheme)
    layer = QuantizedLinear(rows, columns, scheme, bias=False)
    scale = scale.view(rows, -1)
    layer.weight_packed, layer.weight_scale = packed(values, scheme.bits), scale.bfloat16()
    layer.weight_shape = torch.tensor([rows, columns])
    wide = scale.bfloat16().float()[..., None]
    return layer, (values.view(*scale.shape, -1) * wide).view(rows, columns)


def close(found: torch.Tensor, wanted: torch.Tensor) -> bool:
    wanted = wanted.to(found.device)
    return bool((found.float() - wanted).norm() <= 0.01 * wanted.norm())


@needs_cuda
@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_a_layer_on_cuda_computes_with_its_weights(rows: int, columns: int, bits: int):
    layer, weight = stored(rows, columns, Scheme(4, 32) if bits == 4 else Scheme(8))
    computing = _computing(layer.cuda(), torch.bfloat16)
    assert isinstance(computing, CudaInt4Linear if bits == 4 else Int8Linear)
    assert close(computing.weights(torch.bfloat16), weight)
    for count in (1, 7, 64, 300):
        x = torch.randn(count, columns, generator=torch.Generator().manual_seed(count)).bfloat16().cuda()
        assert close(computing(x), x.float() @ weight.cuda().T)


@needs_cuda
def test_the_kernel_accepts_common_shapes_and_computes_each_row_with_the_same_bits():
    computing = _computing(stored(256, 2048, Scheme(4, 32))[0].cuda(), torch.bfloat16)
    assert isinstance(computing, CudaInt4Linear) and computing.has_kernel
    x = torch.randn(512, 2048, generator=torch.Generator().manual_seed(1)).bfloat16().cuda()
    whole = computing(x)
    assert all(torch.equal(computing(x[:count]), whole[:count]) for count in (1, 2, 16, 17, 64, 65, 256))


def test_without_the_kernel_values_are_dequantized():
    layer, weight = stored(48, 96, Scheme(4, 32))
    scale = layer.get_buffer("weight_scale")
    computing = CudaInt4Linear(layer.values(), scale, layer.offsets(), 32, None, torch.float32)
    assert not computing.has_kernel
    x = torch.randn(5, 96)
    assert torch.allclose(computing(x), x @ weight.T, atol=1e-5)
    assert torch.equal(computing.rows(torch.tensor([3, 4]), torch.float32), weight[3:5])
    pairs = computing.get_buffer("scale_G_O_2")
    assert torch.equal(_dequantized(layer.values(), pairs, torch.float32), weight)
