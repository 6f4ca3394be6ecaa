"""Measures the judgement of a base (answering/judgement.py): once per base on questions that ship with the engine, and its threshold
on the facts of each tuned model. A base that does not answer from facts (base_reading.py) is not asked."""

import random
from collections.abc import Callable, Sequence

from lorekeep.answering.facts_prompt import REFUSAL, facts_block, relevant_facts
from lorekeep.answering.judgement import (
    GOOD,
    WRONG,
    Judgement,
    about_facts,
    about_questions,
    auc,
    odds,
    threshold,
    writing_threshold,
)  # fmt: skip
from lorekeep.answering.knowledge import Knowledge
from lorekeep.memory.folder import Memory
from lorekeep.protocol import Generate, Turn
from lorekeep.routing.by_meaning import MeaningIndex
from lorekeep.routing.embedders.calibration import questions
from lorekeep.routing.question_match import QuestionVectors
from lorekeep.routing.router import Router
from lorekeep.routing.stored_keys import plain_keys
from lorekeep.tune.measure.base_reading import answers_of, cached_measure, reads_facts, states_fact
from lorekeep.tune.measure.reworded import reworded
from lorekeep.tune.measure.unanswered import unanswered
from lorekeep.tune.training.trainer import Trainer

# Number of question pairs; of questions of each half that are left to a base (unanswered.py); of the model's facts; of distractor
# facts beside the right one. Maximum tokens of the facts in a prompt.
_PAIRS, _UNANSWERED, _OWN_FACTS, _DISTRACTORS, _FACT_TOKENS = 40, 24, 60, 4, 640
# Maximum share of changed facts before the threshold of a model's own facts is measured again.
_MAX_CHANGED_SHARE = 0.1
# Maximum operations on a CPU, a minute or two; minimum facts, since of fewer the share that may pass (WRONG) is less than one fact.
_MAX_OPERATIONS, _LEAST = 2e13, int(1 / WRONG)


def measure_judgement(
    trainer: Trainer, memory: Memory, router: Router, earlier: Sequence[Memory] = ()
) -> dict | None:
    if router.embed is None or not reads_facts(trainer):
        return None
    facts = random.Random(0).sample([fact for some in questions().facts for fact in some], _PAIRS)
    stored = cached_measure(trainer.folder.path, "judgement", lambda: _measure_base(trainer, facts, router))
    found = {kind: dict(stored[kind]) for kind in ("answers", "same") if isinstance(stored.get(kind), dict)}
    if len(found) < 2:
        return None  # somebody changed the stored measurement
    if found["same"]["auc"] >= GOOD:  # a worse judge is never used
        found["same"]["networks"] = _embedding_auc(facts, router)
    if Judgement.of(found).answers is not None:
        own = _earlier_threshold(memory, earlier, found["answers"])
        found["answers"] |= own or _own(trainer, memory, router, found["answers"]["threshold"])
    return found


def _measure_base(trainer: Trainer, facts: list[dict], router: Router) -> dict[str, dict]:
    texts = [
        about_questions(asked, fact["input"])
        for fact in facts
        for asked in (fact["rewordings"][0], fact["near_misses"][0])
    ]
    said = odds_of(trainer, texts)
    good, bad = said[0::2], said[1::2]
    same = {"asked": len(said), "auc": round(auc(good, bad), 4), "threshold": threshold(bad)}
    return {"answers": _measure_writing(trainer, router), "same": same}


def _measure_writing(trainer: Trainer, router: Router) -> dict:
    """Measures the answers that a base writes to questions left to it in service, and the odds from which they are right."""
    some = unanswered(router.embed, router.named.vocabulary, _UNANSWERED)
    odds_N = odds_of(trainer, [about_facts(one.text) for one in some])
    rows = [
        (odds, one.answer is not None and states_fact(said, one.answer))
        for one, odds, said in zip(some, odds_N, answers_of(trainer, [one.text for one in some]), strict=True)
        if said.strip() and REFUSAL.rstrip(".") not in said
    ]
    return {"asked": len(some), **writing_threshold(rows)}


