"""Takes out of an answer the part that a key of an object names: the price of "EUR 8.40 per parcel; free for orders of EUR 150 or more",
the deputy of "Agnieszka Holt. Her deputy is Ben Farrow." """

import re

from lorekeep.answering.claims.measured.measures import measures
from lorekeep.answering.word_match import roots
from lorekeep.routing.words import STOP

_CLAUSE = re.compile(
    r"(?<=[a-z0-9)%]{2})[.!?;]\s+|[;:,]\s+(?:and |or )?|\s+(?:and|or|but)\s+|\s+[-–—]\s+|[()]", re.IGNORECASE
)
_PARTICLE = r"(?:van|von|de|der|du|la)\b"
_NAME = re.compile(rf"\b[A-Z][\w'’-]*(?:\s+(?:{_PARTICLE}|[A-Z][\w'’-]*|&))*\s+[A-Z][\w'’-]*")
_PATTERNS_BY_KEY = (
    ({"email", "mail", "e-mail"}, re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    ({"extension", "ext"}, re.compile(r"\b(?:extension|ext\.?|channel|desk)\s*(\d+)", re.IGNORECASE)),
    ({"phone", "telephone", "tel", "mobile", "hotline", "number"}, re.compile(r"\+?\(?\d[\d ()/-]{4,}\d")),
    ({"room", "office", "desk"}, re.compile(r"\b[Rr]oom\s+[\w.-]*\d[\w.-]*|\b\d+\.\d+\b")),
    ({"year", "since", "founded", "built", "until"}, re.compile(r"\b(?:1[5-9]|20)\d\d\b")),
)
# Words of keys, by the kind of measure that the key wants.
_KINDS = {
    "money": "price cost costs fee fees amount charge rate deposit fine salary pay rent total surcharge",
    "share": "percent percentage discount interest share commission",
    "days": "day days weekday weekdays when",
    "clock": "time times start end begin departure arrival opens closes opening closing hour hours from until when",
    "date": "date day deadline when",
    "time": "duration length period days weeks months hours minutes years warranty notice time lead",
    "count": "number count capacity seats people size maximum max minimum min limit amount age",
}
_WORDS_BY_KIND = {kind: roots(words) for kind, words in _KINDS.items()}
# Words of keys for the start and the end of a range, and patterns of a range of times, dates or amounts.
_RANGE_END_WORDS = (
    {"opens", "open", "from", "start", "starts", "begin", "begins", "minimum", "earliest"},
    {"closes", "close", "until", "till", "to", "end", "ends", "maximum", "latest"},
)
_POINT = r"(?:[€£$]\s?)?\d[\d.:,]*(?:\s?(?:am|pm|[A-Z][a-z]{2,8}|°C|[a-z]{1,3}|%|euros?|pounds?)(?!\w))?"
_RANGE = re.compile(rf"({_POINT})\s*(?:-|–|\bto\b|\buntil\b|\band\b)\s*({_POINT})")
_PERSON_WORDS = roots(
    "name who person leader head director manager officer deputy chair owner conductor driver teacher contact author chief boss"
)


def part_of(answer: str, key: str) -> str | None:
    """The one part of an answer that a key (words with spaces) names; None where no part clearly matches."""
    own = key.lower().split()
    said = roots(key) or set(own)
    if "by" not in own and (found := _typed(answer, own)) is not None:
        return found
    clauses = _CLAUSE.split(answer)
    shared = [len(said & (roots(clause) | set(clause.lower().split()))) for clause in clauses]
    most = max(shared)
    about = [clause for clause, count in zip(clauses, shared, strict=True) if most and count == most]
    side = next((at for at, its in enumerate(_RANGE_END_WORDS) if its & set(own)), None)
    if side is not None and (found := _of_range(about if most else [answer], side)) is not None:
        return found
    if (said & _PERSON_WORDS or "by" in own) and (name := _name(about or clauses)) is not None:
        return name
    # The last word of a key is its head: "discount days" are days. A price per hour is a price.
    head = roots(own[-1]) or said
    wanted = [kind for kind, its in _WORDS_BY_KIND.items() if its & head]
    if "money" not in wanted and _WORDS_BY_KIND["money"] & said and "time" in wanted:
        wanted, head = ["money"], set()
    if len(about) == 1 and (found := _measure(about[0], head, wanted)) is not None:
        return found
    return _measure(answer, head, wanted, alone=False) if not about else None


def _of_range(texts: list[str], side: int) -> str | None:
    """The start or the end of the only range: "from 7:30 to 9:00", "between 2 and 8 °C"."""
    found = [one for text in texts for one in _RANGE.finditer(text)]
    if len(found) != 1:
        return None
    begin, end = found[0][1].strip(), found[0][2].strip().rstrip(".")
    unit = re.search(r"(?<=\d)\s*[^\d\s:.,]+$", end)
    return end if side else begin + (unit[0] if unit and re.fullmatch(r"[\d.,]+", begin) else "")


def _measure(text: str, head: set[str], wanted: list[str], alone: bool = True) -> str | None:
    """The measure in a text that has the head of a key beside it, the first of the wanted kinds, or the only measure."""
    there = measures(text)
    for one in there:
        behind = re.match(r"\W*(\w+)", text[one.end :])
        if head & roots(f"{one.text} {behind[1] if behind else ''}"):
            return one.text
    for kind in wanted:
        if its := [one for one in there if one.kind == kind]:
            return its[0].text
    return there[0].text if alone and len(there) == 1 else None


def _typed(answer: str, key: list[str]) -> str | None:
    """A value that its format identifies: an email address, a room, a year."""
    for names, form in _PATTERNS_BY_KEY:
        if names & set(key) and (found := form.search(answer)):
            return (found[1] if form.groups else found[0]).rstrip(".")
    return None


def _name(clauses: list[str]) -> str | None:
    """The first name in the clauses."""
    found = (one for clause in clauses for one in _NAME.finditer(clause))
    return next((one[0] for one in found if one[0].split()[0].lower() not in STOP), None)
