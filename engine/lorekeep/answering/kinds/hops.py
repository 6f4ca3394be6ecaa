"""Two-hop answers where the question names the link by a word that no fact has: "What year was Ada Quist's ferry built?", where the facts
tell the captain of each ship. The name and the words beside it are replaced by each subject that a fact links with the name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lorekeep.answering.judge import Judge
from lorekeep.answering.kinds.groups import Groups
from lorekeep.answering.kinds.tables import asks_for
from lorekeep.answering.rerank.reranker import RankedFact, Reranker, likeness_of
from lorekeep.answering.word_match import KINDS, roots
from lorekeep.routing.contradictions.near_misses import is_near_miss
from lorekeep.routing.words import any_case, words

# Minimum logit of the second fact, and its gain over the best fact for the question as it is.
_MIN_LOGIT, _MIN_GAIN = 5.0, 1.0
# Maximum numbers of names of a question, of links of a name, and of facts about each linked subject.
_MAX_NAMES, _MAX_LINKS, _MAX_FACTS = 2, 4, 8
# Words that describe the linked subject are in lower case.
_NOUN = r"(?!(?:is|are|was|were|do|does|did|has|have|had|can|will|last|next|this)\b)[a-z][\w-]*"
_BEHIND = re.compile(rf"(?:['’]s|(?<=s)['’])((?: {_NOUN}){{1,2}})")
_BEFORE = re.compile(
    rf"(?:\b[Tt]he |\b(?:a|an|our|your) )?((?:{_NOUN} ){{1,2}})(?:of|from|with|by|at|behind|in|where|that|which|who|whose|run by|led by|made by|made in)\s(?:the )?$"
)
# "How many lifts are in the tower?" asks for lifts.
_ASKED = any_case(r"\b(?:how (?:many|much)|which|what|whose)\s$")
# "The ship that Ada Quist commands", "the guy who commands the Heron"
_BEFORE_CLAUSE = re.compile(
    rf"\b(?:[Tt]he|an?|our|your) ((?:{_NOUN} ){{1,2}}?)(?:(?:who|that|which) [a-z]+ (?:the )?)?$"
)
_CLAUSE = any_case(
    r"^ (?:(?:is|was) [a-z]+ (?:of|at|in|on)|(?:works?|leads?|makes?|made|commands?|sails?|runs?|heads?|plays?|sings?)(?: at| in| on| for)?)\b"
)
_VERB = any_case(
    r"^ (?:is|was|works?|leads?|makes?|made|commands?|sails?|runs?|heads?|sits?|plays?|sings?|lives?)(?: in charge| in| at| on)?\b"
)
_WHAT_IS = any_case(r"\W*what(?:['’]?s| is| was)\s")
# Words that name no relation.
_EMPTY = KINDS | roots("name called tell know need look find please hello thing one question")


@dataclass(frozen=True)
class _Span:
    """A name with the words that describe the linked subject: "Ada Quist's ferry", "the dairy behind Dunmarrow"."""

    start: int
    end: int
    nouns: str


def linked_answer(question: str, groups: Groups, judge: Judge, reranker: Reranker) -> RankedFact | None:
    ways: list[
        tuple[str, int, int]
    ] = []  # the question about a subject, the fact that links it, and a fact about it
    direct: list[int] = []
    for name, start, end in _names(question, judge):
        spans = [one for one in _spans(question, start, end) if _may_link(question, one, groups)]
        if not spans:
            continue
        direct += [fact for fact in judge.knowledge.about(name) if judge.usable(fact)][:_MAX_FACTS]
        for subject, lead in list(dict.fromkeys(_links(name, judge)))[:_MAX_LINKS]:
            facts = [fact for fact in judge.knowledge.about(subject) if judge.usable(fact) and fact != lead]
            for span in spans:
                asked = f"{question[: span.start]}{subject}{question[span.end :]}"
                ways += [(asked, lead, fact) for fact in reranker.most_similar(asked, facts, _MAX_FACTS)]
    if not ways:
        return None
    reranker.read_ahead(
        [*((asked, fact) for asked, _, fact in ways), *((question, fact) for fact in direct)], judge
    )
    own = [logit for logit, _ in reranker.read(question, list(dict.fromkeys(direct)), judge)]
    best: tuple[float, int, int] | None = None
    for asked, lead, fact in ways:
        entry = judge.router.entries[fact]
        for logit, _ in reranker.read(asked, [fact], judge):
            if (best is None or logit > best[0]) and not is_near_miss(asked, entry.input, entry.output):
                best = logit, lead, fact
    if best is None or best[0] < max([_MIN_LOGIT, *(logit + _MIN_GAIN for logit in own)]):
        return None
    return RankedFact(best[2], likeness_of(best[0]), best[1])


def _may_link(question: str, span: _Span, groups: Groups) -> bool:
    """Whether the words of a span only describe a subject: the rest of the question names the relation, and they do not."""
    rest = asks_for(question[: span.start] + " " + question[span.end :]) - _EMPTY
    said = roots(span.nouns)
    linking = {word for role in groups.roles if role.group for word in roots(role.phrase)}
    # "What is Ada Quist's shoe size?" has one noun of two words.
    if _WHAT_IS.fullmatch(question[: span.start]) and len(question[span.end :].split()) == 1:
        return False
    return bool(rest) and not said & (groups.said - linking) and not _ASKED.search(question[: span.start])


def _names(question: str, judge: Judge) -> list[tuple[str, int, int]]:
    """The known names of a question, subjects and answers, with their places."""
    knowledge, found = judge.knowledge, []
    said = {word.plain: word for word in words(question)}
    for name in knowledge.subjects(question):
        ends = [said[word.plain] for word in words(name) if word.plain in said]
        if name != knowledge.home and ends:
            found.append((name, min(one.start for one in ends), max(one.end for one in ends)))
    for fact in knowledge.facts_by_answer(question)[:_MAX_LINKS]:
        for value in knowledge.values_of(fact):
            ends = [word for plain, word in said.items() if plain in value]
            if len(ends) == len(value) > 0:
                start, end = min(one.start for one in ends), max(one.end for one in ends)
                found.append((question[start:end], start, end))
    bare = [(name, start, end - 2 * question[start:end].endswith(("'s", "’s"))) for name, start, end in found]
    return list({(start, end): (name, start, end) for name, start, end in bare}.values())[:_MAX_NAMES]


def _links(name: str, judge: Judge) -> Iterator[tuple[str, int]]:
    """The subjects that a fact links with a name, with the fact: those in answers about the name, and those that the name answers."""
    knowledge, entries = judge.knowledge, judge.router.entries
    own = {word.plain for word in words(name)}
    for fact in knowledge.about(name):
        for other in knowledge.subjects_in_answer(entries[fact].output):
            if other != name and judge.usable(fact) and knowledge.subject(fact) == name:
                yield other, fact
    index = judge.taught_words.answers
    of_answer = [set(index.get(root, ())) for root in roots(name)]
    for fact in sorted(set.intersection(*of_answer)) if of_answer else ():
        told = {word.plain for word in words(entries[fact].output)}
        if own <= told and (subject := knowledge.subject(fact)) and judge.usable(fact):
            yield subject, fact


def _spans(question: str, start: int, end: int) -> Iterator[_Span]:
    if behind := _BEHIND.match(question[end:]):
        for found in re.finditer(r"\S+(?=\s|$)", behind[0]):
            if found.start() > 0:
                yield _Span(start, end + found.end(), behind[0][: found.end()].partition(" ")[2])
    if before := _BEFORE.search(question[:start]):
        verb = _VERB.match(question[end:])
        stop = end + (verb.end() if verb else 0)
        yield _Span(before.start(), stop, before[1])
        if len(first := before[1].split()) == 2:
            yield _Span(before.start() + before[0].rindex(first[1]), stop, first[1])
    if led := _BEFORE_CLAUSE.search(question[:start]):
        clause = _CLAUSE.match(question[end:])
        if clause or not led[0].endswith(led[1]):
            yield _Span(led.start(), end + (clause.end() if clause else 0), led[1])
