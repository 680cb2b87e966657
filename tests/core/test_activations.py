"""Softmax and its relatives; the activation functions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import (
    entropy,
    erf,
    gelu,
    log_softmax,
    relu,
    sigmoid,
    silu,
    softmax,
    softmax_jacobian,
    softmax_trace,
)

INF, NAN = np.inf, np.nan
DTYPES = ["f2", "f4", "f8"]
SHAPES = st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple)
WIDE = np.concatenate([np.linspace(-40, 40, 4001), [0.0, -0.0, 0.46875, -0.46875, 4, 5.9, 6, 1e300, -1e300]])


# --- softmax: what only a right one does


def check_exact(softmax):
    e = math.e
    rows = softmax(np.array([[0, 1, 1], [1, 1, 2], [1, 2, 3]]) * 1.0)
    assert_allclose(rows[0], [1 / (1 + 2 * e), e / (1 + 2 * e), e / (1 + 2 * e)], rtol=1e-15)
    assert rows[2].round(4).tolist() == [0.09, 0.2447, 0.6652]


def check_axis(softmax):
    x = np.random.default_rng(0).standard_normal((2, 3, 5))
    for axis in (0, 1, 2, -1, -2, -3):
        assert_allclose(softmax(x, axis=axis).sum(axis=axis), 1)
    assert_allclose(softmax(x, axis=0), np.moveaxis(softmax(np.moveaxis(x, 0, -1)), -1, 0))


def check_default_is_last_axis(softmax):
    assert_allclose(softmax(np.eye(3, 5)).sum(axis=1), 1)


def check_large_and_shifted(softmax):
    assert softmax([1000.0, 1000.0]).tolist() == [0.5, 0.5]
    assert softmax([-1000.0, -1000.0]).tolist() == [0.5, 0.5]
    assert np.array_equal(softmax([0.0, 1.0, 3.0]), softmax([700.0, 701.0, 703.0]))


def check_nothing_visible(softmax):
    assert softmax([[-INF, -INF], [0, -INF]]).tolist() == [[0, 0], [1, 0]]


def check_non_finite(softmax):
    rows = softmax([[1.0, NAN], [1.0, INF], [INF, -INF], [1.0, 1.0]])
    assert np.isnan(rows[:3]).all()
    assert rows[3].tolist() == [0.5, 0.5]


def check_float16(softmax):
    """Worked in float32: a thousand equal weights of 2 ** -10 would add up wrongly in float16."""
    weights = softmax(np.zeros(4096, np.float16))
    assert weights.dtype == np.float16
    assert (weights == np.float16(1 / 4096)).all()
    assert softmax(np.array([0, 12], np.float16)).tolist() == [np.float16(math.exp(-12)), 1]


def check_input_untouched(softmax):
    x = np.arange(3.0)
    softmax(x)
    assert x.tolist() == [0, 1, 2]


def test_softmax(check, run_check):
    run_check(check, softmax)


def test_wrong_softmax_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


@given(
    shape=SHAPES, dtype=st.sampled_from(DTYPES), seed=st.integers(0, 99), size=st.sampled_from([0.1, 1, 50])
)
def test_softmax_is_a_distribution(shape, dtype, seed, size):
    x = (np.random.default_rng(seed).standard_normal(shape) * size).astype(dtype)
    weights = softmax(x)
    assert (weights.dtype, weights.shape) == (x.dtype, x.shape)
    assert ((weights >= 0) & (weights <= 1)).all()
    assert_allclose(weights.sum(axis=-1, dtype="f8"), 1, atol=4 * np.finfo(dtype).eps * shape[-1])
    of_largest = np.take_along_axis(weights, np.argmax(x, axis=-1)[..., None], axis=-1)
    assert np.array_equal(of_largest, weights.max(axis=-1, keepdims=True))  # ties by rounding are no fault
    assert np.array_equal(softmax_trace(x).weights, weights)


def test_softmax_equals_the_loops(oracles, draw):
    x = draw((3, 7)) * 5
    assert_allclose(softmax(x), [oracles.softmax(row) for row in x], rtol=1e-14)


def test_softmax_of_nothing():
    assert softmax(np.zeros((2, 0))).shape == (2, 0)
    assert softmax(np.zeros((0, 3))).shape == (0, 3)


def test_trace_shows_each_step():
    trace = softmax_trace([[1.0, 3.0], [-INF, -INF]])
    assert trace.maximum.tolist() == [[3], [-INF]]
    assert trace.shifted.tolist() == [[-2, 0], [-INF, -INF]]
    assert trace.exponentials.tolist() == [[math.exp(-2), 1], [0, 0]]
    assert trace.total.tolist() == [[math.exp(-2) + 1], [0]]


@pytest.mark.parametrize(("dtype", "limit"), [("f2", 11.08), ("f4", 88.72), ("f8", 709.78)])
def test_without_the_maximum_it_overflows_where_the_dtype_ends(dtype, limit):
    naive = softmax_trace([0.0, limit], subtract_max=False, dtype=dtype)
    assert np.isfinite(naive.weights).all()
    beyond = softmax_trace([0.0, limit + 0.02], subtract_max=False, dtype=dtype)
    assert beyond.exponentials[1] == INF
    assert np.isnan(beyond.weights[1])
    assert_allclose(softmax_trace([0.0, limit + 0.02], dtype=dtype).weights, [0, 1], atol=1e-4)


# --- relatives of softmax


def test_log_softmax_is_exact_where_the_softmax_underflows():
    assert log_softmax([0.0, -1e4]).tolist() == [0, -1e4]
    assert log_softmax([1e4, 0.0]).tolist() == [0, -1e4]
    assert log_softmax([[-INF, -INF], [0, -INF]]).tolist() == [[-INF, -INF], [0, -INF]]


@given(shape=SHAPES, axis=st.sampled_from([0, -1]), dtype=st.sampled_from(DTYPES), seed=st.integers(0, 99))
def test_log_softmax_is_the_logarithm(shape, axis, dtype, seed):
    x = np.random.default_rng(seed).standard_normal(shape).astype(dtype)
    result = log_softmax(x, axis=axis)
    assert result.dtype == x.dtype
    assert_allclose(
        np.exp(result.astype("f8")), softmax(x.astype("f8"), axis=axis), atol=2 * np.finfo(dtype).eps
    )


def test_entropy():
    assert entropy([1.0, 0.0]) == 0
    assert not np.signbit(entropy([1.0, 0.0]))
    assert_allclose(entropy(np.full((2, 7), 1 / 7)), math.log(7))
    assert_allclose(
        entropy([[0.25, 0.5], [0.75, 0.5]], axis=0), [math.log(4) / 4 + 0.75 * math.log(4 / 3), math.log(2)]
    )
    assert entropy(np.array([0.5, 0.5], np.float16)).dtype == np.float16


def test_jacobian_against_finite_differences(draw):
    scores, h = draw((2, 5)), 1e-6
    jacobian = softmax_jacobian(softmax(scores))
    assert jacobian.shape == (2, 5, 5)
    for j in range(5):
        step = h * np.eye(5)[j]
        slope = (softmax(scores + step) - softmax(scores - step)) / (2 * h)
        assert_allclose(jacobian[..., j], slope, atol=1e-9)
    assert_allclose(jacobian.sum(axis=-1), 0, atol=1e-15)  # adding a constant to the scores changes nothing


# --- activation functions


def test_erf_against_math():
    assert np.abs(erf(WIDE) - [math.erf(x) for x in WIDE]).max() < 3e-16
    small = np.geomspace(1e-300, 1, 300)
    assert_allclose(erf(small), [math.erf(x) for x in small], rtol=1e-15, atol=0)
    assert erf(np.array([INF, -INF])).tolist() == [1, -1]
    assert np.isnan(erf(np.array([NAN]))).all()
    single = WIDE.clip(-40, 40).astype("f4")
    assert np.abs(erf(single) - [math.erf(x) for x in single]).max() < 3e-7


@pytest.mark.parametrize(
    ("function", "name", "span"),
    [(sigmoid, "sigmoid", 700), (gelu, "gelu", 38), (lambda x: gelu(x, "tanh"), "gelu_tanh", 1000)],
)
def test_activation_equals_its_formula(oracles, function, name, span):
    x = np.linspace(-span, span, 1999)
    expected = np.array([getattr(oracles, name)(number) for number in x])
    assert_allclose(function(x), expected, rtol=1e-13, atol=1e-15)
    for dtype in DTYPES:
        narrow = x[np.abs(x) < 30].astype(dtype)
        assert function(narrow).dtype == dtype
        expected = [getattr(oracles, name)(float(number)) for number in narrow]
        assert_allclose(
            function(narrow), expected, rtol=4 * np.finfo(dtype).eps, atol=4 * np.finfo(dtype).eps
        )


def test_known_values():
    assert relu([-2, 0, 3]).tolist() == [0, 0, 3]
    assert gelu([1.0]).round(6).tolist() == [0.841345]
    assert gelu([1.0], "tanh").round(6).tolist() == [0.841192]
    assert silu([1.0]).round(6).tolist() == [0.731059]
    assert_allclose(silu([-3.0, 2.0]), [-3 / (1 + math.exp(3)), 2 / (1 + math.exp(-2))], rtol=1e-15)


@pytest.mark.parametrize("function", [relu, silu, gelu, lambda x: gelu(x, "tanh")])
@pytest.mark.parametrize("dtype", DTYPES)
def test_limits(function, dtype):
    """Nothing warns, -inf gives 0, +inf stays, NaN stays, the largest numbers do not overflow on the way."""
    most = np.finfo(dtype).max
    result = function(np.array([-INF, INF, NAN, -most, most], dtype))
    assert result.dtype == dtype
    assert result[[0, 1, 3, 4]].tolist() == [0, INF, 0, most]
    assert np.isnan(result[2])


def test_sigmoid_far_out():
    assert sigmoid([-INF, INF, -800.0, 800.0]).tolist() == [0, 1, 0, 1]
    assert sigmoid([-700.0])[0] == math.exp(-700)  # not 0: the left tail keeps its digits


def test_bad_arguments():
    with pytest.raises(TypeError, match="x must hold real numbers, got dtype complex128"):
        softmax([1j])
    with pytest.raises(ValueError, match="approximate must be one of 'none', 'tanh', got 'erf'"):
        gelu([1.0], approximate="erf")
    with pytest.raises(ValueError, match="axis 1 is out of bounds"):
        softmax([1.0], axis=1)
