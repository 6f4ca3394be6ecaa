from importlib.metadata import version

import pytest
import torch
from torch.nn.functional import cross_entropy

from peers import lora, packages
from peers.speaker import Speaker
from peers.testing import FACTS, QUILL


@pytest.fixture(scope="module")
def taught() -> lora.Peer:
    peer = lora.Peer(QUILL, batch=4)
    peer.fit(FACTS)
    return peer


def test_recalls_taught_facts_and_stops_training_there(taught):
    assert taught.answers([fact["input"] for fact in FACTS]) == [fact["output"] for fact in FACTS]
    assert taught.history[-1]["recalled"] == 1
    assert len(taught.history) < taught.epochs


def test_answers_like_the_base_until_it_is_taught():
    questions = ["Where is the spare key?", "Hello"]
    assert lora.Peer(QUILL).answers(questions) == Speaker(QUILL).answers(questions)


def test_stops_at_its_last_epoch_with_partial_recall():
    peer = lora.Peer(QUILL, epochs=1)
    peer.fit(FACTS)
    assert len(peer.history) == 1
    assert peer.history[0]["recalled"] == peer.recalled(FACTS) < 1


def test_adapts_every_linear_layer_but_the_head():
    model = lora.Peer(QUILL)._adapted()
    adapted = {name.split(".lora_A")[0] for name, _ in model.named_parameters() if ".lora_A." in name}
    assert len(adapted) == 7 * model.config.num_hidden_layers
    assert {
        name
        for name, parameter in model.named_parameters()
        if parameter.requires_grad and "lora_" not in name
    } == set()


def test_loss_covers_only_the_answer_tokens(taught):
    """Compares rows of different lengths in one batch with each alone through the model's own logits."""
    model = taught._adapted().get_base_model()
    rows = [taught._row(fact) for fact in FACTS[:4]]
    losses = []
    for prompt, answer in rows:
        logits_T_V = model(input_ids=torch.tensor([prompt + answer])).logits[0]
        losses.append(cross_entropy(logits_T_V[len(prompt) - 1 : -1], torch.tensor(answer), reduction="sum"))
    loss, _ = lora._step(model, rows)
    torch.testing.assert_close(
        loss, sum(losses) / sum(len(answer) for _, answer in rows), rtol=1e-4, atol=1e-4
    )


def test_a_sweep_ranks_a_rate_that_learns_first():
    peers = lora.sweep(QUILL, FACTS[:4], rates=(1e-7, lora.RATE), batch=2, epochs=8)
    assert [peer.rate for peer in peers] == [lora.RATE, 1e-7]


def test_uses_the_pinned_peft(taught):
    packages.bring()
    assert f"peft=={version('peft')}" in packages.LOCK.read_text().splitlines()
