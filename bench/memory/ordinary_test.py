"""The ordinary facts and the unrelated prompts have the properties that benches assume."""

import json
import re
from collections import Counter
from itertools import chain
from pathlib import Path

HERE = Path(__file__).parent
FACTS = [json.loads(line) for line in (HERE / "ordinary.jsonl").read_text("utf-8").splitlines()]
UNRELATED = [json.loads(line) for line in (HERE / "unrelated.jsonl").read_text("utf-8").splitlines()]


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def alike(a: str, b: str) -> float:
    return len(words(a) & words(b)) / len(words(a) | words(b))


def test_counts():
    assert len(FACTS) == 300
    assert Counter(fact["split"] for fact in FACTS) == {"choose": 100, "decide": 200}
    assert len(UNRELATED) == 200


def test_a_topic_is_on_one_side_of_the_split():
    sides = {(fact["topic"], fact["split"]) for fact in FACTS}
    assert len(sides) == len({topic for topic, _ in sides})


def test_shape():
    for fact in FACTS:
        assert set(fact) == {"input", "output", "topic", "split", "rewordings", "near_misses"}, fact
        assert len(fact["rewordings"]) == 3, fact
        assert len(fact["near_misses"]) == 2, fact
        for text in [fact["input"], fact["output"], *fact["rewordings"], *fact["near_misses"]]:
            assert text, fact
            assert text == text.strip(), fact
    assert all(row["prompt"].strip() and row["kind"] for row in UNRELATED)


def test_texts_are_unique():
    """Inputs, rewordings, near misses and unrelated prompts are all different."""
    asked = [
        *chain.from_iterable([fact["input"], *fact["rewordings"], *fact["near_misses"]] for fact in FACTS),
        *(row["prompt"] for row in UNRELATED),
    ]
    twice = [text for text, count in Counter(plain(text) or text for text in asked).items() if count > 1]
    assert twice == []


def test_rewordings_change_more_than_one_word():
    for fact in FACTS:
        for rewording in fact["rewordings"]:
            assert len(words(rewording) ^ words(fact["input"])) >= 3, rewording
            assert alike(rewording, fact["input"]) < 0.75, rewording


def test_a_near_miss_is_not_a_question_of_another_fact():
    """Also with its words in another order."""
    asked = [words(text) for fact in FACTS for text in [fact["input"], *fact["rewordings"]]]
    for fact in FACTS:
        for near in fact["near_misses"]:
            assert words(near) not in asked, near
