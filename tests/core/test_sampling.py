"""Choosing a token: greedy, temperature, top-k, top-p, and the draw itself."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import sample_token, sampling, sampling_probabilities, sampling_trace, softmax

INF, NAN = np.inf, np.nan


def log(*probabilities):
    return np.log(np.array(probabilities))


# --- what only right sampling does; `code` is the module


def check_greedy(code):
    assert code.greedy_token([[0.0, 2, 1], [-5, -7, -6]]).tolist() == [1, 0]
    assert code.greedy_token([1.0, 3, 3]) == 1


def check_plain_softmax(code):
    logits = np.random.default_rng(0).standard_normal((2, 3, 5))
    assert_allclose(code.sampling_probabilities(logits), softmax(logits), rtol=1e-14)


def check_temperature(code):
    """At temperature T a ratio of probabilities r becomes r ** (1 / T)."""
    probabilities = code.sampling_probabilities(log(0.8, 0.2), temperature=0.5)
    assert_allclose(probabilities, [16 / 17, 1 / 17], rtol=1e-14)
    probabilities = code.sampling_probabilities(log(0.8, 0.2), temperature=2.0)
    assert_allclose(probabilities, [2 / 3, 1 / 3], rtol=1e-14)


def check_top_k(code):
    logits = log(0.1, 0.4, 0.2, 0.3)
    assert_allclose(code.sampling_probabilities(logits, top_k=2), [0, 4 / 7, 0, 3 / 7], rtol=1e-14)
    assert code.sampling_probabilities(logits, top_k=1).tolist() == [0, 1, 0, 0]
    assert_allclose(code.sampling_probabilities(logits, top_k=9), [0.1, 0.4, 0.2, 0.3], rtol=1e-14)


def check_top_k_of_equals(code):
    """Never more than k, and the smaller number first."""
    assert code.sampling_probabilities([1.0, 1.0, 1.0, 0.0], top_k=2).tolist() == [0.5, 0.5, 0, 0]


def check_top_p(code):
    """The token that carries the sum across p belongs to the set; a sum that just reaches it is enough."""
    logits = log(0.1, 0.4, 0.2, 0.3)
    assert code.sampling_probabilities(logits, top_p=0.39).tolist() == [0, 1, 0, 0]
    assert_allclose(code.sampling_probabilities(logits, top_p=0.41), [0, 4 / 7, 0, 3 / 7], rtol=1e-14)
    assert_allclose(code.sampling_probabilities(logits, top_p=0.71), [0, 4 / 9, 2 / 9, 3 / 9], rtol=1e-14)
    assert_allclose(code.sampling_probabilities(logits, top_p=1.0), [0.1, 0.4, 0.2, 0.3], rtol=1e-14)
    assert code.sampling_probabilities([[0.0, 0.0]], top_p=0.5).tolist() == [[1, 0]]


def check_order(code):
    """Temperature before top_p: flattened, p = 0.7 takes in more. top_k before top_p: of what is left."""
    logits = log(0.7, 0.2, 0.1)
    assert code.sampling_probabilities(logits, top_p=0.69).tolist() == [1, 0, 0]
    kept = code.sampling_trace(logits, top_p=0.69, temperature=4.0).kept
    assert kept.tolist() == [True, True, False]
    kept = code.sampling_trace(log(0.5, 0.25, 0.25), top_k=2, top_p=0.6).kept
    assert kept.tolist() == [True, False, False]


def check_rows_are_apart(code):
    logits = np.stack([log(0.1, 0.4, 0.2, 0.3), log(0.97, 0.01, 0.01, 0.01)])
    kept = code.sampling_trace(logits, top_p=0.5, top_k=3).kept
    assert kept.tolist() == [[False, True, False, True], [True, False, False, False]]


def check_hidden_tokens(code):
    probabilities = code.sampling_probabilities([-INF, 0.0, -INF, 0.0], top_k=3, top_p=1.0)
    assert probabilities.tolist() == [0, 0.5, 0, 0.5]


def check_draw_follows_the_probabilities(code):
    """40,000 draws; the deviation of a share is at most 0.0025."""
    probabilities = np.array([0.1, 0.0, 0.6, 0.3])
    drawn = code.sample_token(np.tile(probabilities, (40_000, 1)), np.random.default_rng(0))
    shares = np.bincount(drawn, minlength=4) / 40_000
    assert_allclose(shares, probabilities, atol=0.0125)
    assert shares[1] == 0


def check_draw_at_the_ends(code):
    """A uniform number of 0 and one just below 1, with tokens of probability 0 at both ends."""

    class Fixed:
        def __init__(self, number):
            self.number = number

        def random(self, shape):
            return np.full(shape, self.number)

    probabilities = np.array([0.0, 0.1, 0.2, 0.7, 0.0])
    assert code.sample_token(probabilities, Fixed(0.0)) == 1
    assert code.sample_token(probabilities, Fixed(1 - 2.0**-53)) == 3
    assert code.sample_token(probabilities * (1 - 1e-9), Fixed(1 - 2.0**-53)) == 3


def check_each_row_has_its_own_draw(code):
    drawn = code.sample_token(np.full((3, 100, 2), 0.5), np.random.default_rng(0))
    assert drawn.shape == (3, 100)
    assert len({row.tobytes() for row in drawn}) == 3


def check_seeded(code):
    probabilities = softmax(np.random.default_rng(0).standard_normal((50, 7)))
    first = code.sample_token(probabilities, np.random.default_rng(1))
    assert np.array_equal(first, code.sample_token(probabilities, np.random.default_rng(1)))
    assert not np.array_equal(first, code.sample_token(probabilities, np.random.default_rng(2)))


def test_sampling(check, run_check):
    run_check(check, sampling)


def test_wrong_sampling_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- properties


@given(
    logits=st.lists(st.floats(-9, 9), min_size=1, max_size=8), temperature=st.floats(0.1, 5),
    top_k=st.none() | st.integers(1, 9), top_p=st.none() | st.floats(0.01, 1), seed=st.integers(0, 99),
)  # fmt: skip
def test_what_is_kept_is_the_best_and_sums_to_one(logits, temperature, top_k, top_p, seed):
    trace = sampling_trace(logits, temperature=temperature, top_k=top_k, top_p=top_p)
    assert trace.probabilities.sum() == pytest.approx(1, rel=1e-12)
    assert trace.kept.any()
    assert trace.kept[np.argmax(logits)]
    assert not trace.probabilities[~trace.kept].any()
    if top_k is not None:
        assert trace.kept.sum() <= top_k
    if not trace.kept.all():
        assert trace.scaled[trace.kept].min() >= trace.scaled[~trace.kept].max()
    assert trace.kept[sample_token(trace.probabilities, np.random.default_rng(seed))]


@given(logits=st.lists(st.floats(-9, 9), min_size=1, max_size=8), top_p=st.floats(0.01, 1))
def test_top_p_is_the_smallest_set(logits, top_p):
    """By sorting Python numbers: the set reaches p, and without its last token it does not."""
    kept = sampling_trace(logits, top_p=top_p).kept
    total = math.fsum(math.exp(score) for score in logits)
    inside = sorted((math.exp(s) / total for s, k in zip(logits, kept, strict=True) if k), reverse=True)
    assert math.fsum(inside) >= top_p - 1e-12
    assert math.fsum(inside[:-1]) < top_p + 1e-12


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_dtypes(dtype):
    probabilities = sampling_probabilities(np.arange(5, dtype=dtype), temperature=0.7, top_k=3)
    assert probabilities.dtype == np.result_type(dtype, "f4")
    assert sample_token(probabilities.astype(dtype), np.random.default_rng(0)).shape == ()


# --- edges


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sampling_probabilities([1.0], temperature=0), "temperature must be positive, got 0"),
        (lambda: sampling_probabilities([1.0], temperature=NAN), "temperature must be positive, got nan"),
        (lambda: sampling_probabilities([1.0], top_k=0), "top_k must be positive, got 0"),
        (lambda: sampling_probabilities([1.0], top_p=0), "top_p must lie in 0 < top_p <= 1, got 0"),
        (lambda: sampling_probabilities([1.0], top_p=1.5), "top_p must lie in 0 < top_p <= 1, got 1.5"),
        (lambda: sampling_probabilities(1.0), "logits must have shape (..., vocab_size), got ()"),
        (lambda: sample_token([0.2, 0.2], np.random.default_rng(0)), "probabilities must sum to 1, got 0.4"),
        (lambda: sample_token(sampling_probabilities([NAN, 1.0]), np.random.default_rng(0)),
         "probabilities must sum to 1, got nan"),
        (lambda: sample_token(sampling_probabilities([-INF, -INF]), np.random.default_rng(0)),
         "probabilities must sum to 1, got 0.0"),
    ],
)  # fmt: skip
def test_what_is_refused(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message
