"""Facts of 180 small organisations, each a memory of its own: the share of rewordings that find their fact, of near misses that
find a fact although none answers them, and of claims that are decided right, by the product's decisions at each gate and by a plain
lookup. ../domains.ts starts it. Nothing was fitted on these questions but the thresholds of small memories
(engine/lorekeep/routing/question_match.py), on every sixth organisation after the first."""

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "engine"), str(HERE)]

from lorekeep.answering.decide import Decider
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.policy import Policy
from lorekeep.routing.gate import calibrate, stored_gate
from lorekeep.routing.router import BUDGETS, Router
from lorekeep.routing.stored_keys import Entry, keys_of, names_of
from written import LOOKUP, router_parts


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=3, help="one organisation of so many")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--together", type=int, default=1, help="so many organisations share a memory")
    said = parser.parse_args()
    groups = [json.loads(line) for line in (HERE / "domains.jsonl").read_text("utf-8").splitlines()]
    groups = groups[said.first :: said.every]
    right: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for at in range(0, len(groups), said.together):
        for kind, who, well in answers_of(groups[at : at + said.together]):
            right[kind, who].append(well)
    asked = list(dict.fromkeys(kind for kind, _ in right))
    whos = [*BUDGETS, "lookup"]
    print(f"{len(groups)} organisations, {said.together} a memory; the share that is right")
    print(f"{'':16}{'asked':>7}" + "".join(f"{who:>10}" for who in whos) + f"{'ratio':>7}")
    for kind in asked:
        shares = [float(np.mean(right[kind, who])) for who in whos]
        ratio = shares[1] / shares[-1] if shares[-1] else float("nan")
        print(
            f"{kind:16}{len(right[kind, 'lookup']):7}"
            + "".join(f"{s:10.3f}" for s in shares)
            + f"{ratio:7.2f}"
        )


def answers_of(groups: list[dict]):
    """Each question of a memory: its kind, the system asked, and whether the answer is right."""
    embed, vocabulary = router_parts()
    entries = [Entry(*fact) for group in groups for fact in group["facts"]]
    router = Router(
        entries, keys_of(entries, names_of(entries, vocabulary), embed), stored_gate({}), vocabulary, embed
    )
    router.gate = calibrate(router)
    decider = Decider(Knowledge(router), lambda fact: True)
    questions_F_D = embed([entry.input for entry in entries])
    offset = 0
    for group in groups:
        for kind, text, fact, *verdict in group["asks"]:
            name = {"same": "reworded", "near": "near miss"}.get(kind) or f"claim: {verdict[0]}"
            taught = entries[offset + fact].output
            for budget in BUDGETS:
                made = decider.decide(router.route(text, budget, whole=text), text, [], budget, Policy())
                answer = entries[made.facts[0]].output if made.outcome == "recite" else made.text
                yield name, budget, is_right(kind, verdict, taught, answer)
            alike_F = questions_F_D @ embed([text])[0]
            found = entries[int(np.argmax(alike_F))].output if alike_F.max() >= LOOKUP else None
            yield name, "lookup", is_right(kind, verdict, taught, found)
        offset += len(group["facts"])


def is_right(kind: str, verdict: list[str], taught: str, answer: str | None) -> bool:
    low = (answer or "").lower()
    if kind == "same":
        return taught.rstrip(".").lower() in low
    if kind == "near":
        return answer is None
    word = low.replace(",", " ").replace(".", " ").split(" ")[0]
    return word == verdict[0] if verdict[0] != "unknown" else word not in ("yes", "no")


if __name__ == "__main__":
    main()
