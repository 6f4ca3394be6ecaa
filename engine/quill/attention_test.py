"""The training attention equals autograd of plain operations, forward and backward."""

import pytest
import torch

from quill.attention import BLOCK, Attention, masks_of
from quill.model import rotate

HEADS, HEAD = 2, 8


def plain(qkv: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    b, t, _ = qkv.shape
    q, k, v = qkv.view(b, t, 3, HEADS, HEAD).permute(2, 0, 3, 1, 4)
    q, k = q * cos + rotate(q) * sin, k * cos + rotate(k) * sin
    a = torch.softmax(q @ k.transpose(-1, -2) + mask, -1) @ v
    return a.transpose(1, 2).reshape(b, t, -1)


@pytest.mark.parametrize("length", [1, 17, BLOCK, 2 * BLOCK + 5])
def test_output_and_gradients_equal_those_of_plain_operations(length: int):
    torch.manual_seed(length)
    qkv = torch.randn(3, length, 3 * HEADS * HEAD, requires_grad=True)
    angle = torch.rand(3, 1, length, HEAD // 2)
    angle = torch.cat((angle, angle), -1)
    cos, sin = angle.cos() * HEAD**-0.25, angle.sin() * HEAD**-0.25
    mask = torch.full((length, length), -1e4).triu(1).expand(3, 1, length, length).clone()
    mask[1, :, :, : length // 2] = torch.where(
        torch.arange(length)[:, None] > length // 2, -1e4, mask[1, :, :, : length // 2]
    )
    wanted = plain(qkv, cos, sin, mask)
    back = torch.randn_like(wanted)
    (wanted_grad,) = torch.autograd.grad(wanted, qkv, back)
    made = Attention.apply(qkv, cos, sin, HEADS, masks_of(mask, HEADS))
    (made_grad,) = torch.autograd.grad(made, qkv, back)
    torch.testing.assert_close(made, wanted, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(made_grad, wanted_grad, atol=1e-5, rtol=1e-4)
