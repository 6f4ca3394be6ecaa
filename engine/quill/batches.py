"""Converts examples to tensors: tokens, the mask of branches, loss weights, and attention targets.

Row layout: prefix, branch 1, branch 2, ... A branch attends to the prefix and itself, and its positions continue those of the prefix.
"""

import random
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from .circuits import canonical_ids
from .text.template import Example, Span
from .tokenizer import PAD_ID

NEVER = -1e4


@dataclass
class Row:
    ids: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    branch: list[int] = field(default_factory=list)  # 0 for the prefix
    weight: list[float] = field(default_factory=list)  # 1 where the token is to be predicted
    copy_first: list[tuple[int, int]] = field(
        default_factory=list
    )  # (position that predicts, position to copy from)
    copy_next: list[tuple[int, int]] = field(default_factory=list)
    match: list[tuple[int, list[int]]] = field(default_factory=list)  # (position, any of these)
    gather: list[tuple[int, list[int]]] = field(default_factory=list)


class Encoder:
    """Converts examples to rows, with one tokenizer."""

    def __init__(self, tokenizer: Tokenizer, telling: Tensor):
        self.tokenizer = tokenizer
        self.same = canonical_ids(tokenizer)
        self.telling = (telling > 0.2).tolist()

    def row(self, made: Example, targets: bool = True) -> Row:
        """`targets`: adds attention targets."""
        row = Row()
        head = self.tokenizer.encode(made.prefix, add_special_tokens=False)
        n = len(head.ids)
        row.ids, row.places, row.branch, row.weight = (
            list(head.ids),
            list(range(n)),
            [0] * n,
            [0.0] * n,
        )
        for number, branch in enumerate(made.branches, 1):
            base, place = len(row.ids), n
            texts = [t for turn in branch for t in (turn.prompt, turn.answer)]
            offsets = list(head.offsets) if targets else []  # character spans of prefix and branch
            where = list(range(n)) if targets else []
            length = len(made.prefix)
            for i, e in enumerate(self.tokenizer.encode_batch(texts, add_special_tokens=False)):
                start = len(row.ids)
                row.ids += e.ids
                row.places += range(place, place + len(e.ids))
                row.branch += [number] * len(e.ids)
                row.weight += [float(i % 2)] * len(e.ids)
                place += len(e.ids)
                if targets:
                    offsets += [(a + length, b + length) for a, b in e.offsets]
                    where += range(start, len(row.ids))
                length += len(texts[i])
                if i % 2 and targets:
                    self._targets(
                        row,
                        branch[i // 2],
                        offsets,
                        where,
                        start,
                        len(e.ids),
                        made.spans,
                    )
            assert len(row.ids) == base + place - n
        return row

    def _targets(
        self,
        row: Row,
        turn,
        offsets: list[Span],
        where: list[int],
        start: int,
        length: int,
        spans: list[Span],
    ) -> None:
        if not turn.gold:
            return

        def inside(s):
            return _inside(offsets, where, s)

        gold = inside(turn.gold)
        same = self.same
        if len(gold) != length - 1 or any(
            same[row.ids[g]] != same[row.ids[start + i]] for i, g in enumerate(gold)
        ):
            return
        row.copy_first.append((start - 1, gold[0]))
        row.copy_next += [(start + i - 1, g) for i, g in enumerate(gold) if i]
        if not turn.statement or not turn.question:
            return
        told, asked = inside(turn.statement), inside(turn.question)
        value = set(gold)
        shared = {same[row.ids[j]] for j in asked} & {
            same[row.ids[j]] for j in told if j not in value and self.telling[row.ids[j]]
        }
        if len(spans) > 2:  # a word shared by most statements is not informative
            others = [{same[row.ids[j]] for j in inside(s)} for s in spans]
            shared = {z for z in shared if sum(z in o for o in others) <= max(1, len(others) // 2)}
        keys = [j for j in told if same[row.ids[j]] in shared and j not in value]
        if not keys:
            return
        row.gather.append((start - 1, [j for j in asked if same[row.ids[j]] in shared]))
        # A value before its keys is found from the end of the statement, whose bag must then contain it too.
        row.gather.append((told[-1], keys + gold if gold[-1] < keys[0] else keys))
        before = [j for j in keys if j < gold[0]]
        if before:
            row.gather.append((gold[0], before))
        row.match.append((start - 1, [j for j in told if j >= keys[-1]]))


def _inside(offsets: list[Span], where: list[int], span: Span) -> list[int]:
    """Positions of the tokens that touch a span of characters."""
    first = bisect_left(offsets, span[0], key=lambda o: o[1] - 1)
    found = []
    for i in range(first, len(offsets)):
        if offsets[i][0] >= span[1]:
            break
        found.append(where[i])
    return found


@dataclass
class Batch:
    ids: Tensor  # [B, T]
    places: Tensor  # [B, T]
    branch: Tensor  # [B, T] 0 for the prefix, -1 for padding
    weight: Tensor  # [B, T]
    copy_first: Tensor  # [N, 3] row, position, target
    copy_next: Tensor  # [N, 3]
    match: tuple[Tensor, Tensor]  # [N, 2] row, position; [N, T] 0 where allowed, else NEVER
    gather: tuple[Tensor, Tensor]

    @property
    def mask(self) -> Tensor:
        """[B, 1, T, T] to add to scores, made on the batch's device: it is by far the largest part."""
        row, length = self.branch, self.branch.shape[1]
        sees = (row[:, None, :] == row[:, :, None]) | (row[:, None, :] == 0)
        sees &= torch.ones(length, length, dtype=torch.bool, device=row.device).tril()
        return torch.where(sees, 0.0, NEVER)[:, None]

    def packed(self) -> dict[str, Any]:
        """A compact form that is cheap to send to another process."""

        def small(v):
            return v.to(torch.int16).numpy() if v.dtype == torch.long else v.to(torch.float16).numpy()

        return {k: small(v) if isinstance(v, Tensor) else tuple(map(small, v)) for k, v in vars(self).items()}

    @staticmethod
    def unpacked(made: dict[str, Any]) -> "Batch":
        def whole(v: np.ndarray) -> Tensor:
            return torch.from_numpy(v).long() if v.dtype.kind == "i" else torch.from_numpy(v).float()

        fields: dict[str, Any] = {
            k: tuple(map(whole, v)) if isinstance(v, tuple) else whole(v) for k, v in made.items()
        }
        return Batch(**fields)

    def to(self, device: str) -> "Batch":
        def move(v: Any) -> Any:
            return v.to(device) if isinstance(v, Tensor) else tuple(t.to(device) for t in v)

        return Batch(**{k: move(v) for k, v in vars(self).items()})


def collate(rows: list[Row], length: int) -> Batch:
    n = len(rows)
    ids = torch.full((n, length), PAD_ID)
    places, branch = (
        torch.zeros(n, length, dtype=torch.long),
        torch.full((n, length), -1),
    )
    weight = torch.zeros(n, length)
    for i, row in enumerate(rows):
        t = len(row.ids)
        ids[i, :t], places[i, :t] = torch.tensor(row.ids), torch.tensor(row.places)
        branch[i, :t], weight[i, :t] = torch.tensor(row.branch), torch.tensor(row.weight)

    def triples(name: str) -> Tensor:
        found = [(i, *p) for i, r in enumerate(rows) for p in getattr(r, name)]
        return torch.tensor(found, dtype=torch.long).view(-1, 3)

    def sets(name: str) -> tuple[Tensor, Tensor]:
        found = [(i, p, allowed) for i, r in enumerate(rows) for p, allowed in getattr(r, name) if allowed]
        allow = torch.full((len(found), length), NEVER)
        for m, (_, _, allowed) in enumerate(found):
            allow[m, allowed] = 0
        return torch.tensor([(i, p) for i, p, _ in found], dtype=torch.long).view(-1, 2), allow

    return Batch(
        ids,
        places,
        branch,
        weight,
        triples("copy_first"),
        triples("copy_next"),
        sets("match"),
        sets("gather"),
    )


def batches(rows: list[Row], tokens: int, r: random.Random | None) -> list[Batch]:
    """Batches of rows of similar length, about `tokens` cells in each; shuffled by `r`, or else in order of length."""
    order = sorted(rows, key=lambda row: len(row.ids) + (r.random() * 16 if r else 0))
    made, i = [], 0
    while i < len(order):
        j, length = i, 0
        while j < len(order):
            longer = max(length, (len(order[j].ids) + 15) // 16 * 16)
            if j > i and longer * (j - i + 1) > tokens:
                break
            length, j = longer, j + 1
        made.append(collate(order[i:j], length))
        i = j
    if r:
        r.shuffle(made)
    return made
