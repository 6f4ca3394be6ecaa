"""Which facts share an expert: those of one subject, a few at a time. Append-only: a fact keeps its group as long as it stays, whatever
comes or goes beside it."""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from lorekeep.tune.facts import Fact


@dataclass
class Group:
    id: int
    facts: list[int] = field(default_factory=list)  # by their places in the job


def subject(fact: Fact, names: Iterable[str]) -> str | None:
    if fact.topic:
        return "topic " + fact.topic
    return " ".join(sorted(names)) or None


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
    if len(groups) <= most:
        return groups
    if 0 < len(kept) <= most:
        return _filled(groups[:most], groups[most:])
    return _joined(groups, most)


def _filled(groups: list[Group], surplus: list[Group]) -> list[Group]:
    """Each of the surplus in what is the smallest group by then: no other group changes."""
    sizes = [(len(group.facts), group.id) for group in groups]
    by_id = {group.id: group for group in groups}
    heapq.heapify(sizes)
    for group in surplus:
        _, id = sizes[0]
        by_id[id].facts += group.facts
        heapq.heapreplace(sizes, (len(by_id[id].facts), id))
    return groups


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
