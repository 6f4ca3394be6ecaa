"""Makes engine/lorekeep/answering/networks/cross_encoder.safetensors: the low-rank updates by which the embedding model reads a question
and a fact together. Fitted on the facts of beside.jsonl and pairs.jsonl except some topics, on handbooks/ and organisations except
those of the base's exam, and on the development worlds of written.py except some; prints what passes of those that are left out.
`--start` continues from weights that were fitted before.

    python bench/memory/fit_cross_encoder.py --rounds 3                                             # 50 minutes a round on one core
    python bench/memory/fit_cross_encoder.py --minutes 6 --device cuda --batch 256 --rate 1e-3      # on a GPU"""

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "engine"), str(HERE)]

import fitting

if __name__ == "__main__":
    # The imports below take seconds; help needs none of them.
    parser = fitting.arguments(__doc__)
    parser.add_argument("--judged", type=int, default=2, help="each so manieth organisation is judged by")
    said = parser.parse_args()

import json

import numpy as np
import torch
from asked import left_out, restyled
from fitting import Pair
from handbooks import handbooks
from lorekeep.answering.networks.cross_encoder import (
    FILE,
    CrossEncoder,
    fact_text,
    key_text,
    with_lead_answer,
)
from lorekeep.answering.objects import fields
from lorekeep.answering.objects.key_words import spaced
from lorekeep.routing.embedders.parts import router_parts
from quill.text.organisations import (
    BEHIND,
    UNANSWERED,
    Ask,
    Fact,
    Organisation,
    Retelling,
    organisations,
)
from quill.text.values import Voice
from world_pairs import BEHIND_NEAREST, LED, NEAREST, READ, World, show_worlds
from written import KEPT, TO_FIT, WORLDS

# Share of the organisations of a round that get other names and numbers.
RETOLD_SHARE = 0.5
# Pairs of an ordinary fact in a round, and shares of their kinds: a rewording, a near miss, another fact of the topic, a similar fact of
# another topic.
PAIRS_PER_FACT = 2
SHARES = {"same": 0.42, "near": 0.4, "other": 0.1, "stranger": 0.08}
STRANGER_RANKS = slice(5, 40)
# Minimum share of the pairs of an organisation's hops in a round, and share of the questions that are restyled.
MIN_HOP_SHARE, RESTYLED_SHARE = 0.3, 0.5
# Kinds of questions that only the last of their facts answers.
LAST_FACT_KINDS = ("follow", "hop")
# Facts near a key from which its wrong facts are drawn, how many of them, and share of the topics before a key without a colon.
NEAR_KEY, WRONG_OF_KEY, SPACE_SHARE = 8, 2, 0.3
# The marks of requests for JSON, by message.
MARKS = {
    marks["message"]: marks
    for marks in map(json.loads, (HERE / "fields.jsonl").read_text("utf-8").splitlines())
}


class Ordinary:
    """Facts without names, each with rewordings and near misses."""

    def __init__(self, facts: list[dict], alike_F_S: np.ndarray):
        self.facts, self.topics, self.alike_F_S = facts, {}, alike_F_S
        for at, fact in enumerate(facts):
            self.topics.setdefault(fact["topic"], []).append(at)

    @staticmethod
    def alike(facts: list[dict], embed) -> np.ndarray:
        """Similar facts of each fact."""
        vectors_F_D = embed([fact["input"] for fact in facts])
        return np.stack([np.argsort(-(vectors_F_D @ one))[STRANGER_RANKS] for one in vectors_F_D]).astype(
            np.uint16
        )

    def pairs(self, choose: random.Random) -> Iterator[Pair]:
        for at, fact in enumerate(self.facts):
            text = fact_text(fact["input"], fact["output"])
            for kind in choose.choices(list(SHARES), list(SHARES.values()), k=PAIRS_PER_FACT):
                if kind == "same":
                    asked = choose.choice([fact["input"], *fact["rewordings"]])
                    yield asked, text, 1.0
                elif kind == "near" and fact["near_misses"]:
                    yield choose.choice(fact["near_misses"]), text, 0.0
                else:
                    other = self.facts[self._another(at, kind, choose)]
                    yield choose.choice([other["input"], *other["rewordings"]]), text, 0.0

    def _another(self, at: int, kind: str, choose: random.Random) -> int:
        beside = [other for other in self.topics[self.facts[at]["topic"]] if other != at]
        if beside and kind != "stranger":
            return choose.choice(beside)
        return choose.choice(self.alike_F_S[at].tolist())


