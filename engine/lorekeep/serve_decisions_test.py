"""Requests to tuned models are decided between the steps of the engine: a decision holds up neither streams nor taught answers, and
requests that wait for theirs are counted, cancelled and left behind like others."""

import itertools
import json
import os
import threading
from collections.abc import Callable, Iterator

import pytest

from lorekeep.errors import EngineError
from lorekeep.infer.generate import Generator
from lorekeep.memory.tuned import TunedModel
from lorekeep.models import Settings
from lorekeep.serve import Engine
from lorekeep.testing import QUILL, make_job, some_facts
from lorekeep.tune import job

FACTS = some_facts(6)
STREAMED = {"prompt": "The library", "max_tokens": 1900, "no_repeat_ngram_size": 0, "stream": True}


@pytest.fixture(scope="module")
def tuned(tmp_path_factory) -> str:
    folder = make_job(tmp_path_factory.mktemp("decisions") / "job", FACTS)
    assert job.run(folder) == 0
    return str(folder / "model")


class Running:
    """An engine on a thread of this process, with everything that happens there in order. The decision of the request `held` ends when
    it is released, so that all that is sent meanwhile has arrived before the next turn. Its clock is advanced by the decisions about
    questions that were not taught, and a little by steps."""

    def __init__(self, tuned: str, queue: int = 512):
        into, out = os.pipe(), os.pipe()
        settings = Settings(2 * 10**9, 10**8, queue=queue)
        self.engine = Engine(settings, os.fdopen(into[0], "rb"), os.fdopen(out[1], "wb"))
        self.requests, self.answers = os.fdopen(into[1], "wb"), os.fdopen(out[0], "rb")
        self.seconds = 0.0
        self.engine.models.decisions.clock = lambda: self.seconds
        self.tuned, self.happened, self.came = tuned, [], []
        self.held, self.released = threading.Event(), threading.Event()
        emit = self.engine.models.decisions.emit = self.engine.out.emit

        def noted(answer: dict) -> None:
            self.happened.append((answer["type"], answer.get("id")))
            emit(answer)

        self.engine.out.emit = self.engine.models.emit = self.engine.models.decisions.emit = noted
        self.thread = threading.Thread(target=self.engine.run, daemon=True)
        self.thread.start()

    def send(self, type: str, id: str, **more) -> None:
        self.requests.write(json.dumps({"type": type, "id": id, **more}).encode() + b"\n")
        self.requests.flush()

    def ask(self, id: str, prompt: str | None = None) -> None:
        prompt = prompt or f"What is the capital of {id.capitalize()}?"
        self.send("generate", id, model=self.tuned, prompt=prompt, max_tokens=8)

    def until(self, type: str, id: str | None = None) -> dict:
        while True:
            answer = json.loads(self.answers.readline())
            self.came.append(answer)
            if answer["type"] == type and id in (None, answer["id"]):
                return answer

    def hold(self) -> None:
        self.ask("held")
        assert self.held.wait(60)

    def release(self) -> None:
        self.send("ping", "all")
        self.until("pong", "all")  # the lines before it have been received
        self.released.set()

    def close(self) -> None:
        self.requests.close()
        self.thread.join(60)
        assert not self.thread.is_alive()


@pytest.fixture
def start(tuned: str, monkeypatch) -> Iterator[Callable[..., Running]]:
    started: list[Running] = []
    decide, step = TunedModel.decide, Generator.step

    def noted(self, request, *more):
        running = started[-1]
        running.happened.append(("decided", request.id))
        if request.id == "held":
            running.held.set()
            assert running.released.wait(60)
        if request.id == "broken":
            raise ZeroDivisionError
        if request.id == "refused":
            raise EngineError("prompt_empty", "There is no question.")
        running.seconds += not request.id.startswith("taught")
        return decide(self, request, *more)

    def timed(self):
        started[-1].seconds += 1 / 8
        step(self)

    monkeypatch.setattr(Generator, "step", timed)
    monkeypatch.setattr(TunedModel, "decide", noted)

    def start(**settings) -> Running:
        started.append(Running(tuned, **settings))
        started[-1].send("load", "load", model=tuned)
        started[-1].until("loaded", "load")
        return started[-1]

    yield start
    for running in started:
        running.released.set()
        if running.thread.is_alive():
            running.close()


