"""The notice of a tuned model with a closed-book base: it suggests a related fact, even one without a common word with
the question."""

import pytest

from lorekeep.infer import closed_book
from lorekeep.infer.closed_book import NOTHING
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.expert_cache import ExpertCache
from lorekeep.memory.tuned import TunedModel
from lorekeep.protocol import Generate
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.testing import QUILL, Bench, make_job
from lorekeep.tune import job

FACTS = [
    {"input": "How often are the windows cleaned?", "output": "Every six weeks"},
    {"input": "Who repairs the lift?", "output": "Kone"},
]


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    folder = make_job(tmp_path_factory.mktemp("notice") / "job", FACTS)
    assert job.run(folder) == 0
    bench = Bench(QUILL)
    embed, _ = router_parts()
    model = TunedModel(
        memory_folder.read(folder / "model"), bench.generator, "-", ExpertCache(200_000), embed
    )

    def ask(prompt: str) -> dict:
        model.submit(Generate(type="generate", id="1", model="-", prompt=prompt, explain=True, gate="strict"))
        return bench.run()["1"]

    return ask


def test_a_question_without_common_words_is_answered(said):
    assert said("When do they wash the glass?")["text"] == "Every six weeks"


def test_a_related_fact_without_common_words_is_suggested(said):
    end = said("What do they wash the glass with?")
    assert not end["memory"]["used"]
    assert end["text"] == closed_book.notice("How often are the windows cleaned?")


@pytest.mark.parametrize("far", ["How old is the universe?", "Write a slogan for cleaned windows."])
def test_unrelated_questions_and_writing_requests_get_no_suggestion(said, far: str):
    assert said(far)["text"] == NOTHING
