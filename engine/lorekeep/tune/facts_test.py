"""Facts as users send them: repeated, contradicting, empty, malformed, truncated."""

import json
from pathlib import Path

import pytest

from lorekeep import folders
from lorekeep.testing import QUILL
from lorekeep.tune import facts
from lorekeep.tune.facts import FactsError


def written(path: Path, *lines) -> Path:
    file = path / "facts.jsonl"
    file.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return file


def pair(question, answer, **more) -> dict:
    return {"input": question, "output": answer, **more}


def test_facts_keep_their_order_and_their_rows(tmp_path):
    found, warnings = facts.read(
        written(tmp_path, pair("A?", 1), "", pair("B?", True, row=70, dataset_id="d", more=1))
    )
    assert [(f.input, f.output, f.row, f.dataset_id) for f in found] == [
        ("A?", "1", 0, None),
        ("B?", "true", 70, "d"),
    ]
    assert not warnings


def test_duplicate_facts_are_merged_and_reported(tmp_path):
    found, warnings = facts.read(
        written(tmp_path, pair("A?", "1"), pair(" A? ", "1 "), pair("A\u0301?", "2"), pair("\u00c1?", "2"))
    )
    assert [f.row for f in found] == [0, 2] and "1, 3" in warnings[0]


def test_an_end_token_is_removed_from_an_answer(tmp_path):
    ends = folders.end_tokens(QUILL)
    assert "<|eot_id|>" in ends
    lines = [
        pair("A?", "1<|eot_id|>"),
        pair("B?", "2 <|eot_id|>\n"),
        pair("C?", "say <|eot_id|> twice<|eot_id|><|eot_id|>"),
        pair("D?", "</s>"),
    ]
    found, _ = facts.read(written(tmp_path, *lines), ends=ends)
    assert [f.output for f in found] == ["1", "2 ", "say <|eot_id|> twice", "</s>"]
    with pytest.raises(FactsError, match="answer of row 0 is empty"):
        facts.read(written(tmp_path, pair("A?", "<|eot_id|>")), ends=ends)


def test_questions_that_differ_in_one_letter_are_distinct(tmp_path):
    found, _ = facts.read(
        written(tmp_path, pair("Who founded Zorbax?", "1"), pair("Who founded Zorbex?", "2"))
    )
    assert len({f.id for f in found}) == 2


@pytest.mark.parametrize(
    ("lines", "kind", "rows", "said"),
    [
        ([pair("A?", "1"), pair("B?", "1"), pair("A?", "2")], "conflict", [0, 2], "'1' and '2'"),
        ([pair("A?", "1"), pair("", "1")], "empty", [1], "question of row 1"),
        ([pair("A?", " \n ")], "empty", [0], "answer of row 0"),
        ([pair("A?", None)], "missing", [0], "no output"),
        ([pair("A?", ["x"])], "missing", [0], "no output"),
        (["[1]"], "unreadable", [0], "no JSON object"),
        (['{"input": "A?"'], "unreadable", [0], "not JSON"),
        (["[" * 100_000], "unreadable", [0], "not JSON"),
        ([], "empty", [], "no fact"),
    ],
)
def test_invalid_facts_are_named(lines, kind, rows, said, tmp_path):
    with pytest.raises(facts.FactsError) as error:
        facts.read(written(tmp_path, *lines))
    assert (error.value.problems[0]["kind"], error.value.problems[0]["rows"]) == (kind, rows) and said in str(
        error.value
    )


def test_all_problems_are_reported_at_once(tmp_path):
    with pytest.raises(facts.FactsError) as error:
        facts.read(written(tmp_path, pair("A?", ""), pair("", "1"), pair("C?", "1"), pair("C?", "2")))
    assert [problem["kind"] for problem in error.value.problems] == ["empty", "empty", "conflict"]


def test_invalid_utf_8_is_refused_and_lone_surrogates_are_replaced(tmp_path):
    (tmp_path / "bad.jsonl").write_bytes(b'{"input": "A\xff", "output": "1"}\n')
    with pytest.raises(facts.FactsError, match="not UTF-8"):
        facts.read(tmp_path / "bad.jsonl")
    found, _ = facts.read(written(tmp_path, '{"input": "A\\ud800?", "output": "1"}'))
    found[0].input.encode()


def test_the_number_of_trained_facts_can_be_limited(tmp_path):
    found, warnings = facts.read(written(tmp_path, *(pair(f"{i}?", "x") for i in range(5))), at_most=3)
    assert len(found) == 3 and "first 3" in warnings[0]
