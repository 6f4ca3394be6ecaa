"""Incremental detokenization: never emits half a character or part of a stop string; streamed text equals
text decoded at once."""

from collections.abc import Callable, Sequence

# Replacement character that decoders show for an incomplete character.
_REPLACEMENT_CHARACTER = "\ufffd"
# Bytes that do not form a character are emitted after this many tokens.
_MAX_HELD_TOKENS = 16


class Stream:
    """Converts tokens one by one into text that is certain. `text` is all of it, cut before the first stop
    string."""

    def __init__(self, decode: Callable[[list[int]], str], stops: Sequence[str] = ()):
        self.decode = decode
        self.stops = stops
        self.tokens: list[int] = []
        self.text = ""
        self.stopped = False
        self.sent = 0  # number of characters handed out
        # Tokens before _from are not decoded again, which keeps the cost constant. Tokens up to _upto are
        # included, since some decoders join a token to its predecessor. _known is the text of those.
        self._from = self._upto = 0
        self._known = ""

    def add(self, token: int) -> str:
        """The text that this token makes certain, often empty."""
        self.tokens.append(token)
        given_up = len(self.tokens) - self._upto >= _MAX_HELD_TOKENS
        more = self._more()
        if not given_up and (more is None or not more or more.endswith(_REPLACEMENT_CHARACTER)):
            return ""
        return self._grow(self.decode(self.tokens[self._upto :]) if more is None else more)

    def end(self) -> str:
        """The text held back so far."""
        sent = self.sent
        if not self.stopped:
            more = self._more()
            self._grow(self.decode(self.tokens[self._upto :]) if more is None else more)
        self.sent = len(self.text)
        return self.text[sent:]

    def whole(self) -> str:
        """The whole text, including the part held back."""
        more = self._more()
        return self.text + (self.decode(self.tokens[self._upto :]) if more is None else more)

    def _more(self) -> str | None:
        """Text that the newest tokens add; None if incomplete bytes change how earlier ones are shown."""
        whole = self.decode(self.tokens[self._from :])
        return whole[len(self._known) :] if whole.startswith(self._known) else None

    def _grow(self, more: str) -> str:
        self._from, self._upto = self._upto, len(self.tokens)
        self._known = self.decode(self.tokens[self._from :])
        searched = max(0, len(self.text) - max((len(stop) for stop in self.stops), default=0))
        self.text += more
        found = [at for stop in self.stops if (at := self.text.find(stop, searched)) >= 0]
        if found:
            self.stopped = True
            self.text = self.text[: min(found)]
        certain = len(self.text) if self.stopped else len(self.text) - self._held()
        sure, self.sent = self.text[self.sent : certain], max(certain, self.sent)
        return sure

    def _held(self) -> int:
        """Length of the end of the text that may begin a stop string."""
        max_length = max((len(stop) for stop in self.stops), default=1) - 1
        for length in range(min(max_length, len(self.text)), 0, -1):
            if any(len(stop) > length and stop.startswith(self.text[-length:]) for stop in self.stops):
                return length
        return 0
