"""Keys whose values are names: the key "ship" is for the ship that a message is about, or for the ship of a person whom it is about."""

import json
from dataclasses import replace

from lorekeep.answering.decision import Decision
from lorekeep.answering.judge import Judge
from lorekeep.answering.kinds.groups import Group
from lorekeep.answering.kinds.lists import Lists
from lorekeep.answering.objects.fields import build_object
from lorekeep.answering.objects.key_words import spaced
from lorekeep.answering.word_match import roots
from lorekeep.routing.words import words


def with_names(made: Decision, text: str, lists: Lists, judge: Judge) -> Decision:
    """An object about one subject with the names for the keys that name a kind of subject."""
    subjects = judge.knowledge.subjects(text)
    values = json.loads(made.text) if made.answers and made.text else None
    if not isinstance(values, dict) or len(subjects) != 1:
        return made
    told: dict[str, str] = {}
    facts: list[int] = []
    for key, value in values.items():
        if isinstance(value, dict | list):
            continue
        said = spaced(key)
        groups = lists.groups
        if groups.of_kind(said) is None and (value is not None or roots(said) & groups.said):
            continue  # the key names a relation
        group = groups.of_kind(said) or lists.group_of(said, judge)
        found = _name(group, subjects[0], judge) if group else None
        if found is not None:
            told[key], of_name = found
            facts += of_name
    if not told:
        return made
    kept = [fact for fact in made.facts if judge.router.entries[fact].output in (values | told).values()]
    return replace(made, text=build_object(values | told), facts=list(dict.fromkeys([*kept, *facts])))


def _name(group: Group, subject: str, judge: Judge) -> tuple[str, list[int]] | None:
    """The subject of a group that has this name, or the only one whose facts have it as an answer, with these facts."""
    own = _plain(subject)
    if (name := next((name for name in group.names if own <= _plain(name)), None)) is not None:
        return name, []
    linked = {
        name: fact
        for table in group.tables
        for name, fact in table.rows
        if judge.usable(fact) and own <= _plain(judge.router.entries[fact].output)
    }
    return (next(iter(linked)), list(linked.values())) if len(linked) == 1 else None


def _plain(text: str) -> set[str]:
    return {word.plain for word in words(text)}
