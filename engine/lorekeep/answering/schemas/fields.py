"""The fields of a schema in words, as they are read with facts: "max_load" is "maximum load", beside its description."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lorekeep.answering.networks.cross_encoder import key_text
from lorekeep.answering.objects.key_words import spaced
from lorekeep.answering.word_match import roots
from lorekeep.infer.schemas.document import Path
from lorekeep.infer.schemas.shape import Shape

# Keys for the answer itself, and for remarks on it, which no fact has.
_ANSWER_WORDS = frozenset(
    ["answer", "value", "output", "result", "text", "response", "reply", "content", "message"]
)
_REMARK_WORDS = frozenset(
    [
        "reasoning",
        "explanation",
        "thought",
        "thoughts",
        "thinking",
        "rationale",
        "analysis",
        "confidence",
        "certainty",
        "score",
        "source",
        "sources",
        "citation",
        "citations",
        "reference",
        "references",
        "evidence",
        "reason",
        "steps",
        "notes",
        "justification",
    ]
)
# Keys that are question words, and the kind of answer that each asks for.
QUESTION_KEYS = {"who": "person", "whom": "person", "when": "time", "where": "place", "why": "reason"}
_NAME_WORDS = frozenset(["name", "full name", "title", "subject"])
# Words of keys that tell nothing: "field_1", "data".
_OPAQUE_WORDS = _ANSWER_WORDS | frozenset(
    [
        "field",
        "item",
        "key",
        "column",
        "attribute",
        "property",
        "param",
        "data",
        "object",
        "entity",
        "record",
        "info",
        "product",
        "person",
        "company",
        "thing",
    ]
)
# Maximum number of words of a description.
_MAX_WORDS = 24


@dataclass(frozen=True)
class Field:
    path: Path
    shape: Shape

    @property
    def key(self) -> str:
        """The words of its key."""
        return spaced(str(self.path[-1])) if self.path else ""

    @property
    def description(self) -> str:
        """Its description, or a title that says more than its key."""
        said = self.shape.description or ("" if spaced(self.shape.title) == self.key else self.shape.title)
        first = re.split(r"(?<=[a-z0-9)]{2}[.;])\s|\n", said.strip())[0].rstrip(".")
        return " ".join(first.split()[:_MAX_WORDS])

    @property
    def is_opaque(self) -> bool:
        """Whether its key does not tell what it is: "x1"."""
        return all(len(word) < 3 or word in _OPAQUE_WORDS for word in self.key.split())

    @property
    def words(self) -> str:
        """Its words in full, which may say the unit of a number."""
        if self.description:
            return self.description if self.is_opaque else key_text(self.description, self.key)
        return self.key

    def asked_of(self, name: str) -> str:
        """The text that is read with facts about a subject: with the key of the object that it is in, unless this means the subject."""
        return f"{self._outer} {self.words}" if self._is_apart(name) else self.words

    @property
    def _outer(self) -> str:
        """The words of the key of the object that it is in."""
        return spaced(str(self.path[-2])) if len(self.path) > 1 and isinstance(self.path[-2], str) else ""

    def _is_apart(self, name: str) -> bool:
        """Whether the object that it is in is something else than a subject: the designer of the Halvorsen winch."""
        return not set(self._outer.split()) <= _OPAQUE_WORDS and not roots(self._outer) & roots(name)

    def is_name_of(self, names: Sequence[str]) -> bool:
        """Whether it has the name of a subject: "name", but not within "designer", or described as that of something else."""
        more = roots(self.description) - roots(" ".join([*_NAME_WORDS, *_OPAQUE_WORDS, *names]))
        return self.key in _NAME_WORDS and not more and not self._is_apart(" ".join(names))

    @property
    def is_answer(self) -> bool:
        return bool(self.path) and self.key.split()[-1:] != [] and self.key.split()[-1] in _ANSWER_WORDS

    @property
    def is_remark(self) -> bool:
        return bool(_REMARK_WORDS & set(self.key.split()))

    @property
    def tells(self) -> bool:
        """Whether facts can be searched for it by its own words."""
        return bool(self.description) or not self.is_opaque


def named(path: Path) -> str:
    """A path as a report names it: "support.phone"."""
    said = "".join(f".{part}" if isinstance(part, str) else f"[{part}]" for part in path)
    return said.removeprefix(".") or "the value"
