"""Adds the main subject of the memory to a question that omits it: "Who is our CFO?", "Where is the head office?" """

import re

from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.reading import standalone
from lorekeep.answering.word_match import roots
from lorekeep.routing.words import STRONG, words

# Maximum distinct words of a question; longer messages name their subject themselves.
_MAX_WORDS = 24


def with_main_subject(asked: str, knowledge: Knowledge) -> str | None:
    """The question with the main subject. None if the question names it or another subject."""
    home, said = knowledge.home, {word.plain for word in words(asked)}
    if (
        not home
        or not roots(asked)
        or standalone.PRONOUN.search(asked)
        or knowledge.home_words <= said
        or len(said) > _MAX_WORDS
    ):
        return None
    named = any(STRONG in knowledge.names[fact].values() for fact in knowledge.about(asked))
    if named or (knowledge.about(asked) and asked != asked.lower()):
        return None
    return with_subject_name(asked, home)


def with_subject_name(asked: str, home: str) -> str:
    """A question with the full name of the main subject, which it omits or shortens."""
    for word in home.split():
        if len(word) > 3 and (short := re.search(rf"\b{re.escape(word)}\b", asked, re.IGNORECASE)):
            return asked[: short.start()] + home + asked[short.end() :]
    kinds = f"company|firm|organi[sz]ation|business|group|{re.escape(home.split()[-1])}"
    owned, count = re.subn(rf"\b(?:our|the (?:{kinds})['’]s)\b", f"{home}'s", asked, flags=re.IGNORECASE)
    if count:
        return owned
    own, count = re.subn(rf"\b(?:we|us|the (?:{kinds}))\b", home, asked, flags=re.IGNORECASE)
    return own if count else f"{asked.rstrip(' ?.!')} at {home}?"
