"""Numbers of things that a question and a fact name: a fax number is no charity number."""

import re

# "Phone number"; the words of a line mean the same.
_NUMBER = re.compile(r"\b([a-z][a-z-]+) (?:numbers?|no\.|nr\.?)(?![a-z])", re.IGNORECASE)
_ALIKE: dict[str, str] = {
    word: line
    for line in """
phone telephone tel contact mobile cell call hotline helpline extension direct dial
vat tax
item article product part model stock catalogue order
registration registered company
customer client account member membership
licence license plate
""".strip().splitlines()
    for word in line.split()
}
_UNSPECIFIC = frozenset(
    [
        "a",
        "an",
        "the",
        "this",
        "that",
        "what",
        "which",
        "whose",
        "your",
        "our",
        "my",
        "his",
        "her",
        "its",
        "their",
        "of",
        "for",
        "any",
        "total",
        "exact",
        "maximum",
        "minimum",
        "large",
        "small",
        "right",
        "correct",
        "same",
        "other",
        "first",
        "last",
        "main",
        "general",
        "highest",
        "lowest",
        "average",
        "greatest",
    ]
)


def numbers_differ(asked: str, taught: str, answer: str) -> bool:
    """Whether a question wants the number of something else than a fact states."""
    mine, its = _numbers(asked), _numbers(taught)
    return bool(mine and its) and not mine & (its | _numbers(answer))


def _numbers(text: str) -> set[str]:
    found: list[str] = [word.lower() for word in _NUMBER.findall(text)]
    return {_ALIKE.get(word, word) for word in found if word not in _UNSPECIFIC}
