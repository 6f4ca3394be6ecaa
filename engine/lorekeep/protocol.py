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
    base: str | None = (
        None  # of a tuned model: where its base lies now (default: where it lay when it was tuned)
    )


class Generate(_Message):
    """Go on from a prompt. Answers: `delta` when streamed, then `end`."""

    type: Literal["generate"]
    id: Id
    model: str
    base: str | None = None  # as in Load
    prompt: str | None = None
    messages: Annotated[list[Turn], Field(min_length=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] = 256
    room: Annotated[int, Field(ge=1)] = 1  # tokens of the context that the prompt has to leave to the answer
    temperature: Annotated[float, Field(ge=0, le=contract.MAX_TEMPERATURE, allow_inf_nan=False)] = (
        0.0  # 0: greedy
    )
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    top_k: Annotated[int, Field(ge=0)] = 0  # 0: all
    repetition_penalty: Annotated[
        float, Field(gt=0, le=contract.MAX_REPETITION_PENALTY, allow_inf_nan=False)
    ] = 1.0  # of tokens that were there
    no_repeat_ngram_size: Annotated[int, Field(ge=0, le=contract.MAX_NO_REPEAT_NGRAM_SIZE)] | None = (
        None  # 0: none; without it a base that knows nothing by itself ends an answer that runs in circles
    )
    seed: Annotated[int, Field(ge=0, le=contract.MAX_SEED)] | None = None
    stop: Annotated[list[Annotated[str, Field(min_length=1)]], Field(max_length=contract.MAX_STOP)] = []
    stop_tokens: list[int] = []
    output_type: dict[str, Any] | None = None
    json_schema: dict[str, Any] | bool | None = None
    logprobs: Annotated[int, Field(ge=0, le=contract.MAX_LOGPROBS)] | None = (
        None  # how many alternatives to tell for every token
    )
    account: str = ""  # whom a turn in the queue is counted for
    scope: str = ""  # who shares caches: what one scope has asked leaves no trace for another
    gate: contract.Gate | None = (
        None  # of a tuned model: how near a question has to come (default: the model's own setting)
    )
    answer_from: contract.AnswerFrom | None = None  # of a tuned model: what it may answer from
    unknown: contract.Unknown | None = None  # what it does where its facts do not answer
    unknown_answer: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    as_of: Annotated[int, Field(ge=-(10**15), le=10**15)] | None = (
        None  # the moment whose facts are valid, in milliseconds since 1970 (default: now)
    )
    defer: bool = False  # of a tuned model: where no fact answers, `end` comes at once, without an answer
    handover: bool = (
        False  # another engine stands in for the base: what the base would write ends with `handed`
    )
    written: str | None = None  # the answer of a request that was handed over as `held`
    explain: bool = False  # `end` says how a tuned model answered, and from which facts
    stream: bool = False
    wait: bool = True  # false: answer model_loading at once when the model is not there yet (it is loaded all the same)

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
        "truncate"  # texts over the model's own limit; truncated ones are named
    )
    wait: bool = True


class Cancel(_Message):
    """End the request `id`. A generation then answers its `end` with finish_reason cancelled, an embedding the error
    cancelled; what had already ended answers nothing."""

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
    """Is the process alive? Answer: `pong`, at once, whatever it computes."""

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
    gpus: int  # that it sees; 0 where it computes on the CPU
    embedder: str | None  # the folder of all-MiniLM-L6-v2, where it is installed beside the engine


class Progress(_Message):
    """A model is being loaded: `done` of `total` steps of the stage. Goes to everyone who waits for that model."""

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


class TokenLogprob(_Message):
    token: str
    token_id: int
    logprob: float
    top: list["Alternative"] = []


class Alternative(_Message):
    token: str
    token_id: int
    logprob: float


class Delta(_Message):
    type: Literal["delta"] = "delta"
    id: Id
    text: str
    logprobs: list[TokenLogprob] | None = None


class Usage(_Message):
    prompt_tokens: int
    cached_tokens: int  # of the prompt's, those whose states were there from an earlier prompt
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
    used: bool  # false: no fact is in the answer; `facts` then has what came nearest, if anything did
    outcome: contract.Outcome
    way: str  # how it was found: exact, name, meaning, follow-up, two in one, hops, ...
    reason: str  # for people
    facts: list[UsedFact]
    declined: bool = False  # nothing answered: the base knows nothing without a text, and says so
    prompt: str = ""  # that the base read for its answer, its middle left out where it is long
    deferred: bool = False  # no fact answers, and another source may (`defer` of the request)
    lines: str = ""  # of a deferred request: the facts that may help, as a base reads them


class Handed(_Message):
    """The prompt of an answer that another engine writes."""

    tokens: list[int]
    ends: list[int]  # tokens that end an answer
    context: int  # tokens that the model reads, by its configuration
    json_schema: dict[str, Any] | bool | None = None
    held: bool = False  # the answer is checked before it is said: it comes back as `written`


class End(_Message):
    type: Literal["end"] = "end"
    id: Id
    finish_reason: Literal["stop", "length", "cancelled"]
    text: str  # all of it, streamed or not
    usage: Usage
    logprobs: list[TokenLogprob] | None = None
    memory: UsedMemory | None = None  # of a tuned model, when asked to explain
    handed: Handed | None = None  # there is no answer yet: another engine writes it


class Vectors(_Message):
    type: Literal["vectors"] = "vectors"
    id: Id
    count: int
    dimensions: int
    data: str  # base64 of little-endian float32, row after row
    tokens: int
    truncated: list[int]  # which of the texts were longer than the model takes


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
    """The end of a request that cannot be done. `id` is null only when the line could not be read at all."""

    type: Literal["error"] = "error"
    id: Id | None
    code: contract.ErrorCode
    message: str
    facts: dict[str, Any] = {}


Answer = Annotated[
    Hello | Progress | Loaded | Delta | End | Vectors | Status | Pong | Error,
    Field(discriminator="type"),
]

VERSION = 1
requests = TypeAdapter(Request)
answers = TypeAdapter(Answer)
