"""One request for generation on its way: its tokens, what has been computed of them, what has been said."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from lorekeep import sampling
from lorekeep.cache import Range
from lorekeep.errors import EngineError
from lorekeep.sampling import Sampling
from lorekeep.text import Stream


@dataclass(eq=False)
class Sequence:
    id: str
    account: str
    tokens: list[int]  # the prompt, then the answer
    most: int  # tokens of answer
    sampling: Sampling
    stream: Stream
    ends: frozenset[int]  # tokens that end an answer and are no part of it
    grammar: "object | None" = None  # constrain.Grammar
    logprobs: int | None = None
    streamed: bool = False
    expert: "object | None" = None  # memory.expert.Expert: acts from the last token of the prompt on
    asked: int | None = None  # tokens of the prompt as it was sent, where a memory reads its own
    memory: dict | None = None  # which facts were used, for who asked
    draft: list[int] = field(
        default_factory=list
    )  # what a shaped answer says as long as its grammar allows it
    then: Callable[[str], None] | None = None  # takes the text instead of the caller
    prompt: int = 0
    done: int = 0  # tokens whose states are in the arena
    cached: int = 0
    range: Range | None = None
    keys: list[bytes] = field(default_factory=list)  # of the prompt's blocks
    told: list[dict] = field(default_factory=list)  # logprobs

    def __post_init__(self):
        self.prompt = len(self.tokens)

    @property
    def size(self) -> int:
        return self.prompt + self.most

    @property
    def answering(self) -> bool:
        return self.done >= self.prompt

    @property
    def said(self) -> int:
        return len(self.tokens) - self.prompt

    def grow(self, logits_V: np.ndarray) -> list[dict]:
        """Chooses the next token. Returns what is to be answered now; an `end` is the last."""
        raw_V = logits_V
        if self.grammar is not None:
            logits_V = self.grammar.masked(logits_V)
        token = self._drafted(logits_V)
        if token is None:
            token = sampling.choose(logits_V, self.sampling, self.said)
        if self.grammar is not None:
            closing = self.grammar.take(token, left=self.most - self.said - 1)
            if closing is not None:
                # No token more to spare: the shortest way to a whole answer is said without asking the model.
                return self._close(closing)
        if token in self.ends:
            return self._finish("stop")
        self.tokens.append(token)
        told = self._tell(raw_V, token)
        text = self.stream.add(token)
        if self.stream.stopped:
            return self._finish("stop", text)
        if self.grammar is not None and self.grammar.complete:
            return self._finish("stop", text)
        if self.said >= self.most:
            return self._finish("length", text)
        return [self._delta(text, told)] if self.streamed and (text or told) else []

    def end(self, reason: str) -> dict:
        self.stream.end()
        usage = {
            "prompt_tokens": self.prompt if self.asked is None else self.asked,
            "cached_tokens": self.cached,
            "completion_tokens": self.said,
        }
        answer = {
            "type": "end",
            "id": self.id,
            "finish_reason": reason,
            "text": self.stream.text,
            "usage": usage,
        }
        if self.logprobs is not None:
            answer["logprobs"] = self.told
        if self.memory is not None:
            answer["memory"] = self.memory
        return answer

    def failed(self, error: EngineError) -> dict:
        return {
            "type": "error",
            "id": self.id,
            "code": error.code,
            "message": error.message,
            "facts": error.facts,
        }

    def _drafted(self, logits_V: np.ndarray) -> int | None:
        """The draft's next token where the grammar allows it; else the draft is of no use any more."""
        if self.said < len(self.draft) and np.isfinite(logits_V[self.draft[self.said]]):
            return self.draft[self.said]
        self.draft = []
        return None

    def _close(self, closing: list[int]) -> list[dict]:
        text = ""
        for token in closing:
            self.tokens.append(token)
            text += self.stream.add(token)
        return self._finish("length", text)

    def _finish(self, reason: str, text: str = "") -> list[dict]:
        text += self.stream.end()
        ending = self.end(reason)
        return [self._delta(text, []), ending] if self.streamed and text else [ending]

    def _delta(self, text: str, told: list[dict]) -> dict:
        delta = {"type": "delta", "id": self.id, "text": text}
        return {**delta, "logprobs": told} if self.logprobs is not None else delta

    def _tell(self, logits_V: np.ndarray, token: int) -> list[dict]:
        if self.logprobs is None:
            return []
        known_V = sampling.log_probabilities(logits_V)
        best = np.argsort(-known_V, kind="stable")[: self.logprobs]
        told = {**self._one(known_V, token), "top": [self._one(known_V, int(other)) for other in best]}
        self.told.append(told)
        return [told]

    def _one(self, known_V: np.ndarray, token: int) -> dict:
        return {
            "token": self.stream.decode([token]),
            "token_id": token,
            "logprob": round(float(known_V[token]), 6),
        }
