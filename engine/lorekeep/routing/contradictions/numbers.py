"""Numbers of things that a question and a fact name: a fax number is no charity number."""

import re

# "Phone number"; the words of a line mean the same.
_NUMBER = re.compile(r"\b([a-z][a-z-]+) (?:numbers?|no\.|nr\.?)(?![a-z])", re.IGNORECASE)
_ALIKE: dict[str, str] = {
    word: line
    for line in """
phone telephone tel landline contact mobile cell call hotline helpline direct dial
vat tax
item article product part model stock catalogue order
registration registered company
customer client account member membership
licence license plate
""".strip().splitlines()
    for word in line.split()
}
# These nouns mean numbers by themselves: "the extension of Ada Quist".
_NUMBER_NOUN = re.compile(
    r"\b(extension|fax|phone|telephone|mobile|landline)\b(?! (?:of|to) (?:the |a )?(?:deadline|contract|loan|stay|visa|term|house|building))",
    re.IGNORECASE,
)
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
    found: list[str] = [word.lower() for pattern in (_NUMBER, _NUMBER_NOUN) for word in pattern.findall(text)]
    return {_ALIKE.get(word, word) for word in found if word not in _UNSPECIFIC}
