"""Arguments of a tuning job (`finetune_args`): their effect in this engine, and the messages for invalid
values. Names, bounds and defaults are generated from the contract (contract.py). The defaults come from the
sweep of docs/experiments/2026-11-21-memory-tuning-shipped-base.md."""

from dataclasses import asdict, dataclass, fields
from typing import Any

from lorekeep import contract
from lorekeep.routing.nearest import adjusted

# Learning rates are given for models of this width; narrower models need proportionally higher ones.
WIDTH = 4096
# Arguments that determine which facts share an expert.
SHARING = ("facts_per_expert", "index_max_size")
_FIELDS = {field.name for field in fields(contract.ArgumentValues)}
_INDEX_PREFIXES = ("index_method", "index_ivf_", "index_pq_", "index_hnsw_")


class ArgumentError(Exception):
    """A known argument has an invalid value."""


@dataclass(frozen=True)
class Arguments(contract.ArgumentValues):
    """Effect of each argument on an expert."""

    def effective_rate(self, width: int) -> float:
        return self.learning_rate * WIDTH / width

    def rank(self, facts: int) -> int:
        """Rank of an expert by its number of facts: small, except for experts of many facts."""
        return self.r_value or max(8, min(64, 8 * -(-facts // 16)))

    def of_experts(self) -> dict[str, Any]:
        """Arguments that affect an expert; its name depends on them."""
        named = asdict(self)
        return {
            name: named[name]
            for name in ("learning_rate", "max_steps", "r_value", "lora_alpha", "num_train_epochs")
        }


def read(given: dict[str, Any]) -> tuple[Arguments, list[str]]:
    """The arguments, and warnings about the given values."""
    values, warnings = {}, []
    for name, value in given.items():
        if value is None:
            continue
        if name not in contract.TAKES:
            warnings.append(f"{name} is not known here and has no effect.")
            continue
        taken = _validated(name, value)
        if name in _FIELDS:
            values[name] = taken
        if name in contract.IDLE and taken != contract.UNLESS.get(name):
            warnings.append(f"{name} has no effect: {contract.IDLE[name]}.")
    return Arguments(**values), warnings


def index_warnings(given: dict[str, Any], arguments: Arguments, plain: int, dimensions: int) -> list[str]:
    """Warnings about the given index arguments. `plain` is the number of facts without names."""
    names = [name for name, value in given.items() if value is not None and name.startswith(_INDEX_PREFIXES)]
    if not names:
        return []
    if not plain:
        return [
            f"{', '.join(names)}: no effect, since every fact is found by its name and there is nothing to index."
        ]
    # Each fact has two keys: its question, and its question with its answer.
    return adjusted(asdict(arguments), 2 * plain, dimensions)[1]


def _validated(name: str, value: Any) -> Any:
    """The value in the argument's type. Raises ArgumentError if the contract does not allow it."""
    takes = contract.TAKES[name]
    if isinstance(takes, contract.Number):
        right = (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and takes.low <= value <= takes.high
        )
        if (
            right
            and (not takes.whole or value == int(value))
            and (not takes.power_of_two or int(value).bit_count() == 1)
        ):
            return int(value) if takes.whole else float(value)
    elif isinstance(takes, contract.Choice):
        if isinstance(value, str) and value in takes.of:
            return value
    elif isinstance(value, bool):
        return value
    raise ArgumentError(f"{name} is {value!r}; it has to be {takes.allowed}.")
