"""Converts a request's prompt or messages into tokens: a raw prompt as it is, messages through the model's
chat template."""

from lorekeep.errors import EngineError

# Inserted into words that would be template tokens. A private-use character without a meaning in templates and texts.
_WEDGE = "\ue0a7"
# Maximum characters of a displayed prompt, half of them from each end.
_MAX_SHOWN = 8_000


class Prompts:
    def __init__(self, tokenizer, context: int):
        self.tokenizer, self.context = tokenizer, context
        # Longest first, since one may contain another.
        self.special = sorted(
            (str(token) for token in tokenizer.added_tokens_decoder.values()), key=len, reverse=True
        )
        self.wedge = tokenizer.encode(f"a{_WEDGE}", add_special_tokens=False)[
            len(tokenizer.encode("a", add_special_tokens=False)) :
        ]

    def tokens(self, prompt: str | None, messages: list[dict[str, str]] | None, room: int = 1) -> list[int]:
        """Tokens of a request. `room` is the part of the context reserved for the answer."""
        if messages is not None:
            found = self.render(messages)
        elif prompt:
            found = self.tokenizer.encode(prompt)
            # No second begin token if the prompt already has one.
            bos = self.tokenizer.bos_token_id
            if bos is not None and found[:2] == [bos, bos]:
                found = found[1:]
        else:
            found = []
        if not found:
            raise EngineError("prompt_empty", "The prompt is empty. Send at least one character.")
        if len(found) + room > self.context:
            raise self.too_long(found, room)
        return found

    def too_long(self, prompt: list[int], room: int, **facts) -> EngineError:
        return EngineError(
            "context_exceeded",
            f"The prompt has {len(prompt)} tokens; the model takes {self.context}, {room} of them for the answer. "
            "Shorten the prompt or use a model with a longer context.",
            prompt_tokens=len(prompt),
            context=self.context,
            room=room,
            **facts,
        )

    def shown(self, tokens: list[int]) -> str:
        """The rendered prompt with template and special tokens for display; the middle of a long one is left out."""
        if len(tokens) > 2 * _MAX_SHOWN:
            tokens = [*tokens[:_MAX_SHOWN], *tokens[-_MAX_SHOWN:]]
        text = self.tokenizer.decode(tokens, skip_special_tokens=False)
        half = _MAX_SHOWN // 2
        return text if len(text) <= _MAX_SHOWN else f"{text[: half - 2]} … {text[1 - half :]}"

    def render(self, messages: list[dict[str, str]]) -> list[int]:
        """Renders messages. Special tokens come from the template only; the same letters in a message stay text, which
        prevents the injection of template tokens."""
        if not self.tokenizer.chat_template:
            raise EngineError(
                "template_failed", "The model has no chat template. Send a prompt instead of messages."
            )
        harmless = [{**message, "content": self._harmless(message["content"])} for message in messages]
        try:
            text = self.tokenizer.apply_chat_template(harmless, tokenize=False, add_generation_prompt=True)
        except Exception as error:  # templates may raise any exception
            raise EngineError(
                "template_failed", f"The model's chat template refuses these messages: {error}."
            ) from error
        found = self.tokenizer.encode(text, add_special_tokens=False)
        return self._without_wedges(found) if _WEDGE in text else found

    def text_tokens(self, text: str) -> list[int]:
        """Tokens of a text, in which special tokens are read as plain letters."""
        found = self.tokenizer.encode(self._harmless(text), add_special_tokens=False)
        return self._without_wedges(found) if any(special in text for special in self.special) else found

    def _harmless(self, content: str) -> str:
        content = content.replace(_WEDGE, "")
        for special in self.special:
            if len(special) > 1:
                content = content.replace(special, special[0] + _WEDGE + special[1:])
        return content

    def _without_wedges(self, tokens: list[int]) -> list[int]:
        size, kept, at = len(self.wedge), [], 0
        while at < len(tokens):
            if size and tokens[at : at + size] == self.wedge:
                at += size
            else:
                kept.append(tokens[at])
                at += 1
        return kept
