"""Token matcher: padding does not change its logits, and unreadable tokens contribute nothing."""

import numpy as np
import pytest
import torch

from lorekeep.routing import token_match
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.routing.token_match import TokenMatcher
from lorekeep.testing import present

ASKED = ["Where can visitors park?", "Which spots may guests leave their car in, and for how long?", "?"]


@pytest.fixture(scope="module")
def read():
    return present(router_parts()[0]).read


def test_padding_does_not_change_the_logits(read):
    torch.manual_seed(0)
    made = TokenMatcher().eval()
    tokens = [torch.tensor(read(text).tokens_T_P) for text in ASKED]
    longest = max(map(len, tokens))
    rows = torch.stack(
        [torch.nn.functional.pad(one, (0, 0, 0, longest - len(one)), value=7) for one in tokens]
    )
    there = torch.tensor([[i < len(one) for i in range(longest)] for one in tokens])
    alike = torch.tensor([0.9, 0.5, 0.1])
    together = made(rows, there, rows.roll(1, 0), there.roll(1, 0), alike)
    for i in range(3):
        a, b = tokens[i][None], tokens[i - 1][None]
        all_a, all_b = (torch.ones(one.shape[:2], dtype=torch.bool) for one in (a, b))
        assert torch.allclose(made(a, all_a, b, all_b, alike[i : i + 1]), together[i : i + 1], atol=1e-4)


def test_each_token_has_a_unit_vector_up_to_a_maximum_number(read):
    tokens = read(ASKED[0]).tokens_T_P  # where, can, visitors, park and the mark at the end
    assert tokens.shape == (5, token_match.MEANING + token_match.LIKE)
    assert np.allclose(np.linalg.norm(tokens, axis=1), 1, atol=1e-5)
    assert len(read("which " * 200).tokens_T_P) == token_match.MAX_TOKENS


@pytest.mark.parametrize(("layers", "width"), [(token_match.OF, 768), (13, token_match.WIDTH)])
def test_other_embedding_models_have_no_token_vectors_and_neutral_logits(read, layers, width):
    none = token_match.tokens([torch.ones(6, width)] * layers)
    assert none.shape == token_match.NONE.shape
    known = read(ASKED[0]).tokens_T_P
    assert token_match.match_logits(none, [known], [0.9]) == 0
    nothing, something = token_match.match_logits(known, [none, known], [0.9, 1.0])
    assert nothing == 0 != something


def test_a_rewording_scores_higher_than_a_near_miss(read):
    def says(a, b):
        return token_match.match_logits(
            read(a).tokens_T_P, [read(b).tokens_T_P], [float(read(a).vector_D @ read(b).vector_D)]
        )[0]

    taught = "How much is the yearly fee for juniors?"
    for same in ("What do young members pay per year?", "Annual price for under-18s?"):
        for other in ("How much is the yearly fee for seniors?", "How much is the monthly fee for juniors?"):
            assert says(same, taught) > says(other, taught), (same, other)
