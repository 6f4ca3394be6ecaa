"""Embedding model that a tuned model was made with; its vectors and likeness are invalid for any other one. memory.json
records the default model by name, and any other by folder and fingerprint."""

import os
from hashlib import sha256
from pathlib import Path

from lorekeep.memory import folder as memory_folder
from lorekeep.memory.folder import Memory
from lorekeep.routing.embedders.likeness import FITTED, Likeness
from lorekeep.routing.vectors import Vectors

DEFAULT = "sentence-transformers/all-MiniLM-L6-v2"


def fingerprint(folder: str | Path) -> str:
    """Fingerprint of an embedding model: weights, tokenizer and pooling."""
    digest = sha256(memory_folder.fingerprint(folder).encode())
    for file in [*sorted(Path(folder).glob("*/config.json")), Path(folder) / "modules.json"]:
        if file.is_file():
            digest.update(file.read_bytes())
    return digest.hexdigest()


def description(embed: Vectors | None) -> str | dict | None:
    """The embedding model as recorded in memory.json."""
    if embed is None or embed.likeness is FITTED:
        return embed and DEFAULT
    folder = embed.embedder.folder.path
    return {"path": os.path.abspath(folder), "fingerprint": fingerprint(folder)}


def uses_embedder(about: dict, embed: Vectors | None) -> bool:
    """Whether a model was made with this embedding model."""
    mine, its = description(embed), about.get("embedder")
    if isinstance(mine, dict) and isinstance(its, dict):
        return mine["fingerprint"] == its.get("fingerprint")
    return mine == its


def fitted_before(earlier: list[Memory], folder: str | None) -> Likeness | None:
    """Likeness that an earlier model stores for the embedding model of a folder."""
    if folder is None or not Path(folder).is_dir():
        return None
    mine = fingerprint(folder)
    kept = (memory for memory in earlier if isinstance(memory.about.get("embedder"), dict))
    return next(
        (memory.likeness for memory in kept if memory.about["embedder"].get("fingerprint") == mine), None
    )


def place(memory: Memory, also: str | None) -> Path | None:
    """Folder of the embedding model that a tuned model needs, or None for the default one. It is the recorded folder or
    `also`, the operator's current setting."""
    wanted = memory.about.get("embedder")
    if not isinstance(wanted, dict):
        return None
    for one in (wanted.get("path"), also):
        if isinstance(one, str) and Path(one).is_dir() and fingerprint(one) == wanted.get("fingerprint"):
            return Path(one)
    raise memory_folder.invalid(
        memory.path, f"the embedding model that it was tuned with is not at {wanted.get('path')} any more"
    )
