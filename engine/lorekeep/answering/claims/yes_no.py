"""Answers yes-or-no questions: compares the claim in the question with the taught answer of the same relation."""

import re
from dataclasses import dataclass

from lorekeep.answering import compare
from lorekeep.answering.amounts import amounts
from lorekeep.answering.judge import FactAnswer, Judge
from lorekeep.answering.reading.standalone import HAS_WH, STARTS_WH, WH, without_lead
from lorekeep.routing import question_kind
from lorekeep.routing.router import Match, content_prefixes
from lorekeep.routing.words import CALENDAR, STOP, TITLES, words

AUX = r"(?:is|are|was|were|did|does|do|has|have|had|will|would|can|could|should|must|may|might)"
_OPENS = re.compile(
    rf"^\W*(?:(?:and|but|so|ok|okay)\W+)*(?:(?:is|was) it (?:true|correct|right|the case)(?: that)?\s+|{AUX}(?:n't)?\s+)",
    re.IGNORECASE,
)
_ASKS_FIRST = re.compile(
    r"^\W*(?:please )?(?:tell me |say |confirm )?(?:whether|if)\s+|^\W*(?:(?:is|was) it (?:true|correct|right|the case)(?: that)?|true or false:?|can you confirm(?: that)?|correct:|right:)\s+",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"[,:;–-]?\s*(?:right|correct|true|yes|(?:is|was|did|does|has|are|were)n['’]t (?:it|he|she|they|that)|is that (?:right|correct|true))\s*\??\W*$",
    re.IGNORECASE,
)
_POLITE = re.compile(r"^\W*(?:can|could|would|will|do|did) (?:you|we|i|anyone|someone)\b", re.IGNORECASE)
# An answer with a negation or an exception does not just list values.
_EXCEPTS = re.compile(
    r"n['’]t\b|\b(?:not|no|never|none|without|except|excluding|unless|but|refuse[ds]?|forbidden|prohibited)\b",
    re.IGNORECASE,
)
_IS = re.compile(
    r"^\W*(?:(?:and|but|so)\W+)*(?:is|are|was|were)\s+(?:it (?:true|correct|right) that\s+)?", re.IGNORECASE
)
_THAN = re.compile(
    r"\b(?:\w+ \w+ than|\w+ than|over|under|above|below|(?:before|after)(?: the year)?)\s+\W*$",
    re.IGNORECASE,
)
_LESS = re.compile(r"\b(?:less|fewer|under|below|before)\b", re.IGNORECASE)
_TITLES = TITLES | {"the"}
_WEEKDAYS = frozenset(CALENDAR[:7])  # April and June are names as well
# Maximum number of facts checked whose answers a question names.
_MAX_FACTS_BY_ANSWER = 8
# Maximum words of a name, and the minimum likeness of the question about a description.
_MAX_NAME_WORDS, _MIN_DESCRIPTION_LIKENESS = 5, 0.6
_ALTERNATIVE = re.compile(r"\bor \w+\W*$", re.IGNORECASE)


@dataclass(frozen=True)
class Claim:
    start: int
    end: int
    said: frozenset[str]  # its content words
    numeric: bool


# "Is Tannery Lane where the Rovers play?", "So it was the Rovers who won?"
CLEFT = re.compile(
    rf"^\W*(?:(?:and|but|so)\W+)?(?:(?:is|was|are|were)(?:n['’]?t)?\s+(?!(?:you|there|that|this)\b)|it(?:['’]s| is| was)\s+)[^,;:?]+?\s{WH}\b\s+\w",
    re.IGNORECASE,
)


def asks_yes_no(text: str, wanted: bool) -> bool:
    """Whether a text asks for yes or no. `wanted`: the request says so explicitly."""
    if compare.IS_ASKED.search(text) and _ALTERNATIVE.search(text) and not wanted:
        return False  # "bigger than 200 seats or smaller?"
    if _POLITE.match(text) and not wanted:
        return False
    if HAS_WH.search(_ASKS_FIRST.sub("", text)) and not wanted and not CLEFT.match(text):
        return False
    return wanted or bool(_OPENS.match(text) or _TAG.search(text) or _ASKS_FIRST.match(text))


