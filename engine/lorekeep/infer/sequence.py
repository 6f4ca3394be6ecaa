"""State of one generation request: its tokens, the computed part of them, and the text sent so far."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lorekeep.infer import repetition, sampling
from lorekeep.infer.cache import Range
from lorekeep.infer.sampling import Sampling
from lorekeep.infer.text import Stream

if TYPE_CHECKING:
    from lorekeep.infer.constrain import Grammar
    from lorekeep.infer.experts import Expert


class Deviation(Exception):
    """The generated answer deviates from the required one."""


@dataclass(eq=False)
class Sequence:
    id: str
    account: str
    tokens: list[int]  # the prompt, then the answer
    max_tokens: int  # tokens of answer
    sampling: Sampling
    stream: Stream
    ends: frozenset[int]  # end tokens, which are no part of the answer
    asked_ends: frozenset[int] = frozenset()  # end tokens requested by the caller
    scope: str = ""  # states are shared with sequences of the same scope only
    grammar: "Grammar | None" = None
    logprobs: int | None = None
    streamed: bool = False
    expert: "Expert | None" = None  # applied from the last token of the prompt on
    asked: int | None = None  # number of tokens of the original prompt, if a tuned model reads another one
    memory: dict | None = None  # report on the facts used, if requested
    draft: list[int] | None = None  # the constrained answer; it is closed where its grammar refuses the draft
    script: list[int] | None = None  # tokens to emit instead of the model's
    expected: list[int] = field(
        default_factory=list
    )  # draft for speculative decoding, while the answer agrees with it
    penalty: float = 1.0  # repetition_penalty
    ngram: int = 0  # no_repeat_ngram_size
    ends_circles: bool = False  # whether a looping answer is ended
    takes: Callable[[dict], None] | None = None  # receives the finished answer instead of the caller
    answer: str | None = None  # the required answer, word for word
    unsaid: Callable[[bool], None] | None = None  # called when the answer would deviate from it
    begun: bool = False  # whether the caller has received a part of the text
    prompt: int = 0
    done: int = 0  # number of tokens whose states are in the cache
    cached: int = 0
    range: Range | None = None  # range in the cache while it runs
    keys: list[bytes] = field(default_factory=list)  # of the prompt's blocks
    token_bytes: Callable[[int], bytes] | None = None  # for logprobs that are sent
    token_logprobs: list[dict] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # of the text of each of these
    told: int = 0  # number of them that were streamed

    def __post_init__(self):
        self.prompt = len(self.tokens)

    @property
    def held(self) -> Range:
        """The range of a sequence that runs."""
        assert self.range is not None
        return self.range

    @property
    def size(self) -> int:
        return self.prompt + self.max_tokens

    @property
    def answering(self) -> bool:
        return self.done >= self.prompt

    @property
    def generated(self) -> int:
        return len(self.tokens) - self.prompt

    @property
    def ahead(self) -> list[int]:
        """Expected next tokens, without the last one that max_tokens allows, since none follows it."""
        return self.expected[self.generated : self.max_tokens - 1]

    def piece(self, begin: int, end: int) -> list[int]:
        """Tokens of a range: existing ones, or expected ones after them."""
        if begin < len(self.tokens):
            return self.tokens[begin:end]
        return self.expected[begin - self.prompt : end - self.prompt]

    def grow(self, logits_V: np.ndarray) -> list[dict]:
        """Chooses the next token. Returns the answers to send; an `end` is the last one."""
        raw_V = logits_V
        if self.script is not None:
            if self.generated >= len(self.script):
                return self._finish("stop")
            token = self.script[self.generated]
        elif self.draft is not None and self.grammar is not None:
            token = self.draft[self.generated] if self.generated < len(self.draft) else None
            if token is None or not self.grammar.allows(token):
                return self._close(self.grammar.path, "stop")
        else:
            logits_V = self._guarded(logits_V)
            if self.grammar is not None:
                logits_V = self.grammar.masked(logits_V, guarded=self.ends_circles)
            token = sampling.choose(logits_V, self.sampling, self.generated)
        if self.grammar is not None:
            closing = self.grammar.take(token, left=self.max_tokens - self.generated - 1)
            if closing is not None:
                # No tokens are left to spare, so the shortest completion is emitted without the model.
                return self._close(closing, "length")
        if self.script is None and token in self.ends:
            self._check_required_answer(ended=token not in self.asked_ends)
            return self._finish("stop")
        if self.expected[self.generated : self.generated + 1] != [token]:
            self.expected = []
        self.tokens.append(token)
        self._note(raw_V, token)
        text = self.stream.add(token)
        self._check_required_answer()
        if self.stream.stopped:
            return self._finish("stop", text)
        if self.grammar is not None and self.grammar.complete:
            return self._finish("stop", text)
        if self.script is not None and self.generated >= len(self.script):
            return self._finish("stop", text)
        if self.ends_circles and repetition.is_looping(self.tokens[self.prompt :]):
            # The grammar can complete the answer.
            return (
                self._close(self.grammar.path, "stop", text)
                if self.grammar is not None
                else self._finish("length", text)
            )
        if self.generated >= self.max_tokens:
            return self._finish("length", text)
        self.begun = self.begun or bool(self.streamed and text)
        return self._deltas(text, self._certain())

    def _check_required_answer(self, ended: bool = False) -> None:
        """Checks the sequence against the required answer, token by token to its end."""
        if self.answer is None:
            return
        text = self.stream.whole() if ended else self.stream.text
        if text != self.answer if ended else not self.answer.startswith(text):
            raise Deviation

    def end(self, reason: str) -> dict:
        self.stream.end()
        usage = {
            "prompt_tokens": self.prompt if self.asked is None else self.asked,
            "cached_tokens": self.cached,
            "completion_tokens": self.generated,
        }
        answer = {
            "type": "end",
            "id": self.id,
            "finish_reason": reason,
            "text": self.stream.text,
            "usage": usage,
        }
        if self.logprobs is not None:
            answer["logprobs"] = self.token_logprobs[: self._certain(ended=True)]
        if self.memory is not None:
            answer["memory"] = self.memory
        return answer

    def _guarded(self, logits_V: np.ndarray) -> np.ndarray:
        if self.penalty != 1:
            logits_V = repetition.penalized(logits_V, self.tokens, self.penalty)
        if self.ngram:
            logits_V = repetition.without_repeated(logits_V, self.tokens[self.prompt :], self.ngram)
        return logits_V

    def _close(self, closing: list[int], reason: str, text: str = "") -> list[dict]:
        """Completes a constrained answer without the model."""
        for token in closing:
            self.tokens.append(token)
            text += self.stream.add(token)
        return self._finish(reason, text)

    def _finish(self, reason: str, text: str = "") -> list[dict]:
        text += self.stream.end()
        ending = self.end(reason)
        return [*self._deltas(text, self._certain(ended=True)), ending]

    def _deltas(self, text: str, certain: int) -> list[dict]:
        logprobs, self.told = self.token_logprobs[self.told : certain], certain
        if not self.streamed or not (text or logprobs):
            return []
        delta = {"type": "delta", "id": self.id, "text": text}
        return [delta if self.logprobs is None else {**delta, "logprobs": logprobs}]

    def _certain(self, ended: bool = False) -> int:
        """Number of logprobs of tokens that surely have a part in the text. Those of a stop string have none."""
        if self.stream.stopped:
            return bisect_left(self.starts, len(self.stream.text))
        return len(self.starts) if ended else bisect_left(self.starts, self.stream.sent)

    def _note(self, logits_V: np.ndarray, token: int) -> None:
        if self.logprobs is None:
            return
        known_V = sampling.log_probabilities(logits_V)
        best = np.argsort(-known_V, kind="stable")[: self.logprobs]
        logprob = {**self._one(known_V, token), "top": [self._one(known_V, int(other)) for other in best]}
        self.token_logprobs.append(logprob)
        self.starts.append(len(self.stream.text))

    def _one(self, known_V: np.ndarray, token: int) -> dict:
        told = {"token_id": token, "logprob": round(float(known_V[token]), 6)}
        if self.token_bytes is None:
            return {"token": self.stream.decode([token]), **told}
        piece = self.token_bytes(token)
        return {"token": piece.decode(errors="replace"), "bytes": [*piece], **told}
