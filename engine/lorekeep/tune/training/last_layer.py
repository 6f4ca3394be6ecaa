"""The last layer's MLP and the head of a base, as a small model of unmodified transformers code that computes
many experts side by side. The output of attention is given: nothing below the MLP changes during training."""

import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import torch
from torch import nn
from torch.nn import functional as F
from transformers import PreTrainedModel

from lorekeep.infer.experts import decoder_layers, mlp_linears
from lorekeep.infer.weights.packed_linear import NativeLinear, OneDnnLinear
from lorekeep.quantization.linear import ComputingLinear
from lorekeep.tune.training import row_invariant


@dataclass
class AnswerStates:
    """States at the positions of an answer, one row per token, computed by the trunk for the last layer."""

    state_N_D: torch.Tensor  # enters the last layer
    heard_N_D: torch.Tensor  # output of its attention
    target_N: torch.Tensor  # target token at each position

    def __len__(self) -> int:
        return len(self.target_N)


Served = nn.Linear | ComputingLinear | OneDnnLinear | NativeLinear  # a linear layer as it is served


class StackedLinear(nn.Module):
    """A linear layer of the base with one low-rank expert for every group of R rows."""

    def __init__(self, linear: Served):
        super().__init__()
        self.served, self.bias = linear, linear.bias
        self.A_E_D_K: torch.Tensor | None = None
        self.B_E_K_O: torch.Tensor | None = None
        self.constant: torch.Tensor | None = None  # cached output of the base, if the input never changes

    @cached_property
    def weight(self) -> torch.Tensor:
        """Weights through which gradients can flow; for a packed layer a copy, made on demand."""
        return plain_weight(self.served)

    @property
    def shape(self) -> tuple[int, int]:
        return self.served.in_features, self.served.out_features

    def forward(self, x_1_T_D: torch.Tensor) -> torch.Tensor:
        if self.constant is None:
            said_1_T_O = self._base(x_1_T_D)
            if not x_1_T_D.requires_grad and torch.is_grad_enabled():
                self.constant = said_1_T_O
        else:
            said_1_T_O = self.constant
        if self.A_E_D_K is None or self.B_E_K_O is None:
            return said_1_T_O
        x_E_R_D = x_1_T_D.view(len(self.A_E_D_K), -1, x_1_T_D.shape[-1]).to(self.A_E_D_K.dtype)
        more_E_R_O = row_invariant.bmm(row_invariant.bmm(x_E_R_D, self.A_E_D_K), self.B_E_K_O)
        return said_1_T_O + more_E_R_O.view(said_1_T_O.shape).to(said_1_T_O.dtype)

    def _base(self, x_1_T_D: torch.Tensor) -> torch.Tensor:
        if x_1_T_D.requires_grad or type(self.served) is nn.Linear:
            experts = 1 if self.A_E_D_K is None else len(self.A_E_D_K)
            return row_invariant.linear(x_1_T_D, self.weight, self.bias, experts)
        with torch.no_grad():
            # Without its hooks: experts that recited last would act here.
            return self.served.forward(x_1_T_D)


class FixedAttention(nn.Module):
    """Replaces the last layer's attention and returns its output as computed by the trunk."""

    heard_1_T_D: torch.Tensor

    def forward(self, *_, **__):
        return self.heard_1_T_D, None


class Head(nn.Module):
    """The output layer, over the whole vocabulary or over a shortlist per expert."""

    def __init__(self, linear: Served):
        super().__init__()
        self.served, self.bias = linear, linear.bias
        self.list_E_C: torch.Tensor | None = None
        self.whole = False  # temporarily uses the whole vocabulary despite a shortlist
        self.use(None)

    @property
    def size(self) -> int:
        """Size of the vocabulary."""
        return self.served.out_features

    @cached_property
    def weight(self) -> torch.Tensor:
        return plain_weight(self.served)

    def use(self, list_E_C: torch.Tensor | None) -> None:
        if list_E_C is self.list_E_C is not None:
            return
        self.list_E_C = list_E_C
        self.weight_E_C_D = None if list_E_C is None else self._rows(list_E_C)
        self.bias_E_1_C = None if list_E_C is None or self.bias is None else self.bias[list_E_C][:, None]

    def forward(self, x_1_T_D: torch.Tensor) -> torch.Tensor:
        if self.weight_E_C_D is None or self.whole:
            if x_1_T_D.requires_grad or type(self.served) is nn.Linear:
                return F.linear(x_1_T_D, self.weight, self.bias)
            return self.served(x_1_T_D)
        x_E_R_D = x_1_T_D.view(len(self.weight_E_C_D), -1, x_1_T_D.shape[-1])
        said_E_R_C = row_invariant.bmm(x_E_R_D, self.weight_E_C_D.transpose(1, 2))
        if self.bias_E_1_C is not None:
            said_E_R_C = said_E_R_C + self.bias_E_1_C
        return said_E_R_C.view(1, -1, said_E_R_C.shape[-1])

    def _rows(self, list_E_C: torch.Tensor) -> torch.Tensor:
        if isinstance(self.served, ComputingLinear):
            return self.served.rows(list_E_C, torch.bfloat16)
        return self.weight[list_E_C]


