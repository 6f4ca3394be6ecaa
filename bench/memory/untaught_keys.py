"""Requests for JSON of handbooks/, each asked twice: with all facts, and with the fact of its last key withheld. Prints how many are
answered right, and how many get a value for the key whose fact is withheld.

    python bench/memory/untaught_keys.py --each 8 authors-and-books ice-rink"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "engine"), str(HERE)]

from lorekeep.answering.decide import Decider
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.policy import Policy
from lorekeep.routing.gate import calibrate, stored_gate
from lorekeep.routing.router import Router
from lorekeep.routing.stored_keys import Entry, keys_of, names_of
from quill.text.organisations import Organisation, parse
from written import router_parts

FOLDER = HERE / "handbooks"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "handbooks", nargs="*", help="names without json-; all that have such requests without any"
    )
    parser.add_argument("--each", type=int, default=1000, help="maximum number of requests of a handbook")
    said = parser.parse_args()
    paths = [FOLDER / f"json-{name}.txt" for name in said.handbooks] or sorted(FOLDER.glob("json-*.txt"))
    counts: Counter[str] = Counter()
    for path in paths:
        counts += ask(parse(path.read_text("utf-8"), path.stem), said.each)
    for what, count in sorted(counts.items()):
        print(f"{what:32}{count:6}")


def ask(handbook: Organisation, most: int) -> Counter[str]:
    embed, vocabulary = router_parts()
    entries = [Entry(fact.question, fact.answer) for fact in handbook.facts]
    keys = keys_of(entries, names_of(entries, vocabulary), embed)
    router = Router(entries, keys, stored_gate({}), vocabulary, embed)
    router.gate = calibrate(router)
    withheld: set[int] = set()
    decider = Decider(Knowledge(router), lambda fact: fact not in withheld)

    def values(question: str) -> dict[str, list[str]] | None:
        found = router.route(question, whole=question, without=frozenset(withheld))
        text = decider.decide(found, question, [], "balanced", Policy()).text
        try:
            return values_by_key(json.loads(text or ""))
        except ValueError:
            return None

    counts: Counter[str] = Counter()
    asks = [one for one in handbook.asks if one.kind == "json" and len(one.facts) > 1]
    for one in asks[:most]:
        wanted = dict(
            zip((key.strip().strip('"').lower() for key in one.answer.split(",")), one.facts, strict=True)
        )
        last = list(wanted)[-1]
        withheld.clear()
        told = values(one.question)
        whole = told is not None and all(has(told, key, entries[fact].output) for key, fact in wanted.items())
        counts["all facts: " + ("right" if whole else "refused" if told is None else "wrong")] += 1
        withheld.add(wanted[last])
        told = values(one.question)
        filled = told is not None and bool(told.get(last.split(".")[-1]))
        counts["one withheld: " + ("refused" if told is None else "a value" if filled else "empty")] += 1
    return counts


def values_by_key(value: Any, key: str = "") -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, inner in walked(value, key):
        found.setdefault(name.lower(), []).append(inner.lower().rstrip("."))
    return found


def walked(value: Any, key: str) -> Iterator[tuple[str, str]]:
    """The values that are there, each with its key."""
    if isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else ((key, one) for one in value):
            yield from walked(inner, name)
    elif value not in (None, ""):
        yield key, str(value)


def has(told: dict[str, list[str]], key: str, answer: str) -> bool:
    return any(value in answer.lower() for value in told.get(key.split(".")[-1], []))


if __name__ == "__main__":
    main()
