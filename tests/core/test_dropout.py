"""Inverted dropout: what is dropped, how the rest grows, and that inference needs nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import apply_dropout, dropout, dropout_factors, inverted_dropout

INF = np.inf


def generator(seed=0):
    return np.random.default_rng(seed)


# --- what only a right dropout does; `code` is the module


def check_two_values(code):
    factors = code.dropout_factors(generator(), (3, 5, 7), 0.2)
    assert factors.shape == (3, 5, 7)
    assert set(factors.ravel()) == {0.0, 1.25}


def check_share_and_mean(code):
    """100,000 draws at 0.3: the share dropped has deviation 0.0014; the mean factor 0.0021."""
    factors = code.dropout_factors(generator(), (100_000,), 0.3)
    assert (factors == 0).mean() == pytest.approx(0.3, abs=0.007)
    assert factors.mean() == pytest.approx(1, abs=0.01)


def check_entries_drop_apart(code):
    """Neither whole rows nor whole columns."""
    kept = code.dropout_factors(generator(), (50, 60), 0.5) > 0
    assert kept.sum(axis=0).min() > 0
    assert kept.sum(axis=0).max() < 50
    assert kept.sum(axis=1).min() > 0
    assert kept.sum(axis=1).max() < 60


def check_apply(code):
    factors = np.array([0.0, 2.0, 0.0, 2.0])
    assert code.apply_dropout([3.0, 4.0, INF, -5.0], factors).tolist() == [0, 8, 0, -10]


def check_dtype(code):
    for dtype in ("f2", "f4", "f8"):
        output = code.inverted_dropout(np.ones(9, dtype), 0.5, generator())
        assert output.dtype == dtype
        assert set(output.tolist()) == {0.0, 2.0}


def check_generator_decides(code):
    x = np.arange(1.0, 50.0)
    first = code.inverted_dropout(x, 0.5, generator(1))
    assert np.array_equal(first, code.inverted_dropout(x, 0.5, generator(1)))
    assert not np.array_equal(first, code.inverted_dropout(x, 0.5, generator(2)))


def check_rate_zero(code):
    x = np.arange(6.0)
    assert np.array_equal(code.inverted_dropout(x, 0.0, generator()), x)


def check_input_untouched(code):
    x = np.ones(20)
    code.inverted_dropout(x, 0.5, generator())
    assert (x == 1).all()


def test_dropout(check, run_check):
    run_check(check, dropout)


def test_wrong_dropout_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


@given(shape=st.lists(st.integers(0, 4), max_size=3), rate=st.floats(0, 0.99), seed=st.integers(0, 99))
def test_each_entry_is_dropped_or_grown(shape, rate, seed):
    x = generator(seed + 1).standard_normal(shape)
    output = inverted_dropout(x, rate, generator(seed))
    assert output.shape == x.shape
    assert_allclose(output[output != 0], x[output != 0] / (1 - rate), rtol=1e-12)
    assert np.array_equal(output, apply_dropout(x, dropout_factors(generator(seed), x.shape, rate)))


@pytest.mark.parametrize("rate", [-0.1, 1.0, 1.5, np.nan])
def test_rates_that_are_refused(rate):
    with pytest.raises(ValueError, match=f"rate must lie in 0 <= rate < 1, got {rate}"):
        inverted_dropout(np.ones(3), rate, generator())
