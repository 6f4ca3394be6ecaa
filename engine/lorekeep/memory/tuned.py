"""A tuned model in the engine: the base, a cache of experts, a router, and the decision for each request. The base
answers requests without a related fact."""

import logging
from collections.abc import Callable, Sequence
from contextlib import nullcontext

import numpy as np

from lorekeep import contract
from lorekeep.answering import judgement, support
from lorekeep.answering.decide import Decider, Decision, Turn
from lorekeep.answering.facts_prompt import (
    NEAR,
    REFUSAL,
    before_question,
    facts_block,
    relevant_facts,
    repeats,
)
from lorekeep.answering.judgement import Judgement
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.policy import Policy
from lorekeep.answering.schemas.prompted import schema_in, without_schema
from lorekeep.errors import EngineError
from lorekeep.infer import closed_book
from lorekeep.infer.generate import Generator, Recall, Review
from lorekeep.infer.output_type import requested_schema
from lorekeep.memory.decision_queue import DecisionQueue, Undecided
from lorekeep.memory.details import known_details
from lorekeep.memory.expert_cache import ExpertCache, damaged
from lorekeep.memory.fact_tokens import question_tokens
from lorekeep.memory.folder import Memory, serving_bytes
from lorekeep.memory.question import Wrapping
from lorekeep.memory.validity import Validity, lapse
from lorekeep.protocol import Generate, Kind
from lorekeep.protocol import Turn as ChatTurn
from lorekeep.routing.embedders.parts import vocabulary as vocabulary_of
from lorekeep.routing.router import Match, Router
from lorekeep.routing.vectors import Vectors

log = logging.getLogger(__name__)
# Minimum likeness of a fact that is suggested for an unanswered question: by the router, and by vectors alone if the router
# found nothing.
_MIN_LIKENESS, _MIN_VECTOR_LIKENESS = 0.2, 0.5
# Maximum tokens of facts that a base reads for an answer, and tokens that stay free for the answer.
_MAX_FACT_TOKENS, _ANSWER_TOKENS = 640, 128


