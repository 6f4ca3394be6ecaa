"""Measures once per base whether it answers from facts in its prompt, and stores the result in its folder. The first tuning job on a
base asks it questions that ship with the engine; a base that cannot answer from facts is detected after a few questions."""

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

# Number of questions, batch size, and number of distractor facts. Minimum share of right answers, and minimum share of the content
# words of a fact's answer that a right answer contains.
_QUESTIONS, _BATCH_SIZE, _DISTRACTORS, RIGHT, _MIN_WORD_SHARE = 24, 8, 4, 0.7, 0.6
# Maximum words of an expected answer, since a base paraphrases long ones; maximum tokens of the base's answer.
_MAX_WORDS, _MAX_TOKENS = 8, 64
# Minimum context in tokens: the longest prompt, used to measure the judgement on a model's own facts, and a margin.
_MIN_CONTEXT = 768
# Minimum number of questions for a stored measurement to count.
_MIN_ASKED = 20
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def reads_facts(trainer: Trainer) -> bool:
    """Whether a base answers from facts. A base is not asked if it has no chat template, since nothing tells it where the answer begins, or
    if its context is too short for the facts."""
    if not trainer.generator.tokenizer.chat_template or trainer.folder.context < _MIN_CONTEXT:
        return False
    said = cached_measure(trainer.folder.path, "use", lambda: _measured(trainer))
    try:
        return said["asked"] >= _MIN_ASKED and said["right"] >= RIGHT
    except (TypeError, KeyError):
        return False


def cached_measure(folder: Path, name: str, measure: Callable[[], dict]) -> dict:
    """Returns the measurement stored in lorekeep.json of the base's folder, or makes it and stores it there if the file is writable. A
    damaged lorekeep.json is left unchanged."""
    mark = read_mark(folder)
    if isinstance(mark.get(name), dict):
        return mark[name]
    found = measure()
    with suppress(OSError):
        if (mark := read_mark(folder)) or not (folder / MARK).exists():
            write_mark(folder, {**mark, name: found})
    return found


def _measured(trainer: Trainer) -> dict:
    """Asks until all questions are answered, or too many answers are wrong to reach the minimum share."""
    choose = random.Random(0)
    short = [fact for some in questions().facts for fact in some if len(fact["output"].split()) <= _MAX_WORDS]
    facts = choose.sample(short, _QUESTIONS)
    right, wrong = 0, 0
    for at in range(0, _QUESTIONS, _BATCH_SIZE):
        batch = facts[at : at + _BATCH_SIZE]
        texts = [f"{fact_lines(_with_distractors(fact, choose))}\n{fact['rewordings'][0]}" for fact in batch]
        for fact, answer in zip(batch, answers_of(trainer, texts), strict=True):
            if states_fact(answer, fact["output"]):
                right += 1
            else:
                wrong += 1
        if wrong > _QUESTIONS * (1 - RIGHT):
            break
    return {"asked": right + wrong, "right": round(right / (right + wrong), 3)}


def _with_distractors(fact: dict, choose: random.Random) -> list[dict]:
    """A fact at a random position among distractors of its set."""
    others = [other for other in questions().facts[fact["set"]] if other is not fact]
    facts = [fact, *choose.sample(others, _DISTRACTORS)]
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
    """Whether a paraphrased answer states the fact: it has all of its numbers and most of its content words."""
    if repeats(answer) or not set(_NUMBER.findall(taught)) <= set(_NUMBER.findall(answer)):
        return False
    wanted, said = _content_words(taught), _content_words(answer)
    return bool(said) and len(wanted & said) >= _MIN_WORD_SHARE * len(wanted)


def _content_words(text: str) -> set[str]:
    return {stem(word.plain) for word in words(text) if word.plain not in STOP}
