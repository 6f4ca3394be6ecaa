"""Attention for training on a CPU: rotation, scores and their backward as one function of a few large operations.

The fused kernel of torch needs four times as long for its backward at these lengths, and autograd of the single operations stores and
copies more than needed. Queries are processed in blocks, and a block sees no key after its end.
"""

from typing import Any

import torch
from torch import Tensor

BLOCK = 128


def masks_of(mask: Tensor, heads: int) -> list[Tensor]:
    """The causal mask [B, 1, T, T] as one contiguous [B * heads, block, keys] for each block of queries."""
    length = mask.shape[-1]
    ends = [min(length, start + BLOCK) for start in range(0, length, BLOCK)]
    return [
        mask[:, :, start:end, :end].expand(-1, heads, -1, -1).reshape(-1, end - start, end)
        for start, end in zip(range(0, length, BLOCK), ends, strict=True)
    ]


def turn(head: int, dtype: torch.dtype) -> Tensor:
    """The matrix that makes (-second half, first half) of a row: a product is faster than copies of halves."""
    half = head // 2
    matrix = torch.zeros(head, head, dtype=dtype)
    matrix[half:, :half] = -torch.eye(half, dtype=dtype)
    matrix[:half, half:] = torch.eye(half, dtype=dtype)
    return matrix


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, qkv: Tensor, cos: Tensor, sin: Tensor, heads: int, masks: list[Tensor]) -> Tensor:
        """qkv [B, T, 3 * D]; cos, sin [B, 1, T, head], both times head ** -0.25, which scales the scores. Returns [B, T, D]."""
        b, t, width = qkv.shape
        head = width // 3 // heads
        split = qkv.view(b, t, 3, heads, head).permute(2, 0, 3, 1, 4).contiguous()
        turned = torch.addcmul(split[:2] * cos, split[:2] @ turn(head, qkv.dtype), sin)
        q, k = turned.view(2, b * heads, t, head)
        v = split[2].view(b * heads, t, head)
        out, kept = torch.empty_like(v), []
        for start, mask in zip(range(0, t, BLOCK), masks, strict=True):
            end = start + mask.shape[1]
            scores = torch.baddbmm(mask, q[:, start:end], k[:, :end].transpose(1, 2))
            kept.append(torch.softmax(scores, -1))
            out[:, start:end] = kept[-1] @ v[:, :end]
        ctx.save_for_backward(q, k, v, cos, sin, *kept)
        return out.view(b, heads, t, head).transpose(1, 2).reshape(b, t, -1)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        q, k, v, cos, sin, *kept = ctx.saved_tensors
        b, (rows, t, head) = len(cos), q.shape
        g = grads[0].view(b, t, -1, head).transpose(1, 2).reshape(rows, t, head)
        to_qkv = torch.zeros(3, rows, t, head, dtype=q.dtype)
        to_q, to_k, to_v = to_qkv
        for start, p in zip(range(0, t, BLOCK), kept, strict=True):
            end = start + p.shape[1]
            to_v[:, :end] += p.transpose(1, 2) @ g[:, start:end]
            to_p = g[:, start:end] @ v[:, :end].transpose(1, 2)
            to_scores = torch.ops.aten._softmax_backward_data(to_p, p, -1, p.dtype)
            to_q[:, start:end] = to_scores @ k[:, :end]
            to_k[:, :end] += to_scores.transpose(1, 2) @ q[:, start:end]
        to_qkv = to_qkv.view(3, b, -1, t, head)
        to_qkv[:2] = to_qkv[:2] * cos + (to_qkv[:2] * sin) @ turn(head, q.dtype).T
        return to_qkv.permute(1, 3, 0, 2, 4).reshape(b, t, -1), None, None, None, None
