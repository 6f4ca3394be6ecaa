"""Texts as vectors of length one, by the embedding model that the engine has; what was asked lately is remembered."""

from collections import OrderedDict

import numpy as np

from lorekeep.embed import TEXTS, TOKENS, Embedder

_REMEMBERED = 20_000
# Longer texts are cut: a question says what it is about before that.
_LONGEST = 256


class Vectors:
    def __init__(self, embedder: Embedder):
        self.embedder = embedder
        self.dimensions = embedder.dimensions
        self.known: OrderedDict[str, np.ndarray] = OrderedDict()

    def __call__(self, texts: list[str]) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        made = dict(zip(new, self._compute(new), strict=True)) if new else {}
        out = np.stack([made[text] if text in made else self.known[text] for text in texts])
        self.known.update(made)
        while len(self.known) > _REMEMBERED:
            self.known.popitem(last=False)
        return out

    def _compute(self, texts: list[str]) -> np.ndarray:
        tokenizer = self.embedder.tokenizer.backend_tokenizer
        most = min(self.embedder.limit, _LONGEST)
        tokens = [encoding.ids for encoding in tokenizer.encode_batch_fast(texts)]
        tokens = [ids if len(ids) <= most else [*ids[: most - 1], ids[-1]] for ids in tokens]
        order = sorted(range(len(texts)), key=lambda i: len(tokens[i]))
        out = np.empty((len(texts), self.dimensions), dtype=np.float32)
        at = 0
        while at < len(order):
            size = 1
            while (
                at + size < len(order)
                and size < TEXTS
                and (size + 1) * len(tokens[order[at + size]]) <= TOKENS
            ):
                size += 1
            some = order[at : at + size]
            out[some] = self.embedder._vectors([tokens[i] for i in some])
            at += size
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
