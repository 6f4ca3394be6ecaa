"""Finds the main subject of a memory, such as the organisation whose handbook was taught. People leave its name out: "Who is the
CFO?", "How much does the Pro plan cost?". It is the name that many facts share (`main_subject_words`), the one with relations that only
an organisation has (`organisation_of`), or the one with most relations of an organisation or a place (`handbook_of`)."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

# Minimum facts about the main subject alone, their minimum ratio to any other's, and the minimum share of facts that name it.
_MIN_OWN, _RATIO, _MIN_SHARE = 4, 2, 0.25
# Minimum share of a word's facts that contain another word of the same name.
_TOGETHER = 0.7


def main_subject_words(names: Sequence[dict[str, int]]) -> frozenset[str]:
    """The name words of the main subject; none if several subjects share the memory. `names` holds those of each fact."""
    count: Counter[str] = Counter()
    beside: dict[str, Counter[str]] = defaultdict(Counter)
    named = [fact.keys() for fact in names if fact]
    for fact in named:
        for word in fact:
            count[word] += 1
            beside[word].update(fact - {word})
    alone: Counter[frozenset[str]] = Counter()
    for fact in named:
        whole = {
            frozenset([word, *(other for other, n in beside[word].items() if n >= _TOGETHER * count[word])])
            for word in fact
        }
        # A fact with two names is about neither alone.
        if len(whole) == 1 or all(fact <= group for group in whole):
            alone[min(whole, key=lambda group: (len(group), sorted(group)))] += 1
    ranked = alone.most_common(2)
    if not ranked or ranked[0][1] < _MIN_OWN or (len(ranked) > 1 and ranked[0][1] < _RATIO * ranked[1][1]):
        return frozenset()
    home, facts = ranked[0]
    total = min(count[word] for word in home)
    # The main subject occurs beside other subjects, too: "the Fennlark Pro plan", "When did Haldrick acquire Norrflow?"
    return home if facts < total and total >= _MIN_SHARE * len(named) else frozenset()


# Relations of an organisation, in lower case; each line is one.
_RELATIONS = [
    re.compile(rf"\b(?:{words})\b")
    for words in (
        "found(?:ed|er|ers|ing)?|established|started",
        "head ?office|headquarters|headquartered|postal address|registered",
        "chief executive|ceo|managing director|director general|general director|principal|mayor|president|chair(?:man|woman|person)?|runs|leads|owner|rector"
        "|chancellor|bishop|headteacher|head teacher",
        "cfo|cto|coo|cio|finance director|financial officer|deputy \\w+|vice \\w+",
        "(?:sites|hotels|restaurants|shops|stores|branches|depots|departments|districts|plants|factories|offices|brands|subsidiaries|clinics|hospitals|schools"
        "|lines|stations|halls|locations)",
        "employees|staff|people work|members",
        "slogan|motto|website|logo",
        "turnover|revenue|traded|listed",
    )
]
# Relations that a place or a person has as well.
_COMMON_RELATIONS = [
    re.compile(rf"\b(?:{words})\b")
    for words in (
        "begin|began|exist(?:ed)?|opened|(?:what|which) year|when did",
        "address|located|where is|street|town",
        "owns|owned|belongs?",
        "(?:tele)?phone|e-?mail|number|contact",
        "opening (?:hours|times)|(?<!did )open",
    )
]
# Minimum relations of the organisation, and their minimum ratio to those of any other subject.
_MIN_RELATIONS, _RELATIONS_RATIO = 2, 1.5
# Minimum relations of the subject of a handbook, and minimum share of its facts without a name.
_MIN_HANDBOOK_RELATIONS, _MIN_NAMELESS_SHARE = 3, 0.4
# Minimum ratio of its facts to those of any other name, and to one, for a subject that needs a single relation.
_CLEAR_RATIO = 3
# Minimum share of all facts that are about one name.
_MIN_MAIN_SHARE = 0.5
# A part of an organisation is not the subject of a handbook: "the Old Market branch".
_PART_PATTERN = re.compile(r"\b(?:branch|department|depot|desk|office|site|ward)$", re.IGNORECASE)
Subjects = Iterable[tuple[str, str]]  # the name that each fact is about, or an empty one, and its question


def organisation_of(subjects: Subjects) -> str:
    """The name of the organisation, by relations that only organisations have; empty if several names are as likely."""
    return _most_related(subjects, _RELATIONS, _MIN_RELATIONS)


def handbook_of(subjects: Subjects) -> str:
    """The name of the subject of a handbook whose facts mostly name nothing or this subject: a workshop with an owner, an address
    and opening hours."""
    facts, every = list(subjects), _RELATIONS + _COMMON_RELATIONS
    count = Counter(name for name, _ in facts)
    nameless = count.pop("", 0)
    (most, own), (_, others) = [*count.most_common(2), ("", 0), ("", 0)][:2]
    if own >= max(_MIN_MAIN_SHARE * len(facts), _RATIO * others):
        name = _most_related(((name, asked) for name, asked in facts if name == most), every, _MIN_RELATIONS)
    elif nameless >= _MIN_NAMELESS_SHARE * len(facts):
        is_clear = own >= _CLEAR_RATIO * max(others, 1)
        name = _most_related(facts, every, 1 if is_clear else _MIN_HANDBOOK_RELATIONS)
    else:
        return ""
    return "" if _PART_PATTERN.search(name) else name


def _relations_in(question: str, relations: list[re.Pattern[str]]) -> set[re.Pattern[str]]:
    asked = question.lower()  # patterns that ignore case take twice as long
    return {relation for relation in relations if relation.search(asked)}


def _most_related(subjects: Subjects, relations: list[re.Pattern[str]], least: int) -> str:
    related: dict[str, set[re.Pattern[str]]] = defaultdict(set)
    for name, question in subjects:
        if name:
            related[name] |= _relations_in(question, relations)
    ranked = sorted(related, key=lambda name: (-len(related[name]), name))
    # A short form of the name has facts of its own.
    for name in ranked[:2]:
        for other in related:
            if other != name and f" {other} " in f" {name} ":
                related[name] |= related[other]
    ranked = sorted(related, key=lambda name: (-len(related[name]), -len(name), name))
    if not ranked or len(related[ranked[0]]) < least:
        return ""
    others = [len(related[name]) for name in ranked[1:] if f" {name} " not in f" {ranked[0]} "]
    return ranked[0] if not others or len(related[ranked[0]]) >= _RELATIONS_RATIO * max(others) else ""