def has_question_form(part: str) -> bool:
    """Whether a part of a message has the form of a question, for yes or no or another one."""
    return any(one.match(without_lead(part)) for one in (STARTS_WH, _OPENS, _ASKS_FIRST))


def answer(text: str, judge: Judge) -> tuple[bool, FactAnswer] | None:
    """The truth of a claim, and the fact that decides it. None if no fact is about it."""
    bare = _TAG.sub("", _ASKS_FIRST.sub("", text)).strip(" ?.!")
    knowledge = judge.knowledge
    facts = knowledge.about(bare)[:64]
    if not facts:
        return _by_listed_value(bare, judge) or _by_description(bare, judge)
    best: tuple[float, bool, FactAnswer] | None = None
    # The claim about the subject is compared with facts of the same kind.
    for name in list(dict.fromkeys(knowledge.subject(fact) for fact in facts))[:3]:
        own = [fact for fact in facts if knowledge.subject(fact) == name and judge.usable(fact)]
        for claim in _claims(bare, own, judge):
            if claim.said & judge.router.named.home:
                continue
            step = _value_fact(bare, claim, own, judge) or judge.best_answer(_open_questions(bare, claim))
            if step is None or step.turned or len(step.facts) != 1 or step.facts[0] not in own:
                continue
            taught = step.text
            if _has_number(taught, name) != claim.numeric or _only_defines_subject(step.facts[0], judge):
                continue
            true = _compare_amounts(bare, claim, taught) if claim.numeric else None
            true = _answer_contains(claim.said, taught) if true is None else true
            rank = step.likeness + (0.2 if true else 0)
            if best is None or rank > best[0]:
                best = rank, true, step
    return (best[1], best[2]) if best else _by_listed_value(bare, judge) or _by_description(bare, judge)


def _value_fact(text: str, claim: Claim, own: list[int], judge: Judge) -> FactAnswer | None:
    """The fact whose answer contains the claimed value, if the question may ask for it."""
    if claim.numeric:
        return None
    for fact in own:
        if claim.said - STOP <= {word.plain for word in words(judge.router.entries[fact].output)}:
            found = [
                found
                for one in _open_questions(text, claim)
                if (
                    found := judge.router.by_name(
                        one, judge.without | (set(own) - {fact}), contradictions=True
                    )
                )
            ]
            likeness = max((one.likeness for one in found if one.fact == fact), default=0.0)
            if likeness >= judge.router.gate.asks["generous"]:
                return judge.step(Match(fact, likeness, "name", True))
    return None


def _has_number(answer: str, name: str) -> bool:
    return any(c.isdigit() for c in answer.lower().replace(name.lower(), ""))


def _only_defines_subject(fact: int, judge: Judge) -> bool:
    """Whether a fact only defines its subject, which contradicts no claim."""
    asked = re.match(
        r"\W*(?:what|who) (?:is|are|was|were) (?:the |a |an )?(.+?)\W*$",
        judge.router.entries[fact].input,
        re.IGNORECASE,
    )
    return asked is not None and asked[1].lower() == judge.knowledge.subject(fact).lower()


def _by_listed_value(text: str, judge: Judge) -> tuple[bool, FactAnswer] | None:
    """Confirms a claim with a value of a fact's answer: "Does Scale include single sign-on?" beside a fact that lists the plans
    with it. The fact's question must have all other content words of the claim."""
    knowledge = judge.knowledge
    for fact in knowledge.facts_by_answer(text):
        entry = judge.router.entries[fact]
        value = knowledge.value_words(fact) | judge.router.named.home
        claimed = content_prefixes(" ".join(w.text for w in words(text) if w.plain not in value))
        if (
            claimed
            and claimed <= content_prefixes(entry.input)
            and judge.usable(fact)
            and not _OPENS.match(entry.input)
            and not _EXCEPTS.search(entry.output)
            and not question_kind.antonym_pairs(text, entry.output)
        ):
            return True, FactAnswer((fact,), entry.output, 0.9)
    return None


