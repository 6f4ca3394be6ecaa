"""Cost of changing a memory beside building it anew, and the gain of a second worker. ../changes.ts starts it."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from generated import generate
from tune import ROOT, make_job, run_job

MORE = 100


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument("--base", default=str(ROOT / "models" / "quill"))
    options = parser.parse_args()
    generated = generate(options.facts + MORE, seed=1)
    rows = [{"input": fact.question, "output": fact.answer} for fact in generated]
    facts, forgotten = rows[: options.facts], rows[options.facts // 2]
    with tempfile.TemporaryDirectory() as home:

        def job(name: str, facts: list[dict], **spec) -> dict[str, float]:
            spent = run_job(make_job(Path(home) / name, facts, options.base, **spec))
            print(
                f"{name:28} {spent['whole job, cpu s']:8.1f} CPU s {spent['whole job, wall s']:8.1f} s",
                flush=True,
            )
            return spent

        whole = job("all", facts)
        model = [str(Path(home) / "all" / "model")]
        more = job(f"{MORE} more", rows, reuse=model)
        less = job("one less", [row for row in facts if row is not forgotten], reuse=model)
        two = job("all, two workers", facts, workers=2)
        start = started()
        print(
            f"{'starting the engine':28} {start['whole job, cpu s']:8.1f} CPU s {start['whole job, wall s']:8.1f} s\n"
        )
        print(
            f"{MORE} more cost {share(more, whole):.1%} of all by the processor's time, {share(more, whole, start):.1%} in an engine that runs "
            "already, as a worker of the service does (aim: under 3%)"
        )
        print(
            f"one less took {less['whole job, wall s']:.2f} s, {less['whole job, wall s'] - start['whole job, wall s']:.2f} s in an engine "
            "that runs already (aim: under 2)"
        )
        print(
            f"two workers: {whole['whole job, wall s'] / two['whole job, wall s']:.2f} times as fast (aim: 1.8)"
        )


def started() -> dict[str, float]:
    """Start-up time of a process, before it reads its job."""
    begun = time.monotonic()
    child = subprocess.Popen(
        [sys.executable, "-c", "import lorekeep.tune.job"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "engine"), "OMP_NUM_THREADS": "1"},
    )
    _, _, usage = os.wait4(child.pid, 0)
    return {
        "whole job, cpu s": usage.ru_utime + usage.ru_stime,
        "whole job, wall s": time.monotonic() - begun,
    }


def share(part: dict[str, float], whole: dict[str, float], without: dict[str, float] | None = None) -> float:
    spent = part["whole job, cpu s"] - (without or {}).get("whole job, cpu s", 0.0)
    return spent / whole["whole job, cpu s"]


if __name__ == "__main__":
    main()
