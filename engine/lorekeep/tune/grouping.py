"""Groups facts into experts: facts of one subject, a few at a time. Grouping is append-only: a fact keeps its
group while it exists, even if other facts are added or removed."""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from lorekeep.tune.facts import Fact


@dataclass
class Group:
    id: int
    facts: list[int] = field(default_factory=list)  # indexes in the job


def subject(fact: Fact, names: Iterable[str]) -> str | None:
    if fact.topic:
        return "topic " + fact.topic
    return " ".join(sorted(names)) or None


def fact_groups(
    facts: list[Fact],
    subjects: list[str | None],
    size: int,
    max_groups: int,
    before: dict[str, int] | None = None,
) -> list[Group]:
    """Groups of at most `size` facts of one subject. Groups are larger or mixed only if there would be more
    than `max_groups`. `before` maps facts (by id) to their groups in an earlier model."""
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
    if len(groups) <= max_groups:
        return groups
    if 0 < len(kept) <= max_groups:
        return _with_surplus(groups[:max_groups], groups[max_groups:])
    return _joined(groups, max_groups)


def _with_surplus(groups: list[Group], surplus: list[Group]) -> list[Group]:
    """Adds each surplus fact to the smallest group at that point; no other group changes."""
    sizes = [(len(group.facts), group.id) for group in groups]
    by_id = {group.id: group for group in groups}
    heapq.heapify(sizes)
    for group in surplus:
        _, id = sizes[0]
        by_id[id].facts += group.facts
        heapq.heapreplace(sizes, (len(by_id[id].facts), id))
    return groups


def _joined(groups: list[Group], max_groups: int) -> list[Group]:
    """Joins neighbouring groups until there are at most `max_groups`."""
    each = -(-len(groups) // max_groups)
    return [
        Group(some[0].id, [i for group in some for i in group.facts])
        for some in (groups[at : at + each] for at in range(0, len(groups), each))
    ]


def expert_name(about: str, facts: Iterable[Fact]) -> str:
    """Name of an expert: the hash of everything that determines it. `about` holds base, arguments and
    version; the order of facts has no effect."""
    digest = sha256(about.encode())
    for id in sorted(fact.id for fact in facts):
        digest.update(id.encode())
    return digest.hexdigest()[:32]
