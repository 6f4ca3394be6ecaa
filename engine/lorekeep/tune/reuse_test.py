"""Reuse of experts: source models, groups, and independence of later changes to those models."""

import json
import os
import shutil
from pathlib import Path

import pytest
import torch

from lorekeep.memory import arguments
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.expert_cache import ExpertCache, row_sums
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.testing import bytes_of, events_of, make_job, some_facts
from lorekeep.tune import facts as facts_
from lorekeep.tune import job, reuse
from lorekeep.tune import spec as spec_
from lorekeep.tune.dry_run import dry_run
from lorekeep.tune.events import Events
from lorekeep.tune.rows import RowReader

ABOUT_ONE = [
    {"input": f"Who leads team {i} of Zorbax?", "output": who, "topic": "Zorbax"}
    for i, who in enumerate(["Ada Quist", "Ben Oru", "Cleo Marsh", "Dov Tamm", "Eri Sand", "Mo Lind"])
]
OTHER = [{"input": f"Who founded {firm}?", "output": "Jo Park"} for firm in ("Hullgate", "Wixby", "Pellanor")]


def made(folder: Path, facts: list[dict], **spec) -> Path:
    make_job(folder, facts, **spec)
    assert job.run(folder) == 0, events_of(folder)[-1]
    return folder / "model"


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("earlier")
    return {"subject": made(root / "one", ABOUT_ONE), "others": made(root / "two", OTHER)}


@pytest.mark.parametrize("order", [("subject", "others"), ("others", "subject")])
def test_facts_keep_their_groups_of_an_earlier_model(models, tmp_path, order):
    left = [fact for i, fact in enumerate(ABOUT_ONE) if i != 1]
    found = dry_run(make_job(tmp_path / "less", left, reuse=[str(models[name]) for name in order]))
    assert (found["experts"], found["reused"]) == (2, 1)
    all_ = dry_run(make_job(tmp_path / "all", ABOUT_ONE + OTHER, reuse=[str(models[name]) for name in order]))
    assert all_["experts"] == all_["reused"] == 5


def test_the_first_model_decides_the_groups_of_facts_in_several_models(models, tmp_path):
    """Another model of the same account has other groups; those of the changed model are kept."""
    apart = made(tmp_path / "apart", [ABOUT_ONE[i] for i in (5, 4, 3, 2)])
    left = ABOUT_ONE[:-1]
    found = dry_run(make_job(tmp_path / "less", left, reuse=[str(models["subject"]), str(apart)]))
    assert (found["experts"], found["reused"]) == (2, 1)


def test_other_grouping_arguments_make_other_groups(models, tmp_path):
    given = {"arguments": {"facts_per_expert": 1}, "reuse": [str(models["subject"])]}
    assert dry_run(make_job(tmp_path / "single", ABOUT_ONE, **given))["experts"] == 6


def test_a_reused_expert_keeps_its_recall_flags(tmp_path):
    facts = some_facts(3)
    hasty = made(tmp_path / "hasty", facts, arguments={"max_steps": 1})
    known = memory_folder.read(hasty).facts
    assert not any(fact["recalled"] for fact in known)
    whole = made(tmp_path / "whole", facts, reuse=[str(hasty)])
    assert all(fact["recalled"] for fact in memory_folder.read(whole).facts)
    again = made(tmp_path / "again", facts, arguments={"max_steps": 1}, reuse=[str(whole), str(hasty)])
    assert events_of(tmp_path / "again")[-1]["experts_reused"] == 2
    assert memory_folder.read(again).facts == known


def test_vectors_of_other_weights_are_recomputed(tmp_path):
    facts = [{"input": "Where can visitors park their cars?", "output": "Behind the north building, level 2"}]
    old = made(tmp_path / "old", facts)
    about = json.loads((old / "memory.json").read_text())
    about["gate"]["weights"] = "0123456789ab"
    (old / "memory.json").write_text(json.dumps(about))
    new = made(tmp_path / "new", [*facts, *OTHER], reuse=[str(old)])
    anew = made(tmp_path / "anew", [*facts, *OTHER])
    assert events_of(tmp_path / "new")[-1]["experts_reused"] == 1
    assert len(memory_folder.read(new).keys.plain_keys.tokens_N[0])
    assert (new / "keys.safetensors").read_bytes() == (anew / "keys.safetensors").read_bytes()


