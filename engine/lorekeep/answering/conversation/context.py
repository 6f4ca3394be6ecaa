"""Finds the fact that a follow-up asks for, among the facts about the topic of the conversation: those whose questions
share rare words with the last question or its answer. "And for how long?" after a question about borrowed books."""

from lorekeep.answering.amounts import amounts
from lorekeep.answering.judge import FactAnswer, Judge
from lorekeep.answering.reading import standalone
from lorekeep.answering.reading.taught_words import root
from lorekeep.answering.word_match import KINDS, WordMatch, roots
from lorekeep.routing import question_kind
from lorekeep.routing.words import STOP

# Minimum score of an answer, and the score of a perfect fit.
_MIN_SCORE, _FULL_SCORE = 1.25, 2.2
# Minimum share of the follow-up's words in a fact: for a follow-up of names only, and for any other.
_MIN_NAME_COVER, _MIN_COVER = 0.99, 0.45
# For a follow-up without words of its own: minimum share of the topic's words in a fact, and minimum fit of the answer kind.
_MIN_TOPIC_SHARE, _MIN_FIT = 0.5, 0.7


class Context:
    """The topic of the last question: its words, and those of the fact that answered it."""

    def __init__(self, judge: Judge, question: str, answer: str, fact: int | None = None):
        self.judge, self.knowledge, self.match = judge, judge.knowledge, WordMatch(judge)
        self.entries, self.question = judge.knowledge.entries, question
        self.fact = self._answered(answer) if fact is None else fact
        said = roots(question)
        if self.fact is not None:
            value = self.knowledge.value_words(self.fact)
            said |= roots(self.entries[self.fact].input)
            said |= {root(word) for word in value if word not in STOP and not amounts(word)}
        self.said = said - self.match.home - KINDS

    def _answered(self, answer: str) -> int | None:
        """The fact that answered the last question."""
        facts = self.knowledge.answering.get(answer.strip(), [])
        if len(facts) == 1:
            return facts[0]
        found = self.judge.router_match(self.question)
        return found.fact if found is not None and found.passed else None

    def find(self, asked: str, again: bool) -> FactAnswer | None:
        """The fact that a follow-up asks for, if one fits clearly better than all others. `again`: the fact that
        answered the last question is a candidate too, and a noun that is no name may be requested."""
        bare = standalone.without_lead(asked)
        kind = question_kind.answer_kind(f"{bare}?")
        new = self.match.telling(bare, kind)
        only_names = kind == question_kind.UNKNOWN
        if only_names:
            if not again and not new <= self.judge.taught_words.names:
                return None
            kind = question_kind.answer_kind(self.question)
        near = dict.fromkeys(self.match.near(self.said))
        if self.fact is not None:
            near[self.fact] = None
        others = only_names or not again
        scored = [
            (self._score(fact, new, kind, only_names), fact)
            for fact in near
            if self.judge.usable(fact) and not (others and fact == self.fact)
        ]
        return self.match.best(scored, _MIN_SCORE, _FULL_SCORE)

    def _score(self, fact: int, new: set[str], kind: str, only_names: bool) -> float:
        entry = self.entries[fact]
        asks = roots(entry.input)
        cover, fit = self.match.cover(new, asks, roots(entry.output)), self.match.fit(kind, fact)
        shared = self.match.share(self.said, asks)
        if not fit or cover < (_MIN_NAME_COVER if only_names else _MIN_COVER):
            return 0.0
        if fact == self.fact:
            # The same fact answers again only with another kind of answer.
            gives = question_kind.is_of_kind(entry.output, kind)
            if kind == question_kind.answer_kind(entry.input) or (cover < 0.75 and not gives):
                return 0.0
        if not new and (fit < _MIN_FIT or (fact != self.fact and shared < _MIN_TOPIC_SHARE)):
            return 0.0
        return 0.7 * cover + 0.5 * fit + 0.7 * self.match.share(asks, self.said, new) + 0.3 * shared
