"""Verifies that a model's files are unchanged. `files` in lorekeep.json holds the SHA-256 of shipped and
downloaded files. A folder that a user placed by hand has no hashes and is accepted as it is."""

import logging
from concurrent.futures import ThreadPoolExecutor
from hashlib import file_digest
from pathlib import Path

from lorekeep.download_mark import read_mark
from lorekeep.errors import EngineError

log = logging.getLogger(__name__)
_MAX_CONCURRENT_READS = 4  # hashing releases the GIL, so other threads continue


def refuse_damaged(folder: Path, weights: bool = True) -> None:
    """`weights`: whether weight files are checked too."""
    known = read_mark(folder).get("files")
    if not isinstance(known, dict):
        return
    wanted = {
        name: key[7:]
        for name, key in known.items()
        if str(key).startswith("sha256:") and (weights or not name.endswith(".safetensors"))
    }
    with ThreadPoolExecutor(_MAX_CONCURRENT_READS) as pool:
        found = pool.map(lambda name: _digest(folder / name), wanted)
        for (name, sum_), is_ in zip(wanted.items(), found, strict=True):
            if is_ != sum_:
                log.error("the model %s is damaged: %s does not match its checksum", folder, name)
                raise EngineError(
                    "model_damaged",
                    f"The model {folder} is damaged: {name} does not match its checksum. Bring it again: the one that ships from the checkout, "
                    "a downloaded one from its hub.",
                    model=str(folder),
                    reason=f"{name} does not match its checksum",
                )


def _digest(file: Path) -> str | None:
    try:
        with open(file, "rb") as opened:
            return file_digest(opened, "sha256").hexdigest()
    except OSError:
        return None
