"""Messages that ask for yes or no in one of their clauses: "My son turned 17, can he still open an account?" """

import re

from lorekeep.answering.claims import yes_no
from lorekeep.answering.reading.standalone import WH

_AUX = rf"(?:{yes_no.AUX}|am|shall|need(?= (?:i|we|you|they|he|she|it)\b))"
_LED = r"^\W*(?:(?:and|but|so|ok|okay|or|then|well|hi|hello|please|also|maybe|just)\W+)*"
# "Can you tell me", "could I get a list" ask for what follows.
_ASKS_FOR = (
    r"you (?:please )?(?:tell|give|send|list|name|explain|show|say|let|remind|recommend|point|look up|find|provide|share|state)\b"
    r"|(?:i|we) (?:please )?(?:have|get|see|know|ask) (?:a|the|your|both|all) (?:list|name|number|price|address)"
)
_OPENS = re.compile(
    rf"{_LED}(?:{_AUX}(?:n['’]?t)?\s+(?!{_ASKS_FOR})|(?:ok|okay|fine|alright|allowed|possible|true|correct)\b|any (?:chance|way)\b|whether\b|got any\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(rf"{_LED}(?:can|could|may|would|will)\s+(?:{_ASKS_FOR})", re.IGNORECASE)
_WH = re.compile(rf"\b{WH}(?:['’]?s)?\b", re.IGNORECASE)
_ASKS_WH = rf"(?:(?:and|so|but|or)\W+)?(?:in |on |at |to |for |from )?{WH}(?:['’]?s)?\b"
_OPEN = re.compile(rf"^\W*{_ASKS_WH}.*\?", re.IGNORECASE)
# "Do you have something in Oldhaven? what's the branch called" ends with what it asks.
_THEN_OPEN = re.compile(rf"\?\W+{_ASKS_WH}[^?]*\??$", re.IGNORECASE)
# "I look for the planet that is 27 light-years away. Its name?"
_THEN_ASKS_FOR = re.compile(
    r"[.!;]\s+(?:and |so )?(?:its|his|her|their|the|your|any)\s+(?:[\w'’-]+\s+){0,2}[\w'’-]+\s*\?$",
    re.IGNORECASE,
)
_CLAUSES = re.compile(
    rf"(?<=[.!?;:])\s+|,\s+|\s+[-–—]\s+|\b(?:and|but|so|because)\s+(?={_AUX}\b)", re.IGNORECASE
)
# "Sundays are fine, right?", "ok to bring a dog", "Penang is led by her?"
_TAG = re.compile(r"\b(?:ok|okay|allowed|right|true|correct|possible|fine|alright)\W*$", re.IGNORECASE)
_STATED = re.compile(rf"\b{_AUX}\b|n['’]t\b", re.IGNORECASE)
_FEWEST = 4


def is_closed(text: str) -> bool:
    if _THEN_OPEN.search(text.strip()) or _THEN_ASKS_FOR.search(text.strip()):
        return False
    if not _WH.search(text) and not _ASKS.match(text):
        stated = text.rstrip().endswith("?") and len(text.split()) >= _FEWEST and _STATED.search(text)
        if stated or _TAG.search(text):
            return True
    if yes_no.CLEFT.match(text):
        return True
    clauses = [one for one in _CLAUSES.split(text) if re.search(r"\w", one)]
    return any(_OPENS.match(one) and not _WH.search(one) for one in clauses) and not any(
        _OPEN.match(one) for one in clauses
    )
