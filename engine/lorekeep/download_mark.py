"""Reads and writes lorekeep.json in a model's folder: the origin of the model and the hashes of its files."""

import json
import os
from pathlib import Path

MARK = "lorekeep.json"


def read_mark(folder: Path) -> dict:
    """The origin of a model; empty for a folder that a user placed by hand."""
    try:
        mark = json.loads((folder / MARK).read_text("utf-8"))
        return mark if isinstance(mark, dict) else {}
    except (OSError, ValueError):
        return {}


def write_mark(folder: Path, mark: dict) -> None:
    draft = folder / f"{MARK}.new"
    draft.write_text(json.dumps(mark, indent=1), "utf-8")
    os.replace(draft, folder / MARK)
