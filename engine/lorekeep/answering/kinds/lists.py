"""Rows for a message about all subjects of a kind: "Which ships are there?", "the home ports of the whole fleet", "which bands play on
Friday". The kind may be unknown to the facts; the relation is found with the name of a subject in the place of the kind."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lorekeep.answering.compare import is_year
from lorekeep.answering.judge import Judge
from lorekeep.answering.kinds.bounds import Bound, bound_in, rows_within
from lorekeep.answering.kinds.groups import Group, Groups, Role
from lorekeep.answering.kinds.rows import Rows, of_rows, usable_rows
from lorekeep.answering.kinds.tables import OF_LISTS, Table
from lorekeep.answering.reading import listing
from lorekeep.answering.rerank.reranker import Reranker
from lorekeep.answering.word_match import roots
from lorekeep.routing.contradictions.near_misses import is_near_miss
from lorekeep.routing.synonyms.groups import lemma
from lorekeep.routing.words import STOP, any_case, words

# Words around a noun that ask for all of its kind.
_ALL = any_case(
    r"(?:\b(?:all|every|each|any|per|both|of|the|our|your|whole|entire|these|those|two|three|four|five|six|seven|eight|nine|ten|\d+)\s)*$"
)
# "All ships of the fleet"
_IN_PLACE = any_case(r"^\s(?:in|of|at|from) (?:the|our|your) (?P<place>[a-z]+)\b")
_ALL_OF_THEM = any_case(
    r"\b(?:they|them|these|those) all\b|\b(?:all|each|every one) of (?:them|these|those)\b|\ball (?:two|three|four|five|six|seven|eight|nine|ten|\d+)\b"
)
_ASKED_WHO = any_case(r"\b(?:who|it|he|she|they|to)\s$")
_NAMES = any_case(r"^ names\b")
_EVERY = any_case(r"\b(?:all|every|each|any|per|whole|entire)\b")
_NUMBER = re.compile(r"\d{2}")
# Words between a role and the kind of its subjects.
_CONNECTING = frozenset(
    ["of", "for", "in", "at", "across", "among", "the", "all", "our", "your", "each", "every", "and", "with", "their", "its", "his", "her", "respective", "who", "which", "whose", "s"]
)  # fmt: skip
_CONNECTING_ROOTS = roots(" ".join(_CONNECTING))
_EACH_OWN = any_case(r"\b(?:their|its|his|her|the respective)\s$")
_ASKED = any_case(r"\b(?:which|what|any)\s$")
_COLLECTIVE = frozenset(["fleet", "people", "staff", "lineup", "line-up", "crew"])
# Words of a request that name no relation.
_EMPTY = OF_LISTS | roots(
    "tell know need like want make write kindly got sell offer run stock carry stand include total altogether"
    " playing play json array object names person people thing things stuff map maps key keys value values field fields string strings"
    " pls supply work partner deliver see watch hear visit get catch buy come output only nothing explanation return respond currently today"
)
# Minimum mean logits of questions with the kind in the place of the names: for all of the kind, and for some that a fact singles out.
_MIN_KIND_LOGIT, _MIN_SOME_LOGIT = -2.4, -5.0
# Minimum mean logits of rows with the name of a subject in the place of the kind: of a kind that facts name, and of any other.
_MIN_NAMED_LOGIT, _MIN_ROW_LOGIT = 3.0, 5.0
# Minimum gain of the mean logit over that of the name of the subject alone.
_MIN_GAIN = 1.0
# Maximum difference between the logits of two rows of one table.
_MAX_ROW_GAP = 2.0
# Maximum number of characters of a message.
MAX_LENGTH = 400
# Maximum number of nouns that are tried, of tables, and of rows that are read for each table.
_MAX_NOUNS, _MAX_TABLES, _READ_ROWS = 3, 6, 2


@dataclass(frozen=True)
class _Noun:
    text: str
    start: int  # with the words around it
    end: int
    whole: bool  # whether several of the kind are asked for
    every: bool  # whether all of them are, in so many words


class Lists:
    def __init__(self, groups: Groups, reranker: Reranker):
        self.groups, self.reranker = groups, reranker

    def rows(self, text: str, judge: Judge, sure: bool) -> Rows | None:
        """`sure`: only where the message asks for all of a kind in so many words, or for a kind that facts name."""
        if len(text) > MAX_LENGTH:
            return None
        nouns = self._nouns(text)
        ordered = bool(_ALL_OF_THEM.search(text)) or (
            (said := listing.read(text)) is not None and said.ordered
        )
        # "The bands on the Kiln Stage" are some of them.
        subjects = judge.knowledge.subjects(text)
        if bound_in(text) is not None:
            return None
        for noun in nouns:
            found = (
                self._some(text, noun, self.groups.named(noun.text) or self.groups.primary, judge)
                if subjects
                else self._of_noun(text, noun, nouns, judge, sure, ordered)
            )
            if found is not None:
                return found
        return None

    def _nouns(self, text: str) -> list[_Noun]:
        found = [*self._roles_in(text), *_nouns(text)][:_MAX_NOUNS]
        return [self._with_place(text, noun) for noun in found]

    def within(self, bound: Bound, text: str, judge: Judge) -> Rows | None:
        """Those of a kind whose amounts are within a bound."""
        for noun in () if judge.knowledge.subjects(text) else self._nouns(text):
            known, primary = self.groups.named(noun.text), self.groups.primary
            group = known or (primary if primary and self._fits(noun.text, primary, judge) else None)
            if group is None:
                continue
            before, behind = (
                _ASKED.sub("", text[: noun.start]),
                text[noun.end : bound.start] + text[bound.end :],
            )
            relation = roots(f"{before} {behind}") - _EMPTY
            when = "When was " if is_year(bound.amount) else ""
            return rows_within(
                bound,
                group,
                frozenset(relation),
                lambda name, before=before, behind=behind, when=when: f"{when}{before}{name}{behind}",
                self.reranker,
                judge,
            )
        return None

    def _with_place(self, text: str, noun: _Noun) -> _Noun:
        """A noun with the place that has all of its kind: "all parcels of the cooperative"."""
        place = _IN_PLACE.match(text[noun.end :])
        if place is None or self.groups.named(place["place"]) or roots(place["place"]) & self.groups.said:
            return noun
        return replace(noun, end=noun.end + place.end())

    def _some(self, text: str, noun: _Noun, group: Group | None, judge: Judge) -> Rows | None:
        """Those of a kind for which a fact tells what the rest of a message names."""
        relation = roots(text[: noun.start] + " " + text[noun.end :]) - _EMPTY
        found = self._filtered(relation, group, judge) if group is not None and relation else None
        if found is None or group is None or self.groups.named(noun.text) is group:
            return found
        return found if self._fits(noun.text, group, judge, _MIN_SOME_LOGIT) else None

    def group_of(self, noun: str, judge: Judge) -> Group | None:
        """The group that a noun surely means, or the main subjects, if they may be of that kind."""
        known, primary = self.groups.named(noun), self.groups.primary
        if known is not None or primary is None:
            return known
        return primary if self._fits(noun, primary, judge) else None

    def tables_of(self, kind: str) -> tuple[tuple[Table, ...], bool]:
        """The tables about a kind, and whether facts name the kind; otherwise they are those of the main subjects."""
        if (known := self.groups.named(kind)) is not None:
            return known.tables, True
        return self.groups.primary.tables if self.groups.primary else (), False

    def _roles_in(self, text: str) -> list[_Noun]:
        """The roles that a message names in the plural, or of all: "captains", "every head nurse", "the ships with their captain"."""
        said = words(text)
        lemmas = [lemma(word.plain) for word in said]
        found: list[_Noun] = []
        for role in sorted(self.groups.roles, key=lambda role: -len(role.said)):
            size = len(role.said)
            for at in range(len(said) - size + 1):
                if tuple(lemmas[at : at + size]) != role.said:
                    continue
                first, last = said[at], said[at + size - 1]
                around = _ALL.search(text[: first.start])
                start = around.start() if around else first.start
                every = bool(_EVERY.search(text[start : first.start]))
                several = (
                    every
                    or last.plain.endswith("s")
                    or _NAMES.match(text[last.end :])
                    or _EACH_OWN.search(text[: first.start])
                )
                apart = all(last.end <= one.start or first.start >= one.end for one in found)
                # "Who runs it?" has a verb.
                if several and apart and not _ASKED_WHO.search(text[: first.start]):
                    found.append(_Noun(text[first.start : last.end], start, last.end, True, every))
        return found

    def _of_noun(
        self, text: str, noun: _Noun, nouns: list[_Noun], judge: Judge, sure: bool, ordered: bool
    ) -> Rows | None:
        named = sure and not (noun.every or ordered)
        relation = roots(text[: noun.start] + " " + text[noun.end :]) - _EMPTY
        known, role, primary = self.groups.named(noun.text), self.groups.role(noun.text), self.groups.primary
        if role is not None:
            kinds = {
                root for one in nouns for root in roots(one.text) if self._is_kind_of(text, one, noun, role)
            }
            kinds |= (
                {
                    root
                    for one in words(text)
                    for root in roots(one.text)
                    if self._has_kind(one.plain, role.table)
                }
                | role.table.said
                | _CONNECTING_ROOTS
            )
            if not relation - kinds:
                return (
                    _of_table(role.table, judge) if kinds or known is None else self._names_of(known, judge)
                )
        if known is not None and not relation:
            return self._names_of(known, judge)
        if (some := self._some(text, noun, known or primary, judge)) is not None:
            return some
        if named:
            return None
        fits = known or (primary if primary and self._fits(noun.text, primary, judge) else None)
        if fits is not None and not relation:
            # "Where can I buy shoes?" does not ask for names.
            asks = noun.every or ordered or _ASKED.search(text[: noun.start])
            return self._names_of(fits, judge) if asks else None
        # A number singles one out: "the emblem of the allotments founded in 1932".
        single = _NUMBER.search(text)
        # "The cooks of the harbours" are not the harbours.
        single = single or (fits is None and text[noun.end :].lower().startswith(" of "))
        if single or not noun.whole or not relation or (fits is None and self._is_value(noun, judge)):
            return None
        table = self._table(
            text,
            noun,
            (fits,) if fits else self.groups.all,
            _MIN_NAMED_LOGIT if known else _MIN_ROW_LOGIT,
            judge,
        )
        return table and _of_table(table, judge)

    def _is_kind_of(self, text: str, noun: _Noun, named: _Noun, role: Role) -> bool:
        """Whether a noun beside a role is the kind of its subjects: "the heads of the departments"."""
        first, second = sorted((noun, named), key=lambda one: one.start)
        between = words(text[first.end : second.start])
        if first.end > second.start or not all(word.plain in _CONNECTING for word in between):
            return False
        other = self.groups.role(noun.text)
        return self._has_kind(noun.text, role.table) or (
            self.groups.named(noun.text) is None and other is None
        )

    def _has_kind(self, noun: str, table: Table) -> bool:
        known = self.groups.named(noun)
        return known is not None and table in known.tables

    def _is_value(self, noun: _Noun, judge: Judge) -> bool:
        """Whether a noun is a word of taught answers: "goat's milk"."""
        told = judge.taught_words.answers
        return any(
            not self.groups.tables_of.keys().isdisjoint(told.get(root, ())) for root in roots(noun.text)
        )

    def _fits(self, noun: str, group: Group, judge: Judge, least: float = _MIN_KIND_LOGIT) -> bool:
        """Whether an unknown noun may be the kind of a group: its questions remain sensible with the noun in the place of a name."""
        singular = noun[:-1] if noun.endswith("s") else noun
        logits = []
        for table in group.tables[:_MAX_TABLES]:
            name, fact = table.rows[0]
            asked = re.sub(
                rf"(?:\bthe )?{re.escape(name)}",
                f"the {singular}".replace("\\", ""),
                judge.router.entries[fact].input,
            )
            if asked == judge.router.entries[fact].input:
                continue  # the fact names its subject in other words
            logits += [logit for logit, _ in self.reranker.read(asked, [fact], judge)]
        return bool(logits) and sum(logits) / len(logits) >= least

    def _names_of(self, group: Group, judge: Judge) -> Rows | None:
        first = {
            name: fact for table in reversed(group.tables) for name, fact in table.rows if judge.usable(fact)
        }
        names = tuple(name for name in group.names if name in first)
        return Rows(names, tuple(first[name] for name in names), False) if len(names) > 1 else None

    def _filtered(self, relation: set[str], group: Group, judge: Judge) -> Rows | None:
        """The subjects of a group for which a fact tells what the message names: "which bands play on Friday"."""
        best: tuple[int, int, Table, set[str]] | None = None
        for at, table in enumerate(group.tables):
            told = {
                fact: roots(judge.router.entries[fact].output) for _, fact in table.rows if judge.usable(fact)
            }
            common = set.intersection(*told.values()) if told else set()
            held = {word for word in relation if any(word in its - common for its in told.values())}
            if held and relation - held <= table.said | _EMPTY and (best is None or len(held) > best[0]):
                best = len(held), -at, table, held
        if best is None:
            return None
        *_, table, held = best
        rows = usable_rows(table, judge)
        kept = [(name, fact) for name, fact in rows if held <= roots(judge.router.entries[fact].output)]
        return of_rows(kept, has_values=False) if 1 < len(kept) < len(rows) else None

    def _table(
        self, text: str, noun: _Noun, groups: Sequence[Group], least: float, judge: Judge
    ) -> Table | None:
        """The table whose rows answer the message with the name of a subject in the place of the kind, and more surely than the name
        alone."""
        tables = {table.rows[0][1]: table for group in groups for table in group.tables}
        near = self.reranker.most_similar(text, list(tables), _MAX_TABLES)

        def asked(name: str) -> str:
            return f"{text[: noun.start]} {name} {text[noun.end :]}".strip()

        rows = [tables[first].rows[:_READ_ROWS] for first in near]
        self.reranker.read_ahead([(asked(name), fact) for (name, fact), *_ in rows], judge)
        first_logits = [self._logit(asked(name), fact, judge) for (name, fact), *_ in rows]
        for at in sorted(range(len(near)), key=lambda at: (-first_logits[at], at)):
            if first_logits[at] < least - _MAX_ROW_GAP:
                return None
            mean, alone = (
                sum(self._logit(said, fact, judge) for said, fact in pairs) / len(pairs)
                for pairs in (
                    [(asked(name), fact) for name, fact in rows[at]],
                    [(name, fact) for name, fact in rows[at]],
                )
            )
            is_other = any(self._is_other(asked(name), fact, judge) for name, fact in rows[at])
            if mean >= max(least, alone + _MIN_GAIN) and not is_other:
                return tables[near[at]]
        return None

    def _is_other(self, asked: str, fact: int, judge: Judge) -> bool:
        entry = judge.router.entries[fact]
        return is_near_miss(asked, entry.input, entry.output)

    def _logit(self, asked: str, fact: int, judge: Judge) -> float:
        return next((logit for logit, _ in self.reranker.read(asked, [fact], judge)), -10.0)


def _of_table(table: Table, judge: Judge) -> Rows | None:
    rows = usable_rows(table, judge)
    return of_rows(rows, has_values=True) if len(rows) > 1 else None


def _nouns(text: str) -> list[_Noun]:
    """Nouns that may name a kind, with the words around them: those behind "all", then those behind "which", then plurals."""
    found = list(_candidates(text))
    return sorted(
        found,
        key=lambda one: (
            -2 * bool(_EVERY.search(text[one.start : one.end])) - bool(_ASKED.search(text[: one.start]))
        ),
    )


def _candidates(text: str) -> Iterator[_Noun]:
    for word in words(text):
        around = _ALL.search(text[: word.start])
        start = around.start() if around else word.start
        plural = word.plain.endswith("s") and not word.plain.endswith("ss") and len(word.plain) > 3
        every = bool(_EVERY.search(text[start : word.start]))
        if (
            word.plain in STOP
            or word.text != word.plain
            or not (plural or every or word.plain in _COLLECTIVE)
        ):
            continue
        if _ASKED_WHO.search(text[:start]):
            continue
        yield _Noun(word.text, start, word.end, plural or every, every)
