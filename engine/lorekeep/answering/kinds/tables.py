"""Groups facts that tell the same about several subjects into tables: the seats of each hall, the meaning of each code. A table answers
questions about all of them: "Who are the managers of the halls?", "Which hall has the most seats?" """

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lorekeep.answering import compare
from lorekeep.answering.judge import Judge
from lorekeep.answering.kinds.relations import MAX_GROUPS, FactGroup, joined
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.reading.taught_words import root
from lorekeep.answering.word_match import WordMatch, roots
from lorekeep.routing.embedders.likeness import FITTED
from lorekeep.routing.question_kind import answer_kind
from lorekeep.routing.relation import relation_text
from lorekeep.routing.words import STOP, words

Asked = tuple[str, frozenset[str]]  # the answer kind, and content words
Row = tuple[str, int]  # the subject and its fact
Wordings = tuple[tuple[Asked, ...], list[Row]]

# Minimum and maximum rows of a table; maximum facts scanned when a memory is loaded, which bounds the load time.
_MIN_ROWS, _MAX_ROWS, _MAX_SCANNED_FACTS = 2, 40, 5_000
# Maximum share of facts in other languages beside which questions are compared.
_MAX_OTHER_LANGUAGES = 0.2
# For facts without names: minimum words of the shared beginning, and maximum words of the part that differs.
_MIN_SHARED_WORDS, _MAX_OWN_WORDS = 3, 5
_ARTICLES = frozenset(["a", "an", "the", "our", "my", "is", "are"])
# Words of a request that ask for all rows or for an order.
OF_LISTS = roots(
    "all every each list name names together with show give which their its whose them both respective individual various different available"
    " know short explanation mean means meaning order sort rank put arrange first last figure figures number numbers value values most least"
    " highest lowest group company firm organisation organization business house place two three four five six seven eight nine ten kind kinds thing things one ones please overview per line have has exist there"
)
_EXCEPTION = re.compile(
    r"\b(?:not counting|except(?: for)?|apart from|besides|other than|without|excluding|leaving out)\s+([^,?.;]+)",
    re.IGNORECASE,
)
_HOW_MEASURE = re.compile(
    r"\bhow (long|old|far|big|large|tall|high|deep|wide|heavy|fast|hot|strong)\b", re.IGNORECASE
)
_NAME = re.compile(r"(?<=[a-z] )[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*")
_OF_ALL = re.compile(r"\s(?:of|for) (?:all|every|each|the|our|your)\b.*$", re.IGNORECASE)
# Filler words of a question.
_FILLER_WORDS = roots("number numbers also well both please exactly current have get take does")
# Minimum share of a table's words in a question, and of a comparison's words in the table.
_MIN_COVER, _MIN_HELD = 0.5, 0.6


@dataclass(frozen=True)
class Table:
    wordings: tuple[Asked, ...]  # of its questions
    rows: tuple[Row, ...]
    subjects: frozenset[str]  # words of all subjects

    @property
    def said(self) -> frozenset[str]:
        """The content words of all its questions."""
        return frozenset(word for _, said in self.wordings for word in said)


