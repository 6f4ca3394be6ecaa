"""Attention for a step that packs tokens of many sequences into one row, registered through the attention
interface of transformers. Every sequence attends alone over its own range of the arena. The shapes, and so
the bits, of its result depend on that sequence only."""

from dataclasses import dataclass, field
from typing import cast

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface

from lorekeep.infer.cache import Arena

NAME = "lorekeep"


@dataclass
class Segment:
    """Queries [at, at + count) of the step are the newest of a sequence whose `length` states begin at
    `start`."""

    start: int
    at: int
    count: int
    length: int


@dataclass
class Step:
    arena: Arena
    slots_T: torch.Tensor  # where each token's state is written
    segments: list[Segment]  # in the order of the row, without gaps; what follows them is padding
    masks: dict[tuple[int, int, int], torch.Tensor] = field(default_factory=dict)

    def mask(self, count: int, length: int, first: int, window: int | None) -> torch.Tensor:
        """Mask of the keys [first, length) for each of the last `count` positions; identical for every
        layer."""
        key = (count, length, window or 0)
        if key not in self.masks:
            query_N = torch.arange(length - count, length, device=self.arena.device)[:, None]
            key_S = torch.arange(first, length, device=self.arena.device)[None]
            seen_N_S = key_S <= query_N
            self.masks[key] = seen_N_S & (key_S > query_N - window) if window else seen_N_S
        return self.masks[key]


def attend(
    module: torch.nn.Module,
    query: torch.Tensor,  # 1 H T D
    key: torch.Tensor,  # 1 G T D
    value: torch.Tensor,
    attention_mask: None,
    step: Step,
    scaling: float | None = None,
    sliding_window: int | None = None,
    softcap: float | None = None,
    **_,
) -> tuple[torch.Tensor, None]:
    groups = key.shape[1]
    keys, values = step.arena.write(cast(int, module.layer_idx), step.slots_T, key, value)
    heads, total = query.shape[1], query.shape[2]
    query_T_H_D = query[0].transpose(0, 1)
    parts = []
    for s in step.segments:
        oldest = s.length - s.count
        first = max(0, oldest - sliding_window + 1) if sliding_window else 0
        k_1_G_S_D = keys.narrow(0, s.start + first, s.length - first).transpose(0, 1)[None]
        v_1_G_S_D = values.narrow(0, s.start + first, s.length - first).transpose(0, 1)[None]
        if s.count == 1 and softcap is None:
            # Heads that share keys become neighbouring queries; a single token sees all keys.
            q_1_G_R_D = query_T_H_D[s.at].view(1, groups, heads // groups, -1)
            out = scaled_dot_product_attention(q_1_G_R_D, k_1_G_S_D, v_1_G_S_D, scale=scaling)
            parts.append(out.view(1, heads, -1))
            continue
        q_1_H_N_D = query[:, :, s.at : s.at + s.count]
        mask_N_S = step.mask(s.count, s.length, first, sliding_window)
        if softcap is None:
            out = scaled_dot_product_attention(
                q_1_H_N_D, k_1_G_S_D, v_1_G_S_D, attn_mask=mask_N_S, scale=scaling, enable_gqa=heads != groups
            )
        else:
            out = _capped(q_1_H_N_D, k_1_G_S_D, v_1_G_S_D, mask_N_S, scaling, softcap)
        parts.append(out[0].transpose(0, 1))
    spare = total - sum(s.count for s in step.segments)
    if spare:
        parts.append(query.new_zeros(spare, heads, value.shape[-1]))
    return (torch.cat(parts) if len(parts) > 1 else parts[0])[None], None


def _capped(q_1_H_N_D, k_1_G_S_D, v_1_G_S_D, mask_N_S, scaling, softcap):
    """Attention with scores capped to +-softcap (Gemma 2), which fused attention does not support."""
    repeat = q_1_H_N_D.shape[1] // k_1_G_S_D.shape[1]
    k, v = (x.repeat_interleave(repeat, 1) for x in (k_1_G_S_D, v_1_G_S_D))
    scores_1_H_N_S = softcap * torch.tanh(q_1_H_N_D @ k.transpose(2, 3) * scaling / softcap)
    weights = scores_1_H_N_S.masked_fill(~mask_N_S, float("-inf")).softmax(-1, dtype=torch.float32)
    return weights.to(v.dtype) @ v


AttentionInterface.register(NAME, attend)
