"""Attention for a step that packs tokens of many sequences into one row, registered through the attention
interface of transformers. Every sequence attends alone over its own range of the arena. The shapes, and so
the bits, of its result depend on that sequence only. On a GPU one call of FlashAttention computes all of
them, each over its own keys in an order that the others do not change."""

import logging
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import cast

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface

from lorekeep.infer.cache import Arena

NAME = "lorekeep"
log = logging.getLogger(__name__)


@dataclass
class Segment:
    """Queries [at, at + count) of the step are the newest of a sequence whose `length` states begin at
    `start`."""

    start: int
    at: int
    count: int
    length: int


@dataclass
class Ranges:
    """The segments of a step as arguments of one fused call."""

    ends: torch.Tensor  # cumulative ends of the queries, after a leading zero
    starts: torch.Tensor  # first key of each segment, and one unused entry
    lengths: torch.Tensor  # number of keys of each segment
    most: int  # maximum queries of a segment; at least 2, since FlashAttention splits the keys of single queries by batch size
    longest: int


@dataclass
class Step:
    arena: Arena
    slots_T: torch.Tensor  # where each token's state is written
    segments: list[Segment]  # in the order of the row, without gaps; what follows them is padding
    masks: dict[tuple[int, int, int], torch.Tensor] = field(default_factory=dict)
    given: Ranges | None = None  # replaces the ranges of the segments

    @cached_property
    def ranges(self) -> Ranges:
        if self.given is not None:
            return self.given
        rows = [[0, *(s.at + s.count for s in self.segments)], [*(s.start for s in self.segments), 0]]
        ends, starts = torch.tensor(rows, dtype=torch.int32).to(self.arena.device)
        lengths = torch.tensor([s.length for s in self.segments], dtype=torch.int32).to(self.arena.device)
        most = max(2, *(s.count for s in self.segments))
        return Ranges(ends, starts, lengths, most, max(s.length for s in self.segments))

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
    if softcap is None and fits_flash(query, groups):
        return flash(query_T_H_D, keys, values, step.ranges, scaling, sliding_window)[None], None
    if step.given is not None:
        raise RuntimeError("This model's attention is computed one segment after the other.")
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


def fits_flash(query: torch.Tensor, groups: int) -> bool:
    heads, width = query.shape[1], query.shape[-1]
    half = query.dtype in (torch.float16, torch.bfloat16)
    return (
        query.is_cuda
        and half
        and width <= 256
        and width % 8 == 0
        and _flash_is_correct(heads, groups, width, query.dtype, query.device)
    )


@cache
def _flash_is_correct(heads: int, groups: int, width: int, dtype: torch.dtype, device: torch.device) -> bool:
    """Whether this build of torch computes attention over ranges correctly: the operator is not public."""
    noise = torch.Generator(device).manual_seed(0)
    keys, values, query = (
        torch.randn(*shape, width, generator=noise, device=device, dtype=dtype)
        for shape in ((96, groups), (96, groups), (3, heads))
    )
    ends, starts, lengths = (
        torch.tensor(some, dtype=torch.int32, device=device) for some in ([0, 1, 3], [64, 7, 0], [20, 30])
    )
    try:
        found = flash(query, keys, values, Ranges(ends, starts, lengths, 2, 96), None, None)
    except RuntimeError:
        log.warning(
            "this torch has no attention over ranges; each segment is computed by itself", exc_info=True
        )
        return False
    wanted = [
        scaled_dot_product_attention(
            query[at : at + 1].transpose(0, 1),
            keys[start : start + length].transpose(0, 1),
            values[start : start + length].transpose(0, 1),
            enable_gqa=heads != groups,
        ).transpose(0, 1)
        for at, start, length in ((0, 64, 20), (1, 7, 29), (2, 7, 30))
    ]
    return torch.allclose(found.float(), torch.cat(wanted).float(), atol=0.02)


def flash(
    query_T_H_D: torch.Tensor,
    keys_S_G_D: torch.Tensor,
    values_S_G_D: torch.Tensor,
    ranges: Ranges,
    scaling: float | None,
    window: int | None,
) -> torch.Tensor:
    """Computes all segments in one call. The values of padding rows are undefined and never read."""
    # The public function derives key ranges from cumulative lengths. This operator takes a start and a length of each.
    return torch.ops.aten._flash_attention_forward(
        query_T_H_D, keys_S_G_D, values_S_G_D, ranges.ends, ranges.starts, ranges.most, ranges.longest,
        0.0, True, False, scale=scaling, seqused_k=ranges.lengths,
        window_size_left=window - 1 if window else -1, window_size_right=0 if window else -1,
    )[0]  # fmt: skip


def _capped(q_1_H_N_D, k_1_G_S_D, v_1_G_S_D, mask_N_S, scaling, softcap):
    """Attention with scores capped to +-softcap (Gemma 2), which fused attention does not support."""
    repeat = q_1_H_N_D.shape[1] // k_1_G_S_D.shape[1]
    k, v = (x.repeat_interleave(repeat, 1) for x in (k_1_G_S_D, v_1_G_S_D))
    scores_1_H_N_S = softcap * torch.tanh(q_1_H_N_D @ k.transpose(2, 3) * scaling / softcap)
    weights = scores_1_H_N_S.masked_fill(~mask_N_S, float("-inf")).softmax(-1, dtype=torch.float32)
    return weights.to(v.dtype) @ v


AttentionInterface.register(NAME, attend)
