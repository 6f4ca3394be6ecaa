"""Cross-encoder: reads a question and a fact as one text, and computes the logit that the fact answers it. It is the default
embedding model with low-rank updates of its linear layers; bench/memory/fit_cross_encoder.py fits them."""

from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn.functional import gelu, layer_norm, scaled_dot_product_attention

from lorekeep import default_embedder
from lorekeep.routing.vectors import Vectors

FILE = Path(__file__).parent / "cross_encoder.safetensors"
# Rank of the updates, width of the head, and maximum tokens of a question and of a fact.
RANK, _HIDDEN = 32, 128
MAX_QUESTION, MAX_FACT = 48, 64
_LINEAR = ("query", "key", "value", "attended", "inner", "outer")


def fact_text(question: str, answer: str) -> str:
    """A fact as it is read beside a question."""
    return f"{question} {answer}"


def followed(question: str, answer: str) -> str:
    """A question as it is read once the answer that leads on is known."""
    return f"{question} {answer}"


def of_key(wanted: str, key: str) -> str:
    """The text that is read beside facts for one key of an object."""
    return f"{wanted}: {key}"


class CrossEncoder(nn.Module):
    def __init__(self, bert: Any, tokenizer: Any, rank: int = RANK, outputs: int = 1):
        """`bert` is not copied: its own weights are used as they are, packed or not. `tokenizer` must not pad. With more than one of
        its `outputs`, a pair has a row of logits."""
        super().__init__()
        # In a list, so that its weights are not among those of this module.
        self.bert, self.tokenizer = [bert], tokenizer
        width, heads = bert.config.hidden_size, bert.config.num_attention_heads
        self.heads = heads
        self.down, self.up = nn.ParameterDict(), nn.ParameterDict()
        self.scale, self.shift = nn.ParameterList(), nn.ParameterList()
        self._normalised(bert.embeddings.LayerNorm)
        for number, layer in enumerate(bert.encoder.layer):
            for name, linear in zip(_LINEAR, _linear(layer), strict=True):
                ends = linear.in_features, linear.out_features
                self.down[f"{number}_{name}"] = nn.Parameter(torch.randn(rank, ends[0]) / ends[0] ** 0.5)
                self.up[f"{number}_{name}"] = nn.Parameter(torch.zeros(ends[1], rank))
            self._normalised(layer.attention.output.LayerNorm)
            self._normalised(layer.output.LayerNorm)
        # Question and fact.
        self.sides = nn.Parameter(bert.embeddings.token_type_embeddings.weight.detach().clone())
        self.head = nn.Sequential(
            nn.Linear(width, _HIDDEN), nn.SiLU(), nn.Dropout(0.1), nn.Linear(_HIDDEN, outputs)
        )

    def _normalised(self, norm: nn.LayerNorm) -> None:
        self.scale.append(nn.Parameter(norm.weight.detach().clone()))
        self.shift.append(nn.Parameter(norm.bias.detach().clone()))

    def forward(self, ids_B_T: torch.Tensor, there_B_T: torch.Tensor, side_B_T: torch.Tensor) -> torch.Tensor:
        bert = self.bert[0]
        places = torch.arange(ids_B_T.shape[1], device=ids_B_T.device)
        x_B_T_D = bert.embeddings.word_embeddings(ids_B_T) + bert.embeddings.position_embeddings(places)
        x_B_T_D = self._norm(0, x_B_T_D + self.sides[side_B_T])
        for number, layer in enumerate(bert.encoder.layer):
            x_B_T_D = self._layer(number, _linear(layer), x_B_T_D, there_B_T)
        mean_B_D = (x_B_T_D * there_B_T[..., None]).sum(1) / there_B_T.sum(1, keepdim=True)
        return self.head((x_B_T_D[:, 0] + mean_B_D).float()).squeeze(1)

    def _layer(
        self, number: int, linear: tuple, x_B_T_D: torch.Tensor, there_B_T: torch.Tensor
    ) -> torch.Tensor:
        def updated(name: str, x_N_D: torch.Tensor) -> torch.Tensor:
            low_N_R = x_N_D @ self.down[f"{number}_{name}"].T
            plain_N_E = linear[_LINEAR.index(name)](x_N_D)
            return torch.addmm(plain_N_E, low_N_R, self.up[f"{number}_{name}"].T)

        def split(x_N_D: torch.Tensor) -> torch.Tensor:
            return x_N_D.view(*there_B_T.shape, self.heads, -1).transpose(1, 2)

        x_N_D = x_B_T_D.flatten(0, 1)
        q, k, v = (split(updated(name, x_N_D)) for name in ("query", "key", "value"))
        seen = scaled_dot_product_attention(q, k, v, attn_mask=there_B_T[:, None, None, :])
        attended = updated("attended", seen.transpose(1, 2).flatten(2).flatten(0, 1))
        x_N_D = self._norm(2 * number + 1, x_N_D + attended)
        return self._norm(2 * number + 2, x_N_D + updated("outer", gelu(updated("inner", x_N_D)))).view_as(
            x_B_T_D
        )

    def _norm(self, at: int, x: torch.Tensor) -> torch.Tensor:
        eps = self.bert[0].config.layer_norm_eps
        return layer_norm(x, x.shape[-1:], self.scale[at], self.shift[at], eps)

    def batch(self, pairs: list[tuple[str, str]]) -> tuple[torch.Tensor, ...]:
        """Ids, mask and sides of pairs of a question and a fact, padded to the longest."""
        return tuple(one.to(self.sides.device) for one in rows(self.tokenizer, pairs))

    @torch.inference_mode()
    def logits(self, question: str, facts: list[str]) -> np.ndarray:
        """For each fact, the logit that it answers the question."""
        return self(*self.batch([(question, fact) for fact in facts])).cpu().numpy()


