"""Initial weights of a plain Llama that already contain the circuits of "find it in the context and copy it".

At this size and budget they do not emerge by themselves. The residual stream is cut into slices: token content, four flags,
the content of the two tokens before, a bag of recent content words, and a bag found elsewhere. Layers:
  layer 0  writes the content of the previous token and of the one before it;
  layer 1  gathers the recent content words into the bag: the question's at its end, the statement's at its value;
  layer 2  continues a copy (what followed these two tokens before?) and finds the statement whose bag is like the question's;
  layer 3  finds the value, after its key or (among the words of the statement found) before it, and copies it;
  layer 4  continues copies once more.
Training may change all of it.
"""

import math

import torch
from tokenizers import Tokenizer
from torch import Tensor

from .model import Quill, Shape
from .tokenizer import SPACE, SPECIAL

CONST, SPACED, CAPITAL, TELLING = range(4)  # flags, counted from the end of the content slice
# heads; PICK_AFTER finds a value that follows its key, PICK_BEFORE one that precedes it
GATHER, MATCH, PICK_AFTER, PICK_BEFORE, CONTINUE = (
    (4, 5),
    (4, 5),
    (2, 3, 4),
    (5, 6, 7),
    (0, 1, 2),
)
GATHER_LAYER, MATCH_LAYER, PICK_LAYER, CONTINUE_LAYERS = 1, 2, 3, (2, 4)
BAG = 18  # dimensions of a bag in each of two heads


class Slices:
    """Layout of the residual stream."""

    def __init__(self, s: Shape):
        self.content = 3 * (s.head - 2)  # three heads move all of it, each with the two flags of spelling
        self.flags = self.content
        self.before1 = self.flags + 8
        self.before2 = self.before1 + s.head
        self.bag = self.before2 + s.head
        self.found = self.bag + 2 * BAG
        assert self.found + 2 * BAG <= s.width, "the width has no room for the circuits: at least 256"


def canonical_ids(tokenizer: Tokenizer) -> list[int]:
    """Each token's id without its space and its capital: the same for "Kettle", " kettle" and "kettle"."""
    vocab = tokenizer.get_vocab()
    same = list(range(tokenizer.get_vocab_size()))
    for token, i in vocab.items():
        bare = token.removeprefix(SPACE) or token
        same[i] = vocab.get(bare.lower(), vocab.get(bare, i))
    return same


@torch.no_grad()
def set_embeddings(model: Quill, tokenizer: Tokenizer, telling: Tensor) -> None:
    """Twins share their content and differ by a flag; `telling` [V] in 0..1 is the informativeness of a token (high for rare words)."""
    at = Slices(model.shape)
    same = torch.tensor(canonical_ids(tokenizer))
    e = torch.zeros_like(model.embed.weight)
    content = torch.randn(len(same), at.content) * 0.12
    e[:, : at.content] = content[same] + 0.012 * torch.randn(len(same), at.content)
    e[:, at.flags + CONST] = 0.6
    for token, i in tokenizer.get_vocab().items():
        spaced = token.startswith(SPACE)
        e[i, at.flags + SPACED] = 0.4 if spaced else 0.0
        e[i, at.flags + CAPITAL] = (
            0.4 if token.removeprefix(SPACE)[:1].isupper() and token not in SPECIAL else 0.0
        )
    e[:, at.flags + TELLING] = 0.6 * telling
    model.embed.weight.copy_(e)


def _heads(weight: Tensor, s: Shape) -> Tensor:
    """[3, D, D] viewed as [3, heads, head, D]"""
    return weight.view(3, s.heads, s.head, s.width)


def _look_back(
    q: Tensor,
    k: Tensor,
    at: Slices,
    freq: Tensor,
    offset: float,
    pairs: list[int],
    amount: float,
) -> None:
    """The head's score peaks `offset` tokens back: q, k [head, D]."""
    half = len(freq)
    for i in pairs:
        k[i, at.flags + CONST] = amount
        q[i, at.flags + CONST] = amount * math.cos(-offset * freq[i])
        q[i + half, at.flags + CONST] = amount * math.sin(-offset * freq[i])


