"""A local hub with one tiny model, and a target folder for downloads."""

from pathlib import Path

import pytest

from lorekeep.hub.testing_child import NAME, Child, copy
from lorekeep.hub.testing_hub import TestingHub
from lorekeep.testing import save_model


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> Path:
    return save_model(tmp_path_factory.mktemp("models") / "tiny", "llama")


@pytest.fixture
def root(tmp_path, tiny) -> Path:
    (tmp_path / "hub/org").mkdir(parents=True)
    copy(tiny, tmp_path / "hub" / NAME)
    return tmp_path / "hub"


@pytest.fixture
def hub(root):
    hub = TestingHub(root)
    yield hub
    hub.close()


@pytest.fixture
def models(tmp_path) -> Path:
    (tmp_path / "models").mkdir()
    return tmp_path / "models"


@pytest.fixture
def bring(hub, models):
    return lambda name=NAME, **said: Child(hub.url, models, name, **said)
