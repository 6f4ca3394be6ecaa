"""Prepacked copy of a model's weights: every layer in the layout that its kernel reads, in one file beside the model.
Processes map the file and share its pages. A copy is made at the first load on a kind of machine, layer by layer, and
made again when the model, torch or the kind of machine changes."""

import contextlib
import ctypes
import fcntl
import gc
import json
import logging
import os
import platform
import secrets
import shutil
from collections.abc import Callable, Iterator
from hashlib import file_digest, sha256
from pathlib import Path

import torch
from safetensors import safe_open
from torch import nn

from lorekeep import folders
from lorekeep.folders import Folder
from lorekeep.infer import exact
from lorekeep.infer.weights.packed_linear import OneDnnLinear, PackedLinear, can_be_mapped
from lorekeep.infer.weights.tensor_file import TensorFile, refuse_nan
from lorekeep.quantization import native
from lorekeep.quantization.linear import (
    ComputingLinear,
    Int4Linear,
    Int8Embedding,
    Int8Linear,
    NativeInt4Linear,
)
from lorekeep.quantization.load import register

log = logging.getLogger(__name__)
# Format version, to be raised with every change of a copy's bytes.
_FORMAT = 1
_FOLDER, _WEIGHTS, _ABOUT = ".prepacked", "model.safetensors", "prepacked.json"
_QUANT_METHOD = "lorekeep-prepacked"
_KINDS = {"int8": Int8Linear, "int4": Int4Linear, "native-int4": NativeInt4Linear, "onednn": OneDnnLinear}
# Disk space that must stay free.
_MIN_FREE_DISK = 1 << 30
# Tensors of a copy for each of the model's: bytes, layout, plain numbers, bias.
_MAX_TENSORS = 4
# Minimum parameters for prepacking plain weights; below, a private copy per process costs little.
MIN_PARAMETERS = 100_000_000

Keep = Callable[[str, nn.Module], None]


def is_for(folder: Folder, dtype: torch.dtype, device: torch.device) -> bool:
    if device.type != "cpu" or dtype != torch.bfloat16:
        return False
    return folder.precision is not None or (folder.parameters >= MIN_PARAMETERS and can_be_mapped())


def place(folder: Folder, dtype: torch.dtype) -> Path | None:
    """The existing intact copy, else None."""
    copy = folder.path / _FOLDER / _key(folder, dtype)
    try:
        about = json.loads((copy / _ABOUT).read_text())
        with open(copy / _WEIGHTS, "rb") as opened:
            if file_digest(opened, "sha256").hexdigest() == about["sum"]:
                return copy
        log.warning("the prepacked copy %s does not match its checksum; it is made again", copy)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.warning("the prepacked copy %s cannot be read (%s); it is made anew", copy, error)
    return None


def make(folder: Folder, dtype: torch.dtype, build: Callable[[Keep], nn.Module]) -> Path | None:
    """Makes the copy, or waits for another process that does. `build` loads the model and passes each computing layer to
    its argument, which takes the layer's weights. None if there is no space for a copy."""
    copies = folder.path / _FOLDER
    try:
        copies.mkdir(exist_ok=True)
        with _locked(copies):
            if (found := place(folder, dtype)) is not None:
                return found
            room, need = shutil.disk_usage(copies).free, folder.parameters * 2 + _MIN_FREE_DISK
            if room < need:
                log.warning(
                    "%s is not prepacked: %d bytes of disk are free, %d are needed", folder.path, room, need
                )
                return None
            for old in copies.iterdir():
                if old.is_dir() and old.name.startswith((f"{_machine()}-", ".")):
                    shutil.rmtree(old, ignore_errors=True)
            made = _write_copy(folder, copies / _key(folder, dtype), build)
            _trim()
            return made
    except OSError as error:
        log.warning("%s is not prepacked: %s", folder.path, error)
        return None


