"""The mean of models with a common start: often better than any of them.

python -m quill.mean --of A B --shares 0.4 0.6 --to DIR
"""

import argparse
import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from .publish import FILES


def mean(folders: list[Path], shares: list[float], to: Path) -> None:
    """Writes a copy of the last folder with the mean of all weights."""
    whole = sum(shares)
    models = [load_file(str(folder / "model.safetensors")) for folder in folders]
    weights = {
        name: sum(
            (model[name].float() * (share / whole) for model, share in zip(models, shares, strict=True)),
            torch.zeros(()),
        )
        .to(tensor.dtype)
        .contiguous()
        for name, tensor in models[-1].items()
    }
    to.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(folders[-1] / name, to / name)
    save_file(weights, str(to / "model.safetensors"), metadata={"format": "pt"})
    _add_up(folders, to)


def _add_up(folders: list[Path], to: Path) -> None:
    """Total cost of all runs, for the card. Each run has its own log."""
    logs = [folder / "log.jsonl" for folder in folders if (folder / "log.jsonl").is_file()]
    ends = [json.loads(log.read_text().splitlines()[-1]) for log in logs]
    if ends:
        spent = {name: sum(end[name] for end in ends) for name in ("step", "tokens", "minutes")}
        (to / "log.jsonl").write_text(json.dumps(spent) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--of", type=Path, nargs="+", required=True)
    parser.add_argument("--shares", type=float, nargs="+", required=True)
    parser.add_argument("--to", type=Path, required=True)
    args = parser.parse_args()
    if len(args.of) != len(args.shares):
        parser.error("one share for each model")
    mean(args.of, args.shares, args.to)


if __name__ == "__main__":
    main()
