"""Products with weights of 4 and 8 bits, compiled at the first use for x86 processors with AVX2. Activations are rounded to
integers in groups of 32: 8 bits for weights of 4, 16 for weights of 8. Sums within a group are exact, and groups are added in one
order, so a row has the same bits in any batch, with any number of threads, and on every such processor."""

import ctypes
import logging
import platform
from collections.abc import Callable
from functools import cache
from pathlib import Path

import torch

from lorekeep import precision
from lorekeep.quantization import kernels
from lorekeep.quantization.kernel_loops import BLOCK, GROUP

log = logging.getLogger(__name__)
# Version of the layout and of the order of sums, to be raised with every change of either.
VERSION = 1
_FEATURES = ("avx2", "fma")
# Products up to this size are computed by one thread: starting others costs more than they save.
_MAX_SINGLE_THREAD = 1 << 18


@cache
def available() -> bool:
    """Whether this machine has the kernels."""
    return _functions() is not None


def suits() -> bool:
    """Whether this processor has the instructions of the kernels."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return False
    from llvmlite import binding as llvm

    features = llvm.get_host_cpu_features()
    return all(features.get(one) for one in _FEATURES)


class Int4Weights:
    """The layout of 4-bit weights: blocks of 16 rows, within them groups of 32 columns, within them two halves of 8 rows, within
    them 4 columns of each row in turn. The first 16 columns of a group are in the lower bits, the others in the upper."""

    @staticmethod
    def fits(rows: int, columns: int, group: int) -> bool:
        return rows % BLOCK == 0 and columns % group == 0 and group in precision.GROUPS

    @staticmethod
    def packed(values_O_D: torch.Tensor) -> torch.Tensor:
        """Values from -8 to 7, as bytes with two each."""
        rows, columns = values_O_D.shape
        made = torch.empty(rows, columns // 2, dtype=torch.uint8)
        for start in range(
            0, rows, BLOCK
        ):  # block by block, since a copy of a whole layer would be the peak of a load
            raised = (values_O_D[start : start + BLOCK] + 8).to(torch.uint8)
            parts = raised.view(2, 8, columns // GROUP, 2, 4, 4).permute(3, 2, 0, 4, 1, 5)
            made[start : start + BLOCK] = (parts[0] | parts[1] << 4).reshape(BLOCK, -1)
        return made

    @staticmethod
    def unpacked(packed_O_H: torch.Tensor) -> torch.Tensor:
        """The values as int8."""
        rows, half = packed_O_H.shape
        parts = packed_O_H.view(rows // BLOCK, half * 2 // GROUP, 2, 4, 8, 4)
        both = torch.stack(
            [parts & 15, parts >> 4]
        )  # half of a group, block, group, half of a block, 4 columns, row, column
        return both.permute(1, 3, 5, 2, 0, 4, 6).reshape(rows, half * 2).to(torch.int8) - 8


def product4(
    x_T_D: torch.Tensor, packed_O_H: torch.Tensor, scale_B_G_16: torch.Tensor, group: int
) -> torch.Tensor:
    x_T_D = x_T_D.contiguous()
    rows, columns = x_T_D.shape
    wide = len(packed_O_H)
    y_T_O = torch.empty(rows, wide, dtype=torch.bfloat16)
    # For each group of a row: its integers, their scale and their sum.
    scratch = torch.empty(rows * columns // GROUP * (GROUP + 8), dtype=torch.uint8)
    _run(
        "product4",
        x_T_D,
        packed_O_H,
        scale_B_G_16,
        y_T_O,
        scratch,
        rows,
        columns,
        wide,
        (group // GROUP).bit_length() - 1,
    )
    return y_T_O


def product8(x_T_D: torch.Tensor, values_O_D: torch.Tensor, scale_O: torch.Tensor) -> torch.Tensor:
    x_T_D = x_T_D.contiguous()
    rows, columns = x_T_D.shape
    wide = len(values_O_D)
    y_T_O = torch.empty(rows, wide, dtype=torch.bfloat16)
    scratch = torch.empty(rows * columns // GROUP * (2 * GROUP + 4), dtype=torch.uint8)
    _run("product8", x_T_D, values_O_D, scale_O, y_T_O, scratch, rows, columns, wide, 0)
    return y_T_O


def product16(x_T_D: torch.Tensor, weight_O_D: torch.Tensor) -> torch.Tensor:
    x_T_D = x_T_D.contiguous()
    rows, columns = x_T_D.shape
    wide = len(weight_O_D)
    y_T_O = torch.empty(rows, wide, dtype=torch.bfloat16)
    _run("product16", x_T_D, weight_O_D, weight_O_D, y_T_O, y_T_O, rows, columns, wide, 0)
    return y_T_O


def _run(name: str, *given) -> None:
    functions = _functions()
    assert functions is not None
    *tensors, rows, columns, wide, group = given
    threads = torch.get_num_threads() if rows * columns * wide > _MAX_SINGLE_THREAD else 1
    numbers = [tensor.data_ptr() for tensor in tensors]
    functions[name](*numbers, rows, columns, wide, group, threads)


@cache
def _functions() -> dict[str, Callable] | None:
    try:
        if not suits():
            return None
        from llvmlite import binding as llvm

        return _compiled(llvm)
    except (ImportError, OSError, RuntimeError) as error:
        log.warning("the kernels of this engine cannot be compiled (%s); torch's are used", error)
        return None


# The compiled code lives as long as its engine.
_engines = []


def _compiled(llvm) -> dict[str, Callable]:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(kernels.source(_with_threads(llvm)))
    module.verify()
    # The same instructions on every processor give the same bits.
    target = llvm.Target.from_default_triple().create_target_machine(
        cpu="x86-64", features=",".join(f"+{one}" for one in _FEATURES), opt=3
    )
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, target)
    engine.finalize_object()
    _engines.append(engine)
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5, *[ctypes.c_int64] * 5)
    return {name: kind(engine.get_function_address(name)) for name in ("product4", "product8", "product16")}


def _with_threads(llvm) -> bool:
    """Makes torch's threads available to the compiled code. Without them it runs in one thread."""
    found = sorted((Path(torch.__file__).parent / "lib").glob("libgomp*"))
    if not found:
        return False
    library = ctypes.CDLL(str(found[0]))
    for name in kernels.THREADS:
        llvm.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)
    return True
