"""The fact of each subject with the measure that a message compares: "Which is the oldest of all the bakeries?" Each fact with a number is
scored against a question for the measure of its own subject, since facts of other subjects may have other words for the same measure."""

import re
from collections import defaultdict
from collections.abc import Iterable

from lorekeep.answering import compare
from lorekeep.answering.amounts import Amount
from lorekeep.answering.judge import Judge
from lorekeep.answering.rerank.reranker import Reranker

# Minimum logits of the best fact, the second and each further one, where no names select their subjects.
_MIN_FIRST_LOGIT, _MIN_SECOND_LOGIT, _MIN_FURTHER_LOGIT = 2.0, 0.5, -3.5
# Minimum logits of the best fact and of each fact, where the message names their subjects.
_MIN_NAMED_FIRST, _MIN_NAMED = 1.0, -3.0
# Margin of the best fact of a subject over another in the same unit; within it, the subject is ambiguous.
_MARGIN = 1.5
# Maximum number of facts that are read.
_MAX_READ = 64
_ASKS_WHEN = re.compile(r"\b(?:when|years?|dates?|dated|old|age|since|from)\b", re.IGNORECASE)
_BEGINNING = re.compile(
    r"\b(?:founded|established|opened|built|made|launched|started|began|begun|born|set up|created|formed|dates?)\b",
    re.IGNORECASE,
)
_IT = re.compile(r"\bit\b")
# "3 Larder Lane" has a number but no measure.
_ADDRESS = re.compile(r"\b\d{1,3}[a-z]? [A-Z][a-z]+ [A-Z]")

Told = tuple[int, list[Amount]]
# By subject, the logit of the best fact for the measure, and that fact.
Found = dict[str, tuple[float, int]]


def subject_measures(
    names: list[str], question: str, told_of: dict[int, list[Amount]], judge: Judge, reranker: Reranker
) -> list[Told]:
    """The fact with its amounts, all in one unit, for each of the names, or for all subjects with such a fact. `told_of` has the amounts
    by fact."""
    is_age = compare.is_of_age(question)
    if is_age:
        told_of = {fact: told for fact, told in told_of.items() if _tells_age(fact, told, judge)}
    facts = {name: _about(name, told_of, judge) for name in names} if names else _by_subject(told_of, judge)
    if sum(map(len, facts.values())) > _MAX_READ:
        return []
    found = _best_by_unit(facts, question, told_of, judge, reranker, bool(names))
    best, most = {}, 0.0
    for of_name in _of_units(found, names):
        logits = sorted((logit for logit, _ in of_name.values()), reverse=True)
        if names:
            enough = len(logits) == len(names) and logits[-1] >= _MIN_NAMED and logits[0] >= _MIN_NAMED_FIRST
        else:
            enough = len(logits) > 1 and logits[1] >= _MIN_SECOND_LOGIT and logits[0] >= _MIN_FIRST_LOGIT
        if enough and (total := sum(max(logit, 0.0) for logit in logits)) > most:
            best, most = of_name, total
    ordered = [best[name] for name in facts if name in best]
    return [(fact, told_of[fact]) for logit, fact in ordered if names or logit >= _MIN_FURTHER_LOGIT]


def _best_by_unit(
    facts: dict[str, list[int]],
    question: str,
    told_of: dict[int, list[Amount]],
    judge: Judge,
    reranker: Reranker,
    named: bool,
) -> dict[str, Found]:
    """The best fact of each subject for the measure, by unit."""
    measures, _ = compare.measure_questions(question) or ([], 0)
    found: defaultdict[str, Found] = defaultdict(dict)
    for name, some in facts.items():
        # "How many are there?" has no "it" to replace by the name.
        of_it = [_IT.sub(lambda _, name=name: name, text) for text in measures if _IT.search(text)]
        logits: dict[int, float] = {}
        for text in [*of_it, question if named else f"{name}: {question}"]:
            for logit, fact in reranker.read(text, some, judge):
                logits[fact] = max(logit, logits.get(fact, logit))
        ranked = sorted(logits, key=lambda fact: (-logits[fact], fact))
        units = [_unit(told_of[fact]) for fact in ranked[:2]]
        if (
            not named
            and len(set(units)) < len(units)
            and logits[ranked[1]] > max(_MIN_FIRST_LOGIT, logits[ranked[0]] - _MARGIN)
        ):
            return {}  # ambiguous: two crossings from one harbour
        for fact in ranked:
            found[_unit(told_of[fact])].setdefault(name, (logits[fact], fact))
    return found


def _of_units(found: dict[str, Found], names: list[str]) -> Iterable[Found]:
    """The facts of each unit. A number without a unit may be in the unit of another: "640 people" and "2,150"."""
    yield from found.values()
    for unit, of_name in found.items():
        if unit and names:
            yield {**found.get("", {}), **of_name}


def _about(name: str, told_of: dict[int, list[Amount]], judge: Judge) -> list[int]:
    return [fact for fact in judge.knowledge.about(name) if fact in told_of]


def _by_subject(told_of: dict[int, list[Amount]], judge: Judge) -> dict[str, list[int]]:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for fact in told_of:
        name = judge.knowledge.subject(fact)
        if name and name != judge.knowledge.home and not _ADDRESS.search(judge.router.entries[fact].output):
            found[name].append(fact)
    return found


def _tells_age(fact: int, told: list[Amount], judge: Judge) -> bool:
    """Whether a fact gives the year in which its subject began, or its age."""
    entry = judge.router.entries[fact]
    if not any(map(compare.is_year, told)):
        return told[0].unit == "hour"
    asks_when = _ASKS_WHEN.search(entry.input) or told[0].text == entry.output.strip(" .")
    return bool(asks_when or _BEGINNING.search(entry.output))


def _unit(told: list[Amount]) -> str:
    return "year" if any(map(compare.is_year, told)) else told[0].unit
