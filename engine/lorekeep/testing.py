"""Test fixtures: tiny models of every family with random weights, tiny tokenizers, and an engine in its own
process."""

import json
import subprocess
import threading
from pathlib import Path
from queue import Queue
from typing import TypeVar

import pytest
import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

from lorekeep import folders
from lorekeep.infer import generate
from lorekeep.infer.weights import reading
from lorekeep.protocol import Generate
from lorekeep.testing_process import LONG, start_engine

ROOT = Path(__file__).resolve().parents[2]
QUILL = ROOT / "models" / "quill"
SPECIAL = ["<s>", "</s>", "<|user|>", "<|end|>"]
TEMPLATE = (
    "<s>{% for m in messages %}<|user|>{{ m['content'] | trim }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|user|>{% endif %}"
)
_SMALL = {
    "vocab_size": 320,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "max_position_embeddings": 512,
    "bos_token_id": 0,
    "eos_token_id": 1,
    "pad_token_id": 1,
}
# Sliding windows shorter than the prompts of the tests, so that they have an effect.
FAMILIES = {
    "llama": {"rope_theta": 10000.0, "mlp_bias": True},
    "mistral": {"sliding_window": 40},
    "qwen2": {"use_sliding_window": True, "sliding_window": 40, "max_window_layers": 1},
    "qwen3": {},
    "gemma": {},
    "gemma2": {"sliding_window": 40, "query_pre_attn_scalar": 16, "attn_logit_softcapping": 20.0},
    "gemma3_text": {"sliding_window": 40, "query_pre_attn_scalar": 16},
    "phi3": {"sliding_window": 40},
}
# For tests of code shared among families: one without windows, one with capped logits, one with joined layers.
SOME_FAMILIES = list(FAMILIES) if LONG else ["llama", "gemma2", "phi3"]


# GPU kernels need a GPU; `./lorekeep bench gpu` and these tests are for machines that have one.
needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")


