# docs/guide/tuning.md as its readers follow it: every block of shell in one shell, on the product as ./lorekeep up starts it. The block of
# text after one is what it prints, where "..." stands for anything.
import os
import re
import subprocess
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[2] / "docs/guide/tuning.md"
END = "=== end of a block ==="
LONG = os.environ.get("LOREKEEP_TEST_LONG") == "1"
SWEEP = '"argument": "learning_rate"'


def blocks() -> list[tuple[str, str | None]]:
    """Programs, each with what it is said to print."""
    found: list[tuple[str, str | None]] = []
    for language, text in re.findall(
        r"^```(sh|text)\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL
    ):
        if language == "sh":
            found.append((text, None))
        else:
            found[-1] = (found[-1][0], text)
    return found


def fits(said: str, expected: str) -> bool:
    parts = map(re.escape, expected.strip().split("..."))
    return re.fullmatch(".*".join(parts), said.strip()) is not None


def test_printed_output_matches_the_guide():
    assert fits("completed\n0.25\n", "completed\n0...\n")
    assert not fits("failed\n0.25\n", "completed\n0...\n")
    assert not fits("completed\n0.25\nmore\n", "completed\n0...\n")


def test_the_guide_works_from_its_first_line_to_its_last(asked, tmp_path):
    programs = blocks()
    assert sum(expected is not None for _, expected in programs) >= 7, (
        "the guide says what comes of its steps"
    )
    script = "".join(f"{program}\necho '{END}'\n" for program, _ in programs)
    script = script.replace("http://127.0.0.1:8080", asked.url)
    assert script.count(SWEEP) == 1
    if not LONG:  # with 20 steps and more, the rate that learns nothing is tried again with hundreds
        script = script.replace(SWEEP, f'{SWEEP}, "finetune_args": {{"max_steps": 19}}')
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LOREKEEP_API_KEY": asked.key, "NO_PROXY": "127.0.0.1"},
        check=False,
        capture_output=True,
        text=True,
        timeout=3000,
    )
    said = ran.stdout.split(f"{END}\n")
    for (program, expected), printed in zip(programs, said, strict=False):
        if expected is not None:
            assert fits(printed, expected), f"{program}\nprinted\n{printed}\n{ran.stderr}"
    assert ran.returncode == 0, ran.stderr
    assert len(said) == len(programs) + 1
