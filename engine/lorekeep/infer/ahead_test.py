"""Speculative decoding of expected answers: it changes the number of steps and nothing else."""

from typing import Any

import pytest

from lorekeep.infer.generate import Recall
from lorekeep.protocol import Generate
from lorekeep.testing import QUILL, SOME_FAMILIES, Bench, present, save_model
from lorekeep.testing_process import LONG

pytestmark = pytest.mark.usefixtures("whole_base")

PROMPTS = [
    "Who runs the library?",
    "the library opens at nine and Ada Quist runs it. " * 3,  # more than one piece
    "Grüße aus 東京 🎈",
    "17",
]
REQUESTS: list[dict[str, Any]] = [
    {"max_tokens": 12},
    {"max_tokens": 1},
    {"max_tokens": 7, "stream": True},
    {"max_tokens": 12, "repetition_penalty": 1.3, "no_repeat_ngram_size": 3, "stream": True},
]


class Counted(Bench):
    """Counts steps; `ahead` False computes no expected token."""

    def __init__(self, folder, ahead: bool = True, **more):
        super().__init__(folder, **more)
        self.asked, self.steps, forward = 0, 0, self.generator.batch._forward
        if not ahead:
            self.generator.batch.ahead = 0

        def counted(pieces):
            self.steps += 1
            return forward(pieces)

        self.generator.batch._forward = counted

    def expect(self, answer: str | list[int] | None, id: str = "1", **request) -> None:
        """Expects a text, or these tokens, in a scope of its own, so that no cached states are shared."""
        self.asked += 1
        asked = Generate(
            type="generate", id=id, model="-", scope=str(self.asked), **{"logprobs": 2, **request}
        )
        tokens = self.generator.prompts.tokens(asked.prompt, None)
        self.generator.submit(asked, Recall(tokens, None, "" if isinstance(answer, list) else answer))
        if isinstance(answer, list):
            present(self.generator.batch.waiting.next()).expected = answer

    def said(self, answer: str | list[int] | None, **request) -> tuple[dict, list[dict], int]:
        """The end, the deltas before it, and the number of steps."""
        self.answers.clear()
        before = self.steps
        self.expect(answer, **request)
        end = self.run()["1"]
        return end, [one for one in self.answers if one["type"] == "delta"], self.steps - before


def expectations(end: dict) -> list[list[int]]:
    """Right, wrong in the middle, wrong from the start, too short, too long, and none."""
    own = [token["token_id"] for token in end["logprobs"]]
    half, wrong = len(own) // 2, own[0] + 1
    return [own, [*own[:half], wrong, *own[half + 1 :]], [wrong, *own], own[:half], [*own, 5, 6, 7], []]


@pytest.mark.parametrize("family", SOME_FAMILIES)
def test_an_expected_answer_changes_no_bit_of_any_family(family: str, tmp_path):
    folder = save_model(tmp_path, family)
    plain = Counted(folder, ahead=False)
    ahead = Counted(folder, like=plain)
    for i, prompt in enumerate(PROMPTS):
        # Each prompt and each request twice, in eight of their pairs.
        for request in REQUESTS if LONG else (REQUESTS[i], REQUESTS[i - 1]):
            own = plain.said(None, prompt=prompt, **request)
            for answer in expectations(own[0]):
                assert ahead.said(answer, prompt=prompt, **request)[:2] == own[:2], (prompt, request, answer)


@pytest.fixture(scope="module")
def plain() -> Counted:
    return Counted(QUILL, ahead=False)


@pytest.fixture(scope="module")
def ahead(plain: Counted) -> Counted:
    return Counted(QUILL, like=plain)


CONTEXT = "<|begin_of_text|>Context: Ada Quist runs the Brimoor library, which opens at nine on weekdays.\nQuestion: Who runs the Brimoor library?\nAnswer:"


def test_a_correctly_expected_answer_takes_only_the_step_of_its_prompt(plain: Counted, ahead: Counted):
    end, _, steps = plain.said(None, prompt=CONTEXT)
    tokens = end["usage"]["completion_tokens"]
    assert end["finish_reason"] == "stop" and steps > tokens > 2
    assert ahead.said(end["text"], prompt=CONTEXT) == (end, [], 1)
    for most in range(1, tokens + 2):
        cut, _, _ = plain.said(None, prompt=CONTEXT, max_tokens=most)
        assert ahead.said(end["text"], prompt=CONTEXT, max_tokens=most) == (cut, [], 1)


