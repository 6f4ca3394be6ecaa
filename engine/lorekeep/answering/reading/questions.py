"""Recognises the questions of a message by form: whether it is a question or a follow-up, and the questions of a longer message."""

import re

from lorekeep.answering.claims.yes_no import has_question_form
from lorekeep.answering.reading import standalone
from lorekeep.routing.words import STOP, words

_QUESTION = re.compile(
    r"[?？؟]\W*$|^\W*(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|has|have|tell me|name|give me)\b",
    re.IGNORECASE,
)

# A sentence that ends with a question mark, or a clause that begins as a question does.
_QUESTION_WITHIN = re.compile(
    r"[?？؟]|(?:[.!;:]|\s[-–])\s+(?:and |but |so )?(?:what|which|who|whose|when|where|why|how|is|are|do|does|did|can|could|may|will)\b"
    r"|,\s+(?:and |but |so )?(?:what|how|why|is|are|do|does|did|can|could|may|will)\b",
    re.IGNORECASE,
)

_MODAL_QUESTION = re.compile(
    r"^\W*(?:may|could|should|must|will|would|shall|(?:what|who|when|where|how)['’]?s)\b", re.IGNORECASE
)
# Maximum words of a search without a question.
_MAX_SEARCH_WORDS = 6
_SMALL_TALK = frozenset(
    [
        "hi",
        "hello",
        "hey",
        "bye",
        "goodbye",
        "thanks",
        "thank",
        "thx",
        "cheers",
        "please",
        "sorry",
        "ok",
        "okay",
        "yes",
        "no",
        "nope",
        "yep",
        "sure",
        "fine",
        "great",
        "good",
        "nice",
        "well",
        "cool",
        "right",
        "morning",
        "afternoon",
        "evening",
        "night",
        "day",
        "welcome",
        "danke",
        "hallo",
        "bitte",
        "ja",
        "nein",
        "merci",
        "bonjour",
        "salut",
        "oui",
        "gracias",
        "hola",
        "si",
        "test",
    ]
)
_QUESTION_AFTER_COLON = re.compile(r":\s+(?=(?:who|what|which|when|where|how)\b)", re.IGNORECASE)
_MAX_TRAILING = 3
# Words of a part that states something, and of one that asks.
_STATES = re.compile(
    r"\b(?:i|i['’](?:m|ve|d)|we|it|is|are|was|were|has|have|had|got|keeps?)\b", re.IGNORECASE
)
_WH_WORD = re.compile(rf"\b(?:{standalone.WH}|whether|if)\b", re.IGNORECASE)


def questions_of(text: str) -> list[str]:
    """The sentences of a message that end with a question mark."""
    return [one for one in standalone.SENTENCE.split(text) if one.rstrip().endswith("?")]


def trailing_questions(text: str) -> list[tuple[str, str]]:
    """The last questions of a longer message, the latest first, each with the text before it."""
    sentences = standalone.SENTENCE.split(text)
    found = []
    for at, sentence in enumerate(sentences):
        if not sentence.rstrip().endswith("?"):
            continue
        before = " ".join(sentences[:at])
        lead, *clause = _QUESTION_AFTER_COLON.split(sentence, maxsplit=1)
        if clause:
            before, sentence = f"{before} {lead}", clause[0]
        if before:
            found.append((before, sentence))
    return found[: -_MAX_TRAILING - 1 : -1]


def is_question(text: str) -> bool:
    return _QUESTION.search(text) is not None


def is_inquiry(text: str) -> bool:
    """Whether a message asks for something that documents may hold: a question, or a search such as "return period". A greeting,
    thanks, an exclamation or a statement does not."""
    if is_question(text) or _MODAL_QUESTION.match(text):
        return True
    said = [word.plain for word in words(text)]
    telling = [word for word in said if word not in STOP and word not in _SMALL_TALK]
    stated = text.rstrip().endswith(("!", ".")) or _STATES.search(text) is not None
    return bool(telling) and len(said) <= _MAX_SEARCH_WORDS and not stated


def asks_within(text: str) -> bool:
    """Whether a message asks something in any of its clauses: "I lost my card, what now" """
    return is_question(text) or _QUESTION_WITHIN.search(text) is not None


def is_fragment(asked: str) -> bool:
    """Whether a short message is a follow-up: "And the founder?", "In which year?" """
    if asked.rstrip().endswith(("!", ".")) and "?" not in asked:
        return False
    lead = standalone.without_lead(asked)
    return bool(lead) and (
        "?" in asked or lead != asked.strip(" ?.!,") or bool(standalone.STARTS_WH.match(lead))
    )


def states_only(part: str) -> bool:
    """Whether a part of a message is a statement: "my dewar is empty"."""
    return not has_question_form(part) and bool(_STATES.search(part)) and not _WH_WORD.search(part)
