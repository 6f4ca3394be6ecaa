"""Groups the subjects of the tables of a memory: the ships, each with its captain, length and home port. The words for a group come from
the names of its subjects, from questions that ask for them ("Which dairy makes it?") and from what they are to others ("captain")."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from lorekeep.answering.kinds.relations import ROLE
from lorekeep.answering.kinds.tables import Table, Tables
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.word_match import roots
from lorekeep.routing.synonyms.groups import lemma, lemmas_of, phrases_in
from lorekeep.routing.words import STOP, words

# "Which dairy makes Dunmarrow?", "On which stage do they play?"
_ASKED_KIND = re.compile(r"\b(?:which|what) ([a-z][\w'’-]+)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Group:
    names: tuple[str, ...]
    tables: tuple[Table, ...]
    nouns: frozenset[str]  # lemmas of the words for its kind


@dataclass(frozen=True)
class Role:
    """A word for the answers of a table: "captain". They may be the subjects of a group."""

    said: tuple[str, ...]  # its lemmas
    phrase: str
    table: Table
    group: Group | None


class Groups:
    def __init__(self, tables: Tables, knowledge: Knowledge):
        # Built when a memory is loaded, so that no request of one scope spares another one the work.
        self.knowledge = knowledge
        self.all = _merged(tables.tables, knowledge)
        self._named_by_word = _named_by_word(self.all)
        self.roles = [role for table in tables.tables for role in self._roles(table)]
        # The main subjects: those that answer no question about others, such as the ships, but not their captains.
        led = {id(role.group) for role in self.roles if role.group}
        own = [group for group in self.all if id(group) not in led]
        self.primary = max(own, key=lambda group: len(group.tables), default=None)
        self.said = frozenset(word for table in tables.tables for word in table.said)
        self.tables_of: dict[int, list[Table]] = defaultdict(list)  # by fact
        for table in tables.tables:
            for _, fact in table.rows:
                self.tables_of[fact].append(table)

    def named(self, noun: str) -> Group | None:
        """The group that a noun surely means, as a word for its kind, or for what its subjects are to others."""
        said = lemmas_of(noun)
        for group in self.all:
            if said and (said[-1] in group.nouns or roots(noun) & _words_of_questions(group)):
                return group
        role = self.role(noun)
        return role and role.group

    def of_kind(self, noun: str) -> Group | None:
        """The group whose kind has exactly this noun."""
        said = lemmas_of(noun)
        return next((group for group in self.all if len(said) == 1 and said[0] in group.nouns), None)

    def role(self, noun: str) -> Role | None:
        """The role that a noun or a synonym of it names: the longest one."""
        said = lemmas_of(noun)
        found = [role for role in self.roles if said[-len(role.said) :] == role.said]
        if not found:
            meant = {number for one in phrases_in(noun) for number in one.phrase.groups}
            found = [
                role
                for role in self.roles
                if any(one.phrase.groups & meant for one in phrases_in(role.phrase))
            ]
        return max(found, key=lambda role: (len(role.said), role.group is not None), default=None)

    def _roles(self, table: Table) -> list[Role]:
        asked = [self.knowledge.entries[fact].input for _, fact in table.rows]
        patterns = (ROLE, _ASKED_KIND)
        named = (found[1] for text in asked for pattern in patterns if (found := pattern.search(text)))
        phrases = {lemmas_of(phrase): phrase for phrase in named}.values()
        group = self._of_answers(table)
        return [
            Role(lemmas_of(phrase), phrase, table, group)
            for phrase in phrases
            if not {word.plain for word in words(phrase)} <= STOP
        ]

    def _of_answers(self, table: Table) -> Group | None:
        """The group whose subjects are answers of a table."""
        counts: Counter[int] = Counter()
        groups: dict[int, Group] = {}
        for _, fact in table.rows:
            told = {word.plain for word in words(self.knowledge.entries[fact].output)}
            near = (one for word in told for one in self._named_by_word.get(word, ()))
            held = {id(group): group for own, group in near if own <= told}
            groups |= held
            counts.update(held.keys())
        for at, count in counts.most_common():
            if 2 * count >= len(table.rows) and table not in groups[at].tables:
                return groups[at]
        return None


def _named_by_word(groups: list[Group]) -> dict[str, list[tuple[frozenset[str], Group]]]:
    """The names of subjects by their longest words, with all their words."""
    found: dict[str, list[tuple[frozenset[str], Group]]] = {}
    for group in groups:
        for name in group.names:
            if own := frozenset(word.plain for word in words(name)):
                found.setdefault(max(own, key=lambda word: (len(word), word)), []).append((own, group))
    return found


def _merged(tables: list[Table], knowledge: Knowledge) -> list[Group]:
    groups: list[tuple[dict[str, None], list[Table]]] = []
    of_name: dict[str, list[int]] = {}  # the groups of each name
    for table in sorted(tables, key=lambda one: -len(one.rows)):
        names = dict.fromkeys(name for name, _ in table.rows)
        shared = Counter(at for name in names for at in of_name.get(name, ()))
        at = next((at for at in sorted(shared) if 2 * shared[at] >= len(names)), len(groups))
        if at == len(groups):
            groups.append(({}, []))
        known, own = groups[at]
        for name in names.keys() - known.keys():
            of_name.setdefault(name, []).append(at)
        known |= names
        own.append(table)
    return [
        Group(
            tuple(names), tuple(own), frozenset(_words_of_names(names) | _words_beside_names(own, knowledge))
        )
        for names, own in groups
    ]


def _words_of_names(names: Collection[str]) -> set[str]:
    """Words that at least half of the names share: "Kiln Stage", "Barge Stage"."""
    counts = Counter(lemma(word.plain) for name in names for word in words(name)[1:])
    return {word for word, count in counts.items() if 2 * count >= len(names) and count > 1}


def _words_beside_names(tables: Sequence[Table], knowledge: Knowledge) -> set[str]:
    """Words beside names in questions for several relations: "the Castovar parcel", "flat 2C". "Castovar soil" consists of nothing else."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for at, table in enumerate(tables):
        for name, fact in table.rows:
            asked = knowledge.entries[fact].input
            before, _, behind = asked.partition(name)
            others = roots(asked) - roots(name)
            for word in [*words(before)[-1:], *words(behind)[:1]]:
                if word.text.islower() and word.plain not in STOP and others - roots(word.plain):
                    found[lemma(word.plain)].add(at)
    return {word for word, own in found.items() if len(own) > 1}


def _words_of_questions(group: Group) -> frozenset[str]:
    """Roots of the words that the questions of all tables share: "the narrowboat Bodger"."""
    return (
        frozenset.intersection(*(table.said for table in group.tables))
        if len(group.tables) > 1
        else frozenset()
    )
