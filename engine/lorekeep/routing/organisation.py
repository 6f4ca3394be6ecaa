"""Finds the organisation whose facts a memory holds, by the relations that only an organisation has. Its own people leave its name
out: "Who is our managing director?", "Where is the head office?" """

import re
from collections import defaultdict
from collections.abc import Iterable

# Relations of an organisation; each line is one.
_RELATIONS = [
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
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
# Relations that the organisation has at least, and how many times as many as any other subject.
_RELATED, _TIMES = 2, 1.5


def organisation_of(subjects: Iterable[tuple[str, str]]) -> str:
    """The name of the organisation, of the taught questions with their subjects; empty where several are as likely."""
    related: dict[str, set[int]] = defaultdict(set)
    for name, question in subjects:
        if name:
            related[name].update(at for at, relation in enumerate(_RELATIONS) if relation.search(question))
    ranked = sorted(related, key=lambda name: (-len(related[name]), name))
    # A short form of the name has facts of its own.
    for name in ranked[:2]:
        for other in related:
            if other != name and f" {other} " in f" {name} ":
                related[name] |= related[other]
    ranked = sorted(related, key=lambda name: (-len(related[name]), -len(name), name))
    if not ranked or len(related[ranked[0]]) < _RELATED:
        return ""
    others = [len(related[name]) for name in ranked[1:] if f" {name} " not in f" {ranked[0]} "]
    return ranked[0] if not others or len(related[ranked[0]]) >= _TIMES * max(others) else ""
