"""Training: the fast and the readable version agree, experts are independent, and divergence restarts at a
lower rate."""

from dataclasses import replace
from functools import partial

import pytest
import torch
from torch.nn import functional as F

from lorekeep.infer.experts import decoder_layers
from lorekeep.testing import FAMILIES, QUILL, save_model
from lorekeep.testing_process import LONG
from lorekeep.tune.facts import Fact
from lorekeep.tune.grouping import expert_name
from lorekeep.tune.training import row_invariant, train
from lorekeep.tune.training.reference import train_one
from lorekeep.tune.training.train import Material, Recipe, train_wave
from lorekeep.tune.training.trainer import Trainer, harder

RECIPE = Recipe(rank=8, rate=0.005, max_steps=300)


@pytest.fixture(scope="module")
def quill() -> Trainer:
    return Trainer(str(QUILL))


def facts(count: int, words: int = 3) -> list[Fact]:
    said = [
        "amber",
        "birch",
        "copper",
        "dune",
        "ember",
        "frost",
        "grove",
        "harbour",
        "iris",
        "jade",
        "kiln",
        "lagoon",
    ]
    return [
        Fact(
            f"What does {said[i % 12]} {said[i * 7 // 3 % 12]} say?",
            " ".join(said[(i * 5 + j * 3) % 12] for j in range(1 + i % words)),
            i,
        )
        for i in range(count)
    ]


def materials(trainer: Trainer, count: int = 8, each: int = 2, words: int = 3) -> list[Material]:
    readings = iter(trainer.trunk.read([trainer.row(fact) for fact in facts(count * each, words)]))
    return [Material(1000 + i, [next(readings) for _ in range(each)]) for i in range(count)]


def same_size(made: list[Material]) -> list[Material]:
    return [material for material in made if material.padded == made[0].padded]


def test_the_fast_path_and_the_reference_agree_for_the_margin_loss(quill: Trainer, monkeypatch):
    monkeypatch.setattr(train, "SHORTLIST", 10**6)
    few = replace(harder(RECIPE)[0], max_steps=8, shortlist=None)
    for one, other in both(quill, same_size(materials(quill))[:3], few):
        assert one.steps == other.steps and abs(one.loss - other.loss) < 1e-3
        for name, sides in one.weights.items():
            for side, twin in zip(sides, other.weights[name], strict=True):
                assert (side - twin).norm() < 1e-2 * twin.norm()


def test_the_fast_path_and_the_reference_train_the_same_experts(quill: Trainer, monkeypatch):
    monkeypatch.setattr(train, "SHORTLIST", 10**6)  # the whole vocabulary, like the reference
    made = same_size(materials(quill))
    assert len(made) > 4
    # Adam divides by tiny numbers: one bit of a gradient may reverse the step of a weight, and further steps amplify that. So few steps
    # are compared.
    few = replace(RECIPE, max_steps=8)
    for one, other in both(quill, made, few):
        assert one.steps == other.steps
        assert abs(one.loss - other.loss) < 1e-3
        for name, sides in one.weights.items():
            for side, twin in zip(sides, other.weights[name], strict=True):
                assert (side - twin).norm() < 1e-2 * twin.norm()
    ends = [[(end.steps, end.recalled, end.restarts) for end in pair] for pair in both(quill, made, RECIPE)]
    assert all(one == other for one, other in ends)
    assert sum(one[1] for one, _ in ends) > len(made) // 2


def both(quill: Trainer, made: list[Material], recipe: Recipe) -> list[tuple]:
    """Each expert from the fast path and from the reference."""
    return list(
        zip(
            train_wave(quill.top, made, recipe),
            (train_one(quill.top, m, recipe) for m in made),
            strict=True,
        )
    )


def test_an_expert_has_the_same_bits_alone_and_in_any_wave(quill: Trainer):
    made = same_size(materials(quill, 12))
    together = train_wave(quill.top, made, RECIPE)
    for some in ([made[0]], made[3:5], list(reversed(made))):
        for material, one in zip(some, train_wave(quill.top, some, RECIPE), strict=True):
            other = together[made.index(material)]
            assert one.steps == other.steps
            for name, pair in one.weights.items():
                assert all(torch.equal(a, b) for a, b in zip(pair, other.weights[name], strict=True))


def test_an_expert_has_the_same_bits_among_many_and_among_few(quill: Trainer):
    made = materials(quill, 64, each=1)
    assert len({material.padded for material in made}) == 1
    together = train_wave(quill.top, made, RECIPE)
    for first in range(0, len(made), 8 if LONG else 24):
        for material, one in zip(
            made[first : first + 8], train_wave(quill.top, made[first : first + 8], RECIPE), strict=True
        ):
            other = together[made.index(material)]
            for name, pair in one.weights.items():
                assert all(torch.equal(a, b) for a, b in zip(pair, other.weights[name], strict=True))


