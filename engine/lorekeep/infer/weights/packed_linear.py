"""Linear layers in a library's own weight layout. oneDNN's layout can be written to a file and used from a memory map, so
that processes on one machine share its pages."""

import ctypes
from functools import cache
from pathlib import Path

import numpy as np
import torch
from torch import nn

from lorekeep.quantization import native

# Row count for which a packed layout is chosen; any number of rows may follow.
_PACKED_ROWS = 256


class PackedLinear(nn.Module):
    """A linear layer in a library's own weight layout. Unlike the plain layer, it uses one kernel for any
    number of rows."""

    bias: torch.Tensor | None

    def __init__(self, linear: nn.Linear):
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.bias = linear.bias


class OneDnnLinear(PackedLinear):
    """oneDNN layer. At one row it costs some 20 µs more than the plain one: much for a small layer, little
    for a large one."""

    packed: torch.Tensor

    def __init__(self, linear: nn.Linear):
        super().__init__(linear)
        self.packed = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), 32)

    def forward(self, x_T_D: torch.Tensor) -> torch.Tensor:
        return torch.ops.mkldnn._linear_pointwise.default(x_T_D, self.packed, self.bias, "none", [], "")

    def weights(self) -> torch.Tensor:
        """The weights as a plain tensor."""
        return self.packed.to_dense()

    def written(self) -> dict[str, torch.Tensor]:
        """The raw bytes of the weights, and oneDNN's description of their layout."""
        size, at = torch.ops.mkldnn._nbytes(self.packed), torch.ops.mkldnn.data_ptr(self.packed)
        raw = torch.from_numpy(np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(at)))
        return {"raw": raw, "layout": torch.ops.mkldnn._get_mkldnn_serialized_md(self.packed)}

    def take(self, dtype: torch.dtype) -> None:
        """Computes with the bytes of its buffers `raw` and `layout` from now on, without a copy."""
        raw, layout = self.get_buffer("raw"), self.get_buffer("layout")
        self.packed = _mapped(raw, bytes(layout.tolist()), (self.out_features, self.in_features), dtype)


class MklLinear(PackedLinear):
    """MKL layer. It is faster than the plain one at any number of rows."""

    def __init__(self, linear: nn.Linear):
        super().__init__(linear)
        self.linear = torch.ops.mkl._mkl_linear.default
        weight = linear.weight.detach()
        self.packed = torch.ops.mkl._mkl_reorder_linear_weight(weight, _PACKED_ROWS)
        # Only the shape of this tensor is used.
        self.shape_E_D = weight.new_empty(1, 1).expand(weight.shape)

    def forward(self, x_T_D: torch.Tensor) -> torch.Tensor:
        # torch accepts the packed weight only for the row count given at packing.
        rows = x_T_D.numel() // self.in_features
        return self.linear(x_T_D, self.packed, self.shape_E_D, self.bias, rows)


class NativeLinear(PackedLinear):
    """The engine's own kernel on plain weights of 16 bits, for processors without instructions for them. The weights stay where
    they are: processes that map one file share them, and a tied head shares them with the embedding."""

    def __init__(self, linear: nn.Linear):
        super().__init__(linear)
        self.weight = linear.weight

    @staticmethod
    def is_wanted() -> bool:
        """Whether this processor computes 16 bits fastest in this way."""
        return not torch.ops.mkldnn._is_mkldnn_bf16_supported() and native.available()

    @staticmethod
    def fits(linear: nn.Linear) -> bool:
        return (
            linear.weight.dtype == torch.bfloat16
            and linear.in_features % native.GROUP == 0
            and NativeLinear.is_wanted()
        )

    def forward(self, x_T_D: torch.Tensor) -> torch.Tensor:
        y_T_O = native.product16(x_T_D.reshape(-1, self.in_features), self.weight)
        y_T_O = y_T_O.view(*x_T_D.shape[:-1], self.out_features)
        return y_T_O if self.bias is None else y_T_O + self.bias


@cache
def can_be_mapped() -> bool:
    """Whether this build of torch can map packed weights, tested on a small layer."""
    if not torch.backends.mkldnn.is_available() or not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        return False
    try:
        layer = OneDnnLinear(nn.Linear(64, 32, bias=False, dtype=torch.bfloat16))
        x_1_D = torch.ones(1, 64, dtype=torch.bfloat16)
        wanted = layer(x_1_D)
        for name, tensor in layer.written().items():
            layer.register_buffer(name, tensor.clone())
        layer.take(torch.bfloat16)
        return torch.equal(layer(x_1_D), wanted)
    except (AttributeError, RuntimeError, OSError):
        return False


# torch's C interface of compiled models makes a tensor of given memory in a given layout.
_DTYPES = {torch.bfloat16: "bfloat16", torch.float32: "float32"}


def _mapped(raw: torch.Tensor, layout: bytes, shape: tuple[int, int], dtype: torch.dtype) -> torch.Tensor:
    library, made = _library(), ctypes.c_void_p()
    failed = library.aoti_torch_create_tensor_from_blob_v2(
        ctypes.c_void_p(raw.data_ptr()),
        ctypes.c_int64(2),
        (ctypes.c_int64 * 2)(*shape),
        (ctypes.c_int64 * 2)(shape[1], 1),
        ctypes.c_int64(0),
        getattr(library, f"aoti_torch_dtype_{_DTYPES[dtype]}")(),
        library.aoti_torch_device_type_cpu(),
        0,
        ctypes.byref(made),
        library.aoti_torch_layout__mkldnn(),
        (ctypes.c_uint8 * len(layout)).from_buffer_copy(layout),
        ctypes.c_int64(len(layout)),
    )
    if failed:
        raise RuntimeError("oneDNN does not take the layout of a written weight")
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    return getattr(torch._C, "_aoti").alloc_tensor_by_stealing_from_void_ptr(  # noqa: B009 (no stub has it)
        capsule(made, None, None)
    )


@cache
def _library() -> ctypes.CDLL:
    (file,) = (Path(torch.__file__).parent / "lib").glob("libtorch_cpu.*")
    return ctypes.CDLL(str(file))
