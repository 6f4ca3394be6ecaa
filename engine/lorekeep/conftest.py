"""Tests run on one thread like the engine. With several threads the split of the work, and so the last bits of a
row, depend on the batch."""

import copy
import gc

import pytest
import torch

torch.set_num_threads(1)
gc.disable()


def pytest_collection_finish():
    """Excludes imported modules from garbage collection, which takes a fifth of a second for them each time."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def less_work():
    """Jobs in this process use the same settings as forked ones, since their models are compared."""
    from lorekeep import testing_models
    from lorekeep.testing_process import LONG

    if not LONG:
        testing_models.keep_choices()
        testing_models.ask_less()
        testing_models.keep_two_layers()


@pytest.fixture(scope="session", autouse=True)
def one_embedder():
    """Loads the default embedder once for all tests, since it is never modified."""
    from lorekeep import default_embedder
    from lorekeep.infer import embed

    read, loaded = embed.read, {}

    def read_once(folder, device):
        if folder.path != default_embedder.folder():
            return read(folder, device)
        if device not in loaded:
            loaded[device] = read(folder, device)
        return loaded[device]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embed, "read", read_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def one_base():
    """Reads the shipped base once for all tests. Each gets a copy, since a generator modifies its model."""
    from lorekeep import testing_models
    from lorekeep.infer.weights import reading
    from lorekeep.testing import QUILL

    read, kept = reading.read, {}

    def read_once(folder, dtype, device):
        if folder.path.resolve() != QUILL or device.type != "cpu":
            return read(folder, dtype, device)
        which = dtype, testing_models.layers_kept()
        if which not in kept:
            kept[which] = read(folder, dtype, device)
        return copy.deepcopy(kept[which])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "read", read_once)
        yield


@pytest.fixture(scope="module")
def whole_base():
    from lorekeep import testing_models

    with testing_models.whole_base():
        yield
