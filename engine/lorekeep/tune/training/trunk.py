"""Computes the states that enter the last layer's MLP at the positions of answers, once per fact, through the
serving code (packed rows, each fact attending alone, prompts cut at the same places)."""

import itertools
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass

import torch
from transformers import PreTrainedModel

from lorekeep.infer import attention
from lorekeep.infer.cache import BLOCK, Arena
from lorekeep.infer.experts import decoder_layers
from lorekeep.quantization.linear import Leading
from lorekeep.tune.training.last_layer import AnswerStates

# Maximum tokens per step of the trunk, and memory for the activations of a layer.
_MAX_STEP_TOKENS, _MAX_LAYER_BYTES = 2048, 1 << 25


@dataclass(frozen=True)
class Row:
    """Tokens of a fact: its prompt, and its answer with the end token."""

    prompt: tuple[int, ...]
    answer: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.prompt) + len(self.answer) - 1  # the last token is only a target, never an input


class _Reached(Exception):
    """Stops the forward pass below the last layer's MLP."""


class Trunk:
    def __init__(self, model: PreTrainedModel, leading: Leading | None = None):
        self.model, self.device, self.leading = model, model.device, leading
        config = model.config.get_text_config()
        self.layers = config.num_hidden_layers
        token = 4 * config.hidden_size + 3 * getattr(config, "intermediate_size", 4 * config.hidden_size)
        self.step = max(256, min(_MAX_STEP_TOKENS, _MAX_LAYER_BYTES // (token * model.dtype.itemsize)))
        self.arena: Arena | None = None

    @torch.inference_mode()
    def read(self, rows: list[Row]) -> list[AnswerStates]:
        found = []
        for some in _portions(rows, self.step):
            found += self._read(some)
        return found

    def _read(self, rows: list[Row]) -> list[AnswerStates]:
        starts = [0, *itertools.accumulate(map(len, rows))]
        pieces = []  # (row, begin, end)
        for number, row in enumerate(rows):
            size = len(row.prompt)
            cuts = [*range(0, size, BLOCK), size, len(row)]
            pieces += [(number, begin, end) for begin, end in itertools.pairwise(cuts) if end > begin]
        # Whole blocks of prompts come first, as in serving.
        pieces.sort(key=lambda piece: not self._is_block(rows, *piece))
        blocks = BLOCK * sum(self._is_block(rows, *piece) for piece in pieces)
        tokens, positions, slots, segments = [], [], [], []
        for number, begin, end in pieces:
            segments.append(attention.Segment(starts[number], len(tokens), end - begin, end))
            tokens += (rows[number].prompt + rows[number].answer)[begin:end]
            positions += range(begin, end)
            slots += range(starts[number] + begin, starts[number] + end)
        state_T_D, heard_T_D = self._forward(tokens, positions, slots, segments, blocks)
        at = {slot: place for place, slot in enumerate(slots)}
        wanted = [
            at[start + position]
            for start, row in zip(starts, rows, strict=False)
            for position in range(len(row.prompt) - 1, len(row))
        ]
        state_N_D, heard_N_D = state_T_D[wanted], heard_T_D[wanted]
        sizes = [len(row.answer) for row in rows]
        # Cloned outside of inference mode, so that gradients can flow.
        with torch.inference_mode(False):
            parts = zip(state_N_D.clone().split(sizes), heard_N_D.clone().split(sizes), rows, strict=True)
            return [
                AnswerStates(state, attention, torch.tensor(row.answer)) for state, attention, row in parts
            ]

    def _is_block(self, rows: list[Row], number: int, begin: int, end: int) -> bool:
        return self.leading is not None and end - begin == BLOCK and end <= len(rows[number].prompt)

    def _forward(
        self, tokens: list[int], positions: list[int], slots: list[int], segments: list, blocks: int
    ) -> tuple:
        if self.arena is None or self.arena.slots < len(tokens):
            self.arena = Arena(max(self.step, len(tokens)), self.layers, 0, self.device)
        seen = {}
        layer = decoder_layers(self.model)[-1]

        def entered(_, args, kwargs):
            seen["state"] = args[0] if args else kwargs["hidden_states"]

        def said(_, __, output):
            seen["heard"] = output[0]
            raise _Reached

        hooks = [
            layer.register_forward_pre_hook(entered, with_kwargs=True),
            layer.get_submodule("self_attn").register_forward_hook(said),
        ]
        slots_T = torch.tensor(slots, device=self.device)
        try:
            with nullcontext() if self.leading is None else self.leading.set(blocks):
                self.model(
                    input_ids=torch.tensor([tokens], device=self.device),
                    position_ids=torch.tensor([positions], device=self.device),
                    use_cache=False,
                    step=attention.Step(self.arena, slots_T, segments),
                )
        except _Reached:
            pass
        finally:
            for hook in hooks:
                hook.remove()
        return seen["state"][0], seen["heard"][0]


def _portions(rows: list[Row], most: int) -> Iterator[list[Row]]:
    """Splits rows into portions that fit into a step, at least one row each."""
    some, size = [], 0
    for row in rows:
        if some and size + len(row) > most:
            yield some
            some, size = [], 0
        some.append(row)
        size += len(row)
    if some:
        yield some
