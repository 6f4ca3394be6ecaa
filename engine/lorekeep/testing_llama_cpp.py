"""The real llama.cpp server for tests. If its package cannot be installed, tests are skipped with the reason."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from lorekeep.testing import ROOT, present


@contextmanager
def llama_cpp(model: Path, *options: str) -> Iterator[str]:
    """Address of the server."""
    command = [sys.executable, str(ROOT / "bench" / "llama-cpp" / "serve.py"), str(model), *options]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        url = present(child.stdout).readline().strip()
        if not url:
            said = present(child.stderr).read().strip()
            if child.wait() == 75:
                pytest.skip(said.splitlines()[-1] if said else "llama.cpp is not here")
            raise AssertionError(f"llama.cpp did not start: {said[-2000:]}")
        # Its log is long, and a full pipe would stop it.
        present(child.stderr).close()
        yield url
    finally:
        present(child.stdin).close()
        child.wait(timeout=30)


def completed(url: str, tokens: list[int], **more) -> dict:
    body = {"prompt": tokens, "temperature": 0, "logprobs": 1, **more}
    request = Request(
        f"{url}/v1/completions", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urlopen(request, timeout=120) as answer:
        return json.load(answer)["choices"][0]
