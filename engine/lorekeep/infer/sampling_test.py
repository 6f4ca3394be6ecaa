"""Sampling: the tokens that each setting admits, their frequencies, and reproducibility by seed."""

import numpy as np
import pytest

from lorekeep.infer.sampling import Sampling, choose, log_probabilities, uniform

LOGITS = np.log(np.array([0.5, 0.25, 0.125, 0.125]))


def shares(logits_V: np.ndarray, **how) -> np.ndarray:
    chosen = [choose(logits_V, Sampling(seed=9, **{"temperature": 1.0, **how}), i) for i in range(4000)]
    return np.bincount(chosen, minlength=len(logits_V)) / len(chosen)


@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        ({}, [0.5, 0.25, 0.125, 0.125]),
        ({"top_k": 2}, [2 / 3, 1 / 3, 0, 0]),
        ({"top_p": 0.6}, [2 / 3, 1 / 3, 0, 0]),
        ({"top_p": 0.5}, [1, 0, 0, 0]),
        ({"top_k": 2, "top_p": 0.66}, [1, 0, 0, 0]),
        ({"top_k": 1}, [1, 0, 0, 0]),
        ({"temperature": 0.5}, np.array([0.25, 0.0625, 0.015625, 0.015625]) / 0.34375),
        ({"temperature": 1e-9}, [1, 0, 0, 0]),
    ],
)
def test_token_frequencies_match_the_probabilities(how: dict, wanted):
    assert np.allclose(shares(LOGITS, **how), wanted, atol=0.03)


def test_masked_tokens_are_never_chosen():
    masked = np.array([-np.inf, 0.0, -np.inf, 0.0])
    for how in ({}, {"top_p": 0.99}, {"top_k": 4}):
        assert not shares(masked, **how)[[0, 2]].any()
    assert not any(choose(np.array([0.0, -np.inf]), Sampling(1.0, seed=i), 0) for i in range(500))


def test_candidates_of_a_large_vocabulary_equal_those_of_a_full_sort():
    logits_V = np.random.default_rng(0).normal(0, 0.01, 5000)
    order = np.argsort(-logits_V)
    weights = np.exp(logits_V[order]) / np.exp(logits_V).sum()
    allowed = set(order[: int(np.searchsorted(np.cumsum(weights), 0.5)) + 1].tolist())
    chosen = {choose(logits_V, Sampling(1.0, top_p=0.5, seed=4), i) for i in range(3000)}
    assert chosen <= allowed and len(chosen) > 1000 and 512 < len(allowed) < 3000


def test_a_seed_reproduces_an_answer_and_another_one_differs():
    first, again, other = ([choose(LOGITS, Sampling(1.0, seed=s), i) for i in range(50)] for s in (1, 1, 2))
    assert first == again != other


def test_random_numbers_are_uniform():
    drawn = [uniform(3, i) for i in range(10000)]
    assert min(drawn) >= 0 and max(drawn) < 1
    assert np.allclose(np.histogram(drawn, 10, (0, 1))[0], 1000, atol=120)


def test_greedy_chooses_the_first_of_equal_logits():
    assert choose(np.array([1.0, 3.0, 3.0]), Sampling(), 0) == 1


def test_log_probabilities_sum_to_one():
    assert np.isclose(np.exp(log_probabilities(LOGITS * 7 - 3000)).sum(), 1)
