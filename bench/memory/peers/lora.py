"""The usual way to teach a model facts: one LoRA over all linear layers, trained with AdamW on all of them, by PEFT. Trains until the
wanted share of the facts is recalled word for word by free greedy generation, or to a ceiling of epochs."""

import math
import random
import time
from copy import deepcopy
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy, pad
from transformers import AutoModelForCausalLM

from peers import packages
from peers.speaker import Speaker

RANK = 64
WARM_UP = 20  # steps
# Best settings for the shipped base in sweeps at 100 and 1,000 generated facts (docs/experiments/2026-11-21-memory-tuning-shipped-base.md).
RATES = (3e-4, 1e-3, 3e-3, 1e-2)
RATE, BATCH, EPOCHS = 1e-3, 16, 30
# Batches drawn at random and sorted by length together, which reduces padding.
_SORTED_BATCHES = 8


class Peer:
    name = "LoRA"

    def __init__(
        self,
        base_folder: str | Path,
        rate: float = RATE,
        batch: int = BATCH,
        epochs: int = EPOCHS,
        target: float = 0.99,
        seed: int = 0,
    ):
        self.base_folder = base_folder
        self.rate, self.batch, self.epochs, self.target, self.seed = rate, batch, epochs, target, seed
        self.speaker = Speaker(base_folder)
        self.seconds = 0.0  # processor time of training, without the recall checks
        self.history: list[dict] = []  # per epoch: loss, share predicted, share recalled if checked

    def fit(self, facts: list[dict]) -> None:
        torch.manual_seed(self.seed)
        choose = random.Random(self.seed)
        rows = [self._row(fact) for fact in facts]
        model = self._adapted()
        adapter = [parameter for parameter in model.parameters() if parameter.requires_grad]
        optimiser = torch.optim.AdamW(adapter, lr=self.rate, weight_decay=0.0)
        steps = self.epochs * math.ceil(len(rows) / self.batch)
        # Warm-up, then decay to zero at the last epoch: with a constant rate, recall oscillates and does not converge.
        rate = torch.optim.lr_scheduler.LambdaLR(
            optimiser, lambda step: min((step + 1) / WARM_UP, 1) * (1 - step / steps)
        )
        self.history, self.seconds = [], 0.0
        for epoch in range(1, self.epochs + 1):
            began = time.process_time()
            loss = foretold = 0.0
            for batch in _batches(rows, self.batch, choose):
                batch_loss, right = _step(model.get_base_model(), batch)
                optimiser.zero_grad()
                batch_loss.backward()
                torch.nn.utils.clip_grad_norm_(adapter, 1.0)
                optimiser.step()
                rate.step()
                loss += batch_loss.item() * len(batch) / len(rows)
                foretold += right / len(rows)
            self.seconds += time.process_time() - began
            self.history.append({"epoch": epoch, "loss": loss, "foretold": foretold})
            # Generating all answers takes longer than an epoch: done only if the target may be reached.
            if foretold >= self.target - 0.02 or epoch == self.epochs:
                self.speaker = self._speaker(model)
                recalled = self.recalled(facts)
                self.history[-1]["recalled"] = recalled
                if recalled >= self.target:
                    break

    def answers(self, questions: list[str]) -> list[str]:
        return self.speaker.answers(questions)

    def recalled(self, facts: list[dict]) -> float:
        said = self.answers([fact["input"] for fact in facts])
        return sum(one == fact["output"] for one, fact in zip(said, facts, strict=True)) / len(facts)

    def _row(self, fact: dict) -> tuple[list[int], list[int]]:
        prompts = self.speaker.generator.prompts
        prompt = prompts.render([{"role": "user", "content": fact["input"]}])
        answer = prompts.tokenizer.encode(fact["output"], add_special_tokens=False)
        return prompt, [*answer, self.speaker.generator.ends[0]]

    def _adapted(self):
        packages.bring()
        from peft import LoraConfig, get_peft_model

        # Plain attention: on a CPU its backward pass is faster than the fused one at these lengths.
        model = AutoModelForCausalLM.from_pretrained(
            self.base_folder, dtype=torch.float32, attn_implementation="eager", local_files_only=True
        )
        config = LoraConfig(r=RANK, lora_alpha=RANK, target_modules="all-linear", task_type="CAUSAL_LM")
        return get_peft_model(model, config)

    def _speaker(self, model) -> Speaker:
        merged = deepcopy(model).merge_and_unload()
        return Speaker(self.base_folder, merged.state_dict())


def sweep(
    base_folder: str | Path, facts: list[dict], rates: tuple[float, ...] = RATES, **settings
) -> list[Peer]:
    """A peer for every rate, the best first: the fastest of those that reached the target, then those with the highest recall."""
    peers = [Peer(base_folder, rate, **settings) for rate in rates]
    for peer in peers:
        peer.fit(facts)

    def recall(peer):
        return min(peer.history[-1]["recalled"], peer.target)

    return sorted(peers, key=lambda peer: (-recall(peer), peer.seconds))


def _batches(rows: list, size: int, choose: random.Random):
    order = choose.sample(rows, len(rows))
    batches = []
    for at in range(0, len(order), size * _SORTED_BATCHES):
        window = sorted(order[at : at + size * _SORTED_BATCHES], key=lambda row: len(row[0]) + len(row[1]))
        batches += [window[i : i + size] for i in range(0, len(window), size)]
    choose.shuffle(batches)
    return batches


def _step(model, batch: list[tuple[list[int], list[int]]]):
    """Loss of the answers' tokens, and the number of answers with every token right under teacher forcing."""
    longest = max(len(prompt) + len(answer) for prompt, answer in batch)
    ids_B_T = torch.stack(
        [
            pad(torch.tensor(prompt + answer), (0, longest - len(prompt) - len(answer)))
            for prompt, answer in batch
        ]
    )
    # The state before each answer token predicts it. Padding comes after all of these, and no state attends to it.
    rows = torch.cat([torch.full((len(answer),), row) for row, (_, answer) in enumerate(batch)])
    at = torch.cat([torch.arange(len(p) - 1, len(p) - 1 + len(a)) for p, a in batch])
    states_B_T_D = model.get_decoder()(input_ids=ids_B_T, use_cache=False).last_hidden_state
    logits_N_V = model.get_output_embeddings()(states_B_T_D[rows, at])
    wanted_N = ids_B_T[rows, at + 1]
    wrong_B = torch.bincount(rows, weights=(logits_N_V.argmax(-1) != wanted_N).float(), minlength=len(batch))
    return cross_entropy(logits_N_V, wanted_N), int((wrong_B == 0).sum())
