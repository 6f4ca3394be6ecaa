"""Answers yes-or-no questions by one fact: Yes or No, decided by rules or by the network of verdicts, before the answer of the fact."""

from dataclasses import replace

from lorekeep.answering.claims import clause_match, comparisons, objections, stated_rules, verdicts, yes_no
from lorekeep.answering.claims.contradictions import contradicting_fact
from lorekeep.answering.claims.deciding_fact import deciding_fact, surer_deciding_fact
from lorekeep.answering.claims.measured import by_age, by_measure
from lorekeep.answering.claims.measured.measures import measures
from lorekeep.answering.decision import Decision, recite
from lorekeep.answering.judge import Judge
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.reranker import RankedFact, Reranker
from lorekeep.answering.word_match import WordMatch
from lorekeep.routing import question_kind
from lorekeep.routing.by_meaning import sure_names
from lorekeep.routing.router import Match
from lorekeep.routing.vectors import Vectors
from lorekeep.routing.words import STOP, any_case, words

_CONTRADICTION_LIKENESS = 0.9
# Ways of finding facts that may not be about the claim, and messages with two claims.
_UNCERTAIN_WAYS = ("name", "meaning", "reversed", "hops", "two in one")
_TWO_CLAIMS = any_case(rf"\?.*\?|\b(?:and|or)\s+{yes_no.AUX}\b")


def load_networks(vectors: Vectors | None) -> None:
    for one in (verdicts, comparisons):
        one.network(vectors)


def with_verdict(best: Decision, request: Request, judge: Judge, reranker: Reranker) -> Decision:
    """The decision with Yes or No before the answer of its one fact, if that fact decides the question."""
    if request.form not in ("plain", "yes or no"):
        return best
    if not best.answers or best.way in ("hops", "reversed"):
        refuted = _by_contradiction(request, judge, reranker)
        if refuted is not None:
            return refuted
    if not best.answers:
        return _by_near_fact(request, judge, reranker) or best
    if best.way == "yes or no" and len(best.facts) == 1:
        true = _by_measures(request, best.facts[0], judge)
        if true is None or (best.text or "").startswith("Yes" if true else "No"):
            return best
        return _verdict_decision(true, best, request, judge)
    if (
        best.way in _UNCERTAIN_WAYS
        and verdicts.requested(request.asked, request.form)
        and not _TWO_CLAIMS.search(request.asked)
    ):
        find = surer_deciding_fact if len(best.facts) == 1 else deciding_fact
        other = find(request.asked, judge, reranker, best.facts)
        if other and (decided := _by_fact(other, request, judge, reranker)):
            return decided
    turned = best.way == "reversed" and len(best.facts) == 1
    if best.outcome != "recite" and not turned:
        return best
    fact = best.facts[0]
    true = _verdict(request, fact, judge, compares=not turned)
    return best if true is None else _verdict_decision(true, best, request, judge)


def _by_contradiction(request: Request, judge: Judge, reranker: Reranker) -> Decision | None:
    """The decision by a fact that contradicts the claim."""
    wanted = verdicts.requested(request.asked, request.form)
    fact = contradicting_fact(request.asked, judge, reranker) if wanted else None
    if fact is None:
        return None
    found = Match(fact, _CONTRADICTION_LIKENESS, "meaning", True)
    return _verdict_decision(False, recite(found, "a fact says something else of the same"), request, judge)


def _by_near_fact(request: Request, judge: Judge, reranker: Reranker) -> Decision | None:
    """The decision by a fact that answers the question less surely, but surely decides it."""
    if not (verdicts.requested(request.asked, request.form) or verdicts.may_be_closed(request.asked)):
        return None
    near = deciding_fact(request.asked, judge, reranker)
    return near and _by_fact(near, request, judge, reranker)


def _by_fact(near: RankedFact, request: Request, judge: Judge, reranker: Reranker) -> Decision | None:
    true = _verdict(request, near.fact, judge, compares=False)
    if true is None or (true and reranker.lacks_name(_without_measures(request.asked), [near.fact])):
        return None
    found = Match(near.fact, near.likeness, "meaning", True)
    return _verdict_decision(
        true, recite(found, "a fact that was read beside the question decides it"), request, judge
    )


