"""Decides a claim that a fact tells of something else: "Did Ada make the Cloak?", where the Cloak is Ben's and Ada made the Lamp. The claim
is of the same relation if that fact answers the question with Ben in Ada's place."""

import re

from lorekeep.answering.judge import Judge
from lorekeep.answering.rerank.reranker import Reranker
from lorekeep.routing.words import words

# The logit from which a fact answers the question about its own subject.
_ANSWERS = 2.0
# Facts that a question names the answers of, and subjects, that are looked at.
_CLAIMED, _SUBJECTS = 6, 3


def contradicting_fact(question: str, judge: Judge, reranker: Reranker) -> int | None:
    """The fact that says something else of the subject of a claim."""
    knowledge, asks = judge.knowledge, judge.router.keys.asks
    subjects = knowledge.subjects(question)
    for fact in knowledge.facts_by_answer(question)[:_CLAIMED] if subjects else ():
        own, value = knowledge.subject(fact), knowledge.value_words(fact)
        if not own or own in subjects or not judge.usable(fact):
            continue
        around = _around(fact, own, judge)
        for name in subjects[:_SUBJECTS]:
            mine = [
                one
                for one in knowledge.about(name)
                if (asks[one] == asks[fact] >= 0 or _around(one, name, judge) == around)
                and knowledge.subject(one) == name
                and judge.usable(one)
            ]
            is_value = {word.plain for word in words(name)} <= value
            if is_value or len(mine) != 1 or value <= knowledge.value_words(mine[0]):
                continue
            swapped = re.sub(re.escape(name), own.replace("\\", r"\\"), question, flags=re.IGNORECASE)
            read = reranker.read(swapped, [fact], judge)
            if read and read[0][0] >= _ANSWERS:
                return mine[0]
    return None


def _around(fact: int, name: str, judge: Judge) -> str:
    """The words around a name in a fact's question: facts that have the same ask the same, also where the keys do not tell."""
    return judge.router.entries[fact].input.replace(name, " ").lower()
