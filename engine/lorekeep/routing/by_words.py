"""Index of facts in other languages than English, searched by content words. The embedding model and the networks of the router
know English only, so their likeness is meaningless for other languages."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Protocol

from lorekeep.routing.language_id import language_of
from lorekeep.routing.languages import Reading, languages, read_as

# Kinds that are near "what", and other near kinds: "What is the price?" and "How much is it?".
_OPEN_KINDS = {"what", "called", "amount", "many", "duration", "where", "time", "who"}
_NEAR_KINDS = [
    {"amount", "many"},
    {"duration", "many"},
    {"duration", "amount"},
    {"called", "who"},
    {"called", "how"},
    {"what", "how"},
]
EQUAL, NEAR = 1.0, 0.9
LIMITS = {"strict": EQUAL, "balanced": NEAR, "generous": NEAR}


class Entry(Protocol):
    @property
    def input(self) -> str: ...
    @property
    def output(self) -> str: ...


class WordsIndex:
    """Facts by the content words of their questions. `languages` holds the language of each."""

    def __init__(self, languages: dict[int, str], entries: Sequence[Entry]):
        self.entries, self.codes = entries, by_frequency(languages)
        self.content: dict[tuple[str, frozenset], list[tuple[int, Reading]]] = defaultdict(list)
        self.core: dict[tuple[str, frozenset], list[tuple[int, Reading]]] = defaultdict(list)
        for fact, code in languages.items():
            reading = read_as(entries[fact].input, code)
            if reading.content:
                self.content[code, reading.content].append((fact, reading))
                self.core[code, reading.core].append((fact, reading))

    def find(
        self, question: str, language: str | None, without: frozenset[int] = frozenset()
    ) -> tuple[int, float] | None:
        """The fact that asks the same, with its likeness; None if there is none, or several with different answers."""
        # A few words without function words ("Rückgabefrist Onlinebestellung") may be of any language.
        for code in [language] if language in languages() else self.codes:
            reading = read_as(question, code)
            for place, key in ((self.content, reading.content), (self.core, reading.core)):
                facts = [one for one in place.get((code, key), []) if one[0] not in without]
                if (found := self._best(facts, reading)) is not None:
                    return found
        return None

    def _best(self, facts: list[tuple[int, Reading]], asked: Reading) -> tuple[int, float] | None:
        alike = [(fact, _likeness(asked.kind, its.kind)) for fact, its in facts]
        limit = max((likeness for _, likeness in alike), default=0.0)
        best = [fact for fact, likeness in alike if likeness == limit]
        if limit == 0 or len({self.entries[fact].output for fact in best}) > 1:
            return None
        return best[0], limit


def _likeness(asked: str | None, its: str | None) -> float:
    if asked == its:
        return EQUAL
    kinds = {asked, its}
    if "yes" in kinds:
        return 0.0
    near = None in kinds or kinds in _NEAR_KINDS or ("what" in kinds and kinds <= _OPEN_KINDS)
    return NEAR if near else 0.0


def languages_of(questions: Sequence[str], knows: Callable[[str], bool]) -> dict[int, str]:
    """The facts in other languages than English, with their languages. An ambiguous question gets the language that more facts
    have."""

    def identified(likely: Sequence[str] = ()) -> dict[int, str]:
        codes = ((fact, language_of(text, knows, likely)) for fact, text in enumerate(questions))
        return {fact: code for fact, code in codes if code}

    found = identified()
    return identified(by_frequency(found)) if found else {}


def by_frequency(languages: dict[int, str]) -> list[str]:
    return [code for code, _ in Counter(languages.values()).most_common()]
