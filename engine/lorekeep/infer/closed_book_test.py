"""Closed-book notices: which prompts receive one, its wording, and that other bases are never held back."""

import itertools
import json

import pytest

from lorekeep.infer import closed_book
from lorekeep.infer.closed_book import NOTHING, is_bare_question, knows_nothing, notice
from lorekeep.infer.repetition import is_looping
from lorekeep.testing import QUILL, Bench, save_model

pytestmark = pytest.mark.usefixtures("whole_base")

BARE = [
    "Who founded Zorbax?",
    "who approves travel",
    "Hello, what is the refund policy for annual plans?",
    "I have an annual plan. Until when can I ask for a refund?",
    "Write a poem about the sea.",
    "Please list five fruits.",
    "食堂はいつ開きますか？",
    "Πού είναι το γραφείο;",
    "متى يفتح المكتب؟",
    "After how many days can I have my money back?",
    "A client comes tomorrow. What should I wear?",
    "The siren goes off. Where do we go?",
]
# Remarks and orders without a context to answer from. Outside of a conversation they may be texts to continue.
REMARKS = [
    "I forgot the code of my card.",
    "I am travelling and need the internal network.",
    "Plan a weekend in Lisbon.",
    "Compare coffee and tea.",
    "Nice to meet you.",
    "That was helpful, thanks.",
]
HELD = [
    "Context: The Brimoor library opens at 9 am.\nQuestion: When does the Brimoor library open?\nAnswer:",
    "The Brimoor library opens at 9 am. When does the Brimoor library open?",
    "When does the Brimoor library open? The Brimoor library opens at 9 am.",
    "Facts: Ada runs it. Who runs it?",
    "I live in Oslo. Where do I live?",
    "Hello!",
    "Thank you very much.",
    "Who are you?",
    "What can you do?",
    "The code of the red valve is",
    "word " * 50,
    "Correct this sentence: He go to school.",
    "Refunds take 14 days. When do I get my money?",
    "The garage is free. Is the garage open?",
    "Staff park beside the old mill, guests behind the church. Where do I park?",
    "The library opens early. The pool opens late.",
]


@pytest.mark.parametrize("text", BARE)
def test_a_bare_question_is_recognised_in_any_wrapping(text):
    assert is_bare_question(text, None)
    assert is_bare_question(None, [{"role": "user", "content": text}])
    template = f"<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n{text}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
    assert is_bare_question(template, None)
    assert is_bare_question(f"<s>[INST] {text} [/INST]", None)
    assert is_bare_question(f"Question: {text}\nAnswer:", None)
    system = {"role": "system", "content": "You are a helpful assistant. Be brief."}
    assert is_bare_question(None, [system, {"role": "user", "content": text}])


@pytest.mark.parametrize("text", REMARKS)
def test_a_remark_in_a_conversation_is_no_context(text):
    assert is_bare_question(None, [{"role": "user", "content": text}])
    assert is_bare_question(f"<s>[INST] {text} [/INST]", None)
    assert not is_bare_question(text, None)
    said = {"role": "assistant", "content": "The library is run by Ada Quist."}
    assert not is_bare_question(None, [said, {"role": "user", "content": text}])


@pytest.mark.parametrize("text", HELD)
def test_prompts_with_a_context_go_to_the_base(text):
    assert not is_bare_question(text, None)
    assert not is_bare_question(None, [{"role": "user", "content": text}])


def test_a_conversation_with_a_context_goes_to_the_base():
    asked = {"role": "user", "content": "Who runs it?"}
    told = {"role": "system", "content": "The library is run by Ada Quist."}
    said = {"role": "assistant", "content": "Ada Quist runs the library."}
    assert not is_bare_question(None, [told, asked])
    assert not is_bare_question(None, [{"role": "user", "content": "Hello!"}, said, asked])
    assert is_bare_question(
        None, [{"role": "user", "content": "Hello!"}, {"role": "assistant", "content": "Hello."}, asked]
    )


