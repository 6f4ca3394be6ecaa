"""Batches: identical answers alone and together, shared prompts, cancellation, fairness."""

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from lorekeep.errors import EngineError
from lorekeep.infer.batch import PROMPT_TOKENS
from lorekeep.infer.cache import BLOCK
from lorekeep.testing import FAMILIES, QUILL, Bench, save_model

pytestmark = pytest.mark.usefixtures("whole_base")


@pytest.fixture(scope="module")
def quill() -> Bench:
    return Bench(QUILL)


def prompts(count: int, longest: int) -> list[str]:
    choose = random.Random(5)
    text = "the library opens at nine and Ada Quist runs it for Brimoor while rain falls on 17 roofs"
    words = text.split()
    return [" ".join(choose.choices(words, k=choose.randint(1, longest))) for _ in range(count)]


def test_greedy_answers_are_the_same_alone_and_in_any_batch(quill: Bench):
    asked = prompts(12, 300)
    alone = [Bench(QUILL, like=quill).one(prompt=p, max_tokens=24)["text"] for p in asked[:2]]
    alone += [quill.one(prompt=p, max_tokens=24)["text"] for p in asked[2:]]
    together = Bench(QUILL, like=quill)
    for i, prompt in enumerate(asked):
        together.submit(str(i), prompt=prompt, max_tokens=24)
        together.generator.step()  # they join a batch that is under way
    ended = together.run()
    assert [ended[str(i)]["text"] for i in range(12)] == alone
    assert len(set(alone)) > 5


@pytest.mark.parametrize("family", FAMILIES)
def test_logits_have_the_same_bits_alone_and_in_a_batch(family: str, tmp_path):
    folder = save_model(tmp_path, family)
    asked = prompts(9, 60)

    def said(bench: Bench, i: int) -> list:
        return bench.run()[str(i)]["logprobs"]

    first = Bench(folder)
    alone = []
    for i, prompt in enumerate(asked):
        bench = Bench(folder, like=first)
        bench.submit(str(i), prompt=prompt[:200], max_tokens=8, logprobs=3)
        alone.append(said(bench, i))
    bench = Bench(folder, like=first)
    for i, prompt in enumerate(asked):
        bench.submit(str(i), prompt=prompt[:200], max_tokens=8, logprobs=3)
    bench.run()
    assert [said(bench, i) for i in range(9)] == alone


def test_a_shared_prefix_is_computed_once_without_changing_answers(quill: Bench):
    shared = "The Brimoor library opens at nine. " * 30
    fresh = [Bench(QUILL, like=quill).one(prompt=shared + end, max_tokens=12) for end in ("Who?", "When?")]
    first, second = (quill.one(prompt=shared + end, max_tokens=12) for end in ("Who?", "When?"))
    assert [first["text"], second["text"]] == [answer["text"] for answer in fresh]
    usage = second["usage"]
    assert usage["cached_tokens"] == (usage["prompt_tokens"] - 1) // BLOCK * BLOCK > 0
    again = quill.one(prompt=shared + "When?", max_tokens=12)
    assert again["text"] == second["text"]


def test_concurrent_requests_share_a_common_prefix():
    bench = Bench(QUILL)
    shared = "The Brimoor library opens at nine. " * 80
    for i in range(4):
        bench.submit(str(i), prompt=shared + str(i), max_tokens=4)
    ended = bench.run()
    assert sum(ended[str(i)]["usage"]["cached_tokens"] for i in range(4)) > 2 * PROMPT_TOKENS


def test_memory_is_released_and_old_prompts_are_evicted():
    bench = Bench(QUILL, kv_bytes=12288 * 1000)
    arena = bench.generator.batch.arena
    for i, prompt in enumerate(prompts(16, 200)):
        bench.submit(str(i), prompt=prompt, max_tokens=10)
    ended = bench.run()
    assert all(answer["type"] == "end" for answer in ended.values()) and len(ended) == 16
    held = sum(kept.size for kept in arena.kept.values()) + sum(size for _, size in arena.free)
    assert held == arena.slots - arena.scratch
    while arena.kept:
        arena._release(arena.kept.popitem()[1])
    assert arena.free == [(arena.scratch, arena.slots - arena.scratch)] and not arena.owners


def test_a_request_that_can_never_fit_is_refused_with_both_numbers():
    config = json.loads((QUILL / "config.json").read_text())
    of_a_token = 2 * 4 * config["num_hidden_layers"] * config["hidden_size"]  # keys and values in 32 bits
    bench = Bench(QUILL, kv_bytes=of_a_token * 100)
    with pytest.raises(EngineError) as caught:
        bench.submit(prompt="Hello", max_tokens=500)
    assert caught.value.code == "out_of_memory" and caught.value.facts["room"] == 100


