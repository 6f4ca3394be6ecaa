"""The pairs that matching was fitted on: their form, and their separation from evaluation data."""

import json
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent


def read(name):
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


PAIRS, BESIDE, ORDINARY, UNASKED, UNRELATED = (
    read(name)
    for name in ("pairs.jsonl", "beside.jsonl", "ordinary.jsonl", "unasked.jsonl", "unrelated.jsonl")
)
FITTED = PAIRS + BESIDE


def asked(facts: list[dict]) -> list[str]:
    return [text for fact in facts for text in [fact["input"], *fact["rewordings"], *fact["near_misses"]]]


def test_shape():
    assert (len(PAIRS), len(BESIDE)) == (970, 6850)
    for fact in FITTED:
        assert set(fact) == {"input", "output", "topic", "rewordings", "near_misses"}, fact
        assert 2 <= len(fact["rewordings"]) <= 4 and 2 <= len(fact["near_misses"]) <= 4, fact
        assert all(text and text == text.strip() for text in [fact["output"], *asked([fact])]), fact
    assert [text for text, count in Counter(asked(FITTED)).items() if count > 1] == []


def test_no_evaluation_data_was_fitted_on():
    assert not set(asked(FITTED)) & set(asked(ORDINARY))
    assert not {fact["topic"] for fact in FITTED} & {fact["topic"] for fact in ORDINARY}
    assert not {row["prompt"] for row in UNASKED} & {row["prompt"] for row in UNRELATED}
