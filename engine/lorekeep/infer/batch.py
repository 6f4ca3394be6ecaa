"""Continuous batching for one model: sequences join and leave a running batch at every step. A step computes the newest token of
every running answer and some pieces of prompts, all in one row of tokens through the unmodified model. If the next tokens of an answer
are expected (speculative decoding), the step computes each of them too, as a separate piece, and accepts those that are then chosen.

Greedy answers are the same alone and in any batch: linear layers give every row the same bits from `rows` rows on (exact.py), each
sequence attends alone (attention.py), prompts are cut at fixed places (cache.py), and a choice is made from one row (sampling.py)."""

import logging
from collections.abc import Callable
from contextlib import nullcontext

import numpy as np
import torch

from lorekeep.errors import EngineError
from lorekeep.infer import attention
from lorekeep.infer.cache import BLOCK, Arena, block_keys
from lorekeep.infer.exact import StepRows
from lorekeep.infer.experts import ExpertHooks
from lorekeep.infer.fair_queue import FairQueue
from lorekeep.infer.gpu.graphs import DecodingGraph
from lorekeep.infer.sequence import Deviation, Sequence
from lorekeep.quantization.linear import Leading

# Maximum number of prompt tokens per step, which bounds the delay of running answers.
PROMPT_TOKENS = 256
# Maximum number of expected tokens per step. Each takes a row of logits, and a copy of its expert.
AHEAD_TOKENS = 64
log = logging.getLogger(__name__)