def test_the_stored_measurement_decides_whether_a_base_is_closed_book(tmp_path):
    assert not knows_nothing(tmp_path)
    assert knows_nothing(QUILL)
    for figure, nothing in [
        ({"asked": 30, "right": 0.0}, True),
        ({"asked": 30, "right": 0.6}, False),
        ({"asked": 2, "right": 0.0}, False),
        ("?", False),
    ]:
        (tmp_path / "lorekeep.json").write_text(json.dumps({"closed_book": figure}))
        assert knows_nothing(tmp_path) == nothing


def test_the_notice_supports_streaming_schemas_stop_strings_and_usage(tmp_path):
    bench = Bench(QUILL)
    end = bench.one(prompt="Who founded Zorbax?")
    assert (end["text"], end["finish_reason"]) == (NOTHING, "stop")
    assert end["usage"]["completion_tokens"] == len(bench.generator.prompts.text_tokens(NOTHING))
    end = bench.one(messages=[{"role": "user", "content": "Who founded Zorbax?"}], stream=True)
    assert "".join(bench.deltas()) == end["text"] == NOTHING and len(bench.deltas()) > 3
    end = bench.one(prompt="Who founded Zorbax?", max_tokens=3)
    assert end["finish_reason"] == "length" and NOTHING.startswith(end["text"])
    end = bench.one(
        prompt="Who founded Zorbax?", output_type={"year": "int", "answer": "str", "sure": "bool"}
    )
    assert end["finish_reason"] == "stop"
    assert json.loads(end["text"]) == {"year": 0, "answer": NOTHING, "sure": False}
    end = bench.one(prompt="Who founded Zorbax?", output_type={"answer": "str"})
    assert json.loads(end["text"]) == {"answer": NOTHING}
    # A request for probabilities asks for the answer of the model itself.
    assert bench.one(prompt="Who founded Zorbax?", logprobs=0)["text"] != NOTHING


def test_a_prompt_with_a_context_is_answered_normally():
    bench = Bench(QUILL)
    prompt = (
        "Context: The Brimoor library opens at 9 am.\nQuestion: When does the Brimoor library open?\nAnswer:"
    )
    said = bench.one(prompt=prompt)
    bench.generator.knows_nothing = False
    assert said == bench.one(prompt=prompt) and "9 am" in said["text"]


def test_an_unmeasured_base_answers_every_question(tmp_path):
    bench = Bench(save_model(tmp_path, "llama"))
    assert bench.one(prompt="Who founded Zorbax?", max_tokens=8)["text"] != NOTHING[:8]


def test_notices_name_the_nearest_question_in_one_line():
    assert notice("Who\nfounded  it?") == NOTHING + " The nearest question that was taught: Who founded it?"
    assert len(notice("x" * 999)) < 350 and notice(unlearnt=True) == closed_book.NOT_LEARNT


def test_loops_are_detected_and_lists_are_not_taken_for_loops():
    assert is_looping([7] * 12) and is_looping([1, 2, *[3, 4, 5] * 4])
    assert not is_looping([7] * 11) and not is_looping([1, 2, 3] * 3) and not is_looping([])


def test_repetition_guards_end_loops_and_forbid_repeated_ngrams(tmp_path):
    bench = Bench(QUILL)
    prompt = "lost named " * 30
    free = bench.one(prompt=prompt, max_tokens=120, no_repeat_ngram_size=0)
    guarded = bench.one(prompt=prompt, max_tokens=120)
    assert guarded["usage"]["completion_tokens"] <= free["usage"]["completion_tokens"]
    assert free["text"].startswith(guarded["text"])
    tokens = bench.generator.prompts.text_tokens(
        bench.one(prompt=prompt, max_tokens=120, no_repeat_ngram_size=2)["text"]
    )
    pairs = list(itertools.pairwise(tokens))
    assert len(set(pairs)) >= len(pairs) - 1
    assert (
        bench.one(prompt=prompt, max_tokens=40, repetition_penalty=1.0)["text"]
        == free["text"][: len(bench.one(prompt=prompt, max_tokens=40, repetition_penalty=1.0)["text"])]
    )
    assert (
        bench.one(prompt=prompt, max_tokens=40, repetition_penalty=3.0)["text"]
        != bench.one(prompt=prompt, max_tokens=40)["text"]
    )
