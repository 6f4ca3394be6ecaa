"""Precision of a folder's weights, from the compressed-tensors section of its config.json: integers of 4 or 8 bits with a
scale for each row, or for each group of columns. Activations are never quantized."""

import re
from dataclasses import dataclass
from pathlib import Path

from lorekeep.contract import PRECISION_BYTES, SERVE_AND_TUNE_BYTES
from lorekeep.errors import EngineError

METHOD, FORMAT = "compressed-tensors", "pack-quantized"
GROUPS = (32, 64, 128, 256)


@dataclass(frozen=True)
class Scheme:
    """Precision of one linear layer. `group`: columns that share a scale, or None for one scale a row."""

    bits: int
    group: int | None = None
    symmetric: bool = True

    @property
    def in_a_word(self) -> int:
        """Number of values packed into a 32-bit integer."""
        return 32 // self.bits

    def scales(self, columns: int) -> int:
        return 1 if self.group is None else -(-columns // self.group)


@dataclass(frozen=True)
class Precision:
    """Schemes by target layers: names, patterns (`re:...`), or `Linear` for all others."""

    schemes: tuple[tuple[tuple[str, ...], Scheme], ...]
    ignore: tuple[str, ...]

    def of(self, layer: str) -> Scheme | None:
        if _is_among(layer, self.ignore):
            return None
        named = [scheme for targets, scheme in self.schemes if _is_among(layer, targets)]
        return next(iter(named), None) or next(
            (scheme for targets, scheme in self.schemes if "Linear" in targets), None
        )

    @property
    def name(self) -> str:
        return f"int{min(scheme.bits for _, scheme in self.schemes)}"


def read(path: str | Path, config: dict) -> Precision | None:
    """Precision of a folder's quantized weights, None for plain ones. Schemes without a kernel are refused by
    name."""
    said = config.get("quantization_config")
    if not said:
        return None
    method = said.get("quant_method") if isinstance(said, dict) else None
    if method != METHOD:
        raise _refused(path, f"its weights are quantized by {str(method)[:100]}")
    if said.get("format") != FORMAT:
        raise _refused(path, f"its format is {str(said.get('format'))[:100]}")
    groups = said.get("config_groups")
    if not isinstance(groups, dict) or not groups or said.get("kv_cache_scheme"):
        raise _refused(path, "it has no groups of layers, or quantizes its cache")
    schemes = tuple((tuple(map(str, _list(one, "targets"))), _scheme(path, one)) for one in groups.values())
    return Precision(schemes, tuple(map(str, _list(said, "ignore"))))


def _scheme(path: str | Path, group: dict) -> Scheme:
    said = group.get("weights")
    if not isinstance(said, dict) or group.get("input_activations") or group.get("output_activations"):
        raise _refused(path, "it quantizes activations, too")
    bits, strategy, size = said.get("num_bits"), said.get("strategy"), said.get("group_size")
    symmetric = bool(said.get("symmetric", True))
    plain = said.get("type", "int") == "int" and not said.get("dynamic") and not said.get("actorder")
    if plain and bits == 4 and strategy == "group" and isinstance(size, int) and size in GROUPS:
        return Scheme(4, size, symmetric)
    if plain and bits == 8 and strategy == "channel" and symmetric:
        return Scheme(8)
    words = f"{said.get('type', 'int')} of {bits} bits by {strategy}"
    raise _refused(path, f"its weights are {words[:100]}")


def choose(wish: str, parameters: int, memory: int | None) -> str:
    """Quantization of a download: `auto` chooses the highest precision with which serving and tuning (which share the weights) leave a
    fifth of the memory free. `automaticPrecision` in contract/src/known-models.ts says the same before a download."""
    if wish != "auto" or memory is None:
        return "none" if wish == "auto" else wish
    for name in PRECISION_BYTES:
        if needed(parameters, name) <= 0.8 * memory:
            return name
    return "int4"


def needed(parameters: int, name: str) -> float:
    """Total memory of serving and tuning."""
    return SERVE_AND_TUNE_BYTES + parameters * PRECISION_BYTES[name]


def config_of(schemes: dict[str, Scheme]) -> dict:
    """`quantization_config` for layers with these schemes."""
    groups = {}
    for number, scheme in enumerate(sorted(set(schemes.values()), key=lambda one: one.bits)):
        weights = {
            "num_bits": scheme.bits,
            "type": "int",
            "symmetric": scheme.symmetric,
            "strategy": "channel" if scheme.group is None else "group",
            "group_size": scheme.group,
            "dynamic": False,
        }
        targets = sorted(layer for layer, own in schemes.items() if own == scheme)
        groups[f"group_{number}"] = {
            "targets": targets,
            "weights": weights,
            "input_activations": None,
            "output_activations": None,
        }
    return {
        "quant_method": METHOD,
        "format": FORMAT,
        "quantization_status": "compressed",
        "config_groups": groups,
        "ignore": ["lm_head"],
        "kv_cache_scheme": None,
    }


def _is_among(layer: str, targets: tuple[str, ...]) -> bool:
    return any(
        re.match(target.removeprefix("re:"), layer) if target.startswith("re:") else target == layer
        for target in targets
    )


def _list(said: dict, name: str) -> list:
    found = said.get(name) or []
    return found if isinstance(found, list) else [found]


def _refused(path: str | Path, reason: str) -> EngineError:
    readable = "F32, F16, BF16, and compressed-tensors of 4 bits in groups or 8 bits a row can be read"
    return EngineError(
        "model_invalid", f"{path} cannot be loaded: {reason}; {readable}.", reason=f"{reason}; {readable}"
    )
