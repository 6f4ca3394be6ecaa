"""One question about several subjects: "the headcount of Zorbax as well as that of Wixby". It is read as if it named one of them alone, and
what the fact that answers it asks is asked of the others."""

from lorekeep.answering import compare
from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.compose import Composed
from lorekeep.answering.decision import Decision
from lorekeep.answering.judge import Judge, join_answers
from lorekeep.answering.reading import standalone
from lorekeep.answering.rerank.reranker import Reranker

# Subjects of a question, facts about one that are read, and those of one subject that are tried.
_SUBJECTS, _ABOUT, _TRIED = 4, 8, 2
# The logit from which a fact answers for one subject, and that from which another asks the same of the next one.
_ANSWERS, _ASKS_SAME = 1.0, 1.0


def of_each_subject(question: str, best: Decision, judge: Judge, reranker: Reranker) -> Composed | None:
    """The answers for all subjects of a question, where a search found none or that for one of them."""
    names = judge.knowledge.subjects(question)
    if not 2 <= len(names) <= _SUBJECTS or is_closed(question) or compare.asks_comparison(question):
        return None
    if standalone.OR.search(question) or (
        best.answers and not best.missing and not _is_of_one(best, names, judge)
    ):
        return None
    chosen: tuple[float, list[int]] | None = None
    for name in names:
        asked = question
        for other in names:
            asked = standalone.renamed(asked, other, name)
        for logit, fact in sorted(_read(asked, name, judge, reranker), reverse=True)[:_TRIED]:
            made = _asked_of_others(logit, fact, name, names, judge, reranker) if logit >= _ANSWERS else None
            if made is not None and (chosen is None or made[0] > chosen[0]):
                chosen = made
    if chosen is None:
        return None
    facts = chosen[1]
    return Composed(
        "two in one",
        tuple(facts),
        join_answers([judge.router.entries[fact].output for fact in facts]),
        0.9,
        question,
    )


def _is_of_one(best: Decision, names: list[str], judge: Judge) -> bool:
    """Whether a search answered with one fact, about one of the names alone."""
    if len(best.facts) != 1 or best.way == "exact":
        return False
    entry = judge.router.entries[best.facts[0]]
    return sum(name in f"{entry.input} {entry.output}" for name in names) < 2


def _asked_of_others(
    logit: float, fact: int, name: str, names: list[str], judge: Judge, reranker: Reranker
) -> tuple[float, list[int]] | None:
    """The facts of all names that answer what a fact asks of one of them, by the order of the names, and the sum of their logits."""
    total, facts = logit, []
    for other in names:
        if other == name:
            facts.append(fact)
            continue
        asked = standalone.renamed(judge.router.entries[fact].input, name, other)
        its, best = max(_read(asked, other, judge, reranker), default=(-1.0, -1))
        if its < _ASKS_SAME:
            return None
        total += its
        facts.append(best)
    return (total, facts) if len(set(facts)) == len(facts) else None


def _read(asked: str, name: str, judge: Judge, reranker: Reranker) -> list[tuple[float, int]]:
    about = [fact for fact in judge.knowledge.about(name) if judge.usable(fact)]
    own = [fact for fact in about if judge.knowledge.subject(fact) == name]
    return reranker.read(asked, reranker.most_similar(asked, own, _ABOUT), judge)
