"""Quantized weights for transformers' own loading: plain linear layers are replaced by quantized ones before the
weights are read, and by computing layers afterwards."""

from collections.abc import Callable

import torch
from torch import nn
from transformers.quantizers.auto import register_quantization_config, register_quantizer
from transformers.quantizers.base import HfQuantizer
from transformers.utils.quantization_config import QuantizationConfigMixin

from lorekeep.precision import Precision
from lorekeep.quantization.cuda import CudaInt4Linear
from lorekeep.quantization.linear import ComputingLinear, Int8Embedding, Int8Linear, QuantizedLinear

_NAME = "lorekeep"


def configuration(precision: Precision) -> dict:
    """Quantization settings passed to transformers instead of the folder's own."""
    return {"quant_method": _NAME, "precision": precision}


def register(name: str, replace: Callable[[dict, nn.Module], None]) -> None:
    """Registers `replace(configuration, model)`, which transformers calls before it reads quantized weights."""

    @register_quantization_config(name)
    class _Quantization(QuantizationConfigMixin):
        def __init__(self, **said):
            vars(self).update(said)

        def to_dict(self) -> dict:
            return dict(vars(self))

    @register_quantizer(name)
    class _Quantizer(HfQuantizer):
        def _process_model_before_weight_loading(self, model: nn.Module, **_) -> None:
            replace(vars(self.quantization_config), model)

        def is_serializable(self) -> bool:
            return False

        @property
        def is_trainable(self) -> bool:
            return False


def _replace(said: dict, model: nn.Module) -> None:
    precision: Precision = said["precision"]
    for name, linear in list(model.named_modules()):
        if not isinstance(linear, nn.Linear) or (scheme := precision.of(name)) is None:
            continue
        with torch.device("meta"):
            stored = QuantizedLinear(linear.out_features, linear.in_features, scheme, linear.bias is not None)
        model.set_submodule(name, stored)


register(_NAME, _replace)


@torch.no_grad()
def prepare(
    model, dtype: torch.dtype, done: Callable[[str, nn.Module], None] = lambda name, layer: None
) -> None:
    """Replaces each stored layer by a computing one and calls `done` for it. The head and the embedding are quantized by rows
    of the vocabulary: 8 bits per value, one scale per row."""
    for name, stored in list(model.named_modules()):
        if isinstance(stored, QuantizedLinear):
            try:
                computing = _computing(stored, dtype)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from error
            model.set_submodule(name, computing)
            done(name, computing)
    head, embedding = model.get_output_embeddings(), model.get_input_embeddings()
    if type(head) is not nn.Linear:
        return
    tied = head.weight is embedding.weight
    eight = Int8Linear.of(head.weight.detach(), head.bias)
    model.set_output_embeddings(eight)
    names = {module: name for name, module in model.named_modules()}
    if type(embedding) is nn.Embedding:  # other kinds do more than a lookup
        own = eight if tied else Int8Linear.of(embedding.weight.detach(), None)
        values, scale = own.get_buffer("values_O_D"), own.get_buffer("scale_O")
        looked_up = Int8Embedding(values, scale, embedding.padding_idx, tied)
        model.set_input_embeddings(looked_up)
        done(names[embedding], looked_up)
    done(names[eight], eight)


def _computing(stored: QuantizedLinear, dtype: torch.dtype) -> ComputingLinear:
    """The computing layer for the device of the weights. The layouts of 4 bits in linear.py are for the CPU only."""
    if stored.scheme.bits == 4 and stored.get_buffer("weight_packed").device.type != "cpu":
        scale = stored.get_buffer("weight_scale")
        return CudaInt4Linear(stored.values(), scale, stored.offsets(), stored.group, stored.bias, dtype)
    return stored.prepared(dtype)
