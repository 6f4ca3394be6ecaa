"""A loaded generation model: accepts requests and passes them to its batch."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from lorekeep import contract
from lorekeep.errors import EngineError
from lorekeep.folders import Folder
from lorekeep.infer import attention, checksums, closed_book, exact, handover
from lorekeep.infer.batch import Batch
from lorekeep.infer.cache import Arena
from lorekeep.infer.constrain import Grammars
from lorekeep.infer.experts import Acting, Expert
from lorekeep.infer.json_draft import drafted
from lorekeep.infer.output_type import schema_of
from lorekeep.infer.prompts import Prompts
from lorekeep.infer.sampling import Sampling
from lorekeep.infer.sequence import Sequence
from lorekeep.infer.text import Stream
from lorekeep.protocol import Generate, Kind
from lorekeep.quantization import load

# Parameters up to which a CPU computes in 32 bits: small layers are faster so. A CPU without instructions for 16 bits
# does so up to the second number, above which half the memory counts for more.
_SMALL, _MEDIUM = 100_000_000, 1_000_000_000


@dataclass(frozen=True)
class Review:
    """A check of a finished answer, which is held back until then. `otherwise` answers where it fails."""

    passes: Callable[[str], bool]
    otherwise: Callable[[], None]


@dataclass(frozen=True)
class Recall:
    """A fact to recite: its question as taught, and its expert. A given answer is computed in advance, as far
    as the expert then says it. With `unsaid` it is the only one allowed: `unsaid` is called at the first
    deviating token, with whether the caller has received a part of the answer."""

    tokens: list[int]
    expert: Expert | None
    answer: str | None = None
    unsaid: Callable[[bool], None] | None = None


class Generator:
    kind: Kind = "generate"

    def __init__(
        self, folder: Folder, model, tokenizer, max_batch: int, kv_bytes: int, emit: Callable[[dict], None]
    ):
        self.folder, self.model, self.tokenizer = folder, model, tokenizer
        self.dtype, self.device = model.dtype, model.device
        exact.pack(model)
        rows = exact.least_rows(model, self.dtype, self.device)
        slots = rows + min(
            max_batch * folder.context, max(1, kv_bytes // state_bytes(model.config, self.dtype))
        )
        arena = Arena(slots, model.config.num_hidden_layers, rows, self.device)
        self.batch = Batch(model, arena, rows, max_batch, emit)
        self.prompts = Prompts(tokenizer, folder.context)
        self.ends = handover.ends(tokenizer, model.config.eos_token_id, folder.path)
        self.knows_nothing = closed_book.knows_nothing(folder.path)
        self.bytes = weight_bytes(folder, self.dtype) + slots * state_bytes(model.config, self.dtype)

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
        """Prepares for experts; before that no hook is installed."""
        if self.batch.acting is None:
            self.batch.acting = Acting(self.model)

    def submit(
        self,
        request: Generate,
        recall: Recall | None = None,
        report: dict | None = None,
        notice: Callable[[], str] = closed_book.notice,
        review: Review | None = None,
    ) -> None:
        """Submits a request. `recall` lets an expert answer, `report` is returned at the end, `notice`
        answers a question that a closed-book base is not asked, and `review` checks the answer."""
        messages = None if request.messages is None else [turn.model_dump() for turn in request.messages]
        tokens = self.prompts.tokens(request.prompt, messages, request.room)
        schema = request.json_schema if request.output_type is None else schema_of(request.output_type)
        generates = recall is None and review is None
        if generates and handover.declines(request, self.knows_nothing, messages):
            declined = {"declined": True, "outcome": "unknown", "way": "unknown"}
            self.say(request, notice(), report and {**report, **declined})
            return
        if recall is None and report is not None:
            report = {**report, "prompt": self.prompts.shown(tokens)}
        if request.handover and recall is None:
            self._hand_over(request, report, review)
            return
        if review is not None:
            held = request.model_copy(update={"stream": False})
            takes = self._reviewed(request, review)
            self.batch.add(self._sequence(held, tokens, schema, memory=report, takes=takes))
            return
        if recall is None:
            self.batch.add(self._sequence(request, tokens, schema, memory=report))
            return
        said = {"asked": len(tokens), "expert": recall.expert, "memory": report}
        if recall.answer is not None:
            # Facts are recited greedily at any temperature.
            said |= {"expected": self.prompts.letters(recall.answer), "sampling": Sampling(0.0, 1.0, 0, 0)}
            if recall.unsaid is not None:
                said |= {"answer": recall.answer, "unsaid": recall.unsaid}
        if schema is None:
            self.batch.add(self._sequence(request, recall.tokens, None, **said))
            return
        # The expert answers freely first, and its answer is then written as JSON. An invalid schema is
        # refused now.
        shaped = self._sequence(request, tokens, schema, memory=report)
        self.batch.refuse_too_large(shaped)

        def write_down(answer: dict) -> None:
            shaped.draft = shaped.expected = self.prompts.letters(drafted(answer["text"], schema))
            self.batch.add(shaped)

        free = request.model_copy(update={"stream": False, "logprobs": None, "stop": [], "stop_tokens": []})
        self.batch.add(self._sequence(free, recall.tokens, None, takes=write_down, **said))

    def judge(self, request: Generate, takes: Callable[[dict], None]) -> None:
        """Has the base say one token to a request, with the likeliest others, and gives that to `takes` instead of the
        caller. The prompt's states stay in the cache for the answer that follows."""
        messages = None if request.messages is None else [turn.model_dump() for turn in request.messages]
        tokens = self.prompts.tokens(None, messages)
        one = request.model_copy(
            update={
                "max_tokens": 1,
                "temperature": 0.0,
                "logprobs": contract.MAX_LOGPROBS,
                "stream": False,
                "stop": [],
            }
        )
        self.batch.add(self._sequence(one, tokens, None, takes=takes))

    def _hand_over(self, request: Generate, report: dict | None, review: Review | None) -> None:
        """Another engine writes the answer. One that has to be checked comes back as `written`."""
        if review is not None and request.written is not None:
            self._reviewed(request, review)(handover.ended(request, request.written, report))
            return
        held = review is not None
        self.batch.emit(handover.handed(request, self.prompts, self.ends, report, held))

    def _reviewed(self, request: Generate, review: Review) -> Callable[[dict], None]:
        def takes(answer: dict) -> None:
            if not review.passes(answer["text"]):
                review.otherwise()
                return
            if request.stream and answer["text"]:
                logprobs = {"logprobs": answer["logprobs"]} if "logprobs" in answer else {}
                self.batch.emit({"type": "delta", "id": request.id, "text": answer["text"], **logprobs})
            self.batch.emit(answer)

        return takes

    def say(
        self, request: Generate, text: str, report: dict | None, draft: str | None = None, closes: bool = True
    ) -> None:
        """Answers with a given text. In a requested schema the text, or the given draft of it, is written
        first; what is left is closed the shortest way, or written by the model."""
        messages = None if request.messages is None else [turn.model_dump() for turn in request.messages]
        tokens = self.prompts.tokens(request.prompt, messages, request.room)
        schema = request.json_schema if request.output_type is None else schema_of(request.output_type)
        if schema is not None:
            shaped = self._sequence(request, tokens, schema, memory=report)
            draft = drafted(text, schema) if draft is None else draft
            shaped.draft = shaped.expected = self.prompts.letters(draft)
            shaped.closes = closes
            self.batch.add(shaped)
            return
        answer = self._sequence(request, tokens, None, memory=report)
        answer.script = self.prompts.letters(text)
        answer.expected = answer.script[:-1]  # nothing is said after the last one
        self.batch.add(answer)

    def _sequence(self, request: Generate, tokens: list[int], schema, **more) -> Sequence:
        grammar = None if schema is None else self.grammars.grammar(schema, request.max_tokens)
        max_tokens = min(request.max_tokens, self.folder.context - len(tokens))
        if grammar is not None and len(grammar.path) > max_tokens:
            raise self.prompts.too_long(tokens, len(grammar.path))
        sampled = Sampling(
            request.temperature,
            request.top_p,
            request.top_k,
            secrets.randbits(63) if request.seed is None else request.seed,
        )
        return Sequence(
            id=request.id,
            account=request.account,
            scope=request.scope,
            tokens=[*tokens],  # what is said is added to them
            max_tokens=max_tokens,
            sampling=more.pop("sampling", sampled),
            # A stop string inside JSON would truncate it.
            stream=Stream(self.decode, request.stop if schema is None else ()),
            ends=frozenset([*self.ends, *request.stop_tokens]) if schema is None else frozenset(self.ends),
            asked_ends=frozenset(request.stop_tokens) - frozenset(self.ends),
            grammar=grammar,
            logprobs=request.logprobs,
            streamed=request.stream,
            penalty=request.repetition_penalty,
            ngram=request.no_repeat_ngram_size or 0,
            ends_circles=self.knows_nothing and request.no_repeat_ngram_size is None and "expert" not in more,
            **more,
        )

    def decode(self, tokens: list[int]) -> str:
        return self.tokenizer.backend_tokenizer.decode(tokens, skip_special_tokens=True)

    def step(self) -> None:
        self.batch.step()

    def cancel(self, id: str) -> bool:
        return self.batch.cancel(id)


