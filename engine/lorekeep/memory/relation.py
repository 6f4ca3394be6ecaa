"""What is asked about a subject, whomever it is about: the question without its names, and how near two of these are. Their vectors are turned
by the matrix of relation.safetensors, which bench/memory/fit_relation.py makes: the same asked in other words is near then, and another thing in
almost the same words is not."""

from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from lorekeep.memory.vectors import unit
from lorekeep.memory.words import without, words

FILE = Path(__file__).parent / "relation.safetensors"
# Both ask who, or one asks who and the other where: so much nearer or farther (docs/experiments.md).
ALIKE = 0.1
_MATRIX_D_D = load_file(FILE)["matrix"].astype(np.float32)


def ask_of(text: str, named) -> str:
    """The question without its names; the key under which its vector is kept."""
    return " ".join(without(text, named).split())


_MEASURES = ("many", "much", "long", "old", "far", "tall", "often", "big", "large", "high", "fast")


def asks_for(text: str) -> str | None:
    """What kind of thing a question wants: who, when, where, why, how many ..., where it says so."""
    said = [word.plain for word in words(text)]
    for word, after in zip(said, [*said[1:], ""], strict=True):
        if word in ("who", "whom", "whose"):
            return "who"
        if word in ("when", "where", "why"):
            return word
        if word == "how":
            return f"how {after}" if after in _MEASURES else "how"
    return None


def turned(vectors: np.ndarray, matrix_D_D: np.ndarray = _MATRIX_D_D) -> np.ndarray:
    """Those of another embedding model stay as they are."""
    if vectors.shape[-1] != len(matrix_D_D):
        return vectors
    return unit(vectors + vectors @ matrix_D_D)
