"""Stored keys of facts without names: equal whether computed or reused, and removed with their fact."""

import json
from pathlib import Path

import numpy as np
import pytest

from lorekeep.memory import folder as memory_folder
from lorekeep.routing import question_match
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.routing.question_match import QuestionVectors
from lorekeep.routing.router import Gate, Router
from lorekeep.routing.stored_keys import Earlier, Entry, PlainKeys, keys_of, names_of
from lorekeep.testing import present

FACTS = [
    ("Where can visitors park?", "Behind the north building"),
    ("When does the canteen serve hot meals?", "From noon to two"),
    ("How is it?", "So so"),  # no content word in the question
    ("Who waters the plants in the lobby?", "The night shift"),
]
ENTRIES = [Entry(*fact) for fact in FACTS]


@pytest.fixture(scope="module")
def parts():
    return router_parts()


def written(entries: list[Entry], parts, file: Path, earlier=None) -> bytes:
    embed, vocabulary = parts
    memory_folder.write_keys(file, keys_of(entries, names_of(entries, vocabulary), embed, earlier))
    return file.read_bytes()


def read(file: Path, ours: bool = True) -> PlainKeys:
    said = [{"names": {}, "ask": -1} for _ in FACTS]
    return memory_folder._keys(file, said, ours).plain_keys


def test_keys_from_a_file_route_the_same(parts, tmp_path):
    embed, vocabulary = parts
    keys = keys_of(ENTRIES, names_of(ENTRIES, vocabulary), embed)
    memory_folder.write_keys(tmp_path / "keys.safetensors", keys)
    stored = read(tmp_path / "keys.safetensors")
    asked = [
        "Where may visitors leave a car?",
        "At what time is there a hot lunch in the canteen?",
        "Who gives the plants water?",
    ]
    found = []
    for plain in (keys.plain_keys, stored):
        keys.plain_keys = plain
        router = Router(ENTRIES, keys, Gate(), vocabulary, embed)
        found.append([router.by_meaning(question) for question in asked])
    assert found[0] == found[1] and all(found[0])
    assert stored.words_2N[4].shape == (0, embed.dimensions)
    assert stored.words_2N[0].shape == (2, embed.dimensions)  # visitors, park
    lengths = np.linalg.norm(stored.words_2N[1], axis=1)
    assert len(lengths) == 3 and np.allclose(lengths, 1, atol=1e-5)  # behind, north, building


def test_token_vectors_of_other_weights_are_ignored(parts, tmp_path):
    embed, vocabulary = parts
    keys = keys_of(ENTRIES, names_of(ENTRIES, vocabulary), embed)
    memory_folder.write_keys(tmp_path / "keys.safetensors", keys)
    for ours in (True, False):
        plain = keys.plain_keys = read(tmp_path / "keys.safetensors", ours)
        assert [len(plain.tokens_N[i]) > 0 for i in range(len(FACTS))] == [ours] * len(FACTS)
        found = Router(ENTRIES, keys, Gate(), vocabulary, embed).by_meaning("Where may visitors leave a car?")
        assert found and found.fact == 0


def test_keys_reused_from_an_earlier_model_are_equal(parts, tmp_path):
    anew = written(ENTRIES, parts, tmp_path / "anew")
    plain = read(tmp_path / "anew").in_memory()
    earlier = Earlier({fact: plain.of(i) for i, fact in enumerate(FACTS)})
    assert written(ENTRIES, parts, tmp_path / "again", earlier) == anew
    rest, gone = written(ENTRIES[1:], parts, tmp_path / "less", earlier), plain.of(0)
    for row in [row for rows in gone[2:] for row in rows]:
        assert row.tobytes() in anew and row.tobytes() not in rest
    for vector in gone[:2]:
        assert vector.tobytes() in anew and vector.tobytes() not in rest


def test_the_shipped_weights_match_the_features(parts):
    embed, vocabulary = parts
    keys = keys_of(ENTRIES, names_of(ENTRIES, vocabulary), embed)
    index = present(Router(ENTRIES, keys, Gate(), vocabulary, embed).meant)
    for question in ("Where do guests park?", "?"):
        one = embed.read(question)
        found = question_match.features(
            QuestionVectors(question, one.vector_D, one.words_W_D, one.tokens_T_P), index.fact(0), 0.5
        )
        assert list(found) == question_match.WEIGHING.features
        assert all(np.isfinite(value) for value in found.values())


def test_a_single_fact_needs_a_higher_score():
    assert all(
        question_match.ALONE[budget] >= question_match.AMONG[budget] for budget in question_match.AMONG
    )
    assert list(question_match.ALONE.values()) == sorted(question_match.ALONE.values(), reverse=True)


def test_a_folder_of_an_earlier_format_is_refused_with_the_remedy(tmp_path):
    (tmp_path / "memory.json").write_text(json.dumps({"format": 1, "base": {"path": "/"}}))
    with pytest.raises(memory_folder.EngineError, match="Tune it again"):
        memory_folder.read(tmp_path)


def test_facts_without_content_words_are_supported(parts, tmp_path):
    embed, _ = parts
    memory_folder.write_keys(tmp_path / "keys", keys_of([Entry("How is it?", "So so")], [{}], embed))
    plain = memory_folder._keys(tmp_path / "keys", [{"names": {}, "ask": -1}], True).plain_keys
    assert len(plain.words_2N[0]) == len(plain.in_memory().words_2N[1]) == 0