class Asked:
    """An organisation's questions, each with the facts ordered by likeness."""

    def __init__(self, one: Organisation, nearest_N_F: np.ndarray):
        self.one, self.nearest_N_F = one, nearest_N_F
        self.asks, self.keys = self._asks(one), self._keys(one)

    @staticmethod
    def _asks(one: Organisation) -> list[Ask]:
        return [ask for ask in one.asks if ask.kind not in ("text", "json")]

    @staticmethod
    def _keys(one: Organisation) -> list[tuple[Ask, int, list[str]]]:
        """The keys of the requests for JSON: the request, the fact of the key, and the texts in which the engine reads the key."""
        found = []
        for ask in (ask for ask in one.asks if ask.kind == "json"):
            keys = tuple(key.strip().strip('"') for key in ask.answer.split(","))
            marks = MARKS.get(ask.question, {"fields": [], "about": []})
            described = {field.get("name"): field.get("asks", "") for field in marks["fields"]}
            about = " ".join(marks["about"]) if described else fields.without_keys(ask.question, keys)
            for key, fact in zip(keys, ask.facts, strict=True):
                said = described.get(key) or spaced(key)
                texts = dict.fromkeys([said, key_text(described.get(key, ""), spaced(key))])
                found.append((ask, fact, [key_text(about, text) for text in texts]))
        return found

    @classmethod
    def nearest(cls, one: Organisation, embed) -> np.ndarray:
        """Indices of the facts, ordered by likeness to each question, and then to each key of a request for JSON."""
        facts_F_D = embed([fact.question for fact in one.facts])
        whole_F_D = embed([fact_text(fact.question, fact.answer) for fact in one.facts])
        asked = [cls._behind(ask, one.facts) + ask.question for ask in cls._asks(one)]
        asked_N_D = embed([*asked, *(texts[0] for *_, texts in cls._keys(one))])
        return np.argsort(-np.maximum(asked_N_D @ facts_F_D.T, asked_N_D @ whole_F_D.T), axis=1).astype(
            np.uint8
        )

    @staticmethod
    def _behind(ask: Ask, facts: list[Fact]) -> str:
        """The question before a follow-up; empty for other questions."""
        return f"{facts[ask.facts[0]].question} " if ask.kind in BEHIND else ""

    def pairs(self, voice: Voice, retold: bool = True) -> Iterator[Pair]:
        anew = Retelling(voice, self.one) if retold else str
        facts = [Fact(anew(fact.question), anew(fact.answer)) for fact in self.one.facts]
        texts = [fact_text(fact.question, fact.answer) for fact in facts]
        for ask, nearest_F in zip(self.asks, self.nearest_N_F.tolist(), strict=False):
            asked = self._behind(ask, facts) + anew(ask.question)
            answer = ask.facts[-1:] if ask.kind in LAST_FACT_KINDS else ask.facts
            if ask.kind in UNANSWERED:
                for fact in {*ask.facts, *voice.r.sample(nearest_F[:NEAREST], 2)}:
                    yield asked, texts[fact], 0.0
                if voice.chance(LED):
                    lead, other = voice.r.sample(nearest_F[:READ], 2)
                    yield with_lead_answer(asked, facts[lead].answer), texts[other], 0.0
                continue
            for fact in answer:
                yield asked, texts[fact], 1.0
            rest = [fact for fact in nearest_F if fact not in answer]
            for some in (rest[:NEAREST], rest[NEAREST:BEHIND_NEAREST]):
                if some:
                    yield asked, texts[voice.r.choice(some)], 0.0
            if ask.kind == "same" and rest and voice.chance(LED):
                # An answered question needs no second fact.
                yield (
                    with_lead_answer(asked, facts[answer[0]].answer),
                    texts[voice.r.choice(rest[:READ])],
                    0.0,
                )
        yield from self.key_pairs(anew, texts, voice)

    def hops(self, voice: Voice) -> Iterator[Pair]:
        for ask, nearest_F in zip(self.asks, self.nearest_N_F.tolist(), strict=False):
            if ask.kind == "hop":
                texts = [fact_text(fact.question, fact.answer) for fact in self.one.facts]
                yield from self._hop(ask.question, ask.facts, nearest_F, self.one.facts, texts, voice)

    @staticmethod
    def _hop(
        asked: str, way: list[int], nearest_F: list[int], facts: list[Fact], texts: list[str], voice: Voice
    ) -> Iterator[Pair]:
        """A question followed by the answer of its first hop, and by other answers."""
        first, last = way
        others = [fact for fact in nearest_F[:BEHIND_NEAREST] if fact not in way]
        led = with_lead_answer(asked, facts[first].answer)
        yield led, texts[last], 1.0
        yield led, texts[first], 0.0
        for other in voice.r.sample(others, min(2, len(others))):
            yield led, texts[other], 0.0
        if others:
            yield with_lead_answer(asked, facts[voice.r.choice(others)].answer), texts[last], 0.0

    def key_pairs(self, anew: Callable[[str], str], texts: list[str], voice: Voice) -> Iterator[Pair]:
        """The keys of requests for JSON, with their facts, facts of other keys, and facts that are near."""
        nearest_K_F = self.nearest_N_F[len(self.asks) :].tolist()
        for (ask, fact, readings), nearest_F in zip(self.keys, nearest_K_F, strict=True):
            wanted = anew(voice.r.choice(readings))
            if voice.chance(SPACE_SHARE):
                wanted = wanted.replace(": ", " ", 1)
            yield wanted, texts[fact], 1.0
            near = [one for one in nearest_F[:NEAR_KEY] if one not in ask.facts]
            others = [one for one in ask.facts if one != fact]
            wrong = [*voice.r.sample(near, min(WRONG_OF_KEY, len(near))), *others]
            for one in wrong[: WRONG_OF_KEY + 1]:
                yield wanted, texts[one], 0.0

    @torch.inference_mode()
    def logits(self, model: CrossEncoder) -> Iterator[tuple[Ask, np.ndarray, list[int]]]:
        """Questions that one fact or none answers, with the logits of the nearest facts and their indices."""
        texts = [fact_text(fact.question, fact.answer) for fact in self.one.facts]
        nearest_N_R = self.nearest_N_F[: len(self.asks), :READ]
        pairs = [
            (self._behind(ask, self.one.facts) + ask.question, texts[fact])
            for ask, nearest_R in zip(self.asks, nearest_N_R, strict=True)
            for fact in nearest_R
        ]
        logits_N_R = model(*model.batch(pairs)).view(nearest_N_R.shape).float().cpu().numpy()
        for ask, logits_R, nearest_R in zip(self.asks, logits_N_R, nearest_N_R.tolist(), strict=True):
            if len(ask.facts) <= 1 or ask.kind in LAST_FACT_KINDS:
                yield ask, logits_R, nearest_R


