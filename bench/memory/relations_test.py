"""The relations that the relation matrix was fitted on: their form, and their separation from evaluation data."""

import json
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE)]

from generated import DECIDING, FRAMES_BY_ENTITY

RELATIONS = [json.loads(line) for line in (HERE / "relations.jsonl").read_text("utf-8").splitlines()]


def test_shape():
    assert len(RELATIONS) == 377
    for row in RELATIONS:
        assert set(row) == {"subject", "relation", "asks"} and len(row["asks"]) == 10, row
        assert all(text and text == text.strip() for text in row["asks"]), row
    asked = Counter((row["subject"], text.lower()) for row in RELATIONS for text in row["asks"])
    assert [asked for asked, count in asked.items() if count > 1] == []


def test_no_evaluation_data_was_fitted_on():
    decides = {
        question.format(e="it").replace("it's", "its").lower()
        for kind in DECIDING
        for frame in FRAMES_BY_ENTITY[kind]
        for question in frame.questions + frame.unseen_questions
    }
    assert not {text.lower() for row in RELATIONS for text in row["asks"]} & decides