class Batch:
    def __init__(
        self,
        model,
        arena: Arena,
        rows: StepRows,
        max_batch: int,
        emit: Callable[[dict], None],
        leading: Leading | None = None,
    ):
        self.model, self.arena, self.rows, self.max_batch, self.emit = model, arena, rows, max_batch, emit
        self.leading = leading
        self.waiting: FairQueue[Sequence] = FairQueue()
        self.running: list[Sequence] = []
        self.acting: ExpertHooks | None = None  # set by the first tuned model
        self.ahead, self.prompt_tokens = AHEAD_TOKENS, PROMPT_TOKENS
        if rows.most is not None:
            self.prompt_tokens = max(PROMPT_TOKENS, rows.most - max_batch - AHEAD_TOKENS)
        self.graph = DecodingGraph(model, arena, rows.least) if arena.device.type == "cuda" else None

    @property
    def busy(self) -> bool:
        return bool(self.running) or len(self.waiting) > 0

    def refuse_too_large(self, sequence: Sequence) -> None:
        room = self.arena.slots - self.arena.scratch
        if sequence.size > room:
            raise EngineError(
                "out_of_memory",
                f"{sequence.size} tokens of prompt and answer need more memory than the {room} that there is room for. "
                "Ask for fewer max_tokens, or raise the memory of the engine.",
                tokens=sequence.size,
                room=room,
            )

    def add(self, sequence: Sequence) -> None:
        self.refuse_too_large(sequence)
        sequence.keys = block_keys(sequence.tokens, sequence.scope)[: (len(sequence.tokens) - 1) // BLOCK]
        self.waiting.add(sequence.account, sequence)

    def cancel(self, id: str) -> bool:
        for sequence in self.running:
            if sequence.id == id:
                self._leave(sequence, sequence.end("cancelled"))
                return True
        for sequence in self.waiting:
            if sequence.id == id:
                self.waiting.remove(sequence)
                self.emit(sequence.end("cancelled"))
                return True
        return False

    @torch.inference_mode()
    def step(self) -> None:
        self._admit()
        pieces = self._pieces()
        if pieces:
            self._compute(pieces)

    def _admit(self) -> None:
        while len(self.running) < self.max_batch and (sequence := self.waiting.next()) is not None:
            self.arena.touch(sequence.keys)
            sequence.range = self.arena.take(sequence.size)
            if sequence.range is None:
                return  # waits until a sequence finishes; nothing overtakes it
            self.running.append(self.waiting.take())

    def _pieces(self) -> list[tuple[Sequence, int, int]]:
        """Ranges [begin, end) of tokens that this step computes for each sequence, prompts in order of
        arrival. Expected tokens follow one by one: a piece of one token is computed the same in any step."""
        pieces, room, ahead = [], self.prompt_tokens, self.ahead
        for sequence in self.running:
            if sequence.answering:
                pieces.append((sequence, sequence.done, len(sequence.tokens)))
            else:
                if room <= 0:
                    continue
                shared = self.arena.share(sequence.held, sequence.keys, sequence.done)
                sequence.cached += shared - sequence.done
                sequence.done = begin = shared
                while begin < sequence.prompt and room > 0:
                    end = min(begin + BLOCK, sequence.prompt)
                    pieces.append((sequence, begin, end))
                    room -= end - begin
                    begin = end
                if begin < sequence.prompt:
                    continue
            first = len(sequence.tokens)
            expected = range(first, first + min(ahead, len(sequence.ahead)))
            pieces += [(sequence, at, at + 1) for at in expected]
            ahead -= len(expected)
        return pieces

    def _compute(self, pieces: list[tuple[Sequence, int, int]]) -> None:
        if self.leading is not None:
            # Whole blocks of prompts come first. Whether a piece is a block does not depend on the rest of the step.
            pieces = sorted(pieces, key=lambda piece: not _is_block(*piece))
        try:
            logits_R_V = self._forward(pieces)
        except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
            self._retry_in_parts(pieces, error)
            return
        rows = iter(logits_R_V)
        # Same decision as in `_forward`, before any token is sent.
        steps = [
            (sequence, begin, end, sequence.piece(begin, end), end >= len(sequence.tokens))
            for sequence, begin, end in pieces
        ]
        for sequence, begin, end, tokens, speaks in steps:
            row_V = next(rows) if speaks else None
            if sequence.range is None or sequence.tokens[begin:end] != tokens:
                continue  # cancelled during this step, or another token than the expected one was chosen
            sequence.done = end
            if end <= sequence.prompt:
                self.arena.name(sequence.range, sequence.keys[: end // BLOCK])
            if row_V is not None:
                self._grow(sequence, row_V)

    def _grow(self, sequence: Sequence, logits_V: np.ndarray) -> None:
        try:
            answers = sequence.grow(logits_V)
        except Deviation:
            self._replace(sequence)
            return
        except Exception as error:
            log.exception("choosing tokens failed")
            self._fail(sequence, error)
            return
        for answer in answers[:-1]:
            self.emit(answer)
        if answers and answers[-1]["type"] == "end":
            self._leave(sequence, answers[-1])
        elif answers:
            self.emit(answers[-1])

    def _forward(self, pieces: list[tuple[Sequence, int, int]]):
        tokens, positions, slots, segments, last, acting = [], [], [], [], [], []
        for sequence, begin, end in pieces:
            start = sequence.held.start
            segments.append(attention.Segment(start, len(tokens), end - begin, end))
            tokens += sequence.piece(begin, end)
            positions += range(begin, end)
            slots += range(start + begin, start + end)
            if end >= len(sequence.tokens):
                last.append(len(tokens) - 1)
                if sequence.expert is not None:
                    acting.append((len(tokens) - 1, sequence.expert))
        spare = self.rows.padded(len(tokens)) - len(tokens)
        tokens += [0] * spare
        positions += [0] * spare
        slots += (at % self.arena.scratch for at in range(spare))
        wanted = last + [0] * (self.rows.padded(len(last)) - len(last))
        device = self.arena.device
        if self.acting is not None:
            self.acting.set(acting, device)
        if (
            self.graph is not None
            and len(tokens) == self.graph.rows
            and len(last) == len(segments)
            and all(one.count == 1 for one in segments)
            and not acting
        ):
            keys = [(one.start, one.length) for one in segments]
            logits_1_R_V = self.graph.run(tokens, positions, slots, wanted, keys)
            if logits_1_R_V is not None:
                return logits_1_R_V[0, : len(last)].float().cpu().numpy()
        tokens_T, positions_T, slots_T = torch.tensor([tokens, positions, slots]).to(device)
        blocks = 0 if self.leading is None else BLOCK * sum(_is_block(*piece) for piece in pieces)
        with nullcontext() if self.leading is None else self.leading.set(blocks):
            logits_1_R_V = self.model(
                input_ids=tokens_T[None],
                position_ids=positions_T[None],
                use_cache=False,
                logits_to_keep=torch.tensor(wanted).to(device),
                step=attention.Step(self.arena, slots_T, segments),
            ).logits
        return logits_1_R_V[0, : len(last)].float().cpu().numpy()

    def _retry_in_parts(self, pieces: list[tuple[Sequence, int, int]], error: Exception) -> None:
        """Retries a failed step without expected tokens, then in halves. A sequence that fails alone ends with an error, the others
        continue. Retrying is safe, since a step only writes states at its own positions."""
        if (
            isinstance(error, RuntimeError)
            and not isinstance(error, torch.OutOfMemoryError)
            and "allocate" not in str(error)
        ):
            log.exception("a step failed", exc_info=error)
        if any(begin >= len(sequence.tokens) for sequence, begin, _ in pieces):
            for sequence, _, _ in pieces:
                sequence.expected = []
            self._compute([piece for piece in pieces if piece[1] < len(piece[0].tokens)])
        elif len(pieces) > 1:
            half = len(pieces) // 2
            self._compute(pieces[:half])
            self._compute([piece for piece in pieces[half:] if piece[0].range is not None])
        elif pieces:
            self._fail(pieces[0][0], error)

    def _fail(self, sequence: Sequence, error: Exception) -> None:
        self._leave(sequence, failure(error).answer(sequence.id))

    def _replace(self, sequence: Sequence) -> None:
        """Hands the request to a successor, or ends it with an error."""
        self._end(sequence)
        try:
            assert sequence.unsaid is not None
            sequence.unsaid(sequence.begun)
        except Exception as error:
            if not isinstance(error, EngineError):
                log.exception("a fallback answer to a request failed")
            self.emit(failure(error).answer(sequence.id))

    def _end(self, sequence: Sequence) -> None:
        self.running.remove(sequence)
        self.arena.keep(sequence.held)
        sequence.range = None

    def _leave(self, sequence: Sequence, answer: dict) -> None:
        self._end(sequence)
        if sequence.takes is None or answer["type"] != "end" or answer["finish_reason"] == "cancelled":
            self.emit(answer)
            return
        try:
            sequence.takes(answer)
        except Exception as error:
            log.exception("the receiver of a finished answer failed")
            self.emit(failure(error).answer(sequence.id))


def _is_block(sequence: Sequence, begin: int, end: int) -> bool:
    return end - begin == BLOCK and end <= sequence.prompt


def failure(error: Exception) -> EngineError:
    if isinstance(error, EngineError):
        return error
    memory = isinstance(error, torch.OutOfMemoryError | MemoryError) or "allocate" in str(error)
    return EngineError(
        "out_of_memory" if memory else "internal",
        "There is not enough memory to continue this request, even alone. Shorten the prompt or try again later."
        if memory
        else "The engine could not continue this request; see its log.",
    )
