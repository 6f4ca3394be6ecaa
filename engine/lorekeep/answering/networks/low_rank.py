"""The default embedding model with low-rank updates of its linear layers. Each network of the answering has updates of its own, which
are loaded here."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn.functional import gelu, layer_norm, scaled_dot_product_attention

from lorekeep import default_embedder
from lorekeep.routing.vectors import Vectors

RANK = 32
_LINEAR_NAMES = ("query", "key", "value", "attended", "inner", "outer")


class LowRank(nn.Module):
    def __init__(self, bert: Any, tokenizer: Any, rank: int = RANK):
        """`bert` is not copied: its own weights are used as they are, packed or not. `tokenizer` must not pad."""
        super().__init__()
        # In a list, so that its weights are not parameters of this module.
        self.bert, self.tokenizer = [bert], tokenizer
        self.width, self.heads = bert.config.hidden_size, bert.config.num_attention_heads
        self.down, self.up = nn.ParameterDict(), nn.ParameterDict()
        self.scale, self.shift = nn.ParameterList(), nn.ParameterList()
        self._add_norm(bert.embeddings.LayerNorm)
        for number, layer in enumerate(bert.encoder.layer):
            for name, linear in zip(_LINEAR_NAMES, _linear_layers(layer), strict=True):
                ends = linear.in_features, linear.out_features
                self.down[f"{number}_{name}"] = nn.Parameter(torch.randn(rank, ends[0]) / ends[0] ** 0.5)
                self.up[f"{number}_{name}"] = nn.Parameter(torch.zeros(ends[1], rank))
            self._add_norm(layer.attention.output.LayerNorm)
            self._add_norm(layer.output.LayerNorm)
        # Embeddings of the two sides (texts) of a row.
        self.sides = nn.Parameter(bert.embeddings.token_type_embeddings.weight.detach().clone())

    def _add_norm(self, norm: nn.LayerNorm) -> None:
        self.scale.append(nn.Parameter(norm.weight.detach().clone()))
        self.shift.append(nn.Parameter(norm.bias.detach().clone()))

    def states(self, ids_B_T: torch.Tensor, there_B_T: torch.Tensor, side_B_T: torch.Tensor) -> torch.Tensor:
        """The states of the tokens after the last layer; zero for padding, which only attention processes."""
        bert = self.bert[0]
        places_B_T = torch.arange(ids_B_T.shape[1], device=ids_B_T.device).expand_as(ids_B_T)
        x_N_D = bert.embeddings.word_embeddings(ids_B_T[there_B_T])
        x_N_D = x_N_D + bert.embeddings.position_embeddings(places_B_T[there_B_T])
        x_N_D = self._norm(0, x_N_D + self.sides[side_B_T[there_B_T]])
        for number, layer in enumerate(bert.encoder.layer):
            x_N_D = self._layer(number, _linear_layers(layer), x_N_D, there_B_T)
        return _padded(x_N_D, there_B_T)

    def _layer(
        self, number: int, linear: tuple, x_N_D: torch.Tensor, there_B_T: torch.Tensor
    ) -> torch.Tensor:
        def updated(name: str, x_N_D: torch.Tensor) -> torch.Tensor:
            low_N_R = x_N_D @ self.down[f"{number}_{name}"].T
            plain_N_E = linear[_LINEAR_NAMES.index(name)](x_N_D)
            return torch.addmm(plain_N_E, low_N_R, self.up[f"{number}_{name}"].T)

        def split(x_N_D: torch.Tensor) -> torch.Tensor:
            return _padded(x_N_D, there_B_T).unflatten(2, (self.heads, -1)).transpose(1, 2)

        q, k, v = (split(updated(name, x_N_D)) for name in ("query", "key", "value"))
        seen = scaled_dot_product_attention(q, k, v, attn_mask=there_B_T[:, None, None, :])
        seen_B_T_D = seen.transpose(1, 2).flatten(2)
        is_full = len(x_N_D) == there_B_T.numel()
        attended = updated("attended", seen_B_T_D.flatten(0, 1) if is_full else seen_B_T_D[there_B_T])
        x_N_D = self._norm(2 * number + 1, x_N_D + attended)
        return self._norm(2 * number + 2, x_N_D + updated("outer", gelu(updated("inner", x_N_D))))

    def _norm(self, at: int, x: torch.Tensor) -> torch.Tensor:
        eps = self.bert[0].config.layer_norm_eps
        return layer_norm(x, x.shape[-1:], self.scale[at], self.shift[at], eps)


def _padded(x_N_D: torch.Tensor, there_B_T: torch.Tensor) -> torch.Tensor:
    """The states of all tokens as rows of one length, for attention. Other layers omit padding, which would be most of their computing."""
    if len(x_N_D) == there_B_T.numel():
        return x_N_D.unflatten(0, there_B_T.shape)
    padded_B_T_D = x_N_D.new_zeros(*there_B_T.shape, x_N_D.shape[-1])
    padded_B_T_D[there_B_T] = x_N_D
    return padded_B_T_D


def _linear_layers(layer: Any) -> tuple:
    """The linear layers of a layer, in the order of their names above."""
    own = layer.attention.self
    return (
        own.query, own.key, own.value, layer.attention.output.dense, layer.intermediate.dense, layer.output.dense
    )  # fmt: skip


# Cache of the networks of each embedding model in use: the check whether it is the default one may read its whole file.
_LOADED: WeakKeyDictionary[Vectors, dict[Path, LowRank | None]] = WeakKeyDictionary()
Make = Callable[[Any, Any, dict[str, torch.Tensor]], LowRank]  # of the model, its tokenizer and the weights


def load(vectors: Vectors | None, file: Path, make: Make) -> LowRank | None:
    """The network with the weights of a file. None where facts are embedded with a model other than the default one, whose layers
    the updates fit."""
    if vectors is None:
        return None
    known = _LOADED.setdefault(vectors, {})
    if file not in known:
        known[file] = _read(vectors, file, make)
    return known[file]


def _read(vectors: Vectors, file: Path, make: Make) -> LowRank | None:
    if not default_embedder.has_its_weights(vectors.embedder.folder.path):
        return None
    weights = {name: weight.float() for name, weight in load_file(file).items()}
    made = make(vectors.embedder.model, vectors.embedder.tokenizer, weights)
    made.load_state_dict(weights)
    return made.eval().requires_grad_(False)


def rank_of(weights: dict[str, torch.Tensor]) -> int:
    return len(weights["down.0_query"])
