"""Recital by an upstream: every fact of a tuned model is asked of llama.cpp with its expert as a LoRA, and of our engine. A
recital counts if it is the taught answer, word for word. ../recite.ts starts it."""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "engine"), str(Path(__file__).parent), str(ROOT / "bench" / "real")]
torch.set_num_threads(1)

from generated import generate
from llama_cpp import package, quantize
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.export_gguf import export_gguf
from lorekeep.memory.fact_tokens import question_tokens
from lorekeep.protocol import Generate
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.tune.measure.evaluate import Asker
from lorekeep.tune.training.trainer import Trainer
from tune import make_job, run_job

BASE = ROOT / "models" / "quill"


class Upstream:
    """llama.cpp in this process, with all adapters loaded and none applied."""

    def __init__(self, base: Path, adapters: list[Path]):
        llama = package()
        settings = llama.CommonParams()
        settings.model.path = str(base)
        settings.n_parallel, settings.n_ctx, settings.n_gpu_layers = 1, 1024, 0
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
        settings.warmup, settings.lora_init_without_apply = False, True
        settings.lora_adapters = [llama.CommonAdapterLoraInfo(str(file), 1.0) for file in adapters]
        self.server, self.count = llama.Server(settings), len(adapters)

    def recite(self, tokens: list[int], adapter: int, most: int) -> str:
        lora = [{"id": one, "scale": float(one == adapter)} for one in range(self.count)]
        asked = {"prompt": tokens, "max_tokens": most, "temperature": 0, "lora": lora, "cache_prompt": False}
        return self.server.handle_completions(asked)["choices"][0]["text"]


class Ours:
    """Our engine, which verifies the taught answer as a draft in one step, or generates it token by token."""

    def __init__(self, asker: Asker, drafted: bool):
        self.asker, self.batch, self.drafted = asker, asker.trainer.generator.batch, drafted

    def recite(self, question: str, most: int) -> str:
        ahead, self.batch.ahead = self.batch.ahead, self.batch.ahead if self.drafted else 0
        request = Generate(type="generate", id="0", model="-", prompt=question, max_tokens=most)
        self.asker.trainer.answers.clear()
        self.asker.model.submit(request)
        self.asker.trainer.finish()
        self.batch.ahead = ahead
        return self.asker.trainer.answers["0"]["text"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=32)
    parser.add_argument("--kinds", default="BF16,Q8_0,Q4_K")
    parser.add_argument("--rounds", type=int, default=5)
    said = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lorekeep-recite-") as kept:
        home = Path(kept)
        rows = [{"input": one.question, "output": one.answer} for one in generate(said.facts, 5)]
        run_job(make_job(home / "job", rows, str(BASE)))
        model = home / "job" / "model"
        export_gguf(model, home / "gguf", BASE, BASE.name, with_base=True)
        asker = Asker(memory_folder.read(model), Trainer(str(BASE)), router_parts()[0])
        prompts = asker.trainer.generator.prompts
        places = json.loads((home / "gguf/adapters.json").read_text())["adapters"]
        asked = [
            (at, fact["input"], fact["output"], question_tokens(prompts, fact["input"]), len(prompts.text_tokens(fact["output"])) + 8)
            for at, facts in enumerate(places.values())
            for fact in facts
        ]  # fmt: skip
        adapters = [home / "gguf" / "adapters" / f"{name}.gguf" for name in places]
        upstreams = {}
        for kind in said.kinds.split(","):
            whole = home / "gguf" / "base.gguf"
            base = whole if kind == "BF16" else quantize(whole, home / f"{kind}.gguf", kind)
            upstreams[f"llama.cpp, {kind}"] = Upstream(base, adapters)
        ours = {"ours": Ours(asker, True), "ours, token by token": Ours(asker, False)}
        spent: dict[str, list[float]] = {name: [] for name in (*ours, *upstreams)}
        right: dict[str, int] = {}
        for _ in range(said.rounds):
            for name in spent:
                begun = time.process_time()
                texts = [
                    upstreams[name].recite(tokens, at, most)
                    if name in upstreams
                    else ours[name].recite(question, most)
                    for at, question, _, tokens, most in asked
                ]
                spent[name].append((time.process_time() - begun) / len(asked))
                right[name] = sum(text == one[2] for text, one in zip(texts, asked, strict=True))
        print(f"{len(asked)} facts, {len(adapters)} adapters; ratios are to ours, in the same round")
        for name, seconds in spent.items():
            ratio = statistics.median(a / b for a, b in zip(seconds, spent["ours"], strict=True))
            median = statistics.median(seconds) * 1000
            print(
                f"{name:22} {right[name]:4} word for word  {median:7.1f} ms of CPU time an answer  ratio {ratio:.2f}"
            )


if __name__ == "__main__":
    main()
