"""A base folder asked in its chat template by the engine's own serving code, with its own weights or with tuned ones: greedy, many
questions in a batch, each answer the same alone and in any batch."""

from pathlib import Path

import torch
from lorekeep import folders
from lorekeep.infer import generate
from lorekeep.infer.weights import reading
from lorekeep.protocol import Generate
from transformers.utils import logging

BATCH, CACHE_BYTES = 32, 256_000_000
MAX_ANSWER = 96  # tokens
logging.disable_progress_bar()


class Speaker:
    def __init__(self, base_folder: str | Path, weights: dict[str, torch.Tensor] | None = None):
        torch.set_num_threads(1)
        folder = folders.check(str(base_folder), "generate")
        model, tokenizer = reading.read(folder, torch.float32, torch.device("cpu"))
        if weights is not None:
            model.load_state_dict(weights)
        self.ended: dict[str, dict] = {}
        self.generator = generate.Generator(folder, model, tokenizer, BATCH, CACHE_BYTES, self._note)

    def answers(self, questions: list[str]) -> list[str]:
        self.ended.clear()
        for number, question in enumerate(questions):
            messages = [{"role": "user", "content": question}]
            self.generator.submit(
                Generate(
                    type="generate",
                    id=str(number),
                    model="-",
                    messages=messages,
                    max_tokens=MAX_ANSWER,
                    temperature=0,
                )
            )
        while self.generator.busy:
            self.generator.step()
        return [self.ended[str(number)]["text"] for number in range(len(questions))]

    def _note(self, answer: dict) -> None:
        if answer["type"] == "error":
            raise RuntimeError(answer["message"])
        if answer["type"] == "end":
            self.ended[answer["id"]] = answer
