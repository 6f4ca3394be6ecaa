"""Nearest stored questions for a plain lookup: vectors of the product's default embedder, compared by cosine with every stored
question."""

import base64

import numpy as np
import torch
from lorekeep import default_embedder, folders
from lorekeep.infer import embed
from lorekeep.protocol import Embed


class Vectors:
    def __init__(self):
        torch.set_num_threads(1)
        path = default_embedder.folder()
        if path is None:
            raise RuntimeError("The default embedder is missing: engine/embedder.lock is not installed.")
        folder = folders.check(str(path), "embed")
        model, tokenizer = embed.read(folder, torch.device("cpu"))
        self.answer: dict = {}
        self.embedder = embed.Embedder(folder, model, tokenizer, self._note)

    def __call__(self, texts: list[str]) -> np.ndarray:
        if not texts:
            return np.empty((0, self.embedder.dimensions), dtype=np.float32)
        self.embedder.submit(Embed(type="embed", id="1", model="-", texts=texts))
        while self.embedder.busy:
            self.embedder.step()
        vectors = np.frombuffer(base64.b64decode(self.answer["data"]), dtype="<f4")
        return vectors.reshape(len(texts), self.embedder.dimensions)

    def _note(self, answer: dict) -> None:
        if answer["type"] == "error":
            raise RuntimeError(answer["message"])
        self.answer = answer


class Nearest:
    def __init__(self):
        self.vectors = Vectors()
        self.known_N_D = self.vectors([])

    def learn(self, questions: list[str]) -> None:
        self.known_N_D = self.vectors(questions)

    def find(self, questions: list[str], count: int) -> tuple[np.ndarray, np.ndarray]:
        """The nearest stored questions of each question, the best first: their indices and cosines."""
        cosines_Q_N = self.vectors(questions) @ self.known_N_D.T
        facts_Q_K = np.argsort(-cosines_Q_N, axis=1, kind="stable")[:, :count]
        return facts_Q_K, np.take_along_axis(cosines_Q_N, facts_Q_K, axis=1)