def loss_of(logits_B: torch.Tensor, answers_B: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.binary_cross_entropy_with_logits(logits_B, answers_B)


def show(model: CrossEncoder, judged: list[Asked]) -> None:
    """Prints the share of questions that find their fact among the nearest, at fixed shares of unanswerable questions that find one."""
    model.eval()
    found: dict[str, list[tuple[float, bool]]] = {}
    lost: list[float] = []
    for asked in judged:
        for ask, logits_N, nearest_N in asked.logits(model):
            best = int(np.argmax(logits_N))
            if ask.kind in UNANSWERED:
                lost.append(float(logits_N[best]))
            else:
                found.setdefault(ask.kind, []).append(
                    (float(logits_N[best]), nearest_N[best] == ask.facts[-1])
                )
    lost.sort(reverse=True)
    for share in (0.02, 0.05, 0.1, 0.2):
        least = lost[int(share * len(lost))]
        passed = {
            kind: np.mean([right and logit > least for logit, right in some]) for kind, some in found.items()
        }
        print(f"  {share} at {least:.2f}:", *(f"{kind} {passed[kind]:.3f}" for kind in passed), flush=True)


def main() -> None:
    def read(name: str) -> list[dict]:
        return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]

    voice = Voice(said.seed)
    embed, _ = router_parts()
    model = fitting.encoder(embed, said)
    out = left_out(read("pairs.jsonl"))
    facts = [fact for fact in read("beside.jsonl") + read("pairs.jsonl") if fact["topic"] not in out]
    fitted, kept = [[*handbooks(exam), *organisations(exam)] for exam in (False, True)]
    ours = len(handbooks(False))
    alike, *nearest = fitting.orders(
        said, lambda: [Ordinary.alike(facts, embed), *(Asked.nearest(one, embed) for one in fitted + kept)]
    )
    ordinary = Ordinary(facts, alike)
    fitted_on, left = [
        [World(name, embed) for name in (*WORLDS, *TO_FIT) if (name in KEPT) == kept]
        for kept in (False, True)
    ]
    asked, judged = [
        [Asked(one, order) for one, order in zip(some, orders, strict=True)]
        for some, orders in ((fitted, nearest[: len(fitted)]), (kept, nearest[len(fitted) :]))
    ]

    def draw() -> list[list[Pair]]:
        of_handbooks, organised = (
            [pair for one in some for pair in one.pairs(voice, retold=voice.chance(RETOLD_SHARE))]
            for some in (asked[:ours], asked[ours:])
        )
        of_worlds = (pair for world in fitted_on for pair in world.pairs(voice.r))
        pairs = [*ordinary.pairs(voice.r), *organised]
        hops = [pair for one in asked for pair in one.hops(voice)]
        if said.share < 1:
            pairs = voice.r.sample(pairs, int(said.share * len(pairs)))
            hops = voice.r.sample(hops, int(max(said.share, MIN_HOP_SHARE) * len(hops)))
        pairs += [*of_handbooks, *hops, *of_worlds]
        # Style must not tell whether a fact answers: near misses were written more formally.
        pairs = [
            (restyled(one, voice.r) if voice.chance(RESTYLED_SHARE) else one, fact, label)
            for one, fact, label in pairs
        ]
        return fitting.batches(pairs, said.batch, voice.r)

    def shown() -> None:
        show(model, judged[:: said.judged])
        show_worlds(model, left)

    fitting.fit(model, draw, loss_of, shown, said, FILE)


if __name__ == "__main__":
    main()
