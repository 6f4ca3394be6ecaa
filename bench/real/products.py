"""Products of a linear layer on a device, in each existing or possible way: microseconds at some numbers of rows, and the numbers
of rows at which the bits of a row differ from those with the most rows."""

from collections.abc import Callable

import torch
from lorekeep.precision import Scheme
from lorekeep.quantization.cuda import CudaInt4Linear
from lorekeep.quantization.linear import Int8Linear, rounded
from torch.nn import functional as F

# Numbers of rows that are timed, and those that are compared with the most.
TIMED = (1, 16, 64, 256)
COMPARED = (
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    12,
    16,
    17,
    24,
    32,
    33,
    48,
    64,
    65,
    80,
    96,
    128,
    129,
    160,
    192,
    224,
    256,
    272,
    320,
    352,
    384,
)
REPEATS = 10

Product = Callable[[torch.Tensor], torch.Tensor]


@torch.inference_mode()
def measured(device: str, shape: dict, timed: Callable[[Callable[[], object]], float]) -> str:
    wide, inner = shape["hidden_size"], shape["intermediate_size"]
    heads = shape["num_key_value_heads"] * shape["head_dim"]
    sizes = [("k", heads, wide), ("q", wide, wide), ("up", inner, wide), ("down", wide, inner)]
    lines = [
        f"microseconds at {', '.join(map(str, TIMED))} rows; numbers of rows with other bits than {COMPARED[-1]}"
    ]
    for name, rows, columns in [*sizes, ("head", shape["vocab_size"], wide)]:
        noise = torch.Generator(device).manual_seed(1)
        weight = torch.randn(rows, columns, generator=noise, device=device).mul_(0.02).bfloat16()
        x_T_D = torch.randn(COMPARED[-1], columns, generator=noise, device=device).bfloat16()
        for kind, made in kinds(weight, is_head=name == "head").items():
            try:
                said = one(made(), x_T_D, timed)
            except (RuntimeError, NotImplementedError) as error:
                said = f"refused: {str(error).splitlines()[0][:160]}"
            lines.append(f"{name:5} {kind:16} {said}")
    return "\n    ".join(lines)


def kinds(weight: torch.Tensor, is_head: bool) -> dict[str, Callable[[], Product]]:
    def int8_kernel() -> Product:
        values, scale = rounded(weight, Scheme(8))
        scale_O = scale[:, 0].bfloat16()
        return lambda x_T_D: torch.ops.aten._weight_int8pack_mm(x_T_D, values, scale_O)

    def int4() -> CudaInt4Linear:
        values, scale = rounded(weight, Scheme(4, 32))
        return CudaInt4Linear(values, scale, torch.zeros_like(scale), 32, None, torch.bfloat16)

    def int4_dequantized() -> Product:
        layer = int4()
        layer.has_kernel = False
        layer.packed = rounded(weight, Scheme(4, 32))[0]
        return layer

    found = {
        "bf16": lambda: lambda x_T_D: F.linear(x_T_D, weight),
        "int8 dequantized": lambda: Int8Linear.of(weight, None),
        "int8 kernel": int8_kernel,
    }
    return found if is_head else {**found, "int4 kernel": int4, "int4 dequantized": int4_dequantized}


def one(product: Product, x_T_D: torch.Tensor, timed: Callable[[Callable[[], object]], float]) -> str:
    whole = product(x_T_D)
    others = [count for count in COMPARED if not torch.equal(product(x_T_D[:count]), whole[:count])]
    taken = []
    for count in TIMED:
        some = x_T_D[:count]
        taken.append(timed(lambda some=some: [product(some) for _ in range(REPEATS)]) / REPEATS)
    return f"{'  '.join(f'{1e6 * one:7.1f}' for one in taken)}   {others or 'none'}"