class LastLayer(nn.Module):
    """Built before a model that is not prepacked is packed (exact.py), since training needs gradients through
    plain weights."""

    def __init__(self, model: PreTrainedModel):
        super().__init__()
        cut = shallow(model, keep=1)
        layer = decoder_layers(cut)[0]
        self.attention = FixedAttention()
        layer.self_attn = self.attention
        self.linears: dict[str, StackedLinear] = {}
        for name in mlp_linears(layer):
            place, last = parent(layer, name)
            self.linears[name] = StackedLinear(getattr(place, last))
            setattr(place, last, self.linears[name])
        self.head = Head(cast(nn.Linear, cut.get_output_embeddings()))
        cut.set_output_embeddings(self.head)
        self.model, self.width = cut, model.config.get_text_config().hidden_size
        self.layer = model.config.get_text_config().num_hidden_layers - 1
        self.device, self.itemsize = model.device, model.dtype.itemsize

    def forward(self, state_T_D: torch.Tensor, heard_T_D: torch.Tensor) -> torch.Tensor:
        """Logits of shape T V, or T C over the shortlist."""
        self.attention.heard_1_T_D = heard_T_D[None]
        positions_1_T = torch.arange(len(state_T_D), device=state_T_D.device)[None]
        return self.model(inputs_embeds=state_T_D[None], position_ids=positions_1_T, use_cache=False).logits[
            0
        ]

    def use(self, experts: dict[str, tuple[torch.Tensor, torch.Tensor]] | None) -> None:
        for name, linear in self.linears.items():
            linear.A_E_D_K, linear.B_E_K_O = (None, None) if experts is None else experts[name]

    def forget_constants(self) -> None:
        for linear in self.linears.values():
            linear.constant = None

    def keep_constants(self, some: list[int], rows: int) -> None:
        """Keeps the constants of these experts only. Each expert has this number of rows."""
        for linear in self.linears.values():
            if linear.constant is not None:
                said_E_R_O = linear.constant.view(-1, rows, linear.constant.shape[-1])
                linear.constant = said_E_R_O[some].flatten(0, 1)[None]


def plain_weight(linear: Served) -> torch.Tensor:
    """Weights through which gradients can flow; for a quantized layer the dequantized ones."""
    if isinstance(linear, ComputingLinear):
        return linear.weights(torch.bfloat16)
    if isinstance(linear, OneDnnLinear):
        return linear.get_buffer("plain") if "plain" in linear._buffers else linear.weights()
    return linear.weight.detach()


def parent(module: nn.Module, name: str) -> tuple[nn.Module, str]:
    *path, last = name.split(".")
    for part in path:
        module = getattr(module, part)
    return module, last


def shallow(model: PreTrainedModel, keep: int) -> PreTrainedModel:
    """The same model with only its last layers, sharing all weights. Replacing a module in it leaves the
    original unchanged."""
    layers = decoder_layers(model)
    config = copy.copy(model.config.get_text_config())
    config.num_hidden_layers = keep
    if getattr(config, "layer_types", None):
        config.layer_types = config.layer_types[-keep:]

    def copied(module: nn.Module) -> nn.Module:
        if module is layers:
            return nn.ModuleList(copied(layer) for layer in layers[-keep:])
        twin: Any = copy.copy(module)
        twin._modules = {name: child and copied(child) for name, child in module._modules.items()}
        if getattr(twin, "config", None) is not None:
            twin.config = config
        return twin

    return cast(PreTrainedModel, copied(model))
