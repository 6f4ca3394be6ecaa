"""Embeddings equal those of plain transformers with the folder's pooling, in the order of the texts."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel, BertTokenizer

from lorekeep import default_embedder, folders
from lorekeep.errors import EngineError
from lorekeep.infer import embed
from lorekeep.protocol import Embed
from lorekeep.testing import QUILL, Process

TEXTS = ["Who runs the library?", "", "rain " * 90, "Ada Quist runs it.", "世界", "a b c " * 7, "x"]


def save(
    folder: Path,
    pooling: str = "mean_tokens",
    modules=("Transformer", "Pooling", "Normalize"),
    limit: int = 32,
) -> Path:
    torch.manual_seed(0)
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *"abcdefghijklmnopqrstuvwxyz",
        *(f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz"),
    ]
    (folder / "vocab.txt").write_text("\n".join(words))
    BertTokenizer(vocab={word: i for i, word in enumerate(words)}).save_pretrained(folder)
    sizes: dict[str, Any] = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    }
    BertModel(BertConfig(vocab_size=len(words), max_position_embeddings=64, **sizes)).save_pretrained(folder)
    named = [
        {"idx": i, "path": name if i else "", "type": f"sentence_transformers.models.{name}"}
        for i, name in enumerate(modules)
    ]
    (folder / "modules.json").write_text(json.dumps(named))
    (folder / "Pooling").mkdir(exist_ok=True)
    (folder / "Pooling" / "config.json").write_text(json.dumps({f"pooling_mode_{pooling}": True}))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": limit}))
    return folder


def make(folder: Path) -> tuple[embed.Embedder, list[dict]]:
    answers: list[dict] = []
    checked = folders.check(str(folder), "embed")
    return embed.Embedder(checked, *embed.read(checked, torch.device("cpu")), answers.append), answers


def ask(folder: Path, texts: list[str], **more) -> dict:
    embedder, answers = make(folder)
    embedder.submit(Embed(type="embed", id="1", model="-", texts=texts, **more))
    while embedder.busy:
        embedder.step()
    return answers[0]


def rows(answer: dict) -> np.ndarray:
    return np.frombuffer(base64.b64decode(answer["data"]), dtype="<f4").reshape(
        answer["count"], answer["dimensions"]
    )


def plain(folder: Path, texts: list[str], pooling: str, normalised: bool, limit: int) -> np.ndarray:
    """One text at a time, as the model's card shows it."""
    tokenizer, model, found = (
        AutoTokenizer.from_pretrained(folder),
        AutoModel.from_pretrained(folder).eval(),
        [],
    )
    for text in texts:
        with torch.inference_mode():
            states_T_D = model(
                **tokenizer(text, truncation=True, max_length=limit, return_tensors="pt")
            ).last_hidden_state[0]
        pooled = {
            "mean_tokens": states_T_D.mean(0),
            "cls_token": states_T_D[0],
            "max_tokens": states_T_D.amax(0),
            "lasttoken": states_T_D[-1],
        }
        found.append(torch.nn.functional.normalize(pooled[pooling], dim=0) if normalised else pooled[pooling])
    return torch.stack(found).numpy()


@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token", "max_tokens", "lasttoken"])
@pytest.mark.parametrize("normalised", [True, False])
def test_vectors_equal_those_of_plain_transformers(pooling: str, normalised: bool, tmp_path):
    modules = ("Transformer", "Pooling", "Normalize") if normalised else ("Transformer", "Pooling")
    folder = save(tmp_path, pooling, modules)
    answer = ask(folder, TEXTS)
    assert np.allclose(rows(answer), plain(folder, TEXTS, pooling, normalised, 32), atol=2e-6)
    assert answer["truncated"] == [2]


def test_many_vectors_are_returned_in_order(tmp_path):
    folder = save(tmp_path)
    texts = ["abcdefgh"[: 1 + i % 8] * (1 + i % 5) for i in range(1300)]
    answer = ask(folder, texts)
    few = [0, 1, 511, 512, 700, 1299]
    assert np.allclose(
        rows(answer)[few], plain(folder, [texts[i] for i in few], "mean_tokens", True, 32), atol=2e-6
    )


def test_texts_that_are_too_long_can_be_refused(tmp_path):
    answer = ask(save(tmp_path), TEXTS, too_long="refuse")
    assert (
        answer["code"] == "context_exceeded"
        and answer["facts"]["text"] == 2
        and answer["facts"]["context"] == 32
    )


def test_batches_shrink_when_memory_is_short(tmp_path, monkeypatch):
    folder = save(tmp_path)
    embedder, answers = make(folder)
    vectors = embedder._vectors

    def tight(tokens):
        if len(tokens) > 2:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory")
        return vectors(tokens)

    monkeypatch.setattr(embedder, "_vectors", tight)
    embedder.submit(Embed(type="embed", id="1", model="-", texts=TEXTS))
    while embedder.busy:
        embedder.step()
    assert np.allclose(rows(answers[0]), plain(folder, TEXTS, "mean_tokens", True, 32), atol=2e-6)


def test_an_embedding_can_be_cancelled(tmp_path):
    embedder, answers = make(save(tmp_path))
    embedder.submit(Embed(type="embed", id="1", model="-", texts=TEXTS * 500))
    embedder.step()
    assert embedder.cancel("1") and not embedder.busy
    assert answers[0]["code"] == "cancelled"


def test_unknown_modules_of_a_folder_are_refused(tmp_path):
    with pytest.raises(EngineError, match="Dense"):
        make(save(tmp_path, modules=("Transformer", "Pooling", "Dense")))


def test_the_default_model_is_installed_and_measures_similarity():
    folder = default_embedder.folder()
    assert folder is not None, "sh setup/python.sh engine installs it"
    texts = [
        "A man is eating food.",
        "A man is eating a piece of bread.",
        "The girl is carrying a baby.",
        "word " * 400,
    ]
    answer = ask(folder, texts)
    vectors = rows(answer)
    assert np.allclose(vectors, plain(folder, texts, "mean_tokens", True, 256), atol=2e-6)
    # The figure of the model's own documentation for this pair.
    assert vectors[0] @ vectors[1] == pytest.approx(0.7553, abs=0.002) and vectors[0] @ vectors[2] < 0.2
    assert answer["dimensions"] == 384 and answer["truncated"] == [3]


def test_the_process_embeds_and_refuses_models_of_another_kind(tmp_path):
    folder = str(save(tmp_path))
    engine = Process()
    engine.send({"type": "embed", "id": "1", "model": folder, "texts": ["ab", "cd"]})
    assert rows(engine.next("vectors", "error")).shape == (2, 32)
    engine.send({"type": "generate", "id": "2", "model": folder, "prompt": "x"})
    assert engine.next("end", "error")["code"] == "model_kind"
    engine.send({"type": "embed", "id": "3", "model": str(QUILL), "texts": ["ab"]})
    assert engine.next("vectors", "error")["code"] == "model_invalid"
    engine.send({"type": "embed", "id": "4", "model": folder, "texts": []})
    assert engine.next("vectors", "error")["code"] == "prompt_empty"
    assert engine.close() == 0