class Tables:
    def __init__(self, knowledge: Knowledge):
        self.knowledge = knowledge
        common = knowledge.router.named.vocabulary.known
        self.home = {root(word) for word in knowledge.home_words if word not in common}
        asks = knowledge.router.keys.asks
        named: dict[Asked, list[Row]] = defaultdict(list)
        for fact, subject in self._subjects(asks).items():
            named[self._table_key(fact, subject)].append((subject, fact))
        for asked, rows in self._capitalised_rows(named).items():
            named[asked] += rows
        groups = [*self._joined(named), *(((asked,), rows) for asked, rows in self._without_names(asks))]
        self.tables = [
            Table(
                wordings,
                tuple(rows),
                frozenset(root(word.plain) for name, _ in rows for word in words(name)),
            )
            for wordings, rows in groups
            if _MIN_ROWS <= len(rows) <= _MAX_ROWS and _of_different_subjects(rows)
        ]
        # Words for the kind of a subject, from facts that list the subjects: "Which branches are there?"
        self.kinds = self._kinds()

    def _subjects(self, asks: list[int]) -> dict[int, str]:
        """The subject of each fact with a name, in the wording that most facts about it have: 1A for Flat 1A, Dunlin Head for Dunlin."""
        named = self.knowledge.router.named
        said: dict[frozenset[str], Counter[str]] = defaultdict(Counter)
        subjects = {
            fact: compare.whole_name(subject, self.knowledge.entries[fact].input).removeprefix("The ")
            for fact, ask in enumerate(asks[:_MAX_SCANNED_FACTS])
            if ask >= 0 and (subject := self.knowledge.subject(fact))
        }
        for fact, subject in subjects.items():
            said[frozenset(named.required[fact])][subject] += 1
        return {fact: said[frozenset(named.required[fact])].most_common(1)[0][0] for fact in subjects}

    def _joined(self, named: Mapping[Asked, list[Row]]) -> list[Wordings]:
        """The rows of each question, joined where they tell the same in other words. The thresholds hold for English and for the embedding
        model that they were set on."""
        router = self.knowledge.router
        # Short labels beside facts in another language are likely in that language too.
        english = len(router.languages) <= _MAX_OTHER_LANGUAGES * len(router.entries)
        comparable = english and router.embed is not None and router.likeness is FITTED
        fitting = [
            (asked, rows)
            for asked, rows in (named.items() if comparable else ())
            if len(rows) <= _MAX_ROWS
            and _of_different_subjects(rows)
            and all(router.keys.asks[fact] >= 0 and fact not in router.languages for _, fact in rows)
        ][:MAX_GROUPS]
        groups = [self._group(rows) for _, rows in fitting]
        kept = {asked for asked, _ in fitting}
        found: list[Wordings] = [((asked,), rows) for asked, rows in named.items() if asked not in kept]
        for cluster in joined(groups, _MAX_ROWS):
            own = [fitting[at] for at in cluster]
            rows = sorted((row for _, rows in own for row in rows), key=lambda row: row[1])
            found.append((tuple(asked for asked, _ in own), rows))
        return sorted(found, key=lambda one: one[1][0][1])

    def _group(self, rows: list[Row]) -> FactGroup:
        router, fact = self.knowledge.router, rows[0][1]
        return FactGroup(
            frozenset(name for name, _ in rows),
            relation_text(router.entries[fact].input, router.keys.names[fact]),
            router.entries[fact].output,
            router.asks_F_D[router.keys.asks[fact]],
        )

    def _table_key(self, fact: int, subject: str) -> Asked:
        """The answer kind and the content words of a fact's question, without its subject."""
        asked = self.knowledge.entries[fact].input
        own = {root(word.plain) for word in words(subject)}
        return answer_kind(asked), asks_for(asked) - own - self.home

    def _capitalised_rows(self, named: Mapping[Asked, list[Row]]) -> dict[Asked, list[Row]]:
        """Further rows of a table: facts whose names are common words in capitals: "What is the top speed of the Gannet?" """
        found: dict[Asked, list[Row]] = defaultdict(list)
        for fact, ask in enumerate(self.knowledge.router.keys.asks[:_MAX_SCANNED_FACTS]):
            asked = self.knowledge.entries[fact].input
            names = _NAME.findall(asked) if ask < 0 else []
            if len(names) == 1 and (said := self._table_key(fact, names[0])) in named:
                found[said].append((names[0], fact))
        return found

    def _without_names(self, asks: list[int]) -> list[tuple[Asked, list[Row]]]:
        """Groups of facts whose questions share a beginning and end with few other words: "What is the code word for a fire?" """
        starts: dict[tuple[str, ...], list[Row]] = defaultdict(list)
        for fact, ask in enumerate(asks[:_MAX_SCANNED_FACTS]):
            said = words(self.knowledge.entries[fact].input) if ask < 0 else []
            for at in range(_MIN_SHARED_WORDS, len(said)):
                own = said[at:]
                if len(own) <= _MAX_OWN_WORDS and own[0].plain not in STOP:
                    start = tuple(word.plain for word in said[:at] if word.plain not in _ARTICLES)
                    text = self.knowledge.entries[fact].input[own[0].start : own[-1].end]
                    starts[start].append((text, fact))
        chosen: dict[int, tuple[str, ...]] = {}
        for start, rows in sorted(starts.items(), key=lambda one: (len(one[1]), len(one[0]))):
            if len(rows) >= _MIN_ROWS and len([word for word in start if word not in STOP]) >= 1:
                chosen |= {fact: start for _, fact in rows}
        found: dict[tuple[str, ...], list[Row]] = defaultdict(list)
        for start, rows in starts.items():
            found[start] += [(name, fact) for name, fact in rows if chosen.get(fact) == start]
        return [
            ((answer_kind(" ".join(start)), asks_for(" ".join(start)) - self.home), rows)
            for start, rows in found.items()
        ]

    def _kinds(self) -> dict[str, set[str]]:
        """The subjects of each kind, by the words of the facts that list them."""
        subjects: dict[str, set[str]] = defaultdict(set)
        for name in {name for table in self.tables for name, _ in table.rows}:
            for word in words(name)[:1]:  # a name may be a symbol without any word
                subjects[word.plain].add(name)
        kinds: dict[str, set[str]] = defaultdict(set)
        for entry in self.knowledge.entries[:_MAX_SCANNED_FACTS]:
            if entry.output.count(",") + entry.output.count(" and ") < 1:
                continue
            near = (subjects.get(word.plain, ()) for word in words(entry.output))
            held = {name for names in near for name in names if name in entry.output}
            if len(held) >= _MIN_ROWS:
                for word in roots(entry.input):
                    kinds[word] |= held
        return kinds

    def varied(self) -> list[list[int]]:
        """The facts of each table whose questions differ in their words."""
        return [[fact for _, fact in table.rows] for table in self.tables if len(table.wordings) > 1]

    def listed(self, asked: str, judge: Judge) -> Table | None:
        """The table for a question that asks for all of its rows."""
        match = WordMatch(judge)
        kind = answer_kind(asked)
        found = self._best_table(asks_for(asked) - OF_LISTS - self.home, match, 1, kind)
        # "The class codes of all rolling stock": if two words match the table, the words for its subjects are ignored.
        bare = _OF_ALL.sub("", asked)
        return found or self._best_table(asks_for(bare) - OF_LISTS - self.home, match, 2, kind)

    def _best_table(self, said: frozenset[str], match: WordMatch, least: int, kind: str) -> Table | None:
        best: list[tuple[float, int, Table]] = []
        for at, table in enumerate(self.tables):
            for its_kind, its in table.wordings:
                if kind == "person" and its_kind != kind:
                    continue
                if len(its) < least or any(not match.holds(said, word) for word in its):
                    continue
                known = table.said | table.subjects | self._kinds_of(table)
                if all(match.holds(known, word) for word in said):
                    best.append((len(its) + len(table.rows) / 100, -at, table))
        return max(best, key=lambda one: one[:2])[2] if best else None

    def about(self, asked: str, judge: Judge) -> list[Table]:
        """The tables that have all words of a question, in descending order of the share of their words in it."""
        match = WordMatch(judge)
        said = asks_for(asked) - OF_LISTS - self.home - _FILLER_WORDS
        found = []
        for at, table in enumerate(self.tables):
            known = table.said | table.subjects
            cover = max(match.share(its, asks_for(asked)) for _, its in table.wordings)
            if cover >= _MIN_COVER and said and all(match.holds(known, word) for word in said):
                found.append((-cover, at, table))
        return [table for _, _, table in sorted(found, key=lambda one: one[:2])]

    def ranked(self, asked: str, judge: Judge) -> tuple[list[Row], int] | None:
        """The rows of the table whose amounts a question compares, as ranked, and 1 if the larger amount ranks first, else -1."""
        measured = compare.measure_questions(asked)
        if measured is None:
            return None
        measures, sign = measured
        match = WordMatch(judge)
        without = {root(word.plain) for out in _EXCEPTION.finditer(asked) for word in words(out[1])}
        about = asks_for(_EXCEPTION.sub(" ", asked))
        compared = {root(word) for word in measured_by(asked)}
        said = about.union(*map(asks_for, [*measures, compare.adjective_question(asked)]))
        best: list[tuple[float, int, list[Row]]] = []
        for at, table in enumerate(self.tables):
            amounts = {fact: amount for _, fact in table.rows if (amount := compare.amount_of(judge, fact))}
            if len(amounts) != len(table.rows) or not compare.of_one_unit(list(amounts.values())):
                continue
            cover = max(match.share(its, said) for _, its in table.wordings)
            known = table.subjects | self._kinds_of(table) | table.said
            told = [word for word in about - OF_LISTS - self.home if word not in compared]
            held = [word for word in told if match.holds(known, word)]
            if cover < _MIN_COVER or not held or len(held) < _MIN_HELD * len(told):
                continue
            rows = [row for row in table.rows if not without & {root(word.plain) for word in words(row[0])}]
            rows.sort(key=lambda row: -sign * amounts[row[1]].value)
            best.append((cover + len(rows) / 1000, -at, rows))
        return (max(best, key=lambda one: one[:2])[2], sign) if best else None

    def _kinds_of(self, table: Table) -> set[str]:
        names = {name for name, _ in table.rows}
        return {word for word, held in self.kinds.items() if held & names}


def _of_different_subjects(rows: Sequence[Row]) -> bool:
    return len({name for name, _ in rows}) == len(rows)


def measured_by(question: str) -> list[str]:
    return [found[0].lower() for found in compare.IS_ASKED.finditer(question)]


def asks_for(question: str) -> frozenset[str]:
    """The content words of a question, with the measure after "how": "How long is it?" """
    return frozenset(roots(question) | {root(word) for word in _HOW_MEASURE.findall(question)})
