"""Finds the fact that has all words of a question or a claim, where the router's networks found no match."""

from lorekeep.answering.claims import clause_match
from lorekeep.answering.claims.open_questions import open_questions
from lorekeep.answering.claims.with_verdict import with_verdict
from lorekeep.answering.codes import code_of
from lorekeep.answering.compose import Composed
from lorekeep.answering.decision import Decision, composed_decision, recite
from lorekeep.answering.judge import Judge
from lorekeep.answering.reading.questions import is_question
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.reranker import Reranker
from lorekeep.answering.roles import role_of
from lorekeep.answering.word_match import WordMatch
from lorekeep.routing.router import Match

# Likeness of a fact with a clause that has all words of a claim.
_CLAUSE_LIKENESS = 0.6


def question_decision(asked: str, judge: Judge) -> Decision | None:
    """The fact that has all words of a question, where the router's networks found no match."""
    for said in (asked, judge.taught_words.synonyms(asked)):
        match = WordMatch(judge)
        if said and (step := role_of(said, match) or code_of(said, match) or match.subject_of(said)):
            return composed_decision(
                Composed("reversed", step.facts, step.text, step.likeness, asked), None, asked, ""
            )
        if said and is_question(said) and (step := WordMatch(judge).search(said)) is not None:
            return recite(
                Match(step.facts[0], step.likeness, "meaning", True),
                "a fact has all words of the question",
            )
    return None


def claim_decision(request: Request, judge: Judge, reranker: Reranker) -> Decision | None:
    """The fact that says whether the amount or the day in a yes-or-no question is right."""
    for asked in open_questions(request.asked):
        recited = question_decision(asked, judge)
        sure = recited and with_verdict(recited, request, judge, reranker)
        if sure and sure.outcome == "ground":
            return sure
    said = clause_match.search(request.asked, WordMatch(judge))
    if said is None:
        return None
    match = Match(said[1], _CLAUSE_LIKENESS, "meaning", True)
    recited = recite(match, "a clause of a fact has all words of the question")
    return with_verdict(recited, request, judge, reranker)
