"""Makes engine/lorekeep/answering/claims/verdicts.safetensors: the low-rank updates by which the embedding model reads a yes-or-no question
and a fact together, and says yes, no, or that the fact does not decide it. Fitted on the facts and questions of handbooks/ except
one in ten, on the yes-or-no questions of organisations except those of the base's exam, and on the worlds of written.py except
some; prints the verdicts on those that are left out.
The weights of the cross-encoder are the best start.

    python bench/memory/fit_verdicts.py --start engine/lorekeep/answering/networks/cross_encoder.safetensors    # 25 minutes on one core"""

import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "engine"), str(HERE)]

import fitting

if __name__ == "__main__":
    # The imports below take seconds; help needs none of them.
    said = fitting.arguments(__doc__, rounds=4, batch=48).parse_args()

import numpy as np
import torch
from handbooks import handbooks
from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.claims.verdicts import FILE, NO, UNDECIDED, YES, claim_of
from lorekeep.answering.networks.cross_encoder import CrossEncoder, cross_encoder, fact_text
from lorekeep.answering.reading.request import read
from lorekeep.routing.embedders.parts import router_parts
from quill.text.organisations import Ask, Organisation, Retelling, organisations
from quill.text.values import Voice
from written import KEPT, TO_FIT, WORLDS, lines

# Share of the organisations of a round that get other names and numbers, and of the questions that are also paired with another fact.
RETOLD_SHARE, OTHER_FACT_SHARE = 0.5, 0.9
# Nearest facts that the other facts are drawn from.
NEAREST = 6
LABEL_SMOOTHING = 0.02
# Labelled worlds by which verdicts are judged, share of the open questions that are drawn, and the prefix of their kind.
JUDGED = (
    "allergyclinic", "alpinists", "bellfoundry", "bikerepair", "bloodlab", "bookfair", "busdrivers", "carwash", "castles",
    "childrensparty", "circuits", "cloudfirms",
)  # fmt: skip
OPEN_SHARE, OPEN_PREFIX = 0.3, "reworded"
# Minimum logit of the cross-encoder from which the nearest fact of a world decides a question, and repetitions of worlds in a round.
MIN_DECIDING_LOGIT, WORLD_REPEATS = 1.0, 3


def as_read(question: str) -> str:
    """A question as the engine hands it to the network: without a tag, and without a request for yes or no."""
    return claim_of(read(question, []).asked)


