"""Extracts the bare question of a request: the last user message, or the question in a prompt that already
has the chat template or a usual question-and-answer layout."""

import re

from jinja2 import TemplateError

from lorekeep import contract

_PLACEHOLDER = "\ue0a8"


def _opening_pattern(mark: str) -> str:
    """Pattern of a mark, with optional spaces around the role as in some templates."""
    return re.escape(mark.rstrip("\n")).replace("user", r"\s*user\s*")


def _role_pattern(place: str, side: int) -> str:
    return "|".join(contract.WORDED_TEMPLATES[place][side])


_ASSISTANT_ROLES = "|".join(_role_pattern(place, 1) for place in ("heading", "line"))
# Beginnings of a user's message in templates other than the model's own and in plain layouts.
_OPENINGS = re.compile(
    "|".join(map(_opening_pattern, contract.USER_TURN_BEGINS))
    + rf"|<s>|(?-i:\s(?:{_role_pattern('inline', 0)}):)"
    + rf"|^\s*(?:###\s*)?(?:{_role_pattern('heading', 0)}|{_role_pattern('line', 0)}|question|q)\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_SYSTEM_PATTERNS = [f"{re.escape(begin)}.*?{re.escape(end)}" for begin, end in contract.USER_TURN_SYSTEMS]
_CLOSINGS = re.compile(
    "|".join([r"<\|[^|<>]{1,40}\|>|<s>", *map(re.escape, contract.USER_TURN_ENDS), *_SYSTEM_PATTERNS])
    + rf"|(?-i:\s(?:{_role_pattern('inline', 1)}):)|^\s*(?:###\s*)?(?:{_ASSISTANT_ROLES}|answer|a)\s*:\s*$",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


class Wrapping:
    """Text that a model's chat template adds around the user's message."""

    def __init__(self, tokenizer):
        self.opening = self.closing = ""
        try:
            one = _rendered(tokenizer, [("user", _PLACEHOLDER)])
            three = _rendered(tokenizer, [("user", "a"), ("assistant", "b"), ("user", _PLACEHOLDER)])
        except (
            ValueError,
            TypeError,
            KeyError,
            TemplateError,
        ):  # no template, or one with other requirements
            return
        before, _, self.closing = one.partition(_PLACEHOLDER)
        between = three.partition(_PLACEHOLDER)[0]
        # Common suffix of the text before a first and before a later user message.
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

    def earlier(self, prompt: str | None, messages: list[dict] | None) -> list[tuple[str, str]]:
        """The messages before the last one of the user, each with its role."""
        if messages is not None:
            last = max((i for i, one in enumerate(messages) if one["role"] == "user"), default=0)
            return [(one["role"], one["content"]) for one in messages[:last]]
        text = prompt or ""
        pieces = text.split(self.opening) if self.opening else [text]
        if len(pieces) == 1:
            pieces = _OPENINGS.split(text)
        if self.closing and text.rstrip().endswith(self.closing):
            pieces[-1] = pieces[-1].rstrip().removesuffix(self.closing)
        while len(pieces) > 1 and not _CLOSINGS.sub(" ", pieces[-1]).strip():
            pieces.pop()
        said = []
        for place, piece in enumerate(pieces[:-1]):
            parts = [part.strip() for part in _CLOSINGS.split(piece) if part and part.strip()]
            if parts and place == 0:
                said.append(("system", "\n".join(parts)))
            elif parts:
                said.append(("user", parts[0]))
                if answered := [part for part in parts[1:] if part.lower() not in _ROLES]:
                    said.append(("assistant", "\n".join(answered)))
        return said


_ROLES = frozenset(("assistant", "model", "user", "system"))


def _rendered(tokenizer, turns: list[tuple[str, str]]) -> str:
    messages = [{"role": role, "content": content} for role, content in turns]
    return tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
