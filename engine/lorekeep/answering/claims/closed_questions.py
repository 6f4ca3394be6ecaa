"""Messages that ask for yes or no in one of their clauses: "My son turned 17, can he still open an account?" """

import re
from collections.abc import Callable

from lorekeep.answering.claims import yes_no
from lorekeep.answering.reading.standalone import WH

_AUX = rf"(?:{yes_no.AUX}|am|shall|need(?= (?:i|we|you|they|he|she|it)\b))"
_LEAD_WORDS = r"^\W*(?:(?:and|but|so|ok|okay|or|then|well|hi|hello|please|also|maybe|just)\W+)*"
# "Can you tell me", "could I get a list" ask for what follows.
_ASKS_FOR = (
    r"you (?:please )?(?:tell|give|send|list|name|explain|show|say|let|remind|recommend|point|look up|find|provide|share|state)\b"
    r"|(?:i|we) (?:please )?(?:have|get|see|know|ask) (?:a|the|your|both|all) (?:list|name|number|price|address)"
)
_STARTS_CLOSED = re.compile(
    rf"{_LEAD_WORDS}(?:{_AUX}(?:n['’]?t)?\s+(?!{_ASKS_FOR})|(?:ok|okay|fine|alright|allowed|possible|true|correct)\b|any (?:chance|way)\b|any(?:one|body)\b|whether\b|got any\b)",
    re.IGNORECASE,
)
_REQUEST = re.compile(rf"{_LEAD_WORDS}(?:can|could|may|would|will)\s+(?:{_ASKS_FOR})", re.IGNORECASE)
_WH = re.compile(rf"\b{WH}(?:['’]?s)?\b", re.IGNORECASE)
# "Do you know when it opens?" asks for a time, and "Do I pay when I register?" for yes or no.
_INDIRECT_WH = re.compile(
    rf"\b(?:know|knows|tell|say|explain|remember|recall|see|find out|check|show|guess|idea|sure|clear|remind|ask|wonder|heard|hear|information|details|list|(?:of|on|about|as to|for|regarding|in|at|to|from|with|by)(?= {WH}))\b(?: [\w'’-]+){{0,2}} {WH}\b",
    re.IGNORECASE,
)
_ASKS_WH = rf"(?:(?:and|so|but|or)\W+)?(?:in |on |at |to |for |from )?{WH}(?:['’]?s)?\b"
_OPEN_QUESTION = re.compile(rf"^\W*{_ASKS_WH}.*\?", re.IGNORECASE)
# "What does it cost, and ...", but not "When I register, ..."
_OPEN_QUESTION_START = re.compile(rf"^\W*{_ASKS_WH}(?: [\w'’-]+){{0,2}} {_AUX}\b", re.IGNORECASE)
# "Do you have something in Oldhaven? what's the branch called" ends with an open question.
_ENDS_WITH_OPEN_QUESTION = re.compile(rf"\?\W+{_ASKS_WH}[^?]*\??$", re.IGNORECASE)
# "I look for the planet that is 27 light-years away. Its name?"
_ENDS_WITH_NOUN_QUESTION = re.compile(
    r"[.!;]\s+(?:and |so )?(?:its|his|her|their|the|your|any)\s+(?:[\w'’-]+\s+){0,2}[\w'’-]+\s*\?$",
    re.IGNORECASE,
)
_CLAUSES = re.compile(
    rf"(?<=[.!?;:])\s+|,\s+|\s+[-–—]\s+|\b(?:and|but|so|because)\s+(?={_AUX}\b)", re.IGNORECASE
)
# "Sundays are fine, right?", "ok to bring a dog", "Penang is led by her?"
_TAG = re.compile(r"\b(?:ok|okay|allowed|right|true|correct|possible|fine|alright)\W*$", re.IGNORECASE)
# "Dogs allowed?", "The pass for me: less than 200 euros a year?"
_ELLIPTIC_QUESTION = re.compile(
    r"\w+ (?:open|closed|allowed|free|included|possible|available|permitted|needed|required|necessary|compulsory|forbidden)"
    r"(?: (?:on|in|at|to|for|from|after|before|during|with|without|by|as|all|every|today|tomorrow|tonight|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?)\b[^?]*)?\s*\?$"
    r"|\b(?:(?:more|less|longer|shorter|cheaper|higher|lower|older|younger|fewer) th[ae]n|over|under|above|below|at least|at most)\s\W?\d[^?]*\?$",
    re.IGNORECASE,
)
_HAS_AUX = re.compile(rf"\b{_AUX}\b|n['’]t\b", re.IGNORECASE)
_MIN_WORDS = 4
# Maximum characters of a claim.
_MAX_LENGTH = 200
# "So Ada drives car 41?": the text after the name begins with a verb.
_LEAD_PATTERN = re.compile(r"^\W*(?:(?:so|and|but|ok|okay|then|hm+|oh|wait)\W+)*", re.IGNORECASE)
_LEAD_AND_ARTICLE = re.compile(rf"{_LEAD_PATTERN.pattern}(?:the |our )?", re.IGNORECASE)
# Verbs of statements. A pattern for any word that ends in "s" would match "Zorbax drivers 2024?".
_VERBS = (
    "has|had|lives?|lived|works?|worked|keeps?|kept|owns?|owned|runs|ran|leads|led|heads|costs?|opens|opened|closes|closed|weighs|weighed|holds|held|sells|sold"
    "|makes|made|plays|played|comes|came|belongs|belonged|begins|began|ends|ended|takes|took|lasts|lasted|pays|paid|gets|got|uses|used|drives|drove|speaks|spoke"
    "|founded|started|built|designed|invented|wrote|won|wins|lost|bought|hired|joined|left|moved|married|studied|taught|teaches|trained|trains|races|raced|rides|rode"
    "|flies|flew|sails|sailed|carries|carried|serves|served|seats|measures|measured|needs|needed|wants|likes|hates|eats|drinks|wears|wore|collects|collected|discovered"
    "|employs|employed|produces|produced|supports|supported|sponsors|sponsored|includes|contains|requires|allows|offers|offered|charges|charged|accepts|accepted"
    "|manages|managed|directs|directed|grew|grows|became|becomes|stands|stood|lies|lay|sits|sat|sleeps|reaches|reached|covers|covered|measures|died|retired|went|goes"
)
_STARTS_WITH_VERB = re.compile(
    rf"^ (?:also |still |now |really |only |never |once )?(?:{_VERBS}) (?!of\b|for\b|and\b)\w", re.IGNORECASE
)