def _without_measures(asked: str) -> str:
    """A claim without its measures, which a fact need not contain: "R800", "the 1600s"."""
    for one in reversed(measures(asked)):
        asked = asked[: one.start] + asked[one.end :]
    return asked


def _has_names(asked: str, fact: int, judge: Judge) -> bool:
    """Whether a fact has every known name of a claim that it is to confirm."""
    entry = judge.router.entries[fact]
    its = {word.plain for word in words(f"{entry.input} {entry.output}")}
    return all({word.plain for word in words(name)} - STOP <= its for name in judge.knowledge.subjects(asked))


def _has_names_in_answer(asked: str, fact: int, judge: Judge) -> bool:
    """Whether all names that a claim adds to the question of a fact are in its answer: "So Guango Street is the right road?" """
    entry, vocabulary = judge.router.entries[fact], judge.router.named.vocabulary
    claimed = sure_names(asked, vocabulary) - {word.plain for word in words(entry.input)}
    told = {word.plain for word in words(entry.output)}
    return bool(claimed) and claimed <= told and not question_kind.is_negated(f"{asked} {entry.output}")


def _verdict(request: Request, fact: int, judge: Judge, compares: bool) -> bool | None:
    """Verdict of the rules, or of the network. `compares`: the fact surely answers, so that its words may be compared too."""
    asked, entry = request.asked, judge.router.entries[fact]
    if permission := objections.as_permission(asked):
        allowed = _verdict(replace(request, asked=permission), fact, judge, compares)
        return None if allowed is None else not allowed
    if by_age.is_conditional(asked, entry.input, entry.output):
        return None
    closed = verdicts.requested(asked, request.form) or verdicts.reads_as_closed(asked, fact, judge)
    # "A tenner in my pocket. Enough for a Puffin?" lacks the form of a question, but has a measure to compare.
    true = _by_measures(request, fact, judge) if closed or verdicts.may_be_closed(asked) else None
    if not closed and true is None:
        return _by_words(asked, fact, judge) if compares else None
    match = WordMatch(judge)
    if true is None:
        true = stated_rules.verdict(asked, entry.input, entry.output, match)
    if true is None and compares:
        true = _by_words(asked, fact, judge)
    if true is None:
        answers = compares and verdicts.requested(asked, request.form)
        true = verdicts.verdict(asked, fact, request.form, judge, answers)
        if true and (
            not _has_names(asked, fact, judge) or clause_match.excludes_subject(asked, entry.output, match)
        ):
            return None
        if true is False and _has_names_in_answer(asked, fact, judge):
            return None
        # The network confirms near misses.
        if true and clause_match.claims_other_kind(
            clause_match.claim_of(asked), entry.input, entry.output, match
        ):
            return False
    return true


def _by_measures(request: Request, fact: int, judge: Judge) -> bool | None:
    entry = judge.router.entries[fact]
    true = by_measure.verdict(request.asked, entry.input, entry.output)
    return comparisons.verdict(request.asked, fact, request.form, judge) if true is None else true


def _by_words(asked: str, fact: int, judge: Judge) -> bool | None:
    entry, match = judge.router.entries[fact], WordMatch(judge)
    claimed = clause_match.claim_of(asked)
    true = clause_match.verdict(claimed, entry.input, entry.output, match)
    if true is None and clause_match.claims_other_subject(claimed, fact, judge.knowledge, match):
        return False
    return true


def _verdict_decision(true: bool, best: Decision, request: Request, judge: Judge) -> Decision:
    said = "Yes." if true else "No."
    entry = judge.router.entries[best.facts[0]]
    text = said if request.form == "yes or no" else verdicts.verdict_sentence(true, entry.input, entry.output)
    reason = f"what the question claims is compared with the fact ({best.reason})"
    return replace(best, outcome="ground", way="yes or no", reason=reason, text=text)
