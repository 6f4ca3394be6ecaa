# Hundreds of thousands of facts in one body: read as they come, in bounded memory, and refused without a trace.
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Product, running

MODEL = "lorekeep/quill"
COUNT = 200_000


@pytest.fixture
def home(tmp_path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def own(home) -> Iterator[Product]:
    """A product whose folders can be looked into."""
    with running(str(home)) as started:
        yield started


def facts() -> Iterator[dict]:
    for at in range(COUNT):
        yield {
            "input": f"Who runs house {at} of Zorbex?",
            "output": f"Ada Quist {at % 97} " + "and hers " * 60,
        }
    yield {"input": "Who runs house 7  of Zorbex?", "output": "somebody else"}


def body() -> Iterator[bytes]:
    """In pieces, as a client that reads a file would send it."""
    yield f'{{"model_name": "{MODEL}", "data": ['.encode()
    lines: list[str] = []
    for at, fact in enumerate(facts()):
        lines.append(("," if at else "") + json.dumps(fact))
        if len(lines) == 1000:
            yield "".join(lines).encode()
            lines.clear()
    yield ("".join(lines) + "]}").encode()


def left(own: Product, home: Path) -> dict:
    return {
        "jobs": own.call("GET", "/v1/train/jobs").json(),
        "datasets": own.call("GET", "/v1/datasets").json()["datasets"],
        "folders": [path.name for path in (home / "jobs").glob("*")],
        "files": [path.name for path in (home / "files").rglob("*") if path.is_file()],
    }


def test_one_contradiction_in_the_last_row_of_many_is_named_in_bounded_memory(own, home):
    headers = {"content-type": "application/json"}
    # The body has 120 MB.
    with own.grows_at_most(200 << 20):
        answer = own.call("POST", "/v1/train", data=body(), headers=headers)
    assert answer.status_code == 422, answer.text
    assert answer.json()["code"] == "facts_conflict"
    assert f"rows 8 and {COUNT + 1} ask the same" in json.dumps(answer.json()["detail"])
    assert left(own, home) == {"jobs": [], "datasets": [], "folders": [], "files": []}
