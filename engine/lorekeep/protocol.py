"""Messages between server and engine, one JSON object per line. engine/protocol/examples.json holds examples
of each; both sides test their types against it. Unknown fields are refused, so that a misspelt field is
noticed."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from lorekeep import contract

Id = Annotated[str, Field(min_length=1, max_length=200)]
Kind = contract.ModelKind
Stage = contract.LoadStage


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Turn(_Message):
    role: Literal["system", "user", "assistant", "tool"]
    content: str


# Requests: server to engine.


class Load(_Message):
    """Load a model now. Answers: `progress` as it goes, then `loaded`."""

    type: Literal["load"]
    id: Id
    model: str
    kind: Kind = "generate"
    base: str | None = None  # current folder of a tuned model's base (default: its folder when it was tuned)


class Generate(_Message):
    """Generate from a prompt. Answers: `delta` when streamed, then `end`."""

    type: Literal["generate"]
    id: Id
    model: str
    base: str | None = None  # as in Load
    prompt: str | None = None
    messages: Annotated[list[Turn], Field(min_length=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] = 256
    room: Annotated[int, Field(ge=1)] = 1  # tokens of the context that the prompt must leave for the answer
    temperature: Annotated[float, Field(ge=0, le=contract.MAX_TEMPERATURE, allow_inf_nan=False)] = (
        0.0  # 0: greedy
    )
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    top_k: Annotated[int, Field(ge=0)] = 0  # 0: all
    repetition_penalty: Annotated[
        float, Field(gt=0, le=contract.MAX_REPETITION_PENALTY, allow_inf_nan=False)
    ] = 1.0  # penalty on earlier tokens
    no_repeat_ngram_size: Annotated[int, Field(ge=0, le=contract.MAX_NO_REPEAT_NGRAM_SIZE)] | None = (
        None  # 0: none; by default a closed-book base ends a looping answer
    )
    seed: Annotated[int, Field(ge=0, le=contract.MAX_SEED)] | None = None
    stop: Annotated[list[Annotated[str, Field(min_length=1)]], Field(max_length=contract.MAX_STOP)] = []
    stop_tokens: list[int] = []
    output_type: dict[str, Any] | None = None
    json_schema: dict[str, Any] | bool | None = None
    logprobs: Annotated[int, Field(ge=0, le=contract.MAX_LOGPROBS)] | None = (
        None  # number of alternatives to return for every token
    )
    account: str = ""  # account for the fair queue
    scope: str = ""  # scope of caches, which are not shared between scopes
    gate: contract.Gate | None = None  # gate of a tuned model (default: the model's own setting)
    answer_from: contract.AnswerFrom | None = None  # allowed sources of a tuned model
    unknown: contract.Unknown | None = None  # reaction of a tuned model if its facts do not answer
    unknown_answer: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    as_of: Annotated[int, Field(ge=-(10**15), le=10**15)] | None = (
        None  # time at which facts have to be valid, in milliseconds since 1970 (default: now)
    )
    defer: bool = False  # a tuned model ends without an answer if no fact answers, or not all of the question
    searched: bool = False  # the other source of a deferred request does not answer either
    handover: bool = (
        False  # an upstream engine replaces the base: instead of the base's text, `end` has `handed`
    )
    written: str | None = None  # the answer of a request that was handed over as `held`
    explain: bool = False  # `end` says how a tuned model answered, and from which facts
    stream: bool = False
    wait: bool = (
        True  # false: answer model_loading at once if the model is not loaded yet (it is loaded anyway)
    )

    @model_validator(mode="after")
    def _one_of_each(self):
        if (self.prompt is None) == (self.messages is None):
            raise ValueError("give either prompt or messages")
        if self.output_type is not None and self.json_schema is not None:
            raise ValueError("give output_type or json_schema, not both")
        return self


class Embed(_Message):
    """Embed texts, in their order. Answer: `vectors`."""

    type: Literal["embed"]
    id: Id
    model: str
    texts: list[str]
    account: str = ""
    too_long: Literal["truncate", "refuse"] = (
        "truncate"  # reaction to texts above the model's limit; truncated ones are reported
    )
    wait: bool = True


class Cancel(_Message):
    """Cancel the request `id`. A generation then answers `end` with finish_reason cancelled, an embedding the error
    cancelled; a finished request answers nothing."""

    type: Literal["cancel"]
    id: Id


class Unload(_Message):
    """Free a model's memory once its requests are done. Answer: `status`."""

    type: Literal["unload"]
    id: Id
    model: str


class AskStatus(_Message):
    type: Literal["status"]
    id: Id


class Ping(_Message):
    """Heartbeat. Answer: `pong`, at once, whatever the process computes."""

    type: Literal["ping"]
    id: Id


