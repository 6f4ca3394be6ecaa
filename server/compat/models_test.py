# Models brought from a hub by the platform's own client, from a hub that runs beside the product, and asked by it afterwards.
import json
import shutil
import sys
import time
from collections.abc import Iterator

import pytest
from conftest import COMMAND, Product, running
from lamini import Lamini
from lamini.api.model_downloader import ModelDownloader, ModelType
from lamini.error.error import APIError, DownloadingModelError, ModelNotFoundError, UserError

sys.path.append(str(COMMAND.parent / "engine"))
from lorekeep.hub.testing_hub import TestingHub, behave

QUILL = COMMAND.parent / "models/quill"
EMBEDDER = "sentence-transformers/all-MiniLM-L6-v2"
QUESTION = "Context: The red valve has the code RV-2207.\nQuestion: What is the code of the red valve?"


@pytest.fixture(scope="module")
def hub(tmp_path_factory) -> Iterator[TestingHub]:
    root = tmp_path_factory.mktemp("hub")
    for name in ("team/scribe", "team/gated", "team/slow"):
        shutil.copytree(QUILL, root / name)
    (root / "team/other").mkdir()
    (root / "team/other/config.json").write_text(json.dumps({"model_type": "gpt2"}))
    hub = TestingHub(root)
    yield hub
    hub.close()


@pytest.fixture(scope="module")
def product(hub, tmp_path_factory) -> Iterator[Product]:
    with running(str(tmp_path_factory.mktemp("home")), "--hub-url", hub.url) as started:
        until_available(started, {"hf_model_name": EMBEDDER})  # known when the engine runs
        yield started


def until_available(product, wish: dict) -> dict:
    for _ in range(1200):
        answer = product.call("POST", "/v1alpha/downloaded_models/", json=wish)
        assert answer.status_code == 200, answer.text
        if answer.json()["status"] == "available":
            return answer.json()
        time.sleep(0.1)
    raise AssertionError(f"never available: {answer.text}")


def client(product, name: str) -> Lamini:
    return Lamini(name, api_key=product.key, api_url=product.url)


def test_a_model_is_downloaded_waited_for_and_asked(product):
    llm = client(product, "team/scribe")
    with pytest.raises(ModelNotFoundError, match='no model "team/scribe"'):
        llm.generate(QUESTION)
    got = llm.download_model(model_type=ModelType.transformer, wait=True, wait_time_seconds=120)
    assert (got.model_name, got.model_type, got.status) == ("team/scribe", "transformer", "available")
    assert llm.generate(QUESTION, max_new_tokens=8) == client(product, "lorekeep/quill").generate(
        QUESTION, max_new_tokens=8
    )


def test_a_present_model_is_listed_and_available_at_once(product):
    downloader = ModelDownloader(product.key, product.url)
    got = downloader.download("lorekeep/quill", ModelType.transformer)
    assert got.status == "available"
    listed = {model.model_name: model for model in downloader.list()}
    assert listed["lorekeep/quill"].status == "available"
    got = downloader.download(EMBEDDER, ModelType.embedding)
    assert (got.status, got.model_type) == ("available", "embedding")


def test_a_model_on_its_way_is_told_as_downloading(product, hub):
    behave(hub.root, "team/slow", pause=0.1)
    llm = client(product, "team/slow")
    assert llm.download_model(model_type=ModelType.transformer).status == "queued"
    with pytest.raises(DownloadingModelError):
        llm.generate(QUESTION)
    behave(hub.root, "team/slow")
    product.call("DELETE", "/v1alpha/downloaded_models/team/slow")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("team/nothing", "has no model team/nothing"),
        ("team/other", "its model_type is 'gpt2'"),
        ("team/gated", "accept its terms"),
    ],
)
def test_a_failure_is_told_to_the_client_that_waits(product, hub, name, told):
    behave(hub.root, "team/gated", gated="hf_secret")
    with pytest.raises((UserError, APIError), match=told):
        client(product, name).download_model(
            model_type=ModelType.transformer, wait=True, wait_time_seconds=60
        )


def test_a_private_token_opens_it(product, hub):
    behave(hub.root, "team/gated", gated="hf_secret")
    wish = {"hf_model_name": "team/gated", "model_type": "transformer", "private_hf_token": "hf_secret"}
    assert until_available(product, wish)["download_attempts"] > 0
    answers = [client(product, name).generate(QUESTION) for name in ("team/gated", "lorekeep/quill")]
    assert answers[0] == answers[1]
