"""Answers that are put together from several facts that were read beside one request: a comparison, a list, the fields of an object."""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import permutations

from lorekeep.answering import fields
from lorekeep.answering.claims.closed import is_closed
from lorekeep.answering.compose import Composed
from lorekeep.answering.judge import Judge, listed
from lorekeep.answering.reading import standalone
from lorekeep.answering.reading.json_keys import given, note_of
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.answer_parts import part_of
from lorekeep.answering.rerank.comparison import compared
from lorekeep.answering.rerank.cross_encoder import of_key
from lorekeep.answering.rerank.reranker import Reranker
from lorekeep.answering.word_match import KINDS, roots
from lorekeep.routing.words import words

# Logits from which each fact of a list answers, from which the value of a key may, and from which it surely does.
_LISTED, _VALUE, _SURE_VALUE = 2.0, 0.0, 3.0
# The logit from which a fact is listed that asks the same as two of the list.
_ALSO_LISTED = 0.0
# By how much less a fact may answer for a key than the best one does, if it has the values of other keys as well.
_NEARLY = 1.0
# The logit from which a fact that has the value of one key has that of another, where no fact surely has it.
_OF_SAME = -5.0
# The logit from which a fact answers for a key alone, if it shares no word with it.
_OF_KEY_ALONE = -5.0
# Keys for the name of what an object is about.
_NAME = frozenset(["name", "full name"])
# An answer of so many words has the value of one key.
_ONE_VALUE = 2
# Keys that have the answers to as many questions.
_IN_ORDER = 4
# Keys of an object, facts that are near each key, and facts that are read.
_MAX_KEYS, _OF_KEY, _READ = 8, 6, 24
# A question for more than one: "both prices", "which shops", "names of the teachers".
_MORE = re.compile(
    r"\b(?:all|both|every|each|list|names? of|two|three|four)\b|\b(?:which|what|whose|your|our|the) (?:[a-z-]+ )?[a-z]{2,}s\b(?<!ss)(?<!\b[iw]s)(?<!\b[hw]as)(?<!\bdoes)"
    r"|^\W*(?:the )?[a-z]{3,}s\b(?<!ss)|\bwho (?:are|run|lead|head|manage|work)\b|^\W*(?:please |can you |could you )?(?:name|give me)\b",
    re.IGNORECASE,
)


