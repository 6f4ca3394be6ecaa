"""Tokens of a job's facts, computed on first access. A large model with a small change needs few of them."""

from collections.abc import Callable

from transformers import AutoConfig, AutoTokenizer

from lorekeep import folders
from lorekeep.infer.prompts import Prompts
from lorekeep.memory.fact_tokens import answer_tokens, question_tokens
from lorekeep.tune import facts as facts_
from lorekeep.tune.facts import Fact
from lorekeep.tune.training.trunk import Row


class Rows:
    def __init__(self, facts: list[Fact], read: Callable[[Fact], Row]):
        self.facts, self._read = facts, read
        self._known: dict[int, Row] = {}

    def __getitem__(self, at: int) -> Row:
        if at not in self._known:
            self._known[at] = self._read(self.facts[at])
        return self._known[at]

    def refuse_longer(self, max_tokens: int) -> None:
        """Refuses facts whose question and answer exceed `max_tokens` together."""
        # ASCII text never has more tokens than characters, and an empty template is never longer than one with a
        # question.
        around = len(self[0].prompt) + 1

        def count(at: int) -> int:
            fact = self.facts[at]
            letters = len(fact.input) + len(fact.output)
            if fact.input.isascii() and fact.output.isascii() and letters + around <= max_tokens:
                return letters + around
            return len(self[at]) + 1

        facts_.too_long(self.facts, count, max_tokens)


_SAFE = {"local_files_only": True, "trust_remote_code": False}


class RowReader:
    """Tokenizes facts without the weights of the base, which suffices to plan a job."""

    def __init__(self, base: str):
        self.folder = folders.check(base, "generate")
        self._prompts = Prompts(AutoTokenizer.from_pretrained(self.folder.path, **_SAFE), self.folder.context)

    @property
    def width(self) -> int:
        return AutoConfig.from_pretrained(self.folder.path, **_SAFE).get_text_config().hidden_size

    def row(self, fact: Fact) -> Row:
        """The trainer's row with any end token, since only its length matters."""
        question, answer = (
            question_tokens(self._prompts, fact.input),
            answer_tokens(self._prompts, fact.output, 0),
        )
        return Row(tuple(question), tuple(answer))
