"""Measures the judgement of a base (answering/judgement.py) when a model is tuned: on the questions that ship, and its
threshold on the model's own facts. A base that was not measured to read facts is not asked."""

import random
from collections.abc import Callable

from lorekeep.answering.facts_prompt import block, relevant
from lorekeep.answering.judgement import about_facts, about_questions, auc, odds, threshold
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.policy import reads_facts
from lorekeep.memory.folder import Memory
from lorekeep.protocol import Generate, Turn
from lorekeep.routing.by_meaning import MeantIndex
from lorekeep.routing.embedders.calibration import questions
from lorekeep.routing.question_match import QuestionVectors
from lorekeep.routing.router import Router
from lorekeep.routing.stored_keys import plain_keys
from lorekeep.tune.measure.reworded import reworded
from lorekeep.tune.training.trainer import Trainer

# Number of pairs per kind; of the model's facts; of distractor facts beside the right one.
_PAIRS, _OWN, _BESIDE, _TOKENS = 40, 60, 4, 640


def measure_judgement(trainer: Trainer, memory: Memory, router: Router) -> dict | None:
    if not reads_facts(trainer.folder.path) or not trainer.generator.tokenizer.chat_template:
        return None
    choose = random.Random(0)
    facts = choose.sample([fact for some in questions().facts for fact in some], _PAIRS)
    texts, right = [], []
    for fact in facts:
        others = choose.sample([other for other in facts if other is not fact], _BESIDE)
        lines = _lines([*others[:2], fact, *others[2:]])
        texts += [
            about_facts(f"{lines}\n{asked}") for asked in (fact["rewordings"][0], fact["near_misses"][0])
        ]
        texts += [
            about_questions(asked, fact["input"]) for asked in (fact["rewordings"][0], fact["near_misses"][0])
        ]
        right += [True, False, True, False]
    said = asked_of(trainer, texts)
    found: dict[str, dict] = {}
    for at, kind in ((0, "answers"), (2, "same")):
        good, bad = said[at::4], said[at + 1 :: 4]
        found[kind] = {
            "asked": len(good) + len(bad),
            "auc": round(auc(good, bad), 4),
            "threshold": threshold(bad),
        }
    found["same"]["networks"] = _networks(facts, router)
    found["answers"] |= _own(trainer, memory, router, choose)
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


def _lines(facts: list[dict]) -> str:
    lines = (f"{i}. Q: {fact['input']} A: {fact['output']}\n" for i, fact in enumerate(facts, 1))
    return "Facts:\n" + "".join(lines)


def _own(trainer: Trainer, memory: Memory, router: Router, choose: random.Random) -> dict:
    """The threshold from questions of the model whose own fact is removed from the facts that the base reads."""
    knowledge, texts = Knowledge(router), []
    known = [i for i, fact in enumerate(memory.facts) if fact["recalled"]]

    def tokens(text: str) -> int:
        return len(trainer.generator.prompts.letters(text))

    for number in choose.sample(known, min(_OWN, len(known))):
        asked = reworded(memory.facts[number]["input"], memory.facts[number]["names"], choose)
        near = relevant(knowledge, asked, [], [number])
        others = choose.sample(known, min(_BESIDE, len(known)))
        with_it = list(dict.fromkeys([*near, *others]))[:12]
        without = [fact for fact in with_it if fact != number]
        texts += [
            about_facts(f"{block(knowledge, some, tokens, _TOKENS)[0]}\n{asked}")
            for some in (with_it, without)
        ]
    said = asked_of(trainer, texts)
    good, bad = said[0::2], said[1::2]
    if not good:
        return {}
    return {"threshold": threshold(bad), "own": {"asked": len(said), "auc": round(auc(good, bad), 4)}}


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
