"""Answers to yes-or-no questions by one fact: Yes or No, which rules or the network of verdicts decide, and what the fact says."""

from dataclasses import replace

from lorekeep.answering.claims import comparisons, covered, verdicts
from lorekeep.answering.claims.measured import by_measure
from lorekeep.answering.claims.swapped import refuting
from lorekeep.answering.decision import Decision, recite
from lorekeep.answering.judge import Judge
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.reranker import Found, Reranker, likeness_of
from lorekeep.answering.word_match import WordMatch
from lorekeep.routing import question_kind
from lorekeep.routing.by_meaning import sure_names
from lorekeep.routing.router import Match
from lorekeep.routing.vectors import Vectors
from lorekeep.routing.words import STOP, words

# The bar for a fact that decides a yes-or-no question is lower by so much.
_LESS_SURE = -1.5
_REFUTES = 0.9
# Facts about the subjects of a claim that are read, the logit from which one answers, and such subjects.
_ABOUT, _ANSWERS, _SUBJECTS = 24, 2.0, 2
# Words of a name by which a question means it.
_OF_NAME = 2


def load_networks(vectors: Vectors | None) -> None:
    for one in (verdicts, comparisons):
        one.network(vectors)


def verified(best: Decision, request: Request, judge: Judge, reranker: Reranker) -> Decision:
    """A decision with Yes or No put before what its one fact says, if that decides the question."""
    if request.form not in ("plain", "yes or no"):
        return best
    if not best.answers or best.way in ("hops", "reversed"):
        refuted = _refuted(request, judge, reranker)
        if refuted is not None:
            return refuted
    if not best.answers:
        return _decided(request, judge, reranker) or best
    if best.way == "yes or no" and len(best.facts) == 1:
        true = _by_measures(request, best.facts[0], judge)
        if true is None or (best.text or "").startswith("Yes" if true else "No"):
            return best
        return _said(true, best, request, judge)
    turned = best.way == "reversed" and len(best.facts) == 1
    if best.outcome != "recite" and not turned:
        return best
    fact = best.facts[0]
    true = _verdict(request, fact, judge, compares=not turned)
    return best if true is None else _said(true, best, request, judge)


def _refuted(request: Request, judge: Judge, reranker: Reranker) -> Decision | None:
    """The decision by a fact that says something else than what is claimed."""
    wanted = verdicts.wants(request.asked, request.form)
    fact = refuting(request.asked, judge, reranker) if wanted else None
    if fact is None:
        return None
    found = Match(fact, _REFUTES, "meaning", True)
    return _said(False, recite(found, "a fact says something else of the same"), request, judge)


def _decided(request: Request, judge: Judge, reranker: Reranker) -> Decision | None:
    """The decision by a fact that less surely answers, and surely decides."""
    if not (verdicts.wants(request.asked, request.form) or verdicts.may_be_closed(request.asked)):
        return None
    near = reranker.find(request.asked, judge, more=_LESS_SURE)
    near = near or _of_subject(request.asked, judge, reranker)
    true = near and _verdict(request, near.fact, judge, compares=False)
    if near is None or true is None or (true and reranker.lacks(request.asked, [near.fact])):
        return None
    found = Match(near.fact, near.likeness, "meaning", True)
    return _said(true, recite(found, "a fact that was read beside the question decides it"), request, judge)


def _has_names(asked: str, fact: int, judge: Judge) -> bool:
    """Whether a fact has every known name of a claim that it is to confirm."""
    entry = judge.router.entries[fact]
    its = {word.plain for word in words(f"{entry.input} {entry.output}")}
    return all({word.plain for word in words(name)} - STOP <= its for name in judge.knowledge.subjects(asked))


def _is_told(asked: str, fact: int, judge: Judge) -> bool:
    """Whether the names that a claim has beside the question of a fact are all in its answer: "So Guango Street is the right road?" """
    entry, vocabulary = judge.router.entries[fact], judge.router.named.vocabulary
    claimed = sure_names(asked, vocabulary) - {word.plain for word in words(entry.input)}
    told = {word.plain for word in words(entry.output)}
    return bool(claimed) and claimed <= told and not question_kind.negated(f"{asked} {entry.output}")


def _of_subject(asked: str, judge: Judge, reranker: Reranker) -> Found | None:
    """The fact about one of the subjects of a claim, or about none, that answers it even if it lacks a name that is claimed: "Has the
    Hornet a V10?", "So Ada Quist keeps the museum?" """
    names = judge.knowledge.subjects(asked)
    about = [judge.knowledge.about(name) for name in names] if len(names) <= _SUBJECTS else []
    said = {word.plain for word in words(asked)}
    facts = [fact for some in about for fact in some if judge.usable(fact)][:_ABOUT]
    facts += [
        fact
        for fact in reranker.nearest(asked, _ABOUT, judge, for_all=False)
        if _is_about(judge.knowledge.subject(fact), said)
    ]
    logit, fact = max(reranker.read(asked, list(dict.fromkeys(facts)), judge), default=(0.0, -1))
    return Found(fact, likeness_of(logit)) if logit >= _ANSWERS else None


def _is_about(name: str, said: set[str]) -> bool:
    """Whether a question has the name that a fact is about, or enough of it."""
    its = {word.plain for word in words(name)} - STOP
    return len(its & said) >= min(len(its), _OF_NAME)


def _verdict(request: Request, fact: int, judge: Judge, compares: bool) -> bool | None:
    """Verdict of the rules, or of the network. `compares` where the fact surely answers, so that its words may be compared too."""
    asked, entry = request.asked, judge.router.entries[fact]
    if not _is_closed(request, fact, judge):
        return _by_words(asked, fact, judge) if compares else None
    true = _by_measures(request, fact, judge)
    if true is None and compares:
        true = _by_words(asked, fact, judge)
    if true is None:
        true = verdicts.verdict(asked, fact, request.form, judge)
        match = WordMatch(judge)
        if true and (
            not _has_names(asked, fact, judge) or covered.only_of_others(asked, entry.output, match)
        ):
            return None
        if true is False and _is_told(asked, fact, judge):
            return None
        # The network takes what is nearly alike for the same.
        if true and covered.of_another_kind(covered.claim_of(asked), entry.input, entry.output, match):
            return False
    return true


def _is_closed(request: Request, fact: int, judge: Judge) -> bool:
    """Whether a request asks for yes or no, by its form or beside the fact that answers it."""
    wanted = verdicts.wants(request.asked, request.form)
    return wanted or verdicts.reads_as_closed(request.asked, fact, judge)


def _by_measures(request: Request, fact: int, judge: Judge) -> bool | None:
    entry = judge.router.entries[fact]
    true = by_measure.verdict(request.asked, entry.input, entry.output)
    return comparisons.verdict(request.asked, fact, request.form, judge) if true is None else true


def _by_words(asked: str, fact: int, judge: Judge) -> bool | None:
    entry, match = judge.router.entries[fact], WordMatch(judge)
    claimed = covered.claim_of(asked)
    true = covered.verdict(claimed, entry.input, entry.output, match)
    if true is None and covered.of_another(claimed, fact, judge.knowledge, match):
        return False
    return true


def _said(true: bool, best: Decision, request: Request, judge: Judge) -> Decision:
    said = "Yes." if true else "No."
    entry = judge.router.entries[best.facts[0]]
    text = said if request.form == "yes or no" else verdicts.said(true, entry.input, entry.output)
    reason = f"what the question claims is compared with the fact ({best.reason})"
    return replace(best, outcome="ground", way="yes or no", reason=reason, text=text)
