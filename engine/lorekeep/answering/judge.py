"""Judges rewritten questions: each is routed like an ordinary question, and only a match that passes the model's own gate
counts. All questions of one step are embedded together."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lorekeep import contract
from lorekeep.answering.knowledge import Knowledge, number
from lorekeep.answering.reading.relatives import asks_other
from lorekeep.answering.reading.taught_words import TaughtWords
from lorekeep.answering.value_lookup import facts_with_value
from lorekeep.routing.contradictions.direction import same_side
from lorekeep.routing.question_kind import answer_kind
from lorekeep.routing.relation import ALIKE, actions, asks_for, relation_text
from lorekeep.routing.router import Match, content_prefixes
from lorekeep.routing.words import STRONG, words

# Reversed questions: minimum likeness to the taught relation; maximum distance of further answers to the best one (larger
# for plural questions); maximum number of answers.
_MIN_TURNED, _MARGIN, _MAX_ANSWERS = 0.5, 0.06, 12
_MIN_PLURAL, _PLURAL_MARGIN = 0.4, 0.3
# Maximum facts that share a distinctive code or amount; likeness bonus for it, and for a question about a place ("which is in it?").
_MAX_DISTINCTIVE_FACTS, _NUMBER_BONUS, _PLACE_BONUS = 2, 0.2, 0.2
_ORGANISATION = re.compile(
    r"\b(?:company|firm|organi[sz]ation|business|employer|institution)\b", re.IGNORECASE
)
_ASKS_AMOUNT = re.compile(r"\bhow (?:many|much|old|long|far|tall|big|heavy|often)\b", re.IGNORECASE)
_IN_IT = re.compile(r"\b(?:in|from|at|near|on) it\b")
_IN_WHICH = re.compile(r"\W*(?:in|at|on|from|to) (?:which|what)\b", re.IGNORECASE)
# Maximum rewritten questions per request, which bounds its cost.
_MAX_QUESTIONS = 64
_PLURAL = re.compile(
    r"\W*(?:which|what|list|name|tell me)(?: all)?(?: the)? (?!is\b|does\b|was\b|has\b)[a-z]+s\b(?<!ss)",
    re.IGNORECASE,
)
# Mutually exclusive kinds of answers.
_APART = {"person", "time", "place", "reason", "count", "money"}


@dataclass(frozen=True)
class FactAnswer:
    """An answered question: its facts, and the answer."""

    facts: tuple[int, ...]
    text: str
    likeness: float
    turned: bool = False  # reversed: the answer is the subject of the facts


class Judge:
    def __init__(
        self,
        knowledge: Knowledge,
        budget: contract.Gate,
        usable: Callable[[int], bool],
        without: frozenset[int],
        taught_words: TaughtWords,
    ):
        self.knowledge, self.without = knowledge, without
        self.usable: Callable[[int], bool] = lambda fact: fact not in without and usable(fact)
        self.budget: contract.Gate = budget
        self.taught_words = taught_words
        self.router = knowledge.router
        self.known: dict[str, FactAnswer | None] = {}
        self.routed: dict[str, Match | None] = {}  # the router's match of each question
        self.logits: dict[tuple[str, int], float] = {}  # of the reranker, by question and fact
        self.chances: dict[tuple[str, str], np.ndarray] = {}  # of the verdicts, by claim and fact text

    def best_answer(self, questions: list[str]) -> FactAnswer | None:
        """The best answer for several wordings of one question."""
        self._prefetch_embeddings(questions)
        steps = [step for one in questions if (step := self.question_answer(one)) is not None]
        return max(steps, key=lambda step: step.likeness) if steps else None

    def question_answer(self, question: str) -> FactAnswer | None:
        if question not in self.known:
            if len(self.known) >= _MAX_QUESTIONS:
                return None
            self.known[question] = self._either_direction(question)
        return self.known[question]

    def _either_direction(self, question: str) -> FactAnswer | None:
        direct, back = self.direct(question), self.reversed_answer(question)
        if direct is not None and back is not None and len(back.facts) > 1 and _PLURAL.match(question):
            return back  # "Which products does it make?" asks for all that it makes
        if direct is None or (back is not None and back.likeness > direct.likeness):
            return back
        return direct

    def direct(self, question: str) -> FactAnswer | None:
        found = self.router_match(question)
        if found is None or not found.passed or self.of_other_kind(question, found):
            return None
        return self.step(found)

    def router_match(self, question: str) -> Match | None:
        """The router's match, passed only if its fact may be recited."""
        if question not in self.routed:
            found = self.router.route(question, self.budget, without=self.without)
            if found is not None and not self.usable(found.fact):
                found.passed = False
            self.routed[question] = found
        return self.routed[question]

    def of_other_kind(self, question: str, found: Match) -> bool:
        """Whether two questions ask for different kinds, such as a person and a time, so that similar words are no match."""
        taught = self.router.entries[found.fact].input
        kinds = {answer_kind(question), answer_kind(taught)}
        if found.way == "exact":
            return False
        if asks_other(question, self.router.entries[found.fact]):
            return True
        return (len(kinds) == 2 and kinds <= _APART) or ("person" in kinds and bool(_IN_WHICH.match(taught)))

    def other(self, questions: list[str], taken: frozenset[int]) -> FactAnswer | None:
        """The best answer among the facts that are not used yet."""
        limit = self.router.gate.asks[self.budget]
        taken |= self.without
        found = [self.router.by_name(one, taken, contradictions=True) for one in questions]
        steps = [step for one in found if one and one.likeness >= limit and (step := self.step(one))]
        return max(steps, key=lambda step: step.likeness) if steps else None

    def step(self, found: Match) -> FactAnswer | None:
        if not self.usable(found.fact):
            return None
        likeness = 2.0 if found.way == "exact" else found.likeness
        return FactAnswer((found.fact,), self.router.entries[found.fact].output, likeness)

    def reversed_answer(self, question: str) -> FactAnswer | None:
        """The answer to a reversed question: the subjects of the facts with this answer and relation, or statements about a value."""
        if (step := self._by_subject(question)) is not None:
            return step
        found = facts_with_value(question, self.knowledge, self.usable)
        return found and FactAnswer(*found, turned=True)

    def _by_subject(self, question: str) -> FactAnswer | None:
        if _ASKS_AMOUNT.search(question):
            return None  # an amount is never the subject of a fact
        near = [fact for fact in self.knowledge.facts_by_answer(question) if self._may_turn(question, fact)]
        distinctive = len(near) <= _MAX_DISTINCTIVE_FACTS
        embed = self.router.embed
        if not near or embed is None:
            return None
        liked: list[tuple[float, int]] = []
        for fact in near:
            value = self._value_in(question, fact)
            ask = relation_text(question, value)
            its = relation_text(self.router.entries[fact].input, self.router.keys.names[fact])
            likeness = float(
                self.router.asks_F_D[self.router.keys.asks[fact]]
                @ self.router.likeness.project(embed([ask])[0])
            )
            # "Where" and "when" fit both directions; "who" and "which" do not.
            kind, taught = asks_for(ask), asks_for(its)
            if kind == taught and kind in ("when", "where"):
                likeness -= ALIKE
            elif kind in ("when", "where") and not content_prefixes(ask) & content_prefixes(its):
                likeness -= ALIKE  # a place or a time is rarely the subject of a fact
            elif taught == "where" and _IN_IT.search(ask):
                likeness += _PLACE_BONUS
            if distinctive and any(c.isdigit() for word in value for c in word):
                likeness += _NUMBER_BONUS
            liked.append((likeness, fact))
        top = max(likeness for likeness, _ in liked)
        least, beside = (_MIN_PLURAL, _PLURAL_MARGIN) if _PLURAL.match(question) else (_MIN_TURNED, _MARGIN)
        if top < least:
            return None
        best = [fact for likeness, fact in liked if likeness >= top - beside]
        names = list(dict.fromkeys(self.knowledge.subject(fact) for fact in best))
        if len(names) > _MAX_ANSWERS:
            return None
        return FactAnswer(tuple(best), join_answers(names), top, turned=True)

    def _value_in(self, question: str, fact: int) -> set[str]:
        """The words of a question that name the answer of a fact."""
        value = self.knowledge.value_words(fact)
        return {word.plain for word in words(question) if number(word.plain) in value}

    def _may_turn(self, question: str, fact: int) -> bool:
        names = self.router.keys.names[fact]
        if self.router.keys.asks[fact] < 0 or fact in self.router.languages or not self.usable(fact):
            return False
        said = {word.plain for word in words(question)}
        subject = self.knowledge.subject(fact)
        if subject == self.knowledge.home and not _ORGANISATION.search(question):
            return False  # the main subject of the memory is no answer
        if names.keys() <= said or not any(c.isalpha() for c in subject):
            return False  # the question names the subject, so it does not ask for it
        value = self._value_in(question, fact)
        mine, its = actions(question), actions(self.router.entries[fact].input)
        if mine and its and not mine & its:
            return False  # "Who founded it?" is not answered by who bought it
        if same_side(relation_text(question, value), relation_text(self.router.entries[fact].input, names)):
            return False  # "Who taught Ada?" is not answered by whom Ada taught
        taught = {word.plain for word in words(self.router.entries[fact].input)}
        strangers = {
            word
            for word, strength in self.router.named.vocabulary.names(question).items()
            if strength == STRONG and word not in value and word not in taught | self.router.named.home
        }
        return not strangers

    def _prefetch_embeddings(self, questions: list[str]) -> None:
        if self.router.embed is None:
            return
        asks = []
        for question in questions:
            hits, named = self.router.named.hits(question)
            if hits and question not in self.known and len(self.known) + len(asks) < _MAX_QUESTIONS:
                asks.append(relation_text(question, named))
        if len(asks) > 1:
            self.router.embed(list(dict.fromkeys(asks)))


def join_answers(parts: list[str]) -> str:
    """Joins answers: "a", "a and b", "a, b and c"; texts of several sentences on separate lines."""
    if any("\n" in part or ". " in part for part in parts):
        return "\n".join(parts)
    parts = [part.rstrip(".") for part in parts[:-1]] + parts[-1:]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
