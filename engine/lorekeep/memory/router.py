"""From a question to the fact that it asks for, or to none: by the same words, by names, by meaning; and the gate, which lets a memory
speak only when the likeness is above what the model's own data says near misses reach."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from lorekeep.memory.match import ALONE, Asked
from lorekeep.memory.meant import MeantIndex
from lorekeep.memory.named import Hit, NamedIndex
from lorekeep.memory.relation import ALIKE, ask_of, asks_for, turned
from lorekeep.memory.spelled import Plain, plain_keys
from lorekeep.memory.words import Vocabulary

Budget = Literal["strict", "balanced", "generous"]
BUDGETS: dict[str, float] = {"strict": 0.02, "balanced": 0.05, "generous": 0.10}


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
    weights: str | None = None  # those that it was measured with (gate.py)


@dataclass
class Keys:
    """What is stored of a router besides the facts themselves: made once when a model is tuned."""

    names: list[dict[str, int]]  # of each fact
    asks: list[int]  # of each fact, its row of ask_vectors; -1: it has no name
    ask_vectors: np.ndarray
    plain: list[int]  # facts without names
    plain_keys: Plain


@dataclass
class Earlier:
    """What other models keep of facts that are taught again."""

    plain: dict[tuple[str, str], tuple] = field(default_factory=dict)
    vectors: list[np.ndarray] = field(default_factory=list)  # of each model
    asks: dict[str, tuple[int, int]] = field(default_factory=dict)  # of a question, its model and its row


def names_of(
    entries: list[Entry], vocabulary: Vocabulary, known: dict[str, dict[str, int]] | None = None
) -> list[dict[str, int]]:
    """`known`: those of questions in which they were found before."""
    known = known or {}
    return [
        vocabulary.names(entry.input) if (names := known.get(entry.input)) is None else names
        for entry in entries
    ]


def keys_of(
    entries: list[Entry],
    names: list[dict[str, int]],
    embed,
    earlier: Earlier | None = None,
) -> Keys:
    """`names` are the name words of each."""
    earlier = earlier or Earlier()
    # What is asked, each once; its vector is taken from where another model keeps it.
    rows: dict[str, int] = {}
    told: dict[tuple[int, int], str] = {}
    asks = []
    for entry, named in zip(entries, names, strict=True):
        place = earlier.asks.get(entry.input)
        if not named:
            asks.append(-1)
            continue
        ask = told.get(place) or ask_of(entry.input, named)
        if place is not None:
            told.setdefault(place, ask)
        asks.append(rows.setdefault(ask, len(rows)))
    vectors_A_D = np.zeros((len(rows) if embed else 0, embed.dimensions if embed else 1), dtype=np.float16)
    if embed:
        kept = {ask: earlier.vectors[model][row] for (model, row), ask in told.items()}
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
        self.exact: dict[str, int] = {}
        loose: dict[str, list[int]] = {}
        for i, entry in enumerate(entries):
            text = same(entry.input)
            self.exact[text] = i
            loose.setdefault(alike(text), []).append(i)
        self.loose = {text: found[0] for text, found in loose.items() if len(found) == 1}
        self.named = NamedIndex(
            vocabulary, keys.names, [e.output for e in entries], [e.input for e in entries]
        )
        self.asks_F_D = turned(keys.ask_vectors.astype(np.float32))
        self.asked: dict[int, tuple[str, str | None]] = {}  # of facts that came near once
        self.meant = None
        if len(keys.plain_keys):
            chosen = [entries[i] for i in keys.plain]
            self.meant = MeantIndex(
                vocabulary, keys.plain, [e.input for e in chosen], [e.output for e in chosen],
                keys.plain_keys, arguments,
            )  # fmt: skip

    def route(self, question: str, budget: Budget = "balanced", whole: str | None = None) -> Found | None:
        """`whole` is what the question was taken out of: a fact may have been taught with its wrapping."""
        if (fact := self._by_words(question, whole)) is not None:
            return Found(fact, 1.0, "exact", True)
        if not question:
            return None
        if found := self.by_name(question):
            found.passed = found.likeness >= self.gate.asks[budget]
            return found
        if found := self.by_meaning(question):
            found.passed = found.likeness >= self.gate.meaning[budget]
            return found
        return None

    def foresee(self, questions: list[str]) -> None:
        """Reads together those that only their meaning can answer."""
        if self.meant is not None:
            self.embed.read_ahead([
                text
                for text in dict.fromkeys(questions)
                if self._by_words(text) is None and not self.named.hits(text)[0] and self.meant.near(text)
            ])  # fmt: skip

    def _by_words(self, question: str, whole: str | None = None) -> int | None:
        for text in (whole, question):
            if text and (fact := self.exact.get(same(text))) is not None:
                return fact
        return self.loose.get(alike(same(question))) if question else None

    def by_name(self, question: str, without: frozenset[int] = frozenset()) -> Found | None:
        near, named = self.named.hits(question)
        hits = [hit for hit in near if hit.fact not in without]
        if not hits:
            return None
        if self.embed is not None:
            # The question without the names that were understood: what it asks.
            ask = ask_of(question, named)
            asked_D, kind = self._vector(ask, near), asks_for(ask)
            for hit in hits:
                at = self.keys.asks[hit.fact]
                hit.likeness = float(self.asks_F_D[at] @ asked_D)
                its = self._asks(hit.fact)[1]
                if kind and its:
                    hit.likeness += ALIKE if kind == its else -ALIKE
                elif hit.cover < 1 and kind != its:
                    # Half a name may be another's: "the Wid post-office" is not Sione Wid.
                    hit.likeness -= ALIKE
        hit = self.named.choose(hits)
        return hit and Found(hit.fact, hit.likeness, "name", False)

    def _vector(self, ask: str, near: list[Hit]) -> np.ndarray:
        """Taken from a fact that asks in the same words, where one came near: then nothing is computed."""
        twin = next((hit.fact for hit in near if self._asks(hit.fact)[0] == ask), None)
        return turned(self.embed([ask])[0]) if twin is None else self.asks_F_D[self.keys.asks[twin]]

    def _asks(self, fact: int) -> tuple[str, str | None]:
        """What it asks, whomever it is about, and for what kind of thing."""
        if fact not in self.asked:
            ask = ask_of(self.entries[fact].input, self.keys.names[fact])
            self.asked[fact] = ask, asks_for(ask)
        return self.asked[fact]

    def by_meaning(self, question: str, without: frozenset[int] = frozenset()) -> Found | None:
        if self.meant is None or not self.meant.near(question):
            return None
        read = self.embed.read(question)
        return self.meaning_of(Asked(question, read.vector_D, read.words_W_D, read.tokens_T_P), without)

    def meaning_of(self, asked: Asked, without: frozenset[int] = frozenset()) -> Found | None:
        best = self.meant.candidates(asked, without)
        return Found(best[0].fact, best[0].likeness, "meaning", False) if best else None


def same(text: str) -> str:
    from lorekeep.tune.facts import key

    return key(text)


def alike(text: str) -> str:
    """Of what is spaced the same: case and the mark at the end make no other question."""
    return text.lower().rstrip(" ?!.")
