"""Validates a model folder before anything of it is loaded. Errors name the file and the reason. No code in
the folder is ever executed."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

from safetensors import safe_open

from lorekeep import precision
from lorekeep.errors import EngineError
from lorekeep.precision import Precision

# Supported model families, by the model_type of config.json: those that generate, and those that embed.
GENERATE = {"llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text", "phi3"}
EMBED = {"bert", "roberta", "xlm-roberta", "mpnet", "distilbert", "nomic_bert", "modernbert"}
PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.pickle", "*.ckpt")
_DTYPE_BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I32": 4}
_WEIGHT_DTYPES = {"F64", "F32", "F16", "BF16"}
_PACKED_TENSORS = {"weight_packed", "weight_zero_point"}  # tensors of a quantized layer
_COUNTER_DTYPES = {"I64", "BOOL"}  # positions and masks that older files carry
# Scalings that depend on the longest position of a batch, and would let other sequences change an answer.
# They are constant below this length.
_DYNAMIC_ROPE_TYPES = {"longrope", "dynamic"}


@dataclass(frozen=True)
class Folder:
    path: Path
    config: dict
    parameters: int
    context: int
    precision: Precision | None = None  # of quantized weights
    stored: int = 0  # bytes of its weights, as they are stored

    @property
    def family(self) -> str:
        return self.config["model_type"]


def check(path: str, kind: str) -> Folder:
    folder = Path(path)
    if not folder.is_dir():
        raise EngineError("model_not_found", f"There is no folder {path}.")
    config = read_json(folder / "config.json")
    check_config(path, config, kind)
    if not (folder / "tokenizer.json").is_file():
        raise invalid(path, "it has no tokenizer.json")
    quantized = precision.read(path, config)
    counts = [_parameters(file, quantized) for file in weight_files(folder)]
    parameters, stored = (sum(each) for each in zip(*counts, strict=True))
    return Folder(folder, config, parameters, context(config), quantized, stored)


def check_config(path: str | Path, config: dict, kind: str) -> None:
    family = config.get("model_type")
    known = GENERATE if kind == "generate" else EMBED
    if not isinstance(family, str) or family not in known:
        raise invalid(
            path,
            f"its model_type is {repr(family)[:100]}, and to {kind} it has to be one of {', '.join(sorted(known))}",
        )
    precision.read(path, config)


def weight_files(folder: Path) -> list[Path]:
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        files = [folder / name for name in shards(index)]
        outside = [file.name for file in files if file.parent != folder]
        missing = [file.name for file in files if not file.is_file()]
        if outside or missing:
            raise invalid(
                folder, f"{index.name} names files that are not there: {', '.join((outside + missing)[:5])}"
            )
        return files
    if (folder / "model.safetensors").is_file():
        return [folder / "model.safetensors"]
    pickles = sorted(file.name for pattern in PICKLES for file in folder.glob(pattern))
    if pickles:
        raise invalid(
            folder,
            f"{pickles[0]} is a pickle file, which could run any code and is never opened. Save it as safetensors",
        )
    raise invalid(folder, "it has no model.safetensors")


def shards(index: Path) -> list[str]:
    """Weight files that an index names. The names are unchecked input."""
    named = read_json(index).get("weight_map")
    if not isinstance(named, dict) or not all(isinstance(name, str) for name in named.values()):
        raise invalid(index.parent, f"{index.name} has no weight_map")
    return sorted(set(named.values()))


def _parameters(file: Path, quantized: Precision | None) -> tuple[int, int]:
    """(parameters, bytes) of a file of weights."""
    try:
        with safe_open(file, framework="np") as weights:
            count, stored = 0, 0
            for name in weights.keys():  # noqa: SIM118 (not a dictionary)
                part = weights.get_slice(name)
                if part.get_dtype() in _COUNTER_DTYPES:
                    continue
                layer, _, kind = name.rpartition(".")
                scheme = quantized.of(layer) if quantized and kind in _PACKED_TENSORS else None
                if part.get_dtype() not in _WEIGHT_DTYPES and not (scheme and part.get_dtype() == "I32"):
                    raise invalid(
                        file.parent,
                        f"{file.name} holds {name} as {part.get_dtype()}; F32, F16 and BF16 can be read",
                    )
                size = math.prod(part.get_shape())
                stored += size * _DTYPE_BYTES[part.get_dtype()]
                if kind == "weight_packed" and scheme:
                    count += size * scheme.in_a_word
                elif not kind.startswith("weight_"):
                    count += size
            return count, stored
    except EngineError:
        raise
    except Exception as error:  # safetensors and the system raise different errors
        raise invalid(
            file.parent, f"{file.name} cannot be read ({error}). Was it copied completely"
        ) from error


def context(config: dict) -> int:
    positions = config.get("max_position_embeddings") or 2048
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    if isinstance(rope, dict) and (rope.get("rope_type") or rope.get("type")) in _DYNAMIC_ROPE_TYPES:
        original = rope.get("original_max_position_embeddings") or config.get(
            "original_max_position_embeddings"
        )
        positions = min(positions, original or positions)
    return positions


def end_tokens(path: str | Path) -> tuple[str, ...]:
    """Tokens that end an answer, as the tokenizer writes them. No weights are read."""
    folder, named = Path(path), set()
    for name in ("config.json", "generation_config.json", "tokenizer_config.json"):
        try:
            said = json.loads((folder / name).read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            continue
        for one in (said.get("eos_token_id"), said.get("eos_token")) if isinstance(said, dict) else ():
            named.update(
                one if isinstance(one, list) else [one.get("content") if isinstance(one, dict) else one]
            )
    added = read_json(folder / "tokenizer.json").get("added_tokens") or []
    texts = {one["id"]: one["content"] for one in added if one.get("special")}
    found = {texts[one] if isinstance(one, int) and one in texts else one for one in named}
    return tuple(sorted(set(texts.values()) & found))


def read_json(file: Path, kind: type = dict):
    try:
        found = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        raise invalid(file.parent, f"it has no {file.name}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise invalid(file.parent, f"{file.name} cannot be read ({error})") from error
    if not isinstance(found, kind):
        raise invalid(file.parent, f"{file.name} is no JSON {'object' if kind is dict else 'list'}")
    return found


def invalid(folder: str | Path, reason: str) -> EngineError:
    return EngineError("model_invalid", f"{folder} cannot be loaded: {reason}.", reason=reason)
