"""Reads a model's weights in unmodified transformers code: from their prepacked copy where there is one for this
machine, else from the folder. Weights come from safetensors only; code in the folder never runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from lorekeep.errors import EngineError
from lorekeep.folders import Folder
from lorekeep.infer import attention, checksums, exact
from lorekeep.infer.exact import StepRows
from lorekeep.infer.weights import prepacked
from lorekeep.infer.weights.packed_linear import NativeLinear
from lorekeep.infer.weights.tensor_file import refuse_nan
from lorekeep.quantization import load
from lorekeep.quantization.linear import Leading

# Maximum parameters that a CPU computes in 32 bits, which is faster for small layers. For a CPU without 16-bit instructions the
# second number applies; above it, half the memory is more important.
_MAX_32_BIT, _MAX_32_BIT_WITHOUT_BF16 = 100_000_000, 1_000_000_000
# Memory of a tuning process beside the weights: libraries, experts in training, states.
_PROCESS_BYTES = 900_000_000
_SAFE = {"local_files_only": True, "trust_remote_code": False}


def read(folder: Folder, dtype: torch.dtype, device: torch.device):
    """The model and its tokenizer. Files are verified if their hashes are known."""
    copy = prepacked.place(folder, dtype) if (mapped := prepacked.is_for(folder, dtype, device)) else None
    checksums.refuse_damaged(folder.path, weights=copy is None)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder.path, **_SAFE)
        if mapped and copy is None:
            copy = prepacked.make(folder, dtype, lambda keep: _load_packed(folder, dtype, keep))
        model = _load_folder(folder, dtype, device) if copy is None else _load_copy(copy, folder, dtype)
        if device.type == "cpu":
            exact.pack_in_place(model)
    except (MemoryError, torch.OutOfMemoryError, EngineError):
        raise
    except Exception as error:  # transformers raises any exception for an inconsistent folder
        if "allocate memory" in str(error):
            raise MemoryError from error
        raise _load_error(folder, str(error)) from error
    return model.eval().requires_grad_(False).to(device), tokenizer


def ready(model) -> tuple[StepRows, Leading | None]:
    """Packs plain layers. Returns the row counts that a step may have, and the setting by which whole blocks of prompts are computed
    with dequantized weights, if that is exact."""
    if model.device.type != "cpu":
        return exact.step_rows_of_gpu(model, model.dtype, model.device), None
    copy: Path | None = getattr(model, "prepacked", None)
    measured = None if copy is None else prepacked.measured(copy)
    if copy is None:
        exact.pack(model)
    if measured is None:
        rows = exact.least_rows(model, model.dtype, model.device)
        measured = {"rows": rows, "leads": exact.written_rows_are_exact(model, model.device)}
        if copy is not None:
            prepacked.note(copy, measured)
    return StepRows(measured["rows"]), exact.leading(model) if measured["leads"] else None


def _load_folder(
    folder: Folder,
    dtype: torch.dtype,
    device: torch.device,
    keep: Callable[[str, nn.Module], None] = lambda name, layer: None,
):
    """Loads the model from the folder's own files, with its quantized layers ready to compute on the device, whose kernels have
    layouts of their own."""
    model = _load_model(folder, folder.path, dtype).to(device)
    for name, parameter in model.named_parameters():
        refuse_nan(name, parameter)
    if folder.precision is not None:
        load.prepare(model, dtype, keep)
    return model


def _load_packed(folder: Folder, dtype: torch.dtype, keep: Callable[[str, nn.Module], None]):
    model = _load_folder(folder, dtype, torch.device("cpu"), keep)
    prepacked.packed(model, keep)
    return model


def _load_copy(copy: Path, folder: Folder, dtype: torch.dtype):
    model = _load_model(folder, copy, dtype)
    prepacked.finish(model, folder, dtype)
    model.prepacked = copy
    return model


def _load_model(folder: Folder, path: Path, dtype: torch.dtype):
    config = AutoConfig.from_pretrained(path, **_SAFE)
    if path == folder.path and folder.precision is not None:
        config.quantization_config = load.configuration(folder.precision)
    loaded: Any = AutoModelForCausalLM.from_pretrained(
        path,
        config=config,
        dtype=dtype,
        attn_implementation=attention.NAME,
        use_safetensors=True,
        output_loading_info=True,
        **_SAFE,
    )
    model, found = loaded
    wrong = sorted(
        {*map(str, found.get("missing_keys") or ()), *map(str, found.get("mismatched_keys") or ())}
    )
    if wrong:
        names = f"{', '.join(wrong[:5])}{' and more' if len(wrong) > 5 else ''}"
        raise EngineError(
            "model_invalid",
            f"{folder.path} cannot be loaded: its weights lack {names}.",
            reason="weights are missing",
        )
    return model


def _load_error(folder: Folder, reason: str) -> EngineError:
    return EngineError("model_invalid", f"{folder.path} cannot be loaded: {reason}.", reason=reason[:1000])


def dtype_for(folder: Folder, device: str) -> torch.dtype:
    """Default number format of a model; kernels of quantized weights need 16 bits."""
    if device != "cpu" or folder.precision is not None:
        return torch.bfloat16
    limit = _MAX_32_BIT if torch.ops.mkldnn._is_mkldnn_bf16_supported() else _MAX_32_BIT_WITHOUT_BF16
    return torch.float32 if folder.parameters <= limit else torch.bfloat16


def weight_bytes(folder: Folder, dtype: torch.dtype) -> int:
    return folder.stored if folder.precision is not None else folder.parameters * dtype.itemsize


def state_bytes(config, dtype: torch.dtype) -> int:
    """Bytes of one token's keys and values in all layers."""
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return 2 * config.num_hidden_layers * heads * width * dtype.itemsize


def tuning_bytes(folder: Folder, dtype: torch.dtype, device: torch.device) -> int:
    """Memory of a tuning process: mapped weights are shared with the serving process, others are held twice, plain and
    packed."""
    # Weights of 16 bits that are computed as they are stored are mapped, too.
    plain = dtype == torch.bfloat16 and folder.stored == 2 * folder.parameters and NativeLinear.is_wanted()
    shared = prepacked.is_for(folder, dtype, device) or (plain and device.type == "cpu")
    return _PROCESS_BYTES + weight_bytes(folder, dtype) * (1 if shared else 2)
