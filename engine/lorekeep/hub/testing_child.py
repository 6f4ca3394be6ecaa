"""For tests: a download in a separate process, as under the server."""

import json
import os
import subprocess
from pathlib import Path

from lorekeep.testing import ROOT, present
from lorekeep.testing_process import download_command

TOKEN = "hf_a_token_that_must_not_be_told"


NAME = "org/tiny"


class Child:
    """`python -m lorekeep download` and its messages."""

    def __init__(
        self,
        hub: str,
        models: Path,
        name: str,
        kind=None,
        token=None,
        public=True,
        command=None,
        precision="none",
        memory=None,
        **options,
    ):
        self.process = subprocess.Popen(
            command or download_command(),
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT / "engine"),
                "HF_TOKEN": "hf_of_this_machine",
                "NO_PROXY": "127.0.0.1",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )
        pipes = (self.process.stdin, self.process.stdout, self.process.stderr)
        self.stdin, self.stdout, self.stderr = map(present, pipes)
        ask = {
            "name": name,
            "kind": kind,
            "hub": hub,
            "models": str(models),
            "token": token,
            "public": public,
            "precision": precision,
            "memory": memory,
        }
        self.stdin.write(json.dumps(ask).encode() + b"\n")
        self.stdin.flush()
        self.said: list[dict] = []

    def until(self, type: str) -> dict:
        for line in self.stdout:
            self.said.append(json.loads(line))
            if self.said[-1]["type"] == type:
                return self.said[-1]
        raise AssertionError(f"it ended without {type}: {self.said} {self.stderr.read().decode()}")

    def end(self) -> dict:
        self.said += [json.loads(line) for line in self.stdout]
        errors = self.stderr.read().decode()
        self.process.wait(20)
        self.stdin.close()
        assert TOKEN not in errors + json.dumps(self.said)
        return self.said[-1] if self.said else {"type": "silent", "errors": errors}


def copy(source: Path, target: Path) -> None:
    target.mkdir(parents=True)
    for file in source.iterdir():
        (target / file.name).write_bytes(file.read_bytes())


def refused(child: Child, models: Path) -> str:
    end = child.end()
    assert end["type"] == "failed", end
    assert not (models / NAME).exists()
    return end["reason"]


def nothing_is_left(models: Path) -> None:
    assert [path for path in models.rglob("*") if path.is_file()] == []
