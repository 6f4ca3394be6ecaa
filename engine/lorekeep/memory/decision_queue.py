"""Requests to tuned models that wait for their decision. A decision takes milliseconds for a question that was taught word for word,
and as long as many steps of a batch for one that no fact answers. The engine takes decisions in short turns between its steps, so
that streams, finished answers and cancellations wait for one decision at most."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from lorekeep.errors import EngineError
from lorekeep.infer.batch import failure
from lorekeep.infer.fair_queue import FairQueue
from lorekeep.protocol import Generate, cancelled_end

log = logging.getLogger(__name__)
# Decisions shorter than a turn share it, so that their answers share a batch.
TURN_SECONDS = 0.03
# Maximum number of questions that are read in one batch before the first of them is decided.
_MAX_PREFETCHED = 8


class Asked(Protocol):
    queued: int  # number of its requests in the queue

    def prefetch(self, requests: list[Generate]) -> None: ...


@dataclass(eq=False)
class Undecided:
    model: Asked
    request: Generate
    decide: Callable[[], None]
    prefetched: bool = False


class DecisionQueue:
    """Questions that were taught word for word come first, and those that a base has judged meanwhile. Among these and among the others,
    accounts take turns."""

    def __init__(self, emit: Callable[[dict], None]):
        self.emit, self.clock = emit, time.monotonic
        self.first: FairQueue[Undecided] = FairQueue()
        self.others: FairQueue[Undecided] = FairQueue()
        self.resumes = 0.0  # time of the next turn of the others, while steps wait

    def add(self, undecided: Undecided, first: bool) -> None:
        undecided.model.queued += 1
        (self.first if first else self.others).add(undecided.request.account, undecided)

    def cancel(self, id: str) -> bool:
        for queue in (self.first, self.others):
            for undecided in queue:
                if undecided.request.id == id:
                    queue.remove(undecided)
                    undecided.model.queued -= 1
                    self.emit(cancelled_end(id))
                    return True
        return False

    def turn(self, steps_wait: bool) -> None:
        """Takes decisions for a short time. If steps wait, they get as much time as the other decisions have taken before the next of
        these, however many come first."""
        if self.first:
            self._decide_some(self.first)
            steps_wait = True
        begun = self.clock()
        if self.others and (not steps_wait or begun >= self.resumes):
            self._decide_some(self.others)
            ended = self.clock()
            self.resumes = ended + (ended - begun)

    def _decide_some(self, queue: FairQueue[Undecided]) -> None:
        ends = self.clock() + TURN_SECONDS
        self._decide(queue)
        while queue and self.clock() < ends:
            self._decide(queue)

    def _decide(self, queue: FairQueue[Undecided]) -> None:
        undecided = queue.take()
        undecided.model.queued -= 1
        if queue is self.others:
            self._prefetch(undecided)
        try:
            undecided.decide()
        except Exception as error:
            if not isinstance(error, EngineError):
                log.exception("a request could not be decided")
            self.emit(failure(error).answer(undecided.request.id))

    def _prefetch(self, first: Undecided) -> None:
        """Prefetch: computes the vectors for the next questions of the account to the model in one batch. It only saves time: a
        question that fails here is computed again alone."""
        if first.prefetched:
            return
        account = first.request.account
        alike = [
            one
            for one in self.others
            if one.model is first.model and one.request.account == account and not one.prefetched
        ]
        together = [first, *alike[: _MAX_PREFETCHED - 1]]
        if len(together) == 1:
            return
        for one in together:
            one.prefetched = True
        try:
            first.model.prefetch([one.request for one in together])
        except Exception:
            log.exception("questions could not be read together")