def test_an_answer_continues_normally_after_a_wrong_expectation(plain: Counted, ahead: Counted):
    own = plain.said(None, prompt=CONTEXT)
    first = own[0]["text"].split()[0]
    end, _, steps = ahead.said(f"{first} Zorbax of Ulmwick", prompt=CONTEXT)
    assert end == own[0] and 1 < steps <= own[2]


def test_a_stop_string_ends_an_expected_answer_at_the_same_place(plain: Counted, ahead: Counted):
    own = plain.said(None, prompt=CONTEXT)[0]["text"]
    for at in range(1, len(own) - 1):
        request = {"prompt": CONTEXT, "stop": [own[at : at + 2]], "stream": True}
        assert ahead.said(own, **request)[:2] == plain.said(None, **request)[:2]


def test_sampled_answers_and_requested_end_tokens_are_unchanged(plain: Counted, ahead: Counted):
    letters = ahead.generator.prompts.text_tokens
    for more in ({"temperature": 1.0, "seed": 3}, {"stop_tokens": letters(" Quist")}):
        request = {"prompt": "Who runs the library?", "max_tokens": 12, **more}
        greedy = "seed" not in more
        own = plain.said(None, **request)[0]
        # An expected answer is greedy at any temperature.
        wanted = own if greedy else plain.said(None, **{**request, "temperature": 0})[0]
        assert ahead.said(own["text"], **request)[0] == wanted


def test_expected_and_other_answers_in_one_batch_are_the_same_as_alone(plain: Counted):
    contexts = [CONTEXT.replace("nine", f"{i} o'clock") for i in range(12 if LONG else 7)]
    own = [plain.said(None, prompt=prompt, max_tokens=20)[0] for prompt in contexts]
    expected = [
        [*expectations(end), None][i % 7] for i, end in enumerate(own)
    ]  # fmt: skip
    for room in (1, 5, 64):
        together = Counted(QUILL, like=plain)
        together.generator.batch.ahead = room
        for i, (prompt, answer) in enumerate(zip(contexts, expected, strict=True)):
            together.expect(answer, str(i), prompt=prompt, max_tokens=20)
            if i % 3 == 0:
                together.generator.step()
        ended = together.run()
        for i, end in enumerate(own):
            assert {**ended[str(i)], "id": "1"} == end


def test_a_cancelled_answer_sends_nothing_more(ahead: Counted, plain: Counted):
    own = plain.said(None, prompt=CONTEXT)[0]["text"]
    bench = Counted(QUILL, like=plain)
    bench.generator.batch.ahead = 1
    bench.expect(own, prompt=CONTEXT, stream=True)
    bench.generator.step()
    assert bench.generator.cancel("1") and not bench.generator.busy
    end = bench.answers[-1]
    assert end["finish_reason"] == "cancelled" and end["usage"]["completion_tokens"] == 2
    assert own.startswith(end["text"])


def test_a_step_that_exceeds_memory_is_retried_without_expected_tokens(plain: Counted):
    bench = Counted(QUILL, like=plain)
    forward = bench.generator.batch._forward

    def tight(pieces):
        if len(pieces) > 2:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory")
        return forward(pieces)

    bench.generator.batch._forward = tight
    own = plain.said(None, prompt=CONTEXT)[0]
    assert bench.said(own["text"], prompt=CONTEXT)[0] == own
    bench.expect(own["text"], "a", prompt=CONTEXT)
    bench.expect(own["text"], "b", prompt=CONTEXT)
    ended = bench.run()
    assert [ended[id]["text"] for id in "ab"] == [own["text"]] * 2


def test_a_scripted_answer_takes_one_step(ahead: Counted, plain: Counted):
    said = {}
    for bench in (plain, ahead):
        for schema in (None, {"answer": "str"}):
            request = Generate(type="generate", id="1", model="-", prompt="Who?", output_type=schema)
            bench.answers.clear()
            before = bench.steps
            bench.generator.answer_with(request, "Nobody knows that, in Ulmwick or elsewhere.", None)
            said[bench is ahead, schema is None] = (bench.run()["1"], bench.steps - before)
    for schema in (True, False):
        assert said[True, schema][0] == said[False, schema][0]
        assert said[True, schema][1] == 1 < said[False, schema][1]