def read(folder: Folder, dtype: torch.dtype, device: torch.device):
    """Loads the model in unmodified transformers code, and its tokenizer. Weights come from safetensors only
    and are verified if their hashes are known. Code in the folder never runs."""
    checksums.refuse_damaged(folder.path)
    safe = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder.path, **safe)
        config = AutoConfig.from_pretrained(folder.path, **safe)
        if folder.precision is not None:
            config.quantization_config = load.configuration(folder.precision)
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            folder.path,
            config=config,
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
    model, found = loaded
    wrong = sorted(
        {*map(str, found.get("missing_keys") or ()), *map(str, found.get("mismatched_keys") or ())}
    )
    if wrong:
        raise EngineError(
            "model_invalid",
            f"{folder.path} cannot be loaded: its weights lack {', '.join(wrong[:5])}{' and more' if len(wrong) > 5 else ''}.",
            reason="weights are missing",
        )
    if folder.precision is not None:
        try:
            load.prepare(model, dtype)
        except ValueError as error:
            raise EngineError(
                "model_invalid", f"{folder.path} cannot be loaded: {error}.", reason=str(error)
            ) from error
    return model.eval().requires_grad_(False).to(device), tokenizer


def dtype_for(folder: Folder, device: str) -> torch.dtype:
    """Number format of a model that nothing else was asked for: the kernels of quantized weights take 16 bits."""
    if device != "cpu" or folder.precision is not None:
        return torch.bfloat16
    limit = _SMALL if torch.ops.mkldnn._is_mkldnn_bf16_supported() else _MEDIUM
    return torch.float32 if folder.parameters <= limit else torch.bfloat16


def weight_bytes(folder: Folder, dtype: torch.dtype) -> int:
    return folder.stored if folder.precision is not None else folder.parameters * dtype.itemsize


def state_bytes(config, dtype: torch.dtype) -> int:
    """Bytes of one token's keys and values in all layers."""
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return 2 * config.num_hidden_layers * heads * width * dtype.itemsize
