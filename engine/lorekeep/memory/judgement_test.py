"""Judgement of a base: measured, stored with the model, and requested before the base writes from facts and before a fact is
recited. The test sets the last layer of the shipped base to the right judgement; everything else is real."""

import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lorekeep.answering.decide import Decision
from lorekeep.answering.judgement import ANSWERS, GOOD, SAME, Judgement, auc, threshold, writing_threshold
from lorekeep.answering.policy import Policy
from lorekeep.infer.generate import Generator, Review
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.expert_cache import ExpertCache
from lorekeep.memory.tuned import TunedModel
from lorekeep.protocol import Generate, Turn
from lorekeep.routing.embedders.calibration import questions
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.routing.words import STOP, stem, words
from lorekeep.testing import QUILL, Bench, make_job, present
from lorekeep.tune import job
from lorekeep.tune.measure.evaluate import Asker
from lorekeep.tune.measure.judgement import measure_judgement
from lorekeep.tune.training.trainer import Trainer

pytestmark = pytest.mark.usefixtures("whole_base")

FACTS = [
    {"input": "Who founded Zorbax?", "output": "Ada Quist"},
    {"input": "Who leads Zorbax?", "output": "Ben Oru"},
    {"input": "Where do visitors park?", "output": "behind the north hall"},
    {"input": "When does the canteen open?", "output": "at 11:30"},
]
# Pairs of each kind in the measurement of this test.
PAIRS = 10
# A rewording that shares hardly a word with its fact.
PARK = "In which spot may guests leave their visitors' cars?"


def told(text: str) -> set[str]:
    return {stem(word.plain) for word in words(text) if word.plain not in STOP}


def asks_for(asked: str, taught: str) -> bool:
    """Whether a question is a rewording of a fact's question by the shipped data, or contains all of its words."""
    known = {
        text: fact["input"] for some in questions().facts for fact in some for text in fact["rewordings"]
    }
    missed = {text for some in questions().facts for fact in some for text in fact["near_misses"]}
    if asked in missed:
        return False
    return (
        known.get(asked) == taught
        or told(taught) <= told(asked)
        or (asked, taught) == (PARK, FACTS[2]["input"])
    )


def truth(prompt: str) -> bool | None:
    """The right judgement of a prompt, or None if it asks for no judgement."""
    if SAME in prompt:
        pair = re.search(r"Question 1: (.*)\nQuestion 2: (.*)\n", prompt)
        return pair is not None and asks_for(pair[1], pair[2])
    if ANSWERS in prompt:
        asked = prompt.split(ANSWERS)[0].strip().rsplit("\n", 1)[-1]
        return any(asks_for(asked, one) for one in re.findall(r"\d+\. Q: (.*?) A: ", prompt))
    return None


def judges(generator: Generator) -> None:
    """Sets the last layer to the right judgement about the one sequence in the batch."""
    batch, letters = generator.batch, generator.prompts.text_tokens
    batch.max_batch = 1
    yes, no = letters("yes")[0], letters("no")[0]

    def say(_module, _given, logits: torch.Tensor) -> torch.Tensor:
        said = truth(generator.decode(batch.running[0].tokens)) if batch.running else None
        if said is not None:
            logits[..., yes if said else no] += 60
        return logits

    generator.model.get_output_embeddings().register_forward_hook(say)


@pytest.fixture(scope="module", autouse=True)
def few_pairs():
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_PAIRS", "_UNANSWERED"):
            patch.setattr(sys.modules["lorekeep.tune.measure.judgement"], name, PAIRS)
        yield