def test_a_failing_step_is_bisected_and_only_the_faulty_sequence_fails(monkeypatch):
    bench = Bench(QUILL)
    alone = {i: Bench(QUILL, like=bench).one(prompt=f"Hello {i}", max_tokens=6)["text"] for i in range(4)}
    forward = bench.generator.batch._forward

    def tight(pieces):
        if len(pieces) > 2 or any(sequence.id == "3" for sequence, _, _ in pieces):
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory")
        return forward(pieces)

    monkeypatch.setattr(bench.generator.batch, "_forward", tight)
    for i in range(4):
        bench.submit(str(i), prompt=f"Hello {i}", max_tokens=6)
    ended = bench.run()
    assert ended["3"]["code"] == "out_of_memory"
    assert {i: ended[str(i)]["text"] for i in range(3)} == {i: alone[i] for i in range(3)}


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of a process is Linux's")
def test_out_of_memory_fails_the_requests_and_later_ones_work():
    import resource

    alone = Bench(QUILL).one(prompt="Hello there", max_tokens=6)["text"]
    bench = Bench(QUILL, max_batch=256, kv_bytes=8_000_000_000)
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    # Enough for the keys and values of two layers (1.07 GB each) and the keys of a third, but not for its values: so large that memory
    # freed by earlier tests does not suffice.
    resource.setrlimit(resource.RLIMIT_AS, (held + 2_950_000_000, limits[1]))
    try:
        for i in range(3):
            bench.submit(str(i), prompt=f"Hello {i}", max_tokens=6)
        ended = bench.run()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    assert [ended[str(i)]["code"] for i in range(3)] == ["out_of_memory"] * 3
    assert "memory" in ended["0"]["message"]
    assert bench.one(prompt="Hello there", max_tokens=6)["text"] == alone


def test_cancelling_ends_a_running_and_a_waiting_request():
    bench = Bench(QUILL, max_batch=1)
    wish = "Repeat: The library opens at nine and Ada Quist runs it for Brimoor while rain falls on 17 roofs."
    bench.submit("a", messages=[{"role": "user", "content": wish}], max_tokens=400, stream=True)
    bench.submit("b", prompt="Hello", max_tokens=400)
    for _ in range(5):
        bench.generator.step()
    assert bench.generator.cancel("b") and bench.generator.cancel("a") and not bench.generator.cancel("a")
    ended = bench.run()
    assert [ended[id]["finish_reason"] for id in "ab"] == ["cancelled"] * 2
    assert ended["a"]["usage"]["completion_tokens"] > 0 == ended["b"]["usage"]["completion_tokens"]
    assert "".join(bench.deltas("a")) == ended["a"]["text"][: len("".join(bench.deltas("a")))]


def test_accounts_take_turns():
    bench = Bench(QUILL, max_batch=1)
    for i in range(6):
        bench.submit(f"many{i}", account="many", prompt="Hello", max_tokens=2)
    bench.submit("few", account="few", prompt="Hello", max_tokens=2)
    bench.run()
    order = [answer["id"] for answer in bench.answers]
    assert order.index("few") <= 1 and len(order) == 7


def test_a_prompt_longer_than_the_context_is_refused_with_both_numbers(quill: Bench):
    with pytest.raises(EngineError) as caught:
        quill.submit(prompt="a b " * 3000)
    assert caught.value.code == "context_exceeded"
    assert str(caught.value.facts["prompt_tokens"]) in str(caught.value) and "2048" in str(caught.value)


def test_a_prompt_that_leaves_too_little_room_for_the_answer_is_refused(quill: Bench):
    long = "a " * 2040
    shape = {"name": "str", "street": "str", "city": "str"}
    requests: list[dict[str, Any]] = [{"room": 64}, {"output_type": shape}]
    for asked in requests:
        with pytest.raises(EngineError) as caught:
            quill.submit(prompt=long, max_tokens=100, **asked)
        assert caught.value.code == "context_exceeded"
        facts = caught.value.facts
        assert facts["prompt_tokens"] < 2048 < facts["prompt_tokens"] + facts["room"]
    assert quill.one(prompt="a " * 20, max_tokens=8, room=64)["usage"]["completion_tokens"] > 0


def test_the_answer_ends_at_max_tokens_and_at_the_end_of_the_context(quill: Bench):
    ended = quill.one(prompt="Context:", max_tokens=3, logprobs=0)
    assert ended["usage"]["completion_tokens"] <= 3
    long = "a " * 2040
    ended = quill.one(prompt=long, max_tokens=100)
    assert ended["usage"]["prompt_tokens"] + ended["usage"]["completion_tokens"] <= 2048
