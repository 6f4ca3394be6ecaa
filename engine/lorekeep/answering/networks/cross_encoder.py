"""Cross-encoder: reads a question and a fact as one text, and computes the logit that the fact answers it. It is the default
embedding model with low-rank updates of its linear layers; bench/memory/fit_cross_encoder.py fits them."""

from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import nn

from lorekeep.answering.networks import low_rank
from lorekeep.answering.networks.low_rank import RANK, LowRank
from lorekeep.routing.vectors import Vectors

FILE = Path(__file__).parent / "cross_encoder.safetensors"
# Width of the head, and maximum tokens of a question and of a fact.
_HEAD_WIDTH = 128
MAX_QUESTION, MAX_FACT = 48, 64


def fact_text(question: str, answer: str) -> str:
    """The text of a fact for the cross-encoder."""
    return f"{question} {answer}"


def with_lead_answer(question: str, answer: str) -> str:
    """A question with the answer of the fact that leads to the next one, as it is read in the second hop."""
    return f"{question} {answer}"


def key_text(wanted: str, key: str) -> str:
    """The text that is read with facts for one key of a JSON object."""
    return f"{wanted}: {key}" if wanted else key


class CrossEncoder(LowRank):
    def __init__(self, bert: Any, tokenizer: Any, rank: int = RANK, outputs: int = 1):
        """A pair has one logit, or with more `outputs` a row of logits."""
        super().__init__(bert, tokenizer, rank)
        self.head = nn.Sequential(
            nn.Linear(self.width, _HEAD_WIDTH), nn.SiLU(), nn.Dropout(0.1), nn.Linear(_HEAD_WIDTH, outputs)
        )

    def forward(self, ids_B_T: torch.Tensor, there_B_T: torch.Tensor, side_B_T: torch.Tensor) -> torch.Tensor:
        x_B_T_D = self.states(ids_B_T, there_B_T, side_B_T)
        mean_B_D = (x_B_T_D * there_B_T[..., None]).sum(1) / there_B_T.sum(1, keepdim=True)
        return self.head((x_B_T_D[:, 0] + mean_B_D).float()).squeeze(1)

    def batch(self, pairs: list[tuple[str, str]]) -> tuple[torch.Tensor, ...]:
        """Ids, mask and sides of pairs of a question and a fact, padded to the longest."""
        return tuple(one.to(self.sides.device) for one in rows(self.tokenizer, pairs))

    @torch.inference_mode()
    def logits(self, pairs: list[tuple[str, str]]) -> np.ndarray:
        """For each question with a fact, the logit that it answers the question."""
        return self(*self.batch(pairs)).cpu().numpy()


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


def cross_encoder(vectors: Vectors | None, file: Path = FILE) -> CrossEncoder | None:
    """The network with the weights of a file, if facts are embedded with the default model."""
    return cast(CrossEncoder | None, low_rank.load(vectors, file, _from_weights))


def _from_weights(bert: Any, tokenizer: Any, weights: dict[str, torch.Tensor]) -> CrossEncoder:
    return CrossEncoder(bert, tokenizer, low_rank.rank_of(weights), len(weights["head.3.bias"]))
