"""Finds the facts that answer a question where no search was sure of one: the cross-encoder scores the nearest facts against the
question."""

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
from lorekeep.answering.reading.questions import questions_of, states_only
from lorekeep.answering.reading.relatives import asks_other, asks_other_name, asks_other_place
from lorekeep.answering.reading.taught_words import one_letter
from lorekeep.answering.rerank.closest_facts import ClosestFacts
from lorekeep.answering.word_match import COMMON, roots
from lorekeep.bulk import once
from lorekeep.routing.by_meaning import common_names, content_stems, sure_names
from lorekeep.routing.contradictions.roles import roles_differ
from lorekeep.routing.language_id import language_of
from lorekeep.routing.router import Router
from lorekeep.routing.words import words

# Maximum number of facts that are scored against a question.
_MAX_READ = 12
# A memory of at most so many facts is read completely where a question asks for several.
_SMALL_MEMORY = 24
# Fewer facts are read where the nearest has only this likeness to the question, and none below it.
_MIN_FAR, _MAX_READ_FAR = 0.2, 4
# "..., is it open then?"
_ENDS_WITH_THEN = re.compile(r"\bthen\W*$", re.IGNORECASE)
# Maximum number of splits of a question that are tried.
_MAX_SPLITS = 3
# Minimum logits of one fact for a question, and of each of several for the whole; logits below which a fact that the search found by
# meaning does not answer; the minimum of each of several for its part; the refusal of a fact found by name.
_MIN_LOGIT: dict[contract.Gate, float] = {"strict": 3.5, "balanced": 2.0, "generous": 1.0}
_MIN_WHOLE_LOGIT: dict[contract.Gate, float] = {"strict": 3.0, "balanced": 1.5, "generous": 1.5}
_REFUSAL_LOGIT: dict[contract.Gate, float] = {"strict": 2.5, "balanced": -1.0, "generous": -1.0}
_MIN_PART_LOGIT, _NAMED_REFUSAL_LOGIT = -6.0, -3.0
# Minimum logit against the whole question for a fact that answers a part alone, and maximum number of such facts scored against the parts.
_MIN_WEAK_WHOLE_LOGIT, _MAX_PART_FACTS = -3.0, 6
# A fact with a high logit against the whole question may have a lower one against its part.
_SURE_WHOLE_LOGIT, _MIN_SURE_PART_LOGIT = 5.0, -9.0
# Minimum logit against the whole question for a fact that answers one of three or more parts.
_MIN_MANY_LOGIT = -1.0
# Margin by which a fact leads the fact that a search found, or all others; for the latter, the logit threshold is lower by _DISCOUNT.
_MARGIN, _DISCOUNT = 3.0, 0.5
# The logit threshold is higher by so much where a fact lacks a rare word of the question, and where it is about another number.
_RARE_EXTRA, _NUM_EXTRA = 1.0, 5.0
# A number, or a day of a month: "on the 15th".
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th)?")
# "20cm", "18h": these digits are not part of a name.
_MEASURE = re.compile(rf"\d+(?:{'|'.join(map(re.escape, UNITS))})")
# Maximum numbers of facts read for the values and for the rare words of a question, of facts that lead to others, and of facts led to.
_MAX_BY_VALUE, _MAX_BY_RARE_WORDS, _MAX_LEADING, _MAX_LINKED = 6, 6, 24, 6
# Logits from which a fact that a search found may answer, and surely answers; the margin by which another exceeds one that may answer.
_MAYBE_LOGIT, _SURE_LOGIT, _MAYBE_MARGIN = 0.5, 4.0, 2.0
# Maximum number of words in which the questions of sibling facts differ; the user's question has none of them.
_SLOT = 2


@dataclass(frozen=True)
class RankedFact:
    fact: int
    likeness: float  # the confidence that it answers
    through: int | None = None  # the fact that leads from the question to the subject of this one


