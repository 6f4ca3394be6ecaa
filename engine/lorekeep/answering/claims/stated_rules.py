"""Decides whether something is allowed, needed or there by a fact that says just that: "No licence is needed to hire a boat." Undecided
where the fact has a condition, an exception or a second rule."""

import re
from typing import Literal

from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.word_match import WordMatch, roots
from lorekeep.routing.words import any_case

_Kind = Literal["permission", "requirement", "existence"]
_IS = (
    r"\b(?:is|are)\s(?:(?:strictly|generally|always|also|absolutely|currently|normally|explicitly|still)\s)?"
)
_ALLOWED = r"(?:allowed|permitted|possible|welcome|accepted)"
_NEEDED = r"(?:needed|required|necessary|compulsory|mandatory|obligatory)"
_NO_THING = r"\bno (?:[\w'’-]+ ){1,5}"
_DENIALS: dict[_Kind, re.Pattern[str]] = {
    "permission": any_case(
        rf"(?:{_IS}|^\W*(?:strictly )?)(?:not {_ALLOWED}|forbidden|prohibited|banned|impossible)\b|\b(?:may|must|can) ?not\b|\b(?:can|must)n['’]t\b|{_NO_THING}(?:is|are) {_ALLOWED}\b"
    ),
    "requirement": any_case(rf"{_IS}(?:not {_NEEDED}|optional|voluntary|unnecessary)\b|{_NO_THING}(?:is|are) {_NEEDED}\b"),
    "existence": any_case(r"\bthere (?:is|are) no\b|\bthere (?:isn|aren)['’]t any\b|^\W*(?:we|they|it) (?:has|have|had) no\b"),
}  # fmt: skip
_STATEMENTS: dict[_Kind, re.Pattern[str]] = {
    "permission": any_case(rf"(?:{_IS}|^\W*){_ALLOWED}\b"),
    "requirement": any_case(rf"{_IS}{_NEEDED}\b"),
    "existence": any_case(r"^\W*there (?:is|are) (?!no\b|not\b)"),
}
_ASKED: dict[_Kind, re.Pattern[str]] = {
    "permission": any_case(r"\b(?:allowed|permitted|possible|ok|okay|fine|may|can|could|welcome|all right|alright|acceptable)\b"),
    "requirement": any_case(r"\b(?:needs?|needed|must|ha(?:ve|s) to|requires?|required|necessary|compulsory|mandatory|obligatory|obliged)\b"),
    "existence": any_case(r"\b(?:is|are) there\b|^\W*(?:does|do) (?:[\w'’-]+ ){1,4}have\b(?! to\b)|^\W*(?:have|has) (?:[\w'’-]+ ){1,4}got\b"),
}  # fmt: skip
# A number, a condition or an exception makes a rule partial.
_CONDITION = any_case(
    r"\b(?:only|except|excepting|unless|without|apart from|other than|until|instead|if|as long as|provided|when|while|after|before|during"
    r"|over|under|more|less|fewer|than|nobody|another|other|on \w+days?|at night|in (?:winter|summer))\b|\d"
)
# Words of a question about something other than the plain rule, or about its opposite.
_REVERSAL = any_case(
    r"n['’]t\b|\d|\b(?:not|never|no|none|nobody|nothing|except|unless|only|without|neither|nor|else|still|other|another|instead|just|free"
    r"|extra|skip|spare|avoid|cannot|forbidden|prohibited|banned|illegal|problem|mind|against|optional|or)\b"
)
# "Glass bottles"
_LABEL = any_case(r"(?!(?:what|which|who|whom|whose|where|when|why|how)\b)[^?]{1,40}")
# "Is it red or white?"
_ALTERNATIVES = any_case(r"\b(?P<one>[a-z-]+) or (?:an? )?(?P<other>[a-z-]+)\W*$")
_SENTENCE = re.compile(
    r"(?<=[a-z0-9)]{2}[.!?;])\s+|[,;]?\s+\b(?:but|however|although|though)\b\s+", re.IGNORECASE
)
# "Can I fish without a ticket?"
_WITHOUT = any_case(
    r"\bwithout (?:(?:having|carrying|showing|buying|wearing|making|using) )?(?:an?|any|my|our|the|your)?\s?(?P<thing>[\w'’-]+(?: [\w'’-]+)?)\W*$"
)
# "... but not in intensive care", "... except on Sundays"
_EXCEPTION = any_case(
    r"(?:,? but not|,? except(?: for)?|,? apart from|,? other than) (?:(?:in|on|at|during|for|with|to|from|by|inside|near) )?(?:the |our |your |any )?(?P<where>[\w'’ -]+)\W*$"
)
_POSSIBLE = any_case(r"\b(?:allowed|permitted|possible|ok|okay|fine|may|can|could)\b")
_NEGATED = any_case(r"n['’]t\b|\b(?:not|no|never|none|without|optional|except|unless)\b")
_NEEDS = any_case(rf"\bwith\b|\b(?:needs?|must|ha(?:ve|s) to|requires?)\b|{_IS}{_NEEDED}\b")


