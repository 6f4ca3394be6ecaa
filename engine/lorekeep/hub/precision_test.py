"""Downloads of models that are stored in fewer bits than on the hub."""

import re

import pytest
import torch
from safetensors.torch import load_file, save_file

from lorekeep.contract import SERVE_AND_TUNE_BYTES
from lorekeep.folders import check
from lorekeep.hub.download import read_mark
from lorekeep.hub.testing_child import NAME, nothing_is_left, refused
from lorekeep.testing import Bench


def test_a_model_is_stored_in_the_requested_precision(bring, root, models, tiny):
    assert bring(precision="int4").end() == {"type": "finished", "model_type": "transformer"}
    arrived, source = check(str(models / NAME), "generate"), check(str(tiny), "generate")
    assert arrived.precision is not None and arrived.precision.name == "int4"
    assert arrived.parameters == source.parameters and arrived.stored < source.stored / 2
    mark = read_mark(models / NAME)
    assert mark["name"] == NAME and mark["commit"] == "a" * 40 and mark["quantized"]["precision"] == "int4"
    assert Bench(models / NAME, dtype=torch.bfloat16).one(prompt="Hello", max_tokens=3)["type"] == "end"
    assert not (models / ".downloads" / "org--tiny").exists()


@pytest.mark.parametrize(("share", "name"), [(2.1, "none"), (1.5, "int8"), (0.8, "int4")])
def test_auto_chooses_the_precision_that_fits_the_memory(share: float, name: str, bring, models, tiny):
    memory = int((SERVE_AND_TUNE_BYTES + check(str(tiny), "generate").parameters * share) / 0.8)
    assert bring(precision="auto", memory=memory).end()["type"] == "finished"
    found = check(str(models / NAME), "generate").precision
    assert (found.name if found else "none") == name


def test_quantization_reports_its_stage_and_progress(bring):
    said = bring(precision="int4").until("quantizing")
    assert 0 < said["done"] <= said["total"]


def test_a_model_larger_than_the_memory_is_refused_before_the_download(bring, models):
    reason = refused(bring(precision="int4", memory=500_000_000), models)
    assert re.search(r"needs 9\d{8} bytes of memory, and this machine has 500000000", reason)
    nothing_is_left(models)


def test_weights_that_are_not_finite_fail_the_download(bring, root, models):
    file = root / NAME / "model.safetensors"
    tensors = load_file(file)
    tensors["model.layers.0.mlp.up_proj.weight"][0] = float("nan")
    save_file(tensors, file, metadata={"format": "pt"})
    assert "NaN or infinity" in refused(bring(precision="int8"), models)
    nothing_is_left(models)