Request = Annotated[Load | Generate | Embed | Cancel | Unload | AskStatus | Ping, Field(discriminator="type")]

# Answers: engine to server.


class Hello(_Message):
    """The first line of a started engine."""

    type: Literal["hello"] = "hello"
    protocol: int
    pid: int
    device: str
    gpus: int  # number of visible GPUs; 0 if it computes on the CPU
    embedder: str | None  # folder of all-MiniLM-L6-v2, if it is installed with the engine


class Progress(_Message):
    """A model is being loaded: `done` of `total` steps of the stage. Sent to all requests that wait for the model."""

    type: Literal["progress"] = "progress"
    id: Id
    model: str
    stage: Stage
    done: int
    total: int


class Loaded(_Message):
    type: Literal["loaded"] = "loaded"
    id: Id
    model: str
    kind: Kind
    family: str
    context: int
    parameters: int
    bytes: int
    dtype: str
    chat: bool  # has a chat template


class Alternative(_Message):
    token: str
    bytes: list[int]  # of the token, which may be a part of a character
    token_id: int
    logprob: float


class TokenLogprob(Alternative):
    top: list[Alternative] = []


class Delta(_Message):
    type: Literal["delta"] = "delta"
    id: Id
    text: str
    logprobs: list[TokenLogprob] | None = None


class Usage(_Message):
    prompt_tokens: int
    cached_tokens: int  # prompt tokens whose states were cached from an earlier prompt
    completion_tokens: int


class UsedSource(_Message):
    kind: Literal["dataset", "document", "person", "feedback"]
    name: str | None = None
    page: int | None = None
    row: int | None = None
    quote: str | None = None


class UsedFact(_Message):
    input: str
    similarity: float
    dataset_id: str | None
    row: int
    valid_from: str | None = None
    valid_until: str | None = None
    source: UsedSource | None = None


class UsedMemory(_Message):
    used: bool  # false: the answer uses no fact; `facts` then holds the nearest one, if any
    outcome: contract.Outcome
    way: str  # how the fact was found: exact, name, meaning, follow-up, two in one, hops, ...
    reason: str  # for people
    facts: list[UsedFact]
    declined: bool = False  # no answer: the closed-book base declined
    prompt: str = ""  # rendered prompt of the base, without the middle of a long one
    deferred: bool = False  # no fact answers, but another source may (`defer` of the request)
    lines: str = ""  # facts that may help with a deferred request, as lines for the base
    partial: str = ""  # the answer from facts to a part of a deferred request
    missing: list[str] = []  # the parts of a deferred request without such an answer


class Handed(_Message):
    """The prompt of an answer that an upstream engine writes."""

    tokens: list[int]
    ends: list[int]  # end tokens
    context: int  # context length of the model, by its configuration
    json_schema: dict[str, Any] | bool | None = None
    held: bool = False  # the answer has to be checked before it is sent: it comes back as `written`


class End(_Message):
    type: Literal["end"] = "end"
    id: Id
    finish_reason: Literal["stop", "length", "cancelled"]
    text: str  # all of it, streamed or not
    usage: Usage
    logprobs: list[TokenLogprob] | None = None
    memory: UsedMemory | None = None  # explanation of a tuned model, on request
    handed: Handed | None = None  # no answer yet: an upstream engine writes it


class Vectors(_Message):
    type: Literal["vectors"] = "vectors"
    id: Id
    count: int
    dimensions: int
    data: str  # base64 of little-endian float32, row after row
    tokens: int
    truncated: list[int]  # indexes of texts above the model's limit


class ModelStatus(_Message):
    model: str
    kind: Kind
    state: Literal["loading", "ready"]
    bytes: int
    running: int
    queued: int


class Status(_Message):
    type: Literal["status"] = "status"
    id: Id
    models: list[ModelStatus]
    memory_bytes: int
    budget_bytes: int
    queue_limit: int


class Pong(_Message):
    type: Literal["pong"] = "pong"
    id: Id


class Error(_Message):
    """A failed request. `id` is null only if the line could not be parsed."""

    type: Literal["error"] = "error"
    id: Id | None
    code: contract.ErrorCode
    message: str
    facts: dict[str, Any] = {}


Answer = Annotated[
    Hello | Progress | Loaded | Delta | End | Vectors | Status | Pong | Error,
    Field(discriminator="type"),
]


def cancelled_end(id: str) -> dict:
    """The end of a generation that was cancelled before it began."""
    usage = Usage(prompt_tokens=0, cached_tokens=0, completion_tokens=0)
    return End(id=id, finish_reason="cancelled", text="", usage=usage).model_dump(exclude_none=True)


VERSION = 1
requests = TypeAdapter(Request)
answers = TypeAdapter(Answer)
