"""Fit of the networks that read a question and a fact together: arguments, batches and steps (fit_cross_encoder.py, fit_verdicts.py)."""

import argparse
import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

DECAY, WARM, ALIKE = 0.01, 100, 2048
Pair = tuple[str, str, float]  # question, fact, label


def arguments(description: str | None, rounds: int = 3, batch: int = 64) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument(
        "--minutes", type=float, default=0, help="if given, the length of the fit instead of the rounds"
    )
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument(
        "--share",
        type=float,
        default=1.0,
        help="of the pairs of a round that are of no handbook, and of no world of written.py",
    )
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--show-every", type=int, default=1, help="rounds")
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rank", type=int, help="of the updates, if not the engine's")
    parser.add_argument(
        "--orders", type=Path, help="facts by likeness, kept here: embedding all texts takes minutes"
    )
    parser.add_argument("--out", type=Path, help="where the weights go, if not into the engine")
    return parser


def orders(said: argparse.Namespace, make: Callable[[], list[np.ndarray]]) -> list[np.ndarray]:
    """Facts ordered by likeness, one row per question: read from `--orders` if that exists, else computed and written there."""
    if said.orders and said.orders.exists():
        with np.load(said.orders) as kept:
            return [kept[str(at)] for at in range(len(kept.files))]
    made = make()
    if said.orders:
        # Given a path, numpy would add a suffix that the next fit does not look for.
        with said.orders.open("wb") as file:
            np.savez_compressed(file, **{str(at): order for at, order in enumerate(made)})
    return made


def encoder(embed: Any, said: argparse.Namespace, outputs: int = 1) -> Any:
    """The cross-encoder to fit: new, or loaded from `--start`."""
    from lorekeep.answering.networks.cross_encoder import CrossEncoder

    return network(embed, said, lambda bert, tokenizer, rank: CrossEncoder(bert, tokenizer, rank, outputs))


def network(embed: Any, said: argparse.Namespace, make: Callable[[Any, Any, int], Any]) -> Any:
    """A network to fit: new, or loaded from `--start`. Updates of a lower rank are copied; the head is new if it has another number
    of outputs."""
    import torch
    from lorekeep import default_embedder
    from lorekeep.answering.networks.low_rank import RANK
    from safetensors.torch import load_file
    from transformers import AutoModel

    torch.manual_seed(said.seed)
    torch.set_num_threads(1 if said.device == "cpu" else 8)
    folder = default_embedder.folder()
    dtype = torch.float32 if said.device == "cpu" else torch.bfloat16
    bert = AutoModel.from_pretrained(folder, local_files_only=True, dtype=dtype).requires_grad_(False)
    # The tokenizer of the engine, which neither pads nor truncates.
    model = make(bert.to(said.device), embed.embedder.tokenizer, said.rank or RANK)
    if said.start:
        own, found = model.state_dict(), load_file(said.start)
        for name, weight in own.items():
            if name.startswith(("down.", "up.")):
                # Additional rows of `down` stay random, and additional columns of `up` zero: the function is unchanged.
                rows, columns = found[name].shape
                weight[:rows, :columns] = found[name]
            elif weight.shape == found[name].shape:
                weight.copy_(found[name])
    return model.to(said.device)


def batches(pairs: list[Pair], size: int, choose: random.Random) -> list[list[Pair]]:
    """Batches of pairs of similar length, in random order."""
    choose.shuffle(pairs)
    alike = [
        pair
        for at in range(0, len(pairs), ALIKE)
        for pair in sorted(pairs[at : at + ALIKE], key=lambda pair: len(pair[0]) + len(pair[1]))
    ]
    made = [alike[at : at + size] for at in range(0, len(alike), size)]
    choose.shuffle(made)
    return made


def tensors(model: Any, batch: list[Pair]) -> tuple[Any, ...]:
    """Ids, mask, sides and labels of pairs."""
    import torch
    from lorekeep.answering.networks.cross_encoder import rows

    pairs = [(asked, fact) for asked, fact, _ in batch]
    return *rows(model.tokenizer, pairs), torch.tensor([label for *_, label in batch])


def fit(
    model: Any,
    draw: Callable[[], list[list[Any]]],
    loss_of: Callable[[Any, Any], Any],
    show: Callable[[], None],
    said: argparse.Namespace,
    file: Path,
    of_batch: Callable[[Any, list[Any]], tuple[Any, ...]] = tensors,
) -> None:
    """Fits a network; after each round, writes the weights and shows results. `loss_of` takes the logits and labels of a batch."""
    import torch
    from quill.model import mixed_precision
    from safetensors.torch import save_file
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.data import DataLoader

    # The other CPU kernels have a slow backward pass.
    all_kernels = [*SDPBackend.__members__.values()]
    kernels = [SDPBackend.MATH] if said.device == "cpu" else [k for k in all_kernels if k != SDPBackend.ERROR]
    weights = list(model.parameters())
    optimiser = torch.optim.AdamW(weights, said.rate, weight_decay=DECAY)

    # A single tokenizing process would be too slow for a GPU.
    workers = {
        "num_workers": 0 if said.device == "cpu" else 2,
        "batch_size": None,
        "collate_fn": partial(of_batch, model),
    }
    begun, step, round_, done = time.time(), 0, 0, 0.0
    while done < 1:
        made, losses = draw(), []
        model.train()
        for batch in DataLoader(made, **workers):
            passed = (time.time() - begun) / (60 * said.minutes) if said.minutes else 0.0
            done = passed if said.minutes else step / (said.rounds * len(made))
            if said.minutes and done >= 1 and losses:
                break
            optimiser.param_groups[0]["lr"] = said.rate * min(1, (step + 1) / WARM) * max(0.01, 1 - done)
            *read, labels_B = (one.to(said.device, non_blocking=True) for one in batch)
            with sdpa_kernel(kernels), mixed_precision(said.device):
                logits_B = model(*read)
            loss = loss_of(logits_B.float(), labels_B)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimiser.step()
            step += 1
            losses.append(loss.detach())  # reading its value would wait for a GPU
        round_ += 1
        done = done if said.minutes else round_ / said.rounds
        print(f"round {round_}, {done:.2f} of the fit: loss {torch.stack(losses).mean():.4f}", flush=True)
        save_file(
            {name: weight.half().cpu().contiguous() for name, weight in model.state_dict().items()},
            said.out or file,
        )
        if round_ % said.show_every == 0 or done >= 1:
            with torch.autocast(said.device, dtype=torch.bfloat16, enabled=said.device != "cpu"):
                show()