def test_an_updated_shortlist_preserves_the_bits_of_each_expert(quill: Trainer, monkeypatch):
    hard = replace(harder(RECIPE)[0], shortlist=256, renewed=3, max_steps=150)
    made = same_size(materials(quill, 6))
    together = train_wave(quill.top, made, hard)
    assert all(one.recalled for one in together)
    (alone,) = train_wave(quill.top, made[2:3], hard)
    assert alone.steps == together[2].steps
    for name, pair in alone.weights.items():
        assert all(torch.equal(a, b) for a, b in zip(pair, together[2].weights[name], strict=True))


def test_the_shortlist_does_not_affect_the_results(quill: Trainer, monkeypatch):
    monkeypatch.setattr(train, "SHORTLIST", 64)
    made = same_size(materials(quill))
    for material, one in zip(made, train_wave(quill.top, made, RECIPE), strict=True):
        assert one.recalled
        quill.top.forget_constants()
        quill.top.use({name: (A[None], B[None]) for name, (A, B) in one.weights.items()})
        quill.top.head.use(None)
        for reading in material.readings:
            with torch.no_grad():
                logits_N_V = quill.top(reading.state_N_D, reading.heard_N_D)
            quill.top.forget_constants()
            best = logits_N_V.topk(2).values
            assert torch.equal(logits_N_V.argmax(-1), reading.target_N)
            assert (best[:, 0] - best[:, 1]).min() >= RECIPE.margin - 1e-3


def test_a_diverging_expert_restarts_at_a_lower_rate_and_is_reported_if_it_never_learns(quill: Trainer):
    made = same_size(materials(quill, 4))
    wild = [
        one
        for rate in (0.3, 1e5)
        for one in train_wave(quill.top, made, replace(RECIPE, rate=rate, max_steps=60))
    ]
    assert any(one.restarts > 0 for one in wild)
    hasty = train_wave(quill.top, made, replace(RECIPE, max_steps=2))
    assert not any(one.recalled for one in hasty) and all(one.steps == 2 for one in hasty)
    assert all(A.isfinite().all() and B.isfinite().all() for one in wild for A, B in one.weights.values())


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_learns_and_recites(family: str, tmp_path):
    trainer = Trainer(str(save_model(tmp_path, family)))
    after = getattr(decoder_layers(trainer.trunk.model)[-1], "post_feedforward_layernorm", None)
    if after is not None:
        after.weight.add_(
            7
        )  # a norm after the MLP bounds what it can say; in trained models its weight is large
    known = facts(6)
    taught = trainer.train(
        [known[:2], known[2:4], known[4:]],
        Recipe(rank=8, rate=0.02, max_steps=400),
        partial(expert_name, "test"),
    )
    assert [all(one.recalled) for one in taught] == [True] * 3


@pytest.mark.parametrize("family", FAMILIES)
def test_the_last_layer_alone_gives_the_logits_of_the_whole_model(family: str, tmp_path):
    """Fed with the states of the trunk, it agrees except for differences between kernels."""
    trainer = Trainer(str(save_model(tmp_path, family)))
    row = trainer.row(facts(3)[2])
    (reading,) = trainer.trunk.read([row])
    trainer.top.use(None)
    trainer.top.head.use(None)
    with torch.no_grad():
        mine = trainer.top(reading.state_N_D, reading.heard_N_D)
        whole = _plain(tmp_path)(input_ids=torch.tensor([(row.prompt + row.answer)[:-1]])).logits[
            0, len(row.prompt) - 1 :
        ]
    assert torch.allclose(mine, whole, atol=2e-4 * max(1, float(whole.abs().max())))


def _plain(folder):
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    ).eval()


@pytest.mark.parametrize("inexact", ["rows", "products"])
def test_an_expert_has_the_same_bits_where_kernels_depend_on_the_batch(
    quill: Trainer, monkeypatch, inexact: str
):
    """Emulates a processor whose kernels round differently for larger batches."""
    plain = {"rows": F.linear, "products": torch.bmm}

    def rounded(name: str, at_least: int):
        def product(x: torch.Tensor, *rest):
            said = plain[name](x, *rest)
            return said * (1 + 2**-20) if x.shape[-2 if name == "rows" else 0] >= at_least else said

        return product

    made = materials(quill, 6, each=1)
    assert {material.padded for material in made} == {8}
    monkeypatch.setattr(row_invariant, "_linears", {})
    monkeypatch.setattr(row_invariant, "_products", {})
    if inexact == "rows":
        monkeypatch.setattr(row_invariant.F, "linear", rounded("rows", 40))
    else:
        monkeypatch.setattr(row_invariant.torch, "bmm", rounded("products", 5))
    together = train_wave(quill.top, made, RECIPE)
    for some in (made[:1], made[1:4], made[4:]):
        for material, one in zip(some, train_wave(quill.top, some, RECIPE), strict=True):
            other = together[made.index(material)]
            assert one.steps == other.steps
            for name, pair in one.weights.items():
                assert all(torch.equal(a, b) for a, b in zip(pair, other.weights[name], strict=True))