def odds_of(trainer: Trainer, texts: list[str]) -> list[float]:
    """Odds of each prompt."""
    said: dict[str, float] = {}

    def takes(id: str) -> Callable[[dict], None]:
        return lambda answer: said.update({id: odds(answer)})

    for i, text in enumerate(texts):
        turns = [Turn(role="user", content=text)]
        trainer.generator.judge(
            Generate(type="generate", id=str(i), model="-", messages=turns), takes(str(i))
        )
    trainer.finish()
    return [said[str(i)] for i in range(len(texts))]


def _own(trainer: Trainer, memory: Memory, router: Router, least: float) -> dict:
    """The threshold from questions of the model, each with its own fact removed from the facts that the base reads; at least `least`."""
    knowledge, texts, choose = Knowledge(router), [], random.Random(1)
    known = [i for i, fact in enumerate(memory.facts) if fact["recalled"]]
    count = min(_OWN_FACTS, len(known))
    if trainer.generator.device.type == "cpu":
        a_fact = _FACT_TOKENS * 2 * trainer.folder.parameters
        count = min(count, int(_MAX_OPERATIONS / a_fact))
    if count < _LEAST:
        return {}

    def tokens(text: str) -> int:
        return len(trainer.generator.prompts.text_tokens(text))

    for number in choose.sample(known, count):
        asked = reworded(memory.facts[number]["input"], memory.facts[number]["names"], choose)
        near = relevant_facts(knowledge, asked, [], [number])
        others = choose.sample(known, min(_DISTRACTORS, len(known)))
        without = [fact for fact in dict.fromkeys([*near, *others]) if fact != number][:11]
        texts.append(about_facts(f"{facts_block(knowledge, without, tokens, _FACT_TOKENS)[0]}\n{asked}"))
    return {"threshold": max(least, threshold(odds_of(trainer, texts))), "own": len(texts)}


def _earlier_threshold(memory: Memory, earlier: Sequence[Memory], of_base: dict) -> dict | None:
    """The threshold of an earlier model with nearly the same facts. `changed` counts the facts changed since it was measured, so that many
    small changes also lead to a new measurement."""
    facts = {fact["id"] for fact in memory.facts}
    for other in earlier:
        said = (other.about.get("judgement") or {}).get("answers") or {}
        changed = said.get("changed", 0) + len(facts ^ {fact["id"] for fact in other.facts})
        same_base = all(said.get(name) == of_base[name] for name in ("asked", "written", "right"))
        same_base &= other.about["base"]["fingerprint"] == memory.about["base"]["fingerprint"]
        if same_base and "own" in said and changed <= _MAX_CHANGED_SHARE * len(facts):
            return {"threshold": said["threshold"], "own": said["own"], "changed": changed}
    return None


def _embedding_auc(facts: list[dict], router: Router) -> float:
    """AUC of the likeness by the model's embedding model on the same pairs."""
    if router.embed is None:
        return 0.0
    pairs = [(fact["input"], fact["output"]) for fact in facts]
    index = MeaningIndex(
        router.named.vocabulary, list(range(len(facts))), [q for q, _ in pairs], [a for _, a in pairs],
        plain_keys(pairs, router.embed, {}), likeness=router.likeness,
    )  # fmt: skip
    said: tuple[list[float], list[float]] = ([], [])
    for number, fact in enumerate(facts):
        for side, text in zip(said, (fact["rewordings"][0], fact["near_misses"][0]), strict=True):
            read = router.embed.read(text)
            asked = QuestionVectors(text, read.vector_D, read.words_W_D, read.tokens_T_P)
            side.append(router.likeness.of_questions(asked, [index.fact(number)], [-1.0])[0])
    return round(auc(*said), 4)