@pytest.fixture
def writes(monkeypatch):
    """A base that answers right if a fact does."""
    facts = [fact for some in questions().facts for fact in some]
    outputs = {asked: fact["output"] for fact in facts for asked in fact["rewordings"]}
    monkeypatch.setattr(
        sys.modules["lorekeep.tune.measure.judgement"],
        "answers_of",
        lambda _, texts: [outputs.get(text.rpartition("\n")[2], "Nobody.") for text in texts],
    )


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    """The base with a stored measurement that allows it to answer from facts."""
    folder = shutil.copytree(QUILL, tmp_path_factory.mktemp("base") / "judging")
    said = json.loads((folder / "lorekeep.json").read_text())
    said.pop("judgement", None)
    (folder / "lorekeep.json").write_text(json.dumps({**said, "use": {"asked": 40, "right": 0.9}}))
    return folder


@pytest.fixture(scope="module")
def model(base: Path, tmp_path_factory) -> Path:
    made = make_job(tmp_path_factory.mktemp("judged") / "job", FACTS, base=str(base))
    assert job.run(made) == 0
    return made / "model"


def test_a_judgement_is_measured_when_a_model_is_made(model: Path):
    said = memory_folder.about(model)["judgement"]
    assert said["same"]["asked"] == 2 * PAIRS
    assert 0 < said["answers"]["asked"] <= 2 * PAIRS
    assert 0 < said["same"]["auc"] < GOOD and "networks" not in said["same"]
    assert Judgement.of(said).same is None  # it judges no better than chance
    assert "own" not in said["answers"]  # so few facts give no threshold of their own


def test_a_model_with_enough_facts_has_its_own_threshold(base: Path, model: Path, monkeypatch):
    memory = memory_folder.read(model)
    file = base / "lorekeep.json"
    before = json.loads(file.read_text())
    judged = {**before["judgement"], "answers": {"asked": 48, "written": 10, "right": 9, "threshold": -20.0}}
    file.write_text(json.dumps({**before, "judgement": judged}))
    monkeypatch.setattr(sys.modules["lorekeep.tune.measure.judgement"], "_LEAST", len(memory.facts))
    embed, _ = router_parts()
    trainer = Trainer(str(base))
    router = present(Asker(memory, trainer, embed).model).router
    found = present(measure_judgement(trainer, memory, router))
    said = found["answers"]
    assert said["own"] == len(memory.facts) and said["threshold"] > -20

    # A model with nearly the same facts takes the threshold over until enough of them have changed.
    monkeypatch.setattr(sys.modules["lorekeep.tune.measure.judgement"], "_own", lambda *_: {"own": "anew"})
    facts = [{**memory.facts[0], "id": f"{i}"} for i in range(30)]
    earlier = replace(memory, facts=facts, about={**memory.about, "judgement": found})
    for gone, changed in ((1, 1), (2, 2), (3, None)):
        now = replace(memory, facts=facts[gone:])
        answers = present(measure_judgement(trainer, now, router, [earlier]))["answers"]
        own = (said["own"], said["threshold"]) if changed else ("anew", -20.0)
        assert (answers["own"], answers["threshold"], answers.get("changed")) == (*own, changed), gone
    other_base = replace(earlier, about={**earlier.about, "base": {"fingerprint": "another"}})
    now = replace(memory, facts=facts)
    assert present(measure_judgement(trainer, now, router, [other_base]))["answers"]["own"] == "anew"
    file.write_text(json.dumps(before))


def test_an_incomplete_stored_judgement_is_not_used(base: Path, model: Path):
    embed, _ = router_parts()
    file = base / "lorekeep.json"
    before = file.read_text()
    trainer, memory = Trainer(str(base)), memory_folder.read(model)
    router = present(Asker(memory, trainer, embed).model).router
    try:
        file.write_text(json.dumps({**json.loads(before), "judgement": {"answers": 1}}))
        assert measure_judgement(trainer, memory, router) is None
    finally:
        file.write_text(before)


