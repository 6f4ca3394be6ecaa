"""Finds contradictions between paraphrased questions: given facts are compared with those of a tuned model and with each other. The
router decides at its strictest gate (precision before recall), since a person has to review every pair; at its ordinary gate if the
words prove that both questions ask the same."""

from pathlib import Path

from lorekeep.contract import DEFAULT_GATE
from lorekeep.memory import folder as memory_folder
from lorekeep.routing.gate import calibrate
from lorekeep.routing.relation import relation_text, relations
from lorekeep.routing.router import Gate, Match, Router
from lorekeep.routing.stored_keys import Entry, keys_of, names_in, names_of
from lorekeep.routing.vectors import Vectors
from lorekeep.routing.words import Vocabulary, words
from lorekeep.tune.contradictions.same_relation import contained, equal_words, rows_differ, same_relation

_STRICT_GATE = "strict"
# Maximum facts of a model whose router is kept in an idle process.
_MAX_CACHED_FACTS = 20_000

Parts = tuple[Vectors | None, Vocabulary]


class ContradictionFinder:
    def __init__(self):
        self._last: tuple[str, Router] | None = None

    def find(self, model: str | None, facts: list[dict], parts: Parts) -> list[list[dict]]:
        """For each fact, the facts that may contradict it: facts of the model by question (`input`), given facts by index
        (`other`)."""
        embed, vocabulary = parts
        taught = self._of_model(model, parts) if model is not None else None
        entries = [Entry(fact["input"], fact["output"]) for fact in facts]
        keys = keys_of(entries, names_of(entries, vocabulary), embed)
        given = Router(entries, keys, taught.gate if taught else Gate(), vocabulary, embed)
        for router in (taught, given):
            if router is not None:
                router.prefetch([entry.input for entry in entries])
        if taught is None:
            given.gate = calibrate(given)
        return [
            [
                *(_in_model(taught, entry) if taught else ()),
                *({"other": at, "likeness": how} for at, how in _contradictions(given, entry, {place})),
            ]
            for place, entry in enumerate(entries)
        ]

    def _of_model(self, model: str, parts: Parts) -> Router:
        embed, vocabulary = parts
        if self._last is None or self._last[0] != model:
            self._last = None
            memory = memory_folder.read(Path(model))
            router = Router(
                memory.entries, memory.keys, memory.gate, vocabulary, embed, memory.about["arguments"]
            )
            if len(memory.facts) > _MAX_CACHED_FACTS:
                return router
            self._last = model, router
        # Clears the cache of earlier orders.
        self._last[1].embed = embed
        self._last[1].asked.clear()
        return self._last[1]


def _in_model(taught: Router, entry: Entry) -> list[dict]:
    found = _contradictions(taught, entry, set())
    return [{"input": taught.entries[at].input, "likeness": how} for at, how in found]


def _contradictions(router: Router, entry: Entry, without: set[int]) -> list[tuple[int, float]]:
    """The nearest fact, since further ones are merely similar, or else a fact that asks the same by its words."""
    # Equal questions, also in other capitals, are found without the router.
    if (known := router.exact_match(entry.input)) is not None:
        without.add(known)
    match = router.route(entry.input, _STRICT_GATE, without=frozenset(without))
    if match is None or not _is_sure(router, entry, match):
        match = _match_by_words(router, entry, without)
    if match is None or not _differ(entry.output, router.entries[match.fact].output):
        return []
    if rows_differ(entry.input, router.entries[match.fact].input):
        return []
    return [(match.fact, round(min(1.0, match.likeness), 4))]


def _is_sure(router: Router, entry: Entry, match: Match) -> bool:
    if not match.passed or not _same_names(router, entry, match.fact):
        return False
    return not _actions_may_differ(*_relation_texts(router, entry, match.fact))


def _match_by_words(router: Router, entry: Entry, without: set[int]) -> Match | None:
    """The fact about the same names that asks the same by its words, if the router would recite it."""
    facts = {hit.fact for hit in router.named.hits(entry.input)[0]} - without
    for fact in sorted(facts):
        if not _same_names(router, entry, fact) or not same_relation(*_relation_texts(router, entry, fact)):
            continue
        found = router.route(entry.input, DEFAULT_GATE, without=frozenset(facts - {fact} | without))
        if found is not None and found.passed and found.fact == fact:
            return found
    return None


def _same_names(router: Router, entry: Entry, fact: int) -> bool:
    """A name with a typo, or a partial name, may be another one."""
    return router.keys.names[fact].keys() == names_in(entry.input, router.named.vocabulary).keys()


def _relation_texts(router: Router, entry: Entry, fact: int) -> tuple[str, str]:
    names = names_in(entry.input, router.named.vocabulary)
    return relation_text(entry.input, names), relation_text(router.entries[fact].input, names)


def _actions_may_differ(one: str, other: str) -> bool:
    """Whether two "who" questions have actions that are not known to be equal, although their vectors are similar, like "who
    founded the firm" and "who supervised the firm"; or whether two counts are of different things."""
    (kind, mine), (its_kind, its) = relations(one), relations(other)
    if kind == its_kind == "how many":
        return not contained(one, other)
    if "who" not in (kind, its_kind) or (mine and its):
        return False
    return not equal_words(one, other)


def _differ(one: str, other: str) -> bool:
    """Whether neither answer contains the other. If one does, they do not contradict."""
    mine, theirs = (" ".join(word.plain for word in words(text)) for text in (one, other))
    return f" {mine} " not in f" {theirs} " and f" {theirs} " not in f" {mine} "
