"""Verdicts of a network that reads a yes-or-no question and a fact together: yes, no, or undecided by the fact. The network is the
default embedding model with low-rank updates; bench/memory/fit_verdicts.py fits them."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.judge import Judge
from lorekeep.answering.networks.cross_encoder import CrossEncoder, cross_encoder, fact_text
from lorekeep.answering.reading.request import Form
from lorekeep.answering.reading.standalone import HAS_WH
from lorekeep.routing.by_meaning import content_stems
from lorekeep.routing.language_id import language_of
from lorekeep.routing.vectors import Vectors

FILE = Path(__file__).parent / "verdicts.safetensors"
YES, NO, UNDECIDED = 0, 1, 2
# Minimum probability of a verdict.
_MIN_PROBABILITY = 0.5
# Maximum probability of undecided for a message without the form of a yes-or-no question, and the minimum number of its words.
_MAX_UNDECIDED_PROBABILITY, _MIN_WORDS = 0.05, 3
# "And its warranty?" is an open question.
_FOLLOW_UP_PATTERN = re.compile(r"^\W*(?:and|what about|how about)\b", re.IGNORECASE)
# Minimum probability of a verdict that contradicts the yes or no in the answer of a fact.
_MIN_OPPOSING_PROBABILITY = 0.9

# Added to probabilities so that their logits are finite.
_EPS = 1e-6

# An answer that says yes or no itself, unlike "No dogs", "No-one" and "No. 12 Quay Street".
SAYS = re.compile(r"\W*(yes|no)(?:\s*[,.:;!](?!\s?\d)\s*|\s+[–-]\s+|\s*$)", re.IGNORECASE)
# Words before a claim that make the network say yes too often.
_LEAD_PATTERN = re.compile(r"^\W*(?:(?:so|and|but|ok)\W+)*is it (?:true|correct|right) that ", re.IGNORECASE)


def network(vectors: Vectors | None) -> CrossEncoder | None:
    return cross_encoder(vectors, FILE)


def requested(question: str, form: Form) -> bool:
    """Whether a request asks for a verdict."""
    return form == "yes or no" or is_closed(question)


def claim_of(question: str) -> str:
    """A question as the network reads it: without "Is it true that"."""
    return _LEAD_PATTERN.sub("", question)


def may_be_closed(question: str) -> bool:
    """Whether a message without the form of a yes-or-no question may be one: "Heron = glass??" """
    opens = HAS_WH.search(question) or _FOLLOW_UP_PATTERN.match(question)
    return "?" in question and not opens and len(question.split()) >= _MIN_WORDS


def reads_as_closed(question: str, fact: int, judge: Judge) -> bool:
    """Whether a message that may be closed asks for yes or no, read together with the fact that answers it."""
    if content_stems(question) <= content_stems(judge.router.entries[fact].input):
        return False  # "The extension of Ada Quist?" claims nothing
    chances_3 = _chances(question, fact, judge) if may_be_closed(question) else None
    return chances_3 is not None and chances_3[UNDECIDED] <= _MAX_UNDECIDED_PROBABILITY


def yes_logit(question: str, fact: int, judge: Judge) -> float:
    """The logit of Yes against No for a question and a fact."""
    chances_3 = _chances(question, fact, judge)
    return 0.0 if chances_3 is None else float(np.log((chances_3[YES] + _EPS) / (chances_3[NO] + _EPS)))


def verdict(question: str, fact: int, form: Form, judge: Judge, answers: bool = False) -> bool | None:
    """Whether a claim is true according to a fact. None where the fact does not decide it, or the network is not sure. `answers`: the
    fact surely answers the question, so it also decides it."""
    chances_3 = _chances(question, fact, judge)
    if chances_3 is None:
        return None
    if answers:
        chances_3 = chances_3 / (chances_3[YES] + chances_3[NO] + _EPS)
    entry, wanted = judge.router.entries[fact], form == "yes or no"
    true = bool(chances_3[YES] > chances_3[NO])
    least = _MIN_PROBABILITY
    if not wanted and (says := SAYS.match(entry.output)):
        # An answer that says the same needs no verdict before it: it is recited.
        least = _MIN_OPPOSING_PROBABILITY if true != (says[1].lower() == "yes") else 2.0
    return true if max(chances_3[YES], chances_3[NO]) >= least else None


def verdict_sentence(true: bool, taught: str, answer: str) -> str:
    """A verdict before the answer of a fact. An answer with the same verdict stands alone, one with the opposite follows its question."""
    verdict, says = "Yes." if true else "No.", SAYS.match(answer)
    if says is None or verdict.lower() == f"{says[1].lower()}.":
        return f"{verdict} {answer}" if says is None else answer
    return f"{verdict} {taught.rstrip()}{'' if taught.rstrip().endswith('?') else ':'} {answer}"


def decision_logits(question: str, facts: Sequence[int], judge: Judge) -> list[float] | None:
    """The logit that each fact decides a question. None without the network, or for languages other than English."""
    found = _all_chances(question, facts, judge)
    if found is None:
        return None
    return [float(np.log((1 - one[UNDECIDED] + _EPS) / (one[UNDECIDED] + _EPS))) for one in found]


def _chances(question: str, fact: int, judge: Judge) -> np.ndarray | None:
    found = _all_chances(question, [fact], judge)
    return found[0] if found else None


def _all_chances(question: str, facts: Sequence[int], judge: Judge) -> list[np.ndarray] | None:
    """Probabilities of yes, no and undecided for a question and each fact. Each pair is computed once per request."""
    entries, claim, known = judge.router.entries, claim_of(question), judge.chances
    texts = [fact_text(entries[fact].input, entries[fact].output) for fact in facts]
    if fresh := [text for text in dict.fromkeys(texts) if (claim, text) not in known]:
        found = chances(network(judge.router.embed), question, claim, fresh, judge)
        if found is None:
            return None
        known |= {(claim, text): one for text, one in zip(fresh, found, strict=True)}
    return [known[claim, text] for text in texts]


def chances(
    encoder: CrossEncoder | None, question: str, claim: str, facts: list[str], judge: Judge
) -> np.ndarray | None:
    """Probabilities of the network outputs for a claim and each fact. None without the network, or if `question` is not English."""
    if encoder is None or language_of(question, judge.router.knows_english):
        return None
    logits_N_O = encoder.logits([(claim, fact) for fact in facts])
    found_N_O = np.exp(logits_N_O - logits_N_O.max(1, keepdims=True))
    return found_N_O / found_N_O.sum(1, keepdims=True)
