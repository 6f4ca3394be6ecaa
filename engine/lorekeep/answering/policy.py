"""Answer policy: the sources that a request allows a tuned model to answer from, and its reply if none of them has an answer."""

from dataclasses import dataclass

from lorekeep import contract
from lorekeep.answering.facts_prompt import REFUSAL


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
