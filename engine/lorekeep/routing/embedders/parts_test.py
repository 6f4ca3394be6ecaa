"""Another embedding model than the default one: it is recognised, calibrated, stored with the tuned model, and used when that
model answers."""

import json
import shutil
from pathlib import Path
from queue import SimpleQueue

import pytest
from transformers import AutoModel

from lorekeep import default_embedder
from lorekeep.errors import EngineError
from lorekeep.memory import embedder, validate_import
from lorekeep.memory import folder as memory_folder
from lorekeep.models import Models, Settings
from lorekeep.protocol import Generate, Turn
from lorekeep.routing.embedders.likeness import FITTED, Calibrated
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.testing import QUILL, present
from lorekeep.tune import job

FACTS = [
    ("Who founded Zorbax?", "Ada Quist"),
    ("In which year was Zorbax founded?", "1990"),
    ("Where was Ada Quist born?", "Ulmwick"),
    ("Wer leitet Kelvaria?", "Mara Ilves"),
    ("How long do I keep the receipts of my travel?", "six months"),
    ("What is the extension of the reception?", "4410"),
    ("Where do visitors park?", "behind the north hall"),
]
ASKED = [
    ("Who founded Zorbax?", (), "recite", "Ada Quist"),
    ("Who is the founder of Zorbax?", (), "recite", "Ada Quist"),
    ("And in which year was it founded?", ("Who founded Zorbax?", "Ada Quist"), "recite", "1990"),
    ("Which company did Ada Quist found?", (), "ground", "Zorbax"),
    ("Where was the founder of Zorbax born?", (), "ground", "Ulmwick"),
    ("Von wem wird Kelvaria geleitet?", (), "recite", "Mara Ilves"),
    ("Please tell me: where do visitors park?", (), "recite", "behind the north hall"),
    ("Who founded Zorbex?", (), "base", None),
    ("Where do visitors smoke?", (), "base", None),
]


def first_layers(path: Path, layers: int = 3) -> Path:
    """The default model without its upper layers, which has the same width and family but other vectors."""
    shutil.copytree(present(default_embedder.folder()), path)
    model = AutoModel.from_pretrained(path)
    model.encoder.layer = model.encoder.layer[:layers]
    model.config.num_hidden_layers = layers
    model.save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def other(tmp_path_factory) -> Path:
    return first_layers(tmp_path_factory.mktemp("embedders") / "first-layers")


@pytest.fixture(scope="module")
def model(tmp_path_factory, other: Path) -> Path:
    folder = tmp_path_factory.mktemp("job")
    facts = "".join(json.dumps({"input": q, "output": a}) + "\n" for q, a in FACTS)
    (folder / "facts.jsonl").write_text(facts)
    (folder / "job.json").write_text(json.dumps({"format": 1, "base": str(QUILL), "embedder": str(other)}))
    assert job.run(folder) == job.DONE
    return folder / "model"


def loaded(model: Path, beside: str | None = None):
    """The model as the engine serves it."""
    found: SimpleQueue = SimpleQueue()
    settings = Settings(1 << 31, 1 << 26, embedder=beside)
    models = Models(settings, lambda _: None, lambda *_: None, lambda *said: found.put(said))
    models.order(str(model), "generate", str(QUILL))
    found.get()  # its base
    return found.get()[1]


def test_the_default_model_is_recognised_by_its_weights(tmp_path: Path):
    shutil.copytree(present(default_embedder.folder()), tmp_path / "copy")
    vectors, _ = router_parts(tmp_path / "copy")
    assert vectors is not None and vectors.likeness is FITTED


def test_a_model_uses_the_embedder_that_it_was_tuned_with(model: Path, other: Path):
    memory = memory_folder.read(model)
    assert isinstance(memory.likeness, Calibrated)
    assert memory.about["embedder"] == {"path": str(other), "fingerprint": embedder.fingerprint(other)}
    tuned = loaded(model)
    assert tuned.router.likeness.weights == memory.likeness.weights == memory.gate.weights
    for question, earlier, outcome, answer in ASKED:
        turns = [
            Turn(role=role, content=text) for role, text in zip(("user", "assistant"), earlier, strict=False)
        ]
        turns.append(Turn(role="user", content=question))
        decision = tuned.decide(Generate(type="generate", id="1", model="-", messages=turns, max_tokens=8))
        said = decision.text or (memory.facts[decision.facts[0]]["output"] if outcome == "recite" else None)
        assert (question, decision.outcome, said) == (question, outcome, answer)


def test_likeness_of_an_earlier_model_is_reused(model: Path, other: Path):
    memory = memory_folder.read(model)
    assert embedder.fitted_before([memory], str(other)) is memory.likeness
    assert embedder.fitted_before([memory], str(default_embedder.folder())) is None


def test_a_model_is_refused_without_its_embedder_and_served_with_its_new_folder(
    model: Path, other: Path, tmp_path: Path
):
    moved = shutil.copytree(other, tmp_path / "moved")
    copy = shutil.copytree(model, tmp_path / "model")
    about = memory_folder.about(copy)
    validate_import.rewrite(
        copy, {**about, "embedder": {**about["embedder"], "path": str(tmp_path / "gone")}}
    )
    refused = loaded(copy)
    assert isinstance(refused, EngineError) and "embedding model" in refused.message
    assert loaded(copy, str(moved)).router.likeness.weights == memory_folder.read(model).gate.weights
    assert validate_import.validate_import(copy, [str(QUILL)]) == str(QUILL)
