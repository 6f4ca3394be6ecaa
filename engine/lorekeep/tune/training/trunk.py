"""Computes the states that enter the last layer's MLP at the positions of answers, once per fact, through the
serving code (packed rows, each fact attending alone, prompts cut at the same places)."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from transformers import PreTrainedModel

from lorekeep.infer import attention
from lorekeep.infer.cache import BLOCK, Arena
from lorekeep.infer.experts import decoder_layers
from lorekeep.tune.training.last_layer import AnswerStates

# Tokens per step of the trunk.
_STEP = 2048


@dataclass(frozen=True)
class Row:
    """Tokens of a fact: its prompt, and its answer with the end token."""

    prompt: tuple[int, ...]
    answer: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.prompt) + len(self.answer) - 1  # the last token is only ever said


class _Reached(Exception):
    """Stops the forward pass below the last layer's MLP."""


class Trunk:
    def __init__(self, model: PreTrainedModel):
        self.model, self.device = model, model.device
        self.layers = model.config.get_text_config().num_hidden_layers
        self.arena: Arena | None = None

    @torch.inference_mode()
    def read(self, rows: list[Row]) -> list[AnswerStates]:
        found = []
        for some in _portions(rows):
            found += self._read(some)
        return found

    def _read(self, rows: list[Row]) -> list[AnswerStates]:
        tokens, positions, segments, wanted = [], [], [], []
        for row in rows:
            start, size = len(tokens), len(row.prompt)
            cuts = [*range(0, size, BLOCK), size, len(row)]
            for begin, end in itertools.pairwise(cuts):
                if end > begin:
                    segments.append(attention.Segment(start, start + begin, end - begin, end))
            tokens += (row.prompt + row.answer)[:-1]
            positions += range(len(row))
            wanted += range(start + size - 1, start + len(row))
        state_T_D, heard_T_D = self._forward(tokens, positions, segments)
        state_N_D, heard_N_D = state_T_D[wanted], heard_T_D[wanted]
        sizes = [len(row.answer) for row in rows]
        # Cloned outside of inference mode, so that gradients may pass through them.
        with torch.inference_mode(False):
            parts = zip(state_N_D.clone().split(sizes), heard_N_D.clone().split(sizes), rows, strict=True)
            return [
                AnswerStates(state, attention, torch.tensor(row.answer)) for state, attention, row in parts
            ]

    def _forward(self, tokens: list[int], positions: list[int], segments: list) -> tuple:
        if self.arena is None or self.arena.slots < len(tokens):
            self.arena = Arena(max(_STEP, len(tokens)), self.layers, 0, self.device)
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
        slots_T = torch.arange(len(tokens), device=self.device)
        try:
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


def _portions(rows: list[Row]) -> Iterator[list[Row]]:
    """Portions of as many rows as fit into a step, at least one."""
    some, size = [], 0
    for row in rows:
        if some and size + len(row) > _STEP:
            yield some
            some, size = [], 0
        some.append(row)
        size += len(row)
    if some:
        yield some
