"""Composes answers from taught ones: several questions in one, a description instead of a name (multi-hop), a reversed
question, yes or no, one sentence, JSON. Each part must pass the model's own gate."""

import re
from dataclasses import dataclass
from typing import Literal

from lorekeep.answering import compare
from lorekeep.answering.amounts import amounts
from lorekeep.answering.claims import yes_no
from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.conversation.context import Context
from lorekeep.answering.judge import FactAnswer, Judge, join_answers
from lorekeep.answering.knowledge import number
from lorekeep.answering.objects import fields
from lorekeep.answering.reading import standalone
from lorekeep.answering.reading.request import Request
from lorekeep.answering.reading.taught_words import root
from lorekeep.answering.statement import statement
from lorekeep.answering.value_lookup import standalone_sentence
from lorekeep.answering.word_match import WordMatch
from lorekeep.routing.words import STOP, TITLES, words

Way = Literal["fact", "two in one", "hops", "reversed", "comparison", "list", "yes or no", "sentence", "json"]
# Margin by which a fact must fit the whole question better to rule out a hop through a description; maximum hops.
_HOP_MARGIN, _MAX_HOPS = 0.1, 3
# Maximum names of a question whose descriptions are searched.
_MAX_NAMES = 3
# Maximum descriptions without a name; maximum codes; maximum length of an answer that starts a hop.
_MAX_DESCRIPTIONS, _MAX_CODES, _MAX_LEAD_LENGTH = 12, 3, 160
# Minimum likeness of a part completed with the name of another part; below it, its answer without a name is preferred.
_MIN_NAMED_LIKENESS = 0.6
# Maximum likeness that the parts of a split question may lose against the whole question.
_PART_LOSS = 0.4
# Minimum likeness of both facts of a hop from a description without a name; maximum loss of likeness against the fact that fits the
# whole question.
_MIN_HOP_LIKENESS, _HOP_LOSS = 0.5, 0.25
_WHEN_WAS = re.compile(r"^\W*(?:when|in (?:which|what) year)\b", re.IGNORECASE)
# Maximum facts for the answer to "Who is ...?"; a name that answers more facts is not summarised.
_MAX_STATEMENTS = 3


@dataclass(frozen=True)
class Composed:
    way: Way
    facts: tuple[int, ...]
    text: str
    likeness: float
    question: str  # as it was understood
    missing: tuple[str, ...] = ()  # parts that no fact answers


