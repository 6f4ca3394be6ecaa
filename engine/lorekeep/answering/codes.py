"""Finds a code by the description of its meaning: "Which error code tells me that my token has expired?" """

import re

from lorekeep.answering.judge import FactAnswer
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.reading import standalone
from lorekeep.answering.reading.taught_words import MEANINGS
from lorekeep.answering.word_match import WordMatch, roots
from lorekeep.routing.words import words

_ASKS_FOR_CODE = re.compile(
    r"^(?:in |under |with )?(?:which|what)\b(?: [\w-]+){0,4}? (?P<kind>codes?|errors?|status(?:es)?|messages?|numbers?|signals?|lights?|labels?|signs?|flags?|alarms?)\b",
    re.IGNORECASE,
)
# Words that introduce the meaning of a code and do not describe it.
_INTRODUCING_WORDS = roots(
    "tell tells told mean means meaning say says stand stands indicate indicates appear appears show shows shown come comes get gets give gives see display displays"
    " screen panel use used code error status message number signal light lights up trouble problem fault there"
)
# Weight of shared words against the similarity in meaning; minimum score; minimum lead over the second-best fact.
_WEIGHT, _MIN_SCORE, _MIN_LEAD = 0.5, 0.5, 0.1
_CODE_LIKENESS = 0.6


def code_of(question: str, match: WordMatch) -> FactAnswer | None:
    """The code that the question describes. None unless one meaning is clearly nearer than all others."""
    asked = _ASKS_FOR_CODE.match(standalone.without_lead(question))
    router, knowledge = match.judge.router, match.judge.knowledge
    if asked is None or router.embed is None:
        return None
    rest = standalone.without_lead(question)[asked.end("kind") :]
    said = match.telling(rest, "thing") - _INTRODUCING_WORDS
    facts = [fact for fact in match.taught.meanings if match.judge.usable(fact)]
    if not said or not 1 < len(match.taught.meanings) <= MEANINGS or not facts:
        return None
    described_D, *meanings = router.embed([rest, *(match.entries[fact].output for fact in facts)])
    scores = {
        fact: float(meaning_D @ described_D) + _WEIGHT * match.share(said, roots(match.entries[fact].output))
        for fact, meaning_D in zip(facts, meanings, strict=True)
    }
    best, *others = sorted(facts, key=lambda fact: -scores[fact])
    if scores[best] < _MIN_SCORE or (others and scores[best] - scores[others[0]] < _MIN_LEAD):
        return None
    return FactAnswer((best,), _code_in(best, knowledge), _CODE_LIKENESS, turned=True)


def _code_in(fact: int, knowledge: Knowledge) -> str:
    """The code in a fact's question, rather than the name of a device beside it: the rarest name with a digit."""
    postings, names = knowledge.router.named.postings, knowledge.names[fact]
    coded = [
        word
        for word in words(knowledge.entries[fact].input)
        if word.plain in names and any(c.isdigit() for c in word.plain)
    ]
    rarest = min(coded, key=lambda word: (len(postings[word.plain]), -len(word.text)), default=None)
    if rarest is None:
        return knowledge.subject(fact)
    # The word may be only a part of the code: "ERR_4012".
    whole = re.search(rf"[\w-]*{re.escape(rarest.text)}[\w-]*", knowledge.entries[fact].input)
    return whole[0] if whole else rarest.text
