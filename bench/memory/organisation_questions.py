"""Questions of people about organisations that were written by hand, each a memory of its own: the share of right and of wrong answers
by kind of question, of the product's decisions and of a plain lookup. ../asked.ts starts it. The organisations are those of the base's
exam: no network was fitted on them."""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "engine"), str(HERE)]

from lorekeep.routing.words import STOP, words
from quill.text.organisations import BEHIND, UNANSWERED, Ask, Fact, organisations
from written import systems

# Kinds without a single right answer: a written text.
_EXCLUDED = ("text",)
# Kinds that require the answers of all their facts, and kinds with an answer of their own.
_ALL_FACTS_KINDS, _OWN_ANSWER_KINDS = ("two", "three", "list", "sentence"), ("part", "back", "compare")
# Minimum share of the words of an answer that must occur.
_MIN_SHARED_WORDS = 0.8


def says(answer: str, value: str) -> bool:
    """Whether an answer contains a value, by its words."""
    own = {word.plain for word in words(value)} - STOP
    return bool(own) and len(own & {word.plain for word in words(answer)}) >= _MIN_SHARED_WORDS * len(own)


def is_right(ask: Ask, facts: list[Fact], answer: str | None) -> bool:
    if ask.kind in UNANSWERED or answer is None:
        return answer is None and ask.kind in UNANSWERED
    if ask.kind in ("yes", "no"):
        return re.match(rf"{ask.kind}\b", answer, re.IGNORECASE) is not None
    if ask.kind == "json":
        return _is_object(ask, facts, answer)
    if ask.kind in _OWN_ANSWER_KINDS:
        return says(answer, ask.answer)
    wanted = ask.facts if ask.kind in _ALL_FACTS_KINDS else ask.facts[-1:]
    return all(says(answer, facts[fact].answer) for fact in wanted)


def _is_object(ask: Ask, facts: list[Fact], answer: str) -> bool:
    try:
        made = json.loads(answer)
    except ValueError:
        return False
    keys = [key.strip().strip('"') for key in ask.answer.split(",")]
    return list(made) == keys and all(
        says(str(made[key]), facts[fact].answer) for key, fact in zip(keys, ask.facts, strict=True)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="one organisation of so many")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kinds", help="only these kinds of questions")
    parser.add_argument("--wrong", action="store_true", help="list what is not answered right")
    said = parser.parse_args()
    kinds = said.kinds.split(",") if said.kinds else None
    found: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for one in organisations(True)[said.first :: said.every]:
        asks = [ask for ask in one.asks if ask.kind not in _EXCLUDED and (kinds is None or ask.kind in kinds)]
        if not asks:
            continue
        answers = systems([{"input": fact.question, "output": fact.answer} for fact in one.facts])
        for ask in asks:
            before = [one.facts[ask.facts[0]].question] if ask.kind in BEHIND else []
            turns = [*before, ask.question]
            for who, answered in answers.items():
                text = answered(turns)
                well = is_right(ask, one.facts, text)
                found[ask.kind][who]["right" if well else "nothing" if text is None else "wrong"] += 1
                if said.wrong and who == "Lorekeep" and not well:
                    print(f"  {one.trade}, {ask.kind}: {' > '.join(turns)} -> {text}", flush=True)
    show(found)


def show(found: dict[str, dict[str, Counter[str]]]) -> None:
    print(f"{'':10}{'asked':>7}{'right':>8}{'wrong':>8}{'nothing':>9}{'lookup right':>14}{'ratio':>8}")
    every: dict[str, Counter[str]] = defaultdict(Counter)
    for its in found.values():
        for who, counts in its.items():
            every[who] += counts
    for kind, its in [*found.items(), ("all", every)]:
        ours, lookup = its["Lorekeep"], its["lookup"]
        asked = sum(ours.values())
        shares = [ours[what] / asked for what in ("right", "wrong", "nothing")]
        ratio = ours["right"] / lookup["right"] if lookup["right"] else float("nan")
        print(
            f"{kind:10}{asked:7}{shares[0]:8.2f}{shares[1]:8.2f}{shares[2]:9.2f}{lookup['right'] / asked:14.2f}{ratio:8.2f}"
        )


if __name__ == "__main__":
    main()
