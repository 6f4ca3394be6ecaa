"""The decision on a request: the source of its answer, and the reason."""

import json
from dataclasses import dataclass, field

from lorekeep import contract
from lorekeep.answering.compose import Composed
from lorekeep.answering.knowledge import Knowledge
from lorekeep.routing.router import Match


@dataclass
class Decision:
    """The answer chosen for a request, and the reason. `text` is the complete answer if it is composed from facts."""

    outcome: contract.Outcome
    way: str
    reason: str
    facts: list[int] = field(default_factory=list)
    likeness: float = 0.0
    text: str | None = None
    draft: str | None = None  # the document, if a schema was requested
    found: Match | None = None  # the router's match for the message alone
    grounds: bool = False  # whether there are related facts that the base may read
    writes: bool = False  # whether the request is for a written text, which facts cannot answer
    open: bool = False  # whether other sources than facts may answer
    names: list[str] = field(default_factory=list)  # known names of the earlier messages
    missing: tuple[str, ...] = ()  # parts of a question that no fact answers
    partial: str = ""  # the answer to the other parts
    lapse: str | None = None  # why the fact that was taught for this is not valid now

    @property
    def key_count(self) -> int:
        """The number of keys of a JSON answer."""
        return len(json.loads(self.text)) if self.way == "json" and self.text else 0

    @property
    def answers(self) -> bool:
        return self.outcome in ("recite", "ground")

    def answer(self, knowledge: Knowledge) -> str:
        """The answer in words."""
        if self.text is not None or not self.facts:
            return self.text or ""
        return knowledge.entries[self.facts[0]].output


def unknown(decision: Decision, reason: str) -> Decision:
    decision.outcome, decision.way, decision.reason = "unknown", "unknown", reason
    return decision


def forbid_base(decision: Decision) -> Decision:
    if decision.outcome != "base":
        return decision
    return unknown(decision, "the model answers from its facts alone")


def recite(found: Match, reason: str) -> Decision:
    return Decision("recite", found.way, reason, [found.fact], found.likeness, found=found)


def router_decision(found: Match | None, reason: str) -> Decision:
    if found is not None and found.passed:
        return recite(found, f"a fact asks the same by {found.way}")
    near = [] if found is None else [found.fact]
    return Decision("base", "base", reason, near, 0.0 if found is None else found.likeness, found=found)


def composed_decision(made: Composed, found: Match | None, asked: str, unknown: str) -> Decision:
    if made.way == "fact":
        # One fact, recited.
        if found is not None and found.passed and found.fact == made.facts[0]:
            return recite(found, f"a fact asks the same by {found.way}")
        decision = recite(
            Match(made.facts[0], min(made.likeness, 1.0), "name", True), f"understood as: {made.question}"
        )
        if made.question != asked:
            decision.way = "follow-up"
        return decision
    facts = list(dict.fromkeys(made.facts))
    reason = f"put together from {len(facts)} fact{'s' if len(facts) > 1 else ''} ({made.way})"
    text = made.text
    if made.missing:
        text = f"{text.rstrip('.')}. {unknown}"
        reason += f"; no fact answers: {', '.join(made.missing)}"
    draft = text if made.way == "json" else None
    decision = Decision("ground", made.way, reason, facts, min(made.likeness, 1.0), text, draft, found)
    decision.missing, decision.partial = made.missing, made.text if made.missing else ""
    return decision
