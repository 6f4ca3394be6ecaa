"""Bases that cannot answer without a context. If the base's stored measurement (`closed_book` in its
lorekeep.json) says so, a bare question is answered with a notice instead of an invented answer. Prompts that
contain any context go to the base."""

import json
import re
from pathlib import Path

# A base knows nothing by itself if at most this share of general-knowledge questions was right, of at least
# this many.
_MAX_RIGHT_SHARE, _MIN_ASKED = 0.1, 20
_MAX_SENTENCE = 200

# The notice, and its forms beside documents: they were searched and do not answer, or they are not asked.
NOTHING = "Nothing was taught about this, and there is no text to answer from."
NOT_IN_DOCUMENTS = "Nothing was taught about this, and the documents do not say."
UNTAUGHT = "Nothing was taught about this."
NOT_LEARNT = "This question was taught, but its answer could not be learnt."
_NEAREST_SUFFIX = " The nearest question that was taught: {}"

_TOKEN = re.compile(r"<\|[^|<>]{1,40}\|>|</?s>|<(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>", re.IGNORECASE)
_ROLE = re.compile(
    r"^[^\S\n]*(?:###\s*)?(?:system|user|human|model|assistant|question|q|answer|response|a)[^\S\n]*:?[^\S\n]*$"
    r"|^[^\S\n]*(?:###\s*)?(?:user|human|question|q)\s*:(?=\s)|^[^\S\n]*(?:assistant|answer|response|a)\s*:\s*\Z",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？؟।])\s*|\n+")
_GREETING = re.compile(
    r"\W*(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day)|thanks?|thank you|many thanks|please|sorry|excuse me|bye|goodbye|ok|okay"
    r"|there|all|everyone|team|very much|a lot|in advance|again|for your help)\b\W*)+",
    re.IGNORECASE,
)
# Instructions on how to answer, and questions about the assistant.
_INSTRUCTION = re.compile(
    r"\s*(?:please )?(?:you are|you're|your (?:task|job|role)|answer|reply|respond|be (?:brief|concise|honest|helpful|polite)|keep|use|only|do not|don't|never)\b",
    re.IGNORECASE,
)
_ASSISTANT = re.compile(
    r"\b(?:(?:who|what|how) (?:are|can|do) you\b(?: do| help(?: me)?| called| today)?\W*$|your name\b|yourself\b|help me\W*$)|^\W*help\W*$",
    re.IGNORECASE,
)
# Introductions without information: no name and no number.
_INTRODUCTION = re.compile(r"\s*(?:i|we|my|our|i'm|i've|i'd)\b", re.IGNORECASE)
_NAME_OR_NUMBER = re.compile(r"\d|(?<!^)(?<![.?!] )\b(?!I\b)[A-Z]")
_LABEL = re.compile(r"\W*[\w ]{1,30}:\s")
_QUESTION_START = re.compile(
    r"^\W*(?:(?:and|so|but|also|then|please|now)\W+)*(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|could|may"
    r"|might|must|will|would|shall|should|has|have|had|tell|give|name|list|explain|describe|write|show|state|find|say|translate|summari[sz]e"
    r"|compose|draft|create|make|suggest|i (?:want|would like|need) to know|do you know|any idea)\b",
    re.IGNORECASE,
)
_QUESTION_MARK = re.compile(r"[?？؟;;]\W*$")
_SENTENCE_END = re.compile(r"[.!…。！।]\W*$")
# Maximum characters of the asker's situation: "A client comes tomorrow. What should I wear?"
_MAX_SITUATION = 50
_FIRST_PERSON = re.compile(r"\b(?:i|we|my|our|me|us)\b", re.IGNORECASE)


def knows_nothing(folder: Path) -> bool:
    """Whether the folder's measurement shows that the base cannot answer alone, regardless of its name."""
    try:
        said = json.loads((folder / "lorekeep.json").read_text("utf-8")).get("closed_book")
        return said["asked"] >= _MIN_ASKED and said["right"] <= _MAX_RIGHT_SHARE
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return False  # most folders have no measurement


def is_bare_question(prompt: str | None, messages: list[dict] | None) -> bool:
    """Whether a request contains only a question, an order or a remark: no text, facts or conversation to
    answer from."""
    if messages is not None:
        texts = [message["content"] for message in messages]
        if not messages or messages[-1]["role"] != "user":
            return False
        before = _sentences("\n".join(texts[:-1]))
        said = _sentences(texts[-1])
    else:
        before, said = [], _sentences(_ROLE.sub("\n", _TOKEN.sub("\n", prompt or "")))
    if not all(_INSTRUCTION.match(one) or _is_greeting(one) for one in before):
        return False
    kinds = [_kind(one) for one in said]
    if "text" not in kinds:
        return "question" in kinds or ("preamble" in kinds and _is_remark(prompt, said))
    if len(said) == 1:
        return not _LABEL.match(said[0]) and not _ASSISTANT.search(said[0]) and _is_remark(prompt, said)
    return "question" in kinds and _is_situation(said, kinds)


def _is_remark(prompt: str | None, said: list[str]) -> bool:
    """Whether the prompt is a complete sentence of a user in a conversation. Others may be texts to continue."""
    talks = prompt is None or _TOKEN.search(prompt)
    return bool(talks and _SENTENCE_END.search(said[-1]) and all(len(one) <= _MAX_SENTENCE for one in said))


def _is_situation(said: list[str], kinds: list[str]) -> bool:
    """Whether the statements only give the reason for a question about the asker: few words, no name, no
    number, and no word of the question."""
    statements = [one for one, kind in zip(said, kinds, strict=True) if kind == "text"]
    asked = [one for one, kind in zip(said, kinds, strict=True) if kind == "question"]
    if len(" ".join(statements)) > _MAX_SITUATION or not all(map(_FIRST_PERSON.search, asked)):
        return False
    if any(_NAME_OR_NUMBER.search(one) or _LABEL.match(one) or _ASSISTANT.search(one) for one in statements):
        return False
    return not _stems(statements) & _stems(asked)


def _stems(sentences: list[str]) -> set[str]:
    return {word[:4] for word in re.findall(r"\w{4,}", " ".join(sentences).lower())}


def notice(nearest: str | None = None, unlearnt: bool = False, untaught: str = NOTHING) -> str:
    if unlearnt:
        return NOT_LEARNT
    short = None if nearest is None else " ".join(nearest.split())
    if short is None:
        return untaught
    return untaught + _NEAREST_SUFFIX.format(
        short if len(short) <= _MAX_SENTENCE else short[: _MAX_SENTENCE - 1] + "…"
    )


def _sentences(text: str) -> list[str]:
    return [one.strip() for one in _SENTENCE.split(text) if one and re.search(r"\w", one)]


def _is_greeting(text: str) -> bool:
    return _GREETING.fullmatch(text.strip()) is not None


def _kind(sentence: str) -> str:
    if _is_greeting(sentence):
        return "greeting"
    if _ASSISTANT.search(sentence):
        return "text"  # left to the base
    if len(sentence) > _MAX_SENTENCE:
        return "text"
    opened = _GREETING.match(sentence)
    rest = sentence[opened.end() :] if opened else sentence
    # Text after a label ("Context: ...", "Facts: ...") is a context, unless the label itself is asked for.
    if _LABEL.match(rest) and not _QUESTION_START.match(rest):
        return "text"
    if _QUESTION_MARK.search(rest) or _QUESTION_START.match(rest):
        return "question"
    if _INSTRUCTION.match(rest):
        return "instruction"
    return "preamble" if _INTRODUCTION.match(rest) and not _NAME_OR_NUMBER.search(rest) else "text"
