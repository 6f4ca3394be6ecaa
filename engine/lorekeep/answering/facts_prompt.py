"""The facts that a base reads for an answer, and the prompt that holds them: `Facts:`, one numbered line a fact,
an empty line, and the user's own text (docs/decisions/0011-base-model.md)."""

import re
from collections.abc import Callable

from lorekeep.answering.knowledge import Knowledge

# Maximum facts of one subject, of the names in its answers, and of similar meaning.
_MAX_OF_SUBJECT, _MAX_OF_ANSWER, NEAR = 12, 8, 8
REFUSAL = "The documents do not say."
_REPEATED_LINE = re.compile(r"\s*(?:\d+\. *)?[QA]:")


def relevant_facts(knowledge: Knowledge, text: str, names: list[str], near: list[int]) -> list[int]:
    """Candidate facts for a text, most likely first: about its names and those of earlier messages, with an answer that it names,
    about the names in their answers, and the nearest by meaning."""
    own: list[int] = []
    for one in [text, *names]:
        own += knowledge.about(one)[:_MAX_OF_SUBJECT]
    own += knowledge.facts_by_answer(text)[:_MAX_OF_SUBJECT]
    further = [
        other
        for fact in list(dict.fromkeys(own))[: 2 * _MAX_OF_SUBJECT]
        if len(answer := knowledge.entries[fact].output) <= 80
        for other in knowledge.about(answer)[:_MAX_OF_ANSWER]
    ]
    return list(dict.fromkeys([*near[:1], *own, *further, *near[:NEAR]]))


def facts_block(
    knowledge: Knowledge, facts: list[int], tokens: Callable[[str], int], room: int
) -> tuple[str, list[int]]:
    """The lines of the facts that fit into `room` tokens, and their indexes."""
    said, kept, taken = "Facts:\n", [], tokens("Facts:\n\n")
    for fact in facts:
        entry = knowledge.entries[fact]
        line = _line(len(kept) + 1, entry.input, entry.output)
        cost = tokens(line)
        if taken + cost > room:
            continue
        said, taken = said + line, taken + cost
        kept.append(fact)
    return said, kept


def fact_lines(facts: list[dict]) -> str:
    """The same lines for facts that belong to no model."""
    return "Facts:\n" + "".join(_line(i, fact["input"], fact["output"]) for i, fact in enumerate(facts, 1))


def _line(number: int, *fact: str) -> str:
    question, answer = (" ".join(part.split()) for part in fact)
    return f"{number}. Q: {question} A: {answer}\n"


def repeats(answer: str) -> bool:
    """Whether a base began to repeat the fact lines instead of answering."""
    return _REPEATED_LINE.match(answer) is not None


def before_question(text: str, bare: str, block: str) -> str:
    """A prompt with the facts before the last message. `bare` is that message."""
    at = text.rfind(bare) if bare else -1
    return f"{block}\n{text}" if at < 0 else f"{text[:at]}{block}\n{text[at:]}"
