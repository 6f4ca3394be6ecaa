"""Constants and types that the engine shares with the server. Made from contract/ by `./lorekeep check --write`; not edited by hand."""

from dataclasses import dataclass
from typing import Literal

Gate = Literal["strict", "balanced", "generous"]
DEFAULT_GATE: Gate = "balanced"
# Share of the questions about a known name that no fact answers, which each gate lets through.
UNKNOWN_ASKS: dict[str, float] = {"strict": 0.1, "balanced": 0.35, "generous": 0.6}
# The same of near misses of facts without names.
NEAR_MISSES: dict[str, float] = {"strict": 0.02, "balanced": 0.05, "generous": 0.1}

# Sources and outcomes of the answers of a tuned model.
AnswerFrom = Literal["all", "facts", "recital"]
DEFAULT_ANSWER_FROM: AnswerFrom = "all"
Unknown = Literal["say", "base"]
DEFAULT_UNKNOWN: Unknown = "say"
Outcome = Literal["recite", "ground", "documents", "unknown", "base"]

JobStatus = Literal[
    "CREATED",
    "QUEUED",
    "LOADING DATA",
    "TRAINING MODEL",
    "EVALUATING MODEL",
    "SAVING MODEL",
    "COMPLETED",
    "PARTIALLY COMPLETED",
    "FAILED",
    "CANCELLED",
    "TIMED OUT",
]

ModelKind = Literal["generate", "embed"]
LoadStage = Literal["waiting", "checking", "reading", "preparing"]
# The server makes an answer of each; lorekeep/errors.py says when they happen.
ErrorCode = Literal[
    "message_invalid",
    "prompt_empty",
    "context_exceeded",
    "template_failed",
    "schema_impossible",
    "max_tokens_too_small",
    "model_not_found",
    "model_invalid",
    "model_damaged",
    "model_loading",
    "model_kind",
    "overloaded",
    "cancelled",
    "out_of_memory",
    "internal",
]

# Bytes of memory beside the weights, and of a parameter by precision.
SERVE_BYTES = 900000000
SERVE_AND_TUNE_BYTES = 1300000000
PRECISION_BYTES: dict[str, float] = {"none": 2, "int8": 1.1, "int4": 0.7}

# Limits of a generation.
MAX_TEMPERATURE = 100
MAX_REPETITION_PENALTY = 100
MAX_NO_REPEAT_NGRAM_SIZE = 1000
MAX_STOP = 64
MAX_LOGPROBS = 20
MAX_SEED = 9007199254740991
MAX_SWEEP_VALUES = 100

# Marks of a turn of the user in the chat templates of model families; a newline stands for the rest of the line.
USER_TURN_BEGINS = (
    "<|start_header_id|>user<|end_header_id|>",
    "<|header_start|>user<|header_end|>",
    "<|im_start|>user<|im_sep|>",
    "<|im_start|>user\n",
    "<|im_user|>user<|im_middle|>",
    "<start_of_turn>user\n",
    "<|start_of_role|>user<|end_of_role|>",
    "<|start|>user<|message|>",
    "[|user|]",
    "<|user|>",
    "<｜User｜>",
    "[INST]",
    "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>",
)
USER_TURN_ENDS = (
    "<|eot_id|>",
    "<|end_of_text|>",
    "<|start_header_id|>",
    "<|eot|>",
    "<|header_start|>",
    "<|im_end|>",
    "<|im_start|>",
    "<|im_assistant|>",
    "<end_of_turn>",
    "<start_of_turn>",
    "<|start_of_role|>",
    "<|end|>",
    "<|start|>",
    "[|endofturn|]",
    "[|assistant|]",
    "</s>",
    "<|assistant|>",
    "<|endoftext|>",
    "<｜Assistant｜>",
    "<｜end▁of▁sentence｜>",
    "[/INST]",
    "<|END_OF_TURN_TOKEN|>",
)
USER_TURN_SYSTEMS = [("<<SYS>>", "<</SYS>>")]
# Templates in words alone: by how a role stands in them, the roles that begin the user's turn and those that end it.
WORDED_TEMPLATES = {
    "heading": (["Instruction", "User", "Human"], ["Response", "Assistant", "Input"]),
    "line": (["User", "Human", "Instruct"], ["Assistant", "AI", "Output"]),
    "inline": (["USER"], ["ASSISTANT"]),
}


@dataclass(frozen=True)
class Number:
    """Values from `low` to `high`."""

    low: float
    high: float
    allowed: str
    whole: bool = False
    power_of_two: bool = False


@dataclass(frozen=True)
class Choice:
    of: tuple[str, ...]
    allowed: str


@dataclass(frozen=True)
class Flag:
    allowed: str


