"""Decisions by facts that the cross-encoder scores against the question: where no search found a fact, where one was found for only half of
a question, and where the fact that was found does not answer it."""

import re
from collections.abc import Sequence

from lorekeep.answering.amounts import amounts
from lorekeep.answering.claims import yes_no
from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.claims.measured import by_measure
from lorekeep.answering.compose import Composed
from lorekeep.answering.conversation.follow_up import FRAGMENT, TOPIC, Turn
from lorekeep.answering.decision import Decision, composed_decision, recite
from lorekeep.answering.judge import Judge, join_answers
from lorekeep.answering.knowledge import Knowledge, number
from lorekeep.answering.networks.cross_encoder import with_lead_answer
from lorekeep.answering.reading import standalone
from lorekeep.answering.reading.questions import asks_within, is_fragment, is_question, trailing_questions
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.answer_lookup import named_answer, quoted_answer
from lorekeep.answering.rerank.combiner import Combiner
from lorekeep.answering.rerank.comparison import two_fact_comparison
from lorekeep.answering.rerank.descriptions import resolve_description
from lorekeep.answering.rerank.each_subject import of_each_subject
from lorekeep.answering.rerank.hops import repeats_relation, two_hop_answer
from lorekeep.answering.rerank.number_lookup import fact_with_number
from lorekeep.answering.rerank.reranker import RankedFact, Reranker, likeness_of, logit_of
from lorekeep.answering.rerank.same_value import same_value
from lorekeep.answering.rerank.topic import asks_more, other_than_told, topic_fact
from lorekeep.answering.statement import statement
from lorekeep.answering.value_lookup import standalone_sentence
from lorekeep.answering.word_match import roots
from lorekeep.routing.contradictions.direction import same_side
from lorekeep.routing.relation import relation_text
from lorekeep.routing.router import Match
from lorekeep.routing.words import words

# Likeness from which a question is a paraphrase of a fact's question.
_PARAPHRASE = 0.97
# A message without a question, of at most so many words, may be keywords: "junior entry fee".
_MAX_KEYWORDS = 6
# A longer message of at most so many words may report a problem: "My wine smells of cork." The fact that helps needs a higher logit.
_MAX_REPORT_WORDS, _REPORT_EXTRA = 40, 2.4
# A question of at most so many words with a pronoun refers to an earlier turn.
_MAX_PRONOUN_WORDS = 8
# Minimum likeness of a fact that answers a follow-up: read behind the last question, read alone, where it was just told, and where it was
# just told and has what the follow-up names.
_MIN_BEHIND, _MIN_ALONE, _MIN_REPEATED, _MIN_REPEATED_NAMED = 0.97, 0.99, 0.97, 0.88
# Maximum number of facts read about a person of the last answer, and pronouns for people who were not named.
_MAX_OF_PERSON = 24
_THEY = re.compile(r"\bthe(?:y|m|ir)\b", re.IGNORECASE)
# Ways that find one fact without the cross-encoder, and the logit below which a fact found by a name or a rule does not answer.
_SEARCH_WAYS, _MIN_LOGIT = ("name", "meaning", "reversed", "yes or no"), -4.0
# Minimum likeness of one fact that replaces two, and the margin of its logit over theirs if the question names its answer; then the same
# for the first of the two.
_MIN_ONE_FACT, _FAR_MARGIN = likeness_of(4.0), 4.0
_MIN_LEAD, _LEAD_MARGIN = likeness_of(3.0), 2.0
# Maximum length of a list that is compared with the facts for the parts of a question, and minimum logit of each fact that replaces others.
_MAX_LIST = 4
_MIN_EACH_LOGIT = 3.0
# Two facts that a search combined do not answer below this likeness, if the logit of the second behind the first is below this threshold.
_DOUBTFUL_LIKENESS, _NO_HOP_LOGIT = 0.5, -3.5
_ASKS_NAME = re.compile(
    r"\b(?:who|which|whose|what(?! (?:do|does|did|is|are|was|will|can|should)\b))(?:['’]?s)?\b"
    r"|^\W*(?:please |can you |could you )?(?:tell|give|show|name|find|identify)(?: me)? (?:the|a|an) (?:[\w-]+ ){1,4}?(?:that|which|who|with|where|whose)\b",
    re.IGNORECASE,
)
_READ = "a fact that was read beside the question answers it"
_READ_AFTER = "a fact that was read beside the question and the one before it answers it"


