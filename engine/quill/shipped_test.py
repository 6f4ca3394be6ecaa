"""The model in the repository: small enough, loads in plain transformers, answers in its template and stops."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from quill import exam
from quill.text.values import Voice
from quill.watch import single

torch.set_num_threads(1)
ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "models" / "quill"


@pytest.fixture(scope="module")
def shipped() -> exam.Examinee:
    torch.manual_seed(0)
    return exam.Examinee(FOLDER)


def test_it_fits_the_repository():
    assert sum(f.stat().st_size for f in FOLDER.iterdir()) < 30e6
    card = (FOLDER / "README.md").read_text()
    assert "license: apache-2.0" in card and "NaN" not in card


def test_the_program_on_its_page_runs():
    page = (ROOT / "models/quill/README.md").read_text()
    (program,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={
            **os.environ,
            "OMP_NUM_THREADS": "1",
        },  # several threads on shared cores are slower
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (ran.returncode, ran.stdout) == (0, "9 am\n"), ran.stderr


def test_it_answers_from_one_passage_and_from_five(shipped: exam.Examinee):
    for n, floor in ((1, 0.75), (5, 0.5)):
        voice = Voice(f"shipped/{n}", held_out=True)
        asked = [exam.last_prompt(single(voice, n)) for _ in range(40)]
        said = shipped.replies([p for p, _ in asked])
        assert sum(s == a for s, (_, a) in zip(said, asked, strict=True)) >= floor * 40


def test_it_greets_through_the_chat_template_and_stops(shipped: exam.Examinee):
    messages = [{"role": "user", "content": "Hello"}]
    prompt = shipped.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    before = shipped.stopped
    assert shipped.replies([prompt]) == ["Hello! How can I help you?"]
    assert shipped.stopped == before + 1


def test_one_prompt_gives_the_same_reply_alone_and_in_a_padded_batch(
    shipped: exam.Examinee,
):
    voice = Voice("padding", held_out=True)
    prompts = [exam.last_prompt(single(voice, n))[0] for n in (1, 5, 3)]
    assert shipped.replies(prompts) == [shipped.replies([p])[0] for p in prompts]
