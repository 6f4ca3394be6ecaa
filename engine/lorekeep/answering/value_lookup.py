"""Answers questions about a value: "Whose number is 4050?", "What is bylaw 23 about?". All words beside the value must occur in the fact,
so that no fact about something else answers."""

import re
from collections.abc import Callable

from lorekeep.answering.knowledge import Knowledge, number
from lorekeep.answering.statement import statement
from lorekeep.routing.contradictions.direction import same_side
from lorekeep.routing.relation import relation_text
from lorekeep.routing.synonyms.groups import lemma, phrases_in
from lorekeep.routing.words import STOP, Word, words

# Maximum facts that share a value which identifies them; minimum values of an answer that is a list.
_MAX_FACTS, _MIN_LISTED = 3, 3
_SIGNS = "$€£%"
_ASKS = re.compile(r"\b(?:what|which|who|whom|whose|where|when)(?:['’]?s)?\b", re.IGNORECASE)
_ASKS_SUBJECT = re.compile(r"\W*(?:\w+ )?(?:which|who|whom)\b", re.IGNORECASE)
_CLAIMS = re.compile(
    r"\W*(?:is|are|was|were|do|does|did|can|could|has|have|must|may|should)\b|.*\bhow\b", re.IGNORECASE
)
# Filler words that refer to a value or ask what it is.
_FILLERS = frozenset(
    map(
        lemma,
        [
            "number",
            "code",
            "model",
            "product",
            "item",
            "mean",
            "means",
            "meaning",
            "stand",
            "called",
            "label",
            "job",
            "role",
            "position",
            "title",
            "thing",
            "type",
            "kind",
            "name",
            "use",
            "used",
            "error",
            "message",
            "get",
            "see",
            "shown",
            "show",
            "printed",
            "marked",
            "read",
            "reads",
            "euro",
            "euros",
            "dollar",
            "dollars",
            "pound",
            "pounds",
            "percent",
            "under",
            "behind",
            "exactly",
            "again",
            "actually",
            "back",
        ],
    )
)
# An answer that can be understood without its question.
_SENTENCE = re.compile(
    r"(?!(?:she|he|it|they|this|that|yes|no|we|you)\b)(?:\S+ ){1,8}(?:is|are|was|were|has|have|makes?|means?)\b.*\.$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b\d{4}\b")


# Likeness of a question whose words all occur in the fact, and of one that has only a name about which there are other facts.
_FULL_LIKENESS, _BARE_LIKENESS = 0.9, 0.4


def facts_with_value(
    question: str, knowledge: Knowledge, usable: Callable[[int], bool]
) -> tuple[tuple[int, ...], str, float] | None:
    """The few facts with a value that a question names, the answer (their subjects, or sentences), and the likeness."""
    if not _ASKS.search(question) or _CLAIMS.match(question):
        return None
    facts = [
        fact
        for fact in knowledge.facts_by_answer(question)
        if usable(fact) and _covers_question(question, fact, knowledge)
    ]
    if not 1 <= len(facts) <= _MAX_FACTS:
        return None
    light = all(
        lemma(word.plain) in _FILLERS or word.plain in STOP for word in _beside(question, facts, knowledge)
    )
    likeness = _BARE_LIKENESS if light and knowledge.about(question) else _FULL_LIKENESS
    subjects = list(dict.fromkeys(knowledge.subject(fact) for fact in facts))
    if _ASKS_SUBJECT.match(question) and all(
        one and one != knowledge.home and any(c.isalpha() for c in one) for one in subjects
    ):
        text = " and ".join(subjects) if len(subjects) < _MAX_FACTS else ", ".join(subjects)
        if len(facts) == 1 and _says_more(facts[0], question, knowledge):
            text = f"{text}: {knowledge.entries[facts[0]].output}"
        return tuple(facts), text, likeness
    return tuple(facts), " ".join(_with_subject(fact, knowledge) for fact in facts), likeness


def _says_more(fact: int, question: str, knowledge: Knowledge) -> bool:
    """Whether an answer has names or numbers that the question does not name and may ask for."""
    said = {number(word.plain) for word in words(question)}
    return any(not value <= said for value in knowledge.values_of(fact))


def _with_subject(fact: int, knowledge: Knowledge) -> str:
    """A fact as a sentence, with its subject as a prefix where the answer is quoted unchanged: "Zorbax: Light owed is light given." """
    text, name = standalone_sentence(fact, knowledge), knowledge.subject(fact)
    alone = text == knowledge.entries[fact].output and name and name != knowledge.home
    return (
        f"{name}: {text}"
        if alone and not {w.plain for w in words(name)} & {w.plain for w in words(text)}
        else text
    )


def standalone_sentence(fact: int, knowledge: Knowledge) -> str:
    """A fact as a sentence that can be understood alone."""
    entry = knowledge.entries[fact]
    return (
        entry.output
        if _SENTENCE.match(entry.output)
        else statement(entry.input, entry.output, knowledge.subject(fact))
    )


def _beside(question: str, facts: list[int], knowledge: Knowledge) -> list[Word]:
    """The words of a question that name no value of the facts."""
    value = frozenset().union(*(knowledge.value_words(fact) for fact in facts))
    return [word for word in words(question) if number(word.plain) not in value]


def _covers_question(question: str, fact: int, knowledge: Knowledge) -> bool:
    """Whether all words of a question beside a value occur in a fact, literally or as synonyms, and the fact says more."""
    entry = knowledge.entries[fact]
    if fact in knowledge.router.languages:
        return False
    said = {number(word.plain): lemma(word.plain) for word in words(question) if word.plain not in STOP}
    values = knowledge.values_of(fact)
    named = [value for value in values if value <= said.keys()]
    if len(values) >= _MIN_LISTED or any(sign in question and sign not in entry.output for sign in _SIGNS):
        return False
    value = frozenset().union(*named)
    if not any(_is_named(one, entry.output) for one in named):
        return False
    taught = {lemma(word.plain) for word in words(entry.input) if word.plain not in STOP}
    own = taught | {lemma(word.plain) for word in words(entry.output)} | _FILLERS
    own |= {lemma(word) for word in knowledge.router.named.home}
    if _YEAR.search(entry.input):
        own.add("year")
    rest = {word for plain, word in said.items() if plain not in value and word not in own}
    its = {group for one in phrases_in(entry.input) for group in one.phrase.groups}
    for one in phrases_in(question):
        if one.phrase.groups & its:
            rest -= set(one.phrase.bases)
    names = knowledge.router.named.names_without_home(knowledge.names[fact])
    subject = {lemma(word) for word in names} or taught
    asked = relation_text(question, {word.plain for word in words(question) if number(word.plain) in value})
    if same_side(asked, relation_text(entry.input, knowledge.names[fact])):
        return False  # "Who taught Ada?" is not answered by whom Ada taught
    return not rest and not subject <= set(said.values())


def _is_named(value: frozenset[str], answer: str) -> bool:
    """Whether a value is written as a name or with a number: common words do not identify a fact."""
    return any(
        word.text[0].isupper() or any(c.isdigit() for c in word.text)
        for word in words(answer)
        if number(word.plain) in value
    )
