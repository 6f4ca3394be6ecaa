"""What is stored of the facts without names: their vectors, and word by word and token by token what the embedding model sees there: a byte
a number, read from the file for the few facts that come near a question."""

from dataclasses import dataclass

import numpy as np

from lorekeep.memory import beside
from lorekeep.memory.vectors import Vectors, unit


@dataclass
class Rows:
    """Vectors of length one, some of each text. `rows_X_D`: anything that can be sliced; those of text i begin at `starts_N`[i]."""

    starts_N: np.ndarray
    rows_X_D: "object"

    @classmethod
    def of(cls, each: list[np.ndarray]) -> "Rows":
        return cls(np.cumsum([0, *map(len, each)]), np.concatenate(each))

    @classmethod
    def none(cls, texts: int, width: int) -> "Rows":
        return cls(np.zeros(texts + 1, dtype=np.int64), np.zeros((0, width), dtype=np.int8))

    def __len__(self) -> int:
        return len(self.starts_N) - 1

    def __getitem__(self, i: int) -> np.ndarray:
        return unit(self.raw(i).astype(np.float32))

    def raw(self, i: int) -> np.ndarray:
        return self.rows_X_D[int(self.starts_N[i]) : int(self.starts_N[i + 1])]

    def in_memory(self) -> "Rows":
        return Rows(self.starts_N, self.rows_X_D[:])


@dataclass
class Plain:
    """Of N facts the vectors of all questions, then of all questions with answers; the telling words of each question and of each answer, one
    after the other; and the tokens of each question (beside.py)."""

    vectors_2N_D: np.ndarray
    words_2N: Rows
    tokens_N: Rows

    def __len__(self) -> int:
        return len(self.vectors_2N_D) // 2

    def of(self, i: int) -> tuple[np.ndarray, ...]:
        return (
            self.vectors_2N_D[i], self.vectors_2N_D[len(self) + i],
            self.words_2N.raw(2 * i), self.words_2N.raw(2 * i + 1), self.tokens_N.raw(i),
        )  # fmt: skip

    def in_memory(self) -> "Plain":
        return Plain(self.vectors_2N_D, self.words_2N.in_memory(), self.tokens_N.in_memory())


def plain_keys(
    pairs: list[tuple[str, str]], embed: Vectors | None, earlier: dict[tuple[str, str], tuple]
) -> Plain:
    """Of questions with their answers. `earlier`: what another model keeps of those that it has (`Plain.of`)."""
    if not pairs or embed is None:
        width = embed.dimensions if embed else 1
        return Plain(
            np.zeros((0, width), dtype=np.float16), Rows.none(0, width), Rows.none(0, beside.NONE.shape[1])
        )
    new = [pair for pair in pairs if pair not in earlier]
    alone = embed.read_all([question for question, _ in new])
    both = embed.read_all([f"{q} {a}" for q, a in new], [len(q) + 1 for q, _ in new])
    made = {
        pair: (
            q.vector_D.astype(np.float16),
            a.vector_D.astype(np.float16),
            *map(_bytes, (q.words_W_D, a.words_W_D, q.tokens_T_P)),
        )
        for pair, q, a in zip(new, alone, both, strict=True)
    }
    found = [earlier[pair] if pair in earlier else made[pair] for pair in pairs]
    questions, both_, asked, told, tokens = zip(*found, strict=True)
    words = [words_W_D for pair in zip(asked, told, strict=True) for words_W_D in pair]
    return Plain(np.stack([*questions, *both_]), Rows.of(words), Rows.of(tokens))


def _bytes(rows_W_D: np.ndarray) -> np.ndarray:
    longest = np.maximum(np.abs(rows_W_D).max(-1, keepdims=True, initial=0), 1e-9)
    return np.rint(rows_W_D / longest * 127).astype(np.int8)
