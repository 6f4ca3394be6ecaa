"""The engine process: every answer conforms to the protocol, and every failure is reported."""

import json
import os
import threading
from typing import cast

import pytest
from transformers import AutoTokenizer

from lorekeep import protocol
from lorekeep.models import Model, Settings
from lorekeep.serve import Engine
from lorekeep.testing import QUILL, Process, save_model

MODEL = str(QUILL)


@pytest.fixture(scope="module")
def engine():
    process = Process(
        "--memory", "2000000000", "--cache", "100000000", "--queue", "8", "--batch", "4", anew=True
    )
    hello = process.next()
    assert (
        hello["type"] == "hello"
        and hello["protocol"] == protocol.VERSION
        and hello["pid"] == process.child.pid
    )
    yield process
    assert process.close() == 0


def ask(engine: Process, **message) -> dict:
    engine.send({"id": "1", **message})
    return protocol.answers.validate_python(
        engine.next("end", "error", "loaded", "status", "vectors")
    ).model_dump()


def test_a_model_is_loaded_on_its_first_request_with_progress(engine: Process):
    engine.send({"type": "generate", "id": "first", "model": MODEL, "prompt": "Hello", "max_tokens": 4})
    stages = []
    while (answer := engine.next())["type"] == "progress":
        said = protocol.answers.validate_python(answer)
        assert isinstance(said, protocol.Progress)
        stages.append(said.stage)
    assert answer["type"] == "end" and answer["id"] == "first"
    assert "reading" in stages and stages[-1] == "preparing"
    loaded = ask(engine, type="load", model=MODEL)
    assert (loaded["family"], loaded["context"], loaded["chat"]) == ("llama", 2048, True)


def test_streamed_text_adds_up(engine: Process):
    engine.send(
        {
            "type": "generate",
            "id": "s",
            "model": MODEL,
            "messages": [{"role": "user", "content": "Hello"}],
            "stream": True,
            "logprobs": 1,
        }
    )
    text, told = "", 0
    while (answer := engine.next())["type"] == "delta":
        protocol.answers.validate_python(answer)
        text += answer["text"]
        told += len(answer["logprobs"])
    assert answer["type"] == "end" and answer["text"] == text != ""
    assert len(answer["logprobs"]) == told == answer["usage"]["completion_tokens"]
    assert answer["finish_reason"] == "stop"


def test_a_seed_reproduces_an_answer_in_any_batch(engine: Process):
    wanted = {"type": "generate", "model": MODEL, "prompt": "Context:", "temperature": 1.5, "max_tokens": 20}
    alone = [ask(engine, **wanted, seed=seed)["text"] for seed in (1, 2)]
    for i in range(6):
        engine.send({**wanted, "id": f"o{i}", "seed": i})
    ended = {answer["id"]: answer["text"] for answer in (engine.next("end") for _ in range(6))}
    assert alone == [ended["o1"], ended["o2"]] and alone[0] != alone[1]


def test_cancelling_ends_a_request(engine: Process):
    engine.send(
        {
            "type": "generate",
            "id": "c",
            "model": MODEL,
            "prompt": "The library",
            "max_tokens": 1900,
            "no_repeat_ngram_size": 0,  # a looping answer continues until it is cancelled
            "stream": True,
        }
    )
    engine.next("delta")
    engine.send({"type": "cancel", "id": "c"})
    end = engine.next("end")
    assert (end["id"], end["finish_reason"]) == ("c", "cancelled")


def test_requests_are_refused_when_the_queue_is_full(engine: Process):
    for i in range(30):
        engine.send({"type": "generate", "id": str(i), "model": MODEL, "prompt": "a", "max_tokens": 40})
    answers = [engine.next("end", "error") for _ in range(30)]
    shed = [answer for answer in answers if answer["type"] == "error"]
    assert {answer["code"] for answer in shed} == {"overloaded"} and 0 < len(shed) <= 30 - 8
    assert len({answer["id"] for answer in answers}) == 30