def _write_copy(folder: Folder, target: Path, build: Callable[[Keep], nn.Module]) -> Path:
    draft = target.with_name(f".{secrets.token_hex(8)}")
    draft.mkdir()
    try:
        modules: dict[str, dict] = {}
        with TensorFile(draft / _WEIGHTS, _MAX_TENSORS * _tensor_count(folder)) as file:

            def keep(name: str, layer: nn.Module) -> None:
                modules[name] = _about(layer)
                for key, tensor in _tensors(layer).items():
                    file.add(f"{name}.{key}", tensor)
                layer._buffers.clear()
                layer._parameters.clear()
                if isinstance(layer, OneDnnLinear):
                    del layer.packed

            model = build(keep)
            for name, tensor in model.state_dict().items():
                file.add(name, tensor)
        quantized = {"quant_method": _QUANT_METHOD, "modules": modules}
        # This module ties weights, not transformers.
        config = {**folder.config, "tie_word_embeddings": False, "quantization_config": quantized}
        (draft / "config.json").write_text(json.dumps(config))
        with open(draft / _WEIGHTS, "rb") as opened:
            about = {"sum": file_digest(opened, "sha256").hexdigest()}
        (draft / _ABOUT).write_text(json.dumps(about))
        os.replace(draft, target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return target


def _trim() -> None:
    """Returns freed memory to the system, which glibc would otherwise keep for this process."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def packed(model, keep: Keep) -> None:
    """Packs the plain linear layers of a model and gives each to `keep`."""
    embedding, head = model.get_input_embeddings(), model.get_output_embeddings()

    def done(name: str, plain: nn.Linear, layer: PackedLinear) -> None:
        if not isinstance(layer, OneDnnLinear):
            return
        refuse_nan(f"{name}.weight", plain.weight)
        for key, tensor in layer.written().items():
            layer.register_buffer(key, tensor)
        if plain is head and getattr(embedding, "weight", None) is not plain.weight:
            layer.register_buffer("plain", plain.weight.detach())
        keep(name, layer)

    exact.pack(model, done)


def _about(layer: nn.Module) -> dict:
    if isinstance(layer, Int8Embedding):
        more = {"kind": "embedding", "num_embeddings": layer.num_embeddings, "padding_idx": layer.padding_idx}
        return {**more, "embedding_dim": layer.embedding_dim, "tied": layer.tied, "tensors": _shapes(layer)}
    kind = next(name for name, one in _KINDS.items() if isinstance(layer, one))
    more = {"group": layer.group} if isinstance(layer, Int4Linear) else {}
    assert isinstance(layer, ComputingLinear | PackedLinear)
    sizes = {"in_features": layer.in_features, "out_features": layer.out_features}
    return {"kind": kind, **sizes, **more, "tensors": _shapes(layer)}


def _shapes(layer: nn.Module) -> dict[str, list]:
    return {key: [str(one.dtype).removeprefix("torch."), *one.shape] for key, one in _tensors(layer).items()}


def _tensors(layer: nn.Module) -> dict[str, torch.Tensor]:
    if isinstance(layer, Int8Embedding) and layer.tied:
        return {}
    return dict(layer.named_buffers(recurse=False)) | dict(layer.named_parameters(recurse=False))


def hollow(model, modules: dict[str, dict]) -> None:
    """Replaces layers of a model by those of the copy, whose tensors are yet to be read."""
    model._keys_to_ignore_on_load_unexpected = {r"^fill\."}
    for name, about in modules.items():
        layer_type = {**_KINDS, "embedding": Int8Embedding}[about["kind"]]
        layer = layer_type.__new__(layer_type)
        nn.Module.__init__(layer)
        layer.bias = None
        for key, value in about.items():
            if key not in ("kind", "tensors"):
                setattr(layer, key, value)
        for key, (dtype, *shape) in about["tensors"].items():
            empty = torch.empty(shape, dtype=getattr(torch, dtype), device="meta")
            if key == "bias":
                layer.bias = nn.Parameter(empty, requires_grad=False)
            else:
                layer.register_buffer(key, empty)
        model.set_submodule(name, layer)


def finish(model, folder: Folder, dtype: torch.dtype) -> None:
    """Makes the layers of a copy compute, once its tensors are mapped."""
    for layer in list(model.modules()):
        if isinstance(layer, OneDnnLinear):
            layer.take(dtype)
    head, embedding = model.get_output_embeddings(), model.get_input_embeddings()
    if isinstance(embedding, Int8Embedding) and embedding.tied:
        for key, other in (("values_V_D", "values_O_D"), ("scale_V", "scale_O")):
            embedding.register_buffer(key, head.get_buffer(other))
    if isinstance(head, OneDnnLinear) and "plain" not in head._buffers:
        head.register_buffer("plain", embedding.get_parameter("weight").detach())
    if "tie_word_embeddings" in folder.config:
        model.config.tie_word_embeddings = folder.config["tie_word_embeddings"]


def measured(copy: Path) -> dict | None:
    """Figures that were measured on this copy."""
    with contextlib.suppress(OSError, ValueError):
        return json.loads((copy / _ABOUT).read_text()).get("measured")
    return None


def note(copy: Path, figures: dict) -> None:
    with contextlib.suppress(OSError, ValueError):
        about = {**json.loads((copy / _ABOUT).read_text()), "measured": figures}
        draft = copy / f".{secrets.token_hex(8)}"
        draft.write_text(json.dumps(about))
        os.replace(draft, copy / _ABOUT)


def _tensor_count(folder: Folder) -> int:
    count = 0
    for file in folders.weight_files(folder.path):
        with safe_open(file, framework="np") as opened:
            count += len(opened.keys())
    return count


def _key(folder: Folder, dtype: torch.dtype) -> str:
    files = [
        (one.name, one.stat().st_size, one.stat().st_mtime_ns) for one in folders.weight_files(folder.path)
    ]
    kernels = native.VERSION if folder.precision is not None and native.available() else 0
    said = [_FORMAT, torch.__version__, str(dtype), folder.config, files, kernels]
    return f"{_machine()}-{sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]}"


def _machine() -> str:
    """Kind of this machine: kernels choose their layouts by the processor's instructions."""
    said = [platform.machine(), torch.backends.cpu.get_cpu_capability(), str(can_be_mapped())]
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        said.append(next(line for line in lines if line.startswith(("flags", "Features"))))
    return sha256(" ".join(said).encode()).hexdigest()[:8]


@contextlib.contextmanager
def _locked(copies: Path) -> Iterator[None]:
    """Lets one process at a time make copies."""
    with open(copies / "lock", "a") as lock:
        with contextlib.suppress(
            OSError
        ):  # on a file system without locks both make a copy, and one replaces the other
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


register(_QUANT_METHOD, lambda said, model: hollow(model, said["modules"]))