class TunedModel:
    kind: Kind = "generate"
    running = 0  # its decided requests run in the base's batch

    def __init__(
        self,
        memory: Memory,
        base: Generator,
        base_name: str,
        experts_cache: ExpertCache,
        embed: Vectors | None,
        router: Router | None = None,
        decisions: DecisionQueue | None = None,
    ):
        """`router` is an existing router of this memory to reuse. Without `decisions` requests are decided at once."""
        self.memory, self.base, self.base_name, self.experts_cache = memory, base, base_name, experts_cache
        base.install_expert_hooks()
        self.decisions, self.queued = decisions, 0
        self.router = router or _make_router(memory, embed)
        self.knowledge = Knowledge(self.router)
        self.validity = Validity(memory.facts)
        self.decider = Decider(self.knowledge, lambda fact: memory.facts[fact]["recalled"])
        self.closest = self.decider.reranked.reranker.closest
        self.judgement = Judgement.of(memory.about.get("judgement"))
        # A base that cannot judge whether facts answer a question would answer from any fact.
        self.reads_facts = self.judgement.answers is not None
        self.wrapping = Wrapping(base.tokenizer)
        self.folder, self.tokenizer, self.dtype = base.folder, base.tokenizer, base.dtype
        self.bytes = serving_bytes(memory.path)

    @property
    def busy(self) -> bool:
        return self.queued > 0

    def submit(self, request: Generate) -> None:
        taught = self.router.exact_match(self._question(request), request.prompt) is not None
        self._in_turn(request, lambda: self._decide(request), taught)

    def _in_turn(self, request: Generate, decide: Callable[[], None], first: bool) -> None:
        if self.decisions is None:
            decide()
        else:
            self.decisions.add(Undecided(self, request, decide), first)

    def _decide(self, request: Generate) -> None:
        policy = self._policy(request)
        self.base.check_schema(request)
        shaped = self._with_prompted_schema(request)
        decision = self.decide(shaped, policy)
        if decision.outcome != "base" or request.json_schema is not None:
            request = shaped  # a base reads the schema in its prompt
        near = decision.found
        if (
            self.judgement.same is None
            or near is None
            or near.way != "meaning"
            or decision.outcome == "ground"
        ):
            self._answer(request, decision, policy)
            return
        limit, taught = self.judgement.same, self.memory.facts[near.fact]["input"]

        def decide_again(passed: bool) -> None:
            again = self.decide(shaped, policy, passed)
            self._answer(shaped if again.outcome != "base" else request, again, policy)

        def takes(answer: dict) -> None:
            passed = judgement.odds(answer) >= limit
            self._in_turn(request, lambda: decide_again(passed), first=True)

        turn = judgement.about_questions(self._question(request), taught)
        self.base.judge(_judgement_request(request, turn), takes)

    def _with_prompted_schema(self, request: Generate) -> Generate:
        """The request with the schema of its system message, or in JSON mode of any message."""
        turns = request.messages or []
        if request.output_type is not None or request.json_schema not in (None, {"type": "object"}):
            return request
        free = request.json_schema is not None
        texts = [turn.content for turn in turns if turn.role == "system" or (free and turn.role == "user")]
        schema = next((found for text in reversed(texts) if (found := schema_in(text))), None)
        shaped = request.model_copy(update={"json_schema": schema})
        try:
            self.base.check_schema(shaped)
        except EngineError:
            return request  # the base reads the prompt
        return request if schema is None else shaped

    def _answer(self, request: Generate, decision: Decision, policy: Policy) -> None:
        report = self._report(decision) if request.explain else None
        if decision.outcome == "recite":
            self._recite(request, decision, report)
        elif request.defer and decision.missing and decision.draft is None:
            self._defer(request, decision, policy)
        elif decision.outcome == "ground":
            self.base.answer_with(request, decision.text or "", report, decision.draft)
        elif not (
            decision.grounds and self.reads_facts and self._answer_from_facts(request, decision, policy)
        ):
            self._without_facts(request, decision, policy, report)

    def decide(self, request: Generate, policy: Policy | None = None, passed: bool | None = None) -> Decision:
        """`passed` is the base's judgement whether the fact found by meaning asks the same, if there is one."""
        messages = _messages(request)
        text = self.wrapping.bare(request.prompt, messages)
        earlier = [Turn(*said) for said in self.wrapping.earlier(request.prompt, messages)]
        schema = requested_schema(request)
        text = text if schema is None else without_schema(text)
        policy = policy or self._policy(request)
        with self._cache_scope(request.scope):
            found = self.route(request, policy.without)
            if passed is not None and found is not None and self.memory.facts[found.fact]["recalled"]:
                found.passed = passed
            decision = self.decider.decide(found, text, earlier, self._budget(request), policy, schema)
            if policy.without and decision.outcome in ("base", "unknown"):
                self._note_lapse(decision, text, request, policy)
        return decision

    def _note_lapse(self, decision: Decision, text: str, request: Generate, policy: Policy) -> None:
        """Names the fact that would answer, if only its time is over or has not come."""
        found = self.router.route(text, self._budget(request), whole=request.prompt)
        if found is None or not found.passed or found.fact not in policy.without:
            return
        decision.lapse = lapse(self.memory.facts[found.fact], request.as_of)
        decision.reason = f"the fact that was taught for this {decision.lapse}"
        decision.facts, decision.likeness = [found.fact], found.likeness

    def _recite(self, request: Generate, decision: Decision, report: dict | None) -> None:
        at, fact = self.memory.place(decision.facts[0]), self.memory.facts[decision.facts[0]]
        expert = self.experts_cache.take(at, request.scope)

        def unsaid(begun: bool) -> None:
            self.experts_cache.drop(at, request.scope)
            reason = f"the fact of row {fact['row']} is not said as it was taught"
            if begun:
                raise damaged(self.memory.path, reason)
            # Treated like a fact that was not learned: the base answers.
            log.error("the tuned model %s may be damaged: %s; its base answers", self.memory.path, reason)
            by_base = {"used": False, "outcome": "base", "way": "base", "reason": reason}
            self.base.submit(request, report=report and {**report, **by_base})

        question = question_tokens(self.base.prompts, fact["input"])
        self.base.submit(request, Recall(question, expert, fact["output"], unsaid, decision.draft), report)

    def _without_facts(
        self, request: Generate, decision: Decision, policy: Policy, report: dict | None
    ) -> None:
        """Defers to other sources, answers unknown, or leaves the request to the base."""

        def notice() -> str:
            return request.unknown_answer or self._notice(request, decision, policy.without)

        if request.defer and decision.open:
            self._defer(request, decision, policy)
            return
        if decision.outcome == "base":
            self.base.submit(request, report=report, notice=notice)
            return
        if self.base.knows_nothing and report is not None:
            report = {**report, "declined": True}
        said = notice() if self.base.knows_nothing else policy.sentence
        self.base.answer_with(request, said, report, decision.draft)

    def _defer(self, request: Generate, decision: Decision, policy: Policy) -> None:
        """Ends without an answer, with what another source needs for it: near facts, and which parts have an answer already."""
        unshaped = request.model_copy(update={"output_type": None, "json_schema": None})
        lines, _ = self._lines(request, decision, _MAX_FACT_TOKENS, policy.without)
        parts = {"partial": decision.partial, "missing": list(decision.missing)} if decision.missing else {}
        self.base.answer_with(
            unshaped, "", {**self._report(decision), "deferred": True, "lines": lines, **parts}
        )

    def _answer_from_facts(self, request: Generate, decision: Decision, policy: Policy) -> bool:
        """Lets the base answer from related facts. False if there are none, or no room for them."""
        messages, room = _messages(request), 0
        text = self.wrapping.bare(request.prompt, messages)
        try:
            asked = len(self.base.prompts.tokens(request.prompt, messages, request.room))
            room = (
                self.folder.context - asked - max(request.room, min(request.max_tokens, _ANSWER_TOKENS)) - 8
            )
        except EngineError:
            return False  # the base then refuses the request with the reason
        with self._cache_scope(request.scope):
            closest = self.closest(self._question(request), NEAR) if decision.open else []
        lines, kept = self._lines(request, decision, min(room, _MAX_FACT_TOKENS), policy.without, closest)
        if not kept:
            return False
        if request.messages is not None:
            last = max(i for i, turn in enumerate(request.messages) if turn.role == "user")
            turns = list(request.messages)
            turns[last] = turns[last].model_copy(update={"content": f"{lines}\n{turns[last].content}"})
            grounded = request.model_copy(update={"messages": turns})
        else:
            grounded = request.model_copy(
                update={"prompt": before_question(request.prompt or "", text, lines)}
            )
        report = None
        if request.explain:
            written = Decision("ground", "written", "the base answered from these facts", kept)
            report = self._report(written)
        sources = [lines, text, *(said for _, said in self.wrapping.earlier(request.prompt, messages))]

        def passes(said: str) -> bool:
            wrong = support.unsupported(said, sources, self.router.named.vocabulary)
            return bool(said.strip()) and REFUSAL.rstrip(".") not in said and not repeats(said) and not wrong

        def otherwise() -> None:
            self._without_facts(
                request, decision, policy, self._report(decision) if request.explain else None
            )

        def answer() -> None:
            self.base.submit(grounded, report=report, review=Review(passes, otherwise))

        if (limit := self.judgement.answers) is None or decision.writes:
            answer()
            return True

        def takes(said: dict) -> None:
            answer() if judgement.odds(said) >= limit else otherwise()

        self.base.judge(_judgement_request(grounded, judgement.about_facts(f"{lines}\n{text}")), takes)
        return True

    def _lines(
        self,
        request: Generate,
        decision: Decision,
        room: int,
        without: frozenset[int],
        closest: Sequence[int] = (),
    ) -> tuple[str, list[int]]:
        """The facts that may help with a request, as lines for the base, and their indexes."""
        near = [decision.found.fact] if decision.found and decision.found.likeness >= _MIN_LIKENESS else []
        near += closest
        likely = relevant_facts(self.knowledge, self._question(request), decision.names, near)
        facts = [fact for fact in likely if self.memory.facts[fact]["recalled"] and fact not in without]
        lines, kept = facts_block(self.knowledge, facts, self._tokens, room)
        return (lines, kept) if kept else ("", [])

    def _tokens(self, text: str) -> int:
        return len(self.base.prompts.text_tokens(text))

    def prefetch(self, requests: list[Generate]) -> None:
        """Prefetch: computes in one batch the vectors that `route` needs for these requests, separately for each
        scope."""
        questions: dict[str, list[str]] = {}
        for request in requests:
            questions.setdefault(request.scope, []).append(self._question(request))
        for scope, asked in questions.items():
            with self._cache_scope(scope):
                self.router.prefetch(asked)

    def route(self, request: Generate, without: frozenset[int] = frozenset()) -> Match | None:
        question = self._question(request)
        with self._cache_scope(request.scope):
            found = self.router.route(question, self._budget(request), whole=request.prompt, without=without)
        if found is not None and not self.memory.facts[found.fact]["recalled"]:
            found.passed = False  # a fact that was not learned is never recited
        return found

    def _budget(self, request: Generate) -> contract.Gate:
        return request.gate or self.memory.about["gate"]["budget"]

    def _policy(self, request: Generate) -> Policy:
        return Policy(
            request.answer_from or contract.DEFAULT_ANSWER_FROM,
            request.unknown or contract.DEFAULT_UNKNOWN,
            request.unknown_answer or REFUSAL,
            self.validity.invalid_facts(request.as_of),
        )

    def _cache_scope(self, scope: str):
        embed = self.router.embed
        return nullcontext() if embed is None else embed.within(scope)

    def _question(self, request: Generate) -> str:
        return self.wrapping.bare(request.prompt, _messages(request))

    def step(self) -> None:
        pass

    def cancel(self, id: str) -> bool:
        return self.decisions is not None and self.decisions.cancel(id)

    def _notice(self, request: Generate, decision: Decision, without: frozenset[int]) -> str:
        """Notice of a base that cannot answer without a context, with the nearest fact."""
        if decision.lapse is not None:
            return f"What was taught about this {decision.lapse}."
        if request.searched:
            untaught = closed_book.NOT_IN_DOCUMENTS
        else:
            untaught = closed_book.UNTAUGHT if request.defer else closed_book.NOTHING
        found = decision.found
        if found is None or self._is_far(found):
            with self._cache_scope(request.scope):
                found = self.router.nearest(self._question(request), without)
            if found is None or found.likeness < _MIN_VECTOR_LIKENESS:
                return closed_book.notice(untaught=untaught)
        fact = self.memory.facts[found.fact]
        if not fact["recalled"]:
            return closed_book.notice(unlearnt=found.way == "exact")
        return closed_book.notice(fact["input"], untaught=untaught)

    @staticmethod
    def _is_far(found: Match) -> bool:
        return found.way == "meaning" and found.likeness < _MIN_LIKENESS

    def _report(self, decision: Decision) -> dict:
        """Report of how a request was answered, with the facts that were used or came nearest."""
        used = decision.outcome in ("recite", "ground")
        return {
            "used": used,
            "outcome": decision.outcome,
            "way": decision.way,
            "reason": decision.reason,
            "facts": [self._fact_report(fact, decision.likeness, used) for fact in decision.facts],
        }

    def _fact_report(self, number: int, likeness: float, used: bool) -> dict:
        fact = self.memory.facts[number]
        return {
            "input": fact["input"],
            "similarity": round(float(np.clip(likeness, 0, 1)), 4),
            "dataset_id": fact.get("dataset_id"),
            "row": fact["row"],
            **known_details(fact, quoted=used),
        }


def _judgement_request(request: Generate, turn: str) -> Generate:
    """The request with its last turn replaced, for a judgement."""
    earlier = request.messages or []
    last = max((i for i, one in enumerate(earlier) if one.role == "user"), default=len(earlier))
    return request.model_copy(
        update={"prompt": None, "messages": [*earlier[:last], ChatTurn(role="user", content=turn)]}
    )


def _messages(request: Generate) -> list[dict] | None:
    return None if request.messages is None else [turn.model_dump() for turn in request.messages]


def _make_router(memory: Memory, embed: Vectors | None) -> Router:
    vocabulary = vocabulary_of(embed)
    vocabulary.counted = None
    return Router(memory.entries, memory.keys, memory.gate, vocabulary, embed, memory.about["arguments"])
