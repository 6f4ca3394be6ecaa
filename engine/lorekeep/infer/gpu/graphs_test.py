"""Decoding by a replayed graph, and attention of all segments in one call, emulated on a CPU: the inputs of a graph and its answers. On
a GPU, the real kernel is tested."""

from types import SimpleNamespace

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from lorekeep.infer import attention
from lorekeep.infer.attention import Ranges
from lorekeep.infer.cache import Arena
from lorekeep.infer.exact import StepRows
from lorekeep.infer.gpu import graphs
from lorekeep.testing import QUILL, Bench, needs_cuda

PROMPTS = [
    "Facts:\n1. Q: Who runs Brimoor? A: Ada Quist\n\nWho runs Brimoor?",
    "Hello",
    "Which day is it? " * 30,
]


def each_alone(query_T_H_D, keys_S_G_D, values_S_G_D, ranges: Ranges, scaling, window) -> torch.Tensor:
    """The result of the fused call, computed one range after the other."""
    out = torch.full_like(query_T_H_D, torch.nan)  # rows outside of every range are undefined
    ends = ranges.ends.tolist()
    for begin, end, start, length in zip(
        ends, ends[1:], ranges.starts.tolist(), ranges.lengths.tolist(), strict=False
    ):
        if length == 0:
            out[begin:end] = 0
            continue
        count = end - begin
        k, v = (x[start : start + length].transpose(0, 1)[None] for x in (keys_S_G_D, values_S_G_D))
        seen = torch.ones(count, length, dtype=torch.bool, device=k.device).tril(length - count)
        q = query_T_H_D[begin:end].transpose(0, 1)[None]
        out[begin:end] = scaled_dot_product_attention(
            q, k, v, attn_mask=seen, scale=scaling, enable_gqa=True
        )[0].transpose(0, 1)
    return out


class Replayed(graphs.DecodingGraph):
    """A graph whose replay is the forward pass."""

    replays = 0

    def _capture(self) -> bool:
        def replay() -> None:
            self.replays += 1
            self.logits_1_R_V = self._forward()

        self.graph = SimpleNamespace(replay=replay)
        return True


@pytest.fixture(scope="module")
def plain() -> Bench:
    return Bench(QUILL)


@pytest.fixture
def fused(plain: Bench, monkeypatch) -> Bench:
    """The engine with its GPU code path emulated on a CPU."""
    monkeypatch.setattr(attention, "fits_flash", lambda query, groups: query.shape[-1] <= 256)
    monkeypatch.setattr(attention, "flash", each_alone)
    bench = Bench(QUILL, like=plain)
    batch = bench.generator.batch
    batch.rows = StepRows(8, 2048, 8)
    batch.graph = Replayed(batch.model, batch.arena, 8)
    return bench


def test_answers_are_the_same_with_and_without_a_graph(plain: Bench, fused: Bench):
    wanted = [plain.one(prompt=prompt, max_tokens=12)["text"] for prompt in PROMPTS]
    assert [fused.one(prompt=prompt, max_tokens=12)["text"] for prompt in PROMPTS] == wanted
    graph = fused.generator.batch.graph
    assert isinstance(graph, Replayed) and graph.replays >= 6
    fused.generator.batch.graph = None
    assert [fused.one(prompt=prompt, max_tokens=12)["text"] for prompt in PROMPTS] == wanted
    for i, prompt in enumerate(PROMPTS):
        fused.submit(str(i), prompt=prompt, max_tokens=12)
    ended = fused.run()
    assert [ended[str(i)]["text"] for i in range(3)] == wanted


def test_a_graph_is_used_for_steps_of_single_tokens_of_its_size(fused: Bench):
    graph = fused.generator.batch.graph
    assert isinstance(graph, Replayed)
    fused.one(prompt=PROMPTS[2], max_tokens=1)
    assert graph.replays == 0  # the only step read the prompt
    for i in range(9):  # more than its rows
        fused.submit(str(i), prompt="Hello", max_tokens=4)
    fused.run()
    assert graph.replays == 0


def test_a_model_that_cannot_be_captured_answers_without_a_graph(fused: Bench, monkeypatch):
    wanted = fused.one(prompt=PROMPTS[0], max_tokens=8)["text"]
    batch = fused.generator.batch
    batch.graph = graphs.DecodingGraph(batch.model, batch.arena, 8)

    def refused() -> bool:
        assert batch.graph is not None
        batch.graph.fails = True
        return False

    monkeypatch.setattr(batch.graph, "_capture", refused)
    assert fused.one(prompt=PROMPTS[0], max_tokens=8)["text"] == wanted


def wrong(query_T_H_D, *_) -> torch.Tensor:
    return query_T_H_D


def failing(*_) -> torch.Tensor:
    raise RuntimeError("no such operator")


@pytest.mark.parametrize(("way", "right"), [(each_alone, True), (wrong, False), (failing, False)])
def test_fused_attention_is_used_only_if_it_equals_ordinary_attention(way, right: bool, monkeypatch):
    monkeypatch.setattr(attention, "flash", way)
    found = attention._flash_is_correct.__wrapped__(8, 2, 64, torch.float32, torch.device("cpu"))
    assert found is right


@needs_cuda
def test_one_call_gives_each_segment_the_same_bits_as_alone():
    torch.manual_seed(0)
    keys, values = (torch.randn(4000, 2, 64, device="cuda").bfloat16() for _ in range(2))
    segments = [
        attention.Segment(start, 0, count, length)
        for start, count, length in ((0, 1, 900), (1000, 64, 64), (2000, 7, 1200))
    ]
    at = 0
    for segment in segments:
        segment.at, at = at, at + segment.count
    query = torch.randn(at, 8, 64, device="cuda").bfloat16()
    arena = Arena(4000, 1, 1, query.device)

    def computed(some: list[attention.Segment], way=attention.flash) -> torch.Tensor:
        first = some[0].at
        moved = [attention.Segment(s.start, s.at - first, s.count, s.length) for s in some]
        queries = query[first : first + sum(s.count for s in some)]
        return way(queries, keys, values, attention.Step(arena, query, moved).ranges, None, None)

    assert attention.fits_flash(query.transpose(0, 1)[None], 2)
    together = computed(segments)
    for segment in segments:
        assert torch.equal(computed([segment]), together[segment.at : segment.at + segment.count])
    assert torch.allclose(together.float(), computed(segments, each_alone).float(), atol=0.02)
