"""Answers that are put together from several facts that were read beside one request: a comparison, a list, the fields of an object."""

import re
from dataclasses import dataclass

from lorekeep.answering import compare, fields
from lorekeep.answering.compose import Composed
from lorekeep.answering.judge import Judge
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.reranker import Reranker
from lorekeep.routing.words import words

# Logits from which the best fact of a comparison, each item of a list and each value of an object answers.
_COMPARED, _LISTED, _VALUE = 1.0, 3.0, 1.0
# Subjects of a comparison, and keys of an object.
_MAX_NAMES, _MAX_KEYS = 6, 8
# Facts that are read for a list, and those that one needs.
_READ, _LEAST = 24, 3
_ALL = re.compile(
    r"\b(?:all|every|each)\b|^\W*(?:please |can you |could you )?(?:list|name|give me)\b", re.IGNORECASE
)


@dataclass
class PutTogether:
    reranker: Reranker
    judge: Judge

    def answer(self, request: Request) -> Composed | None:
        if request.form == "json":
            return self.filled(request)
        return self.compared(request.asked) or self.listed(request.asked)

    def compared(self, question: str) -> Composed | None:
        """The subject that comes first of those that a question names, where no relation of their facts is the one compared."""
        judge, knowledge = self.judge, self.judge.knowledge
        names, measured = knowledge.subjects(question), compare.wanted(question)
        if measured is None or not 2 <= len(names) <= _MAX_NAMES:
            return None
        chosen: list[tuple[float, int]] = []
        for name in names:
            some = [fact for fact in self._about(name) if compare.amount_of(judge, fact) is not None]
            if not some:
                return None
            chosen.append(max(self.reranker.read(question, some, self.judge), default=(-1.0, some[0])))
        facts = tuple(dict.fromkeys(fact for _, fact in chosen))
        if len(facts) < len(names):
            return None  # a fact that names two of them
        told = [amount for fact in facts if (amount := compare.amount_of(judge, fact)) is not None]
        if max(logit for logit, _ in chosen) < _COMPARED or len({one.unit for one in told}) != 1:
            return None
        text = compare.answered(question, names, told, measured[1], judge.router.entries[facts[0]].output)
        return (text and Composed("comparison", facts, text, 0.9, question)) or None

    def listed(self, question: str) -> Composed | None:
        """The answers of all facts that answer a question for all: "List the managers of the branches." """
        if not _ALL.search(question):
            return None
        facts = self.reranker.nearest(question, _READ, self.judge)
        some = [fact for logit, fact in self.reranker.read(question, facts, self.judge) if logit >= _LISTED]
        outputs = [self.judge.router.entries[fact].output.strip().rstrip(".") for fact in sorted(some)]
        if len(set(outputs)) < _LEAST or any("," in one or ". " in one for one in outputs):
            return None
        return Composed("list", tuple(sorted(some)), ", ".join(dict.fromkeys(outputs)), 0.9, question)

    def filled(self, request: Request) -> Composed | None:
        """An object whose keys are names, each with the fact about that name which answers the request."""
        if not 2 <= len(request.keys) <= _MAX_KEYS:
            return None
        names = self.judge.knowledge.subjects(request.asked)
        about = list(dict.fromkeys(fact for name in names for fact in self._about(name)))
        values: dict[str, int] = {}
        for key in request.keys:
            said = {word.plain for word in words(fields.spaced(key))}
            some = [fact for fact in about if said <= self.reranker.words_of(fact)]
            logit, fact = max(self.reranker.read(request.asked, some, self.judge), default=(_VALUE, -1))
            if fact < 0 or logit < _VALUE or fact in values.values():
                return None
            values[key] = fact
        text = fields.object_of({key: self.judge.router.entries[fact].output for key, fact in values.items()})
        return Composed("json", tuple(values.values()), text, 0.9, request.asked)

    def _about(self, name: str) -> list[int]:
        return [fact for fact in self.judge.knowledge.about(name)[:_READ] if self.judge.usable(fact)]
