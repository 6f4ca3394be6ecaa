"""Comparisons of what was not found by its names: "Which is dearer, the evening menu or the lunch?" The facts that answer the whole
question are read beside it; their amounts are compared, and the answer says which of them comes first, and its amount."""

import re
from itertools import takewhile

from lorekeep.answering import compare
from lorekeep.answering.amounts import Amount
from lorekeep.answering.amounts import amounts as amounts_in
from lorekeep.answering.claims import yes_no
from lorekeep.answering.claims.closed import is_closed
from lorekeep.answering.compose import Composed
from lorekeep.answering.judge import Judge
from lorekeep.answering.rerank.reranker import Reranker
from lorekeep.answering.word_match import roots
from lorekeep.routing.words import STOP, Word, words

# The logit from which a fact is one of those compared, and the one that the surest of those about names needs.
_COMPARED, _ANSWERS = 0.0, 1.0
# Facts that are read, of one name and in all, and the most that are compared.
_ABOUT, _READ, _MAX_COMPARED = 24, 12, 6
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

# "The smallest and the largest amount" are two, of which none is compared with the other.
_BOTH_ENDS = re.compile(r"\b\w+est\b[^?]*\band\b[^?]*\b\w+est\b", re.IGNORECASE)

Told = tuple[int, list[Amount]]


def compared(question: str, judge: Judge, reranker: Reranker) -> Composed | None:
    measured = compare.wanted(question) if compare.is_asked(question) else None
    if measured is None or _BOTH_ENDS.search(question):
        return None
    names = judge.knowledge.subjects(question)
    told = _of_names(names, question, judge, reranker)
    if not told:
        told, names = _of_read(question, judge, reranker), []
    if len(told) < 2:
        return None
    facts = [fact for fact, _ in told]
    # The last amounts of ranges that begin alike.
    begin_alike = len({some[0].value for _, some in told}) == 1
    amounts = [some[-1 if begin_alike else 0] for _, some in told]
    named = names or _options(question, facts, judge) or _apart(question, facts, judge)
    if named is None or reranker.lacks(question, facts):
        return None
    text = compare.answered(question, named, amounts, measured[1], judge.router.entries[facts[0]].output)
    if text in ("Yes.", "No.") and not is_closed(question):
        return None
    if text in named and not names:
        text = f"{text}: {judge.router.entries[facts[named.index(text)]].output}"
    return Composed("comparison", tuple(facts), text, 0.9, question) if text else None


def _of_names(names: list[str], question: str, judge: Judge, reranker: Reranker) -> list[Told]:
    """The fact about each of the names of a question that answers it surest, with amounts of one unit."""
    if not 2 <= len(names) <= _MAX_COMPARED:
        return []
    chosen: list[tuple[float, int]] = []
    for name in names:
        about = [
            fact for fact in judge.knowledge.about(name)[:_ABOUT] if judge.usable(fact) and _told(judge, fact)
        ]
        if not about:
            return []
        chosen.append(max(reranker.read(question, about, judge), default=(-1.0, about[0])))
    told = [(fact, _told(judge, fact)) for _, fact in chosen]
    units = {some[0].unit for _, some in told}
    # "640 people" and "2,150" may both be numbers of people.
    of_one_unit = len(units) == 1 or (len(names) == 2 and len(units - {""}) == 1)
    # A fact may name two of them.
    apart = len({fact for fact, _ in told}) == len(names)
    return told if apart and of_one_unit and max(logit for logit, _ in chosen) >= _ANSWERS else []


def _of_read(question: str, judge: Judge, reranker: Reranker) -> list[Told]:
    """The facts that answer the question as a whole, with amounts of one unit: two, or all where a superlative asks for them."""
    near = reranker.nearest(question, _READ, judge, for_all=False)
    read = sorted(reranker.read(question, near, judge), key=lambda one: (-one[0], one[1]))
    told = [(fact, some) for logit, fact in read if logit >= _COMPARED and (some := _told(judge, fact))]
    told = [(fact, some) for fact, some in told if some[0].unit == told[0][1][0].unit]
    return told[: _MAX_COMPARED if _SUPERLATIVE.search(question) else 2]


def _told(judge: Judge, fact: int) -> list[Amount]:
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