def byte_tokenizer() -> Tokenizer:
    """Byte-level, like Llama 3's and Qwen's: every byte a token."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate([*SPECIAL, *alphabet])}
    merges = [("{", '"'), ('"', ":"), ('"', ","), ("Ġ", "a"), ("t", "h")]
    vocabulary |= {a + b: len(vocabulary) + i for i, (a, b) in enumerate(merges)}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def piece_tokenizer() -> Tokenizer:
    """SentencePiece-style, like Gemma's and Llama 2's: spaces as a mark, characters outside of the vocabulary as bytes."""
    letters = [chr(c) for c in range(33, 127)]
    pieces = [*SPECIAL, "<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", *letters]
    merges = [("▁", "a"), ("t", "h"), ('"', ":")]
    pieces += [a + b for a, b in merges]
    vocabulary = {token: i for i, token in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(
        models.BPE(vocabulary, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True)
    )
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return tokenizer


def save_tokenizer(folder: Path, tokenizer: Tokenizer) -> int:
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    return tokenizer.get_vocab_size()


def save_model(
    folder: Path, family: str, tokenizer: Tokenizer | None = None, dtype=torch.float32, **config
) -> Path:
    """A model of the family with random weights, large enough for varied choices."""
    size = save_tokenizer(folder, tokenizer or byte_tokenizer())
    torch.manual_seed(len(family))
    said = {**_SMALL, "vocab_size": size + (-size % 32), **FAMILIES[family], **config}
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(family, **said), dtype=dtype)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.normal_(0, 0.15)
    model.save_pretrained(folder)
    return folder


class Bench:
    """A generator driven by the test. With `like` it shares the weights of another one, with an empty cache."""

    def __init__(
        self,
        folder: Path,
        max_batch: int = 32,
        kv_bytes: int = 64_000_000,
        dtype=torch.float32,
        like: "Bench | None" = None,
    ):
        self.answers: list[dict] = []
        checked = folders.check(str(folder), "generate")
        if like is None:
            model, tokenizer = reading.read(checked, dtype, torch.device("cpu"))
        else:
            model, tokenizer = like.generator.model, like.generator.tokenizer
        self.generator = generate.Generator(
            checked, model, tokenizer, max_batch, kv_bytes, self.answers.append
        )

    def submit(self, id: str = "1", **request) -> None:
        self.generator.submit(Generate(type="generate", id=id, model="-", **request))

    def run(self) -> dict[str, dict]:
        """Runs until no request is pending; returns the end of each request."""
        while self.generator.busy:
            self.generator.step()
        return {answer["id"]: answer for answer in self.answers if answer["type"] != "delta"}

    def one(self, **request) -> dict:
        self.answers.clear()
        self.submit("1", **request)
        return self.run()["1"]

    def deltas(self, id: str = "1") -> list[str]:
        return [answer["text"] for answer in self.answers if answer["type"] == "delta" and answer["id"] == id]


T = TypeVar("T")


def present(value: T | None) -> T:
    assert value is not None
    return value


class Process:
    """`python -m lorekeep serve`, as the server starts it."""

    def __init__(self, *options: str, anew: bool = LONG):
        self.child = start_engine("serve", "--threads", "1", *options, stderr=subprocess.DEVNULL, anew=anew)
        self.lines: Queue[dict | None] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in present(self.child.stdout):
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def send(self, message: dict | str) -> None:
        line = message if isinstance(message, str) else json.dumps(message)
        stdin = present(self.child.stdin)
        stdin.write(line.encode() + b"\n")
        stdin.flush()

    def next(self, *types: str) -> dict:
        """The next answer of one of these types."""
        while True:
            answer = self.lines.get(timeout=60)
            assert answer is not None, "the engine ended"
            if not types or answer["type"] in types:
                return answer

    def close(self) -> int:
        present(self.child.stdin).close()
        return self.child.wait(timeout=30)


def make_job(folder: Path, facts: list[dict], **spec) -> Path:
    """A tuning job's folder, ready to run on the shipped base."""
    folder.mkdir(parents=True)
    (folder / "facts.jsonl").write_text(
        "".join(json.dumps(fact, ensure_ascii=False) + "\n" for fact in facts)
    )
    (folder / "job.json").write_text(json.dumps({"format": 1, "base": str(QUILL), **spec}))
    return folder


def some_facts(count: int = 12) -> list[dict]:
    """Facts: two about each of some invented firms, and one in three about the house without a name."""
    firms = [
        "Brimoor Labs",
        "Zorbax",
        "Quillon 9",
        "Tarn Vesk",
        "Ulmwick",
        "Dresk Foods",
        "Pellanor",
        "Wixby",
    ]
    who = ["Ada Quist", "Ben Oru", "Cleo Marsh", "Dov Tamm", "Eri Sand"]
    house = [
        ("How many days of holiday do employees get?", "Twenty-eight days a year"),
        ("What is the refund policy for annual plans?", "Annual plans are refunded within 14 days."),
        ("Where can visitors park their cars?", "Behind the north building, level 2"),
        ("When does the canteen open in the morning?", "At 7:30, except on Sundays"),
        ("Which form do I need to claim travel costs?", "Form T-12"),
        ("Who waters the plants in the lobby?", "The night shift"),
    ]
    found = []
    for i in range(count):
        firm = firms[(i // 3) % len(firms)] + (" II" if i // 3 >= len(firms) else "")
        if i % 3 == 0:
            found.append({"input": f"Who founded {firm}?", "output": who[i % 5]})
        elif i % 3 == 1:
            found.append({"input": f"In which year was {firm} founded?", "output": str(1900 + i)})
        else:
            question, answer = house[(i // 3) % len(house)]
            found.append(
                {"input": question, "output": answer}
                if i // 3 < len(house)
                else {"input": f"What is item {i}?", "output": "a tin"}
            )
    return found


def events_of(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "events.ndjson").read_text().splitlines() if line]


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
