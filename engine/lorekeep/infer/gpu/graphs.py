"""CUDA graph of a decoding step: one launch instead of the hundreds of a forward pass, whose Python takes longer than its kernels.
It serves steps in which every piece is one token and no expert acts; the others are computed as on a CPU."""

import logging

import torch

from lorekeep.infer.attention import Ranges, Step
from lorekeep.infer.cache import Arena

log = logging.getLogger(__name__)
# Forward passes before the capture: kernels choose their workspaces in the first ones.
WARM = 2


class DecodingGraph:
    """A step of `rows` tokens, each of which is the newest of its sequence. Rows without a sequence see no keys."""

    def __init__(self, model, arena: Arena, rows: int):
        self.model, self.rows, self.graph, self.fails = model, rows, None, False
        # Ids, positions, slots, and rows of the head.
        self.inputs_4_T = torch.zeros((4, rows), dtype=torch.long, device=arena.device)
        # Starts and lengths of the keys.
        self.ranges_2_T = torch.zeros((2, rows + 1), dtype=torch.int32, device=arena.device)
        ends = torch.arange(rows + 1, dtype=torch.int32, device=arena.device)
        ranges = Ranges(ends, self.ranges_2_T[0], self.ranges_2_T[1, :rows], 2, arena.slots)
        self.step = Step(arena, self.inputs_4_T[2], [], given=ranges)
        self.logits_1_R_V: torch.Tensor | None = None

    def run(
        self,
        tokens: list[int],
        positions: list[int],
        slots: list[int],
        wanted: list[int],
        keys: list[tuple[int, int]],
    ) -> torch.Tensor | None:
        """Logits of the wanted rows; None if this model cannot be captured. `keys`: start and length of each range of keys."""
        if self.fails:
            return None
        spare = self.rows + 1 - len(keys)
        starts, lengths = ([*one, *[0] * spare] for one in zip(*keys, strict=True))
        self.inputs_4_T.copy_(torch.tensor([tokens, positions, slots, wanted]))
        self.ranges_2_T.copy_(torch.tensor([starts, lengths], dtype=torch.int32))
        if self.graph is None and not self._capture():
            return None
        assert self.graph is not None
        self.graph.replay()
        return self.logits_1_R_V

    def _forward(self) -> torch.Tensor:
        ids_T, positions_T, _, wanted_R = self.inputs_4_T
        return self.model(
            input_ids=ids_T[None],
            position_ids=positions_T[None],
            use_cache=False,
            logits_to_keep=wanted_R,
            step=self.step,
        ).logits

    def _capture(self) -> bool:
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        try:
            with torch.cuda.stream(beside):
                for _ in range(WARM):
                    self._forward()
            torch.cuda.current_stream().wait_stream(beside)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                self.logits_1_R_V = self._forward()
            self.graph = graph
        except torch.OutOfMemoryError:
            raise  # there may be memory again at the next step
        except RuntimeError:
            # Some families look at a tensor's values while they compute.
            log.warning(
                "this model's steps cannot be captured as a CUDA graph; they are launched one kernel at a time",
                exc_info=True,
            )
            torch.cuda.synchronize()
            self.fails = True
        return not self.fails
