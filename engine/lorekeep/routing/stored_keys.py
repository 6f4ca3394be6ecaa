"""Stored keys of a router, computed once when a model is tuned: names and vectors of relations, and for facts without names the
vectors of the texts, and of their words and tokens with one byte per number. Word and token vectors are read from the file only for
the few facts near a question."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from lorekeep.routing import token_match
from lorekeep.routing.embedders.unit import unit
from lorekeep.routing.language_id import language_of
from lorekeep.routing.languages import languages
from lorekeep.routing.relation import relation_text
from lorekeep.routing.vectors import Vectors
from lorekeep.routing.words import Vocabulary


class Sliced(Protocol):
    """An array, or a tensor in a file that is read by slices."""

    def __getitem__(self, rows: slice, /) -> np.ndarray: ...


@dataclass
class Rows:
    """Several unit vectors per text, concatenated. The vectors of text
    i begin at `starts_N`[i]."""

    starts_N: np.ndarray
    rows_X_D: Sliced

    @classmethod
    def of(cls, each: Sequence[np.ndarray]) -> "Rows":
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
class PlainKeys:
    """Keys of N facts: vectors of all questions, then of all questions with answers; word vectors of each
    question and each answer, alternating; token vectors of each question (token_match.py)."""

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

    def in_memory(self) -> "PlainKeys":
        return PlainKeys(self.vectors_2N_D, self.words_2N.in_memory(), self.tokens_N.in_memory())


def plain_keys(
    pairs: list[tuple[str, str]], embed: Vectors | None, earlier: dict[tuple[str, str], tuple]
) -> PlainKeys:
    """Stored keys of question-answer pairs. `earlier` holds keys computed for an earlier model
    (`PlainKeys.of`)."""
    if not pairs or embed is None:
        width = embed.dimensions if embed else 1
        return PlainKeys(
            np.zeros((0, width), dtype=np.float16),
            Rows.none(0, width),
            Rows.none(0, token_match.NONE.shape[1]),
        )
    new = [pair for pair in pairs if pair not in earlier]
    alone = embed.read_all([question for question, _ in new])
    both = embed.read_all([f"{q} {a}" for q, a in new], [len(q) + 1 for q, _ in new])
    made = {
        pair: (
            q.vector_D.astype(np.float16),
            a.vector_D.astype(np.float16),
            *map(_quantized, (q.words_W_D, a.words_W_D, q.tokens_T_P)),
        )
        for pair, q, a in zip(new, alone, both, strict=True)
    }
    found = [earlier[pair] if pair in earlier else made[pair] for pair in pairs]
    questions, both_, asked, answer_words, tokens = zip(*found, strict=True)
    words = [words_W_D for pair in zip(asked, answer_words, strict=True) for words_W_D in pair]
    return PlainKeys(np.stack([*questions, *both_]), Rows.of(words), Rows.of(tokens))


def _quantized(rows_W_D: np.ndarray) -> np.ndarray:
    peak = np.maximum(np.abs(rows_W_D).max(-1, keepdims=True, initial=0), 1e-9)
    return np.rint(rows_W_D / peak * 127).astype(np.int8)


@dataclass
class Entry:
    """The fields of a fact that the router needs."""

    input: str
    output: str


class Question(Protocol):
    """An `Entry`, or a fact with more fields."""

    @property
    def input(self) -> str: ...


@dataclass
class Keys:
    """Stored data of a router besides the facts, computed once when a model is tuned."""

    names: list[dict[str, int]]  # of each fact
    asks: list[int]  # row of each fact in ask_vectors; -1: it has no name
    ask_vectors: np.ndarray
    plain: list[int]  # indexes of facts without names
    plain_keys: PlainKeys


@dataclass
class Earlier:
    """Stored vectors of earlier models, for facts that are trained again."""

    plain: dict[tuple[str, str], tuple] = field(default_factory=dict)
    vectors: list[np.ndarray] = field(default_factory=list)  # vectors of each model
    asks: dict[str, tuple[int, int]] = field(default_factory=dict)  # model and row of each question


def names_of(
    entries: Sequence[Question], vocabulary: Vocabulary, known: dict[str, dict[str, int]] | None = None
) -> list[dict[str, int]]:
    """Names of each entry. `known` holds the names of questions from an earlier model."""
    known = known or {}
    return [
        names_in(entry.input, vocabulary) if (names := known.get(entry.input)) is None else names
        for entry in entries
    ]


def names_in(question: str, vocabulary: Vocabulary) -> dict[str, int]:
    """The name words of a taught question, without function words of its language, which the English vocabulary lacks too."""
    names = vocabulary.names(question)
    language = languages().get(language_of(question, vocabulary.knows) or "") if names else None
    return {word: strength for word, strength in names.items() if not language or not language.is_small(word)}


def keys_of(
    entries: list[Entry],
    names: list[dict[str, int]],
    embed,
    earlier: Earlier | None = None,
) -> Keys:
    """Computes the stored keys of a router. `names` holds the name words of each entry."""
    earlier = earlier or Earlier()
    # Distinct questions; vectors of earlier models are reused.
    rows: dict[str, int] = {}
    ask_of_row: dict[tuple[int, int], str] = {}
    asks = []
    for entry, named in zip(entries, names, strict=True):
        place = earlier.asks.get(entry.input)
        if not named:
            asks.append(-1)
            continue
        ask = (place and ask_of_row.get(place)) or relation_text(entry.input, named)
        if place is not None:
            ask_of_row.setdefault(place, ask)
        asks.append(rows.setdefault(ask, len(rows)))
    vectors_A_D = np.zeros((len(rows) if embed else 0, embed.dimensions if embed else 1), dtype=np.float16)
    if embed:
        kept = {ask: earlier.vectors[model][row] for (model, row), ask in ask_of_row.items()}
        texts = [ask for ask in rows if ask not in kept]
        fresh = dict(zip(texts, embed(texts), strict=True)) if texts else {}
        for ask, row in rows.items():
            vectors_A_D[row] = kept[ask] if ask in kept else fresh[ask]
    plain = [i for i, named in enumerate(names) if not named]
    return Keys(
        names,
        asks,
        vectors_A_D,
        plain,
        plain_keys([(entries[i].input, entries[i].output) for i in plain], embed, earlier.plain),
    )
