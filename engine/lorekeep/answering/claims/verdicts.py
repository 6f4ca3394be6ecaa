"""Verdicts of a network that reads a yes-or-no question and a fact at once: yes, no, or that the fact does not decide it. It is the
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
from lorekeep.routing.language_id import language_of
from lorekeep.routing.vectors import Vectors

FILE = Path(__file__).parent / "verdicts.safetensors"
YES, NO, UNDECIDED = 0, 1, 2
# How probable a verdict has to be, and how probable where yes or no was asked for.
_SURE, _ASKED_FOR = 0.55, 0.5
# How probable it may be that a fact decides nothing, where a message has not the form of a yes-or-no question, and its words.
_OPEN, _MIN_WORDS = 0.05, 3
# "And its warranty?" asks what is so.
_GOES_ON = re.compile(r"^\W*(?:and|what about|how about)\b", re.IGNORECASE)
# How probable the other verdict has to be where the answer of a fact says yes or no itself.
_OPPOSES = 0.9

# Chances are never less, so that their logits are finite.
_LEAST = 1e-6

# An answer that says yes or no itself, which "No dogs", "No-one" and "No. 12 Quay Street" do not.
SAYS = re.compile(r"\W*(yes|no)(?:\s*[,.:;!](?!\s?\d)\s*|\s+[–-]\s+|\s*$)", re.IGNORECASE)
# Words before a claim, with which the network says yes too often.
_TRUE = re.compile(r"^\W*(?:(?:so|and|but|ok)\W+)*is it (?:true|correct|right) that ", re.IGNORECASE)


def network(vectors: Vectors | None) -> CrossEncoder | None:
    return cross_encoder(vectors, FILE)


def requested(question: str, form: Form) -> bool:
    """Whether a request is one for a verdict."""
    return form == "yes or no" or is_closed(question)


def claim_of(question: str) -> str:
    """A question as the network reads it."""
    return _TRUE.sub("", question)


def may_be_closed(question: str) -> bool:
    """Whether a message without the form of a yes-or-no question may be one: "Heron = glass??" """
    opens = HAS_WH.search(question) or _GOES_ON.match(question)
    return "?" in question and not opens and len(question.split()) >= _MIN_WORDS


def reads_as_closed(question: str, fact: int, judge: Judge) -> bool:
    """Whether such a message asks for yes or no beside the fact that answers it."""
    chances_3 = _chances(question, fact, judge) if may_be_closed(question) else None
    return chances_3 is not None and chances_3[UNDECIDED] <= _OPEN


def yes_logit(question: str, fact: int, judge: Judge) -> float:
    """The logit of Yes beside No for a question and a fact."""
    chances_3 = _chances(question, fact, judge)
    return 0.0 if chances_3 is None else float(np.log((chances_3[YES] + _LEAST) / (chances_3[NO] + _LEAST)))


def verdict(question: str, fact: int, form: Form, judge: Judge, answers: bool = False) -> bool | None:
    """Whether what a question claims is so by a fact. None where the fact does not decide it, or the network is not sure. A fact that
    surely `answers` decides, too."""
    chances_3 = _chances(question, fact, judge)
    if chances_3 is None:
        return None
    if answers:
        chances_3 = chances_3 / (chances_3[YES] + chances_3[NO] + _LEAST)
    entry, wanted = judge.router.entries[fact], form == "yes or no"
    true = bool(chances_3[YES] > chances_3[NO])
    least = _ASKED_FOR if wanted else _SURE
    if not wanted and (says := SAYS.match(entry.output)):
        # An answer that agrees needs no verdict before it: it is recited.
        least = _OPPOSES if true != (says[1].lower() == "yes") else 2.0
    return true if max(chances_3[YES], chances_3[NO]) >= least else None


def verdict_sentence(true: bool, taught: str, answer: str) -> str:
    """A verdict with what a fact answers behind it, and with its question where it says yes or no to that."""
    verdict, says = "Yes." if true else "No.", SAYS.match(answer)
    if says is None or verdict.lower() == f"{says[1].lower()}.":
        return f"{verdict} {answer}" if says is None else answer
    return f"{verdict} {taught.rstrip()}{'' if taught.rstrip().endswith('?') else ':'} {answer}"


def decision_logits(question: str, facts: Sequence[int], judge: Judge) -> list[float] | None:
    """The logit that each of some facts decides a question. None without the network, or for other languages."""
    found = _all_chances(question, facts, judge)
    if found is None:
        return None
    return [float(np.log((1 - one[UNDECIDED] + _LEAST) / (one[UNDECIDED] + _LEAST))) for one in found]


def _chances(question: str, fact: int, judge: Judge) -> np.ndarray | None:
    found = _all_chances(question, [fact], judge)
    return found[0] if found else None


def _all_chances(question: str, facts: Sequence[int], judge: Judge) -> list[np.ndarray] | None:
    """Chances that each fact says yes or no to a question, or decides nothing. Each pair is computed once for a request."""
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
    """Chances of the outputs of a network for a claim and each fact. None without the network, or for other languages of `question`."""
    if encoder is None or language_of(question, judge.router.knows_english):
        return None
    logits_N_O = encoder.logits([(claim, fact) for fact in facts])
    found_N_O = np.exp(logits_N_O - logits_N_O.max(1, keepdims=True))
    return found_N_O / found_N_O.sum(1, keepdims=True)
