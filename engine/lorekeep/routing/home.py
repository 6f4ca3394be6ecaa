"""Finds the name that a memory as a whole is about, such as the organisation whose handbook was taught. People leave it out where
they mean it: "Who is the CFO?", "How much does the Pro plan cost?". It is the one that many facts share (`home_of`), or the one with the
relations that only an organisation has (`organisation_of`), or the most of those that a place may have as well (`handbook_of`)."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

# Facts about the name alone, how many times as many as about any other, and the share of all facts that name it.
_ALONE, _TIMES, _SHARE = 4, 2, 0.25
# Words of one name stand together in so many of its facts.
_TOGETHER = 0.7


def main_subject_words(names: Sequence[dict[str, int]]) -> frozenset[str]:
    """The words of that name; none where several subjects share the memory. `names` holds those of each fact."""
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
    if not ranked or ranked[0][1] < _ALONE or (len(ranked) > 1 and ranked[0][1] < _TIMES * ranked[1][1]):
        return frozenset()
    home, facts = ranked[0]
    total = min(count[word] for word in home)
    # It stands beside other subjects, too: "the Fennlark Pro plan", "When did Haldrick acquire Norrflow?"
    return home if facts < total and total >= _SHARE * len(named) else frozenset()


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
_COMMON = [
    re.compile(rf"\b(?:{words})\b")
    for words in (
        "begin|began|exist(?:ed)?|opened|(?:what|which) year|when did",
        "address|located|where is|street|town",
        "owns|owned|belongs?",
        "(?:tele)?phone|e-?mail|number|contact",
        "opening (?:hours|times)|(?<!did )open",
    )
]
# Relations that the organisation has at least, and how many times as many as any other subject.
_RELATED, _TIMES_RELATED = 2, 1.5
# Those that what a handbook is about has at least, and the share of its facts that name nothing.
_RELATED_COMMONLY, _NAMELESS = 3, 0.4
# Least share of all facts that are about one name.
_MOST = 0.5
# A part of something is not what a handbook is about: "the Old Market branch".
_PART = re.compile(r"\b(?:branch|department|depot|desk|office|site|ward)$", re.IGNORECASE)
Subjects = Iterable[tuple[str, str]]  # the name that each fact is about, or an empty one, and its question


def organisation_of(subjects: Subjects) -> str:
    """The name of the organisation, by relations that only one has; empty where several are as likely."""
    return _most_related(subjects, _RELATIONS, _RELATED)


def handbook_of(subjects: Subjects) -> str:
    """The name of what a handbook is about, most of whose facts name nothing or this: a workshop with an owner, an address and opening
    hours."""
    facts, every = list(subjects), _RELATIONS + _COMMON
    count = Counter(name for name, _ in facts)
    nameless = count.pop("", 0)
    (most, own), (_, others) = [*count.most_common(2), ("", 0), ("", 0)][:2]
    if own >= max(_MOST * len(facts), _TIMES * others):
        name = _most_related(((name, asked) for name, asked in facts if name == most), every, _RELATED)
    elif nameless >= _NAMELESS * len(facts):
        name = _most_related(facts, every, _RELATED_COMMONLY)
    else:
        return ""
    return "" if _PART.search(name) else name


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
    return ranked[0] if not others or len(related[ranked[0]]) >= _TIMES_RELATED * max(others) else ""
