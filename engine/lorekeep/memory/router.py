"""From a question to the fact that it asks for, or to none: by the same words, by names, by meaning; and the gate, which lets a memory
speak only when the likeness is above what the model's own data says near misses reach."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from lorekeep.memory.match import ALONE, Asked
from lorekeep.memory.meant import MeantIndex
from lorekeep.memory.named import NamedIndex, ask_of, asks_for
from lorekeep.memory.spelled import Plain, plain_keys
from lorekeep.memory.words import Vocabulary

Budget = Literal["strict", "balanced", "generous"]
BUDGETS: dict[str, float] = {"strict": 0.02, "balanced": 0.05, "generous": 0.10}

# Both ask who, or one asks who and the other where: so much nearer or farther (docs/experiments.md).
ASKS_ALIKE = 0.1


@dataclass
class Entry:
    """A fact as the router knows it."""

    input: str
    output: str


@dataclass
class Found:
    fact: int
    likeness: float
    way: Literal["exact", "name", "meaning"]
    passed: bool


@dataclass
class Gate:
    """Thresholds by budget: of what is asked about a known name, and of meaning."""

    asks: dict[str, float] = field(default_factory=lambda: dict.fromkeys(BUDGETS, 0.5))
    meaning: dict[str, float] = field(default_factory=lambda: dict(ALONE))
    measured: dict = field(default_factory=dict)


@dataclass
class Keys:
    """What is stored of a router besides the facts themselves: made once when a model is tuned."""

    names: list[dict[str, int]]  # of each fact
    asks: list[int]  # of each fact, its row of ask_vectors; -1: it has no name
    ask_vectors: np.ndarray
    plain: list[int]  # facts without names
    plain_keys: Plain


def keys_of(
    entries: list[Entry], vocabulary: Vocabulary, embed, earlier: dict[tuple[str, str], tuple] | None = None
) -> Keys:
    """`earlier`: what other models keep of facts without names."""
    names = [vocabulary.names(entry.input) for entry in entries]
    texts: dict[str, int] = {}
    asks = [
        texts.setdefault(ask_of(entry.input, named), len(texts)) if named else -1
        for entry, named in zip(entries, names, strict=True)
    ]
    plain = [i for i, named in enumerate(names) if not named]
    none = np.zeros((0, embed.dimensions if embed else 1), dtype=np.float16)
    return Keys(
        names,
        asks,
        embed(list(texts)).astype(np.float16) if texts and embed else none,
        plain,
        plain_keys([(entries[i].input, entries[i].output) for i in plain], embed, earlier or {}),
    )


class Router:
    def __init__(
        self,
        entries: list[Entry],
        keys: Keys,
        gate: Gate,
        vocabulary: Vocabulary,
        embed,
        arguments: dict | None = None,
    ):
        self.entries, self.keys, self.gate, self.embed = entries, keys, gate, embed
        self.exact = {same(entry.input): i for i, entry in enumerate(entries)}
        loose: dict[str, list[int]] = {}
        for i, entry in enumerate(entries):
            loose.setdefault(alike(entry.input), []).append(i)
        self.loose = {text: found[0] for text, found in loose.items() if len(found) == 1}
        self.named = NamedIndex(
            vocabulary, keys.names, [e.output for e in entries], [e.input for e in entries]
        )
        self.asks_F_D = keys.ask_vectors.astype(np.float32)
        self.kinds: dict[int, str | None] = {}
        self.meant = None
        if len(keys.plain_keys):
            chosen = [entries[i] for i in keys.plain]
            self.meant = MeantIndex(
                vocabulary, keys.plain, [e.input for e in chosen], [e.output for e in chosen],
                keys.plain_keys, arguments,
            )  # fmt: skip

    def route(self, question: str, budget: Budget = "balanced", whole: str | None = None) -> Found | None:
        """`whole` is what the question was taken out of: a fact may have been taught with its wrapping."""
        for text in (whole, question):
            if text and (fact := self.exact.get(same(text))) is not None:
                return Found(fact, 1.0, "exact", True)
        if not question:
            return None
        if (fact := self.loose.get(alike(question))) is not None:
            return Found(fact, 1.0, "exact", True)
        if found := self.by_name(question):
            found.passed = found.likeness >= self.gate.asks[budget]
            return found
        if found := self.by_meaning(question):
            found.passed = found.likeness >= self.gate.meaning[budget]
            return found
        return None

    def by_name(self, question: str, without: frozenset[int] = frozenset()) -> Found | None:
        hits, named = self.named.hits(question)
        hits = [hit for hit in hits if hit.fact not in without]
        if not hits:
            return None
        if self.embed is not None:
            # The question without the names that were understood: what it asks.
            ask = ask_of(question, named)
            asked_D, kind = self.embed([ask])[0], asks_for(ask)
            for hit in hits:
                at = self.keys.asks[hit.fact]
                hit.likeness = float(self.asks_F_D[at] @ asked_D)
                if kind and (its := self._kind(hit.fact)):
                    hit.likeness += ASKS_ALIKE if kind == its else -ASKS_ALIKE
        hit = self.named.choose(hits)
        return hit and Found(hit.fact, hit.likeness, "name", False)

    def _kind(self, fact: int) -> str | None:
        if fact not in self.kinds:
            self.kinds[fact] = asks_for(ask_of(self.entries[fact].input, self.keys.names[fact]))
        return self.kinds[fact]

    def by_meaning(self, question: str, without: frozenset[int] = frozenset()) -> Found | None:
        if self.meant is None or not self.meant.near(question):
            return None
        read = self.embed.read(question)
        return self.meaning_of(Asked(question, read.vector_D, read.words_W_D), without)

    def meaning_of(self, asked: Asked, without: frozenset[int] = frozenset()) -> Found | None:
        best = self.meant.candidates(asked, without)
        return Found(best[0].fact, best[0].likeness, "meaning", False) if best else None


def same(text: str) -> str:
    from lorekeep.tune.facts import key

    return key(text)


def alike(text: str) -> str:
    """Case and the mark at the end make no other question."""
    return same(text).lower().rstrip(" ?!.")
