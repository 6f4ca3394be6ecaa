"""The arguments of a tuning job as users know them (`finetune_args`), what each means here, and what is told where a value makes no
sense. Defaults come from the sweep of docs/experiments.md."""

from dataclasses import asdict, dataclass
from typing import Any

from lorekeep.memory.nearest import sensible
from lorekeep.tune.train import Recipe

METHODS = ("IndexIVFPQ", "IndexHNSWPQ", "IndexHNSWFlat", "IndexFlatL2", "IndexPQ")
# Users know rates of models of this width; what a narrower one needs is higher in proportion.
WIDTH = 4096
# What decides which facts share an expert.
SHARING = ("facts_per_expert", "index_max_size")
# Accepted and without effect, each for the reason that is told.
_IDLE = {
    "save_steps": "every finished wave of experts is a checkpoint",
    "optim": "experts are trained with Adam",
    "early_stopping": "every expert stops when its facts are recalled",
}
# So too, kept with the model: 1 is what is done.
_AS_ONE = {
    "gradient_accumulation_steps": "a step sees all facts of its expert",
    "batch_size": "a step sees all facts of its expert",
    "index_k": "one expert answers, since several at once were always worse",
}
_OF_INDEX = ("index_method", "index_ivf_", "index_pq_", "index_hnsw_")


class ArgumentError(Exception):
    """A known argument with a value that cannot be."""


@dataclass(frozen=True)
class Arguments:
    learning_rate: float = 3e-4
    max_finetuning_examples: int | None = None
    max_steps: int = 400
    gradient_accumulation_steps: int = 1
    batch_size: int | None = None
    r_value: int | None = None
    lora_alpha: float | None = None
    num_train_epochs: float | None = None
    max_length: int = 2048
    index_k: int = 2
    index_max_size: int = 65536
    index_method: str = "IndexIVFPQ"
    index_ivf_nlist: int = 2048
    index_ivf_nprobe: int = 48
    index_pq_m: int = 8
    index_pq_nbits: int = 8
    index_hnsw_m: int = 32
    index_hnsw_efConstruction: int = 16
    index_hnsw_efSearch: int = 8
    facts_per_expert: int = 4

    def effective_rate(self, width: int) -> float:
        return self.learning_rate * WIDTH / width

    def rank(self, facts: int) -> int:
        """Of an expert of so many facts: small, but for one that has to hold many."""
        return self.r_value or max(8, min(64, 8 * -(-facts // 16)))

    def recipe(self, width: int, facts: int = 1) -> Recipe:
        rank = self.rank(facts)
        steps = self.max_steps
        if self.num_train_epochs is not None:  # a step sees all facts of its expert: it is an epoch
            steps = min(steps, max(1, round(self.num_train_epochs)))
        # What alpha does to the size of the change, without a factor that every reader of the weights would have to know.
        scale = 1.0 if self.lora_alpha is None else self.lora_alpha / rank
        return Recipe(rank=rank, rate=self.effective_rate(width), max_steps=steps, scale=scale)

    def of_experts(self) -> dict[str, Any]:
        """Those that make a difference to an expert: its name depends on them."""
        named = asdict(self)
        return {
            name: named[name]
            for name in ("learning_rate", "max_steps", "r_value", "lora_alpha", "num_train_epochs")
        }


_BOUNDS = {
    "learning_rate": (1e-8, 1.0),
    "max_finetuning_examples": (1, 10**9),
    "max_steps": (1, 10**7),
    "gradient_accumulation_steps": (1, 10**6),
    "batch_size": (1, 10**6),
    "r_value": (1, 512),
    "lora_alpha": (1e-3, 1e6),
    "num_train_epochs": (1e-6, 1e7),
    "max_length": (16, 8192),
    "index_k": (1, 1000),
    "index_max_size": (1, 10**9),
    "index_ivf_nlist": (1, 10**7),
    "index_ivf_nprobe": (1, 10**7),
    "index_pq_m": (1, 384),
    "index_pq_nbits": (1, 16),
    "index_hnsw_m": (2, 512),
    "index_hnsw_efConstruction": (1, 10**5),
    "index_hnsw_efSearch": (1, 10**5),
    "facts_per_expert": (1, 1024),
}


def read(given: dict[str, Any]) -> tuple[Arguments, list[str]]:
    """The arguments, and what the user should know of those that were given."""
    values, warnings = {}, []
    for name, value in given.items():
        if value is None:
            continue
        if name in _IDLE:
            warnings.append(f"{name} has no effect: {_IDLE[name]}.")
        elif name == "index_method":
            if value not in METHODS:
                raise ArgumentError(f"index_method is {value!r}; it can be one of {', '.join(METHODS)}.")
            values[name] = value
        elif name in _BOUNDS:
            values[name] = _number(name, value)
            if name in _AS_ONE and values[name] != 1:
                warnings.append(f"{name} has no effect: {_AS_ONE[name]}.")
        else:
            warnings.append(f"{name} is not known here and has no effect.")
    return Arguments(**values), warnings


def of_index(given: dict[str, Any], arguments: Arguments, plain: int, dimensions: int) -> list[str]:
    """What the user should know of those for the router's index that were given, where so many facts have no name."""
    names = [name for name, value in given.items() if value is not None and name.startswith(_OF_INDEX)]
    if not names:
        return []
    if not plain:
        return [
            f"{', '.join(names)}: no effect, since every fact is found by its name and there is nothing to index."
        ]
    # Two keys a fact: its question, and its question with its answer.
    return sensible(asdict(arguments), 2 * plain, dimensions)[1]


def _number(name: str, value: Any) -> int | float:
    low, high = _BOUNDS[name]
    whole = name not in ("learning_rate", "lora_alpha", "num_train_epochs")
    right = isinstance(value, int | float) and not isinstance(value, bool)
    if not right or (whole and value != int(value)) or not low <= value <= high:
        raise ArgumentError(
            f"{name} is {value!r}; it has to be a {'whole ' if whole else ''}number from {low} to {high}."
        )
    return int(value) if whole else float(value)
