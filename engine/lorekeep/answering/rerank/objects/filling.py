"""Assigns facts to the keys of an object, each fact to one key. Where a fact has the values of several keys, each key gets the part of the
answer that it names."""

from collections.abc import Sequence
from dataclasses import dataclass

from lorekeep.answering.judge import FactAnswer, Judge
from lorekeep.answering.networks.cross_encoder import key_text
from lorekeep.answering.objects.fields import Path
from lorekeep.answering.objects.key_kinds import may_have
from lorekeep.answering.objects.key_words import spaced
from lorekeep.answering.rerank.answer_parts import part_of
from lorekeep.answering.rerank.reranker import Reranker, likeness_of
from lorekeep.answering.word_match import roots
from lorekeep.routing.words import words

# Logits from which a fact has the value of a key, and from which it surely has it.
VALUE, SURE_VALUE = 1.0, 3.0
# Maximum logit gap to the best fact of a key for a fact that also has the values of other keys.
_MARGIN = 1.0
# Minimum logit of a fact about the only subject, and its margin over the next fact.
_SUBJECT_STEP = (0.5, 2.0)
# The same for a key that is still without a value.
_LAST_STEP = (0.5, 1.5)
# Added to the logit of a fact whose question has all words of a key.
_WORDS_BONUS = 1.5
# Minimum logit of a fact that has the words of a key only in the question for the same about another subject.
_MIN_OTHER_WORDING = -4.0
# Minimum logit for a key of a fact that already has the value of another key, where no other fact may have it.
_MIN_SHARED_LOGIT = -2.0
# Minimum logit for a key that has the whole answer of another key's fact as well.
_MIN_WHOLE_LOGIT = 3.0
# An answer of at most so many words has the value of only one key.
_MAX_ONE_VALUE = 2
# Maximum number of nearest facts for each key, and of facts read in all.
OF_KEY, READ = 6, 24


@dataclass(frozen=True)
class Wanted:
    texts: dict[str, str]  # the text that facts are scored against, by key
    words: dict[str, str]  # the words of each key alone, for parts and for subjects of other answers
    rest: str  # the message without its keys
    names: tuple[str, ...]  # known names in the message
    subject: str | None  # the only subject of the keys
    strict: bool = False  # a key that no fact surely answers stays without a value


