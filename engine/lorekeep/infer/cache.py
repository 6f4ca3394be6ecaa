"""KV cache (keys and values) of all running and some finished sequences of one model: one long array of token slots
per layer. Every sequence owns a contiguous range. Prefix caching: prompts of one scope with a common prefix share
its states, whole blocks are copied from the sequence that holds them. Scopes share nothing, since the number of
cached tokens and the speed of a prompt would reveal the questions of another account."""

from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
import torch

# Prompts are computed in pieces bounded by multiples of this. The shape of a piece then depends on its prompt
# alone, so its states are identical bit for bit in any batch, and a copied block equals a computed one.
BLOCK = 64


@dataclass(eq=False)
class Range:
    """Slots [start, start + size) of one sequence. `keys` identify its computed blocks, each by all tokens up
    to its end."""

    start: int
    size: int
    keys: list[bytes] = field(default_factory=list)


class Arena:
    def __init__(self, slots: int, layers: int, scratch: int, device: torch.device):
        self.slots, self.scratch, self.device = slots, scratch, device
        self.free = [
            (scratch, slots - scratch)
        ]  # (start, size), sorted; the first slots take what padding rows write
        self.keys: list[torch.Tensor | None] = [None] * layers  # [slots, kv heads, head dim] each
        self.values: list[torch.Tensor | None] = [None] * layers
        self.owners: dict[bytes, Range] = {}
        self.kept: OrderedDict[int, Range] = (
            OrderedDict()
        )  # ranges of finished sequences by start, least recently used first

    def write(
        self, layer: int, slots_T: torch.Tensor, k_1_G_T_D: torch.Tensor, v_1_G_T_D: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The keys and values of the layer, with these written."""
        keys, values = self.keys[layer], self.values[layer]
        if keys is None or values is None:
            # The operating system allocates the memory as slots are written.
            keys, values = (
                torch.empty((self.slots, x.shape[1], x.shape[3]), dtype=x.dtype, device=self.device)
                for x in (k_1_G_T_D, v_1_G_T_D)
            )
            # Allocates both or neither: memory may run out between the two.
            self.keys[layer], self.values[layer] = keys, values
        keys.index_copy_(0, slots_T, k_1_G_T_D[0].transpose(0, 1))
        values.index_copy_(0, slots_T, v_1_G_T_D[0].transpose(0, 1))
        return keys, values

    def take(self, size: int) -> Range | None:
        """Allocates a range for a new sequence and evicts the least recently used finished ones. None if
        running sequences occupy everything."""
        while True:
            for i, (start, room) in enumerate(self.free):
                if room >= size:
                    self.free[i : i + 1] = [(start + size, room - size)] if room > size else []
                    return Range(start, size)
            if not self.kept:
                return None
            self._release(self.kept.popitem(last=False)[1])

    def share(self, taken: Range, keys: list[bytes], done: int) -> int:
        """Copies blocks after the first `done` tokens that another sequence has computed. Returns the number
        of tokens filled now."""
        while done // BLOCK < len(keys) and (donor := self.owners.get(keys[done // BLOCK])) is not None:
            if donor.start in self.kept:
                self.kept.move_to_end(donor.start)
            for tensor in (*self.keys, *self.values):
                assert tensor is not None  # the donor has written every layer
                tensor[taken.start + done : taken.start + done + BLOCK] = tensor[
                    donor.start + done : donor.start + done + BLOCK
                ]
            done += BLOCK
        return done

    def touch(self, keys: list[bytes]) -> None:
        """Marks the prefix of a new prompt as recently used."""
        for key in keys:
            if (donor := self.owners.get(key)) is None:
                return
            if donor.start in self.kept:
                self.kept.move_to_end(donor.start)

    def name(self, owner: Range, keys: list[bytes]) -> None:
        """Registers the first blocks of a range under their keys."""
        for key in keys[len(owner.keys) :]:
            self.owners.setdefault(key, owner)
        owner.keys = keys

    def keep(self, done: Range) -> None:
        """Ends a sequence: whole blocks of its prompt stay for later prompts, the rest is freed."""
        if not done.keys or self.owners.get(done.keys[-1]) is not done:
            self._release(done)  # nothing to share, or an older range holds the same blocks
            return
        size = len(done.keys) * BLOCK
        self._give(done.start + size, done.size - size)
        done.size = size
        self.kept[done.start] = done

    def clear(self) -> None:
        """Drops all finished sequences."""
        while self.kept:
            self._release(self.kept.popitem()[1])

    def _release(self, owner: Range) -> None:
        for key in owner.keys:
            if self.owners.get(key) is owner:
                del self.owners[key]
        self._give(owner.start, owner.size)

    def _give(self, start: int, size: int) -> None:
        if size <= 0:
            return
        ranges, self.free = sorted([*self.free, (start, size)]), []
        for at, room in ranges:
            if self.free and sum(self.free[-1]) == at:
                self.free[-1] = (self.free[-1][0], self.free[-1][1] + room)
            else:
                self.free.append((at, room))


def block_keys(tokens: list[int], scope: str) -> list[bytes]:
    """Key of each whole block, derived from the scope and all tokens up to its end."""
    keys, name = [], blake2b(scope.encode(), digest_size=16).digest()
    array = np.asarray(tokens, dtype=np.int64)
    for end in range(BLOCK, len(tokens) + 1, BLOCK):
        name = blake2b(name + array[end - BLOCK : end].tobytes(), digest_size=16).digest()
        keys.append(name)
    return keys
