"""Words by which two questions ask for different people although all else is alike: other relatives, and who held an office before."""

import re

from lorekeep.routing.words import words

_OF = {
    "mother": "mother", "mothers": "mother", "mum": "mother", "mom": "mother", "father": "father", "fathers": "father", "dad": "father",
    "parent": "mother father", "parents": "mother father", "son": "son", "sons": "son", "daughter": "daughter", "daughters": "daughter",
    "child": "son daughter", "children": "son daughter", "kids": "son daughter", "brother": "brother", "brothers": "brother",
    "sister": "sister", "sisters": "sister", "sibling": "brother sister", "siblings": "brother sister", "wife": "wife", "husband": "husband",
    "spouse": "wife husband", "married": "wife husband", "marry": "wife husband", "uncle": "uncle", "aunt": "aunt", "cousin": "cousin",
    "grandmother": "grandmother", "grandfather": "grandfather", "nephew": "nephew", "niece": "niece",
}  # fmt: skip
_BEFORE = re.compile(
    r"\b(?:previous(?:ly)?|former(?:ly)?|predecessors?|ex-\w+|before the (?:present|current) \w+|before (?:him|her|them))\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:previous(?:ly)?|former(?:ly)?|predecessors?|before|earlier|until|used to|past|was|were|had|succeeded|retired|left)\b",
    re.IGNORECASE,
)


def of_others(question: str, taught: str) -> bool:
    """Whether a question asks for other relatives than a fact tells, or for somebody before whom it tells."""
    asked, told = _relatives(question), _relatives(taught)
    if asked and told and not asked & told:
        return True
    return bool(_BEFORE.search(question)) and not _PAST.search(taught)


def _relatives(text: str) -> set[str]:
    return {one for word in words(text) for one in _OF.get(word.plain.removesuffix("'s"), "").split()}
