"""Pairs of a question and a fact from the worlds of written.py, for the fit of the cross-encoder (fit_cross_encoder.py)."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from fitting import Pair
from lorekeep.answering.networks.cross_encoder import CrossEncoder, fact_text, with_lead_answer
from written import lines, right

# Likeness ranks of the facts that are paired with a question: end of the nearest, end of those after them, and facts that are read.
NEAREST, BEHIND_NEAREST, READ = 4, 12, 8
# Share of the questions with one answering fact that are also paired with an appended answer.
LED = 0.25
# Numbers of facts of a world that are paired with a question: of the nearest, and of those after them.
PAIRED_FACTS = (2, 1)
# Kinds of questions whose parts are each answered by one fact, and kinds that no fact answers.
ANSWERED, LEFT = (
    ("reworded_named", "reworded_ordinary", "two_in_one", "follow"),
    ("near_miss", "unanswerable"),
)
# Kinds of questions that are read together with the preceding one.
FOLLOWS = ("follow", "follow_up")
# Kind of the questions over two facts of a world, and kinds that are fitted if a question lists its facts.
OVER_TWO, LABELLED = "two_hops", ("yes_no", "reversed", "sentence", "compare")
# Roles that are asked for if no fact names them, and templates; numbers of texts and roles per world, and nearest facts for each.
UNNAMED_ROLES = (
    "CTO", "CFO", "CEO", "HR manager", "treasurer", "caretaker", "head chef", "night porter", "company doctor", "press officer",
    "fire warden", "chair of the board", "data protection officer", "deputy director", "head of sales", "secretary", "landlord",
    "accountant", "union representative", "first aider", "site manager", "librarian", "gardener", "safety officer", "trainer",
)  # fmt: skip
ROLE_FORMS = ("Who is the {}?", "who's our {}", "What is the name of the {}?", "{}?", "how do i reach the {}")
STRANGE, STRANGE_NEAREST = 6, 3
STATEMENTS = [
    json.loads(line)["prompt"]
    for line in (Path(__file__).parent / "told.jsonl").read_text("utf-8").splitlines()
]


class World:
    """Facts and questions of one of the worlds of written.py."""

    def __init__(self, name: str, embed):
        self.facts = lines(f"{name}-facts.jsonl")
        self.texts = [fact_text(fact["input"], fact["output"]) for fact in self.facts]
        self.asked = [
            one
            for one in lines(f"{name}-questions.jsonl")
            if one["kind"].startswith((*ANSWERED, *LEFT, OVER_TWO, *(LABELLED if "facts" in one else ())))
            and len(one["turns"]) <= 1 + (one["kind"] in FOLLOWS)
        ]
        self.questions = [" ".join(one["turns"]) for one in self.asked]
        self.strange = self._strange(random.Random(name))
        nearest_F = self._nearest(embed, self.questions + self.strange)
        self.nearest_N_F, self.beside_N_F = nearest_F[: len(self.questions)], nearest_F[len(self.questions) :]

    def _strange(self, choose: random.Random) -> list[str]:
        """Texts that are not questions, and questions for roles that no fact names."""
        known = " ".join(self.texts).lower()
        roles = [role for role in UNNAMED_ROLES if not any(word in known for word in role.lower().split())]
        asked = [
            choose.choice(ROLE_FORMS).format(role) for role in choose.sample(roles, min(STRANGE, len(roles)))
        ]
        return choose.sample(STATEMENTS, STRANGE) + asked

    def _nearest(self, embed, asked: list[str]) -> np.ndarray:
        facts_F_D, whole_F_D = embed([fact["input"] for fact in self.facts]), embed(self.texts)
        asked_N_D = embed(asked)
        return np.argsort(-np.maximum(asked_N_D @ facts_F_D.T, asked_N_D @ whole_F_D.T), axis=1)

    def pairs(self, choose: random.Random) -> Iterator[Pair]:
        for text, nearest_F in zip(self.strange, self.beside_N_F.tolist(), strict=True):
            yield text, self.texts[choose.choice(nearest_F[:STRANGE_NEAREST])], 0.0
        for one, asked, nearest_F in zip(self.asked, self.questions, self.nearest_N_F.tolist(), strict=True):
            if one["kind"] == OVER_TWO:
                yield from self._hop(one, asked, nearest_F, choose)
                continue
            answers, having, is_whole = self._answers(one, nearest_F)
            for fact in answers:
                yield asked, self.texts[fact], 1.0
            if not is_whole:
                continue
            rest = [fact for fact in nearest_F if fact not in having]
            for some, count in zip((rest[:NEAREST], rest[NEAREST:BEHIND_NEAREST]), PAIRED_FACTS, strict=True):
                for fact in choose.sample(some, min(count, len(some))):
                    yield asked, self.texts[fact], 0.0
            if len(answers) == 1 and choose.random() < LED:
                (lead,) = answers
                led = with_lead_answer(asked, self.facts[lead]["output"])
                yield led, self.texts[choose.choice(rest[:READ])], 0.0

    def _answers(self, one: dict, nearest_F: list[int]) -> tuple[set[int], set[int], bool]:
        """The facts that answer a question, those of which nothing else is known, and whether each part has one: the facts of its label, or
        the nearest that have what is accepted."""
        parts = [] if one["refuse"] else [one["accept"]]
        parts = [[group] for group in one["accept"]] if one["kind"] == "two_in_one" else parts
        having = [[fact for fact in nearest_F[:READ] if self._has(fact, part)] for part in parts]
        also = {fact for some in having for fact in some}
        if "facts" in one:
            return set(one["facts"]), also | set(one["facts"]), True
        answers = {some[0] for some in having if some}
        return answers, also, len(answers) == len(parts)

    def _hop(self, one: dict, asked: str, nearest_F: list[int], choose: random.Random) -> Iterator[Pair]:
        """Pairs of the second fact with the question and the first fact's answer. The first is the nearest that leads to the second."""
        ways = [
            (lead, last)
            for last in nearest_F
            if not one["refuse"] and self._has(last, one["accept"])
            for lead in nearest_F
            if lead != last
            and self.facts[lead]["output"].strip(" .").lower() in self.facts[last]["input"].lower()
        ]
        ways = [tuple(one["facts"])] if "facts" in one else ways
        if not ways:
            return
        lead, last = ways[0]
        led = with_lead_answer(asked, self.facts[lead]["output"])
        yield led, self.texts[last], 1.0
        yield led, self.texts[lead], 0.0
        others = [fact for fact in nearest_F[:BEHIND_NEAREST] if fact not in ways[0]]
        others = [fact for fact in others if not self._has(fact, one["accept"])]
        for other in choose.sample(others, min(2, len(others))):
            yield led, self.texts[other], 0.0

    def _has(self, fact: int, part: list[list[str]]) -> bool:
        return right({"refuse": False, "accept": part}, self.facts[fact]["output"])

    @torch.inference_mode()
    def logits(self, model: CrossEncoder) -> Iterator[tuple[bool, float, bool]]:
        """For each question that one fact or none answers: whether one does, the highest logit of the nearest facts, and whether that
        fact answers."""
        near_N_R = self.nearest_N_F[:, :READ].tolist()
        for one, asked, nearest_F in zip(self.asked, self.questions, near_N_R, strict=True):
            if one["kind"] in ("two_in_one", OVER_TWO, *FOLLOWS):
                continue
            pairs = [(asked, self.texts[fact]) for fact in nearest_F]
            logits_R = model(*model.batch(pairs)).float().cpu().numpy()
            best = int(np.argmax(logits_R))
            answers = not one["refuse"] and self._has(nearest_F[best], one["accept"])
            yield not one["refuse"], float(logits_R[best]), answers


def show_worlds(model: CrossEncoder, worlds: list[World]) -> None:
    """Prints the share of questions that find their fact, at fixed shares of unanswerable questions of these worlds that find one."""
    found = [one for world in worlds for one in world.logits(model)]
    lost = sorted((logit for is_asked, logit, _ in found if not is_asked), reverse=True)
    least = {share: lost[int(share * len(lost))] for share in (0.02, 0.05, 0.1, 0.2)}
    asked = [one for one in found if one[0]]
    passed = {share: np.mean([ok and logit > bar for _, logit, ok in asked]) for share, bar in least.items()}
    print(
        "  worlds:", *(f"{share} at {least[share]:.2f}: {passed[share]:.3f}" for share in passed), flush=True
    )
