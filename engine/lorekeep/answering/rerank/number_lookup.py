"""Finds the one fact with a number that a question names: "Missed a call from 0555 204 771, who is that?" Such a fact needs to share
nothing else with the question."""

import re

from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.judge import Judge
from lorekeep.answering.rerank.reranker import Reranker
from lorekeep.answering.word_match import roots
from lorekeep.routing.words import words

# Shorter numbers are too ambiguous: they may be any amount.
_MIN_DIGITS = 3
# Logit up to which a fact does not answer, although it has the number.
_MIN_LOGIT = -8.0
_ASKS = re.compile(r"\b(?:what|which|who|whom|whose)(?:['’]?s)?\b", re.IGNORECASE)


def fact_with_number(question: str, judge: Judge, reranker: Reranker) -> int | None:
    """The only fact whose answer has all long numbers of a question, where the question does not name the subject of the fact."""
    if not _ASKS.search(question) or is_closed(question):
        return None
    numbers = [word.plain for word in words(question) if sum(c.isdigit() for c in word.plain) >= _MIN_DIGITS]
    index = judge.taught_words.answers
    if not numbers or any(one not in index for one in numbers):
        return None
    found = set(index[numbers[0]]).intersection(*(index[one] for one in numbers[1:]))
    facts = [fact for fact in sorted(found) if judge.usable(fact)]
    if len(facts) != 1:
        return None
    (fact,) = facts
    entry, subject = judge.router.entries[fact], roots(judge.knowledge.subject(fact))
    if set(numbers) & roots(entry.input) or (subject and subject <= roots(question)):
        return None
    read = reranker.read(question, [fact], judge)
    return fact if read and read[0][0] > _MIN_LOGIT and not reranker.lacks_name(question, [fact]) else None
