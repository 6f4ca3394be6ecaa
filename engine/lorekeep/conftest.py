"""Tests run on one thread, as the engine does. With several threads the split of the work, and with it the
last bits of a row, depends on the batch."""

import pytest
import torch

torch.set_num_threads(1)


@pytest.fixture(scope="session", autouse=True)
def less_work():
    """Jobs of this process do as those that are forked: their models are compared."""
    from lorekeep import testing_models
    from lorekeep.testing_process import LONG

    if not LONG:
        testing_models.keep_choices()
        testing_models.ask_less()


@pytest.fixture(scope="session", autouse=True)
def one_embedder():
    """The default embedder is loaded once for all tests: nothing changes a loaded one."""
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
