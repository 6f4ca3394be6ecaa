"""Words by which two questions ask for different people or places although all else is alike: other relatives, who held an office
before, "Old Pellworm" beside "New Pellworm"."""

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
_PLACED = re.compile(
    r"(?<=[a-z,] )(Old|New|North|South|East|West|Northern|Southern|Eastern|Western|Upper|Lower|Great|Greater|Little|Lesser|Inner|Outer) "
    r"([A-Z][\w-]+)"
)

# Letters of a word that names nothing alone.
_SHORT = 3
# Two words of a name.
_TWO = re.compile(r"(?<![.!?] )(?<!^)\b([A-Z][\w-]+) (?=([A-Z][\w-]+))")


def asks_other_relative(question: str, taught: str) -> bool:
    """Whether a question asks for other relatives or of another place than a fact tells, or for somebody before whom it tells."""
    asked, told = _relatives(question), _relatives(taught)
    if asked and told and not asked & told:
        return True
    if asks_other_place(question, taught):
        return True
    return bool(_BEFORE.search(question)) and not _PAST.search(taught)


def asks_other_place(question: str, taught: str) -> bool:
    """Whether a question asks of "Old Pellworm" or "Pellworm Foundry", and facts tell of another Pellworm."""
    placed = any(
        re.search(rf"\b{re.escape(place)}\b", taught) and f"{which} {place}" not in taught
        for which, place in _PLACED.findall(question)
    )
    return placed or any(_has_another(first, second, taught) for first, second in _TWO.findall(question))


def asks_other_name(question: str, taught: str, subject: str) -> bool:
    """Whether a question has a name that a fact about something else does not have: the address of the Tin Lantern, and of Gilt Pharos."""
    said = [word.text for word in words(question)]
    low = question.lower()
    named = any(word.plain in low for word in words(subject) if len(word.plain) > _SHORT)
    # A question in title case tells no names.
    if not subject[:1].isupper() or named or 2 * sum(one[0].isupper() for one in said) > len(said):
        return False
    return any(one not in taught and other not in taught for one, other in _TWO.findall(question))


def _has_another(first: str, second: str, taught: str) -> bool:
    """Whether facts tell of a name that begins alike and ends otherwise: of Fennmark Works, and not of Fennmark Foundry."""
    others = re.findall(rf"\b{re.escape(first)} ([A-Z][\w-]+)", taught)
    return bool(others) and second not in taught and not any(one.startswith(second[:-1]) for one in others)


def _relatives(text: str) -> set[str]:
    return {one for word in words(text) for one in _OF.get(word.plain.removesuffix("'s"), "").split()}
