"""Facts of organisations (`engine/quill/text/organisations/`, `domains.jsonl`) with questions of people about them, for both fits. Those of
the base's exam are excluded: `domains.py` and the exam use them for evaluation."""

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "engine")]

from lorekeep.routing.embedders.parts import router_parts
from quill.text.organisations import Organisation, organisations


def of_organisations(exam: bool = False) -> list[dict]:
    """Facts in the form of beside.jsonl. A question that no fact answers is a near miss of the most similar fact."""
    return [
        fact
        for number, one in enumerate(organisations(exam))
        for fact in _facts(one, f"organisation {number}")
    ]


def _facts(one: Organisation, topic: str) -> list[dict]:
    made = [
        {"input": fact.question, "output": fact.answer, "topic": topic, "rewordings": [], "near_misses": []}
        for fact in one.facts
    ]
    for ask in one.asks:
        if ask.kind == "same":
            made[ask.facts[0]]["rewordings"].append(ask.question)
    lost = [ask.question for ask in one.asks if ask.kind == "none"]
    if lost:
        embed, _ = router_parts()
        likeness_N_F = embed(lost) @ embed([fact["input"] for fact in made]).T
        for question, fact in zip(lost, np.argmax(likeness_N_F, axis=1), strict=True):
            made[fact]["near_misses"].append(question)
    return [fact for fact in made if fact["rewordings"]]
