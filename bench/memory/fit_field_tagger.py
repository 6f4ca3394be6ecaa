"""Makes engine/lorekeep/answering/networks/field_tagger.safetensors: the low-rank updates by which the embedding model marks the keys of
an object, and the values requested for them, in the words of a message. Fitted on the messages of fields.jsonl except those of some
worlds of written.py; prints for how many of these every mark is right.

    python bench/memory/fit_field_tagger.py --minutes 25 --batch 24 --rate 1e-3    # on one core"""

import random
import sys
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "engine"), str(HERE)]

import fitting

if __name__ == "__main__":
    # The imports below take seconds; help needs none of them.
    said = fitting.arguments(__doc__, rounds=12, batch=24).parse_args()

import json
import re

import torch
from lorekeep.answering.networks.field_tagger import (
    BEHIND,
    FILE,
    KINDS,
    OUTSIDE,
    FieldTagger,
    Span,
    row_of,
)
from lorekeep.routing.embedders.parts import router_parts

# Worlds that are held out of the fit to judge it.
HELD_OUT_WORLDS = (
    "allotments", "bands", "boardgame", "carrental", "cinemas", "circuses", "college", "coworkspace2", "devices", "excavations",
    "galleries", "ghosttours", "hikingboots", "marina", "movers", "nursinghome", "optician", "perfumers", "railcards", "saas", "scooters",
    "swimclub", "tearooms", "veterinary", "violins", "warehouse",
)  # fmt: skip
# Share of the messages of a round whose marked words are replaced, probability of replacement by kind of mark, and share of messages in
# lower case.
REPLACED, REPLACE_RATES = 0.6, {"name": 0.35, "asks": 0.3, "item": 0.4, "about": 0.5, "given": 0.3}
LOWERED = 0.1
NO_LABEL = -100
# Articles and punctuation that do not distinguish marks.
_IGNORED_PATTERN = re.compile(
    r"^(?:the|an?|our|your) |^[\s\"'`.,:;?!()\[\]{}<>]+|[\s\"'`.,:;?!()\[\]{}<>]+$", re.IGNORECASE
)


class Message(NamedTuple):
    text: str  # with the preceding question
    spans: list[Span]
    world: str

    @property
    def turns(self) -> tuple[str, str]:
        before, _, message = self.text.rpartition(BEHIND)
        return before, message


def located(marks: dict[str, Any]) -> Message:
    """Locates marked words: in the message itself if they occur there, in the order of the marks of their kind."""
    text = marks["message"]
    start = text.rfind(BEHIND) + len(BEHIND) if BEHIND in text else 0
    taken: list[Span] = []

    def find(words: str, kind: str, begin: int = 0) -> int:
        whole = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")
        for form in (whole, re.compile(re.escape(words))):
            for first, last in ((max(start, begin), len(text)), (start, len(text)), (0, start)):
                for found in form.finditer(text, first, last):
                    if all(found.end() <= one.start or found.start() >= one.end for one in taken):
                        taken.append(Span(*found.span(), kind))
                        return found.end()
        return begin

    for kind in ("asks", "name"):
        at = 0
        for field in marks["fields"]:
            if field.get(kind):
                at = find(field[kind], kind, at)
            if kind == "name" and field.get("given"):
                find(field["given"], "given", at)
    at = 0
    for words in marks["items"]:
        at = find(words, "item", at)
    for words in marks["about"]:
        find(words, "about")
    return Message(text, sorted(taken), marks.get("world", ""))


def with_others(message: Message, pool: dict[str, list[str]], choose: random.Random) -> Message:
    """A message with some marked words replaced by those of other messages."""
    text, spans, at = "", [], 0
    for span in message.spans:
        text += message.text[at : span.start]
        words = message.text[span.start : span.end]
        words = choose.choice(pool[span.kind]) if choose.random() < REPLACE_RATES[span.kind] else words
        spans.append(Span(len(text), len(text) + len(words), span.kind))
        text += words
        at = span.end
    return message._replace(text=text + message.text[at:], spans=spans)


def labels_of(message: Message, places: list[tuple[int, int]]) -> list[int]:
    labels = [OUTSIDE] * len(places)
    for span in message.spans:
        inside = [
            at
            for at, (begin, end) in enumerate(places)
            if end > begin and begin < span.end and end > span.start
        ]
        for at in inside:
            labels[at] = 1 + 2 * KINDS.index(span.kind) + (at != inside[0])
    return labels


def tensors(model: FieldTagger, batch: list[Message]) -> tuple[torch.Tensor, ...]:
    """Ids, mask, sides and labels of messages, padded to the longest."""
    rows = [row_of(model.tokenizer, *message.turns) for message in batch]
    labels = [labels_of(message, row.places) for message, row in zip(batch, rows, strict=True)]

    def padded(some: list[list[int]], value: int = 0) -> torch.Tensor:
        return torch.nn.utils.rnn.pad_sequence([torch.tensor(one) for one in some], True, value)

    there = padded([[1] * len(row.ids) for row in rows]).bool()
    return (
        padded([row.ids for row in rows]),
        there,
        padded([row.sides for row in rows]),
        padded(labels, NO_LABEL),
    )


def loss_of(logits_B_T_L: torch.Tensor, labels_B_T: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.cross_entropy(
        logits_B_T_L.flatten(0, 1), labels_B_T.flatten(), ignore_index=NO_LABEL
    )


def bare(message: Message, spans: list[Span], kinds: tuple[str, ...]) -> list[tuple[str, str]]:
    return [
        (span.kind, _IGNORED_PATTERN.sub("", message.text[span.start : span.end]).lower())
        for span in spans
        if span.kind in kinds
    ]


def show(model: FieldTagger, judged: list[Message]) -> None:
    """Prints the shares of messages with every mark right, and with every key, description and item right."""
    model.eval()
    found = [(message, model.spans(*message.turns)) for message in judged]
    for kinds in (KINDS, ("name", "asks", "item")):
        exact = [
            bare(message, spans, kinds) == bare(message, message.spans, kinds) for message, spans in found
        ]
        print(f"  {', '.join(kinds)}: {sum(exact) / len(exact):.3f} of {len(exact)}", flush=True)


def main() -> None:
    messages = [located(json.loads(line)) for line in (HERE / "fields.jsonl").read_text("utf-8").splitlines()]
    judged = [message for message in messages if message.world in HELD_OUT_WORLDS]
    fitted = [message for message in messages if message.world not in HELD_OUT_WORLDS]
    pool: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for message in fitted:
        for span in message.spans:
            pool[span.kind].append(message.text[span.start : span.end])
    choose = random.Random(said.seed)
    model = fitting.network(router_parts()[0], said, FieldTagger)

    def draw() -> list[list[Message]]:
        drawn = [with_others(one, pool, choose) if choose.random() < REPLACED else one for one in fitted]
        drawn = [one._replace(text=one.text.lower()) if choose.random() < LOWERED else one for one in drawn]
        drawn.sort(key=lambda one: len(one.text) // 20 + choose.random())
        made = [drawn[at : at + said.batch] for at in range(0, len(drawn), said.batch)]
        choose.shuffle(made)
        return made

    fitting.fit(model, draw, loss_of, lambda: show(model, judged), said, FILE, tensors)


if __name__ == "__main__":
    main()
