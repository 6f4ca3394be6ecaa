"""Measures the judgement of a base (answering/judgement.py): on the questions that ship, once for each base, and its threshold on the
facts of each model that is tuned. A base that does not answer from facts (of_base.py) is not asked."""

import random
from collections.abc import Callable

from lorekeep.answering.facts_prompt import block, lines_of, relevant
from lorekeep.answering.judgement import GOOD, WRONG, about_facts, about_questions, auc, odds, threshold
from lorekeep.answering.knowledge import Knowledge
from lorekeep.memory.folder import Memory
from lorekeep.protocol import Generate, Turn
from lorekeep.routing.by_meaning import MeantIndex
from lorekeep.routing.embedders.calibration import questions
from lorekeep.routing.question_match import QuestionVectors
from lorekeep.routing.router import Router
from lorekeep.routing.stored_keys import plain_keys
from lorekeep.tune.measure.of_base import reads_facts, remembered
from lorekeep.tune.measure.reworded import reworded
from lorekeep.tune.training.trainer import Trainer

# Number of pairs per kind; of the model's facts; of distractor facts beside the right one.
_PAIRS, _OWN, _BESIDE, _TOKENS = 40, 60, 4, 640
# On a CPU the model's own facts are measured within these operations: a minute or two. Of fewer facts, the share that may pass is no fact.
_OPERATIONS, _LEAST = 2e13, int(1 / WRONG)


def measure_judgement(trainer: Trainer, memory: Memory, router: Router) -> dict | None:
    if not reads_facts(trainer):
        return None
    facts = random.Random(0).sample([fact for some in questions().facts for fact in some], _PAIRS)
    stored = remembered(trainer.folder.path, "judgement", lambda: _of_base(trainer, facts))
    found = {kind: dict(stored[kind]) for kind in ("answers", "same") if isinstance(stored.get(kind), dict)}
    if len(found) < 2:
        return None  # somebody changed the stored measurement
    if found["same"]["auc"] >= GOOD:  # a worse judge is not used, whatever it is compared with
        found["same"]["networks"] = _networks(facts, router)
    found["answers"] |= _own(trainer, memory, router)
    return found


def _of_base(trainer: Trainer, facts: list[dict]) -> dict[str, dict]:
    choose = random.Random(0)
    texts = []
    for fact in facts:
        others = choose.sample([other for other in facts if other is not fact], _BESIDE)
        lines = lines_of([*others[:2], fact, *others[2:]])
        texts += [
            about_facts(f"{lines}\n{asked}") for asked in (fact["rewordings"][0], fact["near_misses"][0])
        ]
        texts += [
            about_questions(asked, fact["input"]) for asked in (fact["rewordings"][0], fact["near_misses"][0])
        ]
    said = asked_of(trainer, texts)
    found: dict[str, dict] = {}
    for at, kind in ((0, "answers"), (2, "same")):
        good, bad = said[at::4], said[at + 1 :: 4]
        found[kind] = {
            "asked": len(good) + len(bad),
            "auc": round(auc(good, bad), 4),
            "threshold": threshold(bad),
        }
    return found


def asked_of(trainer: Trainer, texts: list[str]) -> list[float]:
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


def _own(trainer: Trainer, memory: Memory, router: Router) -> dict:
    """The threshold from questions of the model whose own fact is removed from the facts that the base reads."""
    knowledge, texts, choose = Knowledge(router), [], random.Random(1)
    known = [i for i, fact in enumerate(memory.facts) if fact["recalled"]]
    count = min(_OWN, len(known))
    if trainer.generator.device.type == "cpu":
        a_fact = _TOKENS * 2 * trainer.folder.parameters
        count = min(count, int(_OPERATIONS / a_fact))
    if count < _LEAST:
        return {}

    def tokens(text: str) -> int:
        return len(trainer.generator.prompts.letters(text))

    for number in choose.sample(known, count):
        asked = reworded(memory.facts[number]["input"], memory.facts[number]["names"], choose)
        near = relevant(knowledge, asked, [], [number])
        others = choose.sample(known, min(_BESIDE, len(known)))
        without = [fact for fact in dict.fromkeys([*near, *others]) if fact != number][:11]
        texts.append(about_facts(f"{block(knowledge, without, tokens, _TOKENS)[0]}\n{asked}"))
    return {"threshold": threshold(asked_of(trainer, texts)), "own": len(texts)}


def _networks(facts: list[dict], router: Router) -> float:
    """AUC of the likeness by the model's embedding model on the same pairs."""
    if router.embed is None:
        return 0.0
    pairs = [(fact["input"], fact["output"]) for fact in facts]
    index = MeantIndex(
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