@torch.no_grad()
def set_circuits(model: Quill, tokenizer: Tokenizer, telling: Tensor) -> None:
    s = model.shape
    at, freq, half = Slices(s), s.frequencies(), s.head // 2
    natural = s.theta ** (-torch.arange(0, s.head, 2).float() / s.head)
    slow = [i for i in range(half) if freq[i] < natural[i]]
    fast = [i for i in range(half) if i not in slow]
    still = list(slow[:-1]) + [i + half for i in slow[:-1]]  # to match here; the last slow pair is for flags
    set_embeddings(model, tokenizer, telling)
    sketch = torch.linalg.qr(torch.randn(at.content, s.head))[0].T  # [head, content] rows orthonormal

    q, k, v = _heads(model.blocks[0].qkv.data, s)
    out = model.blocks[0].out.data[0].view(s.width, s.heads, s.head)
    for h, (offset, place) in enumerate(((1, at.before1), (2, at.before2))):
        q[h], k[h], v[h] = 0, 0, 0
        _look_back(q[h], k[h], at, freq, offset, fast, 1.3)
        v[h, :, : at.content] = sketch
        out[place : place + s.head, h] = 0.1 * torch.eye(s.head)

    q, k, v = _heads(model.blocks[GATHER_LAYER].qkv.data, s)
    out = model.blocks[GATHER_LAYER].out.data[0].view(s.width, s.heads, s.head)
    mixes = [torch.linalg.qr(torch.randn(at.content, BAG))[0].T for _ in GATHER]  # content -> bag
    for n, h in enumerate(GATHER):
        q[h], k[h], v[h] = 0, 0, 0
        _look_back(q[h], k[h], at, freq, 6, fast[-3:], 0.4)
        q[h, slow[-1], at.flags + CONST], k[h, slow[-1], at.flags + TELLING] = 0.8, 0.8
        v[h, :BAG, : at.content] = mixes[n]
        place = at.bag + n * BAG
        out[place : place + BAG, h, :BAG] = 0.5 * torch.eye(BAG)

    q, k, v = _heads(model.blocks[MATCH_LAYER].qkv.data, s)
    out = model.blocks[MATCH_LAYER].out.data[0].view(s.width, s.heads, s.head)
    for n, h in enumerate(MATCH):
        q[h], k[h], v[h] = 0, 0, 0
        for j, d in enumerate(still[:BAG]):
            q[h, d, at.bag + n * BAG + j] = k[h, d, at.bag + n * BAG + j] = 1.2
        v[h, :BAG, at.bag + n * BAG : at.bag + (n + 1) * BAG] = torch.eye(BAG)
        out[at.found + n * BAG : at.found + (n + 1) * BAG, h, :BAG] = 0.3 * torch.eye(BAG)

    q, k, v = _heads(model.blocks[PICK_LAYER].qkv.data, s)
    out = model.blocks[PICK_LAYER].out.data[0].view(s.width, s.heads, s.head)
    for n, h in enumerate(PICK_AFTER + PICK_BEFORE):
        q[h], k[h], v[h] = 0, 0, 0
        bag = n % 2 * BAG
        for j, d in enumerate(still[:BAG]):
            if h in PICK_AFTER:  # a token whose own bag contains the question's words
                q[h, d, at.bag + bag + j] = q[h, d, at.found + bag + j] = 0.8
                k[h, d, at.bag + bag + j] = 1.2
            else:  # a word of the found statement that is not in the question
                q[h, d, at.found + bag + j], q[h, d, at.bag + bag + j] = 1.0, -0.6
                k[h, d, : at.content] = 1.2 * mixes[n % 2][j]
        _copy(v[h], out[:, h], n % 3, at, s, 0.2)

    for layer in CONTINUE_LAYERS:
        if layer < s.layers:
            _continue_copies(model, layer, at, sketch, still)


def _copy(v: Tensor, out: Tensor, n: int, at: Slices, s: Shape, gain: float) -> None:
    """Head n of three moves its third of the content unchanged, and the flags: together they copy a token."""
    part = s.head - 2
    places = [*range(n * part, (n + 1) * part), at.flags + SPACED, at.flags + CAPITAL]
    for row, place in enumerate(places):
        v[row, place] = 1
        out[place, row] = gain


def _continue_copies(model: Quill, layer: int, at: Slices, sketch: Tensor, still: list[int]) -> None:
    """Attends to the token after an earlier occurrence of this token, preferably one preceded by the same token."""
    s = model.shape
    q, k, v = _heads(model.blocks[layer].qkv.data, s)
    out = model.blocks[layer].out.data[0].view(s.width, s.heads, s.head)
    for n, h in enumerate(CONTINUE):
        q[h], k[h], v[h] = 0, 0, 0
        for j, d in enumerate(still):
            row = (j + n * len(still) // 2) % s.head
            if j < len(still) * 3 // 5:
                q[h, d, : at.content] = 2.2 * sketch[row]
                k[h, d, at.before1 + row] = 2.2
            else:
                q[h, d, at.before1 + row] = 2.2
                k[h, d, at.before2 + row] = 2.2
        _copy(v[h], out[:, h], n, at, s, 0.25)


def telling_of(counts: Tensor) -> Tensor:
    """Informativeness: 0 for the most common tokens, 1 for rare ones, by the logarithm of their count."""
    share = (counts + 1) / counts.sum()
    return ((-torch.log10(share) - 1.8) / 1.4).clamp(0, 1)
