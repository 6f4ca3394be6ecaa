"""Parts of a router that do not depend on its facts: the embedding model with its likeness, and the vocabulary."""

from functools import cache
from pathlib import Path

import torch
from transformers import AutoTokenizer

from lorekeep import default_embedder, folders
from lorekeep.infer import embed
from lorekeep.routing.embedders.calibration import calibrated
from lorekeep.routing.embedders.likeness import Likeness
from lorekeep.routing.vectors import Vectors
from lorekeep.routing.words import Vocabulary


def router_parts(
    path: str | Path | None = None, likeness: Likeness | None = None
) -> tuple[Vectors | None, Vocabulary]:
    """`path` is the folder of an embedding model (default: the default model, if installed). `likeness` was fitted for that
    model earlier; if it is None, it is fitted now."""
    found = default_embedder.folder() if path is None else Path(path)
    if found is None:
        return None, Vocabulary()
    return parts_of(read(found), found, likeness)


def parts_of(vectors: Vectors, found: Path, likeness: Likeness | None) -> tuple[Vectors, Vocabulary]:
    """The parts for an embedding model that was read from `found`."""
    if default_embedder.has_its_weights(found) and vectors.embedder.pooling == "mean":
        return vectors, vocabulary(vectors)
    known = vocabulary(vectors)
    return Vectors(vectors.embedder, likeness or calibrated(vectors, known)), known


def read(folder: Path) -> Vectors:
    checked = folders.check(str(folder), "embed")
    model, tokenizer = embed.read(checked, torch.device("cpu"))
    return Vectors(embed.Embedder(checked, model, tokenizer, lambda _: None))


def vocabulary(vectors: Vectors | None) -> Vocabulary:
    """English vocabulary: always that of the default model, since other tokenizers have other words."""
    return (
        Vocabulary() if vectors is None else Vocabulary.of(default_tokenizer() or vectors.embedder.tokenizer)
    )


@cache
def default_tokenizer():
    found = default_embedder.folder()
    if found is None:
        return None
    return AutoTokenizer.from_pretrained(found, local_files_only=True, trust_remote_code=False)