@pytest.mark.parametrize(
    ("line", "id"),
    [
        ("nonsense", None),
        ("[1]", None),
        ('{"type":"generate","id":"x","model":"m"}', "x"),
        ("[" * 100000, None),
        ('{"id":7}', None),
        (r'{"type":"generate","id":"x","model":"m","prompt":"\ud800"}', "x"),
        (r'{"type":"embed","id":"x","model":"m","texts":["a \udfff"]}', "x"),
        (r'{"type":"generate","id":"x","model":"m","prompt":"a","stop":["\ud83d"]}', "x"),
    ],
)
def test_an_invalid_line_is_answered_and_the_next_one_works(engine: Process, line: str, id):
    engine.send(line)
    error = engine.next("error")
    assert (error["code"], error["id"]) == ("message_invalid", id) and error["message"]
    assert ask(engine, type="status")["queue_limit"] == 8


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"prompt": ""}, "prompt_empty"),
        ({"prompt": "a b " * 3000}, "context_exceeded"),
        ({"prompt": "x", "output_type": {"a": "wibble"}}, "schema_impossible"),
        ({"prompt": "x", "json_schema": False}, "schema_impossible"),
        ({"prompt": "x", "model": "/nowhere"}, "model_not_found"),
    ],
)
def test_impossible_requests_are_refused_with_a_reason(engine: Process, request_: dict, code: str):
    error = ask(engine, **{"type": "generate", "model": MODEL, **request_})
    assert error["type"] == "error" and error["code"] == code and len(error["message"]) > 10


def test_a_request_without_wait_is_answered_with_model_loading(engine: Process, tmp_path):
    folder = str(save_model(tmp_path, "llama"))
    assert ask(engine, type="generate", model=folder, prompt="x", wait=False)["code"] == "model_loading"
    assert ask(engine, type="load", model=folder)["type"] == "loaded"
    assert ask(engine, type="generate", model=folder, prompt="x", wait=False)["type"] == "end"
    status = ask(engine, type="unload", model=folder)
    assert folder not in [model["model"] for model in status["models"]]


def test_the_least_recently_used_model_is_evicted(tmp_path):
    folders = [str(save_model(tmp_path / name, "llama", intermediate_size=4096)) for name in "abc"]
    size = 3 * 3 * 4096 * 64 * 4
    engine = Process("--memory", str(int(size * 2.6)), "--cache", "100000")
    for folder in (*folders[:2], folders[0], folders[2]):
        assert ask(engine, type="generate", model=folder, prompt="x", max_tokens=2)["type"] == "end"
    status = ask(engine, type="status")
    assert {model["model"] for model in status["models"]} == {folders[0], folders[2]}
    assert status["memory_bytes"] <= status["budget_bytes"]
    large = str(save_model(tmp_path / "large", "llama", intermediate_size=12288))
    assert ask(engine, type="load", model=large)["code"] == "out_of_memory"
    assert engine.close() == 0


def test_the_engine_exits_with_the_server(engine: Process):
    other = Process()
    other.next("hello")
    other.send({"type": "generate", "id": "1", "model": MODEL, "prompt": "x", "max_tokens": 2000})
    other.next("progress")
    assert other.close() == 0


def test_streamed_tokens_add_up_to_the_text(engine: Process):
    end = ask(engine, type="generate", model=MODEL, prompt="Context: a.", max_tokens=16, logprobs=0)
    ids = [token["token_id"] for token in end["logprobs"]]
    assert AutoTokenizer.from_pretrained(MODEL).decode(ids) == end["text"] and json.dumps(end)


def test_a_heartbeat_is_answered_while_a_step_is_computed():
    """The step is endless: it ends only when the heartbeat was answered."""
    into, out = os.pipe(), os.pipe()
    began, over = threading.Event(), threading.Event()

    class Busy:
        kind, busy, running, queued, bytes = "generate", True, 1, 0, 0

        def step(self) -> None:
            began.set()
            over.wait()
            self.busy = False

    engine = Engine(Settings(10**9, 10**7), os.fdopen(into[0], "rb"), os.fdopen(out[1], "wb"))
    engine.models.loaded["busy"] = cast(Model, Busy())
    running = threading.Thread(target=engine.run, daemon=True)
    with os.fdopen(into[1], "wb") as requests, os.fdopen(out[0], "rb") as answers:
        running.start()
        assert began.wait(60)
        # The request is received before and during the step, so that its answer has to wait for the end of the step.
        requests.write(b'{"type": "status", "id": "1"}\n{"type": "ping", "id": "beat"}\n')
        requests.flush()
        said = [json.loads(answers.readline()) for _ in range(2)]
        assert said[0]["type"] == "hello" and said[1] == {"type": "pong", "id": "beat"}, said
        over.set()
        assert json.loads(answers.readline())["type"] == "status"
        requests.close()
        running.join(60)
        assert not running.is_alive()


def test_a_line_that_resembles_a_heartbeat_is_an_ordinary_request(engine: Process):
    for line in (
        '{"type": "ping"}',
        '{"type": "ping", "id": "1", "more": 1}',
        '{"type": "pinged", "id": "1"}',
    ):
        engine.send(line)
        assert engine.next()["code"] == "message_invalid"
    engine.send({"type": "ping", "id": "beat"})
    assert engine.next() == {"type": "pong", "id": "beat"}
