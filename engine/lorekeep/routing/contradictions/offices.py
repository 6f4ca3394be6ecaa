"""Offices that a question and a fact name: the sales director is not the managing director, and the vice chair is not the chair."""

import re

from lorekeep.routing.abbreviations.known import spelled_out
from lorekeep.routing.words import words

_OFFICE = (
    r"(?:chiefs?|heads?|directors?|managers?|officers?|executives?|chair(?:s|man|woman|person)?|presidents?|secretar(?:y|ies)|captains?|skippers?|keepers?"
    r"|coach(?:es)?|leaders?|lead|supervisors?|boss(?:es)?|principals?|mayors?|treasurers?|ministers?|editors?|curators?|foremen|foreman|coordinators?"
    r"|wardens?|stewards?|deans?|rectors?|governors?|commissioners?|managing|leads|runs|heads|manages|responsible|charge)"
)
# Up to three words before an office, and those behind it: "head of purchasing", "manager of the sales team".
_BEFORE = re.compile(rf"((?:[a-z&’'-]+ ){{1,3}}){_OFFICE}\b")
_BEHIND = re.compile(
    rf"\b{_OFFICE} (?:of|for|in charge of) (?:the |our |your )?([a-z&’'-]+(?: (?:and )?[a-z&’'-]+)?)"
)
# "Who leads marketing?"
_LEADS = re.compile(r"\b(?:leads|runs|heads|manages) (?:the |our |your )?([a-z&’'-]+)")
# The head of an organisation, and offices beside it: "Who is in charge at the trust?" does not want the treasurer.
_HEAD = re.compile(
    r"\b(?:in charge (?:at|of (?:the |our |your )?(?:[a-z&’'-]+ ){0,2}(?:trust|firm|company|club|society|association|organi[sz]ation|board|committee))"
    r"|(?:runs|leads|heads) (?:the |our |your )?(?:[a-z&’'-]+ ){0,2}(?:trust|firm|company|club|society|association|organi[sz]ation|board|committee)"
    r"|chief executive|managing director|president|chair(?:man|woman|person)?)\b"
    # The name of the organisation is often left out of the compared text.
    r"|\b(?:in charge(?: at| of)?|runs|leads|heads)(?: the| our| your)?\W*$"
)
_BESIDE_HEAD = re.compile(r"\b(?:treasurer|secretary)\b")
_OFFICE_WORD = re.compile(rf"\b{_OFFICE}\b")
_INFORMATION_TECHNOLOGY = re.compile(r"\bIT\b")

# Departments; the words of a line mean the same.
_DEPARTMENTS: dict[str, set[int]] = {}
for _number, _line in enumerate(
    """
finance financial finances treasury accounting accounts accountant bookkeeping controlling
technology technical technological information engineering digital computing computer ict systems
software development programming
operations operating operational
marketing brand advertising
sales commercial revenue selling
hr human personnel people staff staffing recruitment recruiting talent
legal law counsel
security protection guards
product products
communications communication press pr media publicity
research r&d science scientific laboratory lab
medical clinical nursing care
production manufacturing plant
logistics warehouse shipping dispatch stock transport fleet
procurement purchasing buying supply
customer customers support service services
compliance audit auditing risk
strategy strategic planning
creative design art artistic
music musical choir orchestra
education educational teaching training academic learning
quality
safety health
maintenance workshop repairs buildings estates facilities premises technical
kitchen catering food restaurant
housekeeping cleaning
events event programme
volunteers volunteer volunteering
membership members
youth junior juniors children
""".strip().splitlines()
):
    for _word in _line.split():
        _DEPARTMENTS.setdefault(_word, set()).add(_number)
# Ranks beside an office; the words of a line mean the same.
_RANKS = {
    word: number
    for number, line in enumerate(
        """
deputy vice second
assistant associate
former previous ex
acting interim temporary
honorary emeritus
""".strip().splitlines()
    )
    for word in line.split()
}
_RANK = re.compile(rf"\b({'|'.join(_RANKS)})[ -](?!(?:in|at|of|on|to|for|who|is|was)\b)[a-z]")


def offices_differ(asked: str, taught: str, answer: str = "") -> bool:
    """Whether a question wants the holder of another office than a fact is about."""
    asked, taught, answer = _normalized(asked), _normalized(taught), _normalized(answer)
    if not _OFFICE_WORD.search(asked) or not _OFFICE_WORD.search(taught):
        return False
    if _is_head(asked) and not _is_head(taught) and _BESIDE_HEAD.search(taught):
        return True
    mine, its = _ranks(asked), _ranks(taught)
    if mine - its - _ranks(answer) or its - mine:
        return True
    wanted = _departments(asked)
    return bool(wanted) and not wanted & _lines_in(f"{taught} {answer}")


def _is_head(text: str) -> bool:
    return bool(_HEAD.search(text)) and not _BESIDE_HEAD.search(text)


def _normalized(text: str) -> str:
    # "IT" is a department, and "it" is none.
    return spelled_out(_INFORMATION_TECHNOLOGY.sub("technology", text)).lower()


def _ranks(text: str) -> set[int]:
    return {_RANKS[found[1]] for found in _RANK.finditer(text)}


def _departments(asked: str) -> set[int]:
    """The departments of the offices that a question names."""
    found = [match[1] for pattern in (_BEFORE, _BEHIND, _LEADS) for match in pattern.finditer(asked)]
    return _lines_in(" ".join(found))


def _lines_in(text: str) -> set[int]:
    return {line for word in words(text) for line in _DEPARTMENTS.get(word.plain, ())}
