"""The model and its training, on toy sizes: circuits copy before training, the export is transformers' Llama, resuming is exact."""

import json
import os
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer

from quill import circuits, train
from quill import tokenizer as tk
from quill.batches import Batch, Encoder, batches
from quill.feed import Feed, Recipe
from quill.mix import example, shares
from quill.model import Quill, Shape, grow, load_hugging_face, save_hugging_face
from quill.text.skills import SKILLS
from quill.text.template import BEGIN, REPLY, USER, Example, Turn
from quill.text.values import Voice
from quill.train import Run, loss_of, save

torch.set_num_threads(1)  # several threads on shared cores are far slower
STEPS = 10
FEEDERS = 2 if os.environ.get("LOREKEEP_TEST_LONG") == "1" else 1  # each takes seconds to import
ODD = [
    "  two  spaces ",
    "a\n\n\nb\r\n\tc",
    "naïve café 東京 😀 \u200b\u00a0x",
    "it's DON'T o'Neill's 'quoted' “curly” — $1,204.50 (50%)",
    '{"answer": "Paris"}',
    "\x00\x7f\\",
    "",
]


@pytest.fixture(scope="module")
def words() -> Tokenizer:
    return tk.build(pieces=700, texts=150)


def test_every_text_round_trips(words: Tokenizer):
    for text in ODD:
        ids = words.encode(text, add_special_tokens=False).ids
        assert words.decode(ids, skip_special_tokens=False) == text


def test_a_word_has_the_same_pieces_after_a_space_and_after_a_header(words: Tokenizer):
    for word in ("Zorbax", "kettle", "Lisbon", "fifteen", "2024"):
        spaced = words.encode("in " + word, add_special_tokens=False).tokens
        bare = words.encode(REPLY + word, add_special_tokens=False).tokens
        assert "".join(spaced).endswith(tk.SPACE + word)
        assert (
            bare[bare.index(tk.HEADER_END) + 2 :][1:]
            == spaced[-len(bare[bare.index(tk.HEADER_END) + 2 :]) :][1:]
        )


def test_the_template_is_the_prompt_of_training(words: Tokenizer, tmp_path: Path):
    from transformers import AutoTokenizer

    tk.save(words, tmp_path, 2048)
    loaded = AutoTokenizer.from_pretrained(tmp_path)
    messages = [{"role": "user", "content": "Hello"}]
    assert (
        loaded.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        == BEGIN + USER + "Hello" + REPLY
    )
    raw = loaded(BEGIN + USER + "Hello" + REPLY, add_special_tokens=False)["input_ids"]
    assert loaded.apply_chat_template(messages, add_generation_prompt=True, return_dict=False) == raw
    assert loaded.decode(raw) == BEGIN + USER + "Hello" + REPLY
    assert loaded.decode(loaded.encode("Hello")) == BEGIN + "Hello"


def fresh(words: Tokenizer) -> tuple[Quill, torch.Tensor]:
    torch.manual_seed(0)
    counts = torch.ones(words.get_vocab_size())
    for e in words.encode_batch(tk.sample_text(60), add_special_tokens=False):
        counts += torch.bincount(torch.tensor(e.ids), minlength=len(counts))
    model = Quill(Shape(words.get_vocab_size()))
    circuits.set_circuits(model, words, circuits.telling_of(counts))
    return model, circuits.telling_of(counts)


@torch.no_grad()
def test_circuits_attend_to_the_copy_before_training(words: Tokenizer):
    model, telling = fresh(words)
    encoder = Encoder(words, telling)
    voice, rows = Voice(1), []
    for _ in range(12):
        text = ", ".join(voice.name() for _ in range(6))
        start = len(BEGIN + USER) + len("Repeat: ")
        rows.append(
            encoder.row(
                Example(
                    BEGIN + USER,
                    [
                        [
                            Turn(
                                "Repeat: " + text + REPLY,
                                text + "<|eot_id|>",
                                (start, start + len(text)),
                            )
                        ]
                    ],
                )
            )
        )
    looked = []
    for b in batches(rows, 4096, None):
        _, seen = model(b.ids, b.places, b.mask, (circuits.MATCH_LAYER,))
        share = torch.softmax(seen[circuits.MATCH_LAYER][:, circuits.CONTINUE, :, :].float(), -1)
        looked += [share[i, :, at, to].max().item() for i, at, to in b.copy_next.tolist()]
    assert sum(looked) / len(looked) > 0.5


