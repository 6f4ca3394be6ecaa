"""Index of the names in a memory: the subject of each fact as written, and the facts whose answers contain
a name. Built once when a model is loaded."""

import re
from collections import Counter, defaultdict
from itertools import islice, pairwise

from lorekeep.routing.by_name import is_code
from lorekeep.routing.memory_subject import handbook_of, organisation_of
from lorekeep.routing.relation import actions
from lorekeep.routing.router import Router
from lorekeep.routing.words import STOP, STRONG, TITLES, Word, words

# Maximum length of an answer that a question can name; longer answers are prose that mentions names.
_MAX_ANSWER_LENGTH = 120
# Maximum facts of one name that are returned, and that are scanned.
_MAX_SHARED, _MAX_SCAN = 200, 5_000
# The text between the words of one name.
_NAME_GAP = re.compile(r"\.? |[-/&]| (?:of|de|la|van|von|der|du|di|da|the|&) (?:the )?")
_PARTICLES = frozenset(["of", "the", "and", "de", "la", "van", "von", "der", "du", "di", "da", "for", "in"])


class Knowledge:
    def __init__(self, router: Router):
        self.router = router
        self.entries, self.names = router.entries, router.keys.names
        self.answers: dict[str, list[int]] = defaultdict(list)
        # The facts with exactly this answer.
        self.answering: dict[str, list[int]] = defaultdict(list)
        for fact, entry in enumerate(self.entries):
            self.answering[entry.output.strip()].append(fact)
            if len(entry.output) <= _MAX_ANSWER_LENGTH:
                for word in self.value_words(fact):
                    self.answers[word].append(fact)
        # Short answers by relation, so that claims in common words are recognised.
        self.values: dict[int, set[str]] = defaultdict(set)
        for ask, entry in zip(router.keys.asks, self.entries, strict=True):
            if ask >= 0 and len(entry.output) <= _MAX_ANSWER_LENGTH and len(self.values[ask]) < _MAX_SHARED:
                self.values[ask].add(entry.output.strip().rstrip(".").lower())
        self.home = self._home()
        self.home_words = frozenset(word.plain for word in words(self.home)) - STOP

    def value_words(self, fact: int) -> set[str]:
        """The words by which a question names an answer."""
        return {word for value in self.values_of(fact) for word in value}

    def values_of(self, fact: int) -> list[frozenset[str]]:
        """Names and numbers of an answer that its question does not have, each by its words. An answer without any is
        identified by all its content words."""
        entry = self.entries[fact]
        asked = {word.plain for word in words(entry.input)}
        said = [word for word in words(entry.output) if word.plain not in STOP]
        runs: list[list[Word]] = []
        for word in said:
            if not (word.text[0].isupper() or any(c.isdigit() for c in word.text)):
                continue
            # The capital of a sentence's first word does not mark a name.
            first = word.start == 0 and len(said) > 4 and self.router.named.vocabulary.knows(word.plain)
            if first and not any(c.isdigit() for c in word.text):
                continue
            if runs and _NAME_GAP.fullmatch(entry.output[runs[-1][-1].end : word.start]):
                runs[-1].append(word)
            else:
                runs.append([word])
        # A question may omit the title.
        values = [_value_of(run) for run in runs if not {word.plain for word in run} <= asked]
        if values:
            return values
        return [frozenset(word.plain for word in said)] if 0 < len(said) <= 4 else []

    def subject(self, fact: int) -> str:
        """The name that a fact's question is about, as written there. It is not cached: a cache
        hit would reveal by timing what another account has asked."""
        text, named = self.entries[fact].input, self.router.named.names_without_home(self.names[fact])
        runs: list[list] = []
        gap: list = []
        for word in words(text):
            if word.plain in named:
                if runs and (not gap or all(one.plain in _PARTICLES for one in gap)) and len(gap) <= 2:
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
        return said + self._noun_after_name(fact, best[-1].plain, text[best[-1].end :])

    def _noun_after_name(self, fact: int, last: str, rest: str) -> str:
        """The common noun that always follows a name: "balance" in "the Merle balance"."""
        behind = re.match(r" ([a-z]{3,})\b", rest)
        if behind is None or behind[1] in STOP or actions(behind[1]) or behind[1].endswith(("ed", "ing")):
            return ""
        same = [
            one
            for one in self.router.named.postings[last][:_MAX_SHARED]
            if self.names[one].keys() == self.names[fact].keys()
        ]
        phrase = f"{last} {behind[1]}".lower()
        held = len(same) > 1 and all(_has_phrase(self.entries[one].input.lower(), phrase) for one in same)
        return f" {behind[1]}" if held else ""

    def _home(self) -> str:
        """The main subject of the memory, as its facts write it; empty if there is none."""
        subjects = [(self.subject(fact), entry.input) for fact, entry in enumerate(self.entries[:_MAX_SCAN])]
        if name := organisation_of(subjects):
            return name
        wanted = self.router.named.home
        if not wanted:
            return handbook_of(subjects)
        alone = (fact for fact, named in enumerate(self.names) if named.keys() == wanted)
        return Counter(self.subject(fact) for fact in islice(alone, _MAX_SHARED)).most_common(1)[0][0]

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
            for fact in named.postings[word][:_MAX_SCAN]:
                if (
                    named.required[fact].keys() <= present
                    and not self._is_longer(fact, said)
                    and not named.only_words(fact, written)
                ):
                    found[fact] = None
            if len(found) >= _MAX_SHARED:
                break
        return sorted(list(found)[:_MAX_SHARED], key=lambda fact: (-len(self.names[fact]), fact))

    def _is_longer(self, fact: int, said: list[Word]) -> bool:
        """Whether a text continues a name with other words than the fact: Brimoor Foods is not Brimoor Labs."""
        own, present = self.router.named.names_without_home(self.names[fact]), {word.plain for word in said}
        if own.keys() <= present:
            return False
        beside = [
            other
            for one, next_one in pairwise(said)
            for word, other in ((one, next_one), (next_one, one))
            if next_one.start == one.end + 1 and word.plain in own
        ]
        return any(
            word.text[0].isupper() and word.start > 0 and word.plain not in own and word.plain not in STOP
            for word in beside
        )

    def values_in(self, text: str) -> set[str]:
        """The words of a text that occur in answers, except common words in lower case."""
        knows = self.router.named.vocabulary.knows
        said = (word for word in words(text) if word.text != word.plain or not knows(word.plain))
        return {word.plain for word in said} & self.answers.keys()

    def subjects(self, text: str) -> list[str]:
        """The known names in a text, in text order."""
        low = text.lower()
        found: dict[str, int] = {}
        for fact in self.about(text):
            name = self.subject(fact)
            if (
                name.lower() not in low
                and (bare := name.rpartition(" ")[0])
                and name.rpartition(" ")[2].islower()
            ):
                name = bare  # "the Pro plan" is Pro here
            if name:
                found.setdefault(name, low.find(name.lower()))
        maximal = [
            one for one in found if not any(one != other and one.lower() in other.lower() for other in found)
        ]
        return sorted(maximal, key=lambda name: found[name])

    def subjects_in_answer(self, answer: str) -> list[str]:
        """The subjects of facts that an answer names, also of facts whose questions have further names: "Where did Yuki
        Hallgarth work before she joined Kestrivale?" """
        found = self.subjects(answer)
        postings, present = self.router.named.postings, {word.plain for word in words(answer)}
        near = {fact for word in present & postings.keys() for fact in postings[word][:_MAX_SHARED]}
        for name in dict.fromkeys(
            self.subject(fact) for fact in sorted(near) if STRONG in self.names[fact].values()
        ):
            said = {word.plain for word in words(name)}
            inside = any(name in other for other in found)
            if said and said <= present and said & self.router.named.strong and not inside:
                found.append(name)
        return found

    def facts_by_answer(self, text: str) -> list[int]:
        """The facts with an answer value that a text names."""
        said = {number(word.plain) for word in words(text)}
        found: set[int] = set()
        for word in said & self.answers.keys():
            if len(self.answers[word]) <= _MAX_SHARED:
                found.update(self.answers[word])
        return sorted(fact for fact in found if any(value <= said for value in self.values_of(fact)))


def _has_phrase(text: str, phrase: str) -> bool:
    """Whether a text contains a phrase as whole words. Compiling a pattern for each phrase would cost more than all its searches."""
    at = text.find(phrase)
    while at >= 0:
        around = text[max(0, at - 1) : at] + text[at + len(phrase) : at + len(phrase) + 1]
        if not any(char.isalnum() or char == "_" for char in around):
            return True
        at = text.find(phrase, at + 1)
    return False


def _value_of(run: list[Word]) -> frozenset[str]:
    """The words that identify a name or number: without a title, and only the code where there is one, as in "Room H-118"."""
    coded = [word for word in run if is_code(word.plain)]
    return frozenset(number(word.plain) for word in coded or run if word.plain not in TITLES or len(run) == 1)


def number(word: str) -> str:
    """A number without thousands separators: 2,350 is 2350."""
    return re.sub(r"(?<=\d)[,.](?=\d{3}(?:\D|$))", "", word)
