"""A tuned model answers in JSON of a schema: complete, valid, from facts or refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from lorekeep.answering.judgement import Judgement
from lorekeep.answering.schemas.prompted_test import SCHEMA
from lorekeep.errors import EngineError
from lorekeep.infer.schemas.document_test import an_object
from lorekeep.memory.tuned_test import TunedBench, user
from lorekeep.testing import make_job
from lorekeep.tune import job

FACTS = [
    {"input": "What is the code of the Halvorsen winch?", "output": "HW-4471-B"},
    {"input": "How much does the Halvorsen winch cost?", "output": "€1,249.50"},
    {"input": "Who designed the Halvorsen winch?", "output": "Signe Halvorsen"},
    {"input": "What is the return policy of Nordlift?", "output": 'Within 30 days.\nThe customer pays the postage.\n\n"Special orders" are excluded. 🙂'},
]  # fmt: skip
STRING, INTEGER = {"type": "string"}, {"type": "integer"}
DESIGNER = FACTS[2]["input"]
SENTENCE = "Not known."

pytestmark = pytest.mark.usefixtures("whole_base")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = make_job(tmp_path_factory.mktemp("schemas") / "job", FACTS)
    assert job.run(made) == 0
    return made / "model"


@pytest.fixture(scope="module")
def bench(folder: Path) -> TunedBench:
    return TunedBench(folder)


def said(bench: TunedBench, asked: str | list, schema: Any, **request) -> tuple[Any, str, dict]:
    messages = user(asked) if isinstance(asked, str) else asked
    end = bench.said(messages=messages, json_schema=schema, explain=True, unknown_answer=SENTENCE, **request)
    return json.loads(end["text"]), end["finish_reason"], end["memory"]


NULLABLE = {"anyOf": [STRING, {"type": "null"}]}
REFERENCED = {"$defs": {"Answer": an_object({"designer": NULLABLE})}, "$ref": "#/$defs/Answer"}


@pytest.mark.parametrize(
    ("asked", "schema", "wanted", "outcome"),
    [
        (DESIGNER, an_object({"answer": NULLABLE}), {"answer": "Signe Halvorsen"}, "recite"),
        (DESIGNER, REFERENCED, {"designer": "Signe Halvorsen"}, "recite"),
        (DESIGNER, an_object({"reasoning": STRING, "answer": STRING}), {"reasoning": "", "answer": "Signe Halvorsen"}, "recite"),
        (FACTS[3]["input"], an_object({"answer": STRING}), {"answer": FACTS[3]["output"]}, "recite"),
        (FACTS[1]["input"], an_object({"price": {"type": "number"}}), {"price": 1249.5}, "ground"),
        (DESIGNER, an_object({"name": STRING, "age": INTEGER}), {"name": SENTENCE, "age": 0}, "unknown"),
        (FACTS[0]["input"], an_object({"code": {"type": "string", "maxLength": 6}}), {"code": ""}, "unknown"),
        (DESIGNER, {"type": "object"}, {"designed": "Signe Halvorsen"}, "ground"),
        ("What is the capital of France?", an_object({"answer": STRING, "year": INTEGER}), {"answer": SENTENCE, "year": 0}, "unknown"),
        ("What is the capital of France?", {"type": "object"}, {"answer": SENTENCE}, "unknown"),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("answer_from", ["all", "facts"])
def test_json_is_complete_and_from_facts_or_empty(bench, answer_from, asked, schema, wanted, outcome):
    assert said(bench, asked, schema, answer_from=answer_from)[:2] == (wanted, "stop")
    values, reason, memory = said(bench, asked, schema, answer_from=answer_from, stream=True)
    assert (values, reason, memory["outcome"]) == (wanted, "stop", outcome)
    assert "".join(bench.deltas()) == json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def test_a_limit_of_tokens_still_ends_a_document(bench: TunedBench):
    values, reason, _ = said(bench, FACTS[3]["input"], an_object({"answer": STRING}), max_tokens=16)
    assert reason == "length" and FACTS[3]["output"].startswith(values["answer"])


@pytest.mark.parametrize("asked", [DESIGNER, "Who sold the Halvorsen winch?", "Hello!"])
def test_an_impossible_schema_is_refused_at_once(bench: TunedBench, asked: str, monkeypatch):
    monkeypatch.setattr(bench.models[0], "decide", lambda *_: 1 / 0)
    for schema, more, code in (
        (an_object({"x": {"not": {}}}), {}, "schema_impossible"),
        (an_object({"a long key" * 9: STRING}), {"max_tokens": 5}, "max_tokens_too_small"),
    ):
        with pytest.raises(EngineError) as caught:
            bench.ask("1", messages=user(asked), json_schema=schema, **more)
        assert caught.value.code == code


def test_what_a_base_writes_in_json_ends_without_endless_digits_and_repeats(bench: TunedBench):
    """No fact answers, and the message is no bare question, so the base writes all of the object."""
    schema = an_object({"answer": STRING, "count": INTEGER, "share": {"type": "number"}})
    for asked in ("Hello!", "Context: Ada Quist is 41 years old.\nQuestion: How old is Ada Quist?"):
        values, reason, memory = said(bench, asked, schema)
        assert (reason, memory["outcome"]) == ("stop", "base")
        assert len(values["answer"]) < 120 and len(str(values["count"])) <= 8


def test_a_base_that_reads_facts_writes_no_value_that_may_not_be_empty(folder: Path, monkeypatch):
    bench = TunedBench(folder)
    model = bench.models[0]
    model.reads_facts, model.judgement = True, Judgement()
    read: list[str] = []
    submit = model.base.submit

    def noted(request, *given, **named):
        read.extend(["facts"] if named.get("review") else [])
        submit(request, *given, **named)

    monkeypatch.setattr(model.base, "submit", noted)
    asked = "Who sold the Halvorsen winch?"
    said(bench, asked, an_object({"seller": STRING}))
    assert read == ["facts"]
    for schema, question in (
        (an_object({"seller": {"enum": ["Signe", "Halvorsen"]}}), asked),
        (an_object({"designer": {"enum": ["Ada", "Ben"]}}), DESIGNER),
    ):
        read.clear()
        _, _, memory = said(bench, question, schema)
        assert (read, memory["outcome"]) == ([], "unknown")


def test_a_schema_in_a_prompt_is_that_of_the_answer(bench: TunedBench):
    told = {
        "role": "system",
        "content": f"Always respond with a JSON object that fits this schema: {json.dumps(SCHEMA)}",
    }
    code = {"code": "HW-4471-B"}
    assert said(bench, [told, *user(FACTS[0]["input"])], None)[0] == code
    assert said(bench, [told, *user(FACTS[0]["input"])], {"type": "object"})[0] == code
    both = f"{FACTS[0]['input']}\n\nThe JSON schema:\n{json.dumps(SCHEMA)}"
    assert said(bench, both, {"type": "object"})[0] == code
    # A schema that cannot be used is only read.
    broken = {**SCHEMA, "not": {}}
    told_broken = {"role": "system", "content": f"Respond in JSON: {json.dumps(broken)}"}
    assert bench.said(messages=[told_broken, *user(DESIGNER)])["text"] == "Signe Halvorsen"
    # A field of the request counts for more, and the base reads its own prompt.
    assert said(bench, [told, *user(DESIGNER)], an_object({"by": STRING}))[0] == {"by": "Signe Halvorsen"}
    poem = {"messages": [told, *user("Write a poem about rain.")], "max_tokens": 8}
    assert bench.said(**poem) == bench.said(None, **poem)
