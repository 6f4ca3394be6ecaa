"""Decides a claim by the relation that its measure must have to that of a fact. A network reads the relation from both texts without their
numbers: "I have x pounds. Enough for a Heron?" is true where x is at least the price. The network is the default embedding model with
low-rank updates; bench/memory/fit_comparisons.py fits them."""

from pathlib import Path

from lorekeep.answering.claims.measured.comparison import LESS, MORE, OUTSIDE, SAME, measure_comparison
from lorekeep.answering.claims.verdicts import chances, claim_of, yes_logit
from lorekeep.answering.judge import Judge
from lorekeep.answering.networks.cross_encoder import CrossEncoder, cross_encoder
from lorekeep.answering.reading.request import Form
from lorekeep.answering.rerank.reranker import likeness_of, logit_of
from lorekeep.routing.vectors import Vectors

FILE = Path(__file__).parent / "comparisons.safetensors"
# Outputs of the network: relations under which a claim is true.
LESS_THAN, AT_MOST, EQUAL, AT_LEAST, MORE_THAN, NOT_WITHIN = range(6)
RELATIONS = 6
# Relations that hold in each case of a comparison.
HOLDING = {
    LESS: (LESS_THAN, AT_MOST, NOT_WITHIN),
    SAME: (AT_MOST, EQUAL, AT_LEAST),
    MORE: (AT_LEAST, MORE_THAN, NOT_WITHIN),
    OUTSIDE: (NOT_WITHIN,),
}
# Weight of the logit of the network of verdicts, which reads the numbers.
_VERDICT_LOGIT_WEIGHT = 0.5
# Minimum probability of a verdict, and the minimum where the request asks for yes or no.
_MIN_PROBABILITY, _MIN_REQUESTED_PROBABILITY = 0.65, 0.5


def network(vectors: Vectors | None) -> CrossEncoder | None:
    return cross_encoder(vectors, FILE)


def verdict(question: str, fact: int, form: Form, judge: Judge) -> bool | None:
    """Whether a claim is true by the comparison of its measure with that of a fact. None where there are no measures to compare, or the
    network is not sure which relation the claim needs."""
    entry = judge.router.entries[fact]
    found = measure_comparison(claim_of(question), entry.input, entry.output)
    chances_1_R = found and chances(network(judge.router.embed), question, found.claim, [found.fact], judge)
    if found is None or chances_1_R is None:
        return None
    held = float(chances_1_R[0, list(HOLDING[found.case])].sum())
    chance = likeness_of(logit_of(held) + _VERDICT_LOGIT_WEIGHT * yes_logit(question, fact, judge))
    least = _MIN_REQUESTED_PROBABILITY if form == "yes or no" else _MIN_PROBABILITY
    return chance > 0.5 if max(chance, 1 - chance) >= least else None
