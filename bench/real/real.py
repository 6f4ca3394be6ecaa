"""A model of a real shape with random weights in each precision, beside transformers in 16 bits and llama.cpp in 8 and 4.
Every side runs in its own process, which reports its memory. Rates count the processor's time of one thread."""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
from lorekeep.quantization.write import quantize
from transformers import AutoConfig, AutoModelForCausalLM

ROOT = Path(__file__).resolve().parents[2]
QUILL = ROOT / "models/quill"
LLAMA = {
    "model_type": "llama",
    "head_dim": 128,
    "rope_theta": 500000.0,
    "max_position_embeddings": 8192,
    "vocab_size": 128256,
}
SHAPES = {
    "qwen-0.5b": {
        "model_type": "qwen2", "hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24, "num_attention_heads": 14,
        "num_key_value_heads": 2, "vocab_size": 151936, "tie_word_embeddings": True, "max_position_embeddings": 8192,
    },
    "llama-1b": {
        **LLAMA, "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8,
        "head_dim": 64, "tie_word_embeddings": True,
    },
    "llama-8b": {
        **LLAMA, "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
        "tie_word_embeddings": False,
    },
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=SHAPES, default="llama-1b")
    parser.add_argument("--precisions", default="none,int8,int4")
    parser.add_argument("--llama-cpp", default="Q8_0,Q4_K", help="its kinds; empty: without it")
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--streams", type=int, default=8)
    parser.add_argument("--prefill", type=int, default=1000)
    parser.add_argument("--facts", type=int, default=8)
    parser.add_argument(
        "--alone",
        action="store_true",
        help="ours alone, for its memory: transformers takes minutes for a token of 16 bits where the processor has no instructions for them",
    )
    said = parser.parse_args()
    import llama_cpp  # gpu.py imports this module on machines without the packages of llama_cpp

    with tempfile.TemporaryDirectory(prefix="lorekeep-real-") as folder:
        made = write(SHAPES[said.shape], Path(folder) / "none")
        sizes = [str(said.tokens), str(said.streams), str(said.prefill)]
        peer = None if said.alone else measured("transformers", made, [*sizes, "0"])
        print(f"{said.shape}, random weights. In brackets: ratio to transformers.\n")
        head = [
            "load s",
            "peak GB",
            "one stream t/s",
            f"{said.streams} streams t/s",
            "prefill t/s",
            "s a fact",
            "serving + tuning GB",
            "tuning adds GB",
        ]
        print(f"{'':22}" + "".join(f"{name:20}" for name in head))
        if peer is not None:
            show("transformers, bf16", peer, peer)
        for kind in [] if peer is None else filter(None, said.llama_cpp.split(",")):
            try:
                written = llama_cpp.write(made, kind)
            except RuntimeError as error:
                print(f"llama.cpp is not here: {error}")
                break
            show(f"llama.cpp, {kind}", measured(kind, made, [*sizes, "0"]), peer)
            written.unlink()
        for name in said.precisions.split(","):
            place = made if name == "none" else Path(folder) / name
            if name != "none":
                begun = time.process_time()
                quantize(made, place, name)
                print(f"{'':22}quantized once in {time.process_time() - begun:.0f} s")
            show(f"ours, {name}", measured("ours", place, [*sizes, str(said.facts)]), peer)
            if name != "none":
                shutil.rmtree(place)


def write(shape: dict, folder: Path, device: str = "cpu") -> Path:
    """Random weights of the size that training leaves, drawn on the device, with the tokenizer that ships."""
    kind = shape["model_type"]
    config = AutoConfig.for_model(
        kind, **{k: v for k, v in shape.items() if k != "model_type"}, bos_token_id=0, eos_token_id=1
    )
    torch.manual_seed(1)
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    model = model.to_empty(device=device)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 0.02) if parameter.ndim > 1 else parameter.fill_(1)
    torch.set_default_dtype(torch.float32)
    model.tie_weights()
    model.save_pretrained(folder)
    for file in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja"):
        shutil.copyfile(QUILL / file, folder / file)
    return folder


def measured(side: str, model: Path, sizes: list[str]) -> dict:
    script = Path(__file__).with_name("one_side.py")
    said = subprocess.run(
        [sys.executable, str(script), side, str(model), *sizes], check=True, capture_output=True, text=True
    )
    return json.loads(said.stdout.strip().splitlines()[-1])


def show(name: str, figures: dict, peer: dict | None) -> None:
    def beside(key: str, scale: float = 1.0, digits: int = 1) -> str:
        ratio = "" if peer is None else f" ({figures[key] / peer[key]:.2f})"
        return f"{figures[key] / scale:.{digits}f}{ratio}"

    cells = [
        f"{figures['load']:.1f}",
        beside("peak", 1e9, 2),
        beside("one"),
        beside("several"),
        beside("prefill"),
    ]
    if "fact" in figures:
        cells += [
            f"{figures['fact']:.2f}, {figures['taught']} taught",
            f"{figures['together'] / 1e9:.2f}",
            f"{figures['added'] / 1e9:.2f} (worker {figures['worker'] / 1e9:.2f})",
        ]
    print(f"{name:22}" + "".join(f"{cell:20}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
