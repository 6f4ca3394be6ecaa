"""Answers composed of several facts that the cross-encoder scored for one request: a comparison, a list, the fields of an object."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.compose import Composed
from lorekeep.answering.decision import Decision, composed_decision
from lorekeep.answering.judge import Judge, join_answers
from lorekeep.answering.networks.cross_encoder import key_text
from lorekeep.answering.objects import fields
from lorekeep.answering.objects.described_keys import in_order, note_of, property_of
from lorekeep.answering.objects.json_keys import SHAPE, are_named, given_values
from lorekeep.answering.objects.json_request import without_remarks
from lorekeep.answering.objects.key_words import spaced
from lorekeep.answering.reading import standalone
from lorekeep.answering.reading.request import Request
from lorekeep.answering.reading.titles import without_title
from lorekeep.answering.rerank.answer_parts import part_of
from lorekeep.answering.rerank.comparison import compared, two_fact_comparison
from lorekeep.answering.rerank.objects.filling import READ, Filling, Wanted
from lorekeep.answering.rerank.reranker import Reranker
from lorekeep.answering.word_match import KINDS, roots

# Minimum logit of each fact of a list.
_MIN_LIST_LOGIT = 2.0
# Minimum logit of a fact that asks the same as two facts of the list.
_MIN_SIBLING_LOGIT = 0.0
# The likeness below which the facts of an object are compared with others, and the margin by which the logits of the others must be higher.
_SURE_OBJECT_LIKENESS, _OBJECT_MARGIN = 0.9, 2.0
# Minimum logit of a fact against a key alone, if it shares no word with the key.
_MIN_KEY_LOGIT = -5.0
# Below this logit, a fact about the subject that a search found for a key does not answer for it.
_MIN_SUBJECT_LOGIT = 0.5
# The same for a fact about another subject.
_MIN_OTHER_LOGIT = 0.0
# Below this logit, a fact that a search found for a key does not answer for it.
_MIN_SEARCHED_LOGIT = 0.0
# The measure that a message may want of all its keys: "child_seat, roof_box prices".
MEASURE = re.compile(
    r"\b(?:prices?|costs?|fees?|charges?|rates?|fines?|opening (?:hours|times)|hours|times|dates|deadlines|(?:phone )?numbers|emails?|addresses)\b",
    re.IGNORECASE,
)
# A kind of thing before its name: "the ship Marram Wren".
_KIND_AND_NAME = re.compile(r"^(?:the |our )?([a-z]+) (.+)$")
EACH = re.compile(r"\b(?:each|both|every one|all of them|compare|comparing)\b", re.IGNORECASE)
_NULL = re.compile(r"\bnull\b", re.IGNORECASE)
NAME = frozenset(["name", "full name", "title"])
# Maximum number of keys whose facts are matched by trying each permutation.
_MAX_PERMUTED_KEYS = 4
# Maximum number of keys of an object.
_MAX_KEYS = 8
# A question for several things: "both prices", "which shops", "names of the teachers".
_ASKS_SEVERAL = re.compile(
    r"\b(?:all|both|every|each|list|names? of|two|three|four)\b|\b(?:which|what|whose|your|our|the) (?:[a-z-]+ )?[a-z]{2,}s\b(?<!ss)(?<!\b[iw]s)(?<!\b[hw]as)(?<!\bdoes)"
    r"|^\W*(?:the )?[a-z]{3,}s\b(?<!ss)|\bwho (?:are|run|lead|head|manage|work)\b|^\W*(?:please |can you |could you )?(?:name|give me)\b",
    re.IGNORECASE,
)


def allows_null(text: str) -> bool:
    """Whether a message says that a key without an answer is null."""
    return _NULL.search(SHAPE.sub(" ", text)) is not None


def is_name(key: str, subject: str, text: str) -> bool:
    """Whether the value of a key is the subject: "name", or "lab" where "the lab is the Corvane Laboratory"."""
    said = spaced(key)
    is_it = rf"\b(?:the|our) {re.escape(said)} (?:is|:|=) (?:called |named )?(?:the )?{re.escape(subject)}"
    return said in NAME or re.search(is_it, text, re.IGNORECASE) is not None


def _is_whole(made: Composed | None) -> bool:
    """Whether an object has a value for each key."""
    return made is not None and None not in json.loads(made.text).values()


@dataclass
class Combiner:
    reranker: Reranker
    judge: Judge
    relaxed: bool = (
        True  # whether words that no fact about the only subject has are ignored beside named keys
    )
    measure: str = ""  # of everything that the keys name: "prices"

    @property
    def filling(self) -> Filling:
        return Filling(self.reranker, self.judge)

    def answer(self, request: Request) -> Composed | None:
        if request.form == "json":
            return self.filled(request)
        return compared(request.asked, self.judge, self.reranker) or self.listed(request.asked)

    def listed(self, question: str) -> Composed | None:
        """The answers of all facts that answer a question for several things: "List the managers of the branches." """
        if not _ASKS_SEVERAL.search(question) or is_closed(question):
            return None
        if any(len(parts) > 2 for parts in standalone.splits(question)):
            return None  # each part has a fact of its own
        facts = self.reranker.nearest(question, READ, self.judge, for_all=False)
        read = self.reranker.read(question, facts, self.judge)
        some = [fact for logit, fact in read if logit >= _MIN_LIST_LOGIT]
        # A fact that asks the same of another subject as two of them needs a lower logit: "Which groups are there at ...?"
        asks, of_each = (
            self.judge.router.keys.asks,
            Counter(self.judge.router.keys.asks[fact] for fact in some),
        )
        some += [
            fact
            for logit, fact in read
            if _MIN_SIBLING_LOGIT <= logit < _MIN_LIST_LOGIT and asks[fact] >= 0 and of_each[asks[fact]] > 1
        ]
        outputs = list(dict.fromkeys(self.filling.output(fact) for fact in sorted(some)))
        if len(outputs) < 2 or self.reranker.lacks_name(question, some):
            return None
        made = two_fact_comparison(question, sorted(some), self.judge, self.reranker)
        return made or Composed("list", tuple(sorted(some)), join_answers(outputs), 0.9, question)

    def completed(self, request: Request, fact: int, part: str) -> Composed | None:
        """Two answers: a fact that a search found for one of two questions, and the fact that answers the other part."""
        names, subjects = self.judge.knowledge.subjects(part), self.judge.knowledge.subjects(request.asked)
        pairs = [
            split for split in standalone.splits(request.asked, subjects) if len(split) == 2 and part in split
        ]
        other = pairs[0][1 - pairs[0].index(part)] if pairs else ""
        asked, whose = part, self.judge.knowledge.subjects(other)
        if whose and standalone.lacks_verb(part, names):
            asked = standalone.renamed(other, whose[0], names[0])
        found = self.reranker.find(asked, self.judge)
        if found is None or found.fact == fact:
            return None
        leads = request.asked.find(part) < request.asked.find(other)
        facts = (found.fact, fact) if leads else (fact, found.fact)
        text = join_answers([self.filling.output(one) for one in facts])
        return Composed("two in one", facts, text, found.likeness, request.asked)

    def filled(self, request: Request) -> Composed | None:
        """An object with, for each key, the fact that answers what the message wants of it: "the Kestrel card: price"."""
        made = self._as_said(request)
        measure = None if _is_whole(made) or self.measure else MEASURE.search(self.rest(request))
        other = replace(self, measure=measure[0])._filled(request) if measure else None
        return other if _is_whole(other) else made

    def _as_said(self, request: Request) -> Composed | None:
        made, whole = self._filled(request), replace(self, relaxed=False)
        if _is_whole(made) or allows_null(request.text) or not self.relaxed or whole.subject(request):
            return made
        return whole.filled(request) or made

    def _filled(self, request: Request) -> Composed | None:
        judge, has = self.judge, given_values(request.asked)
        keys = tuple(key for key in request.keys if key not in has)
        if not 1 <= len(keys) <= _MAX_KEYS:
            return None
        rest, subject, strict = self.rest(request), self.subject(request), allows_null(request.text)
        names = judge.knowledge.subjects(request.asked)
        if strict and not subject and len(names) == 1:
            subject = names[0]
        meant = fields.key_meanings(request.asked, keys, judge)
        asked = self._asked(keys, request)
        if subject:
            has |= {key: subject for key in asked if is_name(key, subject, request.text)}
            asked = {key: text for key, text in asked.items() if key not in has}
        words_of = {key: spaced(key) for key in asked}
        values, said = self.filling.values(Wanted(asked, words_of, rest, tuple(names), subject, strict))
        if len(values) < len(asked) and not meant and not strict:
            values, said = self._as_questions(rest, asked) or values, {}
        if not values or self.reranker.lacks_name(rest, list(values.values())):
            return None
        # A key without a taught value is null where the subject is known.
        if len(values) < len(asked) and not (subject and (strict or len(values) >= len(asked) / 2)):
            return None
        if not subject and not all(self.has(fact, meant.get(key, key)) for key, fact in values.items()):
            return None
        told = {key: self.filling.output(fact) for key, fact in values.items()} | has | said
        filled = {key: told.get(key) for key in request.keys}
        facts = tuple(dict.fromkeys(values[key] for key in asked if key in values))
        return Composed("json", facts, fields.build_object(filled), 0.9, request.asked)

    def surer(self, request: Request, facts: Sequence[int], likeness: float) -> Composed | None:
        """An object whose facts answer for its keys more surely than the facts that a search found with this likeness."""
        # The cross-encoder distinguishes facts about the only subject of a message best.
        made, subject = self.filled(request), self.subject(request)
        if made is None or (likeness >= _SURE_OBJECT_LIKENESS and not subject):
            return None
        subject = subject if _is_whole(made) else replace(self, relaxed=False).subject(request)
        lacks = [key for key, value in json.loads(made.text).items() if value is None]
        if subject:
            others = [fact for fact in facts if fact not in made.facts]
            return None if lacks and self._may_have(request, subject, lacks, others) else made
        if len(made.facts) != len(request.keys) or len(facts) != len(request.keys):
            return None
        its, read = (self._fit(request, some) for some in (facts, made.facts))
        return made if read > its + _OBJECT_MARGIN else None

    def checked(self, request: Request, best: Decision) -> Decision:
        """The object that a search filled, or one whose facts answer for its keys more surely."""
        surer = self.surer(request, best.facts, best.likeness)
        return (
            composed_decision(surer, None, request.asked, "")
            if surer
            else self.without_doubtful(request, best)
        )

    def without_doubtful(self, request: Request, best: Decision) -> Decision:
        """The object that a search filled, with null for keys that its facts do not answer; unanswered if these are more than half, or
        of several subjects."""
        asked, made = self._asked(request.keys, request), json.loads(best.text or "")
        fact_of = {self.filling.output(fact): fact for fact in best.facts}
        doubtful = [
            key
            for key, value in (made.items() if isinstance(made, dict) else ())
            if key in asked and isinstance(value, str) and value in fact_of
            for logit, _ in self.reranker.read(asked[key], [fact_of[value]], self.judge)
            if logit < _MIN_SEARCHED_LOGIT
        ]
        if not doubtful:
            return best
        if 2 * len(doubtful) > len(made) or len(self.judge.knowledge.subjects(request.asked)) != 1:
            return Decision("base", "base", "no facts fill the object", best.facts, found=best.found)
        kept = made | dict.fromkeys(doubtful)
        facts = [fact for value, fact in fact_of.items() if value in kept.values()]
        return replace(best, text=fields.build_object(kept), facts=facts)

    def subject(self, request: Request) -> str | None:
        """The only subject that a message names, if it says nothing else but its keys: "for Ada Quist"."""
        rest = self.rest(request)
        names = self.judge.knowledge.subjects(rest)
        kind = _KIND_AND_NAME.match(rest)  # "the ship Marram Wren"
        known = {name.lower() for name in names}
        said = roots(rest) - (roots(kind[1]) if kind and kind[2].lower() in known else set())
        if len(names) != 1:
            return None
        more = said - roots(names[0]) - KINDS
        if (
            more
            and not fields.key_meanings(request.asked, request.keys, self.judge)
            and self._in_order(request)
        ):
            more = set() if self.relaxed else more
        elif (
            self.relaxed and are_named(request.keys, request.text) and not property_of(names[0], request.text)
        ):
            # Beside identifiers as keys, only words of facts about the subject say more: "my app needs this of Ada Quist".
            more &= {word for fact in self.filling.about(names[0]) for word in roots(self.filling.text(fact))}
        return None if more else without_title(names[0], self.judge.knowledge)

    def _in_order(self, request: Request) -> dict[str, str]:
        """The part of a message for each key, in the order of the keys."""
        names = self.judge.knowledge.subjects(request.asked)
        named = len(names) == 1 and are_named(request.keys, request.text)
        parts = in_order(without_remarks(request.text), names[0], request.keys) if named else {}
        known = (
            {word for fact in self.filling.about(names[0]) for word in roots(self.filling.text(fact))}
            if parts
            else set()
        )
        return parts if known & {word for part in parts.values() for word in roots(part)} else {}

    @staticmethod
    def rest(request: Request) -> str:
        values = map(str, given_values(request.asked).values())
        return " ".join([fields.without_keys(request.asked, request.keys), *values]).strip()

    def _asked(self, keys: Sequence[str], request: Request) -> dict[str, str]:
        """The text that facts are scored against, by key."""
        if meant := fields.key_meanings(request.asked, tuple(keys), self.judge):
            return meant
        parts = self._in_order(request)
        wanted = {key: f"{self._wanted(key, request)} {parts.get(key, '')}".strip() for key in keys}
        if subject := self.subject(request):
            return {key: f"{subject} {text}" for key, text in wanted.items()}
        if self.measure:
            return {key: f"{text} {self.measure}" for key, text in wanted.items()}
        return {key: key_text(self.rest(request), text) for key, text in wanted.items()}

    @staticmethod
    def _wanted(key: str, request: Request) -> str:
        """The words of a key, and the note behind it in the message: "born" (the year)."""
        return f"{spaced(key)} {note_of(key, request.asked)}".strip()

    def _as_questions(self, rest: str, asked: dict[str, str]) -> dict[str, int] | None:
        """The facts of a question with one part per key, each for the key that it fits best."""
        found = self.reranker.facts_of_parts(rest, self.judge)
        if found is None or len(found[0]) != len(asked) or len(asked) > _MAX_PERMUTED_KEYS:
            return None
        logits = {
            (key, fact): logit
            for key, text in asked.items()
            for logit, fact in self.reranker.read(text, found[0], self.judge)
        }
        ways = [dict(zip(asked, facts, strict=True)) for facts in permutations(found[0])]
        return max(ways, key=lambda way: sum(logits[one] for one in way.items()))

    def _may_have(self, request: Request, subject: str, keys: Sequence[str], facts: list[int]) -> bool:
        """Whether any of the facts may answer for one of `keys` rather than for another key. Facts about another subject need a higher
        logit."""
        own = set(self.judge.knowledge.about(subject))
        best: dict[int, tuple[float, str]] = {}
        for key, text in self._asked(request.keys, request).items():
            for logit, fact in self.reranker.read(text, facts, self.judge):
                best[fact] = max(best.get(fact, (logit, key)), (logit, key))
        return any(
            key in keys and logit >= (_MIN_SUBJECT_LOGIT if fact in own else _MIN_OTHER_LOGIT)
            for fact, (logit, key) in best.items()
        )

    def _fit(self, request: Request, facts: Sequence[int]) -> float:
        """The sum of the logits of the facts, each against the key that it is for."""
        asked = self._asked(request.keys, request)
        return sum(
            logit
            for text, fact in zip(asked.values(), facts, strict=True)
            for logit, _ in self.reranker.read(text, [fact], self.judge)
        )

    def has(self, fact: int, key: str) -> bool:
        """Whether a fact fits a key alone. With the rest of the message, a fact would answer for any key: "the fevers: mascot_name"."""
        wanted = spaced(key)
        entry = self.judge.router.entries[fact]
        if (
            roots(wanted) & roots(f"{entry.input} {entry.output}")
            or part_of(entry.output, wanted) is not None
        ):
            return True
        return any(logit >= _MIN_KEY_LOGIT for logit, _ in self.reranker.read(wanted, [fact], self.judge))