class RerankedDecisions:
    def __init__(self, knowledge: Knowledge):
        self.knowledge, self.reranker = knowledge, Reranker(knowledge.router)

    def refuses(self, best: Decision, found: Match | None, request: Request, judge: Judge) -> bool:
        """Whether the facts that a search found do not answer the question. `found` is the router's match for the message alone."""
        if best.way == "hops" and request.form in ("plain", "yes or no"):
            return self._refuses_hops(best, request.asked, judge)
        if request.form not in ("plain", "yes or no") or len(best.facts) != 1 or best.likeness >= _PARAPHRASE:
            return False
        if not best.answers or best.way not in _SEARCH_WAYS:
            return False
        if best.way == "meaning" or (best.way == "name" and best.found is found):
            return self.reranker.refuses(request.asked, best.facts[0], judge, named=best.way == "name")
        return any(logit < _MIN_LOGIT for logit, _ in self.reranker.read(request.asked, best.facts, judge))

    def _refuses_hops(self, best: Decision, asked: str, judge: Judge) -> bool:
        return best.likeness < _DOUBTFUL_LIKENESS and any(
            logit < _NO_HOP_LOGIT for logit in self._second_hop_logits(best, asked, judge)
        )

    def _second_hop_logits(self, best: Decision, asked: str, judge: Judge) -> list[float]:
        """The logit of the second of two facts behind the answer of the first; empty if the question cannot be read."""
        led = with_lead_answer(asked, self.knowledge.entries[best.facts[0]].output)
        return [logit for logit, _ in self.reranker.read(led, best.facts[-1:], judge)]

    def decide(self, best: Decision, request: Request, earlier: list[Turn], judge: Judge) -> Decision:
        """A better decision than `best`, if the facts give one."""
        follows = request.form in ("plain", "sentence") and best.way != "exact"
        found = topic_fact(request.asked, earlier, judge, self.reranker) if follows else None
        if found is not None:
            agrees = best.answers and best.facts == [found.fact]
            read = best if agrees else self._ranked_fact_decision(found, request.asked, _READ_AFTER)
            return self._in_a_sentence(read) if request.form == "sentence" else read
        if request.form == "sentence" and not best.answers:
            # A request for a sentence asks a question, even without a question word.
            found = self._question_decision(request.asked, earlier, judge, asks=True)
            return self._in_a_sentence(found) if found is not None else best
        if request.form in ("plain", "yes or no") and (equal := same_value(request, judge, self.reranker)):
            return composed_decision(equal, None, request.asked, "")
        if request.form == "sentence" and best.outcome == "recite":
            return self._in_a_sentence(best)
        if request.form not in ("plain", "json") or best.way == "exact":
            return best
        unsure = (not best.answers or best.way in ("name", "meaning")) and best.likeness < _PARAPHRASE
        if unsure and (made := self.combiner(judge).answer(request)) is not None:
            return composed_decision(made, None, request.asked, "")
        if request.form == "json":
            return self.combiner(judge).checked(request, best) if best.way == "json" else best
        quoted = quoted_answer(request.asked, judge)
        if quoted is not None:
            return self._statement_decision(quoted, _PARAPHRASE, request.asked)
        ends = repeats_relation(best, request.asked, self.knowledge)
        fact = None if ends else fact_with_number(request.asked, judge, self.reranker)
        if fact is not None and (best.facts != [fact] or best.outcome == "recite"):
            return self._statement_decision(fact, best.likeness, request.asked)
        again = other_than_told(best, request.asked, earlier, judge, self.reranker)
        best = self._better(
            self._ranked_fact_decision(*again, _READ) if again else best, request, earlier, judge
        )
        if best.way == "hops" and not earlier:
            best = self._instead_of_hops(best, request.asked, judge) or best
        if not best.answers or best.outcome == "recite" or best.way in ("two in one", "hops"):
            best = self._several(best, request, judge) or self._completed(best, request, judge) or best
        if each := of_each_subject(request.asked, best, judge, self.reranker):
            return composed_decision(each, None, request.asked, "")
        if best.way == "two in one" and (
            made := two_fact_comparison(request.asked, best.facts, judge, self.reranker)
        ):
            return composed_decision(made, None, request.asked, "")
        if best.way == "reversed" and self._followed(request.asked, earlier):
            # "What about Saturday?" repeats the last question.
            best = self._follow_up_decision(request, earlier, judge) or best
        if not best.answers:
            best = (
                self._follow_up_decision(request, earlier, judge)
                or self._question_decision(request.asked, earlier, judge)
                or self._subject_decision(request.asked, earlier, judge)
                or self._trailing_decision(request, earlier, judge)
                or best
            )
        return self._reversed_decision(self._through(best, request, earlier, judge) or best, request.asked)

    def _subject_decision(self, asked: str, earlier: list[Turn], judge: Judge) -> Decision | None:
        """The subject of the fact whose answer the question names."""
        found = None if self._followed(asked, earlier) else named_answer(asked, judge, self.reranker)
        return found and self._answer_or_subject_decision(found, asked)

    def _instead_of_hops(self, best: Decision, asked: str, judge: Judge) -> Decision | None:
        """The one fact that surely answers what a search treated as a two-hop question: a fact about the same name, or one whose answer
        the question names."""
        alone = [logit for logit, _ in self.reranker.read(asked, best.facts[-1:], judge)]
        logits = [*alone, *self._second_hop_logits(best, asked, judge)]
        found = self.reranker.find(asked, judge)
        if not logits or found is None or found.through is not None:
            return None
        # The subject of the first fact is the answer; the second hop would lead away from it.
        leads = found.fact == best.facts[0]
        if found.likeness < (_MIN_LEAD if leads else _MIN_ONE_FACT):
            return None
        its = logit_of(found.likeness)
        own = self.knowledge.subject(found.fact) in self.knowledge.subjects(asked)
        lead = _LEAD_MARGIN if leads else _FAR_MARGIN
        turned = self._names_value(found.fact, asked) and its > max(logits) + lead
        turned = turned and not repeats_relation(best, asked, self.knowledge)
        if (own and found.fact not in best.facts and its > max(logits)) or turned:
            return self._answer_or_subject_decision(found, asked)
        return None

    def instead_of_list(self, facts: Sequence[int], request: Request, judge: Judge) -> Decision | None:
        """The facts that answer the parts of a question far more surely than the facts of a list."""
        if not 1 < len(facts) <= _MAX_LIST:
            return None
        list_of = Decision("ground", "list", "", list(facts))
        found = self._several(list_of, request, judge)
        return found if found is not None and len(found.facts) == len(facts) else None

    def _surer(self, facts: list[int], best: Decision, request: Request, judge: Judge) -> bool:
        """Whether the facts answer the whole question far more surely than the facts that a search found for its parts."""
        if set(facts) == set(best.facts):
            return False
        least, its = (
            min((logit for logit, _ in self.reranker.read(request.asked, some, judge)), default=0.0)
            for some in (facts, best.facts)
        )
        return least >= _MIN_EACH_LOGIT and least > its + _FAR_MARGIN

    def _completed(self, best: Decision, request: Request, judge: Judge) -> Decision | None:
        if len(best.missing) != 1 or len(best.facts) != 1:
            return None
        made = self.combiner(judge).completed(request, best.facts[0], best.missing[0])
        return made and composed_decision(made, None, request.asked, "")

    def _reversed_decision(self, best: Decision, asked: str) -> Decision:
        """A fact stated with its subject, where the question already has its answer or a value of it: "Someone called Ben wrote to me.
        What does he do?", "Who sits in room 3.08?" """
        if best.outcome != "recite" or is_closed(asked) or standalone.OR.search(asked):
            return best
        (fact,) = best.facts
        own, said = roots(self.knowledge.entries[fact].output), roots(asked)
        subject = roots(self.knowledge.subject(fact))
        # "What helps against travel sickness?" lacks the subject of "It helps against travel sickness"; one word may be missing.
        unsaid = 1 if subject and not subject & said and len(own & said) > 1 else 0
        if (own and len(own - said) <= unsaid) or (
            subject and not subject & said and self._names_value(fact, asked)
        ):
            return self._statement_decision(fact, best.likeness, asked)
        return best

    def _names_value(self, fact: int, asked: str) -> bool:
        """Whether a question that asks for a name contains a name or a number of a fact's answer."""
        answer = self.knowledge.entries[fact].output
        its = {(one.value, one.unit) for one in amounts(answer)}
        named = fact in self.knowledge.facts_by_answer(asked)
        return bool(_ASKS_NAME.search(asked)) and (
            named or any((one.value, one.unit) in its for one in amounts(asked))
        )

    def _statement_decision(self, fact: int, likeness: float, asked: str) -> Decision:
        """A fact as a sentence with its subject."""
        name, text = self.knowledge.subject(fact), standalone_sentence(fact, self.knowledge)
        text = text if name in text else f"{name}: {text}"
        return composed_decision(Composed("reversed", (fact,), text, likeness, asked), None, asked, "")

    def _through(
        self, best: Decision, request: Request, earlier: list[Turn], judge: Judge
    ) -> Decision | None:
        """A two-hop answer, where no answer was found, or only the first of its facts."""
        asked = request.asked
        recited = best.outcome == "recite" and best.way in ("name", "meaning")
        # "In which town is the ship?", where a fact surely answers by the basin, and another one tells the town of the basin.
        surely = recited and best.likeness >= _PARAPHRASE
        if surely:
            taught = self.knowledge.entries[best.facts[0]].input
            recited = standalone.names_kind(asked) and not standalone.same_kind(asked, taught)
        names = {word.plain for name in self.knowledge.subjects(asked) for word in words(name)}
        asks = is_question(asked) and not is_closed(asked) and not standalone.asks_nothing(asked, names)
        if earlier or not asks or (best.answers and not recited):
            return None
        if recited and self._names_value(best.facts[0], asked):
            return None  # "Which machine stands in room 1.06?" asks for the subject of the fact
        found = two_hop_answer(asked, judge, self.reranker, for_kind=surely)
        if found is None or (best.answers and best.facts != [found.through]):
            return None
        return self._ranked_fact_decision(found, asked, _READ)

    def combiner(self, judge: Judge) -> Combiner:
        return Combiner(self.reranker, judge)

    def listed(self, asked: str, judge: Judge) -> Decision | None:
        """A list of the answers of several facts."""
        made = self.combiner(judge).listed(asked)
        return made and composed_decision(made, None, asked, "")

    def _better(self, best: Decision, request: Request, earlier: list[Turn], judge: Judge) -> Decision:
        """A decision by the fact that answers the question clearly better than the one fact of a search."""
        ways = ("name", "meaning", "follow-up")
        if best.outcome != "recite" or best.likeness >= _PARAPHRASE or best.way not in ways:
            return best
        before = self._followed(request.asked, earlier)
        if best.way == "follow-up" and not before:
            return best
        found = self.reranker.better(request.asked, best.facts[0], judge, before)
        if found is None or (before and found.likeness < _MIN_BEHIND):
            return best
        found = found if before else resolve_description(request.asked, found, judge, self.reranker)
        return (found and self._answer_or_subject_decision(found, request.asked)) or best

    def _in_a_sentence(self, found: Decision) -> Decision:
        if found.outcome != "recite":
            return found
        (fact,) = found.facts
        entry = self.knowledge.entries[fact]
        text = statement(entry.input, entry.output, self.knowledge.subject(fact))
        return composed_decision(
            Composed("sentence", (fact,), text, found.likeness, entry.input), None, "", ""
        )

    def _trailing_decision(self, request: Request, earlier: list[Turn], judge: Judge) -> Decision | None:
        """The fact that answers one of the trailing questions of a longer message, read alone or behind the sentence before it."""
        for before, said in trailing_questions(request.asked):
            if (decision := self._question_decision(said, earlier, judge)) is not None:
                return decision
            found = self.reranker.find(said, judge, standalone.SENTENCE.split(before)[-1])
            if found is not None and found.likeness >= _MIN_ALONE:
                return self._ranked_fact_decision(found, said, _READ)
        return None

    def _follow_up_decision(self, request: Request, earlier: list[Turn], judge: Judge) -> Decision | None:
        """The fact that answers a follow-up, read behind the last question."""
        if not (before := self._followed(request.asked, earlier)):
            return None
        about = self._of_person(earlier, judge) if standalone.PERSON.search(request.asked) else []
        found = self.reranker.find(request.asked, judge, before, about=about)
        if found is None or not self.reranker.has_a_name(request.asked, found, judge):
            return None
        told = next((turn.text for turn in reversed(earlier) if turn.role == "assistant"), "")
        answer = self.knowledge.entries[found.fact].output
        if answer in told and asks_more(request.asked, found.fact, judge, self.reranker, _MIN_LOGIT):
            return None
        least = _MIN_REPEATED if answer in told else _MIN_BEHIND
        if least == _MIN_REPEATED and (roots(request.asked) - roots(before)) & roots(answer):
            least = _MIN_REPEATED_NAMED  # "And on Fridays?", where the answer has Fridays
        return (
            self._ranked_fact_decision(found, request.asked, _READ_AFTER) if found.likeness >= least else None
        )

    def _of_person(self, earlier: list[Turn], judge: Judge) -> list[int]:
        """Facts about the people that the last question and its answer name."""
        names = [name for turn in earlier[-2:] for name in self.knowledge.subjects(turn.text)]
        facts = dict.fromkeys(fact for name in names for fact in self.knowledge.about(name)[:_MAX_OF_PERSON])
        return [fact for fact in facts if judge.usable(fact)]

    def _ranked_fact_decision(self, found: RankedFact, asked: str, reason: str) -> Decision:
        if found.through is None:
            return recite(Match(found.fact, found.likeness, "meaning", True), reason)
        facts, text = (found.through, found.fact), self.knowledge.entries[found.fact].output
        return composed_decision(Composed("hops", facts, text, found.likeness, asked), None, asked, "")

    def _followed(self, asked: str, earlier: list[Turn]) -> str:
        """The question that a message follows; empty if the message is not an elliptical follow-up."""
        users = [turn.text for turn in earlier if turn.role == "user"]
        short = len(asked.split()) <= FRAGMENT and is_fragment(asked)
        return users[-1][:TOPIC] if users and short else ""

    def _question_decision(
        self, asked: str, earlier: list[Turn], judge: Judge, asks: bool = False
    ) -> Decision | None:
        names = {word.plain for name in self.knowledge.subjects(asked) for word in words(name)}
        names |= self.knowledge.values_in(asked)
        size = len(asked.split())
        tells = not asks and not asks_within(asked) and size > _MAX_KEYWORDS
        points_back = standalone.with_name(asked, "") is not None and size <= _MAX_PRONOUN_WORDS
        # "they" in "When do they fetch the waste?" is generic, if nobody was named before.
        means_any = not earlier and standalone.with_name(_THEY.sub(" ", asked), "") is None
        if (
            (points_back and not means_any)
            or (tells and size > _MAX_REPORT_WORDS)
            or standalone.asks_nothing(asked, names)
        ):
            return None
        found = self.reranker.find(asked, judge, more=_REPORT_EXTRA if tells or points_back else 0.0)
        if found is None:
            return None
        if found.likeness < _MIN_ALONE and self._followed(asked, earlier):
            return None
        meant = resolve_description(asked, found, judge, self.reranker)
        return meant and self._answer_or_subject_decision(meant, asked)

    def _answer_or_subject_decision(self, found: RankedFact, asked: str) -> Decision | None:
        """The answer of a fact, or a sentence with its subject where the question already has the answer."""
        fact, entry = found.fact, self.knowledge.entries[found.fact]
        said = {number(word.plain): word.plain for word in words(asked)}
        named = {
            said[one] for value in self.knowledge.values_of(fact) if value <= said.keys() for one in value
        }
        if not named or yes_no.asks_yes_no(asked, wanted=False):
            return self._ranked_fact_decision(found, asked, _READ)
        numeric = all(any(c.isdigit() for c in word) for word in named)
        if not numeric and same_side(
            relation_text(asked, named), relation_text(entry.input, self.knowledge.names[fact])
        ):
            return None  # "Who taught Ben?" is not answered by whom Ben taught
        text = standalone_sentence(fact, self.knowledge)
        return composed_decision(Composed("reversed", (fact,), text, found.likeness, asked), None, asked, "")

    def _several(self, best: Decision, request: Request, judge: Judge) -> Decision | None:
        found = self.reranker.facts_of_parts(request.asked, judge)
        if found is not None and is_closed(request.asked) and self._is_measured(request.asked, judge):
            return None  # "Velox order in at 16:10, does it go out today?" is one question
        if found is None:
            return None
        facts, likeness = found
        if (
            best.outcome != "recite"
            and len(best.facts) >= len(facts)
            and not self._surer(facts, best, request, judge)
        ):
            return None
        text = join_answers([self.knowledge.entries[fact].output for fact in facts])
        return composed_decision(
            Composed("two in one", tuple(facts), text, likeness, request.asked), None, request.asked, ""
        )

    def _is_measured(self, asked: str, judge: Judge) -> bool:
        """Whether the best fact decides a claim by its measures."""
        found = self.reranker.find(asked, judge)
        entry = found and self.knowledge.entries[found.fact]
        return entry is not None and by_measure.verdict(asked, entry.input, entry.output) is not None
