"""Bounded fair queue of requests that wait for a slot in the batch, served round robin by account. An account with
ten thousand prompts does not delay another account's single prompt."""

from collections import OrderedDict, deque
from collections.abc import Iterator
from itertools import chain
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    def __init__(self):
        self.lines: OrderedDict[str, deque[T]] = OrderedDict()  # one queue per account; the first one is next

    def __len__(self) -> int:
        return sum(map(len, self.lines.values()))

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(self.lines.values())

    def add(self, account: str, item: T) -> None:
        self.lines.setdefault(account, deque()).append(item)

    def next(self) -> T | None:
        """The next item, which stays queued until it is taken."""
        return next(iter(self.lines.values()))[0] if self.lines else None

    def take(self) -> T:
        account, line = next(iter(self.lines.items()))
        item = line.popleft()
        if line:
            self.lines.move_to_end(account)
        else:
            del self.lines[account]
        return item

    def remove(self, item: T) -> bool:
        for account, line in self.lines.items():
            if item in line:
                line.remove(item)
                if not line:
                    del self.lines[account]
                return True
        return False
