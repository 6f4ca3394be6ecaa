"""The engine's own kernel on plain 16-bit weights serves a model in place of the plain layers."""

import copy

import pytest
import torch
from transformers import AutoModelForCausalLM

from lorekeep.infer import exact
from lorekeep.infer.weights.packed_linear import NativeLinear
from lorekeep.quantization import native
from lorekeep.testing import FAMILIES, save_model

pytestmark = pytest.mark.skipif(not native.suits(), reason="this processor lacks the kernels' instructions")


@pytest.fixture(autouse=True)
def without_instructions_for_16_bits(monkeypatch):
    monkeypatch.setattr(NativeLinear, "is_wanted", staticmethod(native.available))


@pytest.fixture(params=FAMILIES)
def models(request, tmp_path):
    """A model of 16 bits as it is, and packed in place."""
    folder = save_model(tmp_path / "model", request.param, dtype=torch.bfloat16)
    plain = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).eval()
    packed = copy.deepcopy(plain)
    exact.pack_in_place(packed)
    return plain, packed


def natives(model) -> list[NativeLinear]:
    return [one for one in model.modules() if isinstance(one, NativeLinear)]


@torch.inference_mode()
def test_a_model_has_the_logits_of_its_plain_layers_in_32_bits(models):
    plain, packed = models
    tokens = torch.arange(20, 44)[None]
    wanted = plain.float()(tokens).logits
    assert natives(packed)
    assert (packed(tokens).logits.float() - wanted).norm() < 0.02 * wanted.norm()


def test_packing_in_place_does_not_move_the_weights(models):
    model, _ = models
    places = {name: one.data_ptr() for name, one in model.named_parameters()}
    head = model.get_output_embeddings().weight.data_ptr()
    exact.pack_in_place(model)
    assert natives(model)
    assert {name: one.data_ptr() for name, one in model.named_parameters()} == places
    assert model.get_output_embeddings().weight.data_ptr() == head


@torch.inference_mode()
def test_rows_have_the_same_bits_in_any_batch(models):
    _, packed = models
    for layer in natives(packed):
        x = torch.randn(2, 33, layer.in_features, dtype=torch.bfloat16)
        together = layer(x)
        assert together.shape == (2, 33, layer.out_features)
        for count in (1, 2, 5, 8, 32):
            assert torch.equal(layer(x[:, :count].contiguous()), together[:, :count])
    assert exact.least_rows(packed, torch.bfloat16, torch.device("cpu")) == 1