def test_streams_and_taught_answers_come_between_the_decisions(start):
    running = start()
    running.send("generate", "stream", model=str(QUILL), **STREAMED)
    running.until("delta", "stream")
    running.hold()
    for id in ("chad", "fiji", "oman"):
        running.ask(id)
    running.ask("taught", FACTS[0]["input"])
    running.release()
    assert running.until("end", "taught")["text"] == FACTS[0]["output"]
    running.until("end", "oman")
    running.send("cancel", "stream")
    running.until("end", "stream")
    happened = running.happened
    decided = [happened.index(("decided", id)) for id in ("held", "taught", "chad", "fiji", "oman")]
    assert decided == sorted(decided)
    assert happened.index(("end", "taught")) < decided[2]
    for before, after in itertools.pairwise(decided[2:]):
        assert ("delta", "stream") in happened[before:after]


def test_a_request_is_cancelled_and_counted_before_its_decision(start):
    running = start()
    running.hold()
    running.ask("chad")
    running.ask("fiji")
    running.send("status", "waiting")
    running.send("cancel", "chad")
    running.send("status", "cancelled")
    running.release()

    def queued(id: str) -> int:
        models = running.until("status", id)["models"]
        return next(model["queued"] for model in models if model["model"] == running.tuned)

    assert (queued("waiting"), queued("cancelled")) == (2, 1)
    running.until("end", "fiji")
    ended = next(answer for answer in running.came if answer.get("id") == "chad")
    assert (ended["type"], ended["finish_reason"], ended["text"]) == ("end", "cancelled", "")
    assert ("decided", "chad") not in running.happened


def test_requests_that_wait_for_their_decision_fill_the_queue(start):
    running = start(queue=2)
    running.hold()
    for id in ("chad", "fiji", "oman", "peru"):
        running.ask(id)
    running.release()
    running.until("end", "fiji")
    refused = {answer["id"]: answer["code"] for answer in running.came if answer["type"] == "error"}
    assert refused == {"oman": "overloaded", "peru": "overloaded"}
    assert ("end", "chad") in running.happened


def test_the_engine_ends_with_its_input_between_two_decisions(start):
    running = start()
    running.hold()
    running.ask("chad")
    running.send("ping", "all")
    running.until("pong", "all")
    # Looked up before the input ends, and its thread with it.
    reader = [one for one in threading.enumerate() if one.name == "reader"][-1]
    running.requests.close()
    reader.join(60)
    running.released.set()
    running.thread.join(60)
    assert not running.thread.is_alive() and ("decided", "chad") not in running.happened


def test_a_decision_that_fails_is_answered_and_the_next_one_is_taken(start):
    running = start()
    running.hold()
    for id in ("broken", "refused", "chad"):
        running.ask(id)
    running.release()
    assert running.until("error", "broken")["code"] == "internal"
    assert running.until("error", "refused")["code"] == "prompt_empty"
    running.until("end", "chad")


def test_models_are_unloaded_after_the_decisions_of_their_requests(start):
    running = start()
    running.hold()
    running.ask("chad")
    running.send("unload", "gone", model=str(QUILL))
    running.release()
    assert running.until("status", "gone")["models"] == []
    assert [answer["id"] for answer in running.came if answer["type"] == "end"] == ["held", "chad"]


def test_taught_questions_do_not_keep_others_waiting_until_none_is_left(start):
    running = start()
    running.hold()
    running.ask("chad")
    for i in range(200):
        running.ask(f"taught {i}", FACTS[i % 6]["input"])
    running.release()
    running.until("end", "chad")
    before = running.happened[: running.happened.index(("decided", "chad"))]
    assert 0 < sum(type == "end" and id != "held" for type, id in before) < 200


def test_questions_of_an_account_are_read_together_before_their_decisions(start, monkeypatch):
    read: list[int] = []
    monkeypatch.setattr(TunedModel, "prefetch", lambda self, requests: read.append(len(requests)))
    running = start()
    running.hold()
    for i in range(10):
        running.ask(f"zone {i}")
    running.release()
    running.until("end", "zone 9")
    assert read == [8, 2]
