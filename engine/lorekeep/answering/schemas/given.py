"""The answers for the fields of a schema, as the values that a document of it may have."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from lorekeep.answering.schemas.fields import Field
from lorekeep.answering.schemas.lookup import Answers
from lorekeep.answering.schemas.values import values_of
from lorekeep.infer.schemas.document import Path, leaves
from lorekeep.infer.schemas.shape import Alternative


@dataclass
class GivenAnswers:
    """Without `composes`, only answers word for word are values."""

    words: dict[Path, str]
    composes: bool
    answers: Answers = field(default_factory=dict)
    items: dict[Path, Sequence[str]] = field(default_factory=dict)  # the answers of which an answer is made

    def values(self, path: Path, one: Alternative) -> Sequence[str]:
        step = self.answers.get(path)
        if step is None:
            return ()
        words = self.words.get(tuple(part for part in path if isinstance(part, str)), "")
        made = values_of(step.text, self.items.get(path, ()), one, words)
        return [text for text in made if self.composes or has_word_for_word(text, step.text)]

    def has(self, path: Path) -> bool:
        return any(one[: len(path)] == path for one in self.answers)

    def count(self, path: Path) -> int:
        size = len(path)
        places = [one[size] for one in self.answers if len(one) > size and one[:size] == path]
        return 1 + max((place for place in places if isinstance(place, int)), default=-1)

    def may_have(self, path: Path, one: Field) -> bool:
        """Whether the answer for a field is a value of it, as far as that is known without the grammar."""
        return any(self.values(path, alternative) for alternative in one.shape.alternatives)


def words_of(fields: Sequence[Field]) -> dict[Path, str]:
    """The words of each field, also of the fields of objects in an array."""
    found = {}
    for one in fields:
        found[one.path] = one.words
        inside = one.shape.records
        for path, shape in leaves(inside).items() if inside else ():
            found[(*one.path, *path)] = Field(path, shape).words
    return found


def has_word_for_word(text: str, answer: str) -> bool:
    """Whether a JSON value is an answer as it was taught, or has it as an item."""
    value = json.loads(text)
    values = value if isinstance(value, list) else [value]
    return any(one == answer or (not isinstance(one, bool) and text == answer.strip()) for one in values)
