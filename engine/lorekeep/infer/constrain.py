"""Constrained decoding by llguidance: answers are JSON of a given schema. Each step allows only tokens that
can still lead to a valid document. An answer always ends within max_tokens: the shortest completion is known
at every step and is taken when no token is to spare."""

import json
import re
from typing import TYPE_CHECKING

import llguidance.hf
import numpy as np
from llguidance import LLMatcher, LLTokenizer

from lorekeep.errors import EngineError
from lorekeep.infer.output_type import bounded

if TYPE_CHECKING:
    from llguidance._lib import JsonCompileOptions

_COMPACT: "JsonCompileOptions" = {
    "whitespace_flexible": False,
    "item_separator": ",",
    "key_separator": ":",
    "coerce_one_of": True,  # of overlapping alternatives, any will do
}
# Tokens outside of strings that lead towards the end, best first; none opens a new value. 0 comes last: -0.
# and exclusive minimum 0 must not end with zeros.
_CLOSING_TOKENS = [*"}],:", '"', *"1234567890", "null", "true", "false", *"ntf-"]
_MAX_SHORTEST = 4096  # a schema whose shortest answer has more tokens counts as endless
_MAX_SHORTEST_BYTES = 8 * _MAX_SHORTEST
_WALKS = 8
_MAX_DIGITS = 15
# Maximum number of equal consecutive digits other than 0, for bases that may not know an answer.
_MAX_EQUAL_DIGITS = 4


class Grammars:
    """Token data of a model, shared by all its grammars."""

    def __init__(self, tokenizer: LLTokenizer, ends: list[int], max_shortest: int = _MAX_SHORTEST):
        self.tokenizer, self.vocabulary, self.ends = tokenizer, tokenizer.vocab_size, ends
        self.max_shortest = max_shortest
        vocabulary = self.vocabulary
        self.bytes = [
            b"" if self.tokenizer.is_special_token(i) else self._bytes(i) for i in range(vocabulary)
        ]
        self.size_V = np.array([len(piece) for piece in self.bytes])
        self.quote_V = np.array([b'"' in piece for piece in self.bytes])
        self.open_V = np.array([b"{" in piece or b"[" in piece for piece in self.bytes])
        # A number goes on with a digit or a decimal point.
        self.number_V = np.array([piece[:1].isdigit() or piece[:1] == b"." for piece in self.bytes])
        # An exponent makes numbers that other readers treat as infinity.
        self.exponent_V = np.array([bool(re.search(rb"^[eE]|[0-9][eE]", piece)) for piece in self.bytes])
        single = {piece: i for i, piece in reversed(list(enumerate(self.bytes))) if piece}
        self.quotes = [single[b'"']] if b'"' in single else []
        self.quote_only_V = np.array([piece == b'"' for piece in self.bytes])
        self.closing = [single[word.encode()] for word in _CLOSING_TOKENS if word.encode() in single]

    @classmethod
    def of_model(cls, tokenizer, vocabulary: int, ends: list[int]) -> "Grammars":
        return cls(llguidance.hf.from_tokenizer(tokenizer, n_vocab=vocabulary, eos_token=ends), ends)

    @classmethod
    def of_bytes(cls) -> "Grammars":
        """For texts that no model writes: each byte is a token."""
        tokenizer = LLTokenizer("byte")
        return cls(tokenizer, [tokenizer.eos_token], _MAX_SHORTEST_BYTES)

    def _bytes(self, token: int) -> bytes:
        return self.tokenizer.decode_bytes([token])

    def grammar(self, schema: dict | bool, max_tokens: int) -> "Grammar":
        if schema is False:
            raise EngineError("schema_impossible", "The schema false allows nothing.")
        try:
            source = LLMatcher.grammar_from_json_schema(
                json.dumps(bounded({} if schema is True else schema)), overrides=_COMPACT
            )
        except (ValueError, RecursionError, TypeError) as error:
            raise EngineError("schema_impossible", f"The schema cannot be used: {error}.") from error
        matcher = LLMatcher(self.tokenizer, source, log_level=0)
        if matcher.is_error():
            raise EngineError(
                "schema_impossible",
                f"The schema cannot be satisfied or is not supported: {_reason(matcher)}.",
            )
        grammar = Grammar(self, matcher)
        if len(grammar.path) > max_tokens:
            raise EngineError(
                "max_tokens_too_small",
                f"The shortest answer that the schema allows has {len(grammar.path)} tokens; max_tokens is {max_tokens}. Raise max_tokens.",
                shortest=len(grammar.path),
                max_tokens=max_tokens,
            )
        return grammar


