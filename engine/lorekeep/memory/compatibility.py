"""Compatibility of a tuned model's experts with another base: the same family, layer widths and tokenizer, as two precisions of
one model have. Only reciting on that base shows whether the experts give the same answers."""

import json
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import torch
from safetensors import safe_open
from transformers import AutoConfig, AutoModelForCausalLM

from lorekeep import folders
from lorekeep.infer.experts import mlp_linears
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.folder import Memory

# Parts of tokenizer.json that decide the tokens of a text. The others (padding, truncation) differ between copies of one tokenizer.
_PARTS = ("model", "normalizer", "pre_tokenizer", "decoder", "added_tokens")


def fit(model: str, base: str) -> dict:
    """`same`: the base has the weights that the model was made on. `misfit`: the reason why its experts cannot run on the base."""
    memory = memory_folder.read(model)
    if memory.about["base"]["fingerprint"] == memory_folder.fingerprint(base):
        return {"same": True, "misfit": None}
    return {"same": False, "misfit": misfit(memory, base)}


def compatible_bases(model: Path, bases: list[str]) -> list[str]:
    """The bases on which the experts of an imported model could run, although it was made on other weights."""
    found = []
    for base in bases:
        # Untrusted input: an unreadable model fits no base.
        with suppress(Exception):
            memory = memory_folder.read(model)
            if isinstance(memory.about["base"].get("tokenizer"), str) and misfit(memory, base) is None:
                found.append(base)
    return found


def misfit(memory: Memory, base: str) -> str | None:
    said, family = memory.about["base"], folders.check(base, "generate").family
    if said.get("family", family) != family:
        return f"the family is {family} instead of {said['family']}"
    linears, last = expert_linears(base)
    if said["layer"] != last:
        return f"there are {last + 1} layers instead of {said['layer'] + 1}"
    for file in sorted({place.file for place in memory.experts.values()}):
        if (reason := _width_mismatch(_widths(memory.path / file), linears)) is not None:
            return reason
    known = _tokenizer_of(said)
    return None if known in (None, tokenizer(base)) else "the tokenizer is another one"


def expert_linears(base: str) -> tuple[dict[str, tuple[int, int]], int]:
    """The linear layers that experts change with their input and output widths, and their layer number. No
    weight is read."""
    config = AutoConfig.from_pretrained(base, local_files_only=True, trust_remote_code=False)
    with torch.device("meta"):
        layers = AutoModelForCausalLM.from_config(config).get_decoder().layers
    linears = ((name, layers[-1].get_submodule(name)) for name in mlp_linears(layers[-1]))
    return {name: (linear.in_features, linear.out_features) for name, linear in linears}, len(layers) - 1


def tokenizer(base: str | Path) -> str:
    """Identity of a base's tokenizer."""
    whole = folders.read_json(Path(base) / "tokenizer.json")
    return sha256(json.dumps([whole.get(part) for part in _PARTS], sort_keys=True).encode()).hexdigest()


def _tokenizer_of(said: dict) -> str | None:
    """Identity of the tokenizer of a model's base; None if unknown, since earlier versions did not record it and the base may be gone."""
    if isinstance(known := said.get("tokenizer"), str):
        return known
    if not Path(said["path"]).is_dir() or memory_folder.fingerprint(said["path"]) != said["fingerprint"]:
        return None
    return tokenizer(said["path"])


def _widths(file: Path) -> dict[str, tuple[int, int]]:
    """Input and output widths of the linear layers that the experts of a file change."""
    with safe_open(file, framework="np") as opened:
        shapes = {name: opened.get_slice(name).get_shape() for name in opened.keys()}  # noqa: SIM118
    layers = {name.rpartition(".")[0] for name in shapes}
    return {layer: (shapes[f"{layer}.A"][1], shapes[f"{layer}.B"][2]) for layer in sorted(layers)}


def _width_mismatch(found: dict[str, tuple[int, int]], wanted: dict[str, tuple[int, int]]) -> str | None:
    if found.keys() != wanted.keys():
        return f"the last layer has {', '.join(sorted(wanted))} instead of {', '.join(sorted(found))}"
    for name, (into, out) in wanted.items():
        if found[name] != (into, out):
            return f"{name} is {into} by {out} instead of {found[name][0]} by {found[name][1]}"
    return None
