"""Sources that a request allows a tuned model to answer from, and its answer where none of them supports one."""

import json
from dataclasses import dataclass
from pathlib import Path

from lorekeep import contract
from lorekeep.answering.facts_prompt import REFUSAL

# A base may answer from facts if it was measured on so many questions and had so large a share of them right.
_ASKED, _RIGHT = 20, 0.7


@dataclass(frozen=True)
class Policy:
    answer_from: contract.AnswerFrom = contract.DEFAULT_ANSWER_FROM
    unknown: contract.Unknown = contract.DEFAULT_UNKNOWN
    sentence: str = REFUSAL
    without: frozenset[int] = frozenset()  # facts that are not used: those out of their time

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
        return False  # what was not measured is not relied on
