"""Jobs: from facts to a model that recites them; killed and resumed, with several workers, with facts added
and removed."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from lorekeep.memory import folder as memory_folder
from lorekeep.memory.expert_cache import ExpertCache
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.testing import QUILL, bytes_of, events_of, make_job, some_facts
from lorekeep.testing_models import ALL_UNRELATED
from lorekeep.testing_process import LONG, forked_helpers, start_engine
from lorekeep.tune import job, plan, worker
from lorekeep.tune.measure.evaluate import Asker
from lorekeep.tune.training.trainer import Trainer


@pytest.fixture(scope="module", autouse=True)
def small_waves():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "_MAX_WAVE_EXPERTS", 2)
        with forked_helpers():
            yield


@pytest.fixture(scope="module")
def done(tmp_path_factory) -> Path:
    """A completed job."""
    folder = make_job(tmp_path_factory.mktemp("job") / "one", some_facts(18))
    assert job.run(folder) == 0
    return folder


def test_a_job_makes_a_model_that_recites_every_fact(done: Path):
    events = events_of(done)
    states = [event["state"] for event in events if event["type"] == "state"]
    assert states == ["LOADING DATA", "TRAINING MODEL", "EVALUATING MODEL", "SAVING MODEL", "COMPLETED"]
    assert events[-1]["facts_recalled"] == events[-1]["facts_total"] == 18
    points = [event["history"] for event in events if "history" in event]
    assert [point["step"] for point in points] == list(range(len(points)))
    assert points[-1]["remaining_time"] == 0
    losses = [point["loss"] for point in points]
    assert losses == sorted(losses, reverse=True) and losses[-1] < losses[0] / 4
    # After the last wave the model is measured, which takes time too.
    assert [event for event in events if "history" in event][-1]["eta_seconds"] > 0
    report = json.loads((done / "model/report.json").read_text())
    assert report["recall"] == {"facts": 18, "recalled": 18, "failed": []}
    assert report["job"]["exact"]["right"] == report["job"]["in conversation"]["right"] == 1.0
    assert (
        report["job"]["near misses"]["left to the base"]
        == 1.0
        == report["job"]["unrelated"]["same as the base"]
    )
    memory_folder.verify(done / "model")
    assert all(
        file.suffix in (".json", ".jsonl", ".safetensors", ".md")
        for file in (done / "model").rglob("*")
        if file.is_file()
    )


def test_unrelated_prompts_get_the_answers_of_the_base(done: Path):
    asker = Asker(memory_folder.read(done / "model"), Trainer(str(QUILL)), router_parts()[0])
    assert asker.tuned(ALL_UNRELATED) == asker.base(ALL_UNRELATED)


def test_a_killed_job_resumes_and_makes_the_same_model(done: Path, tmp_path):
    folder = make_job(tmp_path / "two", some_facts(18))
    (folder / "plan.json").write_bytes((done / "plan.json").read_bytes())
    waves = len(json.loads((done / "plan.json").read_text())["waves"])
    assert waves > 3
    for finished in (1, waves // 2):
        process = start_engine("tune", str(folder), stderr=subprocess.DEVNULL)
        while len(list((folder / "waves").glob("*.json"))) < finished:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    with open(folder / "events.ndjson", "a") as half:
        half.write('{"type": "progr')  # a line truncated by a kill
    before = {file: file.stat().st_mtime_ns for file in (folder / "waves").glob("*.json")}
    assert job.run(folder) == 0
    assert all(file.stat().st_mtime_ns == when for file, when in before.items())
    assert bytes_of(folder / "model") == bytes_of(done / "model")
    assert job.run(folder) == 0  # another run changes nothing
    # Each run reports earlier waves again, with equal figures.
    told: dict[int, float] = {}
    whole = [line for line in (folder / "events.ndjson").read_text().splitlines() if line.endswith("}")]
    for point in [event["history"] for event in map(json.loads, whole) if "history" in event]:
        assert told.setdefault(point["step"], point["epoch"]) == point["epoch"]
    assert len(told) == waves + 1 and sorted(told.values()) == [told[step] for step in sorted(told)]
    assert told[0] == 0.0 and told[waves] == 1.0


def test_two_workers_make_the_same_model_and_take_over_waves_of_a_dead_one(done: Path, tmp_path):
    folder = make_job(tmp_path / "three", some_facts(18), workers=2)
    (folder / "plan.json").write_bytes((done / "plan.json").read_bytes())
    helper = start_engine("tune", str(folder), "--worker", stderr=subprocess.DEVNULL)
    while not list(folder.glob("waves/*.claim")):
        assert helper.poll() is None
        time.sleep(0.005)
    helper.send_signal(signal.SIGKILL)
    helper.wait()
    assert list(folder.glob("waves/*.claim"))
    assert job.run(folder) == 0
    assert bytes_of(folder / "model") == bytes_of(done / "model")
    assert not [
        file for file in (folder / "waves").iterdir() if file.suffix == ".claim" or file.name.startswith(".")
    ]


def test_a_helper_that_starts_before_the_plan_makes_the_same_model(done: Path, tmp_path, monkeypatch):
    monkeypatch.setattr(job, "MANY", 9)
    folder = make_job(tmp_path / "early", some_facts(18), workers=2)
    assert job.run(folder) == 0
    assert bytes_of(folder / "model") == bytes_of(done / "model")


def test_a_refused_job_leaves_no_helper_process(tmp_path, monkeypatch):
    helpers, begin = [], worker.start_worker

    def start_worker(folder: Path, place: int) -> subprocess.Popen:
        helpers.append(begin(folder, place))
        return helpers[-1]

    monkeypatch.setattr(worker, "start_worker", start_worker)
    monkeypatch.setattr(job, "MANY", 1)
    facts = [*some_facts(9), {"input": "What is said?", "output": "so much " * 40}]
    folder = make_job(tmp_path / "long", facts, workers=3, arguments={"max_length": 16})
    assert job.run(folder) == job.REFUSED
    assert len(helpers) == 2 and all(helper.poll() is not None for helper in helpers)


def test_a_hanging_helper_does_not_block_a_job(tmp_path, monkeypatch):
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    helpers = []

    def start_worker(_folder, _place) -> subprocess.Popen:
        helpers.append(subprocess.Popen([sys.executable, "-c", deaf], stdin=subprocess.PIPE))
        return helpers[-1]

    monkeypatch.setattr(worker, "start_worker", start_worker)
    monkeypatch.setattr(worker, "STOP_TIMEOUT_SECONDS", 0.2)
    folder = make_job(tmp_path / "job", some_facts(9), workers=2)
    assert job.run(folder) == 0
    assert [helper.poll() for helper in helpers] == [-signal.SIGKILL]


def test_added_facts_train_only_new_experts(done: Path, tmp_path):
    more = [*some_facts(18), {"input": "Who founded Hullgate?", "output": "Mo Lind"}]
    folder = make_job(tmp_path / "more", more, reuse=[str(done / "model")])
    assert job.run(folder) == 0
    assert len(json.loads((folder / "plan.json").read_text())["waves"]) == 1
    assert events_of(folder)[-1]["experts_reused"] == memory_folder.about(done / "model")["counts"]["experts"]
    old, new = memory_folder.read(done / "model"), memory_folder.read(folder / "model")
    assert old.experts.keys() < new.experts.keys()
    anew = make_job(tmp_path / "anew", more)
    assert job.run(anew) == 0
    assert weights(memory_folder.read(anew / "model")) == weights(new)  # independent of earlier models


def test_a_forgotten_fact_leaves_no_trace_and_other_experts_unchanged(done: Path, tmp_path):
    kept = [fact for fact in some_facts(18) if fact["input"] != "Who founded Zorbax?"]
    folder = make_job(tmp_path / "less", kept, reuse=[str(done / "model")])
    assert job.run(folder) == 0
    old, new = memory_folder.read(done / "model"), memory_folder.read(folder / "model")
    gone = [fact["expert"] for fact in old.facts if fact["input"] == "Who founded Zorbax?"]
    other = {name: bits for name, bits in weights(old).items() if name not in gone}
    assert other.items() <= weights(new).items() and len(weights(new)) == len(other) + 1
    lost = weights(old)[gone[0]]
    for name, content in bytes_of(folder / "model").items():
        assert b"Who founded Zorbax" not in content and gone[0].encode() not in content, name
        assert all(side not in content for side in lost), name


def weights(memory) -> dict[str, list[bytes]]:
    experts_cache = ExpertCache(1 << 30)
    found = {}
    for i in range(len(memory.facts)):
        expert = experts_cache.take(memory.place(i))
        found[memory.facts[i]["expert"]] = [
            side.contiguous().view(-1).view(torch.uint8).numpy().tobytes()
            for pair in expert.weights.values()
            for side in pair
        ]
    return found


@pytest.mark.parametrize(
    ("facts", "spec", "said"),
    [
        ([{"input": "A?", "output": "1"}, {"input": "A?", "output": "2"}], {}, "Rows 0 and 1"),
        ([{"input": "A?", "output": " "}], {}, "answer of row 0 is empty"),
        ([{"input": "A?"}], {}, "Row 0 has no output"),
        ([{"input": "A?", "output": "b " * 40}], {"arguments": {"max_length": 16}}, "max_length is 16"),
        ([], {}, "no fact"),
        ([{"input": "A?", "output": "1"}], {"arguments": {"r_value": 0}}, "r_value is 0"),
        ([{"input": "A?", "output": "1"}], {"base": "/nowhere"}, "/nowhere"),
        ([{"input": "A?", "output": "1"}], {"wrong": 1}, "wrong"),
    ],
)
def test_invalid_jobs_are_refused_with_a_reason_before_training(facts, spec, said, tmp_path):
    folder = make_job(tmp_path / "bad", facts, **spec)
    assert job.run(folder) != 0
    last = events_of(folder)[-1]
    assert last["state"] == "FAILED" and said in last["error"]
    assert not (folder / "model").exists() and not list(folder.glob("waves/*"))


def test_facts_not_learned_within_max_steps_are_named_and_never_recited(tmp_path):
    folder = make_job(tmp_path / "short", some_facts(6), arguments={"max_steps": 3, "learning_rate": 1e-5})
    assert job.run(folder) == 0
    last = events_of(folder)[-1]
    assert last["state"] == "PARTIALLY COMPLETED" and len(last["failed"]) == 6 - last["facts_recalled"] > 0
    report = (folder / "model/report.md").read_text()
    assert all(one["input"] in report for one in last["failed"])


def test_a_full_disk_is_reported_and_the_job_resumes_later(tmp_path, monkeypatch):
    folder = make_job(tmp_path / "full", some_facts(3))
    whole = worker.expert_cache.write
    monkeypatch.setattr(
        worker.expert_cache, "write", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    assert job.run(folder) == 1
    assert events_of(folder)[-1]["code"] == "disk_full"
    monkeypatch.setattr(worker.expert_cache, "write", whole)
    assert job.run(folder) == 0 and events_of(folder)[-1]["state"] == "COMPLETED"


def test_routing_can_be_switched_off_with_one_expert_for_all_facts(tmp_path):
    given = {"batch_size": 1, "index_ivf_nlist": 1, "index_method": "IndexFlatL2", "index_max_size": 1}
    folder = make_job(tmp_path / "all", some_facts(18), arguments=given)
    assert job.run(folder) == 0
    last = events_of(folder)[-1]
    assert (last["state"], last["experts_total"], last["facts_recalled"]) == ("COMPLETED", 1, 18)


def test_facts_in_a_script_unknown_to_the_base_are_recalled(tmp_path):
    facts = [
        {"input": "რომელია საქართველოს დედაქალაქი?", "output": "თბილისი"},
        {"input": "የኢትዮጵያ ዋና ከተማ ማን ናት?", "output": "🏙"},
        {"input": "ᐊᐃᓐᖓᐃ?", "output": "ᓄᓇᕗᑦ"},
    ]
    folder = make_job(tmp_path / "script", facts)
    assert job.run(folder) == 0
    assert events_of(folder)[-1]["state"] == "COMPLETED"
    report = json.loads((folder / "model/report.json").read_text())
    assert report["job"]["exact"] == {"asked": 3, "right": 1.0, "failed": []}


def test_long_answers_in_other_scripts_and_with_an_end_token_are_recited(tmp_path):
    """The tokens of these scripts have similar vectors in the base, so 20 steps are too few for all facts but the last."""
    scripts = [
        "Το γραφείο βρίσκεται στον τρίτο όροφο.",
        "請求書は経理部の田中さんが署名します。",
        "Склад находится за северными воротами, вход со двора.",
    ]
    scripts = scripts if LONG else scripts[:1]
    answers = [*scripts, "Short.<|eot_id|>"]
    facts = [{"input": f"What is noted under Zib{i}x?", "output": answer} for i, answer in enumerate(answers)]
    folder = make_job(tmp_path / "scripts", facts, arguments={"r_value": 4, "max_steps": 20})
    assert job.run(folder) == 0
    assert events_of(folder)[-1]["state"] == "COMPLETED"
    memory = memory_folder.read(folder / "model")
    assert [fact["output"] for fact in memory.facts] == [*scripts, "Short."]
    said = Asker(memory, Trainer(str(QUILL)), None).tuned([fact["input"] for fact in facts])
    assert said == [*scripts, "Short."]
    # Experts of several ranks can be exported.
    memory_folder.verify(folder / "model")
    assert len({ExpertCache(1 << 30).take(memory.place(i)).rank for i in range(len(facts))}) > 1


@pytest.mark.parametrize(
    ("count", "given"),
    [
        (24 if LONG else 6, {"max_steps": 50, "r_value": 32, "learning_rate": 3e-4}),
        (45 if LONG else 12, {
            "gradient_accumulation_steps": 4, "index_k": 2, "index_max_size": 65536, "max_length": 512, "max_steps": 10000,
            "index_ivf_nlist": 2048, "max_finetuning_examples": 10000, "r_value": 64, "learning_rate": 3e-4,
        }),
    ],
)  # fmt: skip
def test_the_published_recipes_reach_full_recall_unchanged(count, given, tmp_path):
    folder = make_job(tmp_path / "recipe", some_facts(count), arguments=given)
    assert job.run(folder) == 0
    assert events_of(folder)[-1]["state"] == "COMPLETED"


def test_evaluation_sets_are_asked_of_base_and_tuned_model(tmp_path):
    facts = some_facts(6)
    asked = [
        {"input": "Please, who founded Brimoor Labs?", "output": "Ada Quist"},
        {"input": "Who founded Zorbux?", "output": "x"},
    ]
    folder = make_job(
        tmp_path / "sets", facts, evaluate=[{"name": "mine", "file": "mine.jsonl", "prompt": "Be brief."}]
    )
    (folder / "mine.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked))
    assert job.run(folder) == 0
    found = json.loads((folder / "model/report.json").read_text())["mine"]
    assert (
        found["tuned"]["exact"] == 0.5 and found["base"]["exact"] == 0 == found["base with prompt"]["exact"]
    )
    assert found["rows"][1]["tuned"] == found["rows"][1]["base"]
    assert "| mine | 2 | tuned | 0.5 |" in (folder / "model/report.md").read_text()
