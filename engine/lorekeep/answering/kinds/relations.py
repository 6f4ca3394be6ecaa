"""Joins groups of facts that tell the same about different subjects in other words: "Rent for flat 1A", "What is the rent of 2C?",
"4A monthly rent". Relations are compared by their vectors, answers by their form, and subjects by the other relations that they have in
common."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

import numpy as np

from lorekeep.answering.amounts import amounts
from lorekeep.answering.word_match import roots
from lorekeep.routing.contradictions.near_misses import is_near_miss
from lorekeep.routing.question_kind import answer_kind
from lorekeep.routing.relation import actions, kinds_differ
from lorekeep.routing.synonyms.groups import phrases_in
from lorekeep.routing.words import STOP, any_case, words

# Minimum mean likeness of joined groups, and of two groups that no other is joined with; its reduction where the answers have different
# forms.
_MIN_LIKENESS, _MIN_PAIR, _OTHER_FORM = 0.3, 0.5, 0.25
# Minimum mean likeness of what is told about the subjects of joined groups, and its minimum share of that within each group.
_MIN_KIND, _MIN_KIND_SHARE = 0.33, 0.6
# Share of that likeness where two subjects have fewer relations in common, which is weak evidence of one kind.
_FEW_SHARE, _MIN_COMMON = 0.55, 2
# Maximum groups that are compared, which bounds the load time.
MAX_GROUPS = 300
# "Who is the captain of the Heron?", "What is the home port of the Heron?"
ROLE = any_case(
    r"\b(?:who|what|which) (?:is|are|was|were) the ((?:[a-z][\w'’-]+ ){0,2}[a-z][\w'’-]+) (?:of|at|for|in|behind)\b"
)
_ASKS_ROLE = any_case(ROLE.pattern + r" it\W*$")
# Kinds of answers that are never those of one relation.
_APART = [set(pair) for pair in combinations(("person", "place", "time", "money", "reason"), 2)]
_YEAR = re.compile(r"\b(?:1[4-9]|20)\d\d\b")
_NUMBER = re.compile(r"\W*\d[\d.,: ]*\W*")
_MAX_NAME_WORDS = 6
# Forms that answers of one relation may have side by side, with the share of the reduction.
_NEAR_FORMS = {
    frozenset(["number", "amount"]): 0.3,
    frozenset(["name", "text"]): 0.5,
    frozenset(["number", "year"]): 0.5,
}


@dataclass(frozen=True)
class FactGroup:
    """Facts with one question about several subjects, or a single fact."""

    subjects: frozenset[str]
    ask: str  # the question without its names
    answer: str  # of one of the facts
    vector_D: np.ndarray  # of the relation


def joined(groups: Sequence[FactGroup], most: int) -> list[list[int]]:
    """The indexes of groups that tell the same, by average linkage; groups with a common subject stay apart. `most` limits the subjects of
    joined groups."""
    clusters = [[at] for at in range(len(groups))]
    if len(groups) < 2:
        return clusters
    subjects = [set(group.subjects) for group in groups]
    likeness_G_G = _likeness(groups)
    alike_G_G = likeness_G_G >= _MIN_LIKENESS

    @cache
    def differ(one: int, other: int) -> bool:
        return bool(alike_G_G[one, other]) and _differ(groups[one], groups[other])

    while True:
        one, other = divmod(int(np.argmax(likeness_G_G)), len(groups))
        if likeness_G_G[one, other] < _MIN_LIKENESS:
            return [some for cluster in clusters if cluster for some in _sure(cluster, groups)]
        pairs = product(clusters[one], clusters[other])
        if len(subjects[one]) + len(subjects[other]) > most or any(differ(*pair) for pair in pairs):
            likeness_G_G[one, other] = likeness_G_G[other, one] = -np.inf
            continue
        sizes = len(clusters[one]), len(clusters[other])
        mean_G = np.average(likeness_G_G[[one, other]], axis=0, weights=sizes)
        likeness_G_G[one], likeness_G_G[:, one] = mean_G, mean_G
        likeness_G_G[other], likeness_G_G[:, other] = -np.inf, -np.inf
        clusters[one] += clusters[other]
        subjects[one] |= subjects[other]
        clusters[other] = []


def _sure(cluster: list[int], groups: Sequence[FactGroup]) -> list[list[int]]:
    """A cluster, or its groups apart if it consists of two that are little alike."""
    if len(cluster) == 2 and float(groups[cluster[0]].vector_D @ groups[cluster[1]].vector_D) < _MIN_PAIR:
        return [[at] for at in cluster]
    return [cluster]


def _likeness(groups: Sequence[FactGroup]) -> np.ndarray:
    """The likeness of every two groups; minus infinity where they are not about different subjects of one kind."""
    vectors_G_D = np.stack([group.vector_D for group in groups]).astype(np.float32)
    vectors_G_G = vectors_G_D @ vectors_G_D.T
    held_S_G = _subjects(groups)
    forms = [_answer_form(group) for group in groups]
    distances_G_G = np.array([[_form_distance(one, other) for other in forms] for one in forms])
    may_join_G_G = _of_one_kind(held_S_G, vectors_G_G) & (held_S_G.T.astype(int) @ held_S_G == 0)
    return np.where(may_join_G_G, vectors_G_G - _OTHER_FORM * distances_G_G, -np.inf)


def _subjects(groups: Sequence[FactGroup]) -> np.ndarray:
    """The subjects of each group, as a mask."""
    rows = {subject: at for at, subject in enumerate({name: None for one in groups for name in one.subjects})}
    held_S_G = np.zeros((len(rows), len(groups)), dtype=bool)
    for at, group in enumerate(groups):
        held_S_G[[rows[name] for name in group.subjects], at] = True
    return held_S_G


def _of_one_kind(held_S_G: np.ndarray, vectors_G_G: np.ndarray) -> np.ndarray:
    """Whether much the same is told about the subjects of every two groups: ships have captains as harbours have masters, but no
    harbour has a length."""
    best_S_G = np.stack([vectors_G_G[held_G].max(0) for held_G in held_S_G])
    told_S_S = best_S_G @ held_S_G.T / held_S_G.sum(1)
    kind_S_S = (told_S_S + told_S_S.T) / 2
    common_S_S = (best_S_G >= _MIN_LIKENESS) @ held_S_G.T.astype(int)
    few_S_S = np.minimum(common_S_S, common_S_S.T) < _MIN_COMMON
    sizes_G = held_S_G.sum(0)

    def mean_of_subjects(alike_S_S: np.ndarray) -> np.ndarray:
        return held_S_G.T @ alike_S_S @ held_S_G / np.outer(sizes_G, sizes_G)

    kind_G_G = mean_of_subjects(kind_S_S)
    # Without the likeness of each subject to itself, which is 1.
    inside_G = (kind_G_G.diagonal() * sizes_G - 1) / np.maximum(sizes_G - 1, 1)
    least_G = _MIN_KIND_SHARE * np.where(sizes_G > 1, inside_G, 0)
    surely_G_G = mean_of_subjects(np.where(few_S_S, _FEW_SHARE, 1.0) * kind_S_S) >= _MIN_KIND
    return surely_G_G & (kind_G_G >= np.maximum.outer(least_G, least_G))


def _differ(one: FactGroup, other: FactGroup) -> bool:
    """Whether two questions never ask for the same: for the captain and for the coach, for the foundation and for the acquisition."""
    mine, its = actions(one.ask), actions(other.ask)
    return bool(
        (mine and its and not mine & its)
        or {answer_kind(one.ask), answer_kind(other.ask)} in _APART
        or kinds_differ(one.ask, other.ask)
        or _roles_differ(one.ask, other.ask)
        or is_near_miss(one.ask, other.ask, other.answer)
        or is_near_miss(other.ask, one.ask, one.answer)
    )


def _roles_differ(one: str, other: str) -> bool:
    """Whether two questions of one form name different things: the keeper of it and the skipper of it."""
    found = _ASKS_ROLE.search(one), _ASKS_ROLE.search(other)
    if found[0] is None or found[1] is None:
        return False
    mine, its = found[0][1], found[1][1]
    meant, its_meant = (
        {number for said in phrases_in(text) for number in said.phrase.groups} for text in (mine, its)
    )
    return not (roots(mine) & roots(its) or meant & its_meant or actions(mine) & actions(its))


def _answer_form(group: FactGroup) -> str:
    """The form of an answer, apart from the subject and the words of its question."""
    asked = {word.plain for text in (group.ask, *group.subjects) for word in words(text)}
    own = [word for word in words(group.answer) if word.plain not in asked]
    text = " ".join(word.text for word in own)
    if _YEAR.search(text):
        return "year"
    if own and _NUMBER.fullmatch(text):
        return "number"
    if amounts(text):
        return "amount"
    said = [word for word in own if word.plain not in STOP]
    capitals = sum(word.text[0].isupper() for word in said)
    return "name" if capitals > 1 and len(said) <= _MAX_NAME_WORDS else "text"


def _form_distance(one: str, other: str) -> float:
    return 0.0 if one == other else _NEAR_FORMS.get(frozenset([one, other]), 1.0)
