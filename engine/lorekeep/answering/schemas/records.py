"""The objects of an array in a schema: one for each subject that a message names, for each row of a table of facts ("List the locks with
their keepers."), or for each item of an answer that is a list."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lorekeep.answering.judge import FactAnswer, Judge
from lorekeep.answering.kinds.tables import OF_LISTS, Tables
from lorekeep.answering.schemas.fields import Field
from lorekeep.answering.schemas.lookup import Answers, Lookup
from lorekeep.answering.schemas.message import Message
from lorekeep.answering.schemas.placing import Told
from lorekeep.answering.word_match import roots
from lorekeep.infer.schemas.document import leaves

# Words of a message that name no kind of subject.
_GENERAL_WORDS = roots("product item article thing record entry row object model data compare")
# Maximum number of objects, and of those whose fields are read one by one.
_MAX_ROWS, _MAX_READ = 40, 8


@dataclass(frozen=True)
class Subject:
    name: str  # as it is known
    said: FactAnswer  # as it is said in the array


@dataclass(frozen=True)
class Records:
    lookup: Lookup
    tables: Tables
    judge: Judge

    def of(self, array: Field, message: Message, told: Told | None, alone: bool) -> Answers:
        """The values of the objects, by their paths. `told` is the answer to the message. `alone`: the schema has nothing beside the array,
        so that it may have a single subject."""
        inside = array.shape.records
        if inside is None:
            return {}
        fields = [Field(path, shape) for path, shape in leaves(inside).items()]
        named = [Subject(name, FactAnswer((), name, 1.0)) for name in message.names]
        listed = (
            [Subject(self._known(item), replace(told.step, text=item)) for item in told.items] if told else []
        )
        ways = (
            (named[1:] and named, False),
            (self._of_tables(message.asked, fields), False),
            (listed, True),
            (named if alone else [], False),
        )
        for subjects, is_list in ways:
            rows = self._rows(subjects[:_MAX_ROWS], fields, array.key)
            kept = [row for row in rows if is_list or any(step.facts for step in row.values())]
            if kept:
                return {
                    (*array.path, at, *path): step
                    for at, row in enumerate(kept)
                    for path, step in row.items()
                }
        return {}

    def _known(self, item: str) -> str:
        """The known name in an item."""
        return next(iter(self.judge.knowledge.subjects(item)), "")

    def _of_tables(self, asked: str, fields: Sequence[Field]) -> list[Subject]:
        """The subjects of the tables that a message asks for. One that names no kind of subject asks for those of its fields."""
        found = self.tables.about(asked, self.judge)
        rest = (
            roots(asked) - OF_LISTS - _GENERAL_WORDS - {word for field in fields for word in roots(field.key)}
        )
        if not found and not rest:
            found = [
                table for field in fields if field.key for table in self.tables.about(field.key, self.judge)
            ]
        names = dict.fromkeys(name for table in found for name, fact in table.rows if self.judge.usable(fact))
        return [Subject(name, FactAnswer((), name, 1.0)) for name in names]

    def _rows(self, subjects: Sequence[Subject], fields: Sequence[Field], key: str) -> list[Answers]:
        if not subjects:
            return []
        of_name = next((field for field in fields if _is_name(field, subjects, key)), None)
        rest = [field for field in fields if field is not of_name]
        rows: list[Answers] = []
        for at, subject in enumerate(subjects):
            row = self._same_facts(rows[0], subject.name) if rows and subject.name else {}
            missing = [field for field in rest if field.path not in row]
            if subject.name and missing and at < _MAX_READ:
                row |= self.lookup.about(subject.name, missing)
            rows.append(row)
        if of_name is None:
            unfilled = (
                field
                for field in fields
                if field.shape.is_text and not any(field.path in row for row in rows)
            )
            of_name = next(unfilled, None)
        if of_name is not None:
            for subject, row in zip(subjects, rows, strict=True):
                row[of_name.path] = subject.said
        return rows

    def _same_facts(self, first: Answers, name: str) -> Answers:
        """The facts about a subject that ask the same as those of the first one."""
        asks, knowledge = self.judge.router.keys.asks, self.judge.knowledge
        own = {
            asks[fact]: fact for fact in knowledge.about(name) if self.judge.usable(fact) and asks[fact] >= 0
        }
        found: Answers = {}
        for path, step in first.items():
            same = [own.get(asks[fact]) for fact in step.facts]
            if len(same) == 1 and same[0] is not None:
                found[path] = FactAnswer((same[0],), knowledge.entries[same[0]].output, step.likeness)
        return found


def _is_name(field: Field, subjects: Sequence[Subject], key: str) -> bool:
    """Whether a field has the name of the subject: "name", or "lock" for Quern Lock and in an array of locks."""
    own = roots(field.key)
    return field.is_name_of([subject.name for subject in subjects]) or (
        bool(own) and (own == roots(key) or all(own <= roots(subject.name) for subject in subjects))
    )