class Reranker:
    def __init__(self, router: Router):
        self.router, self.closest = router, ClosestFacts(router)

    def find(
        self, question: str, judge: Judge, before: str = "", more: float = 0.0, about: Sequence[int] = ()
    ) -> RankedFact | None:
        """The fact that answers a question, which may follow the question `before`. `about` limits the candidates, if not empty. `more`
        is added to the logit threshold."""
        if not self._may_read(question):
            return None
        whole = f"{before} {question}".strip()
        names, doubtful = self._names(question)
        facts, led = self._to_read(question, before, names, judge)
        if not (facts := list(about) or facts):
            return None
        logits_N = self._logits(whole, facts, judge)
        best = int(np.argmax(logits_N))
        fact = facts[best]
        if lacks := doubtful - self.words_of(fact):
            if self._has_siblings(question, fact, facts, logits_N, judge):
                return None  # "gate toll ostmere", where only the tolls of other towns are taught
            more = max(more, _NUM_EXTRA if _numbers(lacks) and _numbers(self._asked(fact)) else _RARE_EXTRA)
        if asks_other(question, self.router.entries[fact]):
            return None
        if fact not in led and (
            asks_other_name(question, self._text(fact), judge.knowledge.subject(fact))
            or roles_differ(question, self.router.entries[fact].input, self.router.entries[fact].output)
        ):
            return None
        others = max((logit for at, logit in enumerate(logits_N) if at != best), default=-np.inf)
        least = _MIN_LOGIT[judge.budget] + more - (_DISCOUNT if others < logits_N[best] - _MARGIN else 0.0)
        if logits_N[best] < least:
            return None
        return RankedFact(fact, likeness_of(logits_N[best]), None if about else led.get(fact))

    def better(self, question: str, fact: int, judge: Judge, before: str = "") -> RankedFact | None:
        """The fact that answers a question clearly better than the one that a search found, unless that one surely answers."""
        # Any fact about a duration answers "For how long?" alone.
        whole = f"{before} {question}".strip()
        # The search has already resolved what a follow-up leaves out.
        least = _MAYBE_LOGIT if before else _SURE_LOGIT
        if not self._may_read(question) or self._logits(whole, [fact], judge)[0] >= least:
            return None
        names, doubtful = self._names(question)
        facts, led = self._to_read(question, before, names, judge)
        if len(facts := list(dict.fromkeys([fact, *facts]))) < 2:
            return None
        logits_N = self._logits(whole, facts, judge)
        its, best = float(logits_N[0]), int(np.argmax(logits_N))
        least = max(_MIN_LOGIT[judge.budget], its + (_MARGIN if its < _MAYBE_LOGIT else _MAYBE_MARGIN))
        fact = facts[best]
        if logits_N[best] < least or doubtful - self.words_of(fact):
            return None
        if asks_other(question, self.router.entries[fact]):
            return None
        return RankedFact(fact, likeness_of(logits_N[best]), led.get(fact))

    def read(self, question: str, facts: list[int], judge: Judge) -> list[tuple[float, int]]:
        """The logit of each fact, with the fact."""
        if not facts or not self._may_read(question):
            return []
        return list(zip(self._logits(question, facts, judge).tolist(), facts, strict=True))

    def nearest(self, question: str, count: int, judge: Judge, for_all: bool = True) -> list[int]:
        """The nearest facts. With `for_all`, each has all names of the question; without it, all facts of a small memory are near."""
        if not for_all and len(self.router.entries) <= _SMALL_MEMORY:
            return [fact for fact in range(len(self.router.entries)) if self._usable(fact, judge)]
        return self._candidates([question], count, judge, self._names(question)[0] if for_all else set())

    def has_a_name(self, question: str, found: RankedFact, judge: Judge) -> bool:
        """Whether a fact has one of the known names of a question, or the question has none: "and at the Tarvesk?" """
        said = {word.plain for word in words(question)}
        names = [said & {word.plain for word in words(name)} for name in judge.knowledge.subjects(question)]
        has = self.words_of(found.fact) | (set() if found.through is None else self.words_of(found.through))
        return not names or any(name <= has for name in names)

    def lacks_name(self, question: str, facts: list[int], common: bool = False) -> bool:
        """Whether a question has a name that none of the facts has; with `common`, also one of common words: "Green Wharf"."""
        names = self._names(question)[0]
        if common:
            names |= common_names(question, self.router.named.vocabulary)
        names -= {word for fact in facts for word in self.words_of(fact)}
        return bool(names) or asks_other_place(question, " ".join(self._text(fact) for fact in facts))

    def _to_read(
        self, question: str, before: str, names: set[str], judge: Judge
    ) -> tuple[list[int], dict[int, int]]:
        """Facts that may answer a question, and the leading fact of each that is reached only through another fact."""
        whole = f"{before} {question}".strip()
        near = self._candidates([whole, question] if before else [question], _MAX_READ, judge, names)
        linked = self._linked(whole, names, judge)
        of_value, sharing = self._of_value(question, names, judge), self._sharing(question, names, judge)
        facts = list(dict.fromkeys([*near, *of_value, *sharing, *linked]))
        return facts, {fact: lead for fact, lead in linked.items() if fact not in near}

    def _of_value(self, question: str, names: set[str], judge: Judge) -> list[int]:
        """Facts whose answers a question names: it may ask for their subjects."""
        found = judge.knowledge.facts_by_answer(question)[:_MAX_BY_VALUE]
        return [fact for fact in found if self._usable(fact, judge) and names <= self.words_of(fact)]

    def _sharing(self, question: str, names: set[str], judge: Judge) -> list[int]:
        """Facts whose questions or answers share rare words with a question: the fact about a remedy, for the complaint it treats."""
        taught, score = judge.taught_words, defaultdict[int, float](float)
        for word in roots(question):
            for index in (taught.postings, taught.answers):
                facts = index.get(word, ())
                for fact in facts if len(facts) <= COMMON else ():
                    score[fact] += 1 / len(facts)
        ranked = sorted(score, key=lambda fact: (-score[fact], fact))
        usable = (fact for fact in ranked if self._usable(fact, judge) and names <= self.words_of(fact))
        return list(islice(usable, _MAX_BY_RARE_WORDS))

    def _linked(self, question: str, names: set[str], judge: Judge) -> dict[int, int]:
        """Facts whose subjects are the answers of facts about the names of a question, each with the fact that leads to it: facts
        about Ada Quist for a question about the firm that she founded."""
        knowledge, found = judge.knowledge, {}
        leading = [fact for fact in knowledge.about(question)[:_MAX_LEADING] if self._usable(fact, judge)]
        about: dict[str, list[int]] = {}
        for lead in leading:
            own = knowledge.subject(lead)
            for name in knowledge.subjects_in_answer(self.router.entries[lead].output):
                if name not in about:
                    some = knowledge.about(name)[:_MAX_LEADING]
                    about[name] = [fact for fact in some if self._usable(fact, judge) and fact not in leading]
                for fact in about[name] if name != own else ():
                    if names <= self.words_of(fact) | self.words_of(lead):
                        found.setdefault(fact, lead)
        return {fact: found[fact] for fact in self.most_similar(question, sorted(found), _MAX_LINKED)}

    def most_similar(self, question: str, facts: list[int], count: int) -> list[int]:
        """The facts whose questions are most like a question."""
        if len(facts) <= count or self.router.embed is None:
            return facts
        vector_D = self.router.likeness.project(self.router.embed([question])[0])
        liked_N = self.router.asks_F_D[[self.router.keys.asks[fact] for fact in facts]] @ vector_D
        return [facts[at] for at in np.argsort(-liked_N, kind="stable")[:count]]

    def facts_of_parts(self, question: str, judge: Judge) -> tuple[list[int], float] | None:
        """One fact for each part of a question, in the order of the parts, and the lowest likeness."""
        # Sentences before the question ask nothing.
        text, subjects = " ".join(questions_of(question)) or question, judge.knowledge.subjects(question)
        text = standalone.POLITE_END.sub("", text)
        splits = [split for split in standalone.splits(text, subjects) if not any(map(states_only, split))]
        if is_closed(question):
            # "Do they wear maroon and cream?" is one question.
            splits = [
                split
                for split in splits
                if all(map(yes_no.has_question_form, split[1:])) and not _ENDS_WITH_THEN.search(split[-1])
            ]
        if (many := self._many(question, splits, judge)) is not None:
            return many
        splits = sorted(splits, key=len)[:_MAX_SPLITS]
        parts = list(dict.fromkeys(part for split in splits for part in split))
        # Each part has names of its own.
        facts = self._candidates([question, *parts], _MAX_READ, judge, names=set()) if splits else []
        if len(facts) < 2 or self.router.embed is None:
            return None
        logits_N = self._logits(question, facts, judge)
        ranked = sorted(range(len(facts)), key=lambda at: (-logits_N[at], at))[:_MAX_PART_FACTS]
        near = [at for at in ranked if logits_N[at] >= _MIN_WEAK_WHOLE_LOGIT]
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
                    (part >= _MIN_PART_LOGIT and in_all >= _MIN_WHOLE_LOGIT[judge.budget])
                    or (part >= _MIN_SURE_PART_LOGIT and in_all >= _SURE_WHOLE_LOGIT)
                    or (part >= _MIN_LOGIT[judge.budget] and in_all >= _MIN_WEAK_WHOLE_LOGIT and asks)
                    for part, in_all, asks in both
                )
                score = sum(part + in_all for part, in_all, _ in both) / len(split)
                if answers and (best is None or score > best[0]):
                    best = score, [facts[at] for at in chosen]
        if best is None:
            return None
        return best[1], min(likeness_of(max(logits_N[facts.index(fact)], 0.0)) for fact in best[1])

    def _many(self, question: str, splits: list[list[str]], judge: Judge) -> tuple[list[int], float] | None:
        """One fact for each of three or more parts, where each answers the whole question: "Tour days, group size, price?" """
        ways = {len(split): split for split in reversed(splits) if len(split) > 2}
        if not ways:
            return None
        longest = ways[max(ways)]
        near = self._candidates(longest, _MAX_READ, judge, names=set())
        facts = list(dict.fromkeys([*self.nearest(question, _MAX_READ, judge, for_all=False), *near]))
        if not facts:
            return None
        logits_N = self._logits(question, facts, judge)
        ranked = sorted(range(len(facts)), key=lambda at: (-logits_N[at], at))
        for count in sorted(ways, reverse=True):
            parts, best = ways[count], ranked[:count]
            if len(best) < count or logits_N[best[-1]] < _MIN_MANY_LOGIT:
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
        if logit < (_NAMED_REFUSAL_LOGIT if named else _REFUSAL_LOGIT[judge.budget]):
            return True
        return bool(logit < _MAYBE_LOGIT) and self._of_a_sibling(question, fact)

    def _has_siblings(
        self, question: str, fact: int, facts: list[int], logits_N: np.ndarray, judge: Judge
    ) -> bool:
        """Whether facts about other names answer as well as this one, whose name the question lacks."""
        asks, own = self.router.keys.asks, judge.knowledge.subject(fact)
        if (
            asks[fact] < 0
            or not own
            or own in judge.knowledge.subjects(question)
            or self._may_mean(question, own)
        ):
            return False
        alike = (logit for logit, one in zip(logits_N, facts, strict=True) if asks[one] == asks[fact])
        return sum(logit >= _MIN_LOGIT[judge.budget] for logit in alike) > 1

    def _may_mean(self, question: str, name: str) -> bool:
        """Whether a question has a word that may be a name with a typo: "Ostrinda" for Ostrinde."""
        return any(one_letter(one.plain, said.plain) for said in words(question) for one in words(name))

    def _of_a_sibling(self, question: str, fact: int) -> bool:
        """Whether a question may ask the same of another subject: "Who leads the tannery?", where only the leaders of the archive and
        of the map room are taught."""
        said, own = content_stems(question), content_stems(self.router.entries[fact].input)
        if not said - own:
            return False
        for other in self.closest(question, _MAX_READ):
            its = content_stems(self.router.entries[other].input)
            differs = own - its
            if own & its and 0 < len(differs) <= _SLOT and 0 < len(its - own) <= _SLOT and not differs & said:
                return True
        return False

    def _may_read(self, question: str) -> bool:
        """Whether there is a cross-encoder, and the question is in its language."""
        return cross_encoder(self.router.embed) is not None and not language_of(
            question, self.router.knows_english
        )

    def _logits(self, question: str, facts: list[int], judge: Judge) -> np.ndarray:
        """The logits of facts against a question. Each pair is computed once per request."""
        self.read_ahead([(question, fact) for fact in facts], judge)
        return np.array([judge.logits[question, fact] for fact in facts])

    def read_ahead(self, asked: list[tuple[str, int]], judge: Judge) -> None:
        """Prefetches the logits of pairs that are read soon: one large batch costs less than many small ones."""
        fresh = [pair for pair in dict.fromkeys(asked) if pair not in judge.logits]
        if fresh and (encoder := cross_encoder(self.router.embed)) is not None:
            logits_N = encoder.logits([(question, self._text(fact)) for question, fact in fresh])
            judge.logits.update(zip(fresh, logits_N.tolist(), strict=True))

    def _names(self, question: str) -> tuple[set[str], set[str]]:
        """The names of a question, and its rare lower-case words, which may be names."""
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
        """The facts nearest to any of the questions that have all of the names."""
        if not self._may_read(questions[0]):
            return []
        lists = [
            self.router.similar_facts(questions[0]),
            *(self.closest(one, count) or self.closest(one, _MAX_READ_FAR, _MIN_FAR) for one in questions),
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
    """The words of the measures that a yes-or-no question names; a fact may lack them."""
    if not is_closed(question):
        return set()
    return {word.plain for one in measures(question) for word in words(one.text)}


def _numbers(said: set[str]) -> bool:
    return any(_NUMBER.fullmatch(word) for word in said)


def likeness_of(logit: float) -> float:
    return float(1 / (1 + np.exp(-logit)))


def logit_of(likeness: float) -> float:
    return float(np.log(likeness / (1 - likeness))) if likeness < 1 else np.inf