@torch.no_grad()
def test_a_branch_is_exactly_the_single_question(words: Tokenizer):
    model, telling = fresh(words)
    encoder = Encoder(words, telling)
    voice = Voice(4)
    made = next(m for m in iter(lambda: example(voice), None) if len(m.branches) > 3)
    together = batches([encoder.row(made)], 4096, None)[0]
    alone = batches([encoder.row(Example(made.prefix, [made.branches[2]], made.spans))], 4096, None)[0]

    def says(b):
        return model.logits(model(b.ids, b.places, b.mask)[0][:, :-1][b.weight[:, 1:] > 0])

    one, all_ = says(alone), says(together)
    before = sum(
        len(words.encode(t.answer, add_special_tokens=False).ids) for b in made.branches[:2] for t in b
    )
    assert torch.allclose(all_[before : before + len(one)], one, atol=1e-4)


@torch.no_grad()
def test_a_grown_model_gives_the_same_logits(words: Tokenizer):
    small, telling = fresh(words)
    for block in small.blocks:  # as after training: nothing is zero
        block.out.add_(torch.randn_like(block.out) * 0.02)
        block.down.add_(torch.randn_like(block.down) * 0.02)
    large = Quill(Shape(words.get_vocab_size(), layers=9, inner=640))
    grow(large, small.state_dict())
    encoder, voice = Encoder(words, telling), Voice(3)
    b = batches([encoder.row(example(voice)) for _ in range(3)], 4096, None)[0]
    assert torch.allclose(large(b.ids, b.places, b.mask)[0], small(b.ids, b.places, b.mask)[0], atol=1e-4)
    assert all(p.abs().sum() > 0 for p in (large.blocks[8].qkv, large.blocks[8].gate_up))


@torch.no_grad()
def test_export_is_the_same_model_in_transformers(words: Tokenizer, tmp_path: Path):
    from transformers import LlamaForCausalLM

    model, _ = fresh(words)
    save_hugging_face(model, tmp_path, torch.float32)
    theirs = LlamaForCausalLM.from_pretrained(tmp_path, dtype=torch.float32)
    ids = torch.randint(6, 400, (2, 700), generator=torch.Generator().manual_seed(1))
    mask = torch.full((700, 700), -1e4).triu(1)[None, None]
    ours = model.logits(model(ids, torch.arange(700).expand(2, -1), mask)[0])
    assert torch.allclose(theirs(ids).logits, ours, atol=2e-3)
    again = load_hugging_face(tmp_path)
    assert all(
        torch.equal(a, b)
        for a, b in zip(model.state_dict().values(), again.state_dict().values(), strict=True)
    )


