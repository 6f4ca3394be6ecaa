"""What a change of a memory costs beside making it anew, and what a second worker is worth. ../changes.ts starts it."""

import argparse
import tempfile
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
        print()
        print(f"{MORE} more cost {share(more, whole):.1%} of all by the processor's time (aim: under 3%)")
        print(f"one less took {less['whole job, wall s']:.2f} s, the start of the engine included")
        print(
            f"two workers: {whole['whole job, wall s'] / two['whole job, wall s']:.2f} times as fast (aim: 1.8)"
        )


def share(part: dict[str, float], whole: dict[str, float]) -> float:
    return part["whole job, cpu s"] / whole["whole job, cpu s"]


if __name__ == "__main__":
    main()
