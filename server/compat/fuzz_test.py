# Fuzzing from our own OpenAPI document: what it allows is taken, what it forbids is refused, every answer is one it describes, and none is a 5xx.
# ./lorekeep test --long asks each operation with as many examples as fuzz.toml says, and sends every case of the coverage phase.
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
LONG = os.environ.get("LOREKEEP_TEST_LONG") == "1"
FEWER = [] if LONG else ["--max-examples", "4"]


def test_the_service_keeps_to_its_own_document(asked, tmp_path):
    own = asked.call("GET", "/v1/account").json()
    run = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"),
            *["--config-file", HERE / "fuzz.toml", "run", f"{asked.url}/openapi.json"],
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
