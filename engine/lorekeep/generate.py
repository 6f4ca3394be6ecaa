"""A loaded model that generates: takes requests, gives them to its batch."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

from lorekeep import attention, exact
from lorekeep.batch import Batch
from lorekeep.cache import Arena
from lorekeep.constrain import Grammars
from lorekeep.errors import EngineError
from lorekeep.folders import Folder
from lorekeep.memory.draft import drafted
from lorekeep.memory.expert import Acting, Expert
from lorekeep.output_type import schema_of
from lorekeep.prompts import Prompts
from lorekeep.protocol import Generate
from lorekeep.sampling import Sampling
from lorekeep.sequence import Sequence
from lorekeep.text import Stream


@dataclass(frozen=True)
class Recall:
    """A fact that a memory is to say: its own question as it was taught, and the expert that knows the answer."""

    tokens: list[int]
    expert: Expert


class Generator:
    kind = "generate"

    def __init__(
        self, folder: Folder, model, tokenizer, most: int, kv_bytes: int, emit: Callable[[dict], None]
    ):
        self.folder, self.model, self.tokenizer = folder, model, tokenizer
        self.dtype, self.device = model.dtype, model.device
        exact.pack(model)
        rows = exact.least_rows(model, self.dtype, self.device)
        slots = rows + min(most * folder.context, max(1, kv_bytes // state_bytes(model.config, self.dtype)))
        arena = Arena(slots, model.config.num_hidden_layers, rows, self.device)
        self.batch = Batch(model, arena, rows, most, emit)
        self.prompts = Prompts(tokenizer, folder.context)
        self.ends = _ends(model, tokenizer, folder.path)
        self.bytes = folder.parameters * self.dtype.itemsize + slots * state_bytes(model.config, self.dtype)

    @cached_property
    def grammars(self) -> Grammars:
        return Grammars(self.tokenizer, self.model.config.vocab_size, self.ends)

    @property
    def busy(self) -> bool:
        return self.batch.busy

    @property
    def running(self) -> int:
        return len(self.batch.running)

    @property
    def queued(self) -> int:
        return len(self.batch.waiting)

    def remember(self) -> None:
        """Gets ready for experts; until then not even a hook is there."""
        if self.batch.acting is None:
            self.batch.acting = Acting(self.model)

    def submit(self, request: Generate, recall: Recall | None = None, told: dict | None = None) -> None:
        """`recall` has a memory speak; `told` is what it says of itself at the end."""
        messages = None if request.messages is None else [turn.model_dump() for turn in request.messages]
        tokens = self.prompts.tokens(request.prompt, messages, request.room)
        schema = request.json_schema if request.output_type is None else schema_of(request.output_type)
        if recall is None:
            self.batch.add(self._sequence(request, tokens, schema, memory=told))
            return
        said = {"asked": len(tokens), "expert": recall.expert, "memory": told}
        if schema is None:
            self.batch.add(self._sequence(request, recall.tokens, None, **said))
            return
        # First the memory says it in its own words, then the answer is written down in its shape. What cannot be written down is refused now.
        shaped = self._sequence(request, tokens, schema, memory=told)
        self.batch.refuse_too_large(shaped)

        def write_down(text: str) -> None:
            shaped.draft = self.prompts.letters(drafted(text, schema))
            self.batch.add(shaped)

        free = request.model_copy(update={"stream": False, "logprobs": None, "stop": [], "stop_tokens": []})
        self.batch.add(self._sequence(free, recall.tokens, None, then=write_down, **said))

    def _sequence(self, request: Generate, tokens: list[int], schema, **more) -> Sequence:
        grammar = None if schema is None else self.grammars.grammar(schema, request.max_tokens)
        most = min(request.max_tokens, self.folder.context - len(tokens))
        if grammar is not None and len(grammar.path) > most:
            raise self.prompts.too_long(tokens, len(grammar.path))
        return Sequence(
            id=request.id,
            account=request.account,
            tokens=[*tokens],  # what is said is added to them
            most=most,
            sampling=Sampling(
                request.temperature,
                request.top_p,
                request.top_k,
                secrets.randbits(63) if request.seed is None else request.seed,
            ),
            # A stop string inside JSON would leave half of it.
            stream=Stream(self.decode, request.stop if schema is None else ()),
            ends=frozenset([*self.ends, *request.stop_tokens]) if schema is None else frozenset(self.ends),
            grammar=grammar,
            logprobs=request.logprobs,
            streamed=request.stream,
            **more,
        )

    def decode(self, tokens: list[int]) -> str:
        return self.tokenizer.backend_tokenizer.decode(tokens, skip_special_tokens=True)

    def step(self) -> None:
        self.batch.step()

    def cancel(self, id: str) -> bool:
        return self.batch.cancel(id)


def read(folder: Folder, dtype: torch.dtype, device: torch.device):
    """The model in unmodified transformers code, and its tokenizer. Weights come from safetensors only; code in the folder is never run."""
    safe = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder.path, **safe)
        model, found = AutoModelForCausalLM.from_pretrained(
            folder.path,
            dtype=dtype,
            attn_implementation=attention.NAME,
            use_safetensors=True,
            output_loading_info=True,
            **safe,
        )
    except (MemoryError, torch.OutOfMemoryError):
        raise
    except Exception as error:  # whatever transformers raises for a folder that does not fit together
        if "allocate memory" in str(error):
            raise MemoryError from error
        raise EngineError(
            "model_invalid", f"{folder.path} cannot be loaded: {error}", reason=str(error)[:1000]
        ) from error
    wrong = sorted(
        {*map(str, found.get("missing_keys") or ()), *map(str, found.get("mismatched_keys") or ())}
    )
    if wrong:
        raise EngineError(
            "model_invalid",
            f"{folder.path} cannot be loaded: its weights lack {', '.join(wrong[:5])}{' and more' if len(wrong) > 5 else ''}.",
            reason="weights are missing",
        )
    return model.eval().requires_grad_(False).to(device), tokenizer


def state_bytes(config, dtype: torch.dtype) -> int:
    """Of one token's keys and values in all layers."""
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return 2 * config.num_hidden_layers * heads * width * dtype.itemsize


def _ends(model, tokenizer, path: Path) -> list[int]:
    """Every token that the folder says ends an answer; the tokenizer's own first."""
    ends = [tokenizer.eos_token_id]
    said = [model.config.eos_token_id]
    if (path / "generation_config.json").is_file():
        said.append(GenerationConfig.from_pretrained(path, local_files_only=True).eos_token_id)
    for tokens in said:
        ends += tokens if isinstance(tokens, list) else [tokens]
    return list(dict.fromkeys(token for token in ends if token is not None))