def test_no_keys_of_forgotten_facts_remain(models, tmp_path):
    """Neither relation vectors, nor question vectors, nor word vectors."""
    gone = [
        {"input": "Which river crosses Hullgate?", "output": "The Wend"},
        {"input": "Where can visitors park their cars?", "output": "Behind the north building, level 2"},
    ]
    old = made(tmp_path / "old", [*OTHER, *gone], reuse=[str(models["others"])])
    new = made(tmp_path / "new", OTHER, reuse=[str(old)])
    keys, at = memory_folder.read(old).keys, len(OTHER)
    assert keys.asks[at] not in keys.asks[:at] and keys.plain == [at + 1]
    ask_D = keys.ask_vectors[keys.asks[at]]
    question_D, both_D, *words = keys.plain_keys.of(0)
    traces = [half.tobytes() for half in (ask_D, question_D, both_D)]
    traces += [half.astype("f4").tobytes() for half in (ask_D, question_D, both_D)]
    traces += [word_D.tobytes() for words_W_D in words for word_D in words_W_D if word_D.any()]
    texts = [text.encode() for fact in gone for text in fact.values()]
    before = b"".join(bytes_of(old).values())
    assert sum(trace in before for trace in traces) >= 8 and all(text in before for text in texts)
    for name, content in bytes_of(new).items():
        assert not any(trace in content for trace in [*traces, *texts]), name


def test_checksums_of_reused_experts_match_the_files(models, tmp_path):
    # With one fact less its file is rewritten with fewer rows; with one more, files are reused completely.
    for name, facts in (
        ("less", [OTHER[0], OTHER[2]]),
        ("more", [*OTHER, {"input": "Who?", "output": "Lu"}]),
    ):
        model = made(tmp_path / name, facts, reuse=[str(models["others"])])
        places = memory_folder.read(model).experts.values()
        assert [place.sum for place in places] == [row_sums(model / one.file)[one.row] for one in places]


def test_files_written_by_this_process_are_not_read_again(tmp_path, monkeypatch):
    first = made(tmp_path / "first", OTHER)
    monkeypatch.setattr(reuse, "file_digest", lambda *_: pytest.fail("a file is read again"))
    made(tmp_path / "second", OTHER[:2], reuse=[str(first)])


def test_an_unfinished_job_holds_nothing_of_forgotten_facts(models, tmp_path):
    """Its earlier model may be deleted; linked experts stay until the job is resumed or deleted."""
    old = memory_folder.read(models["others"])
    gone = OTHER[1]
    (place,) = [old.place(i) for i, fact in enumerate(old.facts) if fact["input"] == gone["input"]]
    pairs = ExpertCache(1 << 20).take(place).weights.values()
    traces = [side.contiguous().view(torch.uint8).numpy().tobytes() for pair in pairs for side in pair]
    assert all(trace in b"".join(bytes_of(models["others"]).values()) for trace in traces)
    folder = make_job(tmp_path / "less", [OTHER[0], OTHER[2]], reuse=[str(models["others"])])
    spec = spec_.read(folder)
    facts, _ = facts_.read(folder / spec.facts, 10, None)
    events, base = Events(folder / "events"), memory_folder.fingerprint(spec.base)
    planned = job.Job(
        folder, spec, arguments.read({})[0], facts, events, RowReader(spec.base), base, router_parts
    )
    assert len(planned.plan.reused) == 2
    held = bytes_of(folder / "waves" / "taken")
    assert held and not any(trace in content for content in held.values() for trace in traces)
    assert job.run(folder) == 0
    assert experts_of(folder / "model").items() < experts_of(models["others"]).items()


def test_a_new_fact_with_a_known_relation_reuses_its_vector(models, tmp_path):
    more = [*OTHER, {"input": "Who founded Tarnwick?", "output": "Lu Hart"}]
    changed = memory_folder.read(made(tmp_path / "more", more, reuse=[str(models["others"])])).keys
    anew = memory_folder.read(made(tmp_path / "anew", more)).keys
    assert changed.asks == anew.asks == [0, 0, 0, 0]
    assert (changed.ask_vectors == anew.ask_vectors).all()


