"""For tests: loads the shipped models and compiles the kernels of quantized ones once in the process that engines and workers are
forked from, so that each fork has them in memory like the imported modules. A job is run there too."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import torch
from transformers import AutoConfig, LlamaForCausalLM
from transformers.utils import logging

from lorekeep import default_embedder, folders
from lorekeep.infer import embed, exact
from lorekeep.infer.weights import reading
from lorekeep.quantization import native
from lorekeep.tune.measure import evaluate
from lorekeep.tune.training.last_layer import LastLayer
from lorekeep.tune.training.train import ROWS, SHORTLIST

_SHIPPED = Path(__file__).resolve().parents[2] / "models/quill"
# Set to 1 in a process that reads all layers of the shipped base.
WHOLE_BASE = "LOREKEEP_TEST_WHOLE_BASE"
_CPU = torch.device("cpu")
_READ_CONFIG = AutoConfig.from_pretrained
ALL_UNRELATED = [*evaluate.UNRELATED]
_UNRELATED = 2
_REWORDED = 1


def prepare() -> None:
    torch.set_num_threads(1)  # threads do not survive a fork
    logging.disable_progress_bar()
    keep_choices()
    ask_less()
    keep_two_layers()
    _read_embedder()
    _run_job()
    _read_base()
    native.available()
    logging.enable_progress_bar()


def _read_embedder() -> None:
    """A fork may use it any number of times, since a loaded and packed embedder is never modified."""
    read, path = embed.read, default_embedder.folder()
    if path is None:
        return
    loaded = read(folders.check(str(path), "embed"), _CPU)
    exact.pack(loaded[0])
    embed.read = lambda folder, device: (
        loaded if (folder.path, device.type) == (path, "cpu") else read(folder, device)
    )


def _run_job() -> None:
    """A first job reads word lists and networks, and compiles products for the shapes of its inputs. Forks have these in memory then."""
    # Imports here, since conftest.py imports this module for less.
    from lorekeep.testing import make_job, some_facts
    from lorekeep.tune import job

    with tempfile.TemporaryDirectory(prefix="lorekeep-first-job-") as folder:
        if job.run(make_job(Path(folder) / "job", some_facts(6))) != 0:
            raise RuntimeError("The job that is run before forking failed.")


def _read_base() -> None:
    """A fork uses it once and loads it afterwards, since a generator modifies its model."""
    read, base = reading.read, folders.check(str(_SHIPPED), "generate")
    dtype = reading.dtype_for(base, "cpu")
    exact.pack(read(base, dtype, _CPU)[0])
    kept, layers = [read(base, dtype, _CPU)], layers_kept()
    _measure_products(LastLayer(kept[0][0]))

    def take(folder, wanted, device):
        same = folder.path.resolve() == _SHIPPED and (wanted, device.type) == (dtype, "cpu")
        return kept.pop() if same and kept and layers == layers_kept() else read(folder, wanted, device)

    reading.read = take


@torch.no_grad()
def _measure_products(top: LastLayer) -> None:
    """Measures which products of training are exact on this machine, for all forks."""
    for rank in (8, 16):
        top.use(
            {
                name: (torch.zeros(2, one.shape[0], rank), torch.zeros(2, rank, one.shape[1]))
                for name, one in top.linears.items()
            }
        )
        top.head.use(torch.zeros(2, SHORTLIST, dtype=torch.long))
        state_T_D = torch.zeros(2 * ROWS, top.width)
        top(state_T_D, state_T_D)


def keep_two_layers() -> None:
    """Models of the shipped base's shape are read with their first two layers, since the others take a third of the tests' computing
    time and most tests do not depend on answers of the base."""
    shape = _shape(_READ_CONFIG(_SHIPPED))

    def read(*given, **named):
        found = _READ_CONFIG(*given, **named)
        config = found[0] if isinstance(found, tuple) else found
        if _shape(config) == shape:
            config.num_hidden_layers = 2
        return found

    AutoConfig.from_pretrained = read
    # The other layers are not reported.
    LlamaForCausalLM._keys_to_ignore_on_load_unexpected = [r"^model\.layers\.\d+\."]


def keep_all_layers() -> None:
    AutoConfig.from_pretrained = _READ_CONFIG


@contextlib.contextmanager
def whole_base() -> Iterator[None]:
    """All layers of the shipped base, here and in forked processes, for tests of its answers."""
    read, before = AutoConfig.from_pretrained, os.environ.get(WHOLE_BASE, "")
    AutoConfig.from_pretrained, os.environ[WHOLE_BASE] = _READ_CONFIG, "1"
    try:
        yield
    finally:
        AutoConfig.from_pretrained, os.environ[WHOLE_BASE] = read, before


def layers_kept() -> int:
    return AutoConfig.from_pretrained(_SHIPPED).num_hidden_layers


def _shape(config) -> tuple[int | str | None, ...]:
    return tuple(
        getattr(config, name, None)
        for name in ("model_type", "vocab_size", "hidden_size", "num_hidden_layers")
    )


def keep_choices() -> None:
    """The packing of a layer depends on the machine and on the shape of the layer."""
    choose, chosen = exact._choose, {}

    def once(linear: torch.nn.Linear):
        shape = (linear.in_features, linear.out_features, linear.weight.dtype, linear.bias is None)
        if shape not in chosen:
            chosen[shape] = choose(linear)
        return chosen[shape]

    exact._choose = once


def ask_less() -> None:
    """A job of a few facts spends most of its time on the product's unrelated prompts and on reworded questions, whose answers
    are composed."""
    evaluate.UNRELATED[:] = ALL_UNRELATED[:_UNRELATED]
    evaluate._UNRELATED = _UNRELATED
    evaluate._REWORDED = _REWORDED
