"""Quantized linear layers and embeddings with torch's kernels. The result of a row does not depend on the number of rows
computed together, only on the method: by the kernel, or with dequantized weights."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import torch
from torch import nn
from torch.nn import functional as F

from lorekeep.precision import Scheme
from lorekeep.quantization import native

# Rows of the unit matrix that are multiplied at once to read out the weights.
_UNIT_ROWS = 512
# Weights that are rounded at once: a chunk fits the processor's cache, and a whole vocabulary would dominate peak memory.
_MAX_ROUNDED = 1 << 18


class QuantizedLinear(nn.Module):
    """A linear layer as stored. `prepared` returns the layer for computing."""

    def __init__(self, rows: int, columns: int, scheme: Scheme, bias: bool):
        super().__init__()
        self.in_features, self.out_features, self.scheme = columns, rows, scheme
        scales = scheme.scales(columns)
        words = -(-columns // scheme.in_a_word)
        self.register_buffer("weight_packed", torch.empty(rows, words, dtype=torch.int32))
        self.register_buffer("weight_scale", torch.empty(rows, scales))
        self.register_buffer("weight_shape", torch.empty(2, dtype=torch.int64))
        if not scheme.symmetric:
            self.register_buffer("weight_zero_point", torch.empty(-(-rows // 8), scales, dtype=torch.int32))
        self.bias = nn.Parameter(torch.empty(rows), requires_grad=False) if bias else None

    def values(self) -> torch.Tensor:
        """The integers of the layer, after validation."""
        if not torch.isfinite(self.get_buffer("weight_scale")).all():
            raise ValueError("a scale is not a number")
        if self.get_buffer("weight_shape").tolist() != [self.out_features, self.in_features]:
            raise ValueError("weight_shape is not that of the layer")
        return unpacked(self.get_buffer("weight_packed"), self.scheme.bits, self.in_features)

    def prepared(self, dtype: torch.dtype) -> "ComputingLinear":
        values, scale = self.values(), self.get_buffer("weight_scale")
        if self.scheme.bits == 8:
            return Int8Linear(values, scale[:, 0].to(dtype), self.bias)
        if self._is_native(dtype):
            return NativeInt4Linear(values, scale, self.bias)
        return Int4Linear(values, scale, self.offsets(), self.group, self.bias, dtype)

    @property
    def group(self) -> int:
        """Columns that share a scale."""
        return self.scheme.group or 32

    def offsets(self) -> torch.Tensor:
        """Offsets that the dequantized values of each group get."""
        scale = self.get_buffer("weight_scale")
        if self.scheme.symmetric:
            return torch.zeros_like(scale, dtype=torch.float32)
        stored = self.get_buffer("weight_zero_point").T.contiguous()
        return -unpacked(stored, 4, self.out_features).T.float() * scale.float()

    def _is_native(self, dtype: torch.dtype) -> bool:
        size = self.out_features, self.in_features, self.group
        return (
            self.scheme.symmetric
            and dtype == torch.bfloat16
            and native.Int4Weights.fits(*size)
            and native.available()
        )


class Leading:
    """Leading rows of a step that are computed with weights dequantized to 16 bits, piece by piece in a buffer, which is
    faster than the kernels for many rows. Shared by the layers of a model."""

    def __init__(self):
        self.rows = 0

    @contextmanager
    def set(self, rows: int) -> Iterator[None]:
        self.rows = rows
        try:
            yield
        finally:
            self.rows = 0


class ComputingLinear(nn.Module, ABC):
    in_features: int
    out_features: int
    bias: torch.Tensor | None
    leading = Leading()  # default without leading rows, for a layer outside of a model

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x_T_D, rows = x.reshape(-1, self.in_features), self.leading.rows
        if rows == 0:
            y = self.product(x_T_D)
        elif rows == len(x_T_D):
            y = self.written_out(x_T_D)
        else:
            y = torch.cat([self.written_out(x_T_D[:rows]), self.product(x_T_D[rows:])])
        y = y.view(*x.shape[:-1], self.out_features)
        return y if self.bias is None else y + self.bias

    @abstractmethod
    def product(self, x_T_D: torch.Tensor) -> torch.Tensor:
        """The product by the kernel."""

    @abstractmethod
    def written_out(self, x_T_D: torch.Tensor) -> torch.Tensor:
        """The product with dequantized weights."""

    @abstractmethod
    def weights(self, dtype: torch.dtype) -> torch.Tensor:
        """The dequantized weights."""

    @abstractmethod
    def rows(self, numbers: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        """Some rows of the dequantized weights."""


class Int8Linear(ComputingLinear):
    """8-bit integers with a scale for each row."""

    def __init__(self, values_O_D: torch.Tensor, scale_O: torch.Tensor, bias: torch.Tensor | None):
        super().__init__()
        self.out_features, self.in_features = values_O_D.shape
        self.bias = bias
        self.register_buffer("values_O_D", values_O_D.contiguous())
        self.register_buffer("scale_O", scale_O)

    @classmethod
    def of(cls, weight_O_D: torch.Tensor, bias: torch.Tensor | None) -> "Int8Linear":
        values, scale = rounded(weight_O_D, Scheme(8))
        return cls(values, scale[:, 0].to(weight_O_D.dtype), bias)

    def product(self, x_T_D: torch.Tensor) -> torch.Tensor:
        values, scale = self.get_buffer("values_O_D"), self.get_buffer("scale_O")
        if self._is_native(x_T_D):
            return native.product8(x_T_D, values, scale)
        if x_T_D.device.type == "cpu":
            return torch.ops.aten._weight_int8pack_mm(x_T_D, values, scale)
        return F.linear(x_T_D, values.to(x_T_D.dtype)) * scale

    def _is_native(self, x_T_D: torch.Tensor) -> bool:
        types = x_T_D.dtype, self.get_buffer("scale_O").dtype
        plain = x_T_D.device.type == "cpu" and types == (torch.bfloat16, torch.bfloat16)
        return plain and self.in_features % native.GROUP == 0 and native.available()

    def written_out(self, x_T_D: torch.Tensor) -> torch.Tensor:
        if self._is_native(x_T_D) and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
            return self.product(x_T_D)
        values = self.get_buffer("values_O_D")
        found = x_T_D.new_empty(len(x_T_D), self.out_features)
        for part, y in _pieces(self.out_features, max(1, _MAX_WEIGHTS // self.in_features), found):
            weight = _buffer("weight", (part.stop - part.start, self.in_features), x_T_D.dtype)
            weight.copy_(values[part])
            for x_some, y_some in zip(x_T_D.split(_MAX_ROWS), y.split(_MAX_ROWS), strict=True):
                y_some.copy_(F.linear(x_some, weight))
        return found.mul_(self.get_buffer("scale_O"))

    def weights(self, dtype: torch.dtype) -> torch.Tensor:
        return self.get_buffer("values_O_D").to(dtype).mul_(self.get_buffer("scale_O").to(dtype)[:, None])

    def rows(self, numbers: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        scale = self.get_buffer("scale_O")[numbers].to(dtype)
        return self.get_buffer("values_O_D")[numbers].to(dtype).mul_(scale[..., None])


class Int4Linear(ComputingLinear):
    """4-bit integers with a scale and an offset for each group of columns."""

    group: int

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
        both = torch.stack([scale_O_G.float(), zero_O_G.float()], -1).transpose(0, 1).contiguous()
        self.register_buffer("scale_G_O_2", both.to(dtype))
        # The kernel of a processor takes values from 0 to 15 in a layout of its own.
        packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(values_O_D.to(torch.int32) + 8, 1)
        self.register_buffer("packed", packed)

    def product(self, x_T_D: torch.Tensor) -> torch.Tensor:
        if x_T_D.device.type == "cpu":
            return self._kernel(x_T_D, 0)
        return F.linear(x_T_D, self.weights(x_T_D.dtype))

    def _kernel(self, x_T_D: torch.Tensor, first: int) -> torch.Tensor:
        """The product with the rows of the weights from `first` on, which is a multiple of the layout's block."""
        packed, scale = self.get_buffer("packed")[first:], self.get_buffer("scale_G_O_2")[:, first:]
        return torch.ops.aten._weight_int4pack_mm_for_cpu(x_T_D, packed, self.group, scale.contiguous())

    def written_out(self, x_T_D: torch.Tensor) -> torch.Tensor:
        whole = self._readable()
        found = x_T_D.new_empty(len(x_T_D), self.out_features)
        step = max(1, _MAX_WEIGHTS // 4 // self.in_features // _BLOCK_ROWS) * _BLOCK_ROWS
        for part, y in _pieces(whole, step, found):
            weight_D_N = self._columns(part, x_T_D.dtype)
            for x_some, y_some in zip(x_T_D.split(_MAX_ROWS), y.split(_MAX_ROWS), strict=True):
                y_some.copy_(x_some @ weight_D_N)
        if whole < self.out_features:
            found[:, whole:] = self._kernel(x_T_D, whole)
        return found

    def _readable(self) -> int:
        """Number of rows with the known block layout; the remaining rows have another one."""
        return self.out_features // _BLOCK_ROWS * _BLOCK_ROWS if _layout_is_known() else 0

    def _columns(self, part: slice, dtype: torch.dtype) -> torch.Tensor:
        """Some rows of the weights as columns, written into a buffer."""
        blocks, wide = (part.stop - part.start) // _BLOCK_ROWS, self.in_features
        packed_D_B_H = self.get_buffer("packed")[part].view(blocks, wide, _BLOCK_ROWS // 2).transpose(0, 1)
        values = _buffer("values", (wide, blocks, 2, _BLOCK_ROWS // 2), torch.uint8)
        torch.bitwise_and(packed_D_B_H, 15, out=values[:, :, 0])
        torch.bitwise_right_shift(packed_D_B_H, 4, out=values[:, :, 1])
        weight = _buffer("weight", (wide // self.group, self.group, blocks * _BLOCK_ROWS), dtype)
        weight.copy_(values.view(weight.shape))
        scale, zero = self.get_buffer("scale_G_O_2")[:, part].to(dtype).unbind(-1)
        offset_G_N = zero - 8 * scale
        torch.addcmul(offset_G_N[:, None], weight, scale[:, None], out=weight)
        return weight.view(wide, -1)

    def weights(self, dtype: torch.dtype) -> torch.Tensor:
        whole = self._readable()
        found = torch.empty(self.out_features, self.in_features, dtype=dtype)
        for start in range(0, whole, _BLOCK_ROWS):
            part = slice(start, start + _BLOCK_ROWS)
            found[part] = self._columns(part, dtype).T
        if whole < self.out_features:
            found[whole:] = self._shown(whole, dtype)
        return found.to(self.get_buffer("packed").device)

    def _shown(self, first: int, dtype: torch.dtype) -> torch.Tensor:
        """Rows of the weights if the kernel's layout is unknown: the product with the unit matrix gives the
        weights."""
        found = torch.empty(self.out_features - first, self.in_features, dtype=dtype)
        for start in range(0, self.in_features, _UNIT_ROWS):
            end = min(start + _UNIT_ROWS, self.in_features)
            unit = torch.zeros(end - start, self.in_features, dtype=self.get_buffer("scale_G_O_2").dtype)
            unit[torch.arange(end - start), torch.arange(start, end)] = 1
            found[:, start:end] = self._kernel(unit, first).T.to(dtype)
        return found

    def rows(self, numbers: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        return self.weights(dtype)[numbers]


class NativeInt4Linear(ComputingLinear):
    """4-bit integers with a scale for each group of columns, in the layout of native.py. Its kernel is the fastest method for
    any number of rows."""

    def __init__(self, values_O_D: torch.Tensor, scale_O_G: torch.Tensor, bias: torch.Tensor | None):
        super().__init__()
        self.out_features, self.in_features = values_O_D.shape
        self.bias = bias
        self.register_buffer("packed", native.Int4Weights.packed(values_O_D))
        blocks = scale_O_G.to(torch.bfloat16).view(-1, native.BLOCK, scale_O_G.shape[1])
        self.register_buffer("scale_B_G_N", blocks.transpose(1, 2).contiguous())

    def product(self, x_T_D: torch.Tensor) -> torch.Tensor:
        packed, scale = self.get_buffer("packed"), self.get_buffer("scale_B_G_N")
        if x_T_D.device.type == "cpu" and x_T_D.dtype == torch.bfloat16:
            return native.product4(x_T_D, packed, scale, self.in_features // scale.shape[1])
        return F.linear(x_T_D, self.weights(x_T_D.dtype))

    def written_out(self, x_T_D: torch.Tensor) -> torch.Tensor:
        return self.product(x_T_D)

    def weights(self, dtype: torch.dtype) -> torch.Tensor:
        values = native.Int4Weights.unpacked(self.get_buffer("packed")).to(dtype)
        scale = self.get_buffer("scale_B_G_N").transpose(1, 2).flatten(0, 1).to(dtype)
        return (values.view(*scale.shape, -1) * scale[..., None]).view(values.shape)

    def rows(self, numbers: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        return self.weights(dtype)[numbers]


# Number of weights dequantized at once, and number of rows multiplied with them at once.
_MAX_WEIGHTS, _MAX_ROWS = 1 << 22, 256
# Rows of weights that the kernel of 4 bits stores together, on processors with registers of 512 bits.
_BLOCK_ROWS = 64
_buffers = threading.local()


def _pieces(columns: int, step: int, y_T_O: torch.Tensor) -> Iterator[tuple[slice, torch.Tensor]]:
    for start in range(0, columns, step):
        part = slice(start, min(start + step, columns))
        yield part, y_T_O[:, part]


def _buffer(name: str, shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    """A buffer that all layers reuse, since fresh memory would cost as much as writing to it."""
    size = torch.Size(shape).numel()
    kept = getattr(_buffers, f"{name}_{dtype}", None)
    if kept is None or kept.numel() < size:
        with torch.inference_mode(False):  # a tensor of inference mode could not be written outside of it
            kept = torch.empty(size, dtype=dtype)
        setattr(_buffers, f"{name}_{dtype}", kept)
    return kept[:size].view(shape)


@cache
def _layout_is_known() -> bool:
    """Whether the 4-bit kernel of this processor uses the layout that `_columns` reads."""
    values = torch.arange(_BLOCK_ROWS * 32).view(_BLOCK_ROWS, 32) * 7 % 16 - 8
    ones = torch.ones(_BLOCK_ROWS, 1)
    layer = Int4Linear(values.to(torch.int8), ones, 0 * ones, 32, None, torch.bfloat16)
    return torch.equal(layer._columns(slice(0, _BLOCK_ROWS), torch.float32), values.T.float())


class Int8Embedding(nn.Module):
    """An 8-bit embedding. If it is tied to the head, both share the weights."""

    def __init__(self, values_V_D: torch.Tensor, scale_V: torch.Tensor, padding: int | None, tied: bool):
        super().__init__()
        self.tied = tied
        self.num_embeddings, self.embedding_dim = values_V_D.shape
        self.padding_idx = padding
        self.register_buffer("values_V_D", values_V_D)
        self.register_buffer("scale_V", scale_V)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        scale = self.get_buffer("scale_V")
        return self.get_buffer("values_V_D")[ids].to(scale.dtype) * scale[ids][..., None]


def packed(values_O_D: torch.Tensor, bits: int) -> torch.Tensor:
    """Packs signed 4-bit or 8-bit values with an offset into 32-bit integers, the first value in the lowest bits."""
    raised = (values_O_D.to(torch.int16) + (1 << (bits - 1))).to(torch.uint8)
    if spare := -raised.shape[1] % (32 // bits):
        raised = F.pad(raised, (0, spare))
    if bits == 4:
        raised = raised[:, ::2] | raised[:, 1::2] << 4
    return raised.contiguous().view(torch.int32)


def unpacked(words_O_W: torch.Tensor, bits: int, columns: int) -> torch.Tensor:
    """Inverse of `packed`: signed values as int8."""
    bytes_O_B = words_O_W.contiguous().view(torch.uint8)
    if bits == 4:
        bytes_O_B = torch.stack([bytes_O_B & 15, bytes_O_B >> 4], -1).flatten(1)
    return (bytes_O_B.to(torch.int16) - (1 << (bits - 1))).to(torch.int8)[:, :columns]


def rounded(weight_O_D: torch.Tensor, scheme: Scheme) -> tuple[torch.Tensor, torch.Tensor]:
    """(values, scales) of the rounded weights. 4-bit groups use the candidate scale with the least squared error, which may
    clip the largest value for the benefit of the others."""
    rows = max(1, _MAX_ROUNDED // weight_O_D.shape[1])
    values, scales = zip(*[_rounded(part, scheme) for part in weight_O_D.split(rows)], strict=True)
    return torch.cat(values), torch.cat(scales)


def _rounded(weight_O_D: torch.Tensor, scheme: Scheme) -> tuple[torch.Tensor, torch.Tensor]:
    low, high = -(1 << (scheme.bits - 1)), (1 << (scheme.bits - 1)) - 1
    rows, columns = weight_O_D.shape
    parts = weight_O_D.float().view(rows, -1, scheme.group or columns)
    widest = parts.gather(-1, parts.abs().argmax(-1, keepdim=True))
    # 8 bits: symmetric. 4 bits: the widest value becomes the lowest number, of which there is one more.
    candidates = [widest.abs() / high] if scheme.bits == 8 else [widest / (low * cut) for cut in _SCALE_CUTS]
    # Scales are stored in 16 bits, and are rounded before the values are.
    scales = [one.bfloat16().float() for one in candidates]
    scale = scales[0]
    if len(scales) > 1:
        errors = [(_whole(parts, one, low, high) * one).sub_(parts).square_().sum(-1) for one in scales]
        best = torch.stack(errors).argmin(0)
        scale = torch.stack(scales)[..., 0].gather(0, best[None])[0][..., None]
    return _whole(parts, scale, low, high).to(torch.int8).view(rows, columns), scale[..., 0]


def _whole(parts: torch.Tensor, scale: torch.Tensor, low: int, high: int) -> torch.Tensor:
    """The nearest integers at that scale; groups close to zero become zero."""
    inverse = torch.where(scale.abs() < _MIN_SCALE, 0.0, 1 / scale)
    return (parts * inverse).round_().clamp_(low, high)


# Candidate scales, as shares of the lowest integer that the largest value of a group becomes.
_SCALE_CUTS = (1.0, 0.94, 0.88, 1.1)
_MIN_SCALE = 1e-30
