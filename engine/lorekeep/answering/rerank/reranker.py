"""Finds the facts that answer a question where no search was sure of one: the nearest facts are read beside the question by the
cross-encoder."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, permutations, zip_longest

import numpy as np

from lorekeep import contract
from lorekeep.answering.claims import yes_no
from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.claims.measured.measures import measures
from lorekeep.answering.claims.measured.units import UNITS
from lorekeep.answering.judge import Judge
from lorekeep.answering.networks.cross_encoder import cross_encoder, fact_text
from lorekeep.answering.reading import standalone
from lorekeep.answering.reading.questions import questions_of
from lorekeep.answering.reading.relatives import asks_other_name, asks_other_place, asks_other_relative
from lorekeep.answering.reading.taught_words import one_letter
from lorekeep.answering.rerank.closest_facts import ClosestFacts
from lorekeep.answering.word_match import COMMON, roots
from lorekeep.bulk import once
from lorekeep.routing.by_meaning import content_stems, sure_names
from lorekeep.routing.language_id import language_of
from lorekeep.routing.router import Router
from lorekeep.routing.words import words

# Facts that are read beside a question.
_READ = 12
# A memory of so few facts is read as a whole where several are asked for.
_SMALL = 24
# Fewer are read where the nearest is only so like the question, and none where it is less.
_FAR, _READ_FAR = 0.2, 4
# "..., is it open then?"
_THEN = re.compile(r"\bthen\W*$", re.IGNORECASE)
# Splits of a question that are looked at.
_SPLITS = 3
# Words of a part that states something, and of one that asks.
_STATES = re.compile(
    r"\b(?:i|i['’](?:m|ve|d)|we|it|is|are|was|were|has|have|had|got|keeps?)\b", re.IGNORECASE
)
_WH = re.compile(rf"\b(?:{standalone.WH}|whether|if)\b", re.IGNORECASE)
# Logits from which a fact answers a question, from which each of several does and answers its part, and up to which a fact that the search
# found does not.
_ANSWERS: dict[contract.Gate, float] = {"strict": 2.5, "balanced": 2.0, "generous": 1.0}
_EACH, _PART, _DOES_NOT, _DOES_NOT_NAMED = 1.5, -6.0, -1.0, -3.0
# The logit beside the whole question from which a fact may answer a part alone, and how many such facts are read beside the parts.
_BESIDE_A_PART, _OF_SEVERAL = -3.0, 6
# A fact that surely answers the whole question may answer its part less surely.
_SURELY_EACH, _PART_OF_SURE = 5.0, -9.0
# The logit beside the whole question from which a fact answers one of three or more parts.
_OF_MANY = -1.0
# By how much the logit of another fact exceeds that of one that a search found.
_CLEARLY = 3.0
# The bar of a fact is lower by so much where the logits of all others are lower by _CLEARLY.
_ALONE = 0.5
# A fact needs a logit that is higher by so much where it lacks a rare word of the question, and where it is about another number.
_DOUBTFUL, _NUMBERED = 1.0, 5.0
# A number, or a day of a month: "on the 15th".
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th)?")
# "20cm", "18h": digits are no part of a name here.
_MEASURE = re.compile(rf"\d+(?:{'|'.join(map(re.escape, UNITS))})")
# Facts that are read for the values of a question and for its rare words, facts that lead to others, and facts that are led to and read.
_OF_VALUE, _SHARING, _LEADING, _LINKED = 6, 6, 24, 6
# The logit from which a fact that a search found may be the answer, from which it is, and by how much that of another exceeds it if it may.
_MAY_ANSWER, _SURELY_ANSWERS, _SURER = 0.5, 4.0, 2.0
# Words in which the question of a fact differs from others, of which the question that it is to answer has none.
_SLOT = 2


@dataclass(frozen=True)
class RankedFact:
    fact: int
    likeness: float  # how surely it answers
    through: int | None = None  # the fact that leads from the question to what this one is about


class Reranker:
    def __init__(self, router: Router):
        self.router, self.closest = router, ClosestFacts(router)

    def find(
        self, question: str, judge: Judge, before: str = "", more: float = 0.0, about: Sequence[int] = ()
    ) -> RankedFact | None:
        """The fact that answers a question, which may follow one asked before: of some facts, if there are any `about` what it means.
        `more` is added to the logit that it needs."""
        if not self._may_read(question):
            return None
        whole = f"{before} {question}".strip()
        names, doubtful = self._names(question)
        facts, led = self._to_read(question, before, names, judge)
        facts = list(about) or facts
        if not facts:
            return None
        logits_N = self._logits(whole, facts, judge)
        best = int(np.argmax(logits_N))
        fact = facts[best]
        if lacks := doubtful - self.words_of(fact):
            if self._has_siblings(question, fact, facts, logits_N, judge):
                return None  # "gate toll ostmere", where the tolls of other towns are taught
            more = max(more, _NUMBERED if _numbers(lacks) and _numbers(self._asked(fact)) else _DOUBTFUL)
        if asks_other_relative(question, self._text(fact)):
            return None
        if fact not in led and asks_other_name(question, self._text(fact), judge.knowledge.subject(fact)):
            return None
        others = max((logit for at, logit in enumerate(logits_N) if at != best), default=-np.inf)
        least = _ANSWERS[judge.budget] + more - (_ALONE if others < logits_N[best] - _CLEARLY else 0.0)
        if logits_N[best] < least:
            return None
        return RankedFact(fact, likeness_of(logits_N[best]), None if about else led.get(fact))

    def better(self, question: str, fact: int, judge: Judge, before: str = "") -> RankedFact | None:
        """The fact that clearly answers a question better than the one that a search found, if that does not surely answer."""
        # Alone, "For how long?" is answered by any fact about how long.
        whole = f"{before} {question}".strip()
        # What a follow-up leaves out was understood by a search.
        least = _MAY_ANSWER if before else _SURELY_ANSWERS
        if not self._may_read(question) or self._logits(whole, [fact], judge)[0] >= least:
            return None
        names, doubtful = self._names(question)
        facts, led = self._to_read(question, before, names, judge)
        facts = list(dict.fromkeys([fact, *facts]))
        if len(facts) < 2:
            return None
        logits_N = self._logits(whole, facts, judge)
        its, best = float(logits_N[0]), int(np.argmax(logits_N))
        least = max(_ANSWERS[judge.budget], its + (_CLEARLY if its < _MAY_ANSWER else _SURER))
        clear = logits_N[best] >= least and not doubtful - self.words_of(facts[best])
        return RankedFact(facts[best], likeness_of(logits_N[best]), led.get(facts[best])) if clear else None

    def read(self, question: str, facts: list[int], judge: Judge) -> list[tuple[float, int]]:
        """The logit of each of some facts, with the fact: how surely it answers."""
        if not facts or not self._may_read(question):
            return []
        return list(zip(self._logits(question, facts, judge).tolist(), facts, strict=True))

    def nearest(self, question: str, count: int, judge: Judge, for_all: bool = True) -> list[int]:
        """The nearest facts, each with all names of the question if one is to answer for all. Of a small memory all are near."""
        if not for_all and len(self.router.entries) <= _SMALL:
            return [fact for fact in range(len(self.router.entries)) if self._usable(fact, judge)]
        return self._candidates([question], count, judge, self._names(question)[0] if for_all else set())

    def has_a_name(self, question: str, found: RankedFact, judge: Judge) -> bool:
        """Whether a fact has one of the known names of a question, if there are any: "and at the Tarvesk?" """
        said = {word.plain for word in words(question)}
        names = [said & {word.plain for word in words(name)} for name in judge.knowledge.subjects(question)]
        has = self.words_of(found.fact) | (set() if found.through is None else self.words_of(found.through))
        return not names or any(name <= has for name in names)

    def lacks_name(self, question: str, facts: list[int]) -> bool:
        """Whether a question has a name that none of some facts has."""
        names = self._names(question)[0] - {word for fact in facts for word in self.words_of(fact)}
        return bool(names) or asks_other_place(question, " ".join(self._text(fact) for fact in facts))

    def _to_read(
        self, question: str, before: str, names: set[str], judge: Judge
    ) -> tuple[list[int], dict[int, int]]:
        """Facts that may answer a question, and of those that only another fact leads to, that one."""
        whole = f"{before} {question}".strip()
        near = self._candidates([whole, question] if before else [question], _READ, judge, names)
        linked = self._linked(whole, names, judge)
        of_value, sharing = self._of_value(question, names, judge), self._sharing(question, names, judge)
        facts = list(dict.fromkeys([*near, *of_value, *sharing, *linked]))
        return facts, {fact: lead for fact, lead in linked.items() if fact not in near}

    def _of_value(self, question: str, names: set[str], judge: Judge) -> list[int]:
        """Facts whose answers a question names: it may ask for what they are about."""
        found = judge.knowledge.facts_by_answer(question)[:_OF_VALUE]
        return [fact for fact in found if self._usable(fact, judge) and names <= self.words_of(fact)]

    def _sharing(self, question: str, names: set[str], judge: Judge) -> list[int]:
        """Facts that share rare words with a question, in their answers too: one about a product for what it helps against."""
        taught, score = judge.taught_words, defaultdict[int, float](float)
        for word in roots(question):
            for index in (taught.postings, taught.answers):
                facts = index.get(word, ())
                for fact in facts if len(facts) <= COMMON else ():
                    score[fact] += 1 / len(facts)
        ranked = sorted(score, key=lambda fact: (-score[fact], fact))
        usable = (fact for fact in ranked if self._usable(fact, judge) and names <= self.words_of(fact))
        return list(islice(usable, _SHARING))

    def _linked(self, question: str, names: set[str], judge: Judge) -> dict[int, int]:
        """Facts about what the facts about the names of a question answer, each with the fact that leads to it: those about
        Ada Quist for a question about the firm that she founded."""
        knowledge, found = judge.knowledge, {}
        leading = [fact for fact in knowledge.about(question)[:_LEADING] if self._usable(fact, judge)]
        about: dict[str, list[int]] = {}
        for lead in leading:
            own = knowledge.subject(lead)
            for name in knowledge.subjects_in_answer(self.router.entries[lead].output):
                if name not in about:
                    some = knowledge.about(name)[:_LEADING]
                    about[name] = [fact for fact in some if self._usable(fact, judge) and fact not in leading]
                for fact in about[name] if name != own else ():
                    if names <= self.words_of(fact) | self.words_of(lead):
                        found.setdefault(fact, lead)
        return {fact: found[fact] for fact in self.most_similar(question, sorted(found), _LINKED)}

    def most_similar(self, question: str, facts: list[int], count: int) -> list[int]:
        """Those of some facts whose questions are most like a question."""
        if len(facts) <= count or self.router.embed is None:
            return facts
        vector_D = self.router.likeness.project(self.router.embed([question])[0])
        liked_N = self.router.asks_F_D[[self.router.keys.asks[fact] for fact in facts]] @ vector_D
        return [facts[at] for at in np.argsort(-liked_N, kind="stable")[:count]]

    def facts_of_parts(self, question: str, judge: Judge) -> tuple[list[int], float] | None:
        """Facts of which each answers another part of a question, by the order of the parts, and the least likeness."""
        # Sentences before a question ask nothing.
        text, subjects = " ".join(questions_of(question)) or question, judge.knowledge.subjects(question)
        text = standalone.POLITE_END.sub("", text)
        splits = [split for split in standalone.splits(text, subjects) if not any(map(_tells, split))]
        if is_closed(question):
            # "Do they wear maroon and cream?" is one question.
            splits = [
                split
                for split in splits
                if all(map(yes_no.has_question_form, split[1:])) and not _THEN.search(split[-1])
            ]
        if (many := self._many(question, splits, judge)) is not None:
            return many
        splits = sorted(splits, key=len)[:_SPLITS]
        parts = list(dict.fromkeys(part for split in splits for part in split))
        # Each part has names of its own.
        facts = self._candidates([question, *parts], _READ, judge, names=set()) if splits else []
        if len(facts) < 2 or self.router.embed is None:
            return None
        logits_N = self._logits(question, facts, judge)
        ranked = sorted(range(len(facts)), key=lambda at: (-logits_N[at], at))[:_OF_SEVERAL]
        near = [at for at in ranked if logits_N[at] >= _BESIDE_A_PART]
        if len(near) < 2:
            return None
        of_part = {part: self._logits(part, [facts[at] for at in near], judge) for part in parts}
        best: tuple[float, list[int]] | None = None
        for split in splits:
            for chosen in permutations(near, len(split)):
                alone = [float(of_part[part][near.index(at)]) for part, at in zip(split, chosen, strict=True)]
                whole = [float(logits_N[at]) for at in chosen]
                both = list(zip(alone, whole, map(yes_no.has_question_form, split), strict=True))
                answers = all(
                    (part >= _PART and in_all >= _EACH)
                    or (part >= _PART_OF_SURE and in_all >= _SURELY_EACH)
                    or (part >= _ANSWERS[judge.budget] and in_all >= _BESIDE_A_PART and asks)
                    for part, in_all, asks in both
                )
                score = sum(part + in_all for part, in_all, _ in both) / len(split)
                if answers and (best is None or score > best[0]):
                    best = score, [facts[at] for at in chosen]
        if best is None:
            return None
        return best[1], min(likeness_of(max(logits_N[facts.index(fact)], 0.0)) for fact in best[1])

    def _many(self, question: str, splits: list[list[str]], judge: Judge) -> tuple[list[int], float] | None:
        """As many facts as a question has parts, of three and more, that answer it as a whole: "Tour days, group size, price?" """
        ways = {len(split): split for split in reversed(splits) if len(split) > 2}
        if not ways:
            return None
        longest = ways[max(ways)]
        near = self._candidates(longest, _READ, judge, names=set())
        facts = list(dict.fromkeys([*self.nearest(question, _READ, judge, for_all=False), *near]))
        if not facts:
            return None
        logits_N = self._logits(question, facts, judge)
        ranked = sorted(range(len(facts)), key=lambda at: (-logits_N[at], at))
        for count in sorted(ways, reverse=True):
            parts, best = ways[count], ranked[:count]
            if len(best) < count or logits_N[best[-1]] < _OF_MANY:
                continue
            chosen, ordered = [facts[at] for at in best], []
            for part in parts:
                logits_C = self._logits(part, chosen, judge)
                ordered.append(chosen.pop(int(np.argmax(logits_C))))
            return ordered, likeness_of(float(logits_N[best[-1]]))
        return None

    def refuses(self, question: str, fact: int, judge: Judge, named: bool = False) -> bool:
        """Whether a fact that a search found, by its name or by meaning, does not answer the question."""
        if fact in self.router.languages or not self._may_read(question):
            return False
        logit = self._logits(question, [fact], judge)[0]
        if logit < (_DOES_NOT_NAMED if named else _DOES_NOT):
            return True
        return bool(logit < _MAY_ANSWER) and self._of_a_sibling(question, fact)

    def _has_siblings(
        self, question: str, fact: int, facts: list[int], logits_N: np.ndarray, judge: Judge
    ) -> bool:
        """Whether facts about other names answer as well as one whose name the question does not have."""
        asks, own = self.router.keys.asks, judge.knowledge.subject(fact)
        if (
            asks[fact] < 0
            or not own
            or own in judge.knowledge.subjects(question)
            or self._may_mean(question, own)
        ):
            return False
        alike = (logit for logit, one in zip(logits_N, facts, strict=True) if asks[one] == asks[fact])
        return sum(logit >= _ANSWERS[judge.budget] for logit in alike) > 1

    def _may_mean(self, question: str, name: str) -> bool:
        """Whether a question has a word that may be a name with a typo: "Ostrinda" for Ostrinde."""
        return any(one_letter(one.plain, said.plain) for said in words(question) for one in words(name))

    def _of_a_sibling(self, question: str, fact: int) -> bool:
        """Whether a question may ask the same of something else: "Who leads the tannery?", where it is taught who leads the archive and
        who leads the map room."""
        said, own = content_stems(question), content_stems(self.router.entries[fact].input)
        if not said - own:
            return False
        for other in self.closest(question, _READ):
            its = content_stems(self.router.entries[other].input)
            differs = own - its
            if own & its and 0 < len(differs) <= _SLOT and 0 < len(its - own) <= _SLOT and not differs & said:
                return True
        return False

    def _may_read(self, question: str) -> bool:
        """Whether there is a network that reads, and the question is in its language."""
        return cross_encoder(self.router.embed) is not None and not language_of(
            question, self.router.knows_english
        )

    def _logits(self, question: str, facts: list[int], judge: Judge) -> np.ndarray:
        """The logits of some facts beside a question. Each pair is computed once for a request."""
        self.read_ahead([(question, fact) for fact in facts], judge)
        return np.array([judge.logits[question, fact] for fact in facts])

    def read_ahead(self, asked: list[tuple[str, int]], judge: Judge) -> None:
        """Computes the logits of questions with facts that are read soon: a large batch costs less than many small ones."""
        fresh = [pair for pair in dict.fromkeys(asked) if pair not in judge.logits]
        if fresh and (encoder := cross_encoder(self.router.embed)) is not None:
            logits_N = encoder.logits([(question, self._text(fact)) for question, fact in fresh])
            judge.logits.update(zip(fresh, logits_N.tolist(), strict=True))

    def _names(self, question: str) -> tuple[set[str], set[str]]:
        """The names of a question, and rare words in lower case, which may be names."""
        named = self.router.named
        names = sure_names(question, named.vocabulary) - named.home - _claimed(question)
        written = {word.plain for word in words(question) if word.text != word.text.lower()}
        doubtful = {
            word
            for word in names - written
            if word not in named.postings
            and (_NUMBER.fullmatch(word) or _MEASURE.fullmatch(word) or not any(c.isdigit() for c in word))
        }
        return names - doubtful, doubtful

    def _candidates(self, questions: list[str], count: int, judge: Judge, names: set[str]) -> list[int]:
        """The nearest facts to any of some questions that have all of some names."""
        if not self._may_read(questions[0]):
            return []
        lists = [
            self.router.similar_facts(questions[0]),
            *(self.closest(one, count) or self.closest(one, _READ_FAR, _FAR) for one in questions),
        ]
        near = zip_longest(*lists)
        facts = dict.fromkeys(fact for turn in near for fact in turn if fact is not None)
        return [fact for fact in facts if judge.usable(fact) and names <= self.words_of(fact)][:count]

    def _usable(self, fact: int, judge: Judge) -> bool:
        return judge.usable(fact) and fact not in self.router.languages

    def _asked(self, fact: int) -> set[str]:
        return {word.plain for word in words(self.router.entries[fact].input)}

    def words_of(self, fact: int) -> set[str]:
        return {word.plain for word in words(self._text(fact))}

    def _text(self, fact: int) -> str:
        entry = self.router.entries[fact]
        return fact_text(entry.input, entry.output)


@once
def _claimed(question: str) -> set[str]:
    """The words of the measures that a yes-or-no question names, which no fact needs to have."""
    if not is_closed(question):
        return set()
    return {word.plain for one in measures(question) for word in words(one.text)}


def _numbers(said: set[str]) -> bool:
    return any(_NUMBER.fullmatch(word) for word in said)


def _tells(part: str) -> bool:
    """Whether a part of a message says how things are: "my dewar is empty"."""
    return not yes_no.has_question_form(part) and bool(_STATES.search(part)) and not _WH.search(part)


def likeness_of(logit: float) -> float:
    return float(1 / (1 + np.exp(-logit)))


def logit_of(likeness: float) -> float:
    return float(np.log(likeness / (1 - likeness))) if likeness < 1 else np.inf
