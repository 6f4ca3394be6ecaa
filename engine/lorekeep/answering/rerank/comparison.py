"""Comparisons of things that were not found by name: "Which is dearer, the evening menu or the lunch?" The facts that answer the
whole question are found by the cross-encoder; their amounts are compared, and the answer names the first one, with its amount."""

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

# Minimum logit of a fact that is compared.
_MIN_LOGIT = 0.0
# Maximum numbers of facts read where no names select them, scanned for amounts by name and in total, and compared.
_MAX_READ, _PER_NAME, _MAX_SCANNED, _MAX_COMPARED = 12, 24, 400, 6
# Minimum number of words that the questions of compared facts share, if the words that differ are taken as names.
_MIN_SHARED_WORDS = 2
_OPTIONS = re.compile(
    r"(?:^|[,:;–-]\s*|\b(?:is|are|was|were|does|do|of|than|more|less|earlier|later|first|cheaper|dearer)\s+)(?P<one>[^,:;?]+?),? or (?P<other>[^,:;?]+?)(?:,[^,]*)?\??\s*$",
    re.IGNORECASE,
)
# The words beside an option: "Is X or Y cheaper?"
_BESIDE_OPTION = re.compile(rf"^{yes_no.AUX}\b|{compare.IS_ASKED.pattern}(?: .*)?$", re.IGNORECASE)
_CLOCK = re.compile(
    r"\b(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s*(?P<half>[ap])\.?m\b|\b(?P<hour24>\d{1,2}):(?P<minute24>\d{2})\b",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(r"\b(?:\w+est|most|least)\b", re.IGNORECASE)
# Words for the first of all, and (_OF_SOME) for the first of a group.
_OF_ALL = re.compile(r"(?<!\bat )(?<!\bfor the )\b(?:\w+est|most|least)\b|\b(?:first|last)\b", re.IGNORECASE)
# "The fastest that it can go" is a measure of one thing.
_OF_ONE = re.compile(
    r"\b(?:\w+est|most|least)\b[^.?!]*\b(?:can|could|may|might|must|will|would|ever)\b", re.IGNORECASE
)
_OF_SOME = re.compile(rf"{_OF_ALL.pattern}|\b(?:two|three|four|both)\b", re.IGNORECASE)
# "Who came first in the 2019 race?" is of one year.
_OF_YEAR = re.compile(r"\b\d{4}\b")

# "The smallest and the largest amount" asks for two values and compares neither with the other.
_BOTH_ENDS = re.compile(r"\b\w+est\b[^?]*\band\b[^?]*\b\w+est\b", re.IGNORECASE)


def compared(question: str, judge: Judge, reranker: Reranker) -> Composed | None:
    measured = compare.measure_questions(question) if compare.asks_comparison(question) else None
    if measured is None or _BOTH_ENDS.search(question):
        return None
    if told := _facts_of_all(question, judge, reranker):
        return _extreme(told, measured[1], question, judge)
    names = judge.knowledge.subjects(question)
    told = _facts_by_names(names, question, judge, reranker)
    if len(told) > 2 and not is_closed(question):
        return (
            None
            if reranker.lacks_name(question, [fact for fact, _ in told])
            else _extreme(told, measured[1], question, judge)
        )
    if not told:
        told, names = _facts_by_score(question, judge, reranker), []
    return _amount_comparison(told, names, question, judge, reranker)


def two_fact_comparison(
    question: str, facts: Sequence[int], judge: Judge, reranker: Reranker
) -> Composed | None:
    """The comparison of two facts that were found for a comparing question."""
    if len(facts) != 2 or not compare.asks_comparison(question) or is_closed(question):
        return None
    told = [(fact, _fact_amounts(judge, fact)) for fact in facts]
    return _amount_comparison(told, [], question, judge, reranker)


def _amount_comparison(
    told: list[Told], names: list[str], question: str, judge: Judge, reranker: Reranker
) -> Composed | None:
    """The comparison of facts that are about names of the question, or have its options in their own questions."""
    _, sign = compare.measure_questions(question) or ([], 1)
    told = _in_one_unit(told, compare.adjective_question(question) == compare.OF_COST)
    if len(told) < 2:
        return None
    facts = [fact for fact, _ in told]
    # Ranges with the same start are compared by their last amounts.
    begin_alike = len({some[0].value for _, some in told}) == 1
    entries = judge.router.entries
    answers = [entries[fact].output for fact in facts]
    amounts = compare.comparable_values(question, [some for _, some in told], answers)
    amounts = amounts or [some[-1 if begin_alike else 0] for _, some in told]
    named = [compare.whole_name(name, entries[fact].input) for name, fact in zip(names, facts, strict=False)]
    named = named or _options(question, facts, judge) or _differing_parts(question, facts, judge)
    if named is None or reranker.lacks_name(question, facts):
        return None
    if is_closed(question) and (ordered := compare.in_order(named, question)) == named[::-1]:
        # "Is X older than Y?" asks about the one that the question names first.
        named, amounts, facts = ordered, amounts[::-1], facts[::-1]
    text = compare.comparison_answer(question, named, amounts, sign, judge.router.entries[facts[0]].output)
    if text in ("Yes.", "No.") and not is_closed(question):
        return None
    if text in named and not names:
        text = f"{text}: {judge.router.entries[facts[named.index(text)]].output}"
    return Composed("comparison", tuple(facts), text, 0.9, question) if text else None


def _in_one_unit(told: list[Told], of_cost: bool) -> list[Told]:
    """The amounts of facts in units that all have: in money where costs are compared. Empty where they have no unit in common."""
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


def _extreme(told: list[Told], sign: int, question: str, judge: Judge) -> Composed:
    """The subjects with the highest or lowest amount, with their answers, from the facts about all subjects."""
    entries, knowledge = judge.router.entries, judge.knowledge
    amounts = compare.comparable_values(
        question, [some for _, some in told], [entries[fact].output for fact, _ in told]
    )
    amounts = amounts or [some[0] for _, some in told]
    sign = compare.direction_of(question, amounts, sign)
    best = max(sign * one.value for one in amounts)
    first = [fact for (fact, _), one in zip(told, amounts, strict=True) if sign * one.value == best]
    text = " and ".join(
        f"{compare.whole_name(knowledge.subject(fact), entries[fact].input)} ({entries[fact].output.rstrip('.')})"
        for fact in first
    )
    return Composed("comparison", tuple(fact for fact, _ in told), text, 0.9, question)


def _facts_of_all(question: str, judge: Judge, reranker: Reranker) -> list[Told]:
    """The facts about all subjects with the measure that a superlative asks for: "Which is the oldest?" Where the question names the
    answers of facts, only the facts about their subjects: "Ada built two bridges. Which is the older?" """
    named = judge.knowledge.subjects(question)
    of_one = standalone.OR.search(question) or _OF_ONE.search(question) or _OF_YEAR.search(question)
    if of_one or is_closed(question) or len(named) > 1:
        return []
    own = {judge.knowledge.subject(fact) for fact in judge.knowledge.facts_by_answer(question)}
    if bool(named) != bool(own) or not (_OF_SOME if own else _OF_ALL).search(question):
        return []
    told_of = _amounts_of(range(len(judge.router.entries)), judge)
    told_of = {
        fact: told for fact, told in told_of.items() if not own or judge.knowledge.subject(fact) in own
    }
    return subject_measures([], question, told_of, judge, reranker)


def _facts_by_names(names: list[str], question: str, judge: Judge, reranker: Reranker) -> list[Told]:
    """The facts about the names of a question with the measure that it compares."""
    if not 2 <= len(names) <= _MAX_COMPARED:
        return []
    told_of = _amounts_of([fact for name in names for fact in judge.knowledge.about(name)[:_PER_NAME]], judge)
    told = subject_measures(names, question, told_of, judge, reranker)
    # One fact may be about two of the names.
    return told if len({fact for fact, _ in told}) == len(names) else []


def _amounts_of(facts: Sequence[int], judge: Judge) -> dict[int, list[Amount]]:
    """The facts that have amounts, with the amounts. Empty above the maximum: the extreme value may be among the rest."""
    if len(facts) > _MAX_SCANNED:
        return {}
    return {fact: told for fact in facts if judge.usable(fact) and (told := _fact_amounts(judge, fact))}


def _facts_by_score(question: str, judge: Judge, reranker: Reranker) -> list[Told]:
    """The facts that answer the whole question, with amounts in one unit: two, or all for a superlative."""
    near = reranker.nearest(question, _MAX_READ, judge, for_all=False)
    read = sorted(reranker.read(question, near, judge), key=lambda one: (-one[0], one[1]))
    told = [
        (fact, some) for logit, fact in read if logit >= _MIN_LOGIT and (some := _fact_amounts(judge, fact))
    ]
    told = [(fact, some) for fact, some in told if some[0].unit == told[0][1][0].unit]
    return told[: _MAX_COMPARED if _SUPERLATIVE.search(question) else 2]


def _fact_amounts(judge: Judge, fact: int) -> list[Amount]:
    """The amounts or the time of day in the answer of a fact."""
    entry = judge.router.entries[fact]
    if (clock := _CLOCK.search(entry.output)) is None:
        return [one for one in amounts_in(entry.output) if one.text not in entry.input]
    hour = int(clock["hour"] or clock["hour24"]) + (int(clock["minute"] or clock["minute24"] or 0)) / 60
    if clock["half"]:
        hour = hour % 12 + (12 if clock["half"].lower() == "p" else 0)
    return [Amount(hour, "clock", clock[0])]


def _options(question: str, facts: list[int], judge: Judge) -> list[str] | None:
    """The names before and after the "or" of a question, in the order of the facts about them."""
    said = _OPTIONS.search(question)
    if said is None or len(facts) != 2:
        return None
    options = [_BESIDE_OPTION.sub("", said[place]).strip() for place in ("one", "other")]
    own = [roots(option) for option in options]
    own = [own[0] - own[1], own[1] - own[0]]
    asked = [roots(judge.router.entries[fact].input) for fact in facts]
    straight = len(own[0] & asked[0]) + len(own[1] & asked[1])
    crossed = len(own[0] & asked[1]) + len(own[1] & asked[0])
    if straight == crossed:
        return None
    return options if straight > crossed else options[::-1]


def _differing_parts(question: str, facts: list[int], judge: Judge) -> list[str] | None:
    """The parts in which the questions of facts differ: "minced beef" and "beef fillet" in "What does ... cost a kilo?" """
    asked = [judge.router.entries[fact].input for fact in facts]
    said = [words(text) for text in asked]
    begins, ends = _common_prefix(said), _common_prefix([one[::-1] for one in said])
    if begins + ends < _MIN_SHARED_WORDS or any(len(one) <= begins + ends for one in said):
        return None
    names, sought = [], {word.plain for word in words(question)} - STOP
    for text, one in zip(asked, said, strict=True):
        first, last = begins, len(one) - ends - 1
        # Include the rest of a name, "Tagwell 500", and adjacent words of the question: "the first category".
        while first > 1 and one[first - 1].text[0].isupper():
            first -= 1
        while last + 1 < len(one) and one[last + 1].plain in sought:
            last += 1
        names.append(text[one[first].start : one[last].end])
    return names


def _common_prefix(said: list[list[Word]]) -> int:
    """The number of leading words that all questions share."""
    columns = zip(*([word.plain for word in one] for one in said), strict=False)
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))
