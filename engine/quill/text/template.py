"""The chat template's tokens, and a training conversation: a shared prefix and branches of turns after it.

One context with several separate questions is one Example: a shared prefix and a branch per question. Branches do not see
each other, so each is exactly the single-question prompt, for a fraction of the tokens.
"""

from dataclasses import dataclass, field

BEGIN, END_OF_TEXT = "<|begin_of_text|>", "<|end_of_text|>"
HEADER, HEADER_END, TURN_END = "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"
USER, ASSISTANT = f"{HEADER}user{HEADER_END}\n\n", f"{HEADER}assistant{HEADER_END}\n\n"
REPLY = TURN_END + ASSISTANT
Span = tuple[int, int]


@dataclass
class Turn:
    """Spans are in characters of the whole text: the example's prefix and the branch up to here."""

    prompt: str
    answer: str  # with its end token
    gold: Span | None = None  # where the context holds the answer
    statement: Span | None = None  # the sentence that states it
    question: Span | None = None


@dataclass
class Example:
    prefix: str
    branches: list[list[Turn]]
    spans: list[Span] = field(default_factory=list)  # all statements of the context
