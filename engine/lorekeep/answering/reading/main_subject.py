"""Adds the name of what the whole memory is about to a question that leaves it out: "Who is our CFO?", "Where is the head office?" """

import re

from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.reading import standalone
from lorekeep.answering.word_match import roots
from lorekeep.routing.words import STRONG, words

# Longer messages say themselves what they are about.
_LONG = 24


def with_main_subject(asked: str, knowledge: Knowledge) -> str | None:
    """The question with that name. None where the question has the name, or one of another subject."""
    home, said = knowledge.home, {word.plain for word in words(asked)}
    if (
        not home
        or not roots(asked)
        or standalone.PRONOUN.search(asked)
        or knowledge.home_words <= said
        or len(said) > _LONG
    ):
        return None
    named = any(STRONG in knowledge.names[fact].values() for fact in knowledge.about(asked))
    if named or (knowledge.about(asked) and asked != asked.lower()):
        return None
    return with_subject_name(asked, home)


def with_subject_name(asked: str, home: str) -> str:
    """A question with the name that the whole memory is about, which it leaves out or shortens."""
    for word in home.split():
        if len(word) > 3 and (short := re.search(rf"\b{re.escape(word)}\b", asked, re.IGNORECASE)):
            return asked[: short.start()] + home + asked[short.end() :]
    kinds = f"company|firm|organi[sz]ation|business|group|{re.escape(home.split()[-1])}"
    owned, count = re.subn(rf"\b(?:our|the (?:{kinds})['’]s)\b", f"{home}'s", asked, flags=re.IGNORECASE)
    if count:
        return owned
    own, count = re.subn(rf"\b(?:we|us|the (?:{kinds}))\b", home, asked, flags=re.IGNORECASE)
    return own if count else f"{asked.rstrip(' ?.!')} at {home}?"
