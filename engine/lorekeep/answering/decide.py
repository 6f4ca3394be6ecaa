"""The one place that decides how a request to a tuned model is answered, with the reason."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from lorekeep import contract
from lorekeep.answering import compare
from lorekeep.answering.claims import yes_no
from lorekeep.answering.claims.bare_verdict import bare_verdict
from lorekeep.answering.claims.closed_questions import stated_claim
from lorekeep.answering.claims.negated_claims import affirmative, negated
from lorekeep.answering.claims.with_verdict import load_networks, with_verdict
from lorekeep.answering.compose import Composed, Composer
from lorekeep.answering.conversation.follow_up import EARLIER, FollowUps, Turn
from lorekeep.answering.covering_fact import claim_decision, question_decision
from lorekeep.answering.decision import (
    Decision,
    composed_decision,
    forbid_base,
    recite,
    router_decision,
    unknown,
)
from lorekeep.answering.judge import FactAnswer, Judge
from lorekeep.answering.kinds.decide import aggregate_decision, listed_or_linked
from lorekeep.answering.kinds.groups import Groups
from lorekeep.answering.kinds.lists import Lists
from lorekeep.answering.kinds.tables import Tables
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.policy import Policy
from lorekeep.answering.reading import standalone
from lorekeep.answering.reading.main_subject import with_main_subject
from lorekeep.answering.reading.questions import is_inquiry, is_question, questions_of, trailing_questions
from lorekeep.answering.reading.request import Request, brings_text, read
from lorekeep.answering.reading.taught_words import TaughtWords
from lorekeep.answering.reading.titles import with_full_name
from lorekeep.answering.reading.unknown_subject import names_unknown_subject
from lorekeep.answering.rerank.decisions import RerankedDecisions
from lorekeep.answering.rerank.objects.decide import object_for
from lorekeep.answering.rerank.topic import repeats_last_answer
from lorekeep.answering.schemas.decide import SchemaDecisions, SchemaRequest
from lorekeep.bulk import reading
from lorekeep.routing.contradictions.closing import as_closing
from lorekeep.routing.contradictions.near_misses import is_near_miss
from lorekeep.routing.contradictions.roles import roles_differ
from lorekeep.routing.router import Match
from lorekeep.routing.synonyms.groups import has_phrases, phrases_in, reword_towards
from lorekeep.routing.words import STRONG

# Minimum likeness of a question that omits the main subject ("home"), and of one that has no "our" either.
_MIN_HOME_LIKENESS, _MIN_ADDED_LIKENESS = 0.6, 0.7
# Minimum likeness of a question reworded towards a fact.
_MIN_REWORDED = 0.45
# Maximum words of a list request, or of a question with a description.
_MAX_WORDS = 24
# Bonus in likeness for a question in taught words over one in words that no fact has.
_TAUGHT_BONUS = 0.25


@dataclass(frozen=True)
class DecisionContext:
    """The inputs of a decision besides the facts."""

    judge: Judge
    policy: Policy
    earlier: list[Turn]


class Decider:
    def __init__(self, knowledge: Knowledge, usable: Callable[[int], bool]):
        self.knowledge, self.usable = knowledge, usable
        self.taught_words, self.follow_ups = TaughtWords(knowledge), FollowUps(knowledge)
        self.tables, self.reranked = Tables(knowledge), RerankedDecisions(knowledge)
        knowledge.router.join_relations(self.tables.varied())
        self.lists = Lists(Groups(self.tables, knowledge), self.reranked.reranker)
        self.schemas = SchemaDecisions(knowledge, self.follow_ups, self.tables, self.reranked.reranker)
        # Read eagerly: lazy work of the first question would reveal it to the next account by timing.
        load_networks(knowledge.router.embed)

    @reading()
    def decide(
        self,
        found: Match | None,
        text: str,
        earlier: list[Turn],
        budget: contract.Gate,
        policy: Policy,
        schema: Any = None,
    ) -> Decision:
        """`found` is the router's match for the message alone, `earlier` the messages before it."""
        if schema is not None:

            def plain(asked: str) -> Decision:
                its = found if asked == text else self._judge(budget, policy).router_match(asked)
                return self._decide(its, asked, earlier, budget, policy)

            judges = partial(self._judge, budget, policy)
            return self.schemas.decide(SchemaRequest(schema, text, earlier, policy, judges, plain))
        return self._decide(found, text, earlier, budget, policy)

    def _decide(
        self, found: Match | None, text: str, earlier: list[Turn], budget: contract.Gate, policy: Policy
    ) -> Decision:
        if found is not None and found.passed and found.way == "exact":
            return recite(found, "the question is a taught one, word for word")
        if policy.composes and (claim := stated_claim(text, self.knowledge.subjects)):
            found, text = None, claim
        setting = DecisionContext(self._judge(budget, policy), policy, earlier)
        judge, before = setting.judge, [turn.text for turn in earlier if turn.role != "assistant"]
        request = read(text, before)
        if policy.composes and (several := self._aggregate_decision(request, before, judge)):
            return several
        if not request.bare or not policy.composes:
            return self._uncomposed(found, request, judge, policy)
        may_deny = request.form in ("plain", "yes or no")
        if may_deny and (claim := affirmative(request.asked)):
            guess = self._decide(judge.router_match(claim), claim, earlier, budget, policy)
            answer = guess.text or (self.knowledge.entries[guess.facts[0]].output if guess.facts else "")
            if denied := negated(guess, answer, alone=request.form == "yes or no"):
                return denied
        if request.form != "json" and request.asked != request.text:
            found = judge.router_match(request.asked)  # the requested form is not part of the question
        if found is not None and found.way == "name" and judge.of_other_kind(request.asked, found):
            found = replace(found, passed=False)
        asked = compare.as_time_comparison(self.taught_words.read(request.asked), self.knowledge)
        if request.form != "json" and asked != request.asked:
            request, found = replace(request, asked=asked), judge.router_match(asked)
        judge.routed[request.text] = found
        if request.form != "json":
            best = self._best_decision(found, request, setting)
            if request.form == "plain" and not earlier:
                best = listed_or_linked(best, request.asked, self.lists, judge)
            return bare_verdict(
                best,
                request,
                lambda claim: self._best_decision(judge.router_match(claim.asked), claim, setting),
            )

        def with_keys(asked: str, keys: tuple[str, ...]) -> Decision:
            own = setting if asked == request.asked else replace(setting, judge=self._judge(budget, policy))
            return self._best_decision(
                own.judge.router_match(asked), replace(request, asked=asked, keys=keys), own
            )

        def plain(asked: str) -> Decision:
            return self._decide(
                self._judge(budget, policy).router_match(asked), asked, earlier, budget, policy
            )

        asked = [turn.text for turn in earlier if turn.role == "user"]
        return object_for(request, asked, self.reranked.combiner(judge), self.lists, with_keys, plain)

    def _best_decision(self, found: Match | None, request: Request, setting: DecisionContext) -> Decision:
        judge = setting.judge
        best = self._wording_decision(found, request, setting)
        for said in self._question_variants(request.asked, best):
            other = replace(request, asked=said)
            guess = self._wording_decision(judge.router_match(said), other, setting)
            replaces = best.outcome == "recite" and guess.likeness > best.likeness - _TAUGHT_BONUS
            if guess.answers and (not best.answers or replaces) and not self._is_other(request.asked, guess):
                best = guess
        parts = [] if best.answers else trailing_questions(request.asked)
        fresh = self._judge(judge.budget, setting.policy) if parts else judge
        for before, said in parts:
            # The sentences before a question are read as an earlier message, whose names its pronouns may refer to.
            context = replace(setting, judge=fresh, earlier=[*setting.earlier, Turn("user", before)])
            guess = self._wording_decision(fresh.router_match(said), replace(request, asked=said), context)
            if guess.answers:
                best = guess
                break
        home = None if best.answers else self._home_question(request.asked)
        if home is not None:
            other = replace(request, asked=home)
            guess = self._wording_decision(judge.router_match(home), other, setting)
            added = home.startswith(request.asked.rstrip(" ?.!"))
            if guess.answers and guess.likeness >= (_MIN_ADDED_LIKENESS if added else _MIN_HOME_LIKENESS):
                best = guess
        if hop := self._hop_decision(request, best, setting):
            return hop
        if best.outcome != "ground" or best.way == "reversed":
            for said in filter(None, (request.asked, home)):
                best = self._synonym_decision(said, best, request, setting)
        if (
            not best.answers
            and request.form == "plain"
            and not names_unknown_subject(request.asked, self.knowledge)
        ):
            best = (
                question_decision(request.asked, judge)
                or claim_decision(request, judge, self.reranked.reranker)
                or best
            )
        return self._reranked_decision(best, found, request, setting)

    def _reranked_decision(
        self, best: Decision, found: Match | None, request: Request, setting: DecisionContext
    ) -> Decision:
        """The decision after the reranker has read facts beside the question."""
        judge = setting.judge
        if self.reranked.refuses(best, found, request, judge):
            missed = found and replace(found, passed=False)
            best = self._fallback_decision(missed, request, setting)
        best = self.reranked.decide(best, request, setting.earlier, judge)
        if repeats_last_answer(best, request.asked, setting.earlier, judge, self.reranked.reranker):
            best = self._fallback_decision(found and replace(found, passed=False), request, setting)
        return with_verdict(best, request, judge, self.reranked.reranker)

    def _uncomposed(self, found: Match | None, request: Request, judge: Judge, policy: Policy) -> Decision:
        """For a message with a text or an instruction, or if composing is not allowed: the router's fact, or the base."""
        if (
            found is not None
            and found.passed
            and self.reranked.reranker.refuses(request.text, found.fact, judge)
        ):
            found = replace(found, passed=False)
        reason = "the message brings a text or wants one written"
        decision = router_decision(found, reason if policy.composes else "only taught questions are answered")
        decision.writes = policy.composes and request.writes
        decision.grounds = decision.writes and bool(self.knowledge.about(request.text))
        return forbid_base(decision) if policy.closed else decision

    def _aggregate_decision(self, request: Request, before: list[str], judge: Judge) -> Decision | None:
        """A list, a superlative or a ranking of the items of one fact, or of the subjects of a table of facts."""
        asked = self.taught_words.read(request.text)
        if request.form == "json" or len(asked.split()) > _MAX_WORDS or brings_text(request.text, before):
            return None
        return aggregate_decision(asked, request, self.tables, self.lists, self.reranked, judge)

    def _judge(self, budget: contract.Gate, policy: Policy) -> Judge:
        return Judge(self.knowledge, budget, self.usable, policy.without, self.taught_words)

    def _hop_decision(self, request: Request, best: Decision, setting: DecisionContext) -> Decision | None:
        """The multi-hop answer for a description without a name, where no fact answers or one only resolves the description."""
        asked = request.asked
        if (
            request.form == "json"
            or not is_question(asked)
            or len(asked.split()) > _MAX_WORDS
            or names_unknown_subject(asked, self.knowledge)
        ):
            return None
        whole = None
        if best.answers:
            if best.outcome != "recite" or best.way == "exact":
                return None
            (fact,) = best.facts
            whole = FactAnswer((fact,), self.knowledge.entries[fact].output, best.likeness)
        made = Composer(setting.judge).unnamed_hop_answer(asked, whole)
        return made and composed_decision(made, best.found, asked, setting.policy.sentence)

    def _synonym_decision(
        self, asked: str, best: Decision, request: Request, setting: DecisionContext
    ) -> Decision:
        """The fact that fits better once the question is reworded with the synonyms of one of the nearest facts."""
        router = self.knowledge.router
        phrases = phrases_in(asked)
        if best.outcome == "recite" and has_phrases(router.entries[best.facts[0]].input, phrases):
            return best  # the fact has the words of the question, so that no synonym fits better
        near = router.similar_facts(asked) if phrases else []
        read = {fact: reword_towards(asked, router.entries[fact].input, phrases) for fact in near}
        for fact, said in read.items():
            found = setting.judge.router_match(said) if said is not None else None
            if said is None or found is None or not found.passed or found.fact != fact:
                continue
            if found.likeness < (router.gate.meaning["strict"] if found.way == "meaning" else _MIN_REWORDED):
                continue  # one of several readings may come near by chance
            least = best.likeness if best.answers else _MIN_HOME_LIKENESS if asked != request.asked else 0.0
            guess = self._single_fact_decision(found, replace(request, asked=said), setting)
            if guess.answers and guess.likeness > least and not self._is_other(request.asked, guess):
                best = guess
        return best

    def _is_other(self, asked: str, guess: Decision) -> bool:
        """Whether a fact found by a rewording contradicts the question as it was asked."""
        if guess.outcome != "recite":
            return False
        entry = self.knowledge.entries[guess.facts[0]]
        return is_near_miss(asked, entry.input, entry.output) or roles_differ(
            asked, entry.input, entry.output
        )

    def _question_variants(self, asked: str, best: Decision) -> list[str]:
        """Variants of the question: in taught words, and the asking part of a longer message."""
        questions = questions_of(asked)
        alone = [] if best.answers or len(questions) != 1 or questions[0] == asked else questions
        said = [self.taught_words.synonyms(one) for one in (asked, *alone)]
        named = with_full_name(asked, self.knowledge)
        return [one for one in (named, as_closing(asked), *alone, *said) if one]

    def _home_question(self, asked: str) -> str | None:
        """The question about the main subject of the memory, if it names no other: "Who is our CFO?" """
        return (
            None if names_unknown_subject(asked, self.knowledge) else with_main_subject(asked, self.knowledge)
        )

    def _wording_decision(self, found: Match | None, request: Request, setting: DecisionContext) -> Decision:
        made = self._composed(request, found, setting.earlier, Composer(setting.judge))
        if made is not None:
            return composed_decision(made, found, request.asked, setting.policy.sentence)
        return self._fallback_decision(found, request, setting)

    def _fallback_decision(self, found: Match | None, request: Request, setting: DecisionContext) -> Decision:
        """The decision where no answer is composed, and whether other sources may answer."""
        earlier = setting.earlier
        decision = self._single_fact_decision(found, request, setting)
        decision.names = self.follow_ups.names_before(request.asked, earlier[-EARLIER:])
        decision.open = is_inquiry(request.asked)
        named = decision.facts or decision.names or self.knowledge.about(request.asked)
        unclear = names_unknown_subject(request.asked, self.knowledge) or (
            not earlier and standalone.points_back(request.asked)
        )
        decision.grounds = bool(named or (is_question(request.asked) and not unclear))
        return decision

    def _composed(
        self, request: Request, found: Match | None, earlier: list[Turn], composer: Composer
    ) -> Composed | None:
        """The answer from facts, for the message itself or for the question that it stands for after the earlier messages."""
        asked = request.asked
        follows = bool(earlier) and request.form == "plain"
        follows = follows and not names_unknown_subject(asked, self.knowledge)
        if follows and (made := self.follow_ups.in_context(asked, earlier, composer.judge, again=False)):
            return made
        made = self._message_answer(request, found, earlier, composer)
        if made is None and follows and not (found is not None and found.passed):
            made = self.follow_ups.in_context(asked, earlier, composer.judge, again=True)
        return made

    def _message_answer(
        self, request: Request, found: Match | None, earlier: list[Turn], composer: Composer
    ) -> Composed | None:
        asked = request.asked
        about = self.knowledge.about(asked)
        claims = (
            yes_no.asks_yes_no(asked, request.form == "yes or no")
            and standalone.with_name(asked, "") is not None
        )
        if (
            earlier
            and not names_unknown_subject(asked, self.knowledge)
            and (not about or claims or self.follow_ups.only_names(asked))
        ):
            for question in self.follow_ups.possible_questions(asked, earlier, composer):
                if (made := composer.answer(question, request)) is not None:
                    return made
        named = about or self.knowledge.facts_by_answer(asked) or standalone.asks_twice(asked)
        formed = request.form in ("yes or no", "sentence") and found is not None and found.passed
        filled = request.form == "json" and request.keys
        if not named and not formed and not filled:
            return None
        return composer.answer(asked, request)

    def _single_fact_decision(
        self, found: Match | None, request: Request, setting: DecisionContext
    ) -> Decision:
        """The remaining decisions: recite one fact, answer unknown, or leave it to the base."""
        policy = setting.policy
        decision = router_decision(found, "no fact answers this, alone or together with others")
        if decision.outcome == "recite" and request.form == "json":
            decision = Decision("base", "base", "no facts fill the object", decision.facts, found=found)
        elif decision.outcome == "recite" and found is not None and found.way == "name":
            asks = yes_no.asks_yes_no(request.asked, request.form == "yes or no")
            taught = yes_no.asks_yes_no(self.knowledge.entries[found.fact].input, wanted=False)
            if (
                asks
                and not taught
                and (request.form == "yes or no" or yes_no.claims(request.asked, setting.judge))
            ):
                reason, facts = "no fact says whether that is so", [found.fact]
                decision = Decision("base", "base", reason, facts, found.likeness, found=found)
        if policy.closed:
            return forbid_base(decision)
        if decision.outcome == "base" and policy.unknown == "say" and is_question(request.asked):
            names = self.knowledge.about(request.asked)
            if not names and not names_unknown_subject(request.asked, self.knowledge):
                names = self._facts_of_antecedent(request.asked, setting.earlier)
            strong = [fact for fact in names if STRONG in self.knowledge.names[fact].values()]
            if strong:
                decision.facts = decision.facts or strong[:1]
                return unknown(decision, f"no fact about {self.knowledge.subject(strong[0])} answers this")
        return decision

    def _facts_of_antecedent(self, asked: str, earlier: list[Turn]) -> list[int]:
        """Facts about the name that a pronoun of a follow-up refers to."""
        for name in self.follow_ups.names_before(asked, earlier[-EARLIER:])[:1]:
            if standalone.with_name(asked, name) is not None:
                return self.knowledge.about(name)
        return []
