"""Decides how a request with a JSON schema is answered: each field gets the fact that answers for it, and the answer to the message itself
goes into the field that is for it. What no fact answers stays empty, and where that is not allowed, the request is not answered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lorekeep.answering.conversation.follow_up import FollowUps, Turn
from lorekeep.answering.decision import Decision, unknown
from lorekeep.answering.judge import FactAnswer, Judge
from lorekeep.answering.kinds.tables import Tables
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.policy import Policy
from lorekeep.answering.reading import standalone
from lorekeep.answering.reading.questions import is_inquiry
from lorekeep.answering.rerank.reranker import Reranker
from lorekeep.answering.schemas.fields import QUESTION_KEYS, Field, named
from lorekeep.answering.schemas.free import free_object
from lorekeep.answering.schemas.given import GivenAnswers, has_word_for_word, words_of
from lorekeep.answering.schemas.lookup import Answers, Lookup
from lorekeep.answering.schemas.message import Message, message_of
from lorekeep.answering.schemas.placing import Told, companions, placed, told_by
from lorekeep.answering.schemas.records import Records
from lorekeep.answering.word_match import roots
from lorekeep.infer.schemas.document import Document, Path, document, leaves, refusal
from lorekeep.infer.schemas.shape import shape_of


@dataclass(frozen=True)
class SchemaRequest:
    schema: Any
    text: str
    earlier: list[Turn]
    policy: Policy
    new_judge: Callable[[], Judge]
    plain: Callable[[str], Decision]  # decides a message as if no schema were requested


class SchemaDecisions:
    def __init__(self, knowledge: Knowledge, follow_ups: FollowUps, tables: Tables, reranker: Reranker):
        self.knowledge, self.follow_ups = knowledge, follow_ups
        self.tables, self.reranker = tables, reranker

    def decide(self, request: SchemaRequest) -> Decision:
        shape, composes = shape_of(request.schema), request.policy.composes
        message = message_of(request.text, request.earlier, composes, self.knowledge, self.follow_ups)
        if any(one.takes_any_object for one in shape.alternatives):
            return free_object(request.schema, message, request.plain, request.new_judge())
        return _Filling(self, request, message, [Field(*one) for one in leaves(shape).items()]).decision()


class _Filling:
    """The fields of one request."""

    def __init__(
        self, decisions: SchemaDecisions, request: SchemaRequest, message: Message, fields: list[Field]
    ):
        self.request, self.message, self.fields, self.policy = request, message, fields, request.policy
        self.knowledge, self.tables = decisions.knowledge, decisions.tables
        self.lookup = Lookup(decisions.reranker, request.new_judge)
        self.values = GivenAnswers(words_of(fields), self.policy.composes)

    def decision(self) -> Decision:
        said = None if self.message.asks_for_all else self.request.plain(self.message.bare)
        if said is not None and not self.message.searches and not said.answers:
            return said
        told = (
            said and told_by(said, self.knowledge) if said and said.answers and said.way != "json" else None
        )
        if self.message.searches:
            self.values.answers |= self._searched(said, told)
        if told is not None:
            found = placed(told, self.fields, self.values.answers, self.message.asked, self.knowledge)
            self.values.answers |= found
            self.values.items |= dict.fromkeys(found, told.parts)
        self.values.answers |= companions(self.fields, self.values.answers)
        self._add_names(said)
        # A remark on an answer is empty rather than the sentence that says that nothing is known.
        sentence = "" if any(one.is_remark for one in self.fields) else self.policy.sentence
        made = document(self.request.schema, self.values, sentence)
        if not self.values.answers:
            return self._without_facts(said or self.request.plain(self.message.bare))
        steps = [self.values.answers[path] for path in made.filled] if made.is_whole else []
        facts = list(dict.fromkeys(fact for step in steps for fact in step.facts))
        if not facts:
            return self._refused(made)
        return self._made(made, said, facts, min(1.0, *(step.likeness for step in steps)))

    def _searched(self, said: Decision | None, told: Told | None) -> Answers:
        """The facts for the fields by their own words, and the objects of arrays."""
        records, found = Records(self.lookup, self.tables, self.request.new_judge()), Answers()
        for one in self.fields:
            if one.shape.records is not None:
                found |= records.of(one, self.message, told, alone=len(self.fields) == 1)
        wanted = [one for one in self.fields if one.shape.records is None and self._is_searched(one, said)]
        if not wanted:
            return found
        if len(self.message.names) > 1:
            return found | self.lookup.of_each_group(self.message.names, wanted)
        if self.message.names:
            return found | self.lookup.about(self.message.names[0], wanted)
        return found | self.lookup.on_topic(self.message.asked, wanted)

    def _is_searched(self, one: Field, told: Decision | None) -> bool:
        if self.message.asks_for_all:
            return one.tells and not one.is_name_of(self.message.names)
        if not one.tells or one.is_answer or one.is_remark or one.key in QUESTION_KEYS:
            return False
        if one.is_name_of(self.message.names):
            return False
        if self._is_unanswered(told) and not roots(one.key) <= roots(self.message.asked):
            return False  # the year of what no fact tells is not the year of something else
        if len(self.fields) > 1:
            return True
        # The message asks for the only field, in whatever words.
        return not (told is not None and told.answers) and not standalone.STARTS_WH.match(self.message.asked)

    def _is_unanswered(self, told: Decision | None) -> bool:
        return told is not None and not told.answers and bool(standalone.STARTS_WH.match(self.message.asked))

    def _add_names(self, told: Decision | None) -> None:
        """The name of the only subject, where the message does not ask for a name."""
        used = {fact for one in self.values.answers.values() for fact in one.facts}
        placed = told is None or (set(told.facts) <= used and not any(one.is_answer for one in self.fields))
        if not used or not placed or len(self.message.names) != 1:
            return
        for one in self.fields:
            if one.is_name_of(self.message.names) and one.path not in self.values.answers:
                self.values.answers[one.path] = FactAnswer((), self.message.names[0], 1.0)

    def _made(self, made: Document, told: Decision | None, facts: list[int], likeness: float) -> Decision:
        lacks = f"; {self._without_values(made.empty)}" if made.empty else ""
        own = told is not None and told.answers and set(facts) == set(told.facts)
        if told is not None and own and len(made.filled) == 1 and told.outcome == "ground":
            return replace(told, reason=told.reason + lacks, draft=made.text)
        if told is not None and own and told.outcome == "recite":
            output = self.knowledge.entries[facts[0]].output
            if any(has_word_for_word(text, output) for text in made.filled.values()):
                return replace(told, reason=told.reason + lacks, draft=made.text)
        count = len(made.filled)
        reason = f"{count} of {count + len(made.empty)} fields are filled from facts{lacks}"
        return Decision("ground", "json", reason, facts, likeness, made.text, made.text)

    def _without_facts(self, told: Decision) -> Decision:
        """The decision where no field has a fact. A base may write values from facts only if the schema allows it to say nothing."""
        if told.answers:
            told = self._unknown("no fact answers for a field of the schema", told.facts, told.likeness)
        told.grounds = told.grounds and document(self.request.schema, self._nothing, "").is_whole
        return told

    @property
    def _nothing(self) -> GivenAnswers:
        return GivenAnswers({}, True)

    def _refused(self, made: Document) -> Decision:
        """The decision where the answers do not fit, or where a required value has none and cannot be empty."""
        answers = self.values.answers
        facts = list(dict.fromkeys(fact for step in answers.values() for fact in step.facts))
        lacks = list(dict.fromkeys(made.lacks or made.empty or [()]))
        required = ", which the schema requires" if made.lacks else ""
        reason = f"{self._without_values(lacks)}{required}"
        if any(path in answers for path in lacks):
            reason = self._without_values(lacks)
        return self._unknown(reason, facts, min(1.0, *(step.likeness for step in answers.values())))

    def _without_values(self, paths: Sequence[Path]) -> str:
        """The fields that have no value, as a report tells them."""
        told = [named(path) for path in paths if path in self.values.answers]
        untold = [named(path) for path in paths if path not in self.values.answers]
        parts = [f"nothing was taught for: {', '.join(untold)}"] if untold else []
        parts += [f"the taught answer is no value of: {', '.join(told)}"] if told else []
        return "; ".join(parts)

    def _unknown(self, reason: str, facts: list[int], likeness: float) -> Decision:
        decision = Decision("base", "base", reason, facts, likeness)
        decision.open = is_inquiry(self.message.asked)
        if self.policy.closed or not self.policy.composes or self.policy.unknown == "say":
            decision.draft = refusal(self.request.schema, self.policy.sentence)
            return unknown(decision, reason)
        return decision
