"""Our engine beside transformers' own generate, a bare loop of the same model, and sentence-transformers: alternating turns in one
process. Prints one JSON object: seconds of every turn. Called by generate.ts."""

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
import transformers
from lorekeep import default_embedder, folders
from lorekeep.infer import embed, generate
from lorekeep.infer.weights import reading
from lorekeep.protocol import Embed, Generate
from sentence_transformers import SentenceTransformer
from transformers import AutoModelForCausalLM, DynamicCache

MODEL = Path(__file__).resolve().parents[1] / "models/quill"
TOGETHER, ANSWER, TEXTS = 32, 64, 96
WORDS = [
    "the",
    "library",
    "of",
    "Brimoor",
    "opens",
    "at",
    "nine",
    "while",
    "Ada",
    "Quist",
    "counts",
    "seventeen",
    "roofs",
    "under",
    "rain",
    "and",
    "old",
    "maps",
    "rest",
]


def prompts(choose: random.Random, count: int, longest: int) -> list[str]:
    """Prompts without a common prefix, so that no prefix cache helps."""
    return [" ".join(choose.choices(WORDS, k=choose.randint(8, longest))) for _ in range(count)]


class Ours:
    def __init__(self):
        self.answers: list[dict] = []
        folder = folders.check(str(MODEL), "generate")
        model, self.tokenizer = reading.read(folder, torch.float32, torch.device("cpu"))
        self.generator = generate.Generator(folder, model, self.tokenizer, TOGETHER, 1 << 28, self._emit)
        self.generator.ends = []  # every side generates the same number of tokens

    def _emit(self, answer: dict) -> None:
        self.answers.append(json.dumps(answer))

    def together(self, texts: list[str]) -> None:
        for i, text in enumerate(texts):
            self.generator.submit(
                Generate(type="generate", id=str(i), model="-", prompt=text, max_tokens=ANSWER, stream=True)
            )
        while self.generator.busy:
            self.generator.step()

    def one_by_one(self, texts: list[str]) -> None:
        for text in texts:
            self.together([text])


class Plain:
    """The same folder, loaded by transformers."""

    def __init__(self, tokenizer):
        self.model = AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.float32).eval()
        self.tokenizer = tokenizer
        self.tokenizer.padding_side = "left"
        self.tokenizer.pad_token_id = self.model.config.pad_token_id
        self.model.generation_config.eos_token_id = None

    @torch.inference_mode()
    def bare(self, texts: list[str]) -> None:
        for text in texts:
            ids_1_T = self.tokenizer(text, return_tensors="pt").input_ids
            cache, said = DynamicCache(config=self.model.config), []
            for _ in range(ANSWER):
                logits = self.model(
                    input_ids=ids_1_T, past_key_values=cache, use_cache=True, logits_to_keep=1
                ).logits
                ids_1_T = logits[:, -1].argmax(-1, keepdim=True)
                said.append(int(ids_1_T))
            self.tokenizer.decode(said)

    @torch.inference_mode()
    def generate(self, texts: list[str]) -> None:
        """One batch of all texts, the longest first, padded on the left."""
        batch = self.tokenizer(sorted(texts, key=len, reverse=True), return_tensors="pt", padding=True)
        out = self.model.generate(
            **{key: batch[key] for key in ("input_ids", "attention_mask")},
            max_new_tokens=ANSWER,
            do_sample=False,
        )
        self.tokenizer.batch_decode(out[:, batch.input_ids.shape[1] :])

    def generate_one_by_one(self, texts: list[str]) -> None:
        for text in texts:
            self.generate([text])


class Embedders:
    def __init__(self):
        path = default_embedder.folder()
        folder = folders.check(str(path), "embed")
        model, tokenizer = embed.read(folder, torch.device("cpu"))
        self.ours = embed.Embedder(folder, model, tokenizer, lambda answer: json.dumps(answer))
        self.theirs = SentenceTransformer(str(path), device="cpu")

    def embed(self, texts: list[str]) -> None:
        self.ours.submit(Embed(type="embed", id="1", model="-", texts=texts))
        while self.ours.busy:
            self.ours.step()

    def embed_one_by_one(self, texts: list[str]) -> None:
        for text in texts:
            self.embed([text])

    def encode(self, texts: list[str]) -> None:
        self.theirs.encode(texts, batch_size=32, show_progress_bar=False)

    def encode_one_by_one(self, texts: list[str]) -> None:
        for text in texts:
            self.encode([text])


def measure(turns: int, ways: dict[str, Callable], texts: Callable[[], list[str]], figures: dict) -> None:
    """Runs every way on the same texts, in alternating turns, with one more turn to warm up. The order is shuffled, so that no way
    always follows a slow one."""
    for turn in range(turns + 1):
        asked = texts()
        for name in sorted(ways, key=lambda _: random.random()):
            wall, cpu = time.perf_counter(), time.process_time()
            ways[name](asked)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            if turn > 0:
                figures.setdefault(name, []).append({"wall": wall, "cpu": cpu})


def main() -> None:
    turns, threads = int(sys.argv[1]), int(sys.argv[2])
    torch.set_num_threads(threads)
    transformers.logging.set_verbosity_error()
    choose, figures = random.Random(1), {}
    ours = Ours()
    plain = Plain(ours.tokenizer)
    measure(
        turns,
        {
            "alone ours": ours.one_by_one,
            "alone bare": plain.bare,
            "alone generate": plain.generate_one_by_one,
        },
        lambda: prompts(choose, 4, 40),
        figures,
    )
    measure(
        turns,
        {"together ours": ours.together, "together generate": plain.generate},
        lambda: prompts(choose, TOGETHER, 80),
        figures,
    )
    embedders = Embedders()
    measure(
        turns,
        {"many ours": embedders.embed, "many theirs": embedders.encode},
        lambda: prompts(choose, TEXTS, 150),
        figures,
    )
    measure(
        turns,
        {"few ours": embedders.embed_one_by_one, "few theirs": embedders.encode_one_by_one},
        lambda: prompts(choose, 32, 30),
        figures,
    )
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
