"""One question about several subjects: "the headcount of Zorbax as well as that of Wixby". It is read as if it named one subject only, and
the question of the fact that answers it is then asked of the other subjects."""

from lorekeep.answering import compare
from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.compose import Composed
from lorekeep.answering.decision import Decision
from lorekeep.answering.judge import Judge, join_answers
from lorekeep.answering.reading import standalone
from lorekeep.answering.rerank.reranker import Reranker

# Maximum numbers of subjects of a question, of facts read about one subject, and of facts of one subject that are tried.
_MAX_SUBJECTS, _MAX_ABOUT, _MAX_TRIED = 4, 8, 2
# Minimum logits of the fact for the first subject, and of the fact with the same relation for each other subject.
_MIN_LOGIT, _MIN_OTHER_LOGIT = 1.0, 1.0


def of_each_subject(question: str, best: Decision, judge: Judge, reranker: Reranker) -> Composed | None:
    """The answers for all subjects of a question, where a search found none or only one of them."""
    names = judge.knowledge.subjects(question)
    if not 2 <= len(names) <= _MAX_SUBJECTS or is_closed(question) or compare.asks_comparison(question):
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
        for logit, fact in sorted(_read(asked, name, judge, reranker), reverse=True)[:_MAX_TRIED]:
            made = _facts_of_all(logit, fact, name, names, judge, reranker) if logit >= _MIN_LOGIT else None
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
    """Whether a search answered with one fact that is about only one of the names."""
    if len(best.facts) != 1 or best.way == "exact":
        return False
    entry = judge.router.entries[best.facts[0]]
    return sum(name in f"{entry.input} {entry.output}" for name in names) < 2


def _facts_of_all(
    logit: float, fact: int, name: str, names: list[str], judge: Judge, reranker: Reranker
) -> tuple[float, list[int]] | None:
    """The facts that answer the question of a fact for all names, in the order of the names, and the sum of their logits."""
    total, facts = logit, []
    for other in names:
        if other == name:
            facts.append(fact)
            continue
        asked = standalone.renamed(judge.router.entries[fact].input, name, other)
        its, best = max(_read(asked, other, judge, reranker), default=(-1.0, -1))
        if its < _MIN_OTHER_LOGIT:
            return None
        total += its
        facts.append(best)
    return (total, facts) if len(set(facts)) == len(facts) else None


def _read(asked: str, name: str, judge: Judge, reranker: Reranker) -> list[tuple[float, int]]:
    about = [fact for fact in judge.knowledge.about(name) if judge.usable(fact)]
    own = [fact for fact in about if judge.knowledge.subject(fact) == name]
    return reranker.read(asked, reranker.most_similar(asked, own, _MAX_ABOUT), judge)
