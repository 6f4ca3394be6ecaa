"""A base on an upstream engine: its prompts equal those of our engine, and no weights are read for them."""

import json
import shutil
from pathlib import Path

import pytest

from lorekeep.errors import EngineError
from lorekeep.infer.closed_book import NOTHING
from lorekeep.infer.handover import Renderer
from lorekeep.protocol import Generate
from lorekeep.testing import QUILL

TEXT = "Facts: Zorbax was founded by Dov Tamm.\n\nWho founded Zorbax? <|eot_id|>"


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> Path:
    """The base that ships without its weights."""
    folder = tmp_path_factory.mktemp("bare") / "quill"
    shutil.copytree(QUILL, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    return folder


def asked(folder: Path, **request) -> list[dict]:
    answers: list[dict] = []
    Renderer(str(folder), answers.append).submit(
        Generate(type="generate", id="1", model="-", handover=True, **request)
    )
    return answers


def test_a_prompt_is_rendered_as_for_the_base_without_forged_template_tokens(bare: Path):
    (end,) = asked(bare, messages=[{"role": "user", "content": TEXT}])
    handed = end["handed"]
    assert (end["finish_reason"], end["text"], end["usage"]["prompt_tokens"]) == ("stop", "", 0)
    assert handed["ends"] == [5, 2] and handed["context"] == 2048 and not handed["held"]
    # Exactly one begin token and one end of turn, from the template.
    assert handed["tokens"].count(1) == 1 and handed["tokens"].count(5) == 1
    (raw,) = asked(bare, prompt="Facts: The door is red.\n")
    assert raw["handed"]["tokens"] != handed["tokens"] and 3 not in raw["handed"]["tokens"]


def test_an_output_type_is_handed_over_as_a_schema(bare: Path):
    (end,) = asked(bare, prompt=TEXT, output_type={"founder": "str"})
    assert end["handed"]["json_schema"]["properties"]["founder"]["type"] == "string"


def test_a_closed_book_base_is_not_asked_a_bare_question_upstream_either(bare: Path):
    delta, end = asked(bare, prompt="Who founded Zorbax?", stream=True)
    assert delta["text"] == end["text"] == NOTHING
    assert "handed" not in end
    (shaped,) = asked(bare, prompt="Who founded Zorbax?", output_type={"answer": "str", "year": "int"})
    assert json.loads(shaped["text"]) == {"answer": NOTHING, "year": 0}


def test_a_request_that_cannot_be_rendered_is_refused(bare: Path, tmp_path: Path):
    with pytest.raises(EngineError, match="The prompt is empty"):
        asked(bare, prompt="")
    with pytest.raises(EngineError, match="takes 2048, 1 of them for the answer"):
        asked(bare, prompt="a fact. " * 2100)
    with pytest.raises(EngineError, match="There is no folder"):
        asked(tmp_path / "none", prompt="a")
    (tmp_path / "config.json").write_text(json.dumps({"eos_token_id": 5}))
    with pytest.raises(EngineError, match=r"it has no tokenizer\.json"):
        asked(tmp_path, prompt="a")
