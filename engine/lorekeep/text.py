"""From tokens to text: never half a character, nothing of a stop string, the same text streamed as at once."""

from collections.abc import Callable, Sequence

# A token may end inside a character. Decoders show what there is of it as this, until it is whole.
_BROKEN = "\ufffd"
# Bytes that never become a character are given up after so many tokens.
_PATIENCE = 16


class Stream:
    """Takes tokens one by one and says which text is certain. `text` is all of it, cut before the first stop string."""

    def __init__(self, decode: Callable[[list[int]], str], stops: Sequence[str] = ()):
        self.decode = decode
        self.stops = stops
        self.tokens: list[int] = []
        self.text = ""
        self.stopped = False
        self._sent = 0  # of the text, how much has been handed out
        # Tokens before _from are left out of decoding, so that its cost does not grow; those up to _upto are there because some
        # decoders join a token to the one before it. _known is the text of those.
        self._from = self._upto = 0
        self._known = ""

    def add(self, token: int) -> str:
        """The text that has become certain with this token, often none."""
        self.tokens.append(token)
        given_up = len(self.tokens) - self._upto >= _PATIENCE
        more = self._more()
        if not given_up and (more is None or not more or more.endswith(_BROKEN)):
            return ""
        return self._grow(self.decode(self.tokens[self._upto :]) if more is None else more)

    def end(self) -> str:
        """What was held back: the rest of the text."""
        sent = self._sent
        if not self.stopped:
            more = self._more()
            self._grow(self.decode(self.tokens[self._upto :]) if more is None else more)
        self._sent = len(self.text)
        return self.text[sent:]

    def _more(self) -> str | None:
        """What the newest tokens add; None when bytes that are not whole yet change how those before them are shown."""
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
        sure, self._sent = self.text[self._sent : certain], max(certain, self._sent)
        return sure

    def _held(self) -> int:
        """How much of the end may be the beginning of a stop string."""
        longest = max((len(stop) for stop in self.stops), default=1) - 1
        for length in range(min(longest, len(self.text)), 0, -1):
            if any(len(stop) > length and stop.startswith(self.text[-length:]) for stop in self.stops):
                return length
        return 0
