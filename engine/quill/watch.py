"""Small sets of held-out questions that training looks at on its way; the real judge is `exam.py`."""

from collections.abc import Callable

from .batches import Encoder, Row
from .contexts import Question, absent_question, join_context, make_context, questions
from .facts import Fact
from .passages import one_sentence
from .prompts import context_prompt
from .template import Example
from .values import Voice


def single(
    voice: Voice,
    n: int,
    hard: float = 0.0,
    unseen: bool = False,
    plain: bool = True,
    value_first: bool | None = None,
) -> Example:
    """One question on n passages; `value_first` asks for one whose value stands before (or after) its key."""
    while True:
        context = make_context(voice, n, hard, 0.2, plain)
        asked = [
            q
            for q in questions(voice, context, 12, unseen)
            if value_first is None or is_value_first(q) == value_first
        ]
        if asked:
            return context_prompt(voice, context, asked[:1], plain)


def from_source(voice: Voice, n: int, source: Callable[[Voice], Fact]) -> Example:
    """One question on n sentences of one source of facts."""
    while True:
        context = join_context(voice, [one_sentence(source(voice)) for _ in range(n)], plain=True)
        asked = questions(voice, context, 1)
        if asked:
            return context_prompt(voice, context, asked, plain=True)


def is_value_first(q: Question) -> bool:
    """The value opens its statement, so that its key is read only after it."""
    return bool(q.gold and q.statement and q.gold[0] - q.statement[0] < 5)


def absent(voice: Voice, n: int) -> Example:
    context = make_context(voice, n, 0.0, 0.2, True)
    return context_prompt(voice, context, [absent_question(voice, context)], True)


def watch_sets(encoder: Encoder, n: int = 100) -> dict[str, list[Row]]:
    """Names that training never sees: plain single questions, and the same in any style of passage and prompt."""
    makers = {
        "one": lambda v: single(v, 1),
        "five": lambda v: single(v, 5),
        "five_hard": lambda v: single(v, 5, 1.0),
        "five_value_first": lambda v: single(v, 5, value_first=True),
        "five_styles": lambda v: single(v, 5, 0.3, plain=False),
        "five_unseen_form": lambda v: single(v, 5, unseen=True),
        "five_new_relation": lambda v: single(v, 5),
        "absent": lambda v: absent(v, 3),
    }
    sets = {}
    for name, maker in makers.items():
        voice = Voice(f"watch/{name}", held_out=True, new_relations="relation" in name)
        sets[name] = [encoder.row(maker(voice)) for _ in range(n)]
    return sets