def _by_description(text: str, judge: Judge) -> tuple[bool, FactAnswer] | None:
    """Decides a claim that a name fits a description by the fact about that description: "Is Ada Quist the mayor?" """
    opened = _IS.match(text)
    rest = text[opened.end() :] if opened else ""
    said = words(rest)
    for size in range(min(_MAX_NAME_WORDS, len(said) - 1), 0, -1):
        name = {word.plain for word in said[:size]} - _TITLES
        if not name or not _is_name(rest[: said[size - 1].end], name, judge):
            continue
        description = rest[said[size - 1].end :].strip(" ,")
        step = judge.best_answer([f"Who is {description}?", f"What is {description}?"])
        if step is None or step.turned or len(step.facts) != 1 or step.likeness < _MIN_DESCRIPTION_LIKENESS:
            return None
        if not judge.knowledge.values_of(step.facts[0]):
            return None
        return name <= {word.plain for word in words(step.text)}, step
    return None


def _is_name(text: str, name: set[str], judge: Judge) -> bool:
    """Whether a text is the name of a subject, or an answer."""
    knowledge = judge.knowledge
    if any({word.plain for word in words(one)} - _TITLES == name for one in knowledge.subjects(text)):
        return True
    return any(
        value - _TITLES == name
        for fact in knowledge.facts_by_answer(text)
        for value in knowledge.values_of(fact)
    )


def claims(text: str, judge: Judge) -> bool:
    """Whether a question claims something about a known subject."""
    own = judge.knowledge.about(text)[:64]
    return bool(own) and bool(_claims(text, own, judge))


def _claims(text: str, own: list[int], judge: Judge) -> list[Claim]:
    """Possible claims about a subject: names and numbers that are not its own, or a taught answer in common
    words."""
    entries, named = judge.router.entries, judge.router.named
    mine = {word for fact in own for word in judge.router.keys.names[fact]}
    said = words(text)
    names = set(named.vocabulary.names(text)) | {w.plain for w in said if w.plain[0].isdigit()}
    claims, run = [], []
    for word in [*said, None]:
        if word is not None and word.plain in names and word.plain not in mine:
            if run and len(text[run[-1].end : word.start].split()) > 2:
                claims.append(_claim(run))
                run = []
            run.append(word)
        elif run and (word is None or word.plain in mine or word.plain not in _NAME_CONNECTIVES):
            claims.append(_claim(run))
            run = []
    claims = [_extended_claim(text, said, claim, mine) for claim in claims if not claim.said <= _TITLES]
    claims += _known_value_claims(said, claims, mine, judge)
    if not claims and (words_of := _known_answer_words(said, own, judge)):
        claims.append(_claim(words_of))
    if not claims:
        present = {word.plain for word in said}
        for fact in own:
            value = {word.plain for word in words(entries[fact].output)} - STOP
            held = [word for word in said if word.plain in value]
            if value and value <= present and not value <= mine:
                claims.append(_claim(held))
    return claims


def _extended_claim(text: str, said: list, claim: Claim, mine: set[str]) -> Claim:
    """A claim with the adjacent titles and capitalised words: "Dr. Hana Vesterby"."""
    first = next(at for at, word in enumerate(said) if word.start == claim.start)
    last = next(at for at, word in enumerate(said) if word.end == claim.end)

    def belongs(word) -> bool:
        named = word.text[0].isupper() and word.start > 0
        return (named or word.plain in _TITLES) and word.plain not in mine and word.plain not in STOP

    while first > 0 and not claim.numeric and belongs(said[first - 1]):
        first -= 1
    while last + 1 < len(said) and not claim.numeric and belongs(said[last + 1]):
        last += 1
    whole = _claim(said[first : last + 1])
    return Claim(whole.start, whole.end, whole.said - _TITLES, claim.numeric)