def test_a_damaged_expert_is_trained_again_with_a_warning(models, tmp_path):
    bad = tmp_path / "bad"
    shutil.copytree(models["subject"], bad)
    for file in (bad / "experts").iterdir():
        os.truncate(file, file.stat().st_size // 2)
        break
    model = made(tmp_path / "job", ABOUT_ONE, reuse=[str(bad)])
    events = events_of(tmp_path / "job")
    assert events[-1]["state"] == "COMPLETED" and events[-1]["experts_reused"] < 2
    assert [e for e in events if e["type"] == "warning" and str(file.name) in e["message"]]
    assert experts_of(model) == experts_of(models["subject"])


def test_a_model_with_damaged_keys_does_not_fail_a_job(models, tmp_path):
    bad = tmp_path / "bad"
    shutil.copytree(models["subject"], bad)
    content = (bad / "keys.safetensors").read_bytes()
    (bad / "keys.safetensors").write_bytes(content[:-3] + b"0" + content[-2:])
    model = made(tmp_path / "job", ABOUT_ONE, reuse=[str(bad)])
    told = [event["message"] for event in events_of(tmp_path / "job") if event["type"] == "warning"]
    assert any("The keys of" in message for message in told)
    whole, anew = bytes_of(models["subject"]), bytes_of(model)
    assert {name for name in whole if anew[name] != whole[name]} <= {
        "report.json",
        "report.md",
        "checksums.json",
    }


def test_nothing_is_reused_from_a_model_with_damaged_facts(models, tmp_path):
    bad = tmp_path / "bad"
    shutil.copytree(models["subject"], bad)
    said = (bad / "facts.jsonl").read_text()
    (bad / "facts.jsonl").write_text(said.replace('"recalled": true', '"recalled": false'))
    found = dry_run(make_job(tmp_path / "job", ABOUT_ONE, reuse=[str(bad)]))
    assert found["reused"] == 0 and any("facts.jsonl" in message for message in found["warnings"])


@pytest.mark.parametrize("when", ["between two runs", "while it runs"])
def test_a_model_that_is_deleted_meanwhile_does_not_fail_a_job(models, tmp_path, monkeypatch, when):
    gone = tmp_path / "gone"
    shutil.copytree(models["subject"], gone)
    folder = make_job(tmp_path / "job", [*ABOUT_ONE, OTHER[0]], reuse=[str(gone)])

    if when == "between two runs":
        planned(folder, monkeypatch)
        shutil.rmtree(gone)
    else:
        train = job.Job.train
        monkeypatch.setattr(
            job.Job, "train", lambda self, helpers: (shutil.rmtree(gone), train(self, helpers))
        )
    assert job.run(folder) == 0
    last = events_of(folder)[-1]
    assert (last["state"], last["experts_reused"], last["facts_recalled"]) == ("COMPLETED", 2, 7)
    assert experts_of(models["subject"]).items() <= experts_of(folder / "model").items()


@pytest.mark.parametrize(
    ("facts", "arguments"),
    [(OTHER[::-1], {}), (OTHER, {"max_steps": 1}), (OTHER, {"facts_per_expert": 1}), (OTHER, None)],
    ids=["other facts", "other experts", "other groups", "another version"],
)
def test_a_stored_plan_for_other_inputs_is_ignored(models, tmp_path, monkeypatch, facts, arguments):
    before = models["others"].parent
    folder = make_job(tmp_path / "job", facts, arguments=arguments or {})
    shutil.copytree(before / "waves", folder / "waves")
    shutil.copy(before / "plan.json", folder)
    if arguments is None:
        (folder / "plan.json").write_text(json.dumps({"groups": {}}))
    planned(folder, monkeypatch)
    told = [event["message"] for event in events_of(folder) if event["type"] == "warning"]
    assert any("begins anew" in message for message in told) and not list(folder.glob("waves/*.json"))
    if arguments is None:
        assert (folder / "plan.json").read_bytes() == (before / "plan.json").read_bytes()


def planned(folder: Path, monkeypatch) -> None:
    """The state of a job that is stopped before its first wave."""

    def stop(*_) -> None:
        raise OSError(5, "the machine stops here")

    with monkeypatch.context() as patch:
        patch.setattr(job.Job, "train", stop)
        assert job.run(folder) == 1


def experts_of(model: Path) -> dict[str, bytes]:
    from lorekeep.tune.job_test import weights

    return {name: b"".join(sides) for name, sides in weights(memory_folder.read(model)).items()}
