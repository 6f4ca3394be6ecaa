"""A plain Llama for training: its weights export one to one to transformers' LlamaForCausalLM.

Written out so that training can mask branches, read attention scores and stay fast on a CPU (plain matmul and softmax beat the
fused kernel's backward at these lengths; queries, keys and values are one matrix).
"""

import ctypes
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from .attention import Attention, masks_of
from .tokenizer import BEGIN_ID, END_ID, PAD_ID, TURN_END_ID


@dataclass
class Shape:
    vocab: int = 4096
    width: int = 256
    layers: int = 6
    inner: int = 512
    head: int = 32
    theta: float = 10000.0
    # Rotary frequencies of a longer wavelength than `slow_from` tokens are divided by `slow_by` (transformers' "llama3" scaling),
    # so that matching a question with a far statement does not turn with distance.
    slow_from: float = 160.0
    slow_by: float = 100.0
    max_length: int = 2048

    @property
    def heads(self) -> int:
        return self.width // self.head

    def frequencies(self) -> Tensor:
        inverse = self.theta ** (-torch.arange(0, self.head, 2).float() / self.head)
        return torch.where(2 * math.pi / inverse > self.slow_from, inverse / self.slow_by, inverse)

    def rope_parameters(self) -> dict[str, float | str]:
        """The same as parameters of transformers: no frequency lies between the two bounds, so none is blended."""
        return {
            "rope_type": "llama3",
            "rope_theta": self.theta,
            "factor": self.slow_by,
            "low_freq_factor": 1.0,
            "high_freq_factor": 1.25,
            "original_max_position_embeddings": int(self.slow_from),
        }


def is_fast_in_bfloat16(device: str) -> bool:
    """Whether the processor has bfloat16 instructions; software emulation is thirty times slower than 32 bits."""
    cpu = torch.cpu
    return not device.startswith("cpu") or cpu._is_avx512_bf16_supported() or cpu._is_amx_tile_supported()


def mixed_precision(device: str) -> torch.autocast:
    return torch.autocast(device.split(":")[0], torch.bfloat16, enabled=is_fast_in_bfloat16(device))


Chosen = Tensor | tuple[Tensor, ...]  # positions in [B, T]: a boolean mask, or rows and columns


class Block(nn.Module):
    def __init__(self, s: Shape):
        super().__init__()
        self.shape = s
        d, f = s.width, s.inner
        self.qkv = nn.Parameter(torch.randn(3, d, d) * 0.7 * d**-0.5)  # rows of a head are contiguous
        self.out = nn.Parameter(torch.zeros(1, d, d))  # zero: a fresh block changes nothing
        self.gate_up = nn.Parameter(torch.randn(2, f, d) * 0.7 * d**-0.5)
        self.down = nn.Parameter(torch.zeros(1, d, f))
        self.norm1 = nn.Parameter(torch.ones(d))
        self.norm2 = nn.Parameter(torch.ones(d))

    def forward(
        self,
        x: Tensor,
        cos: Tensor,
        sin: Tensor,
        mask: Tensor | list[Tensor],
        watched: bool = False,
        only: Chosen | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """x [B, T, D]; cos, sin [B, 1, T, head], both times head ** -0.25; mask [B, 1, T, T], or the `masks_of` it, is added.

        Returns x and, where watched, the scores [B, H, T, T].

        With `only` it returns those positions only, as [N, D].
        """
        s = self.shape
        b, t, d = x.shape
        h = F.rms_norm(x, (d,), self.norm1.to(x.dtype), 1e-5)
        qkv, scores = F.linear(h, self.qkv.view(-1, d)), None
        if isinstance(mask, list):
            a = Attention.apply(qkv, cos, sin, s.heads, mask)
        else:
            q, k, v = qkv.view(b, t, 3, s.heads, s.head).permute(2, 0, 3, 1, 4)
            q, k = (q * cos + rotate(q) * sin).to(v.dtype), (k * cos + rotate(k) * sin).to(v.dtype)
            if watched:
                scores = q @ k.transpose(-1, -2) + mask
                a = torch.softmax(scores, -1, dtype=v.dtype) @ v
            else:
                a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=1.0)
            a = a.transpose(1, 2).reshape(b, t, d)
        if only is not None:
            x, a = x[only], a[only]
        x = x + F.linear(a, self.out[0])
        h = F.rms_norm(x, (d,), self.norm2.to(x.dtype), 1e-5)
        gate, up = F.linear(h, self.gate_up.view(-1, d)).chunk(2, -1)
        return x + F.linear(F.silu(gate) * up, self.down[0]), scores


def rotate(z: Tensor) -> Tensor:
    half = z.shape[-1] // 2
    return torch.cat((-z[..., half:], z[..., :half]), -1)


