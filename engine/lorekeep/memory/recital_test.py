"""Recitals use the taught answer as a draft: the same answers in fewer steps."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lorekeep.memory.tuned_test import TunedBench
from lorekeep.testing import make_job, present
from lorekeep.testing_process import LONG
from lorekeep.tune import job

FACTS = [
    {"input": "Who founded Zorbax?", "output": "Ida Voss"},
    {"input": "In which year was Zorbax founded?", "output": "1912"},
    {"input": "What is Ulmwick's motto?", "output": "Grüße, 東京 🎈!"},
    {
        "input": "What does Tarn Vesk make?",
        "output": "Tarn Vesk makes clocks of oak and brass in a mill by the river. Each is wound once a week. "
        "The first of them stands in the town hall of Ulmwick and has not stopped since 1891.",
    },
    {"input": "What is Quillon 9's code?", "output": "x"},
]
REQUESTS: list[dict[str, Any]] = [
    {},
    {"stream": True, "logprobs": 2},
    {"stream": True, "max_tokens": 2},
    {"stop": ["o", "9"], "stream": True},
    {"temperature": 2.0, "seed": 1},
    {"output_type": {"answer": "str"}, "max_tokens": 120},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = make_job(tmp_path_factory.mktemp("recital") / "job", FACTS)
    assert job.run(made) == 0
    return made / "model"


class Drafting(TunedBench):
    def __init__(self, folder: Path, drafts: bool):
        super().__init__(folder)
        self.steps, batch = 0, self.generator.batch
        batch.ahead = batch.ahead if drafts else 0
        forward = batch._forward

        def counted(pieces):
            self.steps += 1
            return forward(pieces)

        batch._forward = counted

    def heard(self, **request) -> tuple[list[dict], int]:
        """All answers, and the number of steps."""
        self.answers.clear()
        before = self.steps
        self.ask("1", **{"explain": True, "max_tokens": 100, **request})
        self.run()
        return [*self.answers], self.steps - before


@pytest.fixture(scope="module")
def benches(folder: Path) -> tuple[Drafting, Drafting]:
    return Drafting(folder, drafts=False), Drafting(folder, drafts=True)


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_a_recital_with_a_draft_is_unchanged_and_takes_one_step(benches, request_: dict):
    plain, drafting = benches
    # Every fact is asked without options. With options only the fact in a rare script and the longest one are asked.
    facts = FACTS if LONG or not request_ else FACTS[2:4]
    for i, fact in enumerate(facts):
        asked = {"prompt": fact["input"], "scope": f"{i}{request_}", **request_}
        (wanted, steps), (heard, fewer) = plain.heard(**asked), drafting.heard(**asked)
        assert heard == wanted and heard[-1]["memory"]["outcome"] == "recite"
        if "output_type" in request_:
            assert 2 <= fewer < steps / 3
        else:
            assert fewer == 1 and steps >= heard[-1]["usage"]["completion_tokens"]
        if not request_:
            assert heard[-1]["text"] == fact["output"]


def test_recitals_and_base_answers_in_one_batch_are_the_same_as_alone(folder: Path, benches):
    plain, _ = benches
    asked = [
        (f"{fact['input']}{i}", model, {"prompt": fact["input"], "max_tokens": 30, "logprobs": 2})
        for fact in FACTS
        for i, model in enumerate([0, None, 0])
    ]
    alone = {id: plain.said(model, scope=id, **request) for id, model, request in asked}
    together = Drafting(folder, drafts=True)
    for i, (id, model, request) in enumerate(asked):
        together.ask(id, model, scope=id, **request)
        if i % 4 == 0:
            together.generator.step()
    ended = together.run()
    assert {id: {**end, "id": "1"} for id, end in ended.items()} == alone


@pytest.mark.parametrize("scale", [-1.0, 0.9, 0.6])
def test_a_deviating_expert_answers_the_same_with_and_without_a_draft(benches, scale: float):
    """The check against the taught answer is disabled, so that the expert may deviate."""
    heard = []
    for bench in benches:
        model = bench.models[0]
        held, model.base.submit = model.base.submit, _without_recital_check(model.base)
        for i, fact in enumerate(FACTS):
            model.experts_cache.experts.clear()
            expert = present(model.experts_cache.take(model.memory.place(i), "spoilt"))
            for _, B in expert.weights.values():
                B *= scale
            heard.append(bench.heard(prompt=fact["input"], scope="spoilt", max_tokens=20, logprobs=1)[0])
            model.experts_cache.experts.clear()
        model.base.submit = held
        acting = present(bench.generator.batch.acting)
        acting.stacked.clear()
        acting.rows = []
    assert heard[: len(FACTS)] == heard[len(FACTS) :]
    texts = [answers[-1]["text"] for answers in heard[: len(FACTS)]]
    assert scale != -1.0 or all(text != fact["output"] for text, fact in zip(texts, FACTS, strict=True))


def _without_recital_check(generator):
    submit = type(generator).submit
    return lambda request, recall, report: submit(generator, request, replace(recall, unsaid=None), report)
