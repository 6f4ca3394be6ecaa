"""Exports a tuned model as ordinary LoRAs for vLLM, one for each expert."""

import json
import os
from pathlib import Path

from safetensors.torch import save_file

from lorekeep.memory import folder as memory_folder
from lorekeep.memory.adapters import adapters_of, write_index
from lorekeep.memory.adapters_readme import readme
from lorekeep.memory.export import draft_of

# The ranks that vLLM allocates slots for.
RANKS = (8, 16, 32, 64, 128, 256, 320, 512)


def export_vllm(model: Path, target: Path, base_name: str | None = None) -> None:
    """An expert changes only the last layer's MLP: nothing above it reads its effect on the positions of the prompt, so an
    adapter that applies everywhere gives the same answer as one that applies from the answer on.
    `base_name` is the model's name in vLLM, which its resolver compares."""
    memory = memory_folder.read(model)
    about = memory.about["base"]
    base = base_name or Path(about["path"]).name
    draft = draft_of(target)
    (draft / "adapters").mkdir(parents=True)
    facts_of, rank = {}, RANKS[0]
    for adapter in adapters_of(memory, RANKS):
        rank = max(rank, adapter.rank)
        folder = draft / "adapters" / adapter.content()
        folder.mkdir()
        config = {
            "peft_type": "LORA", "task_type": "CAUSAL_LM", "base_model_name_or_path": base,
            "r": adapter.rank, "lora_alpha": adapter.rank, "lora_dropout": 0.0, "bias": "none", "inference_mode": True,
            "target_modules": sorted(name.rpartition(".")[2] for name in adapter.layers),
            "layers_to_transform": [about["layer"]], "layers_pattern": "layers",
        }  # fmt: skip
        tensors = {}
        for name, (down, up) in adapter.layers.items():
            place = f"base_model.model.model.layers.{about['layer']}.{name}"
            tensors |= {f"{place}.lora_A.weight": down, f"{place}.lora_B.weight": up}
        (folder / "adapter_config.json").write_text(json.dumps(config, indent=1))
        save_file(tensors, folder / "adapter_model.safetensors", {"format": "pt"})
        facts_of[folder.name] = adapter.facts
    write_index(draft, facts_of, readme("vllm", model.name, base, len(facts_of), rank))
    memory_folder.write_checksums(draft)
    os.replace(draft, target)
