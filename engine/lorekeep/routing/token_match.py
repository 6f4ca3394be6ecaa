"""Token-level matcher of two questions. Each token is compared with the most similar tokens of the other
question, and a small network computes a logit that both ask the same. A token's vector combines three layers
of the embedding model and is stored for every fact without a name. bench/memory/fit_token_match.py fits the
weights."""

from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn.functional import layer_norm, normalize

FILE = Path(__file__).parent / "token_match.safetensors"
# Layers of the embedding model that are combined, their total number and width. Other models are not supported.
LAYERS, OF, WIDTH = (0, 3, 6), 7, 384
# Dimensions of a token's vector for its meaning and for its similarity; maximum tokens of a question.
MEANING, LIKE, MAX_TOKENS = 128, 64, 64
_HIDDEN, _MASKED = 128, -1e4


def deep(states_L_T_D: list[torch.Tensor]) -> torch.Tensor | None:
    """States of the chosen layers for each token except the first and the last one."""
    if len(states_L_T_D) != OF or states_L_T_D[0].shape[-1] != WIDTH:
        return None
    chosen = [layer_norm(states_L_T_D[layer][1:-1][:MAX_TOKENS].float(), (WIDTH,)) for layer in LAYERS]
    return torch.cat(chosen, -1)


class TokenMatcher(nn.Module):
    def __init__(self, dropped: float = 0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropped)
        self.meaning = nn.Linear(len(LAYERS) * WIDTH, MEANING)
        self.like = nn.Linear(len(LAYERS) * WIDTH, LIKE, bias=False)
        self.sharpness = nn.Parameter(torch.tensor(10.0))
        self.compared = nn.Sequential(
            nn.Linear(4 * MEANING + 2, 2 * _HIDDEN), nn.SiLU(), nn.Dropout(dropped),
            nn.Linear(2 * _HIDDEN, _HIDDEN), nn.SiLU(), nn.Dropout(dropped),
        )  # fmt: skip
        self.telling = nn.Linear(_HIDDEN, 1)
        self.judged = nn.Sequential(
            nn.Linear(4 * _HIDDEN + 5, _HIDDEN), nn.SiLU(), nn.Dropout(dropped), nn.Linear(_HIDDEN, 1)
        )
        # Initialised with the similarity of the whole questions.
        self.plainly = nn.Linear(5, 1)
        with torch.no_grad():
            self.plainly.weight.copy_(torch.tensor([[0.0, 0.0, 0.0, 0.0, 5.0]]))
            self.plainly.bias.fill_(-3.0)

    def tokens(self, deep_T_K: torch.Tensor) -> torch.Tensor:
        """The stored token vectors, of length one."""
        x_T_K = self.dropout(deep_T_K)
        parts = (normalize(self.meaning(x_T_K), dim=-1), normalize(self.like(x_T_K), dim=-1))
        return torch.cat(parts, -1) / 2**0.5

    def forward(self, a_B_T_P, there_B_T, b_B_U_P, there_B_U, alike_B) -> torch.Tensor:
        """`there` masks padding. `alike` is the similarity of the whole questions."""
        (x_B_T_M, like_B_T_L), (x_B_U_M, like_B_U_L) = _parts(a_B_T_P), _parts(b_B_U_P)
        alike_B_T_U = like_B_T_L @ like_B_U_L.transpose(1, 2)
        seen_a, best_a = self._against(x_B_T_M, there_B_T, x_B_U_M, there_B_U, alike_B_T_U, 0.0)
        seen_b, best_b = self._against(
            x_B_U_M, there_B_U, x_B_T_M, there_B_T, alike_B_T_U.transpose(1, 2), 1.0
        )
        figures_B_5 = torch.stack([*best_a, *best_b, alike_B], -1)
        return (self.judged(torch.cat([*seen_a, *seen_b, 4 * figures_B_5], -1)) + self.plainly(figures_B_5))[
            :, 0
        ]

    def _against(self, x_B_T_M, there_B_T, other_B_U_M, there_B_U, alike_B_T_U, side: float):
        """Compares one question's tokens with the other's: pooled features, and the mean and minimum of the
        best matches."""
        alike_B_T_U = alike_B_T_U.masked_fill(~there_B_U[:, None], _MASKED)
        best_B_T = alike_B_T_U.max(-1).values
        match_B_T_M = torch.softmax(alike_B_T_U * self.sharpness, -1) @ other_B_U_M
        figures_B_T_2 = torch.stack([best_B_T, torch.full_like(best_B_T, side)], -1)
        seen_B_T_H = self.compared(
            torch.cat([x_B_T_M, match_B_T_M, x_B_T_M - match_B_T_M, x_B_T_M * match_B_T_M, figures_B_T_2], -1)
        )
        tells_B_T = torch.softmax(self.telling(seen_B_T_H)[..., 0].masked_fill(~there_B_T, _MASKED), -1)
        seen = (
            (seen_B_T_H * tells_B_T[..., None]).sum(1),
            seen_B_T_H.masked_fill(~there_B_T[..., None], _MASKED).max(1).values,
        )
        mean_B = best_B_T.masked_fill(~there_B_T, 0).sum(1) / there_B_T.sum(1).clamp(min=1)
        return seen, (mean_B, best_B_T.masked_fill(~there_B_T, 1).min(1).values)


def _parts(rows_B_T_P: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    whole_B_T_P = rows_B_T_P * 2**0.5
    return whole_B_T_P[..., :MEANING] * MEANING**0.5, whole_B_T_P[..., MEANING:]


def _load() -> TokenMatcher:
    matcher = TokenMatcher()
    matcher.load_state_dict({name: weight.float() for name, weight in load_file(FILE).items()})
    return matcher.eval().requires_grad_(False)


_MATCHER = _load()
NONE = np.zeros((0, MEANING + LIKE), np.float32)


@torch.inference_mode()
def tokens(states_L_T_D: list[torch.Tensor]) -> np.ndarray:
    deep_T_K = deep(states_L_T_D)
    return NONE if deep_T_K is None or not len(deep_T_K) else _MATCHER.tokens(deep_T_K.cpu()).numpy()


@torch.inference_mode()
def match_logits(asked_T_P: np.ndarray, facts: list[np.ndarray], alike: list[float]) -> np.ndarray:
    """Logit for each fact that its question asks the same; 0 if the tokens of either question are unknown."""
    sure_N = np.zeros(len(facts), np.float32)
    known = [i for i, fact_U_P in enumerate(facts) if len(fact_U_P) and len(asked_T_P)]
    if known:
        a_B_T_P = torch.from_numpy(asked_T_P).expand(len(known), -1, -1)
        # Padded with zeros, which no token vector is.
        b_B_U_P = torch.nn.utils.rnn.pad_sequence(
            [torch.from_numpy(facts[i]) for i in known], batch_first=True
        )
        sure_N[known] = _MATCHER(
            a_B_T_P, a_B_T_P.any(-1), b_B_U_P, b_B_U_P.any(-1), torch.tensor([alike[i] for i in known])
        ).numpy()
    return sure_N