class Composer:
    def __init__(self, judge: Judge):
        self.judge, self.knowledge = judge, judge.knowledge

    def answer(self, question: str, request: Request) -> Composed | None:
        """The answer to a self-contained question, in the requested form."""
        question = standalone.named_first(question, self.knowledge.subjects(question))
        if request.form == "json":
            filled = fields.fill_keys(question, request.keys, self.judge)
            return filled and Composed("json", filled.facts, filled.text, filled.likeness, question)
        if compare.asks_comparison(question) and len(self.knowledge.subjects(question)) > 1:
            # The search for a single fact would only use one of the two names.
            more = compare.compare_subjects(question, self.judge)
            return more and Composed("comparison", more.facts, more.text, more.likeness, question)
        wanted = request.form == "yes or no"
        if yes_no.asks_yes_no(question, wanted) and not self._is_taught_as_yes_no(question):
            found = yes_no.answer(question, self.judge)
            if found is not None:
                true, step = found
                return Composed("yes or no", step.facts, "Yes." if true else "No.", step.likeness, question)
            if wanted or yes_no.claims(question, self.judge):
                return None
            found = self._several_answers(question) or self._direct_or_hop_answer(question)
            return None if found is None or found.way == "reversed" else found
        found = self._several_answers(question) or self._direct_or_hop_answer(question)
        if found is None or found.way == "reversed":
            found = self._described_by(question) or found
        if found is not None and request.form == "sentence":
            return self._sentence(found)
        return found

    def _is_taught_as_yes_no(self, question: str) -> bool:
        """Whether the matching taught question is a yes-or-no question itself."""
        step = self.judge.direct(question)
        return step is not None and yes_no.asks_yes_no(self._taught_question(step.facts[0]), wanted=False)

    def _taught_question(self, fact: int) -> str:
        return self.judge.router.entries[fact].input

    def _direct_or_hop_answer(self, question: str, hops: int = _MAX_HOPS) -> Composed | None:
        step = self.judge.question_answer(question)
        if step is not None and step.likeness >= 2:
            return self._composed(step, question)
        far = self._hop_answer(question, step, hops) if hops > 1 else None
        if far is not None:
            return far
        return self._composed(step, question) if step is not None else None

    def _composed(self, step: FactAnswer, question: str) -> Composed:
        return Composed("reversed" if step.turned else "fact", step.facts, step.text, step.likeness, question)

    def _hop_answer(self, question: str, whole: FactAnswer | None, hops: int) -> Composed | None:
        """Multi-hop: resolves a description to a name, and asks about the name."""
        best: tuple[float, Composed] | None = None
        if (coded := self._code_answer(question, hops)) is not None:
            return coded
        for places in self._description_spans(question):
            end = len(question.rstrip(" ?.!"))
            asked = {place: self._described(question[slice(*place)], place[1] >= end) for place in places}
            self.judge.best_answer([one for some in asked.values() for one in some])
            for place, questions in asked.items():
                inner = self.judge.best_answer(questions)
                if inner is None and whole is None and questions:
                    inner = WordMatch(self.judge).search(questions[0])
                value = inner and (
                    self._lead(inner) or self._described_subject(question[slice(*place)], inner)
                )
                if inner is None or not value:
                    continue
                further = question[: place[0]] + value + question[place[1] :]
                if _WHEN_WAS.match(further) and standalone.lacks_verb(further, [value]):
                    continue  # "When was Zorbax?" remains of "When was the lamp launched?"
                outer = self._direct_or_hop_answer(further, hops - 1)
                if outer is None or set(outer.facts) & set(inner.facts):
                    continue
                likeness = min(outer.likeness, inner.likeness)
                if whole is not None and not self._explains(whole, inner, outer):
                    continue
                facts = (*inner.facts, *outer.facts)
                made = Composed("hops", facts, outer.text, likeness, outer.question)
                if best is None or outer.likeness + inner.likeness > best[0]:
                    best = outer.likeness + inner.likeness, made
        return best and best[1]

    def unnamed_hop_answer(self, question: str, whole: FactAnswer | None) -> Composed | None:
        """Multi-hop for a question without a known name: "What day does our wine merchant deliver?" `whole` is the fact that fits
        the question as a whole; if it only resolves the description, the hop goes on from it."""
        made = self._hop_answer(question, whole, _MAX_HOPS)
        if made is None or made.likeness < _MIN_HOP_LIKENESS:
            return None
        if whole is None:
            return made
        return made if whole.facts[0] in made.facts and made.likeness > whole.likeness - _HOP_LOSS else None

    def _description_spans(self, question: str) -> list[list[tuple[int, int]]]:
        """Spans of possible descriptions: beside each known name, then those without a name."""
        found = [standalone.descriptions(question, name) for name in self._names(question)]
        nouns = [place for place in standalone.nouns(question) if self._may_describe(question[slice(*place)])]
        return [*found, nouns[:_MAX_DESCRIPTIONS]]

    def _may_describe(self, text: str) -> bool:
        """Whether a text is more than a name, ends with a noun, and shares a word or a synonym with a taught question."""
        said = [word.plain for word in words(text)]
        taught = self.judge.taught_words
        telling = [root(one) for one in said if one not in STOP]
        names = self._words(self.knowledge.subjects(text))
        if said[-1] in STOP or (names and all(one in names | STOP for one in said)):
            return False
        return any(one in taught.postings or taught.alike(one) for one in telling)

    def _code_answer(self, question: str, hops: int) -> Composed | None:
        """Asks about the subject whose answer is the code or name in the question: "How much does HP-3076 weigh?" """
        for fact in self.knowledge.facts_by_answer(question)[:_MAX_CODES]:
            subject = self.knowledge.subject(fact)
            code = self._code_span(question, fact)
            if not subject or code is None or not self.judge.usable(fact):
                continue
            if self.knowledge.about(question[slice(*code)]):
                continue  # the name has facts of its own, and none of them answers
            step = self.judge.question_answer(question[: code[0]] + subject + question[code[1] :])
            if step is not None and fact not in step.facts and not step.turned:
                return Composed("hops", (fact, *step.facts), step.text, step.likeness, question)
        return None

    def _code_span(self, question: str, fact: int) -> tuple[int, int] | None:
        """The span of a question that names a fact's answer, if the answer is a code."""
        value = self.knowledge.value_words(fact)
        said = [word for word in words(question) if number(word.plain) in value]
        if not said or not any(c.isdigit() for word in said for c in word.text):
            return None
        place = slice(said[0].start, said[-1].end)
        measured = any(one.unit for one in amounts(question[place]))
        if measured or not any(c.isalpha() for word in said for c in word.text):
            return None  # an amount, which other subjects may share
        return said[0].start, said[-1].end

    def _explains(self, whole: FactAnswer, inner: FactAnswer, outer: Composed) -> bool:
        """Whether two facts explain a question better than the one that fits it as a whole."""
        if set(whole.facts) & set(inner.facts):
            return True
        return outer.likeness >= whole.likeness - _HOP_MARGIN

    def _names(self, question: str) -> list[str]:
        """Known names in a question from which a hop is possible: subjects, and answers of other facts."""
        names = [
            name
            for name in self.knowledge.subjects(question)
            if standalone.descriptions(question, name)
            and any(self._leads(fact) for fact in self.knowledge.about(name)[:32])
        ]
        said = {number(word.plain): word for word in words(question)}
        for fact in self.knowledge.facts_by_answer(question):
            for value in self.knowledge.values_of(fact):
                if value <= said.keys():
                    ends = [said[word] for word in value]
                    names.append(question[min(w.start for w in ends) : max(w.end for w in ends)])
        return list(dict.fromkeys(names))[:_MAX_NAMES]

    def _leads(self, fact: int) -> bool:
        return bool(self._other_subjects(self._answer(fact), fact))

    def _lead(self, step: FactAnswer) -> str | None:
        """The subject of other facts that an answer names."""
        if step.turned:
            return step.text if self.knowledge.about(step.text) else None
        found = self._other_subjects(step.text, step.facts[0])
        return found[0] if len(found) == 1 else None

    def _described_subject(self, description: str, step: FactAnswer) -> str | None:
        """The only subject with an answer that the description names: "the firm chaired by Ada Quist"."""
        if step.turned or len(step.facts) != 1:
            return None
        asks, fact = self.judge.router.keys.asks, step.facts[0]
        alike = [one for one in self.knowledge.facts_by_answer(description) if asks[one] == asks[fact]]
        return self.knowledge.subject(fact) or None if alike == [fact] else None

    def _other_subjects(self, answer: str, fact: int) -> list[str]:
        own, first = self.knowledge.subject(fact), standalone.FURTHER.split(answer)[0]
        return (
            [name for name in self.knowledge.subjects_in_answer(first) if name != own]
            if len(first) <= _MAX_LEAD_LENGTH
            else []
        )

    def _described(self, text: str, last: bool) -> list[str]:
        bare = re.sub(r"^(?:the|a|an|that|our) ", "", text, flags=re.IGNORECASE)
        asked = [f"what is {text}?", f"who is {text}?", f"which {bare}?"]
        # A clause before the end of the question may be incomplete.
        return [*asked, *standalone.clause_questions(bare)] if last else asked

    def _several_answers(self, question: str) -> Composed | None:
        """The answers to two or more questions in one, each from a fact of its own."""
        whole = self.judge.direct(question)
        if whole is not None and whole.likeness >= 2:
            return None
        if (each := self._per_name_answer(question)) is not None:
            return each
        halves: Composed | None = None
        closed = is_closed(question)
        for parts in standalone.splits(question, self.knowledge.subjects(question)):
            if closed and not all(map(yes_no.has_question_form, parts)):
                continue  # "Do they wear maroon and cream?" is one question
            steps = self._part_answers(parts)
            found = [step for step in steps if step is not None]
            facts = [fact for step in found for fact in step.facts]
            if len(found) == 2 and found[0].facts == found[1].facts:
                # If one fact matches both parts, the part with the lower score asks for something else.
                less = 0 if found[0].likeness < found[1].likeness else 1
                steps[less] = None
                found = [found[1 - less]]
            if len(found) == len(parts) and len(set(facts)) == len(facts):
                text = join_answers([step.text for step in found])
                least = min(step.likeness for step in found)
                asks = all(standalone.STARTS_WH.match(standalone.without_lead(part)) for part in parts)
                if whole is None or asks or least > whole.likeness - _PART_LOSS:
                    return Composed("two in one", tuple(facts), text, least, question)
            if halves is None and len(parts) == 2 and len(found) == 1:
                left = tuple(part for part, step in zip(parts, steps, strict=True) if step is None)
                if all(
                    standalone.STARTS_WH.match(standalone.without_lead(part)) for part in (left[0], parts[0])
                ):
                    only = found[0]
                    halves = Composed("two in one", only.facts, only.text, only.likeness, question, left)
        return halves

    def _per_name_answer(self, question: str) -> Composed | None:
        """The answers to one question about several names, each from a fact of its own."""
        names = self.knowledge.subjects(question)
        if len(names) < 2:
            named = self.knowledge.router.named.postings
            coded = re.findall(r"[\w-]*\d[\w-]*", question)
            coded = [code for code in coded if any(word.plain in named for word in words(code))]
            names = coded if len(coded) > 1 else names
        asked = standalone.question_per_name(question, names) or standalone.question_per_relation(
            question, names
        )
        steps = [
            step for one in asked if (step := self.judge.best_answer([one])) is not None and not step.turned
        ]
        facts = [fact for step in steps for fact in step.facts]
        if not asked or len(steps) < len(asked) or len(set(facts)) < len(facts):
            return None
        return Composed(
            "two in one",
            tuple(facts),
            join_answers([step.text for step in steps]),
            min(s.likeness for s in steps),
            question,
        )

    def _part_answers(self, parts: list[str]) -> list[Composed | None]:
        named = [self.knowledge.subjects(part) for part in parts]
        found: list[Composed | None] = []
        for i, part in enumerate(parts):
            step = self._part_answer(i, parts, named)
            if step is None and i and (before := found[i - 1]) is not None:
                # "..., and is there a fee for that?"
                again = Context(self.judge, parts[i - 1], before.text, before.facts[-1]).find(
                    part, again=True
                )
                step = again and self._composed(again, part)
            found.append(step)
        return found

    def _part_answer(self, i: int, parts: list[str], named: list[list[str]]) -> Composed | None:
        part = parts[i]
        if named[i] and not standalone.asks_nothing(part, self._words(named[i])):
            found = self._best([part, f"What is {standalone.without_lead(part)}?"])
            # "When was Zorbax founded and when was Wixby?"
            whole = i and len(named[i - 1]) == 1 and standalone.lacks_verb(part, named[i])
            return (
                self._best([standalone.renamed(parts[i - 1], named[i - 1][0], named[i][0])])
                if whole and not found
                else found
            )
        alone = self._unnamed_part_answer(part)
        # Takes the name from the nearest part before, else after.
        others = [*range(i - 1, -1, -1), *range(i + 1, len(parts))]
        near = next((j for j in others if named[j]), None)
        if near is None:
            topics = [topic for other in others for topic in standalone.topics(parts[other])]
            asked = [part, *(one for topic in topics for one in standalone.about_topic(part, topic))]
            return alone or (self._best(asked) if standalone.STARTS_WH.match(part) else None)
        if named[i]:
            # "Who founded Zorbax and Wixby?"
            return self._best([standalone.renamed(parts[near], named[near][-1], named[i][0])])
        about = self._best(standalone.complete_fragment(part, named[near][-1], parts[near]))
        return alone if alone and (about is None or about.likeness < _MIN_NAMED_LIKENESS) else about

    def _unnamed_part_answer(self, part: str) -> Composed | None:
        """The answer to a part that is a complete question without a name."""
        if not standalone.is_clause(part) or standalone.with_name(part, "") is not None:
            return None
        asked = f"{standalone.without_lead(part)}?"
        step = self.judge.direct(asked) or WordMatch(self.judge).search(asked)
        return step and self._composed(step, part)

    def _words(self, names: list[str]) -> set[str]:
        return {word.plain for name in names for word in words(name)}

    def _best(self, questions: list[str]) -> Composed | None:
        if not questions:
            return None
        step = self.judge.best_answer(questions)
        if step is not None and step.likeness >= 0.6:
            return self._composed(step, questions[0])
        return self._direct_or_hop_answer(questions[0])

    def _described_by(self, question: str) -> Composed | None:
        """Statements of the facts that a name answers, for a question about its identity alone: "Who is Ada Quist?" """
        asked = standalone.WHO_IS.match(question) or standalone.ROLE_OF.match(question)
        if asked is None:
            return None
        name = next(one for one in asked.groups() if one)
        said = {word.plain for word in words(name)}
        facts = [
            fact
            for fact in self.knowledge.facts_by_answer(name)
            if self.judge.usable(fact)
            and said <= self._words([self._answer(fact)])
            and said - STOP - TITLES <= self.knowledge.value_words(fact)
        ]
        if not 1 <= len(facts) <= _MAX_STATEMENTS:
            return None
        text = " ".join(standalone_sentence(fact, self.knowledge) for fact in facts)
        return Composed("reversed", tuple(facts), text, 1.0, question)

    def _answer(self, fact: int) -> str:
        return self.judge.router.entries[fact].output

    def _sentence(self, found: Composed) -> Composed:
        said = []
        for fact in found.facts if found.way in ("fact", "two in one", "reversed") else found.facts[-1:]:
            entry = self.judge.router.entries[fact]
            said.append(statement(entry.input, entry.output, self.knowledge.subject(fact)))
        text = " ".join(said)
        if len(said) > 1 and all(one.endswith(".") and ". " not in one for one in said):
            text = " and ".join([one.rstrip(".") for one in said]) + "."
        return Composed("sentence", found.facts, text, found.likeness, found.question, found.missing)
