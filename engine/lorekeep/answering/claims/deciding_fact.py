"""The fact that decides a yes-or-no question: of the facts near it and those about its subjects, the one that answers it by the
cross-encoder, and decides it by the network of verdicts. It may lack a name that is claimed: "Is Drossel Keep in Ostrelle?" """

from collections.abc import Sequence

import numpy as np

from lorekeep.answering.claims import verdicts
from lorekeep.answering.judge import Judge
from lorekeep.answering.rerank.reranker import RankedFact, Reranker, likeness_of, logit_of
from lorekeep.routing.words import STOP, words

# Facts about the subjects of a claim that are read, such subjects, and facts that are read by the second network.
_ABOUT, _SUBJECTS, _SUREST = 24, 2, 6
# The sum of both logits from which a fact decides, and by how much that of another exceeds it.
_DECIDES, _FAR_SURER = 1.5, 3.0
# Words of a name by which a question means it.
_OF_NAME = 2


def deciding_fact(
    asked: str, judge: Judge, reranker: Reranker, also: Sequence[int] = ()
) -> RankedFact | None:
    """The fact that decides a claim, which may be one that is `also` read."""
    logit, fact = _surest(
        asked, list(dict.fromkeys([*also, *_facts(asked, judge, reranker)])), judge, reranker
    )
    return RankedFact(fact, likeness_of(logit)) if logit >= _DECIDES else None


def surer_deciding_fact(
    asked: str, judge: Judge, reranker: Reranker, than: Sequence[int]
) -> RankedFact | None:
    """The fact that decides a claim far more surely than those that a search found for it."""
    its, _ = _surest(asked, list(than), judge, reranker)
    found = deciding_fact(asked, judge, reranker) if its < _DECIDES else None
    return found if found and logit_of(found.likeness) > its + _FAR_SURER else None


def _surest(asked: str, facts: list[int], judge: Judge, reranker: Reranker) -> tuple[float, int]:
    """The highest sum of both logits, with its fact."""
    read = sorted(reranker.read(asked, facts, judge), reverse=True)[:_SUREST]
    decides = verdicts.decision_logits(asked, [fact for _, fact in read], judge) if read else None
    sums = ((logit + own, fact) for (logit, fact), own in zip(read, decides or [], strict=False))
    return max(sums, default=(-np.inf, -1))


def _facts(asked: str, judge: Judge, reranker: Reranker) -> list[int]:
    """The facts near a claim, and those about its subjects, but for those about what it does not name."""
    names = judge.knowledge.subjects(asked)
    about = [judge.knowledge.about(name) for name in names] if len(names) <= _SUBJECTS else []
    # What the whole memory is about needs no name: "Are you open on Sunday?"
    said = {word.plain for word in words(asked)} | judge.knowledge.home_words
    facts = [fact for some in about for fact in some if judge.usable(fact)][:_ABOUT]
    near = reranker.nearest(asked, _ABOUT, judge, for_all=False)
    return list(
        dict.fromkeys([*facts, *(fact for fact in near if _is_about(judge.knowledge.subject(fact), said))])
    )


def _is_about(name: str, said: set[str]) -> bool:
    """Whether a question has the name that a fact is about, or enough of it."""
    its = {word.plain for word in words(name)} - STOP
    return len(its & said) >= min(len(its), _OF_NAME)
