"""Denies a claim whose value belongs to another subject: "Did Ada make the Cloak?", where Ben made the Cloak and Ada the Lamp. Claim and
fact have the same relation if the fact about Ben answers the question with Ben in Ada's place."""

import re

from lorekeep.answering.judge import Judge
from lorekeep.answering.rerank.reranker import Reranker
from lorekeep.routing.words import words

# Minimum logit with which a fact answers the question about its own subject.
_MIN_ANSWER_LOGIT = 2.0
# Maximum number of facts checked whose answers the question names, and of subjects.
_MAX_FACTS_BY_ANSWER, _MAX_SUBJECTS = 6, 3


def contradicting_fact(question: str, judge: Judge, reranker: Reranker) -> int | None:
    """The fact that gives the subject of a claim another value than the claimed one."""
    knowledge, asks = judge.knowledge, judge.router.keys.asks
    subjects = knowledge.subjects(question)
    for fact in knowledge.facts_by_answer(question)[:_MAX_FACTS_BY_ANSWER] if subjects else ():
        own, value = knowledge.subject(fact), knowledge.value_words(fact)
        if not own or own in subjects or not judge.usable(fact):
            continue
        around = _without_name(fact, own, judge)
        for name in subjects[:_MAX_SUBJECTS]:
            mine = [
                one
                for one in knowledge.about(name)
                if (asks[one] == asks[fact] >= 0 or _without_name(one, name, judge) == around)
                and knowledge.subject(one) == name
                and judge.usable(one)
            ]
            is_value = {word.plain for word in words(name)} <= value
            if is_value or len(mine) != 1 or value <= knowledge.value_words(mine[0]):
                continue
            swapped = re.sub(re.escape(name), own.replace("\\", r"\\"), question, flags=re.IGNORECASE)
            read = reranker.read(swapped, [fact], judge)
            if read and read[0][0] >= _MIN_ANSWER_LOGIT:
                return mine[0]
    return None


def _without_name(fact: int, name: str, judge: Judge) -> str:
    """A fact's question without a name. Facts with the same remaining words ask the same, also where the keys do not tell."""
    return judge.router.entries[fact].input.replace(name, " ").lower()
