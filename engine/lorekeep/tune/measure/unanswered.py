"""Questions that ship with the engine and that no search answers, each with the facts that a base would read for it: what is left to a
base in service. Half of them are rewordings, which a fact answers, and half near misses, which none does."""

import random
from dataclasses import dataclass

from lorekeep.answering.closest import ClosestFacts
from lorekeep.answering.facts_prompt import NEAR, lines_of, relevant
from lorekeep.answering.knowledge import Knowledge
from lorekeep.routing.embedders.calibration import questions
from lorekeep.routing.router import Entry, Gate, Router, keys_of, names_of
from lorekeep.routing.vectors import Vectors
from lorekeep.routing.words import Vocabulary


@dataclass
class Unanswered:
    text: str  # the facts' lines and the question, as a base reads them
    answer: str | None  # of the fact that answers it


def unanswered(embed: Vectors, vocabulary: Vocabulary, count: int) -> list[Unanswered]:
    """Up to `count` of each half."""
    asked, routers = [], []
    for number, facts in enumerate(questions().facts):
        entries = [Entry(fact["input"], fact["output"]) for fact in facts]
        keys = keys_of(entries, names_of(entries, vocabulary), embed)
        routers.append(Router(entries, keys, Gate(), vocabulary, embed))
        for fact in facts:
            asked += [(number, text, fact["output"]) for text in fact["rewordings"]]
            asked += [(number, text, None) for text in fact["near_misses"]]
    random.Random(0).shuffle(asked)
    knows = [(Knowledge(router), ClosestFacts(router)) for router in routers]
    found: dict[bool, list[Unanswered]] = {True: [], False: []}
    for number, question, answer in asked:
        some = found[answer is not None]
        if len(some) == count:
            continue
        router, (knowledge, closest) = routers[number], knows[number]
        match = router.route(question, whole=question)
        if match is not None and match.passed:
            continue
        facts = relevant(knowledge, question, [], closest(question, NEAR))
        if facts:
            lines = lines_of([vars(router.entries[fact]) for fact in facts])
            some.append(Unanswered(f"{lines}\n{question}", answer))
    return [*found[True], *found[False]]
