"""Gives the keys of an object the facts that answer them, each fact to one key, and where a fact has the values of several keys, the
part of its answer that each of them names."""

from collections.abc import Sequence
from dataclasses import dataclass

from lorekeep.answering.judge import Judge
from lorekeep.answering.networks.cross_encoder import key_text
from lorekeep.answering.objects import fields
from lorekeep.answering.objects.key_kinds import may_have
from lorekeep.answering.rerank.answer_parts import part_of
from lorekeep.answering.rerank.reranker import Reranker
from lorekeep.routing.words import words

# Logits from which a fact may have the value of a key, and from which it surely does.
VALUE, SURE_VALUE = 0.0, 3.0
# By how much less a fact may answer for a key than the best one does, if it has the values of other keys as well.
_NEARLY = 1.0
# The logit from which a fact about the only subject has the value of a key, and by how much it exceeds those of the others.
_CLEAR = ((0.0, 2.0), (-2.0, 4.0))
# The logit from which a fact that has the value of one key has that of another, where no fact surely has it.
_OF_SAME = -5.0
# An answer of so many words has the value of one key.
_ONE_VALUE = 2
# Facts that are near each key, and facts that are read.
OF_KEY, READ = 6, 24


@dataclass(frozen=True)
class Wanted:
    texts: dict[str, str]  # that are read for the keys
    words: dict[str, str]  # of the keys alone, for parts of answers and for whom another key leads to
    rest: str  # what a message says besides
    names: tuple[str, ...]  # of the message
    subject: str | None  # the only thing that the keys are about
    strict: bool = False  # a key that no fact surely answers stays without a value


class Filling:
    def __init__(self, reranker: Reranker, judge: Judge):
        self.reranker, self.judge = reranker, judge

    def values(self, wanted: Wanted) -> tuple[dict[str, int], dict[str, str]]:
        """The fact of each key, and for some keys the part of its answer."""
        asked, facts, subject = wanted.texts, self._beside(wanted), wanted.subject
        said, values = self._shared(wanted, facts)
        self._fill(values, asked, facts, SURE_VALUE)
        if subject:
            for least, more in () if wanted.strict else _CLEAR:
                self._fill(values, asked, facts, least, more)
        # "The head of cardiology: birthplace" asks it of whom the first key names.
        led = [
            name
            for fact in values.values()
            for name in self.judge.knowledge.subjects_in_answer(self.output(fact))
        ]
        for name in [] if wanted.strict and subject else led:
            further = {key: key_text(name, words) for key, words in wanted.words.items()}
            self._fill(values, further, self.about(name), SURE_VALUE if subject else VALUE)
        self._fill(values, asked, facts, VALUE)
        return values, said if wanted.strict else self._of_same(values, wanted, facts) | said

    def surest(self, text: str) -> float:
        """The logit of the nearest fact that answers a text surest."""
        facts = self.reranker.nearest(text, OF_KEY, self.judge)
        return max((logit for logit, _ in self.reranker.read(text, facts, self.judge)), default=0.0)

    def _beside(self, wanted: Wanted) -> list[int]:
        """Facts that are read for the keys: those about the only subject, or those that are near."""
        texts, subject = wanted.texts.values(), wanted.subject
        if subject:
            own = [fact for fact in self.judge.knowledge.about(subject) if self.judge.usable(fact)]
            near = [fact for text in texts for fact in self.reranker.most_similar(text, own, OF_KEY)]
            # "Captain Ada Quist" is the name of other facts about Ada Quist.
            further = [fact for text in texts for fact in self.reranker.nearest(text, OF_KEY, self.judge)]
            named = [fact for fact in further if subject in self.judge.router.entries[fact].input]
            return list(dict.fromkeys([*near, *named]))[:READ]
        named = [fact for name in wanted.names for fact in self.about(name)]
        near = [
            fact for text in (wanted.rest, *texts) for fact in self.reranker.nearest(text, OF_KEY, self.judge)
        ]
        return list(dict.fromkeys([*near, *named]))[:READ]

    def _shared(self, wanted: Wanted, facts: list[int]) -> tuple[dict[str, str], dict[str, int]]:
        """The values and the fact of keys that are parts of one answer: "2% discount within 7 days" has a discount_percent and
        discount_days."""
        parts: dict[int, dict[str, str]] = {}
        for key, text in wanted.texts.items():
            read = self.reranker.read(text, self._of_key(key, facts), self.judge)
            least = max(VALUE, max((logit for logit, _ in read), default=0.0) - _NEARLY)
            for _, fact in (one for one in read if one[0] >= least):
                part = part_of(self.output(fact), wanted.words[key])
                if part is not None and part not in parts.setdefault(fact, {}).values():
                    parts[fact][key] = part
        best = max(parts.values(), key=len, default={})
        if len(best) < 2:
            return {}, {}
        return best, dict.fromkeys(best, next(fact for fact, its in parts.items() if its is best))

    def _fill(
        self, values: dict[str, int], asked: dict[str, str], facts: list[int], least: float, more: float = 0.0
    ) -> None:
        """Gives each key without a value the fact that answers it surest, each fact to one key: by `more` than other facts without one."""
        pairs: list[tuple[float, int, str]] = []
        for key, text in asked.items():
            free = [fact for fact in self._of_key(key, facts) if fact not in values.values()]
            free = [fact for fact in free if may_have(key, self.judge.router.entries[fact].input)]
            read = self.reranker.read(text, free, self.judge) if key not in values else []
            ranked = sorted((logit for logit, _ in read), reverse=True)
            bar = max([least, *(logit + more for logit in ranked[1:2])]) if more else least
            pairs += [(logit, fact, key) for logit, fact in read if logit >= bar]
        for _, fact, key in sorted(pairs, key=lambda pair: (-pair[0], pair[1])):
            if key not in values and fact not in values.values():
                values[key] = fact

    def _of_same(self, values: dict[str, int], wanted: Wanted, facts: list[int]) -> dict[str, str]:
        """Gives the keys that are left the fact of another key, and the part of its answer that they name, if there is one."""
        said: dict[str, str] = {}
        for key in [key for key in wanted.texts if key not in values]:
            read = self.reranker.read(wanted.texts[key], facts, self.judge)
            best = max(((logit, fact) for logit, fact in read if fact in values.values()), default=None)
            surest = max((logit for logit, _ in read), default=0.0)
            if best is None or best[0] < (_OF_SAME if surest < VALUE else surest - _NEARLY):
                continue
            fact = best[1]
            if len(self.output(fact).split()) <= _ONE_VALUE:
                continue
            for one in [*(other for other, its in values.items() if its == fact), key]:
                part = part_of(self.output(fact), wanted.words[one])
                if part and part not in said.values():
                    said.setdefault(one, part)
            values[key] = fact
        return said

    def _of_key(self, key: str, facts: list[int]) -> list[int]:
        """The facts that may be a key's: those with its name, if it is one."""
        name = {word.plain for word in words(fields.spaced(key))} & self.judge.router.named.postings.keys()
        return [fact for fact in facts if name <= self.reranker.words_of(fact)] or facts

    def tell_of_json(self, facts: Sequence[int]) -> bool:
        """Whether facts are about JSON, so that a message asks about it and not for it."""
        return any("json" in self.text(fact).lower() for fact in facts)

    def text(self, fact: int) -> str:
        entry = self.judge.router.entries[fact]
        return f"{entry.input} {entry.output}"

    def output(self, fact: int) -> str:
        return self.judge.router.entries[fact].output

    def about(self, name: str) -> list[int]:
        return [fact for fact in self.judge.knowledge.about(name)[:READ] if self.judge.usable(fact)]