def verdict(question: str, taught: str, answer: str, match: WordMatch) -> bool | None:
    """Whether the plain rule of a fact confirms a claim. The fact asks for yes or no as well."""
    for rule in (_without, _by_exception):
        if (true := rule(question, answer, match)) is not None:
            return true
    if (true := _by_alternatives(question, taught, answer)) is not None:
        return true
    if (
        not (is_closed(taught) or _LABEL.fullmatch(taught))
        or _CONDITION.search(answer)
        or _REVERSAL.search(question)
    ):
        return None
    kinds = [kind for kind, asks in _ASKED.items() if asks.search(question)]
    rules = {rule for clause in _SENTENCE.split(answer) for rule in _rules(clause)}
    if len(kinds) != 1 or {kind for kind, _ in rules} != {kinds[0]} or len(rules) != 1:
        return None
    return next(iter(rules))[1]


def _by_alternatives(question: str, taught: str, answer: str) -> bool | None:
    """Whether a claim has the alternative of a taught question that its answer tells: "Is it red or white?", "It is a white grape." """
    asked = _ALTERNATIVES.search(taught) if is_closed(taught) else None
    if asked is None or _REVERSAL.search(question) or _NEGATED.search(answer):
        return None
    options = [roots(asked["one"]), roots(asked["other"])]
    told, claimed = ([bool(option & roots(text)) for option in options] for text in (answer, question))
    return told == claimed if sum(told) == sum(claimed) == 1 else None


def _by_exception(question: str, answer: str, match: WordMatch) -> bool | None:
    """Whether something is allowed where a fact names the exception: "Flowers are allowed on the wards but not in intensive care." """
    excepted = _EXCEPTION.search(answer)
    if excepted is None or not _ASKED["permission"].search(question) or _REVERSAL.search(question):
        return None
    signs = {sign for kind, sign in _rules(answer[: excepted.start()]) if kind == "permission"}
    where, said = roots(excepted["where"]), roots(question)
    if len(signs) != 1 or not where or not all(match.holds(said, word) for word in where):
        return None
    return not signs.pop()


def _without(question: str, answer: str, match: WordMatch) -> bool | None:
    """Whether something is possible without a thing, by a fact that says whether the thing is needed."""
    said = _WITHOUT.search(question)
    if said is None or not _POSSIBLE.search(question[: said.start()]) or len(_SENTENCE.split(answer)) != 1:
        return None
    things, told = roots(said["thing"]), roots(answer)
    if not things or not all(match.holds(told, thing) for thing in things):
        return None
    if not _NEGATED.search(answer):
        return False if _NEEDS.search(answer) else None
    return True if ("requirement", False) in _rules(answer) else None


def _rules(clause: str) -> list[tuple[_Kind, bool]]:
    denied: list[tuple[_Kind, bool]] = [
        (kind, False) for kind, said in _DENIALS.items() if said.search(clause)
    ]
    return denied or [(kind, True) for kind, said in _STATEMENTS.items() if said.search(clause)]