class Quill(nn.Module):
    def __init__(self, s: Shape):
        super().__init__()
        self.shape = s
        self.embed = nn.Embedding(s.vocab, s.width)
        nn.init.normal_(self.embed.weight, std=0.1)
        # All members have one type, which ModuleList does not express.
        self.blocks = cast("Sequence[Block]", nn.ModuleList(Block(s) for _ in range(s.layers)))
        self.norm = nn.Parameter(torch.ones(s.width))

    def forward(
        self,
        ids: Tensor,
        places: Tensor,
        mask: Tensor,
        watch: tuple[int, ...] = (),
        only: Chosen | None = None,
    ) -> tuple[Tensor, dict[int, Tensor]]:
        """ids, places [B, T] -> hidden [B, T, D], ready for the tied head, and the watched layers' scores.

        With `only` hidden is [N, D], those positions only: the last block computes no others.
        """
        dtype = (
            torch.get_autocast_dtype(ids.device.type)
            if torch.is_autocast_enabled(ids.device.type)
            else torch.float32
        )
        angle = places[..., None].float() * self.shape.frequencies().to(ids.device)  # [B, T, head / 2]
        angle = torch.cat((angle, angle), -1)[:, None]
        scale = self.shape.head**-0.25  # applied to queries and keys, so that scores need no scaling
        cos, sin, mask = (angle.cos() * scale).to(dtype), (angle.sin() * scale).to(dtype), mask.to(dtype)
        masks = (
            masks_of(mask.expand(len(ids), -1, -1, -1), self.shape.heads)
            if ids.device.type == "cpu" and not watch
            else mask
        )
        x = self.embed(ids).to(dtype)
        seen = {}
        for i, block in enumerate(self.blocks):
            x, scores = block(x, cos, sin, masks, i in watch, only if i == len(self.blocks) - 1 else None)
            if scores is not None:
                seen[i] = scores
        return F.rms_norm(x, (self.shape.width,), self.norm.to(x.dtype), 1e-5), seen

    def logits(self, hidden: Tensor) -> Tensor:
        return F.linear(hidden, self.embed.weight)


def hugging_face_names(model: Quill) -> dict[str, Tensor]:
    names = {
        "model.embed_tokens.weight": model.embed.weight,
        "model.norm.weight": model.norm,
    }
    for i, b in enumerate(model.blocks):
        at = f"model.layers.{i}."
        for name, w in zip("qkv", b.qkv, strict=True):
            names[f"{at}self_attn.{name}_proj.weight"] = w
        names |= {
            f"{at}self_attn.o_proj.weight": b.out[0],
            f"{at}mlp.down_proj.weight": b.down[0],
        }
        names |= {
            f"{at}mlp.gate_proj.weight": b.gate_up[0],
            f"{at}mlp.up_proj.weight": b.gate_up[1],
        }
        names |= {
            f"{at}input_layernorm.weight": b.norm1,
            f"{at}post_attention_layernorm.weight": b.norm2,
        }
    return names


def save_hugging_face(model: Quill, folder: Path, dtype: torch.dtype = torch.bfloat16) -> None:
    """config.json, generation_config.json and model.safetensors; the tokenizer's files are written by `tokenizer.save`."""
    s = model.shape
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {
        k: v.detach().to("cpu", dtype).contiguous().clone() for k, v in hugging_face_names(model).items()
    }
    save_file(tensors, str(folder / "model.safetensors"), metadata={"format": "pt"})
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": s.vocab,
        "hidden_size": s.width,
        "intermediate_size": s.inner,
        "num_hidden_layers": s.layers,
        "num_attention_heads": s.heads,
        "num_key_value_heads": s.heads,
        "head_dim": s.head,
        "hidden_act": "silu",
        "max_position_embeddings": s.max_length,
        "rms_norm_eps": 1e-5,
        "rope_parameters": s.rope_parameters(),
        "tie_word_embeddings": True,
        "attention_bias": False,
        "mlp_bias": False,
        "bos_token_id": BEGIN_ID,
        "eos_token_id": [TURN_END_ID, END_ID],
        "pad_token_id": PAD_ID,
        "dtype": str(dtype).removeprefix("torch."),
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    generation = {
        "bos_token_id": BEGIN_ID,
        "eos_token_id": [TURN_END_ID, END_ID],
        "pad_token_id": PAD_ID,
        "do_sample": False,
    }
    (folder / "generation_config.json").write_text(json.dumps(generation, indent=2) + "\n")


def load_hugging_face(folder: Path) -> Quill:
    """Loads an exported folder as the training model."""
    c = json.loads((folder / "config.json").read_text())
    rope = c["rope_parameters"]
    s = Shape(
        c["vocab_size"],
        c["hidden_size"],
        c["num_hidden_layers"],
        c["intermediate_size"],
        c["head_dim"],
        rope["rope_theta"],
    )
    s.slow_from, s.slow_by = (
        float(rope["original_max_position_embeddings"]),
        rope["factor"],
    )
    s.max_length = c["max_position_embeddings"]
    model = Quill(s)
    tensors = load_file(str(folder / "model.safetensors"))
    with torch.no_grad():
        for name, target in hugging_face_names(model).items():
            target.copy_(tensors[name].float())
    return model


@torch.no_grad()
def grow(model: Quill, known: dict[str, Tensor]) -> None:
    """Copies a smaller model's weights into a deeper one, or one with a larger `inner`. At first its logits are bit-identical.

    A new block attends like one of the trained blocks, but adds nothing at first (`out` and `down` are zero).
    """
    mine = model.state_dict()
    trained = 1 + max(int(name.split(".")[1]) for name in known if name.startswith("blocks."))
    for name, target in mine.items():
        source = known.get(name)
        fresh = source is None
        if source is None:
            _, layer, part = name.split(".")
            source = known[f"blocks.{max(2, trained - len(model.blocks) + int(layer)) % trained}.{part}"]
        if name.endswith((".out", ".down")):
            target.zero_()
        if not (fresh and name.endswith((".out", ".down"))):
            target[tuple(slice(0, n) for n in source.shape)] = source


def keep_memory() -> None:
    """Makes glibc keep freed memory: returning each step's tensors to the kernel took half of the time."""
    try:
        libc = ctypes.CDLL(None)
        libc.mallopt(-4, 0)  # M_MMAP_MAX: nothing by mmap
        libc.mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD: never give back
    except (OSError, AttributeError):
        pass  # another libc: only slower