class Claims:
    """An organisation's yes-or-no questions, each with the facts ordered by likeness."""

    def __init__(self, one: Organisation, near_N_R: np.ndarray):
        self.one, self.asks, self.near_N = one, self._asks(one), near_N_R.tolist()

    @staticmethod
    def _asks(one: Organisation) -> list[Ask]:
        return [
            ask
            for ask in one.asks
            if ask.kind in ("yes", "no") or (ask.kind == "none" and is_closed(ask.question))
        ]

    @classmethod
    def near(cls, one: Organisation, embed) -> np.ndarray:
        """Indices of the nearest facts of each question."""
        asks = cls._asks(one)
        if not asks:
            return np.empty((0, NEAREST), np.uint8)
        facts_F_D = embed([fact_text(fact.question, fact.answer) for fact in one.facts])
        asked_N_D = embed([ask.question for ask in asks])
        return np.argsort(-(asked_N_D @ facts_F_D.T), axis=1)[:, :NEAREST].astype(np.uint8)

    def pairs(self, voice: Voice, retold: bool) -> Iterator[fitting.Pair]:
        anew = Retelling(voice, self.one)
        texts_of = {
            told: [fact_text(told(fact.question), told(fact.answer)) for fact in self.one.facts]
            for told in ((anew, str) if retold else (str,))
        }
        for ask, near in zip(self.asks, self.near_N, strict=True):
            told = anew if retold and anew.holds(ask) else str
            texts = texts_of[told]
            question = told(ask.question)
            others = [fact for fact in near if fact not in ask.facts]
            if ask.kind != "none":
                says = " ".join(texts[fact] for fact in ask.facts)
                yield question, says, YES if ask.kind == "yes" else NO
            if others and (ask.kind == "none" or voice.chance(OTHER_FACT_SHARE)):
                yield question, texts[voice.r.choice(others[: NEAREST // 2])], UNDECIDED


class World:
    """The yes-or-no questions of one of the worlds of written.py, each with its fact, or the one that the cross-encoder gives it, and
    those that no fact decides."""

    def __init__(self, name: str, embed):
        facts = lines(f"{name}-facts.jsonl")
        self.texts = [fact_text(fact["input"], fact["output"]) for fact in facts]
        facts_F_D, encoder = embed(self.texts), cross_encoder(embed)
        self.asked: list[tuple[str, int, list[int], list[int]]] = []
        self.open: list[fitting.Pair] = []
        for one in lines(f"{name}-questions.jsonl"):
            question, is_claim = as_read(one["turns"][-1]), one["kind"] == "yes_no"
            if len(one["turns"]) > 1:
                continue
            if one["kind"].startswith(OPEN_PREFIX) and "facts" in one and not is_closed(one["turns"][-1]):
                self.open += [(question, self.texts[fact], UNDECIDED) for fact in one["facts"]]
            if not (is_claim or (one["refuse"] and is_closed(one["turns"][-1]))):
                continue
            near = np.argsort(-(facts_F_D @ embed([question])[0]))[:NEAREST].tolist()
            if not is_claim:
                self.asked.append((question, UNDECIDED, [], near))
                continue
            label = YES if any(word.lower().startswith("yes") for word in one["accept"][0]) else NO
            if decided_by := one.get("facts", []):
                others = [fact for fact in near if fact not in decided_by]
            else:
                logits_R = encoder.logits([(question, self.texts[fact]) for fact in near])
                best = int(np.argmax(logits_R))
                decided_by = [near[best]] if logits_R[best] >= MIN_DECIDING_LOGIT else []
                others = [fact for fact, logit in zip(near, logits_R, strict=True) if logit < 0]
            if decided_by:
                self.asked.append((question, label, decided_by, others))

    def pairs(self, voice: Voice, beside: float = OTHER_FACT_SHARE) -> Iterator[fitting.Pair]:
        for question, label, decided_by, others in self.asked:
            if decided_by:
                yield question, " ".join(self.texts[fact] for fact in decided_by), label
            if others and (label == UNDECIDED or voice.chance(beside)):
                yield question, self.texts[voice.r.choice(others[: NEAREST // 2])], UNDECIDED
        yield from (pair for pair in self.open if voice.chance(OPEN_SHARE))


def loss_of(logits_B_3: torch.Tensor, labels_B: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.cross_entropy(logits_B_3, labels_B.long(), label_smoothing=LABEL_SMOOTHING)


@torch.inference_mode()
def show(model: CrossEncoder, judged: list[fitting.Pair]) -> None:
    """Prints the shares of the questions with a verdict, a right and a wrong one, by probability threshold."""
    model.eval()
    parts = [judged[at : at + 64] for at in range(0, len(judged), 64)]
    chances_N_3 = torch.cat(
        [model(*model.batch([(asked, fact) for asked, fact, _ in part])).softmax(-1) for part in parts]
    ).cpu()
    labels_N = torch.tensor([label for *_, label in judged])
    decided_N = labels_N != UNDECIDED
    best_N, said_N = chances_N_3[:, :UNDECIDED].max(-1)
    for least in (0.5, 0.6, 0.7, 0.8, 0.9):
        passed_N = best_N >= least
        right = (passed_N & (said_N == labels_N))[decided_N].float().mean()
        wrong = (passed_N & (said_N != labels_N))[decided_N].float().mean()
        other = passed_N[~decided_N].float().mean()
        print(f"  from {least}: right {right:.3f}, wrong {wrong:.3f}; of undecided {other:.3f}", flush=True)


def main() -> None:
    voice = Voice(said.seed)
    embed, _ = router_parts()
    model = fitting.encoder(embed, said, outputs=3)
    fitted, kept = [[*handbooks(exam), *organisations(exam)] for exam in (False, True)]
    ours = len(handbooks(False))
    orders = fitting.orders(said, lambda: [Claims.near(one, embed) for one in fitted + kept])
    asked, judges = [
        [Claims(one, order) for one, order in zip(some, some_orders, strict=True)]
        for some, some_orders in ((fitted, orders[: len(fitted)]), (kept, orders[len(fitted) :]))
    ]
    worlds, kept_worlds = [
        [World(name, embed) for name in (*WORLDS, *TO_FIT) if (name in (*KEPT, *JUDGED)) == is_kept]
        for is_kept in (False, True)
    ]
    judged = [pair for one in judges for pair in one.pairs(voice, retold=False)]
    of_worlds = [pair for world in kept_worlds for pair in world.pairs(voice)]

    def draw() -> list[list[fitting.Pair]]:
        pairs, others = (
            [pair for one in some for pair in one.pairs(voice, retold=voice.chance(RETOLD_SHARE))]
            for some in (asked[:ours], asked[ours:])
        )
        pairs += voice.r.sample(others, int(said.share * len(others)))
        pairs += [pair for world in worlds * WORLD_REPEATS for pair in world.pairs(voice)]
        return fitting.batches(pairs, said.batch, voice.r)

    def shown() -> None:
        show(model, judged)
        print("  worlds:", flush=True)
        show(model, of_worlds)

    fitting.fit(model, draw, loss_of, shown, said, FILE)


if __name__ == "__main__":
    main()
