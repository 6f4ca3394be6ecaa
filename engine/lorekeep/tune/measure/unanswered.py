"""Questions that ship with the engine and that the router leaves to a base, each with the facts that a base would read for it in
service. Half of them are rewordings, which a fact answers, and half near misses, which no fact answers."""

import random
from dataclasses import dataclass

from lorekeep.answering.facts_prompt import NEAR, fact_lines, relevant_facts
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.rerank.closest_facts import ClosestFacts
from lorekeep.routing.embedders.calibration import questions
from lorekeep.routing.router import Gate, Router
from lorekeep.routing.stored_keys import Entry, keys_of, names_of
from lorekeep.routing.vectors import Vectors
from lorekeep.routing.words import Vocabulary

# Number of questions embedded in one batch, which costs less than one by one.
_PREFETCH_SIZE = 32


@dataclass
class Unanswered:
    text: str  # the facts' lines and the question, as a base reads them
    answer: str | None  # of the fact that answers the question, if any


def unanswered(embed: Vectors, vocabulary: Vocabulary, count: int) -> list[Unanswered]:
    """Up to `count` questions of each half, from as few sets as needed."""
    found: dict[bool, list[Unanswered]] = {True: [], False: []}
    for facts in questions().facts:
        if any(len(some) < count for some in found.values()):
            _add(found, facts, embed, vocabulary, count)
    return [*found[True], *found[False]]


def _add(found: dict, facts: list[dict], embed: Vectors, vocabulary: Vocabulary, count: int) -> None:
    entries = [Entry(fact["input"], fact["output"]) for fact in facts]
    router = Router(
        entries, keys_of(entries, names_of(entries, vocabulary), embed), Gate(), vocabulary, embed
    )
    knowledge, closest = Knowledge(router), ClosestFacts(router)
    asked = [(text, fact["output"]) for fact in facts for text in fact["rewordings"]]
    asked += [(text, None) for fact in facts for text in fact["near_misses"]]
    random.Random(0).shuffle(asked)
    for at, (question, answer) in enumerate(asked):
        if at % _PREFETCH_SIZE == 0:
            ahead = asked[at : at + _PREFETCH_SIZE]
            embed.read_ahead([text for text, of in ahead if len(found[of is not None]) < count])
        some = found[answer is not None]
        if len(some) == count:
            continue
        match = router.route(question, whole=question)
        if match is not None and match.passed:
            continue
        near = relevant_facts(knowledge, question, [], closest(question, NEAR))
        if near:
            lines = fact_lines([vars(entries[fact]) for fact in near])
            some.append(Unanswered(f"{lines}\n{question}", answer))
