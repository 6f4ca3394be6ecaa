import pytest
import torch

from lorekeep.precision import Scheme
from lorekeep.quantization import native
from lorekeep.quantization.linear import Int4Linear, Int8Linear, NativeInt4Linear, QuantizedLinear, packed

# On a processor with the instructions a failed compilation fails the tests instead of skipping them.
pytestmark = pytest.mark.skipif(not native.suits(), reason="this processor lacks the kernels' instructions")


def test_the_kernels_compile_where_the_processor_has_their_instructions():
    assert native.available()


def layer_of(kind: str, rows: int, columns: int, group: int = 32, bias: bool = False):
    torch.manual_seed(rows + columns)
    most = 127 if kind == "int8" else 7
    values = torch.randint(-most - (kind == "int4"), most + 1, (rows, columns), dtype=torch.int8)
    added = torch.nn.Parameter(torch.randn(rows).bfloat16(), requires_grad=False) if bias else None
    if kind == "int8":
        return Int8Linear(values, (torch.rand(rows) * 0.1 + 0.01).bfloat16(), added)
    return NativeInt4Linear(values, torch.rand(rows, columns // group) * 0.1 + 0.01, added)


SHAPES = [
    ("int4", 16, 32, 32),
    ("int4", 80, 256, 64),
    ("int4", 48, 512, 256),
    ("int8", 1, 32, 0),
    ("int8", 7, 96, 0),
    ("int8", 70, 256, 0),
]


@pytest.mark.parametrize(("kind", "rows", "columns", "group"), SHAPES)
@pytest.mark.parametrize("bias", [False, True])
def test_products_equal_those_of_the_dequantized_weights(kind, rows, columns, group, bias):
    layer = layer_of(kind, rows, columns, group, bias)
    x = torch.randn(9, columns).bfloat16() * torch.logspace(-3, 3, 9)[:, None].bfloat16()
    wanted = x.float() @ layer.weights(torch.float32).T
    added = 0 if layer.bias is None else layer.bias.float()
    found = layer(x).float() - added
    # Integers of 8 bits lose .006 of normally distributed activations, those of 16 bits less than the rounding of the result.
    # A bias is rounded together with the result.
    lost = (found - wanted).norm(dim=1) / (
        wanted.norm(dim=1) + (0 if layer.bias is None else layer.bias.float().norm())
    )
    assert lost.max() < (0.012 if kind == "int4" else 0.006)


@pytest.mark.parametrize("kind", ["int4", "int8"])
def test_rows_have_the_same_bits_in_any_batch_and_with_any_number_of_threads(kind):
    layer = layer_of(kind, 336, 1024)  # large enough for several threads
    x = torch.randn(67, 1024).bfloat16()
    together = layer(x)
    for count in (1, 2, 3, 4, 5, 6, 7, 8, 31, 64):
        assert torch.equal(layer(x[:count]), together[:count])
        assert torch.equal(layer(x[-count:]), together[-count:])
    for threads in (2, 3):
        torch.set_num_threads(threads)
        try:
            assert torch.equal(layer(x), together) and torch.equal(layer(x[:1]), together[:1])
        finally:
            torch.set_num_threads(1)


@pytest.mark.parametrize("kind", ["int4", "int8"])
def test_extreme_activations_neither_overflow_nor_spread(kind):
    layer = layer_of(kind, 32, 64)
    quiet = torch.randn(1, 64).bfloat16()
    for value in (3e38, -3e38, 1e-40, 0.0):
        loud = quiet.clone()
        loud[0, 40] = value
        assert torch.isfinite(layer(loud * 1e-3)).all() or abs(value) > 1
        assert torch.isfinite(layer(torch.cat([loud, quiet]))[1]).all()
    largest = torch.full((1, 64), 1.0).bfloat16()
    wanted = largest.float() @ layer.weights(torch.float32).T
    assert torch.allclose(layer(largest).float(), wanted, rtol=0.01, atol=0.05)
    assert torch.equal(layer(torch.zeros(2, 64).bfloat16()), torch.zeros(2, 32).bfloat16())


@pytest.mark.parametrize("kind", ["int4", "int8"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_row_that_is_not_finite_stays_so_and_does_not_affect_others(kind, value):
    layer = layer_of(kind, 32, 64)
    x = torch.randn(3, 64).bfloat16()
    wanted = layer(x)
    x[1, 5] = value
    found = layer(x)
    assert torch.isnan(found[1]).all()
    assert torch.equal(found[[0, 2]], wanted[[0, 2]])


def test_widest_weights_and_activations_are_summed_without_overflow():
    columns = 8192
    four = NativeInt4Linear(
        torch.full((16, columns), 7, dtype=torch.int8), torch.ones(16, columns // 32), None
    )
    eight = Int8Linear(torch.full((1, columns), -128, dtype=torch.int8), torch.ones(1).bfloat16(), None)
    x = torch.ones(5, columns).bfloat16()
    assert (four(x) == 7 * columns).all() and (eight(x) == -128 * columns).all()


@pytest.mark.parametrize("group", [32, 64, 128])
def test_values_are_the_same_after_packing(group):
    values = torch.randint(-8, 8, (48, 256), dtype=torch.int8)
    assert torch.equal(native.Int4Weights.unpacked(native.Int4Weights.packed(values)), values)
    layer = NativeInt4Linear(values, torch.ones(48, 256 // group), None)
    assert torch.equal(layer.weights(torch.float32), values.float())
    assert torch.equal(layer.rows(torch.tensor([3, 40]), torch.float32), values[[3, 40]].float())


@pytest.mark.parametrize(
    ("rows", "symmetric", "kind"), [(32, True, NativeInt4Linear), (32, False, Int4Linear)]
)
def test_a_layer_without_a_native_kernel_uses_that_of_torch(rows, symmetric, kind):
    values = torch.randint(-8, 8, (rows, 64), dtype=torch.int8)
    layer = QuantizedLinear(rows, 64, Scheme(4, 32, symmetric), bias=False)
    layer.weight_packed, layer.weight_scale = packed(values, 4), torch.ones(rows, 2).bfloat16()
    layer.weight_shape = torch.tensor([rows, 64])
    if not symmetric:
        layer.weight_zero_point = torch.zeros(rows // 8, 2, dtype=torch.int32)
    assert type(layer.prepared(torch.bfloat16)) is kind
