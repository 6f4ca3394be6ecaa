"""Chooses the files of a repository that make up a model, by name: data only, never code and never pickles.
Repositories that cannot work are refused before a large file is fetched."""

import re
from collections.abc import Callable, Collection
from fnmatch import fnmatch
from pathlib import Path

from lorekeep import folders
from lorekeep.errors import EngineError

_SMALL_FILES = (
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "tokenizer.model",
    "chat_template.jinja",
    "chat_template.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
)
_INDEX, _WHOLE, _MODULES = "model.safetensors.index.json", "model.safetensors", "modules.json"
_PART_PATTERN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")
# Modules of sentence-transformers that this engine can compute.
_KNOWN_MODULES = {"Transformer", "Pooling", "Normalize"}


def choose(
    name: str, kind: str | None, there: Collection[str], fetch: Callable[[str], Path]
) -> tuple[str, list[str]]:
    """Returns the kind of a model and the files that it needs. `fetch` downloads a small file for
    inspection."""
    if "config.json" not in there:
        raise folders.invalid(name, "it has no config.json")
    config = folders.read_json(fetch("config.json"))
    kind = _kind(name, kind, config)
    if "tokenizer.json" not in there:
        raise folders.invalid(name, "it has no tokenizer.json")
    weights = _weights(name, there, fetch)
    modules = _modules(name, there, fetch) if kind == "embed" and _MODULES in there else []
    return kind, ["config.json", *(file for file in _SMALL_FILES if file in there), *modules, *weights]


def _kind(name: str, kind: str | None, config: dict) -> str:
    family = config.get("model_type")
    if kind is None:
        kind = "embed" if isinstance(family, str) and family in folders.EMBED else "generate"
    try:
        folders.check_config(name, config, kind)
    except EngineError as error:
        other, said = (
            (folders.EMBED, "embedding") if kind == "generate" else (folders.GENERATE, "transformer")
        )
        if isinstance(family, str) and family in other:
            raise folders.invalid(name, f'{error.facts["reason"]}. Send model_type "{said}"') from error
        raise
    return kind


def _weights(name: str, there: Collection[str], fetch: Callable[[str], Path]) -> list[str]:
    if _INDEX in there:
        files = folders.shards(fetch(_INDEX))
        wrong = [
            file
            for file in files
            if not _PART_PATTERN.fullmatch(file) or not file.endswith(".safetensors") or file not in there
        ]
        if wrong or not files:
            named = ", ".join(repr(file[:100]) for file in wrong[:5])
            raise folders.invalid(name, f"{_INDEX} names no weights, or files that are not there: {named}")
        return [_INDEX, *files]
    if _WHOLE in there:
        return [_WHOLE]
    pickles = sorted(file for file in there if any(fnmatch(file, pattern) for pattern in folders.PICKLES))
    if pickles:
        raise folders.invalid(
            name,
            f"its weights are pickle files ({pickles[0][:100]!r}), which could run any code and are never fetched. "
            "Look for one with safetensors, or save it as such",
        )
    raise folders.invalid(name, "it has no model.safetensors")


def _modules(name: str, there: Collection[str], fetch: Callable[[str], Path]) -> list[str]:
    try:
        modules = [
            (str(module["type"]).rsplit(".", 1)[-1], str(module["path"]))
            for module in folders.read_json(fetch(_MODULES), list)
        ]
    except (KeyError, TypeError):
        raise folders.invalid(name, f"{_MODULES} cannot be read") from None
    files = [_MODULES]
    for module, folder in modules:
        if module not in _KNOWN_MODULES:
            raise folders.invalid(name, f"its module {module[:100]!r} is not known here")
        if module == "Pooling":
            file = f"{folder}/config.json"
            if not _PART_PATTERN.fullmatch(folder) or file not in there:
                raise folders.invalid(name, f"{_MODULES} names a folder that is not there: {folder[:100]!r}")
            files.append(file)
    return files