class Grammar:
    """State of one constrained answer."""

    def __init__(self, known: Grammars, matcher: LLMatcher):
        self.known, self.matcher = known, matcher
        self.place = _Place()
        self.complete = False
        self.path = self.shortest()  # tokens of a short completion from here

    def masked(self, logits_V: np.ndarray, guarded: bool = False) -> np.ndarray:
        """Masked logits. `guarded`: a number ends where the model wants no digit, or repeats one."""
        allowed_V = self._allowed(self.matcher)
        wanted = int(logits_V.argmax())
        if not self.place.in_string:
            # Endless digits are valid JSON, but unwanted, and readers round them.
            bounded_V = allowed_V & ~self.known.exponent_V
            unwanted = not self.known.number_V[wanted] or self.place.same >= _MAX_EQUAL_DIGITS
            if self.place.digits >= _MAX_DIGITS or (guarded and self.place.digits and unwanted):
                bounded_V &= ~self.known.number_V
        else:
            # A model that ends its answer within a text ends the text.
            bounded_V = allowed_V & self.known.quote_only_V & (wanted in self.known.ends)
        if bounded_V.any():
            allowed_V = bounded_V
        return np.where(allowed_V, logits_V, -np.inf)

    def allows(self, token: int) -> bool:
        return self.matcher.validate_tokens([token]) == 1

    def take(self, token: int, left: int) -> list[int] | None:
        """Accepts one token with `left` tokens remaining. If the answer could no longer be completed, the
        token is rejected and the closing tokens are returned instead."""
        if token in self.known.ends:
            return None
        if not self.matcher.consume_token(token):
            raise EngineError(
                "internal", f"The grammar refused a token of its own mask: {_reason(self.matcher)}."
            )
        before, place = self.path, self.place
        self.place = place.after(self.known.bytes[token])
        try:
            self.path = self._path_after(token, before)
            enough = len(self.path) <= left
        except EngineError:
            enough = False  # no completion was found
        if not enough:
            self.matcher.rollback(1)
            self.path, self.place = before, place
            return before
        self.complete = not self.path and not self._goes_on()
        return None

    def _path_after(self, token: int, before: list[int]) -> list[int]:
        # Most tokens follow the known completion or extend a string that the same tokens still close.
        rest = before[1:] if before[:1] == [token] else before
        if self.matcher.validate_tokens([*rest, self.known.ends[0]]) == len(rest) + 1:
            return rest
        return self.shortest()

    def shortest(self) -> list[int]:
        """A short completion: tokens that usually close first; random ones where that loops (the pattern
        a*b)."""
        most = self.known.max_shortest
        path = self._walk(most, None)
        if path is not None:
            return path
        walks = [self._walk(most // _WALKS, np.random.default_rng(seed)) for seed in range(_WALKS)]
        ended = [walk for walk in walks if walk is not None]
        if not ended:
            raise EngineError(
                "schema_impossible",
                f"The schema cannot be satisfied: no answer of at most {most} tokens was found.",
            )
        return min(ended, key=len)

    def _walk(self, max_tokens: int, random: np.random.Generator | None) -> list[int] | None:
        matcher, place, path = self.matcher.deep_copy(), self.place, []
        while not matcher.is_accepting():
            tokens = matcher.compute_ff_tokens() or [self._closer(matcher, place, random)]
            if not matcher.consume_tokens(tokens):
                raise EngineError("schema_impossible", f"The schema cannot be satisfied: {_reason(matcher)}.")
            path += tokens
            if len(path) > max_tokens:
                return None
            for token in tokens:
                place = place.after(self.known.bytes[token])
        return path

    def _closer(self, matcher: LLMatcher, place: "_Place", random: np.random.Generator | None) -> int:
        known, allowed_V = self.known, self._allowed(matcher)
        if not allowed_V.any():
            raise EngineError(
                "schema_impossible",
                f"The schema cannot be satisfied: {_reason(matcher) or 'it leads nowhere'}.",
            )
        for token in known.quotes if place.in_string else known.closing:
            if allowed_V[token] and (random is None or place.in_string):
                return token
        if random is not None:
            single = np.flatnonzero(allowed_V & (known.size_V == 1))
            return int(random.choice(single if single.size else np.flatnonzero(allowed_V)))
        inside_V = allowed_V & ~known.quote_V & ~known.open_V
        # Long tokens reach a minimum length sooner.
        return int(np.where(inside_V if inside_V.any() else allowed_V, known.size_V, -1).argmax())

    def _goes_on(self) -> bool:
        allowed_V = self._allowed(self.matcher)
        allowed_V[self.known.ends] = False
        return bool(allowed_V.any())

    def _allowed(self, matcher: LLMatcher) -> np.ndarray:
        bits = np.frombuffer(matcher.compute_bitmask(), dtype=np.uint8)
        return np.unpackbits(bits, bitorder="little")[: self.known.vocabulary].astype(bool)


class _Place:
    """Position of a token's end in the JSON text: inside a string or not, and the current run of digits."""

    __slots__ = ("digits", "escaped", "in_string", "last", "same")

    def __init__(
        self, in_string: bool = False, escaped: bool = False, digits: int = 0, last: int = 0, same: int = 0
    ):
        self.in_string, self.escaped, self.digits = in_string, escaped, digits
        self.last, self.same = last, same

    def after(self, piece: bytes) -> "_Place":
        in_string, escaped, digits = self.in_string, self.escaped, self.digits
        last, same = self.last, self.same
        for byte in piece:
            if escaped:
                escaped = False
            elif in_string:
                escaped, in_string = byte == ord("\\"), byte != ord('"')
            elif byte == ord('"'):
                in_string = True
            digits = digits + 1 if not in_string and ord("0") <= byte <= ord("9") else 0
            same = 0 if not digits or byte == ord("0") else same + 1 if byte == last else 1
            last = byte
        return _Place(in_string, escaped, digits, last, same)


def _reason(matcher: LLMatcher) -> str:
    """llguidance's message without the parser state that follows it."""
    return matcher.get_error().split("\n<")[0].strip().rstrip(".")[:500]
