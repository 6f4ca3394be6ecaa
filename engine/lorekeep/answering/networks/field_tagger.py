"""Field tagger: marks the words of a message that name the keys of a JSON object, describe or give their values, or name its items or
its subject. It is the default embedding model with low-rank updates; bench/memory/fit_field_tagger.py fits them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

import torch
from torch import nn

from lorekeep.answering.networks import low_rank
from lorekeep.answering.networks.low_rank import RANK, LowRank
from lorekeep.routing.vectors import Vectors

FILE = Path(__file__).parent / "field_tagger.safetensors"
KINDS = ("name", "asks", "item", "about", "given")
# The first tag is for words outside spans. Each kind has one tag for the first word of a span, and one for its further words.
OUTSIDE, TAGS = 0, 1 + 2 * len(KINDS)
# Separator between earlier questions and the message.
BEHIND = " > "
# Width of the head, and maximum tokens of the earlier questions and of the message.
_HEAD_WIDTH = 128
MAX_BEFORE, MAX_MESSAGE = 64, 160
_WORD = re.compile(r"[\w'’&-]+|[^\w\s]")
# Separator between two items of a list.
_LIST_SEPARATOR = re.compile(
    r"[\s\"'“”]*(?:,|\+|&|/|\band\b|\bplus\b)(?:[\s,\"'“”]|\band\b|\bplus\b|\bthe\b)*", re.IGNORECASE
)
# An article with a span of its own, and the words between two parts of one description: "the launch year", "minimum age for drivers".
_ARTICLE = re.compile(r"(?:the|an?|our|your|its)", re.IGNORECASE)
_DESCRIPTION_LINK = re.compile(r"\s+(?:(?:for|of|in|on|at|per)\s+(?:the\s+)?)?", re.IGNORECASE)
_EDGES = " \"'“”‘’`.,:;?!()[]{}<>"


class Span(NamedTuple):
    start: int  # in the joined text of the earlier questions and the message
    end: int
    kind: str


@dataclass(frozen=True)
class Field:
    name: str  # of the key; empty where the message names none
    asks: str  # the description of its value; empty where the name suffices
    given: str = ""  # its value, where the message gives it


@dataclass(frozen=True)
class Marked:
    fields: tuple[Field, ...]
    items: tuple[str, ...]  # for each of which the same fields are wanted
    about: str


class Row(NamedTuple):
    """The tokens of a message after those of the earlier questions."""

    ids: list[int]
    sides: list[int]
    places: list[tuple[int, int]]  # of the tokens in the joined text


class FieldTagger(LowRank):
    def __init__(self, bert: Any, tokenizer: Any, rank: int = RANK):
        super().__init__(bert, tokenizer, rank)
        self.head = nn.Sequential(
            nn.Linear(self.width, _HEAD_WIDTH), nn.SiLU(), nn.Dropout(0.1), nn.Linear(_HEAD_WIDTH, TAGS)
        )

    def forward(self, ids_B_T: torch.Tensor, there_B_T: torch.Tensor, side_B_T: torch.Tensor) -> torch.Tensor:
        return self.head(self.states(ids_B_T, there_B_T, side_B_T).float())

    @torch.inference_mode()
    def spans(self, before: str, message: str) -> list[Span]:
        row = row_of(self.tokenizer, before, message)
        ids_1_T, sides_1_T = torch.tensor([row.ids]), torch.tensor([row.sides])
        tags_T = self(ids_1_T, torch.ones_like(ids_1_T, dtype=torch.bool), sides_1_T)[0].argmax(-1).tolist()
        return spans_of(tags_T, row, joined(before, message))

    def marked(self, before: str, message: str) -> Marked:
        return marked_of(self.spans(before, message), joined(before, message))


def joined(before: str, message: str) -> str:
    return f"{before}{BEHIND}{message}" if before else message


def row_of(tokenizer: Any, before: str, message: str) -> Row:
    encode = partial(tokenizer.backend_tokenizer.encode, add_special_tokens=False)
    start = len(joined(before, "")) if before else 0
    earlier, own = encode(before), encode(message)
    skipped = max(0, len(earlier.ids) - MAX_BEFORE)
    ids, places = earlier.ids[skipped:], earlier.offsets[skipped:]
    first = [tokenizer.cls_token_id, *ids, tokenizer.sep_token_id]
    further = own.ids[:MAX_MESSAGE]
    return Row(
        [*first, *further],
        [0] * len(first) + [1] * len(further),
        [
            (0, 0),
            *places,
            (0, 0),
            *((begin + start, end + start) for begin, end in own.offsets[:MAX_MESSAGE]),
        ],
    )


def spans_of(tags: Iterable[int], row: Row, text: str) -> list[Span]:
    """The spans of whole words: the tag of a word is that of its first token."""
    words = {at: found.span() for found in _WORD.finditer(text) for at in range(*found.span())}
    found: list[Span] = []
    last = (-1, -1)
    is_inside = False
    for tag, (begin, end) in zip(tags, row.places, strict=True):
        word = words.get(begin, (begin, end))
        if begin == end or word == last:
            continue
        last = word
        kind, is_first = (KINDS[(tag - 1) // 2], tag % 2 == 1) if tag != OUTSIDE else ("", False)
        if kind and is_inside and not is_first and found[-1].kind == kind:
            found[-1] = found[-1]._replace(end=word[1])
        elif kind:
            found.append(Span(*word, kind))
        is_inside = bool(kind)
    return found


def marked_of(spans: list[Span], text: str) -> Marked:
    said = [
        (span, words) for span in _merged(spans, text) if (words := text[span.start : span.end].strip(_EDGES))
    ]
    given = {
        before: words
        for (before, _), (span, words) in pairwise(said)
        if span.kind == "given" and before.kind == "name"
    }
    pairs = _key_pairs([one for one in said if one[0].kind in ("name", "asks")], text)
    fields = [
        Field(name[1] if name else "", ask[1] if ask else "", given.get(name[0], "") if name else "")
        for name, ask in pairs
    ]
    items, about = ([words for span, words in said if span.kind == kind] for kind in ("item", "about"))
    return Marked(tuple(fields), tuple(items), " ".join(about))


def _merged(spans: list[Span], text: str) -> list[Span]:
    """Spans, with those of one description merged."""
    made: list[Span] = []
    for span in spans:
        last = made[-1] if made else None
        if last and last.kind == span.kind and _is_same_description(last, span, text):
            made[-1] = last._replace(end=span.end)
        else:
            made.append(span)
    return made


def _is_same_description(last: Span, span: Span, text: str) -> bool:
    if _ARTICLE.fullmatch(text, last.start, last.end) and not text[last.end : span.start].strip():
        return True
    return span.kind == "asks" and _DESCRIPTION_LINK.fullmatch(text, last.end, span.start) is not None


_SpanText = tuple[Span, str]


def _key_pairs(said: list[_SpanText], text: str) -> list[tuple[_SpanText | None, _SpanText | None]]:
    """The names of keys, each with the description of its value: in turns where they alternate, in text order where there are as many
    of both, the nearest otherwise. Elements of one list are a key each: "start, duration, fee"."""
    names, asks = ([one for one in said if one[0].kind == kind] for kind in ("name", "asks"))
    turns = list(zip(said[::2], said[1::2], strict=False))
    if len(names) == len(asks) and all(
        (one in names) == (said[0] in names)
        and other[0].kind != one[0].kind
        and not _is_listed(one, other, text)
        for one, other in turns
    ):
        return [(one, other) if one in names else (other, one) for one, other in turns]
    in_one_list = any(
        one[0].kind != other[0].kind and _is_listed(one, other, text) for one, other in pairwise(said)
    )
    if in_one_list or not names or not asks:
        return [(one, None) if one[0].kind == "name" else (None, one) for one in said]
    if len(names) == len(asks):
        return list(zip(names, asks, strict=True))

    def apart(one: _SpanText, other: _SpanText) -> int:
        return max(one[0].start - other[0].end, other[0].start - one[0].end)

    if len(names) > len(asks):
        of_name = {min(names, key=lambda name: apart(name, ask)): ask for ask in asks}
        return [(name, of_name.get(name)) for name in names]
    of_ask = {min(asks, key=lambda ask: apart(name, ask)): name for name in names}
    return [(of_ask.get(ask), ask) for ask in asks]


def _is_listed(one: _SpanText, other: _SpanText, text: str) -> bool:
    return _LIST_SEPARATOR.fullmatch(text, one[0].end, other[0].start) is not None


def field_tagger(vectors: Vectors | None, file: Path = FILE) -> FieldTagger | None:
    """The network with the weights of a file, if facts are embedded with the default model."""
    return cast(FieldTagger | None, low_rank.load(vectors, file, _from_weights))


def _from_weights(bert: Any, tokenizer: Any, weights: dict[str, torch.Tensor]) -> FieldTagger:
    return FieldTagger(bert, tokenizer, low_rank.rank_of(weights))
