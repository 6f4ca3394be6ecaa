"""Measures once for each base whether it answers from facts in its prompt, and stores the result in its folder. The first model that
is tuned on a base asks it questions that ship with the engine; a base that cannot do it is found out after a few."""

import random
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lorekeep.answering.facts_prompt import fact_lines, repeats
from lorekeep.download_mark import MARK, read_mark, write_mark
from lorekeep.protocol import Generate, Turn
from lorekeep.routing.embedders.calibration import questions
from lorekeep.routing.words import STOP, stem, words
from lorekeep.tune.training.trainer import Trainer

# Number of questions, of those asked at once, and of facts beside the right one. Minimum share of right answers, and of the words of
# a fact's answer that a right answer has.
_ASKED, _TOGETHER, _BESIDE, RIGHT, _WORDS = 24, 8, 4, 0.7, 0.6
# Maximum words of an answer that is asked for, since a base says a long one in its own words; maximum tokens of what the base says.
_SHORT, _MAX_TOKENS = 8, 64
# Tokens of the longest prompt with facts, of a model's own when its judgement is measured, with some to spare.
_CONTEXT = 768
# Questions that a stored measurement needs in order to count.
_LEAST = 20
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def reads_facts(trainer: Trainer) -> bool:
    """Whether a base answers from facts. A base without a chat template is not asked, since nothing tells it where the answer begins, nor
    one that takes too little text for the facts."""
    if not trainer.generator.tokenizer.chat_template or trainer.folder.context < _CONTEXT:
        return False
    said = cached_measure(trainer.folder.path, "use", lambda: _measured(trainer))
    try:
        return said["asked"] >= _LEAST and said["right"] >= RIGHT
    except (TypeError, KeyError):
        return False


def cached_measure(folder: Path, name: str, measure: Callable[[], dict]) -> dict:
    """A measurement of a base. It is made where lorekeep.json of its folder has none, and stored there if that can be written; a damaged
    lorekeep.json is left as it is."""
    mark = read_mark(folder)
    if isinstance(mark.get(name), dict):
        return mark[name]
    found = measure()
    with suppress(OSError):
        if (mark := read_mark(folder)) or not (folder / MARK).exists():
            write_mark(folder, {**mark, name: found})
    return found


def _measured(trainer: Trainer) -> dict:
    """Asks until the questions are through, or so many answers are wrong that the share cannot be reached."""
    choose = random.Random(0)
    short = [fact for some in questions().facts for fact in some if len(fact["output"].split()) <= _SHORT]
    facts = choose.sample(short, _ASKED)
    right, wrong = 0, 0
    for at in range(0, _ASKED, _TOGETHER):
        batch = facts[at : at + _TOGETHER]
        texts = [f"{fact_lines(_among(fact, choose))}\n{fact['rewordings'][0]}" for fact in batch]
        for fact, answer in zip(batch, answers_of(trainer, texts), strict=True):
            if states_fact(answer, fact["output"]):
                right += 1
            else:
                wrong += 1
        if wrong > _ASKED * (1 - RIGHT):
            break
    return {"asked": right + wrong, "right": round(right / (right + wrong), 3)}


def _among(fact: dict, choose: random.Random) -> list[dict]:
    """A fact in a random place among others of its set."""
    others = [other for other in questions().facts[fact["set"]] if other is not fact]
    facts = [fact, *choose.sample(others, _BESIDE)]
    choose.shuffle(facts)
    return facts


def answers_of(trainer: Trainer, texts: list[str]) -> list[str]:
    trainer.answers.clear()
    for i, text in enumerate(texts):
        turns = [Turn(role="user", content=text)]
        trainer.generator.submit(
            Generate(type="generate", id=str(i), model="-", messages=turns, max_tokens=_MAX_TOKENS)
        )
    trainer.finish()
    return [trainer.answers[str(i)].get("text", "") for i in range(len(texts))]


def states_fact(answer: str, taught: str) -> bool:
    """Whether an answer in a base's own words says what a fact says: all of its numbers, and most of its words."""
    if repeats(answer) or not set(_NUMBER.findall(taught)) <= set(_NUMBER.findall(answer)):
        return False
    wanted, said = _telling(taught), _telling(answer)
    return bool(said) and len(wanted & said) >= _WORDS * len(wanted)


def _telling(text: str) -> set[str]:
    return {stem(word.plain) for word in words(text) if word.plain not in STOP}