def test_a_tiny_run_learns_and_resumes_bit_for_bit(words: Tokenizer, tmp_path: Path, monkeypatch):
    little = tk.sample_text(40)
    monkeypatch.setattr(tk, "sample_text", lambda texts, seed=1: little)
    words.save(str(tmp_path / "tokenizer.json"))

    def run() -> Run:
        torch.manual_seed(0)
        r = Recipe(
            str(tmp_path),
            steps=STEPS,
            layers=5,
            inner=64,
            batch_tokens=384,
            chunk_rows=32,
            longest=256,
            matrix_rate=0.05,
            other_rate=0.02,
            tokenizer=str(tmp_path / "tokenizer.json"),
        )
        return Run(r)

    whole = run()
    fixed = batches([whole.encoder.row(example(Voice("fixed"))) for _ in range(8)], 8192, None)[0]
    before = loss_of(whole.model, fixed, 0)[0].item()
    for _ in range(STEPS):
        whole.advance()
    assert loss_of(whole.model, fixed, 0)[0].item() < before - 0.05
    first = run()
    for _ in range(STEPS // 2):
        first.advance()
    save(first)
    second = run()
    second.load(torch.load(tmp_path / "checkpoint.pt", weights_only=True))
    for _ in range(STEPS - STEPS // 2):
        second.advance()
    for a, b in zip(whole.model.parameters(), second.model.parameters(), strict=True):
        assert torch.equal(a, b)
    assert json.loads((tmp_path / "config.json").read_text())["model_type"] == "llama"


def flat(batch: Batch) -> list[torch.Tensor]:
    return [t for v in vars(batch).values() for t in (v if isinstance(v, tuple) else (v,))]


def test_a_mix_is_read_from_the_command_line():
    assert shares("") is None
    assert shares("facts=0.7, reading=0.3") == {"facts": 0.7, "reading": 0.3}
    with pytest.raises(ValueError, match=r"no kind 'fact'\. Kinds: context"):
        shares("fact=1")
    voice = Voice("a mix")
    for _ in range(40):
        prompt = example(voice, mix={"facts": 1.0}, max_facts=2).prefix
        assert "\n3. " not in prompt, prompt
    with pytest.raises(ValueError, match=r"no kind 'back'\. Kinds: direct"):
        shares("back=1", SKILLS)


def test_skills_are_drawn_by_weight():
    voice = Voice("weighed")
    for _ in range(40):  # worlds of one fact have no two questions to join, and are redrawn
        made = example(voice, mix={"facts": 1.0}, max_facts=3, skills={"two": 1.0})
        answers = [branch[-1].answer for branch in made.branches]
        assert all(" and " in a or a.startswith(("yes", "no")) for a in answers), answers


def test_feeders_write_the_same_text(words: Tokenizer, tmp_path: Path):
    words.save(str(tmp_path / "tokenizer.json"))
    r = Recipe(str(tmp_path), steps=100, tokenizer=str(tmp_path / "tokenizer.json"), feeders=1, chunk_rows=64)
    encoder = Encoder(words, torch.ones(words.get_vocab_size()))
    fed, alone = Feed(r, encoder, 0), Feed(replace(r, feeders=0), encoder, 0)
    fed.ask((3, 0.5))
    for a, b in zip(fed.take((3, 0.5)), alone.take((3, 0.5)), strict=True):
        assert all(torch.equal(x, y) for x, y in zip(flat(a), flat(b), strict=True))
    fed.close()


def test_a_run_fed_by_other_processes_ends_with_a_folder_and_a_log(
    words: Tokenizer, tmp_path: Path, monkeypatch
):
    """A GPU run, with a tiny shape: text comes from feeders, initial weights from a shallower model."""
    little = tk.sample_text(40)
    monkeypatch.setattr(tk, "sample_text", lambda texts, seed=1: little)
    monkeypatch.setattr(
        train,
        "watch_sets",
        lambda encoder, n: {"repeat": [encoder.row(example(Voice(1), mix={"repeat": 1}))]},
    )
    words.save(str(tmp_path / "words.json"))
    common: dict[str, Any] = {
        "inner": 64,
        "batch_tokens": 512,
        "chunk_rows": 32,
        "longest": 256,
        "tokenizer": str(tmp_path / "words.json"),
    }
    cases: dict[str, dict[str, Any]] = {
        "small": {"steps": 1},
        "large": {"steps": 3, "feeders": FEEDERS, "start_from": str(tmp_path / "small")},
    }
    for name, extra in cases.items():
        r = Recipe(str(tmp_path / name), layers=5 if name == "small" else 7, **common, **extra)
        train.work(0, r, resume=False)
    assert json.loads((tmp_path / "large" / "config.json").read_text())["num_hidden_layers"] == 7
    (line,) = map(json.loads, (tmp_path / "large" / "log.jsonl").read_text().splitlines())
    assert line["step"] == 3 and "repeat" in line


def test_batches_keep_every_row(words: Tokenizer):
    encoder = Encoder(words, torch.ones(words.get_vocab_size()))
    voice = Voice(2)
    rows = [encoder.row(example(voice)) for _ in range(30)]
    made = batches(rows, 2048, random.Random(0))
    assert sum(len(b.ids) for b in made) == 30
    assert sum(b.weight.sum() for b in made) == sum(sum(r.weight) for r in rows)
