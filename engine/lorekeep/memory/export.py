"""Exports a tuned model: as a checksummed folder that another installation imports, or as PEFT adapters
(activated LoRA) that PEFT loads."""

import json
import os
import shutil
from pathlib import Path

from safetensors.torch import save_file

from lorekeep import folders, precision
from lorekeep.download_mark import read_mark
from lorekeep.errors import EngineError
from lorekeep.infer.prompts import Prompts
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.adapters import adapters_of
from lorekeep.memory.fact_tokens import question_tokens
from lorekeep.memory.folder import Memory
from lorekeep.memory.validate_import import rewrite, validate_import


def export(model: Path, target: Path) -> None:
    """Copies the folder without any path of this machine."""
    memory_folder.verify(model)
    draft = draft_of(target)
    shutil.copytree(model, draft)
    about = memory_folder.about(model)
    base = about["base"]
    rewrite(draft, {**about, "base": {**base, **_origin(base), "path": Path(base["path"]).name}})
    os.replace(draft, target)


def _origin(said: dict) -> dict:
    """The published name and the precision of a base, for an installation that has to download it. Empty if the folder now
    holds another base."""
    base = Path(said["path"])
    if not base.is_dir() or memory_folder.fingerprint(base) != said["fingerprint"]:
        return {}
    mark = read_mark(base)
    named = {key: mark[key] for key in ("name", "commit") if isinstance(mark.get(key), str)}
    found = precision.read(base, folders.read_json(base / "config.json"))
    return {**named, "precision": "none" if found is None else found.name}


def import_model(exported: Path, target: Path, base: str) -> None:
    """Copies an exported folder and accepts the copy."""
    draft = draft_of(target)
    shutil.copytree(exported, draft)
    try:
        if validate_import(draft, [base]) is None:
            raise memory_folder.invalid(exported, f"{base} is not the base that it was tuned on")
        os.replace(draft, target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def export_peft(model: Path, target: Path, tokenizer) -> None:
    """Writes one adapter per folder, named after its expert, and adapters.json, which maps facts to adapters.
    An adapter acts from the last token of the prompt on, as in serving, so it cannot be merged into the
    weights."""
    memory = memory_folder.read(model)
    layer = memory.about["base"]["layer"]
    invocations = _invocation_tokens(memory, Prompts(tokenizer, 1 << 30))
    draft = draft_of(target)
    draft.mkdir(parents=True)
    facts_of = {}
    for adapter in adapters_of(memory):
        names = sorted(adapter.layers)
        config = {
            "peft_type": "LORA", "task_type": "CAUSAL_LM", "base_model_name_or_path": Path(memory.about["base"]["path"]).name,
            "r": adapter.rank, "lora_alpha": adapter.rank, "lora_dropout": 0.0, "bias": "none", "inference_mode": True,
            "target_modules": rf".*layers\.{layer}\.(?:{'|'.join(name.replace('.', chr(92) + '.') for name in names)})",
            "alora_invocation_tokens": invocations[adapter.name],
        }  # fmt: skip
        tensors = {}
        for name, (down, up) in adapter.layers.items():
            place = f"base_model.model.model.layers.{layer}.{name}"
            tensors |= {f"{place}.lora_A.weight": down, f"{place}.lora_B.weight": up}
        folder = draft / adapter.name
        folder.mkdir()
        (folder / "adapter_config.json").write_text(json.dumps(config, indent=1))
        save_file(tensors, folder / "adapter_model.safetensors", {"format": "pt"})
        facts_of[adapter.name] = [
            {"input": fact["input"], "output": fact["output"]} for fact in adapter.facts
        ]
    (draft / "adapters.json").write_text(json.dumps({"adapters": facts_of}, indent=1, ensure_ascii=False))
    memory_folder.write_checksums(draft)
    os.replace(draft, target)


def _invocation_tokens(memory: Memory, prompts: Prompts) -> dict[str, list[int]]:
    """Token from which each expert acts: the last one of its questions. Without a chat template it varies
    between questions."""
    found: dict[str, tuple[list[int], str]] = {}
    for fact in memory.facts:
        last = question_tokens(prompts, fact["input"])[-1:]
        first, question = found.setdefault(fact["expert"], (last, fact["input"]))
        if first != last:
            reason = (
                "its base has no chat template, and an adapter can act from one last token only, but two questions of one expert "
                f"end differently: {question[:80]!r} and {fact['input'][:80]!r}"
            )
            raise EngineError(
                "model_invalid",
                f"{memory.path} cannot be exported for PEFT: {reason}. Let them end alike, or tune with facts_per_expert 1.",
                reason=reason,
            )
    return {expert: last for expert, (last, _) in found.items()}


def draft_of(target: Path) -> Path:
    """Path for a draft beside the target, which must not exist yet."""
    if target.exists():
        raise EngineError(
            "model_invalid", f"{target} is there already. Choose another place.", reason="exists"
        )
    draft = target.with_name(f".{target.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    return draft