TAKES: dict[str, Number | Choice | Flag] = {
    "learning_rate": Number(
        1e-8,
        1,
        "a number from 1e-8 to 1",
    ),
    "max_steps": Number(
        1,
        10000000,
        "a whole number from 1 to 10000000",
        whole=True,
    ),
    "r_value": Number(
        1,
        512,
        "a whole number from 1 to 512",
        whole=True,
    ),
    "lora_alpha": Number(
        0.001,
        1000000,
        "a number from 0.001 to 1000000",
    ),
    "num_train_epochs": Number(
        0.000001,
        10000000,
        "a number from 0.000001 to 10000000",
    ),
    "max_length": Number(
        16,
        8192,
        "a power of two from 16 to 8192",
        whole=True,
        power_of_two=True,
    ),
    "max_finetuning_examples": Number(
        1,
        1000000000,
        "a whole number from 1 to 1000000000",
        whole=True,
    ),
    "index_max_size": Number(
        1,
        1000000000,
        "a whole number from 1 to 1000000000",
        whole=True,
    ),
    "index_k": Number(
        1,
        1000,
        "a whole number from 1 to 1000",
        whole=True,
    ),
    "index_method": Choice(
        (
            "IndexIVFPQ",
            "IndexHNSWPQ",
            "IndexHNSWFlat",
            "IndexFlatL2",
            "IndexPQ",
        ),
        "one of IndexIVFPQ, IndexHNSWPQ, IndexHNSWFlat, IndexFlatL2, IndexPQ",
    ),
    "index_ivf_nlist": Number(
        1,
        10000000,
        "a whole number from 1 to 10000000",
        whole=True,
    ),
    "index_ivf_nprobe": Number(
        1,
        10000000,
        "a whole number from 1 to 10000000",
        whole=True,
    ),
    "index_pq_m": Number(
        1,
        384,
        "a whole number from 1 to 384",
        whole=True,
    ),
    "index_pq_nbits": Number(
        1,
        16,
        "a whole number from 1 to 16",
        whole=True,
    ),
    "index_hnsw_m": Number(
        2,
        512,
        "a whole number from 2 to 512",
        whole=True,
    ),
    "index_hnsw_efConstruction": Number(
        1,
        100000,
        "a whole number from 1 to 100000",
        whole=True,
    ),
    "index_hnsw_efSearch": Number(
        1,
        100000,
        "a whole number from 1 to 100000",
        whole=True,
    ),
    "facts_per_expert": Number(
        1,
        1024,
        "a whole number from 1 to 1024",
        whole=True,
    ),
    "gradient_accumulation_steps": Number(
        1,
        1000000,
        "a whole number from 1 to 1000000",
        whole=True,
    ),
    "batch_size": Number(
        1,
        1000000,
        "a whole number from 1 to 1000000",
        whole=True,
    ),
    "save_steps": Number(
        1,
        1000000000,
        "a whole number from 1 to 1000000000",
        whole=True,
    ),
    "optim": Choice(
        (
            "adam",
            "adamw",
            "adamw_hf",
            "adamw_torch",
            "adamw_torch_fused",
            "adamw_torch_xla",
            "adamw_torch_npu_fused",
            "adamw_apex_fused",
            "adamw_anyprecision",
            "adamw_torch_4bit",
            "adamw_torch_8bit",
            "adamw_bnb_8bit",
            "adamw_8bit",
            "paged_adamw",
            "paged_adamw_8bit",
            "paged_adamw_32bit",
            "ademamix",
            "ademamix_8bit",
            "adafactor",
            "adagrad",
            "lion",
            "lion_8bit",
            "lion_32bit",
            "paged_lion",
            "paged_lion_8bit",
            "paged_lion_32bit",
            "rmsprop",
            "sgd",
        ),
        "one of adam, adamw, adamw_hf, adamw_torch, adamw_torch_fused, adamw_torch_xla, adamw_torch_npu_fused, adamw_apex_fused, adamw_anyprecision, adamw_torch_4bit, adamw_torch_8bit, adamw_bnb_8bit, adamw_8bit, paged_adamw, paged_adamw_8bit, paged_adamw_32bit, ademamix, ademamix_8bit, adafactor, adagrad, lion, lion_8bit, lion_32bit, paged_lion, paged_lion_8bit, paged_lion_32bit, rmsprop, sgd",
    ),
    "early_stopping": Flag("true or false"),
}

# Arguments without effect, each with the reason.
IDLE = {
    "index_k": "one expert answers",
    "gradient_accumulation_steps": "a step sees all facts of its expert",
    "batch_size": "a step sees all facts of its expert",
    "save_steps": "every finished wave of experts is a checkpoint",
    "optim": "experts are trained with Adam",
    "early_stopping": "every expert stops when its facts are recalled",
}
# Of these, the value that says what is done anyhow.
UNLESS = {
    "index_k": 1,
    "gradient_accumulation_steps": 1,
    "batch_size": 1,
}


@dataclass(frozen=True)
class ArgumentValues:
    """The arguments that a model is kept with, and their defaults. None: decided by the engine."""

    learning_rate: float = 0.0003
    max_steps: int = 400
    r_value: int | None = None
    lora_alpha: float | None = None
    num_train_epochs: float | None = None
    max_length: int = 2048
    max_finetuning_examples: int | None = None
    index_max_size: int = 65536
    index_k: int = 2
    index_method: str = "IndexIVFPQ"
    index_ivf_nlist: int = 2048
    index_ivf_nprobe: int = 48
    index_pq_m: int = 8
    index_pq_nbits: int = 8
    index_hnsw_m: int = 32
    index_hnsw_efConstruction: int = 16
    index_hnsw_efSearch: int = 8
    facts_per_expert: int = 4
    gradient_accumulation_steps: int = 1
    batch_size: int | None = None
