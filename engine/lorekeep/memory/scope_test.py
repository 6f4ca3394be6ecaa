"""Isolation of scopes: requests of one scope affect neither the engine's reports nor the amount of work for another
(timing side channel)."""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lorekeep import testing_process
from lorekeep.infer.batch import Batch
from lorekeep.infer.cache import BLOCK
from lorekeep.infer.embed import Embedder
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.expert_cache import ExpertCache
from lorekeep.memory.tuned import TunedModel
from lorekeep.protocol import Generate
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.routing.vectors import Vectors
from lorekeep.testing import QUILL, Bench, make_job, present, some_facts
from lorekeep.tune import job

ENGINE = str(Path(__file__).parents[1])
LONG = "The Brimoor library opens at nine. " * 40 + "The number of the safe is 4711. Who?"
FACTS = some_facts(18)
QUESTIONS = [
    FACTS[0]["input"],  # in its taught words
    "who is the founder of zorbax?",  # by its name, in lower case
    "Which person founded Zorbax?",
    "How many days of holiday does an employee have in a year?",  # by its meaning
    "What is the refund policy for plans that run a year?",
    "Who waters plants in the lobby of Wixby?",
    "Tell me something about flurbnitz.",
]
ASKED = QUESTIONS if testing_process.LONG else [QUESTIONS[0], QUESTIONS[1], QUESTIONS[3]]


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    folder = make_job(tmp_path_factory.mktemp("scope") / "job", FACTS)
    assert job.run(folder) == 0
    return folder / "model"


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return present(router_parts()[0]).embedder


class Watched(Bench):
    """Counts the work for an answer: every function call in the engine, and every token that the model and the embedder
    read."""

    def __init__(self, model: Path, embedder: Embedder):
        super().__init__(QUILL)
        memory = memory_folder.read(model)
        self.tuned = TunedModel(memory, self.generator, "-", ExpertCache(1 << 30), Vectors(embedder))
        self.done: Counter = Counter()

    def ask(self, scope: str, tuned: bool = True, **request) -> tuple[dict, Counter]:
        self.answers.clear()
        self.done = Counter()
        asked = Generate(type="generate", id="1", model="-", scope=scope, **{"max_tokens": 8, **request})
        sys.setprofile(self._called)
        try:
            if tuned:
                self.tuned.prefetch([asked, asked])
            (self.tuned if tuned else self.generator).submit(asked)
            ended = self.run()["1"]
        finally:
            sys.setprofile(None)
        return ended, self.done

    def _called(self, frame, event: str, _) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ENGINE):
            self.done[code.co_filename, code.co_qualname] += 1
            if code is Batch._forward.__code__:
                self.done["tokens"] += sum(end - begin for _, begin, end in frame.f_locals["pieces"])


def test_cached_prompt_states_are_shared_within_a_scope_only():
    bench = Bench(QUILL)
    first = bench.one(prompt=LONG, max_tokens=4, scope="a")
    other = bench.one(prompt=LONG, max_tokens=4, scope="b")
    again = bench.one(prompt=LONG, max_tokens=4, scope="a")
    assert (first["usage"]["cached_tokens"], other["usage"]["cached_tokens"]) == (0, 0)
    assert again["usage"]["cached_tokens"] == (again["usage"]["prompt_tokens"] - 1) // BLOCK * BLOCK > 0
    assert first["text"] == other["text"] == again["text"]


def test_concurrent_prompts_share_no_states_across_scopes():
    bench = Bench(QUILL)
    for scope in "abcab":
        bench.submit(f"{len(bench.generator.batch.waiting)} {scope}", prompt=LONG, max_tokens=4, scope=scope)
    cached = {id: ended["usage"]["cached_tokens"] for id, ended in bench.run().items()}
    assert [cached[f"{i} {scope}"] > 0 for i, scope in enumerate("abcab")] == [False] * 3 + [True] * 2


@pytest.mark.parametrize("question", [*ASKED, LONG])
def test_the_work_for_an_answer_does_not_depend_on_other_scopes(
    model: Path, embedder: Embedder, question: str
):
    requests: list[dict[str, Any]] = [
        {"prompt": question},
        {"messages": [{"role": "user", "content": question}]},
    ]
    wanted = less = Counter()
    for request in requests:
        fresh, crowded = Watched(model, embedder), Watched(model, embedder)
        for bench in (fresh, crowded):  # warms up global state: masks, tables, compiled parts
            bench.ask("before", prompt="Hello!")
            bench.ask("before", tuned=False, prompt="Hello!")
        _, wanted = fresh.ask("b", **request)
        crowded.ask("a", **request)
        _, found = crowded.ask("b", **request)
        assert found == wanted
        # Proves that the count is sensitive: within a scope, caching saves work.
        _, less = fresh.ask("b", **request)
        assert less.total() <= wanted.total()
    if question != FACTS[0]["input"]:
        return
    assert less != wanted, "an expert that was read is kept for its own scope"
