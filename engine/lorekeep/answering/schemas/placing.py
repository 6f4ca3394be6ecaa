"""Places the answer to a message into the fields of a schema that are for it: the only field, "answer", the text that may be meant by the
question, and fields that have a part of it, such as the currency of an amount."""

from collections.abc import Sequence
from dataclasses import dataclass

from lorekeep.answering.decision import Decision
from lorekeep.answering.judge import FactAnswer
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.objects.key_kinds import may_have
from lorekeep.answering.schemas.fields import QUESTION_KEYS, Field
from lorekeep.answering.schemas.lookup import Answers
from lorekeep.answering.schemas.values import items_of, values_of
from lorekeep.answering.word_match import roots
from lorekeep.routing.question_kind import answer_kind

# Keys whose value belongs to that of another field.
_COMPANIONS = frozenset(["currency", "unit", "units"])


@dataclass(frozen=True)
class Told:
    """The answer to a message."""

    step: FactAnswer
    parts: Sequence[str] = ()  # the answers of which it is made, if there are several

    @property
    def items(self) -> Sequence[str]:
        return self.parts or items_of(self.step.text)


def told_by(decision: Decision, knowledge: Knowledge) -> Told:
    text = decision.answer(knowledge)
    outputs = [knowledge.entries[fact].output for fact in decision.facts]
    each = decision.way in ("list", "two in one") and all(output.rstrip(".") in text for output in outputs)
    return Told(
        FactAnswer(tuple(decision.facts), text, decision.likeness),
        outputs if each and len(outputs) > 1 else (),
    )


def placed(
    told: Told, fields: Sequence[Field], answers: Answers, asked: str, knowledge: Knowledge
) -> Answers:
    """The answer to `asked` by the paths of the fields that it is for. `answers` are those of other fields."""
    free = [one for one in fields if one.path not in answers and one.shape.records is None]
    if len(fields) == 1:
        return {one.path: told.step for one in free}
    found = _by_question_word(told, free, knowledge)
    used = {fact for step in (*answers.values(), *found.values()) for fact in step.facts}
    found |= {one.path: told.step for one in free if one.is_answer}
    if not any(one.is_answer for one in free) and not set(told.step.facts) <= used:
        found |= {one.path: told.step for one in _texts(told, free, asked)[:1]}
    if len(told.step.facts) == 1:
        found |= {
            one.path: told.step for one in free if one.path not in found and _is_part(one, told, knowledge)
        }
    return found


def _by_question_word(told: Told, fields: Sequence[Field], knowledge: Knowledge) -> Answers:
    """The facts of an answer for the keys "who" and "when"."""
    found: Answers = {}
    for one in fields:
        kind = QUESTION_KEYS.get(one.key)
        own = [
            fact for fact in told.step.facts if kind and answer_kind(knowledge.entries[fact].input) == kind
        ]
        if len(own) == 1:
            found[one.path] = FactAnswer((own[0],), knowledge.entries[own[0]].output, told.step.likeness)
    return found


def companions(fields: Sequence[Field], answers: Answers) -> Answers:
    """The answers of other fields for the currency or the unit that is chosen of several."""
    found: Answers = {}
    for one in fields:
        if one.path in answers or not _COMPANIONS & set(one.key.split()):
            continue
        having = [
            step for step in answers.values() if any(values_of(step.text, (), other, "") for other in one.shape.alternatives if other.choices)
        ]  # fmt: skip
        if len({step.text for step in having}) == 1:
            found[one.path] = having[0]
    return found


def _texts(told: Told, fields: Sequence[Field], asked: str) -> list[Field]:
    """The texts that an answer may be, by the question."""
    if told.parts:
        return []
    return [one for one in fields if one.shape.is_text and not one.is_remark and may_have(one.key, asked)]


def _is_part(one: Field, told: Told, knowledge: Knowledge) -> bool:
    """Whether the answer of a fact may also have the value of another field: one of its allowed values, or what the question names."""
    asked = roots(knowledge.entries[told.step.facts[0]].input)
    chosen = any(other.choices is not None for other in one.shape.alternatives)
    return not one.shape.is_text and not one.is_remark and (chosen or bool(asked & roots(one.key)))
