"""Makes engine/lorekeep/answering/claims/comparisons.safetensors: the low-rank updates by which the embedding model reads a yes-or-no
question and a fact without their measures, and predicts the relation that these must have. Fitted on the yes-or-no questions of
organisations and of handbooks/ except those of the base's exam, and on those of the worlds of written.py except some; a question
is labelled only by how its measures compare and whether the claim is then true. Prints the verdicts on those left out.

    python bench/memory/fit_comparisons.py --start engine/lorekeep/answering/claims/verdicts.safetensors      # 25 minutes on one core"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "engine"), str(HERE)]

import fitting

if __name__ == "__main__":
    # The imports below take seconds; help needs none of them.
    said = fitting.arguments(__doc__, rounds=6, batch=48).parse_args()

import torch
from fit_verdicts import JUDGED, World, as_read
from handbooks import handbooks
from lorekeep.answering.claims.comparisons import FILE, HOLDING, RELATIONS
from lorekeep.answering.claims.measured.comparison import measure_comparison
from lorekeep.answering.claims.verdicts import UNDECIDED, YES
from lorekeep.answering.networks.cross_encoder import CrossEncoder
from lorekeep.routing.embedders.parts import router_parts
from quill.text.organisations import organisations
from quill.text.values import Voice
from written import KEPT, TO_FIT, WORLDS, lines

# Repetitions of the questions of worlds in a round.
WORLD_REPEATS = 2
LABEL_SMOOTHING = 0.02


def labelled(question: str, taught: str, answer: str, is_so: bool) -> list[fitting.Pair]:
    """The texts without their measures, labelled by how these compare and whether the claim is then true."""
    found = measure_comparison(question, taught, answer)
    return [(found.claim, found.fact, 2.0 * found.case + is_so)] if found else []


def of_worlds(names: list[str], embed) -> list[fitting.Pair]:
    pairs = []
    for name in names:
        facts = lines(f"{name}-facts.jsonl")
        for question, label, decided_by, _ in World(name, embed).asked:
            if label != UNDECIDED and len(decided_by) == 1:
                fact = facts[decided_by[0]]
                pairs += labelled(question, fact["input"], fact["output"], label == YES)
    return pairs


def of_organisations(exam: bool) -> list[fitting.Pair]:
    return [
        pair
        for one in [*organisations(exam), *handbooks(exam)]
        for ask in one.asks
        if ask.kind in ("yes", "no") and len(ask.facts) == 1
        for pair in labelled(
            as_read(ask.question),
            one.facts[ask.facts[0]].question,
            one.facts[ask.facts[0]].answer,
            ask.kind == "yes",
        )
    ]


def chances(logits_B_R: torch.Tensor, cases_B: torch.Tensor) -> torch.Tensor:
    """Probabilities that claims are true: the sum over the relations that hold in each case."""
    holding_C_R = torch.zeros(len(HOLDING), RELATIONS)
    for case, relations in HOLDING.items():
        holding_C_R[case, list(relations)] = 1
    holding_B_R = holding_C_R.to(logits_B_R.device)[cases_B]
    return (logits_B_R.softmax(-1) * holding_B_R).sum(-1).clamp(1e-6, 1 - 1e-6)


def loss_of(logits_B_R: torch.Tensor, labels_B: torch.Tensor) -> torch.Tensor:
    labels_B = labels_B.long()
    is_so_B = (labels_B % 2) * (1 - 2 * LABEL_SMOOTHING) + LABEL_SMOOTHING
    return torch.nn.functional.binary_cross_entropy(chances(logits_B_R, labels_B // 2), is_so_B)


@torch.inference_mode()
def show(model: CrossEncoder, name: str, judged: list[fitting.Pair]) -> None:
    """Prints the share of the claims that get a verdict, and how many of these are right, by probability threshold."""
    model.eval()
    parts = [judged[at : at + 64] for at in range(0, len(judged), 64)]
    logits_N_R = torch.cat([model(*model.batch([pair[:2] for pair in part])) for part in parts]).float()
    labels_N = torch.tensor([int(label) for *_, label in judged], device=logits_N_R.device)
    chances_N = chances(logits_N_R, labels_N // 2)
    right_N, sure_N = (chances_N > 0.5) == (labels_N % 2 == 1), (chances_N - 0.5).abs() + 0.5
    for least in (0.5, 0.65, 0.8, 0.9):
        passed_N = sure_N >= least
        right = right_N[passed_N].float().mean()
        print(f"  {name} from {least}: {passed_N.float().mean():.3f}, of these right {right:.3f}", flush=True)


def main() -> None:
    voice = Voice(said.seed)
    embed, _ = router_parts()
    model = fitting.encoder(embed, said, outputs=RELATIONS)
    left_out = (*KEPT, *JUDGED)
    fitted, judged = [
        (of_worlds([name for name in names if (name in left_out) == is_out], embed), of_organisations(is_out))
        for names, is_out in (((*WORLDS, *TO_FIT), False), (JUDGED, True))
    ]

    def draw() -> list[list[fitting.Pair]]:
        worlds, others = fitted
        some = voice.r.sample(others, int(said.share * len(others)))
        return fitting.batches(worlds * WORLD_REPEATS + some, said.batch, voice.r)

    def shown() -> None:
        for name, some in zip(("worlds", "organisations"), judged, strict=True):
            show(model, name, some)

    fitting.fit(model, draw, loss_of, shown, said, FILE)


if __name__ == "__main__":
    main()
