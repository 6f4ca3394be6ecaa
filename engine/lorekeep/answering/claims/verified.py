"""Answers to yes-or-no questions by one fact: Yes or No, which rules or the network of verdicts decide, and what the fact says."""

from dataclasses import replace

from lorekeep.answering.claims import covered, verdicts
from lorekeep.answering.claims.measured import by_measure
from lorekeep.answering.claims.swapped import refuting
from lorekeep.answering.decision import Decision, recite
from lorekeep.answering.judge import Judge
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.reranker import Found, Reranker, likeness_of
from lorekeep.answering.word_match import WordMatch
from lorekeep.routing.router import Match
from lorekeep.routing.words import STOP, words

# The bar for a fact that decides a yes-or-no question is lower by so much.
_LESS_SURE = -1.5
_REFUTES = 0.9
# Facts about the subjects of a claim that are read, the logit from which one answers, and such subjects.
_ABOUT, _ANSWERS, _SUBJECTS = 24, 2.0, 2


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
        entry = judge.router.entries[best.facts[0]]
        true = by_measure.verdict(request.asked, entry.input, entry.output)
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
    wanted = verdicts.wants(request.asked, request.form)
    near = reranker.find(request.asked, judge, more=_LESS_SURE) if wanted else None
    near = near or (_of_subject(request.asked, judge, reranker) if wanted else None)
    true = near and _verdict(request, near.fact, judge, compares=False)
    if near is None or true is None:
        return None
    found = Match(near.fact, near.likeness, "meaning", True)
    return _said(true, recite(found, "a fact that was read beside the question decides it"), request, judge)


def _has_names(asked: str, fact: int, judge: Judge) -> bool:
    """Whether a fact has every known name of a claim that it is to confirm."""
    entry = judge.router.entries[fact]
    its = {word.plain for word in words(f"{entry.input} {entry.output}")}
    return all({word.plain for word in words(name)} - STOP <= its for name in judge.knowledge.subjects(asked))


def _of_subject(asked: str, judge: Judge, reranker: Reranker) -> Found | None:
    """The fact about one of the subjects of a claim that answers it, even if it lacks a name that is claimed: "Has the Hornet a V10?" """
    names = judge.knowledge.subjects(asked)
    about = [judge.knowledge.about(name) for name in names] if len(names) <= _SUBJECTS else []
    facts = list(dict.fromkeys(fact for some in about for fact in some if judge.usable(fact)))
    logit, fact = max(reranker.read(asked, facts[:_ABOUT], judge), default=(0.0, -1))
    return Found(fact, likeness_of(logit)) if logit >= _ANSWERS else None


def _verdict(request: Request, fact: int, judge: Judge, compares: bool) -> bool | None:
    """Verdict of the rules, or of the network. `compares` where the fact surely answers, so that its words may be compared too."""
    asked, entry = request.asked, judge.router.entries[fact]
    true = None
    if verdicts.wants(asked, request.form):
        true = by_measure.verdict(asked, entry.input, entry.output)
    if true is None and compares:
        true = _by_words(asked, fact, judge)
    if true is None:
        true = verdicts.verdict(asked, fact, request.form, judge)
        if true and not _has_names(asked, fact, judge):
            return None
        # The network takes what is nearly alike for the same.
        if true and covered.of_another_kind(
            covered.claim_of(asked), entry.input, entry.output, WordMatch(judge)
        ):
            return False
    return true


def _by_words(asked: str, fact: int, judge: Judge) -> bool | None:
    entry, match = judge.router.entries[fact], WordMatch(judge)
    claimed = covered.claim_of(asked)
    true = covered.verdict(claimed, entry.input, entry.output, match)
    if true is None and covered.of_another(claimed, fact, judge.knowledge, match):
        return False
    return true


def _said(true: bool, best: Decision, request: Request, judge: Judge) -> Decision:
    said = "Yes." if true else "No."
    text = said if request.form == "yes or no" else f"{said} {judge.router.entries[best.facts[0]].output}"
    reason = f"what the question claims is compared with the fact ({best.reason})"
    return replace(best, outcome="ground", way="yes or no", reason=reason, text=text)
