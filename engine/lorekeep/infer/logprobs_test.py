"""Logprobs of an answer are those of the tokens that make its text, with the bytes of each."""

from pathlib import Path

import pytest

from lorekeep.protocol import Generate
from lorekeep.testing import Bench, byte_tokenizer, piece_tokenizer, save_model

TEXT = "A 🙂 costs 5 €, b."


@pytest.fixture(scope="module", params=[byte_tokenizer, piece_tokenizer], ids=["bytes", "pieces"])
def bench(request, tmp_path_factory) -> Bench:
    folder: Path = tmp_path_factory.mktemp("logprobs") / "model"
    return Bench(save_model(folder, "llama", request.param()))


def said(bench: Bench, **more) -> dict:
    bench.answers.clear()
    asked = Generate(type="generate", id="1", model="-", prompt="x", logprobs=2, **more)
    bench.generator.answer_with(asked, TEXT, None)
    return bench.run()["1"]


def joined(logprobs: list[dict]) -> str:
    return bytes(byte for one in logprobs for byte in one["bytes"]).decode().removeprefix(" ")


def test_the_bytes_of_tokens_add_up_to_the_text(bench: Bench):
    end = said(bench)
    assert end["text"] == TEXT == joined(end["logprobs"])
    assert [one["bytes"] for one in end["logprobs"] if one["token"] == "\ufffd"][:4] == [
        [byte] for byte in "🙂".encode()
    ]
    for one in end["logprobs"]:
        assert bytes(one["bytes"]).decode(errors="replace") == one["token"]
        assert all(isinstance(other["bytes"], list) for other in one["top"])


@pytest.mark.parametrize(
    "stop", [[], ["🙂"], ["costs 5 €"], ["5", "🙂 cos"], ["no such text"], [", b."], ["A"]]
)
def test_tokens_of_a_stop_string_are_not_listed(bench: Bench, stop: list[str]):
    end = said(bench, stop=stop, stream=True)
    wanted = min((TEXT[: TEXT.index(one)] for one in stop if one in TEXT), key=len, default=TEXT)
    assert end["text"] == wanted == joined(end["logprobs"])
    text, told = "", []
    for delta in (answer for answer in bench.answers if answer["type"] == "delta"):
        text += delta["text"]
        told += delta["logprobs"]
        assert joined(told) == text
    assert told == end["logprobs"]


def test_an_answer_that_ends_at_max_tokens_lists_its_last_token(bench: Bench):
    end = said(bench, max_tokens=3, stream=True)
    told = [one for answer in bench.answers if answer["type"] == "delta" for one in answer["logprobs"]]
    assert len(told) == len(end["logprobs"]) == 3 and told == end["logprobs"]