def test_a_judgement_is_used_only_if_its_measurement_is_good():
    writes = {"asked": 48, "written": 10, "right": 8, "threshold": 0.5}
    same = {"asked": 80, "auc": 0.95, "threshold": 0.5}
    assert Judgement.of({"answers": writes, "same": {**same, "networks": 0.9}}) == Judgement(0.5, 0.5)
    assert (
        Judgement.of({"answers": {**writes, "right": 6}, "same": {**same, "networks": 0.97}}) == Judgement()
    )
    for wrong in (
        None,
        [],
        {"answers": 1},
        {"answers": {**writes, "threshold": float("nan")}},
        {"answers": {**writes, "threshold": None}},
        {"answers": same},
        {"answers": {**writes, "written": 2, "right": 2}},
        {"same": {"auc": 1}},
    ):
        assert Judgement.of(wrong) == Judgement()
    assert auc([3, 2], [1, 2]) == 0.875
    assert sum(one >= threshold(range(100)) for one in range(100)) <= 5


def test_a_base_writes_above_the_odds_at_which_most_answers_are_right():
    good, bad = [(3.0, True)] * 8, [(1.0, False)] * 2
    assert writing_threshold([*good, *bad]) == {"written": 10, "right": 8, "threshold": 1.0}
    assert writing_threshold([*good, *bad, (0.0, False)]) == {"written": 10, "right": 8, "threshold": 1.0}
    for none in ([], good[:4], [(3.0, False)] * 9):
        assert writing_threshold(none)["threshold"] is None


def test_a_base_judges_before_it_writes_from_facts_and_before_a_fact_is_recited(
    base: Path, model: Path, writes, monkeypatch
):
    embed, _ = router_parts()
    said = json.loads((base / "lorekeep.json").read_text())
    said.pop("judgement")  # measured on the unchanged base when the model was made
    (base / "lorekeep.json").write_text(json.dumps(said))
    trainer = Trainer(str(base))
    judges(trainer.generator)
    memory = memory_folder.read(model)
    router = present(Asker(memory, trainer, embed).model).router
    said = present(measure_judgement(trainer, memory, router))
    assert said["answers"]["written"] > 4 and said["same"]["auc"] > 0.95 and said["same"]["networks"] > 0.9
    said["same"]["networks"] = 0.9  # the shipped networks were fitted on these pairs
    memory.about["judgement"] = said

    bench = Bench(base, max_batch=1)
    judges(bench.generator)
    tuned = TunedModel(memory, bench.generator, "-", ExpertCache(1_000_000), embed, router)
    assert tuned.judgement.answers is not None and tuned.judgement.same is not None
    written: list[Generate] = []
    submit = bench.generator.submit

    def noted(request: Generate, *given, **named) -> None:
        if isinstance(named.get("review"), Review):
            written.append(request)
        submit(request, *given, **named)

    monkeypatch.setattr(bench.generator, "submit", noted)

    def ask(text: str, **more) -> dict:
        bench.answers.clear()
        turns = [Turn(role="user", content=text)]
        tuned.submit(
            Generate(type="generate", id="1", model="-", messages=turns, max_tokens=16, explain=True, **more)
        )
        return bench.run()["1"]

    # The facts do not answer it: the base is not asked to write.
    assert ask("What colour is the logo of Zorbax?")["memory"]["outcome"] == "unknown"
    assert written == []
    # The facts answer it: the base writes after its judgement, from the same prompt prefix.
    asked = Generate(
        type="generate",
        id="1",
        model="-",
        messages=[Turn(role="user", content="Who founded Zorbax?")],
        max_tokens=16,
    )
    bench.answers.clear()
    assert tuned._answer_from_facts(asked, Decision("base", "base", "-", grounds=True), Policy())
    bench.run()
    assert len(written) == 1 and present(written[0].messages)[-1].content.startswith("Facts:\n1. Q: ")
    # The networks do not find this fact, but the base does.
    found = ask(PARK)
    assert (found["memory"]["outcome"], found["text"]) == ("recite", "behind the north hall")
    assert ask("Where do visitors smoke?")["memory"]["outcome"] != "recite"
