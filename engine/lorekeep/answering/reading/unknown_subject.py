"""Tells whether a message names something that no fact is about."""

from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.reading import standalone
from lorekeep.routing.words import STRONG, words


def names_unknown_subject(asked: str, knowledge: Knowledge) -> bool:
    """Whether a message names something that no fact is about."""
    named = knowledge.router.named
    names = named.vocabulary.names(asked)
    # After "its", a short word in capitals is the requested property, not a name: "Who is its CTO?"
    follows = standalone.with_name(asked, "") is not None
    short = (
        {word.plain for word in words(asked) if word.text.isupper() and len(word.text) <= 5}
        if follows
        else set()
    )
    return any(
        strength == STRONG
        and word not in named.postings
        and word not in knowledge.answers
        and word not in short
        for word, strength in names.items()
    )