@dataclass
class PutTogether:
    reranker: Reranker
    judge: Judge

    def answer(self, request: Request) -> Composed | None:
        if request.form == "json":
            return self.filled(request)
        return compared(request.asked, self.judge, self.reranker) or self.listed(request.asked)

    def listed(self, question: str) -> Composed | None:
        """The answers of all facts that answer a question for more than one: "List the managers of the branches." """
        if not _MORE.search(question) or is_closed(question):
            return None
        if any(len(parts) > 2 for parts in standalone.splits(question)):
            return None  # as many facts as it has parts
        facts = self.reranker.nearest(question, _READ, self.judge, for_all=False)
        read = self.reranker.read(question, facts, self.judge)
        some = [fact for logit, fact in read if logit >= _LISTED]
        # A fact that asks the same as two of them, of another thing, needs less: "Which groups are there at ...?"
        asks, of_each = (
            self.judge.router.keys.asks,
            Counter(self.judge.router.keys.asks[fact] for fact in some),
        )
        some += [
            fact
            for logit, fact in read
            if _ALSO_LISTED <= logit < _LISTED and asks[fact] >= 0 and of_each[asks[fact]] > 1
        ]
        outputs = list(dict.fromkeys(self._output(fact) for fact in sorted(some)))
        if len(outputs) < 2 or self.reranker.lacks(question, some):
            return None
        return Composed("list", tuple(sorted(some)), listed(outputs), 0.9, question)

    def filled(self, request: Request) -> Composed | None:
        """An object whose keys each have the fact that answers what the message wants of them: "the Kestrel card: price"."""
        judge, has = self.judge, given(request.asked)
        keys = tuple(key for key in request.keys if key not in has)
        if not 1 <= len(keys) <= _MAX_KEYS:
            return None
        rest = " ".join([fields.rest_of(request.asked, request.keys), *has.values()]).strip()
        meant = fields.meant(request.asked, keys, judge)
        asked = meant or {key: of_key(rest, self._wanted(key, request)) for key in keys}
        named = [fact for name in judge.knowledge.subjects(request.asked) for fact in self._about(name)]
        near = [
            fact for text in (rest, *asked.values()) for fact in self.reranker.nearest(text, _OF_KEY, judge)
        ]
        beside = list(dict.fromkeys([*near, *named]))[:_READ]
        said, values = self._shared(asked, beside)
        self._fill(values, asked, beside, _SURE_VALUE)
        has |= self._itself(rest, asked.keys() - values.keys())
        asked = {key: text for key, text in asked.items() if key not in has}
        # "The head of cardiology: birthplace" asks it of whom the first key names.
        led = [name for fact in values.values() for name in judge.knowledge.led_to(self._output(fact))]
        for name in led:
            further = {key: of_key(name, fields.spaced(key)) for key in keys}
            self._fill(values, further, self._about(name), _VALUE)
        self._fill(values, asked, beside, _VALUE)
        said = self._of_same(values, asked, beside) | said
        if len(values) < len(asked) and not meant:
            values, said = self._in_order(rest, asked) or values, {}
        if not asked or len(values) < len(asked) or self.reranker.lacks(rest, list(values.values())):
            return None
        if not all(self._has(fact, meant.get(key, key)) for key, fact in values.items()):
            return None
        told = has | said
        filled = {key: told[key] if key in told else self._output(values[key]) for key in request.keys}
        facts = tuple(dict.fromkeys(values[key] for key in asked))
        return Composed("json", facts, fields.object_of(filled), 0.9, request.asked)

    def _itself(self, rest: str, keys: Set[str]) -> dict[str, str]:
        """The key for the name of the only thing that the rest of a message names, if it says nothing else: "for Ada Quist"."""
        names = self.judge.knowledge.subjects(rest)
        if len(names) != 1 or roots(rest) - roots(names[0]) - KINDS:
            return {}
        return {key: names[0] for key in keys if fields.spaced(key) in _NAME}

    @staticmethod
    def _wanted(key: str, request: Request) -> str:
        """The words of a key, and what the message says behind it: "born" (the year)."""
        return f"{fields.spaced(key)} {note_of(key, request.asked)}".strip()

    def _in_order(self, rest: str, asked: dict[str, str]) -> dict[str, int] | None:
        """The facts for as many questions as there are keys, each for the key that it fits best."""
        found = self.reranker.several(rest, self.judge)
        if found is None or len(found[0]) != len(asked) or len(asked) > _IN_ORDER:
            return None
        logits = {
            (key, fact): logit
            for key, text in asked.items()
            for logit, fact in self.reranker.read(text, found[0], self.judge)
        }
        ways = [dict(zip(asked, facts, strict=True)) for facts in permutations(found[0])]
        return max(ways, key=lambda way: sum(logits[one] for one in way.items()))

    def fit(self, request: Request, facts: Sequence[int]) -> float:
        """The sum of the logits by which facts answer for the keys of an object, each for one."""
        rest = fields.rest_of(request.asked, request.keys)
        meant = fields.meant(request.asked, request.keys, self.judge)
        asked = [meant.get(key) or of_key(rest, self._wanted(key, request)) for key in request.keys]
        return sum(
            logit
            for text, fact in zip(asked, facts, strict=True)
            for logit, _ in self.reranker.read(text, [fact], self.judge)
        )

    def _shared(self, asked: dict[str, str], facts: list[int]) -> tuple[dict[str, str], dict[str, int]]:
        """The values and the fact of keys that are parts of one answer: "2% discount within 7 days" has a discount_percent and
        discount_days."""
        parts: dict[int, dict[str, str]] = {}
        for key, text in asked.items():
            read = self.reranker.read(text, self._of_key(key, facts), self.judge)
            least = max(_VALUE, max((logit for logit, _ in read), default=0.0) - _NEARLY)
            for _, fact in (one for one in read if one[0] >= least):
                part = part_of(self._output(fact), fields.spaced(key))
                if part is not None and part not in parts.setdefault(fact, {}).values():
                    parts[fact][key] = part
        best = max(parts.values(), key=len, default={})
        if len(best) < 2:
            return {}, {}
        return best, dict.fromkeys(best, next(fact for fact, its in parts.items() if its is best))

    def _fill(self, values: dict[str, int], asked: dict[str, str], facts: list[int], least: float) -> None:
        """Gives each key without a value the fact that answers it surest, each fact to one key."""
        pairs = [
            (logit, fact, key)
            for key, text in asked.items()
            if key not in values
            for logit, fact in self.reranker.read(text, self._of_key(key, facts), self.judge)
        ]
        for logit, fact, key in sorted(pairs, key=lambda pair: (-pair[0], pair[1])):
            if logit >= least and key not in values and fact not in values.values():
                values[key] = fact

    def _of_same(self, values: dict[str, int], asked: dict[str, str], facts: list[int]) -> dict[str, str]:
        """Gives the keys that are left the fact of another key, and the part of its answer that they name, if there is one."""
        said: dict[str, str] = {}
        for key in [key for key in asked if key not in values]:
            read = self.reranker.read(asked[key], facts, self.judge)
            best = max(((logit, fact) for logit, fact in read if fact in values.values()), default=None)
            surest = max((logit for logit, _ in read), default=0.0)
            if best is None or best[0] < (_OF_SAME if surest < _VALUE else surest - _NEARLY):
                continue
            fact = best[1]
            if len(self._output(fact).split()) <= _ONE_VALUE:
                continue
            for one in [*(other for other, its in values.items() if its == fact), key]:
                part = part_of(self._output(fact), fields.spaced(one))
                if part and part not in said.values():
                    said.setdefault(one, part)
            values[key] = fact
        return said

    def _has(self, fact: int, key: str) -> bool:
        """Whether a fact has anything of a key. What the rest of a message asks for would answer for any key: "the fevers: mascot_name"."""
        wanted = fields.spaced(key)
        entry = self.judge.router.entries[fact]
        if (
            roots(wanted) & roots(f"{entry.input} {entry.output}")
            or part_of(entry.output, wanted) is not None
        ):
            return True
        return any(logit >= _OF_KEY_ALONE for logit, _ in self.reranker.read(wanted, [fact], self.judge))

    def _of_key(self, key: str, facts: list[int]) -> list[int]:
        """The facts that may be a key's: those with its name, if it is one."""
        name = {word.plain for word in words(fields.spaced(key))} & self.judge.router.named.postings.keys()
        return [fact for fact in facts if name <= self.reranker.words_of(fact)] or facts

    def _output(self, fact: int) -> str:
        return self.judge.router.entries[fact].output

    def _about(self, name: str) -> list[int]:
        return [fact for fact in self.judge.knowledge.about(name)[:_READ] if self.judge.usable(fact)]
