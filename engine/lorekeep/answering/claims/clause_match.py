"""Decides a yes-or-no question by one clause of a fact that contains all its words: "Are cots free?" where the fact says "An extra bed is
£30. Cots for babies are free." """

import re

from lorekeep.answering.amounts import amounts
from lorekeep.answering.claims import yes_no
from lorekeep.answering.claims.measured.measures import weekdays
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.reading.questions import questions_of
from lorekeep.answering.reading.taught_words import root
from lorekeep.answering.word_match import WordMatch, roots
from lorekeep.routing import question_kind
from lorekeep.routing.by_meaning import sure_names
from lorekeep.routing.relation import kinds_differ
from lorekeep.routing.words import STOP, words

# "It is free and you do not need to book" has two clauses.
_CLAUSE = re.compile(
    r"(?<=[a-z0-9)]{2}[.!?;])\s+|,?\s+\bbut\b\s+|,?\s+\band\s+(?=(?:you|we|they|it|he|she|there|i)\b)",
    re.IGNORECASE,
)
_EXCEPTS = re.compile(
    r"\b(?:only|except|unless|without|apart from|other than|until|instead)\b", re.IGNORECASE
)
_ONLY = re.compile(r"^\W*only\b", re.IGNORECASE)
# Maximum number of facts checked for each rare word.
_MAX_FACTS_PER_WORD = 32
# Words that say that something is allowed or done, but not what.
_LIGHT_WORDS = roots(
    "can may could might must should do does have has get take come go use need allowed allow permitted possible supposed already really"
    " people person staff anyone someone always ever still also have be am are is they we you count into onto down up over there then here right"
)

_KIND_PREPOSITIONS = frozenset(("of", "from", "with", "in", "by"))
_FUNCTION_WORDS = {root(word) for word in STOP} | _LIGHT_WORDS


def claim_of(message: str) -> str:
    """The yes-or-no question of a message that says other things as well: "My basket is full, do I get free shipping?" """
    questions = questions_of(message)
    said = questions[0] if len(questions) == 1 else message
    clause = said.rpartition(", ")[2]
    return (
        clause
        if not yes_no.asks_yes_no(said, wanted=False) and yes_no.asks_yes_no(clause, wanted=False)
        else said
    )


def verdict(question: str, taught: str, answer: str, match: WordMatch) -> bool | None:
    """Whether a claim is true according to one clause of a fact. None where no clause has all its words."""
    if not yes_no.asks_yes_no(question, wanted=False) or yes_no.asks_yes_no(taught, wanted=False):
        return None
    if _EXCEPTS.search(question) or kinds_differ(question, taught):
        return None
    said = match.telling(question, "yes or no") - _LIGHT_WORDS
    asks = roots(taught)
    for clause in _CLAUSE.split(answer):
        own = roots(clause)
        held = {word for word in said if match.holds(own, word)}
        if (
            len(said) < 2
            or not held
            or any(word not in held and not match.holds(asks, word) for word in said)
        ):
            continue
        amount = {(one.value, one.unit) for one in amounts(question)}
        if not amount <= {(one.value, one.unit) for one in amounts(clause)} or weekdays(question) - weekdays(
            clause
        ):
            return None
        if question_kind.antonym_pairs(question, clause) == 1 and weekdays(question) & weekdays(clause):
            return False  # "Is it open on Sundays?", "It is closed on Sundays."
        if question_kind.antonym_pairs(question, f"{taught} {clause}"):
            return None
        if not (held - asks) or _EXCEPTS.search(clause) or _may_swap_roles(question, taught, clause, match):
            return None
        return question_kind.is_negated(question) == question_kind.is_negated(clause)
    return None


def _may_swap_roles(question: str, taught: str, clause: str, match: WordMatch) -> bool:
    """Whether a claim has names from both the question and the answer of a fact, so that subject and object may be swapped: "Did Ada teach
    Ben?" beside "Who was Ada's teacher? Ben". Equal words do not tell who did it to whom."""
    names = sure_names(question, match.judge.router.named.vocabulary)
    asked, told = ({word.plain for word in words(text)} for text in (taught, clause))
    is_between = question_kind.answer_kind(taught) in ("person", "thing")
    return is_between and bool(names & asked - told) and bool(names & told - asked)


def search(question: str, match: WordMatch) -> tuple[bool, int] | None:
    """Whether a yes-or-no question is true, and the fact with a clause that has all its words. None if such facts disagree."""
    if not yes_no.asks_yes_no(question, wanted=False):
        return None
    index, found = match.taught.answers, {}
    said = match.telling(question, "yes or no") - _LIGHT_WORDS
    rare = sorted((word for word in said if word in index), key=lambda word: (len(index[word]), word))[:2]
    for fact in dict.fromkeys(fact for word in rare for fact in index[word][:_MAX_FACTS_PER_WORD]):
        entry = match.entries[fact]
        if (
            match.judge.usable(fact)
            and (true := verdict(question, entry.input, entry.output, match)) is not None
        ):
            found[true] = fact
    return next(iter(found.items())) if len(found) == 1 else None


def claims_other_subject(question: str, fact: int, knowledge: Knowledge, match: WordMatch) -> bool:
    """Whether a question claims for one subject what a fact of the same relation says about another: "Does TM-55 mean customs hold?" """
    if not yes_no.asks_yes_no(question, wanted=False):
        return False
    entry, asks = knowledge.entries[fact], knowledge.router.keys.asks
    claimed = match.telling(question, "yes or no") - _LIGHT_WORDS
    claimed = {word for word in claimed if not match.holds(roots(entry.input), word)}
    if not claimed or any(match.holds(roots(entry.output), word) for word in claimed):
        return False
    return asks[fact] >= 0 and any(
        asks[other] == asks[fact]
        and all(match.holds(roots(knowledge.entries[other].output), word) for word in claimed)
        for other in range(len(asks))
    )


def excludes_subject(question: str, answer: str, match: WordMatch) -> bool:
    """Whether an answer limits something to certain subjects and a question names none of them: "Only guide dogs", "my cat"."""
    if not _ONLY.match(answer):
        return False
    said = roots(question)
    return not any(match.holds(said, word) for word in roots(_ONLY.sub("", answer)) - _FUNCTION_WORDS)


def claims_other_kind(question: str, taught: str, answer: str, match: WordMatch) -> bool:
    """Whether a question claims one kind of a thing where the fact says another: "from cow's milk", "goat's milk"."""
    asked = words(question)
    said = [root(word.plain) for word in asked]
    told = [root(word.plain) for word in words(answer) if word.plain not in STOP]
    if len(told) != 2 or told[1] not in said[2:]:
        return False
    at = said.index(told[1], 2) - 1
    kind = said[at]
    return (
        # "Does it contain milk?" names no kind.
        (asked[at - 1].plain in _KIND_PREPOSITIONS or asked[at].text.endswith(("'s", "’s")))
        and kind not in _FUNCTION_WORDS
        and not match.holds({*told, *roots(taught)}, kind)
        and not match.holds(set(said), told[0])
    )
