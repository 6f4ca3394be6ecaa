"""Unit vectors of texts by the engine's embedding model, with the vectors of their content words and tokens.
Recent texts are cached per scope: a shared cache would reveal by its speed that another account has asked the
same."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch

from lorekeep.infer.embed import TEXTS, TOKENS, Embedder
from lorekeep.routing import token_match
from lorekeep.routing.embedders.likeness import FITTED, Likeness
from lorekeep.routing.embedders.unit import unit
from lorekeep.routing.question_match import MAX_WORDS
from lorekeep.routing.words import STOP, words

_MAX_CACHED_VECTORS, _MAX_TEXTS = 20_000, 500
# Maximum length of a text, which suffices to state the topic of a question.
_MAX_TOKENS = 256


@dataclass
class TextVectors:
    vector_D: np.ndarray
    words_W_D: np.ndarray
    tokens_T_P: np.ndarray  # token_match.py


class Vectors:
    def __init__(self, embedder: Embedder, likeness: Likeness = FITTED):
        self.embedder, self.likeness = embedder, likeness
        self.dimensions = embedder.dimensions
        self.scope = ""
        self.known: OrderedDict[tuple[str, str], np.ndarray] = OrderedDict()  # cache by scope and text
        self.lately: OrderedDict[tuple[str, str], TextVectors] = OrderedDict()

    @contextmanager
    def within(self, scope: str):
        """Limits the cache to the entries of one scope."""
        before, self.scope = self.scope, scope
        try:
            yield
        finally:
            self.scope = before

    def __call__(self, texts: list[str]) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if (self.scope, text) not in self.known]
        made = {text: vector_D for text, vector_D, _ in self.compute(new)}
        out = np.stack([made[text] if text in made else self.known[self.scope, text] for text in texts])
        self.known.update({(self.scope, text): vector_D for text, vector_D in made.items()})
        while len(self.known) > _MAX_CACHED_VECTORS:
            self.known.popitem(last=False)
        return out

    def read(self, text: str) -> TextVectors:
        self.read_ahead([text])
        self.lately.move_to_end((self.scope, text))
        return self.lately[self.scope, text]

    def read_ahead(self, texts: list[str]) -> None:
        """Embeds texts into the cache, at most as many as it can hold."""
        new = [text for text in texts if (self.scope, text) not in self.lately][:_MAX_TEXTS]
        for text, read in zip(new, self.read_all(new), strict=True):
            self.lately[self.scope, text] = read
        while len(self.lately) > _MAX_TEXTS:
            self.lately.popitem(last=False)

    def read_all(self, texts: list[str], begin: list[int] | None = None):
        """Embeds any number of texts in batches. `begin` holds for each text the offset from which word vectors are
        needed."""
        begin = begin or [0] * len(texts)
        for at in range(0, len(texts), _MAX_TEXTS):
            some, from_ = texts[at : at + _MAX_TEXTS], begin[at : at + _MAX_TEXTS]
            done = {
                text: (vector_D, states[-1].float().cpu().numpy(), self._tokens(states))
                for text, vector_D, states in self.compute(list(dict.fromkeys(some)))
            }
            for text, letter in zip(some, from_, strict=True):
                vector_D, last_T_D, tokens_T_P = done[text]
                yield TextVectors(vector_D, self._words(text, last_T_D, letter), tokens_T_P)

    def _tokens(self, states: list[torch.Tensor]) -> np.ndarray:
        return token_match.tokens(states) if self.likeness.reads_tokens else token_match.NONE

    def _words(self, text: str, states_T_D: np.ndarray, begin: int) -> np.ndarray:
        """Mean state of the pieces of each content word. A truncated word has no pieces and a zero vector."""
        wanted = [word for word in words(text) if word.plain not in STOP and word.start >= begin][:MAX_WORDS]
        places = self.embedder.tokenizer.backend_tokenizer.encode(text).offsets[: len(states_T_D) - 1]
        out = np.zeros((len(wanted), self.dimensions), dtype=np.float32)
        for row, word in enumerate(wanted):
            pieces = [
                i
                for i, (a, b) in enumerate(places)
                # In some tokenizers a piece includes the space before the word.
                if a < b and word.start <= a + text[a].isspace() and b <= word.end
            ]
            if pieces:
                out[row] = states_T_D[pieces].mean(0)
        return unit(out)

    def compute(self, texts: list[str]) -> Iterator[tuple[str, np.ndarray, list[torch.Tensor]]]:
        """Vector of each text, and the states of its tokens after each layer."""
        if not texts:
            return
        tokenizer = self.embedder.tokenizer.backend_tokenizer
        max_tokens = min(self.embedder.limit, _MAX_TOKENS)
        tokens = [encoding.ids for encoding in tokenizer.encode_batch_fast(texts)]
        tokens = [ids if len(ids) <= max_tokens else [*ids[: max_tokens - 1], ids[-1]] for ids in tokens]
        order = sorted(range(len(texts)), key=lambda i: len(tokens[i]))
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
            vectors_B_D, states = self.embedder.read([tokens[i] for i in some])
            for row, i in enumerate(some):
                own = [layer_B_T_D[row, : len(tokens[i])] for layer_B_T_D in states]
                yield texts[i], self._centred(vectors_B_D[row]), own
            at += size

    def _centred(self, vector_D: np.ndarray) -> np.ndarray:
        centre_D = self.likeness.centre_D
        return unit(vector_D) if centre_D is None else unit(unit(vector_D) - centre_D)
