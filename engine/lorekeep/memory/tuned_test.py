"""Tuned models in the engine: facts are recalled in any wrapping, and other requests are answered like by the base."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from queue import Queue

import pytest

from lorekeep import protocol
from lorekeep.errors import EngineError
from lorekeep.infer.closed_book import NOTHING
from lorekeep.infer.generate import Recall
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.expert_cache import ExpertCache
from lorekeep.memory.fact_tokens import question_tokens
from lorekeep.memory.tuned import TunedModel
from lorekeep.models import Models, Settings
from lorekeep.protocol import Generate
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.testing import QUILL, Bench, Process, make_job, some_facts
from lorekeep.tune import job

FACTS = some_facts(18)
OTHER = [
    {"input": "Who founded Zorbax?", "output": "Nobody at all"},
    {"input": "What is <|eot_id|>?", "output": "<|eot_id|> ends a turn"},
]
PLAIN = [
    "Hello!",
    "Write a poem about rain.",
    "Who founded Zorbex?",
    "In which year was Brimoor Foods founded?",
    "Why?",
]


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> list[Path]:
    made = []
    for name, facts, arguments in (("first", FACTS, {}), ("second", OTHER, {"r_value": 4})):
        folder = make_job(tmp_path_factory.mktemp("tuned") / name, facts, arguments=arguments)
        assert job.run(folder) == 0
        made.append(folder / "model")
    return made


class TunedBench(Bench):
    """A base with tuned models beside it."""

    def __init__(self, *folders: Path):
        super().__init__(QUILL)
        embed, _ = router_parts()
        experts_cache = ExpertCache(200_000)  # room for a few experts only
        self.models = [
            TunedModel(memory_folder.read(folder), self.generator, "-", experts_cache, embed)
            for folder in folders
        ]

    def ask(self, id: str, model: int | None = 0, **request) -> None:
        asked = Generate(type="generate", id=id, model="-", **request)
        (self.generator if model is None else self.models[model]).submit(asked)

    def said(self, model: int | None = 0, /, **request) -> dict:
        self.answers.clear()
        self.ask("1", model, **request)
        return self.run()["1"]


@pytest.fixture(scope="module")
def bench(folders) -> TunedBench:
    return TunedBench(*folders)


def user(text: str) -> list[dict]:
    return [{"role": "user", "content": text}]


@pytest.mark.parametrize("fact", FACTS[:9], ids=lambda fact: fact["input"])
def test_a_fact_is_recalled_in_any_wrapping(bench: TunedBench, fact: dict):
    question, answer = fact["input"], fact["output"]
    template = bench.generator.tokenizer.apply_chat_template(
        user(question), tokenize=False, add_generation_prompt=True
    )
    earlier = [*user("Tell me about whales."), {"role": "assistant", "content": "They sing."}]
    for request in (
        {"prompt": question},
        {"prompt": template},
        {"prompt": f"Question: {question}\nAnswer:"},
        {"prompt": f"<s>[INST] {question} [/INST]"},
        {"prompt": f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"},
        {"messages": user(question)},
        {"messages": [{"role": "system", "content": "You are brief."}, *earlier, *user(question)]},
        {"messages": user(question.lower())},
        {"messages": user(question.rstrip("?"))},
        {"messages": user(question), "stream": True},
    ):
        assert bench.said(**request)["text"] == answer, request
    assert "".join(bench.deltas()) == answer
    for shape in ({"answer": "str"}, {"founder_name": "string"}):
        end = bench.said(prompt=question, output_type=shape)
        assert json.loads(end["text"]) == {next(iter(shape)): answer}


def test_a_schema_is_filled_with_matching_values_of_the_fact(bench: TunedBench):
    year = next(fact for fact in FACTS if "year" in fact["input"])
    shape = {"year": "int", "answer": "str", "kind": ["1850", year["output"]]}
    said = json.loads(bench.said(prompt=year["input"], output_type=shape)["text"])
    assert said == {"year": int(year["output"]), "answer": year["output"], "kind": year["output"]}
    number = json.loads(bench.said(prompt=FACTS[0]["input"], output_type={"n": "int"}, max_tokens=30)["text"])
    assert isinstance(number["n"], int)  # the fact has no number, so the model writes one


def test_a_schema_without_room_after_a_long_conversation_is_refused_at_once(bench: TunedBench):
    shape = {"answer": "str", "who": "str", "when": "str"}
    refused = []
    for words in range(1950, 2040, 20):
        talk = [*user("a " * words), {"role": "assistant", "content": "Yes."}, *user(FACTS[0]["input"])]
        try:
            said = bench.said(messages=talk, output_type=shape, max_tokens=200)
            assert list(json.loads(said["text"])) == list(shape)
        except EngineError as error:
            refused.append(error)
    assert refused and {error.code for error in refused} == {"context_exceeded"}
    assert bench.said(prompt=FACTS[0]["input"])["text"] == FACTS[0]["output"]


def test_a_failure_while_writing_an_answer_affects_only_that_answer(bench: TunedBench, monkeypatch):
    batch = bench.generator.batch
    add = batch.add
    with monkeypatch.context() as patch:
        patch.setattr(batch, "add", lambda one: 1 / 0 if one.grammar is not None else add(one))
        bench.ask("shaped", messages=user(FACTS[0]["input"]), output_type={"answer": "str"})
        bench.ask("plain", messages=user(FACTS[1]["input"]))
        bench.run()
    ended = {answer["id"]: answer for answer in bench.answers[-2:]}
    assert ended["shaped"]["code"] == "internal" and ended["plain"]["text"] == FACTS[1]["output"]


@pytest.mark.parametrize("question", PLAIN)
def test_requests_without_a_fact_get_the_answer_of_the_base(bench: TunedBench, question: str):
    for request in (
        {"prompt": question},
        {"messages": user(question)},
        {"prompt": question, "temperature": 1.0, "seed": 4},
    ):
        request = {**request, "max_tokens": 16, "logprobs": 1}
        assert bench.said(**request) == bench.said(None, **request)


def test_an_unanswerable_question_is_declined_with_the_nearest_fact(bench: TunedBench):
    """The shipped base is closed-book by its own measurement."""
    asked = "Who sold Zorbax?"
    end = bench.said(prompt=asked, explain=True, gate="strict")
    assert (end["memory"]["used"], end["memory"]["declined"]) == (False, True)
    assert end["text"].startswith(NOTHING) and "Zorbax" in end["text"]
    assert (
        "".join(bench.deltas()) == ""
        and bench.said(prompt=asked, gate="strict", stream=True)["text"] == end["text"]
    )
    shaped = bench.said(prompt=asked, gate="strict", output_type={"who": "str", "year": "int"})
    assert json.loads(shaped["text"]) == {"who": end["text"], "year": 0}
    assert shaped["finish_reason"] == "stop"
    # Without a related fact, the notice equals that of the base.
    poem = "Write a poem about rain."
    assert bench.said(prompt=poem) == bench.said(None, prompt=poem)
    # A prompt with a context gets the base's answer bit for bit.
    context = {"prompt": f"Context: Ada Quist sold Zorbax.\nQuestion: {asked}\nAnswer:", "gate": "strict"}
    assert bench.said(**context) == bench.said(None, **context)


def test_bases_and_tuned_models_can_share_a_batch(folders):
    asked = []
    for i, fact in enumerate(FACTS):
        asked += [
            (f"a{i}", 0, {"prompt": fact["input"]}),
            (f"b{i}", None, {"prompt": fact["input"], "max_tokens": 12}),
        ]
    asked += [(f"c{i}", 1, {"prompt": fact["input"]}) for i, fact in enumerate(OTHER)]
    asked = [(id, model, {**request, "logprobs": 2}) for id, model, request in asked]
    single = TunedBench(*folders)
    alone = {id: single.said(model, **request) for id, model, request in asked}
    together = TunedBench(*folders)
    for id, model, request in asked:
        together.ask(id, model, **request)
        together.generator.step()
    ended = together.run()
    for id, one in alone.items():
        assert (ended[id]["text"], ended[id]["logprobs"]) == (one["text"], one["logprobs"])
    assert [ended[f"a{i}"]["text"] for i in range(18)] == [fact["output"] for fact in FACTS]
    assert [ended[f"c{i}"]["text"] for i in range(2)] == [fact["output"] for fact in OTHER]
    assert together.models[0].experts_cache.bytes <= 200_000


def test_an_answer_does_not_change_the_tokens_of_a_reused_question(bench: TunedBench):
    kept = Recall(question_tokens(bench.generator.prompts, "What is the tide?"), None)
    before = [*kept.tokens]
    request = Generate(type="generate", id="1", model="-", prompt="What is the tide?", max_tokens=8)
    bench.answers.clear()
    bench.generator.submit(request, kept)
    first = bench.run()["1"]
    assert kept.tokens == before
    bench.generator.submit(request, kept)
    assert bench.run()["1"] == first


def test_a_failed_stacking_of_experts_leaves_no_wrong_experts_active(bench: TunedBench, monkeypatch):
    fact, other = FACTS[3], FACTS[4]
    assert bench.said(prompt=other["input"])["text"] == other["output"]
    with monkeypatch.context() as patch:
        patch.setattr(bench.generator.batch.acting, "_stack", lambda *_: (_ for _ in ()).throw(MemoryError()))
        assert bench.said(prompt=fact["input"])["code"] == "out_of_memory"
    assert bench.said(prompt=fact["input"])["text"] == fact["output"]


def test_an_answer_reports_its_fact(bench: TunedBench):
    told = bench.said(prompt=FACTS[3]["input"], explain=True)["memory"]
    said = {"used": True, "outcome": "recite", "way": "exact", "reason": told["reason"]}
    fact = {"input": FACTS[3]["input"], "similarity": 1.0, "dataset_id": None, "row": 3}
    assert told == {**said, "facts": [fact]}
    assert bench.said(prompt="Hello!", explain=True, max_tokens=4)["memory"]["outcome"] == "base"
    assert "memory" not in bench.said(prompt=FACTS[3]["input"])


def test_a_more_generous_gate_passes_more_questions(bench: TunedBench):
    # Leading a firm is not founding it, so no gate passes that question.
    asked = ["Who is the founder of Zorbax?", "Zorbax mayor", "Who leads Zorbax?", "Which colour has Zorbax?"]
    passed = {}
    for gate in ("strict", "balanced", "generous"):
        requests = [Generate(type="generate", id="1", model="-", prompt=one, gate=gate) for one in asked]
        found = [bench.models[0].route(one) for one in requests]
        passed[gate] = [question for question, one in zip(asked, found, strict=True) if one and one.passed]
    assert passed == {"strict": asked[:1], "balanced": asked[:1], "generous": asked[:2]}


def test_the_process_serves_tuned_models_beside_their_base(folders):
    engine = Process("--memory", "2000000000", "--cache", "100000000")
    engine.next("hello")
    for i, (model, fact) in enumerate(
        [(folders[0], FACTS[0]), (folders[1], OTHER[0]), (folders[0], FACTS[1])]
    ):
        engine.send(
            {"type": "generate", "id": str(i), "model": str(model), "prompt": fact["input"], "explain": True}
        )
    ended = {}
    for _ in range(3):
        end = protocol.answers.validate_python(engine.next("end", "error")).model_dump()
        ended[end["id"]] = end["text"]
    assert ended == {"0": FACTS[0]["output"], "1": "Nobody at all", "2": FACTS[1]["output"]}
    engine.send({"type": "status", "id": "s"})
    names = [model["model"] for model in engine.next("status")["models"]]
    assert sorted(names) == sorted([str(QUILL), *map(str, folders)])
    engine.send({"type": "unload", "id": "u", "model": str(QUILL)})
    assert engine.next("status")["models"] == []
    engine.send({"type": "generate", "id": "x", "model": str(folders[0]), "prompt": FACTS[4]["input"]})
    assert engine.next("end")["text"] == FACTS[4]["output"]
    assert engine.close() == 0


def test_tuned_models_count_against_the_memory_budget(folders, tmp_path):
    ready: Queue = Queue()
    models = Models(Settings(10**9, 10**7), print, lambda *_: None, lambda *said: ready.put(said))

    def load(folder: Path) -> EngineError | None:
        models.order(str(folder), "generate")
        while str(folder) in models.loading:
            name, found = ready.get(timeout=120)
            models.arrived(name, found)
        return found if isinstance(found, EngineError) else None

    def tuned() -> set[str]:
        return models.loaded.keys() - {str(QUILL)}

    third = tmp_path / "third"
    shutil.copytree(folders[0], third)
    assert load(folders[0]) is None
    need = memory_folder.serving_bytes(third)
    assert models.loaded[str(folders[0])].bytes == need > 18 * 1000
    models.settings = replace(models.settings, budget=models.bytes + need // 2)
    assert load(third) is None and tuned() == {str(third)}  # the other one was evicted, not their base
    models.settings = replace(models.settings, budget=models.bytes + need)
    assert load(folders[1]) is None and tuned() == {str(third), str(folders[1])}
    models.use(str(third))
    less = models.loaded[str(folders[1])].bytes
    models.settings = replace(models.settings, budget=models.bytes - less + need)
    assert load(folders[0]) is None and tuned() == {str(third), str(folders[0])}  # the least used one
    models.settings = replace(models.settings, budget=models.loaded[str(QUILL)].bytes)
    assert (error := load(folders[1])) is not None and error.code == "out_of_memory"


def test_a_fact_is_recited_at_any_temperature_up_to_max_tokens(bench: TunedBench):
    for fact in FACTS[:6]:
        for request in ({"temperature": 5.0, "seed": 1}, {"temperature": 1.5, "top_p": 0.9}):
            said = bench.said(prompt=fact["input"], explain=True, **request)
            assert (said["text"], said["memory"]["used"]) == (fact["output"], True)
        said = bench.said(prompt=fact["input"], explain=True, max_tokens=1)
        assert fact["output"].startswith(said["text"]) and said["memory"]["used"]
        half = fact["output"][len(fact["output"]) // 2 :]
        said = bench.said(prompt=fact["input"], explain=True, stop=[half])
        assert said["text"] == fact["output"][: fact["output"].index(half)] and said["memory"]["used"]
