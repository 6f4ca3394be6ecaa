"""Exports a tuned model as LoRA adapters for llama.cpp, one GGUF file per expert, optionally with its base."""

import os
from pathlib import Path

import gguf
import numpy as np

from lorekeep import folders
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.adapters import Adapter, adapters_of, write_index
from lorekeep.memory.adapters_readme import readme
from lorekeep.memory.export import draft_of
from lorekeep.memory.gguf_base import architecture, refused, write_base


def export_gguf(model: Path, target: Path, base: Path, base_name: str | None, with_base: bool) -> None:
    memory = memory_folder.read(model)
    config = folders.read_json(base / "config.json")
    arch = architecture(base, config.get("model_type"))
    name, layer = base_name or base.name, memory.about["base"]["layer"]
    names = gguf.get_tensor_name_map(arch, layer + 1)
    draft = draft_of(target)
    (draft / "adapters").mkdir(parents=True)
    facts_of, rank, notes = {}, 0, []
    for adapter in adapters_of(memory):
        rank = max(rank, adapter.rank)
        file = draft / "adapters" / f"{adapter.content()}.gguf"
        _write(file, adapter, arch, {one: _gguf_name(base, names, layer, one) for one in adapter.layers})
        facts_of[file.stem] = adapter.facts
    if with_base:
        notes = write_base(base, draft / "base.gguf", name)
    text = readme("gguf", model.name, name, len(facts_of), rank)
    write_index(draft, facts_of, "\n".join([text, *(f"- {note}" for note in notes)]))
    memory_folder.write_checksums(draft)
    os.replace(draft, target)


def _gguf_name(base: Path, names: gguf.TensorNameMap, layer: int, part: str) -> str:
    found = names.get_name(f"model.layers.{layer}.{part}")
    if found is None:
        raise refused(base, f"its experts change {part}, which has no name in GGUF")
    return found


def _write(file: Path, adapter: Adapter, arch: gguf.MODEL_ARCH, names: dict[str, str]) -> None:
    writer = gguf.GGUFWriter(file, gguf.MODEL_ARCH_NAMES[arch])
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    # llama.cpp multiplies by alpha over rank.
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, float(adapter.rank))
    for name, (down, up) in adapter.layers.items():
        for side, numbers in (("a", down), ("b", up)):
            writer.add_tensor(
                f"{names[name]}.weight.lora_{side}", np.ascontiguousarray(numbers.numpy(), np.float32)
            )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