# "A night in Pellanquay costs 45 crowns?"
_THING_STATEMENT = re.compile(
    rf"{_LEAD_PATTERN.pattern}(?:the|an?|one|my|our|your|all|every|each) (?:(?!that\b|which\b|who\b|whose\b)[\w'’-]+ ){{1,6}}?(?:{_VERBS}) (?!of\b|for\b|and\b|to\b)\w(?:(?! - )[^,;:?–—])*\?$",
    re.IGNORECASE,
)
# "So early boarding costs extra?", "So even cyclists get something?"
_PLURAL_VERBS = "get|cost|need|take|pay|come|go|live|work|keep|own|run|lead|open|close|hold|sell|make|begin|end|last|use|start|allow|offer|charge|accept|include"
_SO_STATEMENT = re.compile(
    rf"^\W*(?:so|then)\W+(?:[\w'’-]+,? ){{1,7}}?(?:{_VERBS}|{_PLURAL_VERBS}|{_AUX}|[a-z]+ed|[a-z]+['’]s) (?!of\b)\w[^?]*\?$",
    re.IGNORECASE,
)
# "The island where the lighthouse stands is Skelmory?"
_PLACE_STATEMENT = re.compile(
    rf"{_LEAD_PATTERN.pattern}(?:the|our) \w+(?: \w+)? (?:where|that|who|which) [^,?]+ (?:is|was) [^,?]+\?$",
    re.IGNORECASE,
)


def stated_claim(text: str, subjects: Callable[[str], list[str]]) -> str | None:
    """The claim of a message that is a statement with a question mark, about one of its subjects or a thing. None for other messages."""
    said = text.strip()
    if len(said) > _MAX_LENGTH or not said.endswith("?") or len(said.split()) < _MIN_WORDS:
        return None
    of_place = _PLACE_STATEMENT.match(said)
    if not of_place and (is_closed(said) or _WH.search(said)):
        return None
    rest, whole = said[_end_of_lead(_LEAD_AND_ARTICLE, said) :], said[_end_of_lead(_LEAD_PATTERN, said) :]
    if not of_place and _SO_STATEMENT.match(said):
        return f"Is it true that {whole}"
    names = subjects(said)
    if of_place:
        return f"Is it true that {whole}" if names else None
    name = next((name for name in names if rest.lower().startswith(name.lower())), None)
    says = _STARTS_WITH_VERB.match(rest[len(name) :]) if name else _THING_STATEMENT.match(said)
    return f"Is it true that {rest if name else whole}" if says else None


def _end_of_lead(lead: re.Pattern[str], text: str) -> int:
    """The end of the lead at the start of a text. The lead may be empty."""
    found = lead.match(text)
    return found.end() if found else 0


def is_closed(text: str) -> bool:
    if _ENDS_WITH_OPEN_QUESTION.search(text.strip()) or _ENDS_WITH_NOUN_QUESTION.search(text.strip()):
        return False
    if not _WH.search(text) and not _REQUEST.match(text):
        stated = text.rstrip().endswith("?") and len(text.split()) >= _MIN_WORDS and _HAS_AUX.search(text)
        if stated or _TAG.search(text) or _ELLIPTIC_QUESTION.search(text.strip()):
            return True
    if yes_no.CLEFT.match(text):
        return True
    clauses = [one for one in _CLAUSES.split(text) if re.search(r"\w", one)]
    return any(_STARTS_CLOSED.match(one) and not _INDIRECT_WH.search(one) for one in clauses) and not any(
        _OPEN_QUESTION.match(one) or _OPEN_QUESTION_START.match(one) for one in clauses
    )
