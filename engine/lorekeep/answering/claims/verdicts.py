"""Verdicts of a network that reads a yes-or-no question and a fact at once: yes, no, or that the fact does not decide it. It is the
default embedding model with low-rank updates; bench/memory/fit_verdicts.py fits them."""

import re
from pathlib import Path

import numpy as np

from lorekeep.answering.claims.closed import is_closed
from lorekeep.answering.judge import Judge
from lorekeep.answering.networks.cross_encoder import CrossEncoder, cross_encoder, fact_text
from lorekeep.answering.reading.request import Form
from lorekeep.routing.language_id import language_of
from lorekeep.routing.vectors import Vectors

FILE = Path(__file__).parent / "verdicts.safetensors"
YES, NO, UNDECIDED = 0, 1, 2
# How probable a verdict has to be, and how probable where yes or no was asked for.
_SURE, _ASKED_FOR = 0.65, 0.5

# An answer that says yes or no itself.
_SAYS = re.compile(r"\W*(?:yes|no)\b", re.IGNORECASE)

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


def verdict(question: str, fact: int, form: Form, judge: Judge) -> bool | None:
    """Whether what a question claims is so by a fact. None where the fact does not decide it, or the network is not sure."""
    router, entry = judge.router, judge.router.entries[fact]
    encoder = network(router.embed)
    wanted = form == "yes or no"
    says = not wanted and _SAYS.match(entry.output)
    if encoder is None or says or not wants(question, form) or language_of(question, router.knows_english):
        return None
    logits_3 = encoder.logits(claim_of(question), [fact_text(entry.input, entry.output)])[0]
    chances_3 = np.exp(logits_3 - logits_3.max())
    chances_3 /= chances_3.sum()
    if max(chances_3[YES], chances_3[NO]) < (_ASKED_FOR if wanted else _SURE):
        return None
    return bool(chances_3[YES] > chances_3[NO])
