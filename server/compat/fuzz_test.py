# Fuzzing from our own OpenAPI document: what it allows is taken, what it forbids is refused, every answer is one it describes, and none is a 5xx.
# ./lorekeep test --long asks each operation with as many examples as fuzz.toml says, and sends every case of the coverage phase of
# every operation.
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
LONG = os.environ.get("LOREKEEP_TEST_LONG") == "1"
FEWER = [] if LONG else ["--max-examples", "2"]
# Without --long, the coverage phase makes the cases of one operation in so many.
COVERED = 2


def test_the_service_keeps_to_its_own_document(asked, tmp_path):
    own = asked.call("GET", "/v1/account").json()
    config = tmp_path / "fuzz.toml"
    config.write_text((HERE / "fuzz.toml").read_text() + ("" if LONG else uncovered(asked)))
    run = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"),
            *["--config-file", config, "run", f"{asked.url}/openapi.json"],
            *["--header", f"Authorization: Bearer {asked.key}", "--no-color", "--warnings", "off"],
            *FEWER,
        ],
        check=False,
        cwd=tmp_path,
        env={
            **os.environ,
            "SCHEMATHESIS_HOOKS": "fuzz_hooks",
            "PYTHONPATH": str(HERE),
            "FUZZ_KEY_ID": str(own["key"]["id"]),
            "FUZZ_ACCOUNT_ID": str(own["id"]),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert run.returncode == 0, run.stdout
    # A run that locked itself out would find nothing wrong.
    assert asked.call("GET", "/v1/account").status_code == 200
    assert asked.call("GET", "/v1/accounts").status_code == 200


def uncovered(asked) -> str:
    """Settings that keep operations out of the coverage phase."""
    paths = asked.call("GET", "/openapi.json").json()["paths"].values()
    names = [operation["operationId"] for path in paths for operation in path.values()]
    left = [name for place, name in enumerate(names) if place % COVERED]
    return f"[[operations]]\ninclude-operation-id = {left}\nphases.coverage.enabled = false\n"
