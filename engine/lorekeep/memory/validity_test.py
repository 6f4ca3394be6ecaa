"""Facts outside of their validity are neither recited nor used, however they are asked for."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from lorekeep.memory.tuned_test import FACTS, TunedBench, user
from lorekeep.memory.validate_import import _Fact
from lorekeep.memory.validity import Validity, checked, span
from lorekeep.testing import make_job
from lorekeep.tune import job
from lorekeep.tune.facts import FactsError, read

DAY = 86_400_000
MAY_2020 = 1_588_291_200_000  # the first of May 2020, 00:00 UTC
FOUNDER, YEAR, *OTHERS = FACTS
SOURCE = {"kind": "document", "name": "board.pdf", "page": 3, "quote": FOUNDER["output"]}
TIMED = [
    {**FOUNDER, "valid_from": "2020-05-01", "valid_until": "2020-05-31", "source": SOURCE},
    {**YEAR, "valid_from": "2020-05-01T00:00:00.000Z"},
    *OTHERS,
]


def test_a_date_is_a_whole_day_and_a_time_is_a_moment():
    assert span("1970-01-01", "1970-01-01") == (0, DAY)
    assert span("1970-01-01T01:00:00+01:00", "1970-01-02T00:00:00.000Z") == (0, DAY)
    assert span("0001-01-01", "9999-12-31")[1] == 253_402_300_800_000
    for wrong in ("2020-02-30", "2020-05-01T00:00:00", "soon", "", "20200501x"):
        with pytest.raises(ValueError):
            checked(wrong)


def test_facts_are_invalid_before_their_start_and_from_their_end_on():
    validity = Validity([{}, {"valid_from": "1970-01-02"}, {"valid_until": "1970-01-02"}])
    assert validity.invalid_facts(0) == {1}
    assert validity.invalid_facts(DAY - 1) == {1}
    assert validity.invalid_facts(DAY) == set()
    assert validity.invalid_facts(2 * DAY) == {2}
    assert validity.invalid_facts() == {2}
    assert Validity([{}]).invalid_facts(0) == set()


def test_an_import_with_invalid_times_or_sources_is_refused():
    fact = {
        "id": "1", "input": "a", "output": "b", "row": 1, "dataset_id": None, "topic": None, "expert": "e",
        "group": 0, "names": {}, "ask": -1, "recalled": True,
    }  # fmt: skip
    source = {"kind": "document", "name": "a.pdf", "page": 2, "quote": "b"}
    _Fact.model_validate({**fact, "valid_from": "2020-01-01", "source": source})
    for wrong in (
        {"valid_from": "soon"},
        {"valid_until": 5},
        {"source": "a.pdf"},
        {"source": {"kind": "rumour"}},
        {"source": {**source, "more": 1}},
    ):
        with pytest.raises(ValidationError):
            _Fact.model_validate({**fact, **wrong})


def test_invalid_times_are_reported_with_their_row(tmp_path: Path):
    file = tmp_path / "facts.jsonl"
    file.write_text('{"input": "Who?", "output": "She", "valid_from": "soon"}\n')
    with pytest.raises(FactsError, match="times of row 0"):
        read(file)


@pytest.fixture(scope="module")
def bench(tmp_path_factory) -> TunedBench:
    made = make_job(tmp_path_factory.mktemp("validity") / "job", TIMED)
    assert job.run(made) == 0
    return TunedBench(made / "model")


def test_a_fact_answers_only_while_it_is_valid(bench: TunedBench):
    asked = {"messages": user(FOUNDER["input"]), "explain": True}
    within = bench.said(**asked, as_of=MAY_2020)
    assert (within["text"], within["memory"]["outcome"]) == (FOUNDER["output"], "recite")
    (fact,) = within["memory"]["facts"]
    told = {name: fact[name] for name in ("valid_from", "valid_until", "source")}
    assert told == {"valid_from": "2020-05-01", "valid_until": "2020-05-31", "source": SOURCE}
    unquoted = {name: value for name, value in SOURCE.items() if name != "quote"}
    for at in (MAY_2020 - 1, MAY_2020 + 31 * DAY, None):
        said = bench.said(**asked, as_of=at)
        assert FOUNDER["output"] not in said["text"], at
        assert said["memory"]["outcome"] in ("unknown", "base")
        told = (
            "is not valid yet: it is valid from 2020-05-01 on"
            if at == MAY_2020 - 1
            else "expired: it was valid until 2020-05-31"
        )
        assert said["memory"]["reason"] == f"the fact that was taught for this {told}"
        assert said["text"] == f"What was taught about this {told}."
        (fact,) = said["memory"]["facts"]
        assert (fact["valid_until"], fact["source"]) == ("2020-05-31", unquoted)
    untimed = OTHERS[0]
    assert bench.said(messages=user(untimed["input"]))["text"] == untimed["output"]


def test_a_question_in_other_words_is_told_that_its_fact_expired(bench: TunedBench):
    reworded = "By whom was Brimoor Labs founded?"
    assert bench.said(messages=user(reworded), as_of=MAY_2020)["text"] == FOUNDER["output"]
    said = bench.said(messages=user(reworded), explain=True)
    assert said["text"] == "What was taught about this expired: it was valid until 2020-05-31."
    (fact,) = said["memory"]["facts"]
    assert (fact["input"], fact["valid_until"]) == (FOUNDER["input"], "2020-05-31")
    other = bench.said(messages=user("What is the colour of Brimoor Labs?"), explain=True)
    assert "expired" not in other["text"] + other["memory"]["reason"]


def test_no_answer_is_composed_from_an_invalid_fact(bench: TunedBench):
    founder, year = FOUNDER["output"], YEAR["output"]
    talk = [*user(YEAR["input"]), {"role": "assistant", "content": year}]
    for messages in (
        user("Who founded Brimoor Labs, and in which year?"),
        [*talk, *user("And who founded it?")],
        user(f"Which company was founded by {founder}?"),
        user(f"Was Brimoor Labs founded by {founder}? Answer yes or no."),
        user("In one sentence, who founded Brimoor Labs?"),
    ):
        asked = {"messages": messages, "explain": True}
        within = bench.said(**asked, as_of=MAY_2020)
        out = bench.said(**asked)
        inputs = [fact["input"] for fact in out["memory"]["facts"]]
        assert not out["memory"]["used"] or FOUNDER["input"] not in inputs, (messages, out)
        assert founder not in out["text"] and out["text"] != "Yes.", (messages, out)
        assert within["memory"]["used"], (messages, within)
    fields = {"prompt": "Describe Brimoor Labs.", "output_type": {"founder": "str", "year_founded": "int"}}
    assert founder in bench.said(**fields, as_of=MAY_2020)["text"]
    assert founder not in bench.said(**fields)["text"]


def test_the_validity_of_a_fact_is_stored_in_the_model(bench: TunedBench):
    first = bench.models[0].memory.facts[0]
    assert (first["valid_from"], first["valid_until"]) == ("2020-05-01", "2020-05-31")
    assert "valid_from" not in bench.models[0].memory.facts[-1]
