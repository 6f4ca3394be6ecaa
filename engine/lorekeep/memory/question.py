"""The bare question of a request, whatever it is wrapped in: the last thing the user said, out of messages, out of a prompt that is
already in the chat template, or out of the usual ways of writing question and answer."""

import re

from jinja2 import TemplateError

_MARK = "\ue0a8"
# Other templates than the model's own, and plain ones.
_OPENINGS = re.compile(
    r"<\|start_header_id\|>\s*user\s*<\|end_header_id\|>|<\|im_start\|>\s*user|<start_of_turn>\s*user|<\|user\|>|\[INST\]|<s>"
    r"|^\s*(?:###\s*)?(?:user|human|question|instruction|q)\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSINGS = re.compile(
    r"<\|[^|<>]{1,40}\|>|<end_of_turn>|<start_of_turn>|\[/INST\]|</s>|<s>|<<SYS>>.*?<</SYS>>"
    r"|^\s*(?:###\s*)?(?:assistant|answer|response|a)\s*:\s*$",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


class Wrapping:
    """What a model's chat template puts around what the user says."""

    def __init__(self, tokenizer):
        self.opening = self.closing = ""
        try:
            one = _rendered(tokenizer, [("user", _MARK)])
            three = _rendered(tokenizer, [("user", "a"), ("assistant", "b"), ("user", _MARK)])
        except (
            ValueError,
            TypeError,
            KeyError,
            TemplateError,
        ):  # no template, or one that wants something else
            return
        before, _, self.closing = one.partition(_MARK)
        between = three.partition(_MARK)[0]
        # What stands before the user's words both at the beginning and later.
        size = 0
        while size < min(len(before), len(between)) and before[-size - 1] == between[-size - 1]:
            size += 1
        self.opening = before[len(before) - size :].lstrip()
        self.closing = self.closing.strip()

    def bare(self, prompt: str | None, messages: list[dict] | None) -> str:
        if messages is not None:
            said = [message["content"] for message in messages if message["role"] == "user"]
            return said[-1].strip() if said else ""
        text = prompt or ""
        if self.closing and text.rstrip().endswith(self.closing):
            text = text.rstrip().removesuffix(self.closing)
        if self.opening and self.opening in text:
            text = text.rpartition(self.opening)[2]
        parts = _OPENINGS.split(text)
        said = next((part for part in reversed(parts) if _CLOSINGS.sub(" ", part).strip()), "")
        said = _CLOSINGS.split(said)
        return next((part.strip() for part in said if part and part.strip()), "")


def _rendered(tokenizer, turns: list[tuple[str, str]]) -> str:
    messages = [{"role": role, "content": content} for role, content in turns]
    return tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
