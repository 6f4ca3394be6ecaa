"""Verdicts of a network that reads a yes-or-no question and a fact at once: yes, no, or that the fact does not decide it. It is the
default embedding model with low-rank updates; bench/memory/fit_verdicts.py fits them."""

import re
from pathlib import Path

import numpy as np

from lorekeep.answering.claims.closed import is_closed
from lorekeep.answering.judge import Judge
from lorekeep.answering.networks.cross_encoder import CrossEncoder, cross_encoder, fact_text
from lorekeep.answering.reading.request import Form
from lorekeep.answering.reading.standalone import HAS_WH
from lorekeep.routing.language_id import language_of
from lorekeep.routing.vectors import Vectors

FILE = Path(__file__).parent / "verdicts.safetensors"
YES, NO, UNDECIDED = 0, 1, 2
# How probable a verdict has to be, and how probable where yes or no was asked for.
_SURE, _ASKED_FOR = 0.65, 0.5
# How probable it may be that a fact decides nothing, where a message has not the form of a yes-or-no question, and its words.
_OPEN, _MIN_WORDS = 0.05, 3
# "And its warranty?" asks what is so.
_GOES_ON = re.compile(r"^\W*(?:and|what about|how about)\b", re.IGNORECASE)
# How probable the other verdict has to be where the answer of a fact says yes or no itself.
_OPPOSES = 0.9

# An answer that says yes or no itself, which "No dogs", "No-one" and "No. 12 Quay Street" do not.
SAYS = re.compile(r"\W*(yes|no)(?:\s*[,.:;!](?!\s?\d)\s*|\s+[–-]\s+|\s*$)", re.IGNORECASE)
# Words before a claim, with which the network says yes too often.
_TRUE = re.compile(r"^\W*(?:(?:so|and|but|ok)\W+)*is it (?:true|correct|right) that ", re.IGNORECASE)


def network(vectors: Vectors | None) -> CrossEncoder | None:
    return cross_encoder(vectors, FILE)


def wants(question: str, form: Form) -> bool:
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


def verdict(question: str, fact: int, form: Form, judge: Judge) -> bool | None:
    """Whether what a question claims is so by a fact. None where the fact does not decide it, or the network is not sure."""
    chances_3 = _chances(question, fact, judge)
    if chances_3 is None:
        return None
    entry, wanted = judge.router.entries[fact], form == "yes or no"
    true = bool(chances_3[YES] > chances_3[NO])
    least = _ASKED_FOR if wanted else _SURE
    if not wanted and (says := SAYS.match(entry.output)):
        # An answer that agrees needs no verdict before it: it is recited.
        least = _OPPOSES if true != (says[1].lower() == "yes") else 2.0
    return true if max(chances_3[YES], chances_3[NO]) >= least else None


def said(true: bool, taught: str, answer: str) -> str:
    """A verdict with what a fact answers behind it, and with its question where it says yes or no to that."""
    verdict, says = "Yes." if true else "No.", SAYS.match(answer)
    if says is None or verdict.lower() == f"{says[1].lower()}.":
        return f"{verdict} {answer}" if says is None else answer
    return f"{verdict} {taught.rstrip()}{'' if taught.rstrip().endswith('?') else ':'} {answer}"


def _chances(question: str, fact: int, judge: Judge) -> np.ndarray | None:
    """Chances that a fact says yes or no to a question, or decides nothing. Each pair is computed once for a request."""
    entry = judge.router.entries[fact]
    pair = claim_of(question), fact_text(entry.input, entry.output)
    if pair not in judge.chances:
        judge.chances[pair] = chances(network(judge.router.embed), question, pair, judge)
    return judge.chances[pair]


def chances(
    encoder: CrossEncoder | None, question: str, pair: tuple[str, str], judge: Judge
) -> np.ndarray | None:
    """Chances of the outputs of a network for a claim and a fact. None without the network, or for other languages."""
    if encoder is None or language_of(question, judge.router.knows_english):
        return None
    claim, fact = pair
    logits = encoder.logits(claim, [fact])[0]
    found = np.exp(logits - logits.max())
    return found / found.sum()
