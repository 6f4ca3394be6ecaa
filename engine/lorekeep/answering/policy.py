"""Answer policy: the sources that a request allows a tuned model to answer from, and its reply if none of them has an answer."""

import json
from dataclasses import dataclass
from pathlib import Path

from lorekeep import contract
from lorekeep.answering.facts_prompt import REFUSAL

# Minimum number of measured questions and share of right answers for a base to answer from facts.
_ASKED, _RIGHT = 20, 0.7


@dataclass(frozen=True)
class Policy:
    answer_from: contract.AnswerFrom = contract.DEFAULT_ANSWER_FROM
    unknown: contract.Unknown = contract.DEFAULT_UNKNOWN
    sentence: str = REFUSAL
    without: frozenset[int] = frozenset()  # excluded facts: those that are not valid now

    @property
    def composes(self) -> bool:
        return self.answer_from != "recital"

    @property
    def closed(self) -> bool:
        return self.answer_from == "facts"


def reads_facts(folder: Path) -> bool:
    """Whether the base's stored measurement (`use` in its lorekeep.json) says that it can answer from facts."""
    try:
        said = json.loads((folder / "lorekeep.json").read_text("utf-8"))["use"]
        return said["asked"] >= _ASKED and said["right"] >= _RIGHT
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return False  # an unmeasured base is not relied on
