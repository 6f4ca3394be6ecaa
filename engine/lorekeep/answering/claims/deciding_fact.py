"""Finds the fact that decides a yes-or-no question, among the facts near it and those about its subjects. The fact answers it by the
cross-encoder, and decides it by the network of verdicts. It may lack a claimed name: "Is Drossel Keep in Ostrelle?" """

from collections.abc import Sequence

import numpy as np

from lorekeep.answering.claims import verdicts
from lorekeep.answering.judge import Judge
from lorekeep.answering.rerank.reranker import RankedFact, Reranker, likeness_of, logit_of
from lorekeep.routing.words import STOP, words

# Maximum number of facts read about the subjects of a claim, of such subjects, and of facts read by the network of verdicts.
_MAX_FACTS, _MAX_SUBJECTS, _MAX_VERDICTS = 24, 2, 6
# Minimum sum of both logits of a deciding fact, and the margin by which a surer fact exceeds the sum of another.
_MIN_LOGIT_SUM, _SURER_MARGIN = 1.5, 3.0
# Number of words of a name that are enough to refer to it.
_MIN_NAME_WORDS = 2


def deciding_fact(
    asked: str, judge: Judge, reranker: Reranker, also: Sequence[int] = ()
) -> RankedFact | None:
    """The fact that decides a claim. The facts of `also` are candidates as well."""
    logit, fact = _best_fact(
        asked, list(dict.fromkeys([*also, *_candidates(asked, judge, reranker)])), judge, reranker
    )
    return RankedFact(fact, likeness_of(logit)) if logit >= _MIN_LOGIT_SUM else None


def surer_deciding_fact(
    asked: str, judge: Judge, reranker: Reranker, than: Sequence[int]
) -> RankedFact | None:
    """The fact that decides a claim, if its logit sum exceeds those of the facts that a search found by a margin."""
    its, _ = _best_fact(asked, list(than), judge, reranker)
    found = deciding_fact(asked, judge, reranker) if its < _MIN_LOGIT_SUM else None
    return found if found and logit_of(found.likeness) > its + _SURER_MARGIN else None


def _best_fact(asked: str, facts: list[int], judge: Judge, reranker: Reranker) -> tuple[float, int]:
    """The highest sum of both logits, and its fact."""
    read = sorted(reranker.read(asked, facts, judge), reverse=True)[:_MAX_VERDICTS]
    decides = verdicts.decision_logits(asked, [fact for _, fact in read], judge) if read else None
    sums = ((logit + own, fact) for (logit, fact), own in zip(read, decides or [], strict=False))
    return max(sums, default=(-np.inf, -1))


def _candidates(asked: str, judge: Judge, reranker: Reranker) -> list[int]:
    """The facts about the subjects of a claim, and the facts near it whose subject it names."""
    names = judge.knowledge.subjects(asked)
    about = [judge.knowledge.about(name) for name in names] if len(names) <= _MAX_SUBJECTS else []
    # The subject of the whole memory needs no name: "Are you open on Sunday?"
    said = {word.plain for word in words(asked)} | judge.knowledge.home_words
    facts = [fact for some in about for fact in some if judge.usable(fact)][:_MAX_FACTS]
    near = reranker.nearest(asked, _MAX_FACTS, judge, for_all=False)
    return list(
        dict.fromkeys([*facts, *(fact for fact in near if _is_about(judge.knowledge.subject(fact), said))])
    )


def _is_about(name: str, said: set[str]) -> bool:
    """Whether a question has the name of a fact's subject, or enough words of it."""
    its = {word.plain for word in words(name)} - STOP
    return len(its & said) >= min(len(its), _MIN_NAME_WORDS)
