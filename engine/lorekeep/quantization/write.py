"""Writes a quantized copy of a model's folder, one weight file at a time. The copy appears atomically."""

import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM

from lorekeep import folders, precision
from lorekeep.download_mark import MARK, read_mark, write_mark
from lorekeep.errors import EngineError
from lorekeep.precision import Scheme
from lorekeep.quantization.linear import packed, rounded

# The kernel of 4 bits needs a multiple of 16 rows.
_KERNEL_ROWS = 16
# 4 bits lose some .08 of the norm of normally distributed weights. A layer that loses more than this is stored in 8 bits.
_MAX_LOSS = 0.1
# Files beside the weights: configurations, tokenizers, templates, licences.
_KEPT_SUFFIXES = {"", ".json", ".jinja", ".txt", ".model", ".md"}
INDEX, WEIGHTS = "model.safetensors.index.json", "model.safetensors"


def quantize(
    source: Path, target: Path, name: str, tell: Callable[[int, int], None] = lambda done, total: None
) -> dict:
    """Writes the copy in this precision (`int8` or `int4`) and returns the loss of each layer by name. `tell` is called with
    the number of bytes read."""
    folder = folders.check(str(source), "generate")
    if folder.precision is not None:
        raise folders.invalid(source, f"it is quantized already ({folder.precision.name}); take its original")
    if target.exists():
        raise EngineError(
            "model_invalid", f"There is a {target} already. Remove it, or choose another place."
        )
    layers = _linear_layers(folder)
    draft = target.with_name(f".{target.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    try:
        report = _write(folder, layers, draft, name, tell)
        os.replace(draft, target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return report


def _linear_layers(folder: folders.Folder) -> dict[str, str]:
    """Names of the linear layers by the names of their weights, without the head."""
    config = AutoConfig.from_pretrained(folder.path, local_files_only=True, trust_remote_code=False)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    head = model.get_output_embeddings()
    return {
        f"{name}.weight": name
        for name, module in model.named_modules()
        if type(module) is nn.Linear and module is not head
    }


def _write(
    folder: folders.Folder, layers: dict[str, str], draft: Path, name: str, tell: Callable[[int, int], None]
) -> dict:
    files = folders.weight_files(folder.path)
    schemes: dict[str, Scheme] = {}
    losses: dict[str, float] = {}
    places: dict[str, str] = {}
    total, read, whole = 0, 0, sum(file.stat().st_size for file in files)
    for number, file in enumerate(files):
        made: dict[str, torch.Tensor] = {}
        with safe_open(file, framework="pt") as opened:
            for key in opened.keys():  # noqa: SIM118 (not a dictionary)
                weight = opened.get_tensor(key)
                if not torch.isfinite(weight).all():
                    raise folders.invalid(folder.path, f"{key} in {file.name} holds NaN or infinity")
                read += weight.numel() * weight.element_size()
                tell(read, whole)
                layer = layers.get(key)
                chosen = None if layer is None else _chosen(weight, name)
                if layer is None or chosen is None:
                    made[key] = weight.to(torch.bfloat16) if weight.is_floating_point() else weight
                    continue
                schemes[layer], losses[layer], values, scale = chosen
                made[f"{layer}.weight_packed"] = packed(values, schemes[layer].bits)
                made[f"{layer}.weight_scale"] = scale.view(len(values), -1).bfloat16()
                made[f"{layer}.weight_shape"] = torch.tensor(values.shape)
        own = WEIGHTS if len(files) == 1 else f"model-{number + 1:05}-of-{len(files):05}.safetensors"
        _saved(made, draft / own)
        places |= dict.fromkeys(made, own)
        total += sum(tensor.numel() * tensor.element_size() for tensor in made.values())
    if not schemes:
        raise folders.invalid(folder.path, "none of its layers has a shape that can be quantized")
    if len(files) > 1:
        (draft / INDEX).write_text(json.dumps({"metadata": {"total_size": total}, "weight_map": places}))
    config = {**folder.config, "dtype": "bfloat16", "quantization_config": precision.config_of(schemes)}
    (draft / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    for file in folder.path.iterdir():
        if file.is_file() and file.suffix in _KEPT_SUFFIXES and file.name not in ("config.json", INDEX, MARK):
            shutil.copyfile(file, draft / file.name)
    sums = {file.name: f"sha256:{_sum(file)}" for file in sorted(draft.iterdir())}
    mark = {**read_mark(folder.path), "files": sums, "quantized": {"precision": name, "lost": losses}}
    write_mark(draft, mark)
    return losses


def _chosen(weight: torch.Tensor, name: str) -> tuple[Scheme, float, torch.Tensor, torch.Tensor] | None:
    """(scheme, loss, values, scales) of a layer; None where its shape allows neither."""
    rows, columns = weight.shape
    tried = []
    if name == "int4" and columns % precision.GROUPS[0] == 0 and rows % _KERNEL_ROWS == 0:
        tried.append(Scheme(4, precision.GROUPS[0]))
    if columns % 4 == 0:
        tried.append(Scheme(8))
    for scheme in tried:
        values, scale = rounded(weight, scheme)
        loss = _loss(weight, values, scale)
        if scheme.bits == 8 or loss <= _MAX_LOSS:
            return scheme, loss, values, scale
    return None


def _loss(weight: torch.Tensor, values: torch.Tensor, scale: torch.Tensor) -> float:
    """Relative error: the norm of the error divided by that of the weights."""
    wrong, size = 0.0, 0.0
    for plain, whole, scales in zip(
        weight.split(_KERNEL_ROWS), values.split(_KERNEL_ROWS), scale.split(_KERNEL_ROWS), strict=True
    ):
        shown = (whole.float().view(*scales.shape, -1) * scales[..., None]).view(plain.shape)
        wrong += (shown - plain.float()).square_().sum().item()
        size += plain.float().square_().sum().item()
    return 0.0 if size == 0 else (wrong / size) ** 0.5


def _sum(file: Path) -> str:
    with open(file, "rb") as opened:
        return file_digest(opened, "sha256").hexdigest()


def _saved(tensors: dict[str, torch.Tensor], file: Path) -> None:
    save_file({key: tensor.contiguous() for key, tensor in tensors.items()}, file, metadata={"format": "pt"})
    with open(file, "rb") as written, suppress(OSError):
        os.fsync(written.fileno())
