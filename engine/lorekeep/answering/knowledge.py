"""Index of the names in a memory: the subject of each fact as it is written, and the facts whose answers hold
a name. Built once when a model is loaded."""

import re
from collections import defaultdict

from lorekeep.routing.relation import actions
from lorekeep.routing.router import Router
from lorekeep.routing.words import STOP, STRONG, words

# Maximum words of an answer that a question can name; longer ones are texts.
_MAX_ANSWER_LENGTH = 80
# Maximum facts of one name that are used, and that are examined.
_CROWD, _WALKED = 200, 5_000
_JOINS = frozenset(["of", "the", "and", "de", "la", "van", "von", "der", "du", "di", "da", "for", "in"])


class Knowledge:
    def __init__(self, router: Router):
        self.router = router
        self.entries, self.names = router.entries, router.keys.names
        self.answers: dict[str, list[int]] = defaultdict(list)
        for fact, entry in enumerate(self.entries):
            if len(entry.output) <= _MAX_ANSWER_LENGTH:
                for word in set(self.value_words(entry.output)):
                    self.answers[word].append(fact)
        # Short answers by relation, so that claims in common words are recognised.
        self.values: dict[int, set[str]] = defaultdict(set)
        for ask, entry in zip(router.keys.asks, self.entries, strict=True):
            if ask >= 0 and len(entry.output) <= _MAX_ANSWER_LENGTH and len(self.values[ask]) < _CROWD:
                self.values[ask].add(entry.output.strip().rstrip(".").lower())

    def value_words(self, answer: str) -> list[str]:
        """The words by which a question refers to an answer: its names and numbers, else all content words."""
        said = [word for word in words(answer) if word.plain not in STOP]
        names = [word.plain for word in said if word.text[0].isupper() or any(c.isdigit() for c in word.text)]
        return names or ([word.plain for word in said] if len(said) <= 4 else [])

    def subject(self, fact: int) -> str:
        """The name that a fact's question is about, as written there. It is computed each time, since a cache would reveal by its
        speed what another account has asked."""
        text, named = self.entries[fact].input, self.names[fact]
        runs: list[list] = []
        gap: list = []
        for word in words(text):
            if word.plain in named:
                if runs and (not gap or all(one.plain in _JOINS for one in gap)) and len(gap) <= 2:
                    runs[-1] += [*gap, word]
                else:
                    runs.append([word])
                gap = []
            else:
                gap.append(word)
        if not runs:
            return ""
        strong = [run for run in runs if any(named.get(one.plain) == STRONG for one in run)]
        best = max(strong or runs, key=len)
        said = text[best[0].start : best[-1].end]
        if said.lower().endswith(("'s", "’s")):
            return said[:-2]
        return said + self._kind_behind(fact, best[-1].plain, text[best[-1].end :])

    def _kind_behind(self, fact: int, last: str, rest: str) -> str:
        """The common noun that always follows a name: "balance" in "the Merle balance"."""
        behind = re.match(r" ([a-z]{3,})\b", rest)
        if behind is None or behind[1] in STOP or actions(behind[1]) or behind[1].endswith(("ed", "ing")):
            return ""
        same = [
            one
            for one in self.router.named.postings[last][:_CROWD]
            if self.names[one].keys() == self.names[fact].keys()
        ]
        held = re.compile(rf"\b{re.escape(last)} {behind[1]}\b", re.IGNORECASE)
        return (
            f" {behind[1]}"
            if len(same) > 1 and all(held.search(self.entries[one].input) for one in same)
            else ""
        )

    def about(self, text: str) -> list[int]:
        """The facts whose names all occur in a text, longest name first, up to a limit. Other names in the text do not
        matter here."""
        named, said = self.router.named, words(text)
        present = {word.plain for word in said} & named.postings.keys()
        if not present:
            return []
        lower = text == text.lower()
        written = present if lower else {word.plain for word in said if word.text[0].isupper()}
        found: dict[int, None] = {}
        for word in sorted(present, key=lambda word: (len(named.postings[word]), word)):
            for fact in named.postings[word][:_WALKED]:
                if self.names[fact].keys() <= present and not named.only_words(fact, written):
                    found[fact] = None
            if len(found) >= _CROWD:
                break
        return sorted(list(found)[:_CROWD], key=lambda fact: (-len(self.names[fact]), fact))

    def subjects(self, text: str) -> list[str]:
        """The known names in a text, in text order."""
        low = text.lower()
        found = {name: low.find(name.lower()) for fact in self.about(text) if (name := self.subject(fact))}
        maximal = [
            one for one in found if not any(one != other and one.lower() in other.lower() for other in found)
        ]
        return sorted(maximal, key=lambda name: found[name])

    def answered_with(self, text: str) -> list[int]:
        """The facts whose answer is named in a text."""
        said = {word.plain for word in words(text)}
        found: set[int] = set()
        for word in said & self.answers.keys():
            if len(self.answers[word]) <= _CROWD:
                found.update(self.answers[word])
        return sorted(fact for fact in found if set(self.value_words(self.entries[fact].output)) <= said)
