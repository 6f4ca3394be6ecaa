"""The telling words of the facts without names, as the embedding model sees them there: a byte a number, read from the file for the few
facts that come near a question."""

from dataclasses import dataclass

import numpy as np

from lorekeep.memory.vectors import Vectors, unit


@dataclass
class Spelled:
    """`rows_X_D`: anything that can be sliced. Of each fact the words of its question, then those of its answer, begin at `starts_2N`."""

    starts_2N: np.ndarray
    rows_X_D: "object"

    def question(self, i: int) -> np.ndarray:
        return self._between(2 * i)

    def answer(self, i: int) -> np.ndarray:
        return self._between(2 * i + 1)

    def _between(self, at: int) -> np.ndarray:
        return unit(self.rows_X_D[int(self.starts_2N[at]) : int(self.starts_2N[at + 1])].astype(np.float32))

    def in_memory(self) -> "Spelled":
        return Spelled(self.starts_2N, self.rows_X_D[:])

    def raw(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        a, b, c = (int(start) for start in self.starts_2N[2 * i : 2 * i + 3])
        return self.rows_X_D[a:b], self.rows_X_D[b:c]


@dataclass
class Plain:
    """What is stored of facts without names: the vectors of all questions, then of all questions with answers; and their words."""

    vectors_2N_D: np.ndarray
    spelled: Spelled

    def __len__(self) -> int:
        return len(self.vectors_2N_D) // 2

    def of(self, i: int) -> tuple[np.ndarray, ...]:
        return self.vectors_2N_D[i], self.vectors_2N_D[len(self) + i], *self.spelled.raw(i)


def plain_keys(
    pairs: list[tuple[str, str]], embed: Vectors | None, earlier: dict[tuple[str, str], tuple]
) -> Plain:
    """Of questions with their answers. `earlier`: what another model keeps of those that it has (`Plain.of`)."""
    if not pairs or embed is None:
        none = np.zeros((0, embed.dimensions if embed else 1))
        return Plain(none.astype(np.float16), Spelled(np.zeros(1, dtype=np.int64), none.astype(np.int8)))
    new = [pair for pair in pairs if pair not in earlier]
    alone = embed.read_all([question for question, _ in new])
    both = embed.read_all([f"{q} {a}" for q, a in new], [len(q) + 1 for q, _ in new])
    made = {
        pair: (
            q.vector_D.astype(np.float16),
            a.vector_D.astype(np.float16),
            _bytes(q.words_W_D),
            _bytes(a.words_W_D),
        )
        for pair, q, a in zip(new, alone, both, strict=True)
    }
    found = [earlier[pair] if pair in earlier else made[pair] for pair in pairs]
    words = [words_W_D for _, _, asked, told in found for words_W_D in (asked, told)]
    return Plain(
        np.stack([row[0] for row in found] + [row[1] for row in found]),
        Spelled(np.cumsum([0, *map(len, words)]), np.concatenate(words)),
    )


def _bytes(words_W_D: np.ndarray) -> np.ndarray:
    longest = np.maximum(np.abs(words_W_D).max(-1, keepdims=True, initial=0), 1e-9)
    return np.rint(words_W_D / longest * 127).astype(np.int8)
