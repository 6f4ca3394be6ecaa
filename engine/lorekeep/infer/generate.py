"""A loaded generation model: accepts requests and passes them to its batch."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from lorekeep import contract
from lorekeep.folders import Folder
from lorekeep.infer import closed_book, handover
from lorekeep.infer.batch import Batch
from lorekeep.infer.cache import Arena
from lorekeep.infer.constrain import Grammars
from lorekeep.infer.experts import Expert, ExpertHooks
from lorekeep.infer.output_type import requested_schema
from lorekeep.infer.prompts import Prompts
from lorekeep.infer.sampling import Sampling
from lorekeep.infer.schemas.document import refusal
from lorekeep.infer.sequence import Sequence
from lorekeep.infer.text import Stream
from lorekeep.infer.weights import reading
from lorekeep.protocol import Generate, Kind


@dataclass(frozen=True)
class Review:
    """A check of a finished answer, which is held back until then. `otherwise` answers if the check fails."""

    passes: Callable[[str], bool]
    otherwise: Callable[[], None]


@dataclass(frozen=True)
class Recall:
    """A fact to recite: its taught question and its expert. A given answer is used as a draft (speculative decoding), as
    far as the expert agrees. With `unsaid` it is the only answer allowed: `unsaid` is called at the first deviating
    token, with whether the caller has received a part of the answer. `draft` is the answer in a requested schema."""

    tokens: list[int]
    expert: Expert | None
    answer: str | None = None
    unsaid: Callable[[bool], None] | None = None
    draft: str | None = None


class Generator:
    kind: Kind = "generate"

    def __init__(
        self, folder: Folder, model, tokenizer, max_batch: int, kv_bytes: int, emit: Callable[[dict], None]
    ):
        self.folder, self.model, self.tokenizer = folder, model, tokenizer
        self.dtype, self.device = model.dtype, model.device
        rows, self.leading = reading.ready(model)
        if self.device.type == "cuda":
            # Every decoding step then has the same size and uses one graph.
            rows = replace(rows, least=rows.padded(max_batch))
        slots = rows.least + min(
            max_batch * folder.context, max(1, kv_bytes // reading.state_bytes(model.config, self.dtype))
        )
        arena = Arena(slots, model.config.num_hidden_layers, rows.least, self.device)
        self.batch = Batch(model, arena, rows, max_batch, emit, self.leading)
        self.prompts = Prompts(tokenizer, folder.context)
        self.ends = handover.end_tokens(tokenizer, model.config.eos_token_id, folder.path)
        self.knows_nothing = closed_book.knows_nothing(folder.path)
        self.bytes = reading.weight_bytes(folder, self.dtype) + slots * reading.state_bytes(
            model.config, self.dtype
        )

    @cached_property
    def grammars(self) -> Grammars:
        return Grammars.of_model(self.tokenizer, self.model.config.vocab_size, self.ends)

    @property
    def busy(self) -> bool:
        return self.batch.busy

    @property
    def running(self) -> int:
        return len(self.batch.running)

    @property
    def queued(self) -> int:
        return len(self.batch.waiting)

    def install_expert_hooks(self) -> None:
        """Prepares for experts; before that no hook is installed."""
        if self.batch.acting is None:
            self.batch.acting = ExpertHooks(self.model)

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
        schema = requested_schema(request)
        generates = recall is None and review is None
        if generates and handover.declines(request, self.knows_nothing, messages):
            declined = {"declined": True, "outcome": "unknown", "way": "unknown"}
            self.answer_with(request, notice(), report and {**report, **declined})
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
            said |= {
                "expected": self.prompts.text_tokens(recall.answer),
                "sampling": Sampling(0.0, 1.0, 0, 0),
            }
            if recall.unsaid is not None:
                said |= {"answer": recall.answer, "unsaid": recall.unsaid}
        if schema is None:
            self.batch.add(self._sequence(request, recall.tokens, None, **said))
            return
        # The expert answers freely first, and its answer is then written as JSON. An invalid schema is
        # refused now.
        shaped = self._sequence(request, tokens, schema, memory=report)
        shaped.draft = shaped.expected = self.prompts.text_tokens(recall.draft or "")
        self.batch.refuse_too_large(shaped)

        def write_down(_: dict) -> None:
            self.batch.add(shaped)

        free = request.model_copy(update={"stream": False, "logprobs": None, "stop": [], "stop_tokens": []})
        self.batch.add(self._sequence(free, recall.tokens, None, takes=write_down, **said))

    def check_schema(self, request: Generate) -> None:
        """Refuses a request whose schema is impossible or too long, before any work is done for its answer."""
        if (schema := requested_schema(request)) is not None:
            self.grammars.grammar(schema, request.max_tokens)

    def judge(self, request: Generate, takes: Callable[[dict], None]) -> None:
        """Generates one token with its most likely alternatives and passes it to `takes` instead of the caller. The prompt's
        states stay in the cache for the answer that follows."""
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
        self.batch.add(self._sequence(one, tokens, None, takes=takes, token_bytes=None))

    def _hand_over(self, request: Generate, report: dict | None, review: Review | None) -> None:
        """Hands the request over to another engine. An answer that has to be checked comes back as `written`."""
        if review is not None and request.written is not None:
            self._reviewed(request, review)(handover.text_end(request, request.written, report))
            return
        held = review is not None
        self.batch.emit(handover.handover_end(request, self.prompts, self.ends, report, held))

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

    def answer_with(
        self, request: Generate, text: str, report: dict | None, draft: str | None = None
    ) -> None:
        """Answers with a given text, or in a requested schema with its draft. Without a draft the text is the reason why there is no
        answer."""
        messages = None if request.messages is None else [turn.model_dump() for turn in request.messages]
        tokens = self.prompts.tokens(request.prompt, messages, request.room)
        schema = requested_schema(request)
        if schema is not None:
            shaped = self._sequence(request, tokens, schema, memory=report)
            draft = refusal(schema, text) if draft is None else draft
            shaped.draft = shaped.expected = self.prompts.text_tokens(draft)
            self.batch.add(shaped)
            return
        answer = self._sequence(request, tokens, None, memory=report)
        answer.script = self.prompts.text_tokens(text)
        answer.expected = answer.script[:-1]  # no token follows the last one
        self.batch.add(answer)

    def _sequence(self, request: Generate, tokens: list[int], schema, **more) -> Sequence:
        grammar = None if schema is None else self.grammars.grammar(schema, request.max_tokens)
        max_tokens = min(request.max_tokens, self.folder.context - len(tokens))
        if grammar is not None and len(grammar.path) > max_tokens:
            raise self.prompts.too_long(tokens, len(grammar.path), shortest=len(grammar.path))
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
            tokens=[*tokens],  # the answer is appended
            max_tokens=max_tokens,
            sampling=more.pop("sampling", sampled),
            # A stop string inside JSON would truncate it.
            stream=Stream(self.decode, request.stop if schema is None else ()),
            ends=frozenset([*self.ends, *request.stop_tokens]) if schema is None else frozenset(self.ends),
            asked_ends=frozenset(request.stop_tokens) - frozenset(self.ends),
            grammar=grammar,
            logprobs=request.logprobs,
            token_bytes=more.pop("token_bytes", self.token_bytes),
            streamed=request.stream,
            penalty=request.repetition_penalty,
            ngram=request.no_repeat_ngram_size or 0,
            ends_circles=self.knows_nothing and request.no_repeat_ngram_size is None and "expert" not in more,
            **more,
        )

    def decode(self, tokens: list[int]) -> str:
        return self.tokenizer.backend_tokenizer.decode(tokens, skip_special_tokens=True)

    def token_bytes(self, token: int) -> bytes:
        return self.grammars.bytes[token]

    def step(self) -> None:
        self.batch.step()

    def cancel(self, id: str) -> bool:
        return self.batch.cancel(id)
