"""Groups: by subject, append-only, of bounded size; names of experts."""

from lorekeep.tune.facts import Fact
from lorekeep.tune.grouping import expert_name, fact_groups


def facts(*questions: str) -> list[Fact]:
    return [Fact(question, "x", i) for i, question in enumerate(questions)]


def test_a_subjects_facts_share_an_expert_until_it_is_full():
    known = facts("a1", "b1", "a2", "a3", "c", "a4", "a5")
    groups = fact_groups(known, ["a", "b", "a", "a", None, "a", "a"], 4, 100)
    assert [group.facts for group in groups] == [[0, 2, 3, 5], [1], [4], [6]]


def test_a_fact_keeps_its_group_when_others_are_added_or_removed():
    known = facts("a1", "b1", "a2", "c1")
    before = {
        fact.id: group.id
        for group in fact_groups(known, ["a", "b", "a", None], 4, 100)
        for fact in [known[i] for i in group.facts]
    }
    later = [known[3], *facts("new", "a9"), known[2], known[1]]
    groups = fact_groups(later, [None, None, "a", "a", "b"], 4, 100, before)
    assert sorted(sorted(later[i].input for i in group.facts) for group in groups) == [
        ["a2", "a9"],
        ["b1"],
        ["c1"],
        ["new"],
    ]
    assert {group.id for group in groups} & set(before.values()) == {before[known[i].id] for i in (1, 2, 3)}


def test_there_are_never_more_groups_than_allowed():
    known = facts(*map(str, range(50)))
    for most in (1, 3, 7):
        groups = fact_groups(known, [None] * 50, 4, most)
        assert len(groups) <= most and sorted(i for group in groups for i in group.facts) == list(range(50))


def test_at_the_maximum_of_groups_a_new_fact_changes_one_group():
    known = facts(*map(str, range(50)))
    before = {known[i].id: group.id for group in fact_groups(known, [None] * 50, 4, 7) for i in group.facts}
    more = [*known, *facts("new")]
    groups = fact_groups(more, [None] * 51, 4, 7, before)
    assert len(groups) == 7 and sorted(i for group in groups for i in group.facts) == list(range(51))
    changed = [group for group in groups if 50 in group.facts]
    assert (
        len(changed) == 1
        and len(changed[0].facts) == min(map(list(before.values()).count, before.values())) + 1
    )
    for group in groups:
        assert {before[more[i].id] for i in group.facts if i < 50} == {group.id}
    fewer = fact_groups(more, [None] * 51, 4, 3, before)  # a lowered limit still applies
    assert len(fewer) == 3 and sorted(i for group in fewer for i in group.facts) == list(range(51))


def test_a_name_depends_on_everything_that_determines_the_expert():
    one, two = facts("a", "b")
    assert expert_name("x", [one, two]) == expert_name("x", [two, one])
    assert (
        len(
            {
                expert_name("x", [one]),
                expert_name("y", [one]),
                expert_name("x", [two]),
                expert_name("x", [one, two]),
            }
        )
        == 4
    )
