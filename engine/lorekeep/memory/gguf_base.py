"""Writes a base as GGUF for llama.cpp: the families of Llama and Qwen, with unchanged weights."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from safetensors import safe_open
from transformers import AutoConfig, AutoTokenizer
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from lorekeep import folders
from lorekeep.errors import EngineError
from lorekeep.infer import handover

ARCHITECTURES = {
    "llama": gguf.MODEL_ARCH.LLAMA,
    "qwen2": gguf.MODEL_ARCH.QWEN2,
    "qwen3": gguf.MODEL_ARCH.QWEN3,
}
_TENSOR_TYPES = {
    "F32": (gguf.GGMLQuantizationType.F32, 4),
    "F16": (gguf.GGMLQuantizationType.F16, 2),
    "BF16": (gguf.GGMLQuantizationType.BF16, 2),
}
_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
# Patterns of the pre-tokenizers that llama.cpp supports, with its names for them.
_PRE_TOKENIZERS = {
    _CONTRACTIONS + r"\p{N}{1,3}" + _REST: "llama-bpe",
    _CONTRACTIONS + r"\p{N}" + _REST: "qwen2",
}


@dataclass(frozen=True)
class Tensor:
    name: str
    shape: tuple[int, ...]
    kind: gguf.GGMLQuantizationType
    bytes: int
    file: Path
    key: str
    heads: int = 0  # rows of queries and keys are stored in another order


def architecture(path: str | Path, family: str | None) -> gguf.MODEL_ARCH:
    if family not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise refused(path, f"its family is {family!r}, and GGUF is written for {known}")
    return ARCHITECTURES[family]


def write_base(path: str | Path, target: Path, name: str) -> list[str]:
    """Writes the base to a draft and renames it. Returns the known differences in llama.cpp."""
    checked = folders.check(str(path), "generate")
    arch = architecture(path, checked.family)
    if checked.precision is not None:
        raise refused(path, "its weights are quantized: export the base that it was made of")
    config = AutoConfig.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    tensors = list(_tensors(checked, config, arch))
    draft = target.with_name(f".{target.name}.draft")
    writer = gguf.GGUFWriter(draft, gguf.MODEL_ARCH_NAMES[arch])
    writer.add_name(name)
    _describe(writer, config)
    notes = _write_vocabulary(writer, checked.path, config)
    factors = _write_rope(writer, path, config)
    if factors is not None:
        writer.add_tensor_info("rope_freqs.weight", factors.shape, factors.dtype, factors.nbytes)
    for one in tensors:
        writer.add_tensor_info(one.name, one.shape, np.dtype(np.float32), one.bytes, one.kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    if factors is not None:
        writer.write_tensor_data(factors)
    for one in tensors:
        writer.write_tensor_data(_tensor_data(one))
    writer.close()
    draft.replace(target)
    return notes


def _describe(writer: gguf.GGUFWriter, config: Any) -> None:
    heads = config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // heads
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_vocab_size(config.vocab_size)
    writer.add_rope_dimension_count(width)
    writer.add_key_length(width)
    writer.add_value_length(width)


def _write_rope(writer: gguf.GGUFWriter, path: str | Path, config: Any) -> np.ndarray | None:
    """Writes the rotary positions. Returns factors of the frequencies if the scaling has them."""
    said = config.rope_parameters
    writer.add_rope_freq_base(said["rope_theta"])
    kind = said.get("rope_type", "default")
    if kind == "default":
        return None
    if kind in ("linear", "yarn"):
        writer.add_rope_scaling_type(gguf.RopeScalingType(kind))
        writer.add_rope_scaling_factor(said["factor"])
        writer.add_rope_scaling_orig_ctx_len(
            said.get("original_max_position_embeddings") or config.max_position_embeddings
        )
        return None
    if kind != "llama3":
        raise refused(path, f"its rotary positions are scaled by {kind!r}, which is not written as GGUF")
    scaled, _ = ROPE_INIT_FUNCTIONS[kind](config, torch.device("cpu"))
    width = 2 * len(scaled)
    plain = 1.0 / said["rope_theta"] ** (torch.arange(0, width, 2, dtype=torch.float32) / width)
    return (plain / scaled).float().numpy()


def _write_vocabulary(writer: gguf.GGUFWriter, path: Path, config: Any) -> list[str]:
    said = folders.read_json(path / "tokenizer.json")
    model = said.get("model") or {}
    if model.get("type") != "BPE" or model.get("byte_fallback"):
        raise refused(path, "its tokenizer is not of bytes (BPE), and no other is written as GGUF")
    added = {one["id"]: one for one in said.get("added_tokens") or []}
    texts = {i: text for text, i in model["vocab"].items()} | {i: one["content"] for i, one in added.items()}
    kinds = gguf.TokenType
    tokens, types = [], []
    for i in range(config.vocab_size):
        tokens.append(texts.get(i, f"[PAD{i}]"))
        special = kinds.CONTROL if added.get(i, {}).get("special") else kinds.USER_DEFINED
        types.append(kinds.UNUSED if i not in texts else special if i in added else kinds.NORMAL)
    cut, notes = _pre_tokenizer(said.get("pre_tokenizer") or {})
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(cut)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges([one if isinstance(one, str) else " ".join(one) for one in model["merges"]])
    tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    ends = handover.end_tokens(tokenizer, config.eos_token_id, path)
    for add, found in (
        (writer.add_bos_token_id, tokenizer.bos_token_id),
        (writer.add_eos_token_id, ends[0] if ends else None),
        (writer.add_eot_token_id, ends[1] if len(ends) > 1 else None),
        (writer.add_pad_token_id, tokenizer.pad_token_id),
    ):
        if found is not None:
            add(found)
    writer.add_add_bos_token(tokenizer.encode("a")[:1] == [tokenizer.bos_token_id])
    if isinstance(tokenizer.chat_template, str):
        writer.add_chat_template(tokenizer.chat_template)
    return notes


def _pre_tokenizer(pre_tokenizer: dict) -> tuple[str, list[str]]:
    steps = pre_tokenizer.get("pretokenizers") or [pre_tokenizer]
    patterns = [one["pattern"].get("Regex") for one in steps if one.get("type") == "Split"]
    if not patterns and any(one.get("type") == "ByteLevel" and one.get("use_regex", True) for one in steps):
        return "gpt-2", []
    if len(patterns) == 1 and patterns[0] in _PRE_TOKENIZERS:
        return _PRE_TOKENIZERS[patterns[0]], []
    note = (
        "llama.cpp does not know how this base cuts text into words, and makes other tokens of some texts. Send prompts as "
        "token IDs, as Lorekeep does to an upstream engine."
    )
    return "gpt-2", [note]


def _tensors(checked: folders.Folder, config: Any, arch: gguf.MODEL_ARCH) -> Iterator[Tensor]:
    names = gguf.get_tensor_name_map(arch, config.num_hidden_layers)
    for file in folders.weight_files(checked.path):
        with safe_open(file, framework="pt") as weights:
            for key in sorted(weights.keys()):
                if key == "lm_head.weight" and config.tie_word_embeddings:
                    continue
                name = names.get_name(key, try_suffixes=(".weight", ".bias"))
                if name is None:
                    raise refused(checked.path, f"{file.name} holds {key}, which has no name in GGUF")
                part = weights.get_slice(key)
                shape = tuple(part.get_shape())
                # llama.cpp wants norms and biases in 32 bits.
                kind, size = _TENSOR_TYPES["F32" if len(shape) == 1 else part.get_dtype()]
                heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
                turned = heads.get(key.split(".")[-2], 0) if arch == gguf.MODEL_ARCH.LLAMA else 0
                yield Tensor(name, shape, kind, int(np.prod(shape)) * size, file, key, turned)


def _tensor_data(tensor: Tensor) -> np.ndarray:
    with safe_open(tensor.file, framework="pt") as weights:
        found = weights.get_tensor(tensor.key)
    if tensor.heads:
        # Converts Llama's rotary layout from halves of a head to pairs.
        rows = found.shape[0] // tensor.heads // 2
        found = found.reshape(tensor.heads, 2, rows, *found.shape[1:]).swapaxes(1, 2).reshape(found.shape)
    if tensor.kind == gguf.GGMLQuantizationType.F32:
        return found.float().contiguous().numpy()
    return found.contiguous().view(torch.int16).numpy()


def refused(path: str | Path, reason: str) -> EngineError:
    return EngineError("model_invalid", f"{path} cannot be written as GGUF: {reason}.", reason=reason)
