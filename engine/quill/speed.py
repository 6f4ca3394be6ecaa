"""Tokens a second of one stream on one core, for several models, turn about, so that other work on the machine slows all alike.

python -m quill.speed --models ../models/quill RUN [--dtype bfloat16]
"""

import argparse
import time
from pathlib import Path
from typing import Any

import torch
from transformers import LlamaForCausalLM


@torch.no_grad()
def seconds_for(model: Any, prompt: torch.Tensor, tokens: int) -> float:
    """Processor time of this process for one generation, in seconds."""
    began = time.process_time()
    model.generate(prompt, min_new_tokens=tokens, max_new_tokens=tokens, do_sample=False, pad_token_id=0)
    return time.process_time() - began


def speeds(
    folders: list[Path], rounds: int = 5, tokens: int = 100, length: int = 300, dtype: str = "float32"
) -> dict[Path, float]:
    """The best of some rounds each, without the time of the prompt."""
    torch.set_num_threads(1)
    models = {f: LlamaForCausalLM.from_pretrained(f, dtype=getattr(torch, dtype)).eval() for f in folders}
    prompt = torch.randint(6, 3000, (1, length), generator=torch.Generator().manual_seed(1))
    best = dict.fromkeys(folders, 0.0)
    for _ in range(rounds):
        for folder, model in models.items():
            spent = seconds_for(model, prompt, tokens + 1) - seconds_for(model, prompt, 1)
            best[folder] = max(best[folder], tokens / spent)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=Path, nargs="+", required=True)
    parser.add_argument(
        "--dtype", default="float32", help="bfloat16 is slow on a processor without instructions for it"
    )
    args = parser.parse_args()
    for folder, speed in speeds(args.models, dtype=args.dtype).items():
        print(f"{folder}: {speed:.0f} tokens/s")


if __name__ == "__main__":
    main()
