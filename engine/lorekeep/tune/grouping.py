"""Which facts share an expert: those of one subject, a few at a time. Append-only: a fact keeps its group as long as it stays, whatever
comes or goes beside it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from lorekeep.memory.words import Vocabulary
from lorekeep.tune.facts import Fact


@dataclass
class Group:
    id: int
    facts: list[int] = field(default_factory=list)  # by their places in the job


def subject(fact: Fact, vocabulary: Vocabulary) -> str | None:
    if fact.topic:
        return "topic " + fact.topic
    names = vocabulary.names(fact.input)
    return " ".join(sorted(names)) if names else None


def grouped(
    facts: list[Fact], subjects: list[str | None], size: int, most: int, before: dict[str, int] | None = None
) -> list[Group]:
    """Groups of at most `size` facts of one subject, larger and mixed only where there would be more than `most` of them. `before` says
    which facts (by id) were together in an earlier model."""
    before = before or {}
    kept: dict[int, Group] = {}
    late = []
    for i, fact in enumerate(facts):
        old = before.get(fact.id)
        if old is None:
            late.append(i)
        else:
            kept.setdefault(old, Group(old)).facts.append(i)
    groups = [kept[old] for old in sorted(kept)]
    of_subject = {subjects[i]: group for group in groups for i in group.facts if subjects[i]}
    fresh = max(kept, default=-1) + 1
    for i in late:
        group = of_subject.get(subjects[i]) if subjects[i] else None
        if group is None or len(group.facts) >= size:
            group = Group(fresh)
            groups.append(group)
            fresh += 1
        group.facts.append(i)
        if subjects[i]:
            of_subject[subjects[i]] = group
    return groups if len(groups) <= most else _joined(groups, most)


def _joined(groups: list[Group], most: int) -> list[Group]:
    """Neighbours together, so that there are no more than `most`."""
    each = -(-len(groups) // most)
    return [
        Group(some[0].id, [i for group in some for i in group.facts])
        for some in (groups[at : at + each] for at in range(0, len(groups), each))
    ]


def expert_name(about: str, facts: Iterable[Fact]) -> str:
    """Of an expert: the hash of what makes it. `about` is the base, the arguments and the version; the order of facts does not count."""
    digest = sha256(about.encode())
    for id in sorted(fact.id for fact in facts):
        digest.update(id.encode())
    return digest.hexdigest()[:32]
