"""Facts and questions of thirteen organisations, written one by one: the share of right answers of the product's decisions and of a plain
lookup, by kind of question. ../written.ts starts it. The product was developed on these; "telecom", "zoo", "brewery" and "theatre" beside
them are held out: only their totals are looked at."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import torch

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "engine")]
torch.set_num_threads(1)

from lorekeep.answering.decide import Decider, Turn
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.policy import Policy
from lorekeep.routing.embedders import parts
from lorekeep.routing.gate import calibrate, stored
from lorekeep.routing.router import Entry, Router, keys_of, names_of

WORLDS = (
    "pumps",
    "software",
    "hospital",
    "city",
    "hotel",
    "college",
    "freight",
    "railway",
    "library",
    "bakery",
    "ferry",
    "clinic",
    "solar",
)
# Likeness from which the lookup answers.
LOOKUP = 0.7
Answer = Callable[[list[str]], str | None]  # of a conversation, the answer from facts to its last message


def lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (HERE / "written" / name).read_text("utf-8").splitlines()]


# Read once, since loading the embedding model takes longer than asking a small organisation.
router_parts = cache(parts.router_parts)


def systems(facts: list[dict]) -> dict[str, Answer]:
    embed, vocabulary = router_parts()
    entries = [Entry(fact["input"], fact["output"]) for fact in facts]
    keys = keys_of(entries, names_of(entries, vocabulary), embed)
    router = Router(entries, keys, stored({}), vocabulary, embed)
    router.gate = calibrate(router)
    decider = Decider(Knowledge(router), lambda fact: True)
    questions_F_D = embed([entry.input for entry in entries])

    def product(turns: list[str]) -> str | None:
        earlier: list[Turn] = []
        answer = None
        for text in turns:
            found = router.route(text, whole=text)
            made = decider.decide(found, text, earlier, "balanced", Policy())
            answer = entries[made.facts[0]].output if made.outcome == "recite" else made.text
            earlier += [Turn("user", text), Turn("assistant", answer or "I do not know.")]
        return answer

    def lookup(turns: list[str]) -> str | None:
        alike_F = questions_F_D @ embed([turns[-1]])[0]
        return entries[int(np.argmax(alike_F))].output if alike_F.max() >= LOOKUP else None

    return {"Lorekeep": product, "lookup": lookup}


def right(asked: dict, answer: str | None) -> bool:
    if asked["refuse"]:
        return answer is None
    low = (answer or "").lower()
    no = low.strip(" .") == "no"
    return all(any(one in low or (no and one.startswith("no")) for one in group) for group in asked["accept"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--worlds", default=",".join(WORLDS))
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--kinds", help="only the kinds of questions whose names contain one of these")
    said = parser.parse_args()
    kinds = said.kinds.split(",") if said.kinds else [""]
    asked_of: Counter[str] = Counter()
    rights: dict[str, Counter[str]] = {"Lorekeep": Counter(), "lookup": Counter()}
    wrongly: Counter[str] = Counter()
    for world in said.worlds.split(","):
        answers = systems(lines(f"{world}-facts.jsonl"))
        for asked in lines(f"{world}-questions.jsonl"):
            if not any(kind in asked["kind"] for kind in kinds):
                continue
            asked_of[asked["kind"]] += 1
            for name, answer in answers.items():
                text = answer(asked["turns"])
                is_right = right(asked, text)
                rights[name][asked["kind"]] += is_right
                wrongly[name] += text is not None and not is_right
                if said.wrong and name == "Lorekeep" and not is_right:
                    print(f"  {world}, {asked['kind']}: {' > '.join(asked['turns'])} -> {text}")
    print(f"{'':22}{'asked':>7}{'Lorekeep':>10}{'lookup':>8}{'ratio':>7}")
    for kind, count in [*asked_of.items(), ("all", sum(asked_of.values()))]:
        ours, its = (
            sum(r.values()) if kind == "all" else r[kind] for r in (rights["Lorekeep"], rights["lookup"])
        )
        print(f"{kind:22}{count:7}{ours / count:10.2f}{its / count:8.2f}{ours / max(its, 1):7.2f}")
    print(f"answered wrongly: Lorekeep {wrongly['Lorekeep']}, lookup {wrongly['lookup']}")


if __name__ == "__main__":
    main()
