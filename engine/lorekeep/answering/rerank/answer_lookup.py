"""Finds the fact whose whole answer a question names while it asks for the subject of that fact: "Which guild asks 18 silver marks of
newcomers?" The question may express the relation in words that the fact does not share."""

import re

from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.judge import Judge
from lorekeep.answering.knowledge import number
from lorekeep.answering.reading import standalone
from lorekeep.answering.rerank.reranker import RankedFact, Reranker, likeness_of
from lorekeep.routing.words import words

# Minimum logit of the fact, and its margin over all other facts.
_MIN_LOGIT, _MARGIN = -3.0, 2.0
# Maximum numbers of facts whose answers a question names, and of other facts that are read.
_MAX_NAMED, _MAX_OTHERS = 6, 12
_ASKS = re.compile(r"\b(?:what|which|who|whom|whose|where)(?:['’]?s)?\b", re.IGNORECASE)
_QUOTED, _MAX_SHORT_QUOTE = re.compile(r"[\"“”']([^\"“”]{8,200})[\"“”']"), 2
# "Which island does Ada Quist come from?" asks about her.
_ASKED_OF = re.compile(
    r"\b(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|of|about|for)\s+(?:the |our |captain |dr\.? |mrs?\.? )*$",
    re.IGNORECASE,
)


def named_answer(question: str, judge: Judge, reranker: Reranker) -> RankedFact | None:
    knowledge = judge.knowledge
    if not _ASKS.search(question) or is_closed(question) or standalone.asks_nothing(question, set()):
        return None
    named = [
        fact
        for fact in knowledge.facts_by_answer(question)
        if judge.usable(fact) and fact not in judge.router.languages and knowledge.subject(fact)
    ]
    if not named or len(named) > _MAX_NAMED:
        return None
    logit, fact = max(reranker.read(question, named, judge), default=(_MIN_LOGIT - 1, named[0]))
    value = _answer_span(question, fact, judge)
    beside = f"{question[: value[0]]} {question[value[1] :]}"
    if logit < _MIN_LOGIT or knowledge.subjects(beside) or reranker.lacks_name(question, [fact]):
        return None
    if _ASKED_OF.search(question[: value[0]]) or question[value[1] :].startswith(("'s", "’s")):
        return None
    near = reranker.nearest(question, _MAX_OTHERS, judge, for_all=False)
    # A fact whose answer is the subject does not compete: "On which moon is the mine? Crumb" beside "Who discovered Crumb?"
    same = {one for one in near if judge.router.entries[one].output == knowledge.subject(fact)}
    others = {*named, *near} - {fact} - same
    best = max((one for one, _ in reranker.read(question, sorted(others), judge)), default=-_MARGIN + logit)
    return RankedFact(fact, likeness_of(logit)) if best <= logit - _MARGIN else None


def quoted_answer(question: str, judge: Judge) -> int | None:
    """The only fact whose whole answer a question quotes: "Light owed is light given" - whose motto is that?" """
    for said in _QUOTED.findall(question) if _ASKS.search(question) else ():
        bare = said.strip(" .,!?")
        facts = {
            fact
            for end in ("", ".", "!", "?")
            for fact in judge.knowledge.answering.get(bare + end, ())
            if judge.usable(fact)
        }
        if len(facts) == 1 and len(bare.split()) > _MAX_SHORT_QUOTE:
            return facts.pop()
    return None


def _answer_span(question: str, fact: int, judge: Judge) -> tuple[int, int]:
    """The span of a question that names the answer of a fact."""
    value = judge.knowledge.value_words(fact)
    said = [word for word in words(question) if number(word.plain) in value]
    return said[0].start, said[-1].end
