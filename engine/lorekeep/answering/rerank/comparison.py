"""Comparisons of what was not found by its names: "Which is dearer, the evening menu or the lunch?" The facts that answer the whole
question are read beside it; their amounts are compared, and the answer says which of them comes first, and its amount."""

import re
from collections.abc import Sequence
from itertools import takewhile

from lorekeep.answering import compare
from lorekeep.answering.amounts import CURRENCIES, Amount
from lorekeep.answering.amounts import amounts as amounts_in
from lorekeep.answering.claims import yes_no
from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.compose import Composed
from lorekeep.answering.judge import Judge
from lorekeep.answering.reading import standalone
from lorekeep.answering.rerank.reranker import Reranker
from lorekeep.answering.rerank.subject_measures import Told, subject_measures
from lorekeep.answering.word_match import roots
from lorekeep.routing.words import STOP, Word, words

# The logit from which a fact is one of those compared.
_COMPARED = 0.0
# Facts that are read where no names select them, those of one name and of all whose amounts are looked at, and the most that are compared.
_READ, _ABOUT, _LOOKED_AT, _MAX_COMPARED = 12, 24, 400, 6
# Words that the questions of compared facts share, where what differs in them are their names.
_SHARED = 2
_OPTIONS = re.compile(
    r"(?:^|[,:;–-]\s*|\b(?:is|are|was|were|does|do|of|than|more|less|earlier|later|first|cheaper|dearer)\s+)(?P<one>[^,:;?]+?),? or (?P<other>[^,:;?]+?)(?:,[^,]*)?\??\s*$",
    re.IGNORECASE,
)
# The words beside an option: "Is X or Y cheaper?"
_BARE = re.compile(rf"^{yes_no.AUX}\b|{compare.IS_ASKED.pattern}(?: .*)?$", re.IGNORECASE)
_CLOCK = re.compile(
    r"\b(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s*(?P<half>[ap])\.?m\b|\b(?P<hour24>\d{1,2}):(?P<minute24>\d{2})\b",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(r"\b(?:\w+est|most|least)\b", re.IGNORECASE)
# Words for the first of all, and for the first of those that have something in common.
_OF_ALL = re.compile(r"(?<!\bat )(?<!\bfor the )\b(?:\w+est|most|least)\b|\b(?:first|last)\b", re.IGNORECASE)
# "The fastest that it can go" is a measure of one thing.
_OF_ONE = re.compile(
    r"\b(?:\w+est|most|least)\b[^.?!]*\b(?:can|could|may|might|must|will|would|ever)\b", re.IGNORECASE
)
_OF_SOME = re.compile(rf"{_OF_ALL.pattern}|\b(?:two|three|four|both)\b", re.IGNORECASE)
# "Who came first in the 2019 race?" is of one year.
_OF_YEAR = re.compile(r"\b\d{4}\b")

# "The smallest and the largest amount" are two, of which none is compared with the other.
_BOTH_ENDS = re.compile(r"\b\w+est\b[^?]*\band\b[^?]*\b\w+est\b", re.IGNORECASE)


def compared(question: str, judge: Judge, reranker: Reranker) -> Composed | None:
    measured = compare.measure_questions(question) if compare.asks_comparison(question) else None
    if measured is None or _BOTH_ENDS.search(question):
        return None
    if told := _of_all(question, judge, reranker):
        return _first(told, measured[1], question, judge)
    names = judge.knowledge.subjects(question)
    told = _of_names(names, question, judge, reranker)
    if len(told) > 2 and not is_closed(question):
        return (
            None
            if reranker.lacks_name(question, [fact for fact, _ in told])
            else _first(told, measured[1], question, judge)
        )
    if not told:
        told, names = _of_read(question, judge, reranker), []
    return _amount_comparison(told, names, question, judge, reranker)


def two_fact_comparison(
    question: str, facts: Sequence[int], judge: Judge, reranker: Reranker
) -> Composed | None:
    """The comparison of two facts that were found for a question that compares."""
    if len(facts) != 2 or not compare.asks_comparison(question) or is_closed(question):
        return None
    told = [(fact, _fact_amounts(judge, fact)) for fact in facts]
    return _amount_comparison(told, [], question, judge, reranker)


def _amount_comparison(
    told: list[Told], names: list[str], question: str, judge: Judge, reranker: Reranker
) -> Composed | None:
    """The comparison of facts, which are about names of the question or have what it names in their own questions."""
    _, sign = compare.measure_questions(question) or ([], 1)
    told = _in_one_unit(told, compare.adjective_question(question) == compare.OF_COST)
    if len(told) < 2:
        return None
    facts = [fact for fact, _ in told]
    # The last amounts of ranges that begin alike.
    begin_alike = len({some[0].value for _, some in told}) == 1
    answers = [judge.router.entries[fact].output for fact in facts]
    amounts = compare.comparable_values(question, [some for _, some in told], answers)
    amounts = amounts or [some[-1 if begin_alike else 0] for _, some in told]
    named = [compare.whole_name(*pair, judge) for pair in zip(names, facts, strict=True)] if names else None
    named = named or _options(question, facts, judge) or _apart(question, facts, judge)
    if named is None or reranker.lacks_name(question, facts):
        return None
    if is_closed(question) and (ordered := compare.in_order(named, question)) == named[::-1]:
        # "Is the first one older?" is asked of the one that the question names first.
        named, amounts, facts = ordered, amounts[::-1], facts[::-1]
    text = compare.comparison_answer(question, named, amounts, sign, judge.router.entries[facts[0]].output)
    if text in ("Yes.", "No.") and not is_closed(question):
        return None
    if text in named and not names:
        text = f"{text}: {judge.router.entries[facts[named.index(text)]].output}"
    return Composed("comparison", tuple(facts), text, 0.9, question) if text else None


def _in_one_unit(told: list[Told], of_cost: bool) -> list[Told]:
    """The amounts of facts from the first one on that is of a unit which all have: money where costs are compared. None where they have
    no unit in common."""
    if not told or not all(some for _, some in told):
        return []
    first, units = (
        {some[0].unit for _, some in told},
        set.intersection(*({one.unit for one in some} for _, some in told)),
    )
    if of_cost and units & CURRENCIES:
        units &= CURRENCIES
    elif len(first) == 1:
        return told
    if units:
        return [(fact, [one for one in some if one.unit in units]) for fact, some in told]
    # "640 people" and "2,150" may both be numbers of people.
    return told if len(told) == 2 and "" in first else []


def _first(told: list[Told], sign: int, question: str, judge: Judge) -> Composed:
    """The subjects that come first, with what is told of them, from the facts about all."""
    entries, knowledge = judge.router.entries, judge.knowledge
    amounts = compare.comparable_values(
        question, [some for _, some in told], [entries[fact].output for fact, _ in told]
    )
    amounts = amounts or [some[0] for _, some in told]
    sign = compare.direction_of(question, amounts, sign)
    best = max(sign * one.value for one in amounts)
    first = [fact for (fact, _), one in zip(told, amounts, strict=True) if sign * one.value == best]
    text = " and ".join(
        f"{compare.whole_name(knowledge.subject(fact), fact, judge)} ({entries[fact].output.rstrip('.')})"
        for fact in first
    )
    return Composed("comparison", tuple(fact for fact, _ in told), text, 0.9, question)


def _of_all(question: str, judge: Judge, reranker: Reranker) -> list[Told]:
    """The facts about all subjects that tell what a superlative asks for: "Which is the oldest?" Where the question names what facts are
    answered with, those about their subjects: "Ada built two bridges. Which is the older?" """
    named = judge.knowledge.subjects(question)
    of_one = standalone.OR.search(question) or _OF_ONE.search(question) or _OF_YEAR.search(question)
    if of_one or is_closed(question) or len(named) > 1:
        return []
    own = {judge.knowledge.subject(fact) for fact in judge.knowledge.facts_by_answer(question)}
    if bool(named) != bool(own) or not (_OF_SOME if own else _OF_ALL).search(question):
        return []
    told_of = _all_told(range(len(judge.router.entries)), judge)
    told_of = {
        fact: told for fact, told in told_of.items() if not own or judge.knowledge.subject(fact) in own
    }
    return subject_measures([], question, told_of, judge, reranker)


def _of_names(names: list[str], question: str, judge: Judge, reranker: Reranker) -> list[Told]:
    """The facts about the names of a question that tell what it compares."""
    if not 2 <= len(names) <= _MAX_COMPARED:
        return []
    told_of = _all_told([fact for name in names for fact in judge.knowledge.about(name)[:_ABOUT]], judge)
    told = subject_measures(names, question, told_of, judge, reranker)
    # A fact may name two of them.
    return told if len({fact for fact, _ in told}) == len(names) else []


def _all_told(facts: Sequence[int], judge: Judge) -> dict[int, list[Amount]]:
    """Those of some facts that tell amounts, with these. None of more facts than are looked at: the first may be among the others."""
    if len(facts) > _LOOKED_AT:
        return {}
    return {fact: told for fact in facts if judge.usable(fact) and (told := _fact_amounts(judge, fact))}


def _of_read(question: str, judge: Judge, reranker: Reranker) -> list[Told]:
    """The facts that answer the question as a whole, with amounts of one unit: two, or all where a superlative asks for them."""
    near = reranker.nearest(question, _READ, judge, for_all=False)
    read = sorted(reranker.read(question, near, judge), key=lambda one: (-one[0], one[1]))
    told = [
        (fact, some) for logit, fact in read if logit >= _COMPARED and (some := _fact_amounts(judge, fact))
    ]
    told = [(fact, some) for fact, some in told if some[0].unit == told[0][1][0].unit]
    return told[: _MAX_COMPARED if _SUPERLATIVE.search(question) else 2]


def _fact_amounts(judge: Judge, fact: int) -> list[Amount]:
    """The amounts or the time of day that a fact answers with."""
    entry = judge.router.entries[fact]
    if (clock := _CLOCK.search(entry.output)) is None:
        return [one for one in amounts_in(entry.output) if one.text not in entry.input]
    hour = int(clock["hour"] or clock["hour24"]) + (int(clock["minute"] or clock["minute24"] or 0)) / 60
    if clock["half"]:
        hour = hour % 12 + (12 if clock["half"].lower() == "p" else 0)
    return [Amount(hour, "clock", clock[0])]


def _options(question: str, facts: list[int], judge: Judge) -> list[str] | None:
    """The names before and behind the "or" of a question, by the order of the facts that are about them."""
    said = _OPTIONS.search(question)
    if said is None or len(facts) != 2:
        return None
    options = [_BARE.sub("", said[place]).strip() for place in ("one", "other")]
    own = [roots(option) for option in options]
    own = [own[0] - own[1], own[1] - own[0]]
    asked = [roots(judge.router.entries[fact].input) for fact in facts]
    straight = len(own[0] & asked[0]) + len(own[1] & asked[1])
    crossed = len(own[0] & asked[1]) + len(own[1] & asked[0])
    if straight == crossed:
        return None
    return options if straight > crossed else options[::-1]


def _apart(question: str, facts: list[int], judge: Judge) -> list[str] | None:
    """The part in which the questions of facts differ: "minced beef" and "beef fillet" in "What does ... cost a kilo?" """
    asked = [judge.router.entries[fact].input for fact in facts]
    said = [words(text) for text in asked]
    begins, ends = _alike(said), _alike([one[::-1] for one in said])
    if begins + ends < _SHARED or any(len(one) <= begins + ends for one in said):
        return None
    names, sought = [], {word.plain for word in words(question)} - STOP
    for text, one in zip(asked, said, strict=True):
        first, last = begins, len(one) - ends - 1
        # The rest of a name: "Tagwell 500", and of what was asked for: "the first category".
        while first > 1 and one[first - 1].text[0].isupper():
            first -= 1
        while last + 1 < len(one) and one[last + 1].plain in sought:
            last += 1
        names.append(text[one[first].start : one[last].end])
    return names


def _alike(said: list[list[Word]]) -> int:
    """The number of words with which all questions begin."""
    columns = zip(*([word.plain for word in one] for one in said), strict=False)
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))