def _known_value_claims(said: list, claims: list[Claim], mine: set[str], judge: Judge) -> list[Claim]:
    """Claims of taught answers that a question names in lower case: "is the kite made by dolmen trucks?" """
    text = " ".join(word.text for word in said)
    found = []
    for fact in judge.knowledge.facts_by_answer(text)[:_MAX_FACTS_BY_ANSWER]:
        for value in judge.knowledge.values_of(fact):
            run = [word for word in said if word.plain in value]
            known = any(claim.said >= value for claim in claims)
            if len(value) == 1 and value <= judge.router.named.vocabulary.known:
                continue  # a common word is rarely meant as an answer
            if (
                known
                or not value
                or value & mine
                or len(run) != len(value)
                or any(w.isdigit() for w in value)
            ):
                continue
            if said.index(run[-1]) - said.index(run[0]) < len(run) + 1:
                found.append(_claim(run))
    return found


def _known_answer_words(said: list, own: list[int], judge: Judge) -> list:
    """The longest word sequence that is the answer of a fact with the same relation, about any subject."""
    asks = judge.router.keys.asks
    values = [judge.knowledge.values[ask] for ask in dict.fromkeys(asks[fact] for fact in own) if ask >= 0]
    for size in (4, 3, 2, 1):
        for at in range(len(said) - size + 1):
            run = said[at : at + size]
            text = " ".join(word.text for word in run).lower()
            if any(text in known for known in values):
                return run
    return []


# "It comes to 148 pounds."
_AMOUNTS_TO = re.compile(
    r"\s+(?:come|comes|came|amount|amounts|add|adds) (?:up )?to$|\s+equals?$", re.IGNORECASE
)
_UNIT = re.compile(r"^\s*(?:pounds?|euros?|dollars?|percent|%|£|€|\$)(?!\w)", re.IGNORECASE)
_NAME_CONNECTIVES = frozenset(["of", "the", "and", "de", "la", "van", "von", "der", "in", "&"])


def _claim(run: list) -> Claim:
    said = frozenset(word.plain for word in run)
    return Claim(run[0].start, run[-1].end, said, any(word[0].isdigit() for word in said))


def _open_questions(text: str, claim: Claim) -> list[str]:
    """The question without its claim, as open questions in several wordings."""
    before = re.sub(
        r"\b(?:the|a|an|in|on|at|by|from|to|for|with|of|as)\s*$",
        "",
        text[: claim.start].rstrip(),
        flags=re.IGNORECASE,
    )
    before = re.sub(
        r"\b(?:the year|the city of|the town of|the country of|in|on|at)\s*$",
        "",
        before.rstrip(),
        flags=re.IGNORECASE,
    )
    # The question word replaces the claim and moves to the front.
    behind = _UNIT.sub("", text[claim.end :]) if claim.numeric else text[claim.end :]
    rest = " ".join((_AMOUNTS_TO.sub("", before) + " " + behind).split())
    if before != (shorter := _AMOUNTS_TO.sub("", before)):
        rest = _OPENS.sub("is ", shorter)
    if claim.numeric:
        ways = ("in which year", "when", "how many", "how much", "what")
    else:
        ways = ("on which day", "when") if claim.said <= _WEEKDAYS else ("who", "where", "what")
    return [
        f"{way} {rest[:1].lower() + rest[1:] if rest[:1].isupper() and _OPENS.match(rest) else rest}?"
        for way in ways
    ]


def _compare_amounts(text: str, claim: Claim, taught: str) -> bool | None:
    """Whether the told amount is more or less than the claimed one, as the question asks. None where it does not compare amounts."""
    than = _THAN.search(text[: claim.start])
    claimed = amounts(text[claim.start :])[:1]
    told = [one for one in amounts(taught) if claimed and one.unit == claimed[0].unit]
    if than is None or len(told) != 1:
        return None
    _, sign = compare.measure_questions(than[0]) or ((), -1 if _LESS.search(than[0]) else 1)
    return (told[0].value - claimed[0].value) * sign > 0


def _answer_contains(said: frozenset[str], taught: str) -> bool:
    its = {word.plain for word in words(taught)}
    return said <= its
