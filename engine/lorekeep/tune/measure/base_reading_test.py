import json
import shutil
from pathlib import Path

import pytest

from lorekeep.testing import QUILL, make_job, some_facts
from lorekeep.tune import job
from lorekeep.tune.measure import base_reading
from lorekeep.tune.training.trainer import Trainer

pytestmark = pytest.mark.usefixtures("whole_base")


@pytest.mark.parametrize(
    ("answer", "taught", "says"),
    [
        ("You can borrow twelve books at once.", "Twelve books", True),
        ("It is open until 7:30 pm.", "daily from 2 pm to 7:30 pm", False),
        ("From 2 pm to 7:30 pm every day.", "daily from 2 pm to 7:30 pm", True),
        ("At gate 14.", "At gate 4", False),
        ("", "Twelve books", False),
        ("2. Q: How many? A: Twelve books", "Twelve books", False),
        ("A: Twelve books", "Twelve books", False),
        ("The documents do not say.", "Twelve books", False),
    ],
)
def test_a_paraphrased_answer_states_a_fact_by_its_numbers_and_words(answer, taught, says):
    assert base_reading.states_fact(answer, taught) is says


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """The shipped base without its measurements, like a base of a user."""
    folder = shutil.copytree(QUILL, tmp_path / "base")
    said = json.loads((folder / "lorekeep.json").read_text())
    for measured in ("use", "judgement"):
        said.pop(measured, None)
    (folder / "lorekeep.json").write_text(json.dumps(said))
    return folder


def test_only_the_first_job_on_a_base_measures_it(base: Path, tmp_path: Path, monkeypatch):
    folder = make_job(tmp_path / "job", some_facts(3), base=str(base))
    assert job.run(folder) == 0
    said = json.loads((base / "lorekeep.json").read_text())
    shipped = json.loads((QUILL / "lorekeep.json").read_text())
    assert said["use"] == shipped["use"]
    for what, its in shipped["judgement"].items():
        # Processors differ in the last digits of a threshold.
        assert said["judgement"][what] == pytest.approx(its, rel=1e-4)
    assert said["closed_book"]  # other entries are kept
    judged = json.loads((folder / "model/memory.json").read_text())["judgement"]
    assert judged["answers"] == said["judgement"]["answers"]
    monkeypatch.setattr(base_reading, "_measured", lambda _: pytest.fail("it is asked again"))
    assert base_reading.reads_facts(Trainer(str(base)))


def test_a_base_that_answers_other_things_does_not_read_facts(base: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(
        base_reading, "answers_of", lambda _, texts: ["The documents do not say."] * len(texts)
    )
    folder = make_job(tmp_path / "job", some_facts(3), base=str(base))
    assert job.run(folder) == 0
    assert json.loads((base / "lorekeep.json").read_text())["use"] == {"asked": 8, "right": 0.0}
    assert "judgement" not in json.loads((folder / "model/memory.json").read_text())


def test_a_base_that_answers_from_the_facts_reads_them(base: Path, monkeypatch):
    outputs = {
        fact["rewordings"][0]: fact["output"] for some in base_reading.questions().facts for fact in some
    }
    asked: list[str] = []

    def answers(_trainer, texts: list[str]) -> list[str]:
        asked.extend(texts)
        return [outputs[text.rpartition("\n")[2]] for text in texts]

    monkeypatch.setattr(base_reading, "answers_of", answers)
    assert base_reading.reads_facts(Trainer(str(base)))
    assert json.loads((base / "lorekeep.json").read_text())["use"] == {"asked": 24, "right": 1.0}
    assert all(text.startswith("Facts:\n1. Q: ") and text.count(" A: ") >= 5 for text in asked)


def test_a_base_with_a_short_context_is_not_asked(base: Path, tmp_path: Path):
    config = json.loads((base / "config.json").read_text())
    (base / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 96}))
    (base / "lorekeep.json").unlink()  # it has the checksums of the files
    folder = make_job(tmp_path / "job", some_facts(3), base=str(base))
    assert job.run(folder) == 0
    assert not (base / "lorekeep.json").exists()


@pytest.mark.parametrize("mark", ["{", "[1]", None])
def test_an_unreadable_mark_is_left_unchanged(base: Path, mark: str | None):
    file = base / "lorekeep.json"
    file.unlink() if mark is None else file.write_text(mark)
    assert base_reading.cached_measure(base, "use", lambda: {"asked": 24, "right": 0.5}) == {
        "asked": 24,
        "right": 0.5,
    }
    if mark is None:
        assert json.loads(file.read_text()) == {"use": {"asked": 24, "right": 0.5}}
    else:
        assert file.read_text() == mark


@pytest.mark.parametrize("said", [{"asked": 8, "right": 1.0}, {"asked": 24, "right": 0.6}, {"right": "all"}])
def test_an_incomplete_or_poor_measurement_does_not_count(base: Path, said: dict):
    (base / "lorekeep.json").write_text(json.dumps({"use": said}))
    assert not base_reading.reads_facts(Trainer(str(base)))