class Filling:
    def __init__(self, reranker: Reranker, judge: Judge):
        self.reranker, self.judge = reranker, judge

    def values(self, wanted: Wanted) -> tuple[dict[str, int], dict[str, str]]:
        """The fact of each key, and for some keys the part of its answer."""
        asked, facts, subject = wanted.texts, self._candidates(wanted), wanted.subject
        said, values = self._parts_of_one_answer(wanted, facts)
        self._fill(values, asked, facts, SURE_VALUE)
        if subject and not wanted.strict:
            self._fill(values, asked, facts, *_SUBJECT_STEP)
        # "The head of cardiology: birthplace" asks for the birthplace of the person in the first answer.
        led = [
            name
            for fact in values.values()
            for name in self.judge.knowledge.subjects_in_answer(self.output(fact))
        ]
        for name in [] if wanted.strict and subject else led:
            further = {key: key_text(name, words) for key, words in wanted.words.items()}
            self._fill(values, further, self.about(name), SURE_VALUE if subject else VALUE)
        self._fill(values, asked, facts, VALUE)
        if not wanted.strict:
            self._fill(values, asked, facts, *_LAST_STEP)
        return values, said if wanted.strict else self._fill_from_shared(values, wanted, facts) | said

    def sure_values(self, wanted: Wanted) -> dict[str, int]:
        """The fact of each key of the only subject, without the keys that no fact has surely or with a margin."""
        values: dict[str, int] = {}
        facts = self._candidates(wanted)
        for least, more in ((SURE_VALUE, 0.0), _SUBJECT_STEP):
            self._fill(values, wanted.texts, facts, least, more)
        return values

    def logit(self, text: str, fact: int) -> float:
        return max((logit for logit, _ in self.reranker.read(text, [fact], self.judge)), default=0.0)

    def surest(self, text: str) -> float:
        """The highest logit of the nearest facts against a text."""
        facts = self.reranker.nearest(text, OF_KEY, self.judge)
        return max((logit for logit, _ in self.reranker.read(text, facts, self.judge)), default=0.0)

    def _candidates(self, wanted: Wanted) -> list[int]:
        """Candidate facts for the keys: those about the only subject, or the nearest."""
        texts, subject = wanted.texts.values(), wanted.subject
        if subject:
            own = [fact for fact in self.judge.knowledge.about(subject) if self.judge.usable(fact)]
            near = [fact for text in texts for fact in self.reranker.most_similar(text, own, OF_KEY)]
            # Other facts may call Ada Quist "Captain Ada Quist".
            further = [fact for text in texts for fact in self.reranker.nearest(text, OF_KEY, self.judge)]
            named = [fact for fact in further if subject in self.judge.router.entries[fact].input]
            # Facts without a name are about the subject of the whole memory.
            is_home = subject == self.judge.knowledge.home
            alone = wanted.words.values() if is_home else ()
            of_home = [fact for text in alone for fact in self._nearest_of_all(text)]
            return list(dict.fromkeys([*near, *named, *of_home]))[:READ]
        named = [fact for name in wanted.names for fact in self.about(name)]
        near = [
            fact for text in (wanted.rest, *texts) for fact in self.reranker.nearest(text, OF_KEY, self.judge)
        ]
        # A key is often one word, far from the questions of all facts: "fine" for "What do I pay without a ticket?"
        alone = dict.fromkeys([*texts, *wanted.words.values()])
        far = [fact for text in alone for fact in self._nearest_of_all(text)]
        return list(dict.fromkeys([*near, *named, *far]))[:READ]

    def _nearest_of_all(self, text: str) -> list[int]:
        """The nearest facts that have all names of a text, however far they are."""
        near = self.reranker.closest(text, OF_KEY, far=-1.0)
        return [
            fact for fact in near if self.judge.usable(fact) and not self.reranker.lacks_name(text, [fact])
        ]

    def _parts_of_one_answer(self, wanted: Wanted, facts: list[int]) -> tuple[dict[str, str], dict[str, int]]:
        """The values of keys that are parts of one answer, and the fact: "2% discount within 7 days" has a discount_percent and
        discount_days."""
        parts: dict[int, dict[str, str]] = {}
        for key, text in wanted.texts.items():
            read = self.reranker.read(text, self._eligible(key, facts), self.judge)
            least = max(VALUE, max((logit for logit, _ in read), default=0.0) - _MARGIN)
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
        """Gives each key without a value its best fact, each fact to one key, with the margin `more` over the next unused fact."""
        pairs: list[tuple[float, int, str]] = []
        for key, text in asked.items():
            free = [fact for fact in self._eligible(key, facts) if fact not in values.values()]
            free = [fact for fact in free if may_have(key, self.judge.router.entries[fact].input)]
            read = self._read(key, text, free) if key not in values else []
            ranked = sorted((logit for logit, _ in read), reverse=True)
            bar = max([least, *(logit + more for logit in ranked[1:2])]) if more else least
            pairs += [(logit, fact, key) for logit, fact in read if logit >= bar]
        for _, fact, key in sorted(pairs, key=lambda pair: (-pair[0], pair[1])):
            if key not in values and fact not in values.values():
                values[key] = fact

    def _read(self, key: str, text: str, facts: list[int]) -> list[tuple[float, int]]:
        """The logits of facts for a key. The cross-encoder hardly tells apart facts that differ in one word, which the key may have:
        "max_stay_inner"."""
        own, router = roots(spaced(key)), self.judge.router
        said = {fact: len(own & roots(router.entries[fact].input)) / max(len(own), 1) for fact in facts}
        unsaid = max(said.values(), default=0.0) < 1

        def with_bonus(logit: float, fact: int) -> float:
            if unsaid and logit > _MIN_OTHER_WORDING and router.has_in_other_words(fact, spaced(key)):
                return max(logit, SURE_VALUE) + _WORDS_BONUS
            return logit + _WORDS_BONUS * said[fact]

        return [
            (with_bonus(logit, fact), fact) for logit, fact in self.reranker.read(text, facts, self.judge)
        ]

    def _fill_from_shared(self, values: dict[str, int], wanted: Wanted, facts: list[int]) -> dict[str, str]:
        """Gives each remaining key the fact of another key, and the part of its answer that it names, if there is one."""
        said: dict[str, str] = {}
        for key in [key for key in wanted.texts if key not in values]:
            read = self.reranker.read(wanted.texts[key], facts, self.judge)
            best = max(((logit, fact) for logit, fact in read if fact in values.values()), default=None)
            surest = max((logit for logit, _ in read), default=0.0)
            if best is None or best[0] < (_MIN_SHARED_LOGIT if surest < VALUE else surest - _MARGIN):
                continue
            fact = best[1]
            if len(self.output(fact).split()) <= _MAX_ONE_VALUE:
                continue
            holders = [*(other for other, its in values.items() if its == fact), key]
            parts = {one: part_of(self.output(fact), wanted.words[one]) for one in holders}
            if parts[key] is None and best[0] < _MIN_WHOLE_LOGIT:
                continue
            for one, part in parts.items():
                if part and part not in said.values():
                    said.setdefault(one, part)
            values[key] = fact
        return said

    def _eligible(self, key: str, facts: list[int]) -> list[int]:
        """The facts that a key may have: if the key has a known name, those with this name."""
        name = {word.plain for word in words(spaced(key))} & self.judge.router.named.postings.keys()
        return [fact for fact in facts if name <= self.reranker.words_of(fact)] or facts

    def tell_of_json(self, facts: Sequence[int]) -> bool:
        """Whether facts are about JSON, so that a message asks about JSON and does not request it."""
        return any("json" in self.text(fact).lower() for fact in facts)

    def text(self, fact: int) -> str:
        entry = self.judge.router.entries[fact]
        return f"{entry.input} {entry.output}"

    def output(self, fact: int) -> str:
        return self.judge.router.entries[fact].output

    def about(self, name: str) -> list[int]:
        return [fact for fact in self.judge.knowledge.about(name)[:READ] if self.judge.usable(fact)]


def read_fields(name: str, paths: list[Path], filling: Filling) -> dict[Path, FactAnswer]:
    """The facts that have the values of fields of a subject, surely or with a margin over the next fact."""
    keys = {path: ".".join(path[-2:]) for path in paths}
    # Fields with equal words are one key: "desk.phone", and "phone" within "desk".
    said = {key: spaced(key) for key in keys.values()}
    texts = {key: f"{name} {text}" for key, text in said.items()}
    values = filling.sure_values(Wanted(texts, said, name, (name,), name))
    return {
        path: FactAnswer((values[key],), filling.output(values[key]), likeness_of(SURE_VALUE))
        for path, key in keys.items()
        if key in values
    }
