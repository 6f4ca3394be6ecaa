"""Checks an answer that a base wrote from facts, without a model: every name, number and code in it must occur in the
facts or in the request (guards against hallucination)."""

import re

from lorekeep.routing.words import Vocabulary, words

_CODE = re.compile(r"\w*\d[\w.,:/%-]*")


def unsupported(answer: str, sources: list[str], vocabulary: Vocabulary) -> list[str]:
    """The names, numbers and codes of an answer that occur in no source."""
    known = {word.plain for source in sources for word in words(source)}
    digits = {re.sub(r"\D", "", code) for source in sources for code in _CODE.findall(source)}
    wrong = []
    for word in words(answer):
        if any(c.isdigit() for c in word.plain):
            if word.plain not in known and re.sub(r"\D", "", word.plain) not in digits:
                wrong.append(word.text)
        elif word.plain in _named(answer, vocabulary) and word.plain not in known:
            wrong.append(word.text)
    return wrong


def _named(answer: str, vocabulary: Vocabulary) -> dict[str, int]:
    return vocabulary.names(answer)