def rows(tokenizer: Any, pairs: list[tuple[str, str]]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids, mask and sides of pairs, on the CPU."""
    encode = tokenizer.backend_tokenizer.encode
    begin, end = tokenizer.cls_token_id, tokenizer.sep_token_id
    parts = [
        (
            [begin, *encode(asked, add_special_tokens=False).ids[:MAX_QUESTION], end],
            [*encode(fact, add_special_tokens=False).ids[:MAX_FACT], end],
        )
        for asked, fact in pairs
    ]
    ids = [torch.tensor(one + other) for one, other in parts]
    sides = [torch.tensor([0] * len(one) + [1] * len(other)) for one, other in parts]
    there = [torch.ones(len(row), dtype=torch.bool) for row in ids]
    ids_B_T, there_B_T, side_B_T = (nn.utils.rnn.pad_sequence(some, True) for some in (ids, there, sides))
    return ids_B_T, there_B_T, side_B_T


def _linear(layer: Any) -> tuple:
    """The linear layers of a layer, by the order of their names here."""
    own = layer.attention.self
    return (
        own.query, own.key, own.value, layer.attention.output.dense, layer.intermediate.dense, layer.output.dense
    )  # fmt: skip


# The networks of each embedding model in use: finding out whether it is the default one may mean reading its whole file.
_READ: WeakKeyDictionary[Vectors, dict[Path, CrossEncoder | None]] = WeakKeyDictionary()


def cross_encoder(vectors: Vectors | None, file: Path = FILE) -> CrossEncoder | None:
    """The network of some weights. None where facts are embedded with another model than the default one, whose layers the
    updates fit."""
    if vectors is None:
        return None
    read = _READ.setdefault(vectors, {})
    if file not in read:
        read[file] = _read(vectors, file)
    return read[file]


def _read(vectors: Vectors, file: Path) -> CrossEncoder | None:
    if not default_embedder.has_its_weights(vectors.embedder.folder.path):
        return None
    weights = {name: weight.float() for name, weight in load_file(file).items()}
    rank, outputs = len(weights["down.0_query"]), len(weights["head.3.bias"])
    made = CrossEncoder(vectors.embedder.model, vectors.embedder.tokenizer, rank, outputs)
    made.load_state_dict(weights)
    return made.eval().requires_grad_(False)
