"""Gradients of the simple operations, each against finite differences in float64."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import (
    gelu,
    gradients,
    layer_norm,
    layer_norm_backward,
    layer_norm_trace,
    linear,
    relu,
    rms_norm,
    rms_norm_backward,
    rms_norm_trace,
    silu,
    softmax,
    softmax_backward,
    softmax_jacobian,
)

numeric = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "finite_differences.py")))

INF, NAN = np.inf, np.nan
B, S, d, d_out = 2, 3, 5, 7
ACTIVATIONS = {"relu": relu, "gelu": gelu, "gelu-tanh": lambda x: gelu(x, approximate="tanh"), "silu": silu}


def draw(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def close(actual, expected):
    assert_allclose(actual, expected, rtol=1e-6, atol=1e-8)


# --- what only right gradients do; `code` is the module


def check_linear(code):
    x, W, b, slope = draw(B, S, d), draw(d, d_out, seed=1), draw(d_out, seed=2), draw(B, S, d_out, seed=3)
    got = code.linear_backward(slope, x, W)
    close(got.x, numeric.by_entry(lambda a: (linear(a, W, b) * slope).sum(), x))
    close(got.W, numeric.by_entry(lambda a: (linear(x, a, b) * slope).sum(), W))
    close(got.b, numeric.by_entry(lambda a: (linear(x, W, a) * slope).sum(), b))


def check_softmax(code):
    x, slope = 2 * draw(B, S, d), draw(B, S, d, seed=1)
    got = code.softmax_backward(slope, softmax(x))
    close(got, numeric.by_entry(lambda a: (softmax(a) * slope).sum(), x))
    jacobian = softmax_jacobian(softmax(x))
    close(got, np.einsum("bsi,bsij->bsj", slope, jacobian))


def check_softmax_of_nothing(code):
    assert code.softmax_backward(draw(2, 3), np.zeros((2, 3))).tolist() == [[0] * 3] * 2


def check_slopes(code):
    x = np.concatenate([np.linspace(-9, 9, 37) + 0.01, [-60.0, 60.0]])
    for name, activation in ACTIVATIONS.items():
        expected = [numeric.by_entry(lambda a, f=activation: float(f(a)), np.float64(entry)) for entry in x]
        assert_allclose(code.SLOPES[name](x), expected, rtol=1e-6, atol=1e-9, err_msg=name)


def check_slopes_far_out(code):
    """0 on the left, 1 on the right, at infinity too, without a warning; NaN stays."""
    x = np.array([-INF, -1e300, -1e4, 1e4, 1e300, INF])
    for name in ("relu", "gelu", "gelu-tanh", "silu"):
        assert_allclose(code.SLOPES[name](x), [0, 0, 0, 1, 1, 1], atol=1e-30, err_msg=name)
    for name in ("gelu", "gelu-tanh", "silu"):
        assert np.isnan(code.SLOPES[name](np.array([NAN]))).all()


def check_layer_norm(code):
    x, gamma, beta, slope = draw(B, S, d), draw(d, seed=1), draw(d, seed=2), draw(B, S, d, seed=3)
    for eps in (1e-5, 0.5):
        got = code.layer_norm_backward(slope, layer_norm_trace(x, gamma, beta, eps=eps), gamma)
        close(got.x, numeric.by_entry(lambda a, e=eps: (layer_norm(a, gamma, beta, eps=e) * slope).sum(), x))
        close(
            got.gamma, numeric.by_entry(lambda a, e=eps: (layer_norm(x, a, beta, eps=e) * slope).sum(), gamma)
        )
        close(
            got.beta, numeric.by_entry(lambda a, e=eps: (layer_norm(x, gamma, a, eps=e) * slope).sum(), beta)
        )


def check_rms_norm(code):
    x, gamma, slope = draw(B, S, d), draw(d, seed=1), draw(B, S, d, seed=3)
    for eps in (1e-5, 0.5):
        got = code.rms_norm_backward(slope, rms_norm_trace(x, gamma, eps=eps), gamma)
        close(got.x, numeric.by_entry(lambda a, e=eps: (rms_norm(a, gamma, eps=e) * slope).sum(), x))
        close(got.gamma, numeric.by_entry(lambda a, e=eps: (rms_norm(x, a, eps=e) * slope).sum(), gamma))
        assert got.beta is None


def check_embedding(code):
    """Token 2 stands in three places."""
    ids, table, slope = np.array([[2, 0, 2], [4, 2, 4]]), draw(d_out, d), draw(2, 3, d, seed=1)
    got = code.embedding_backward(slope, ids, rows=d_out)
    close(got, numeric.by_entry(lambda a: (a[ids] * slope).sum(), table))


def check_float32_stays(code):
    x, W, slope = (
        draw(*shape, seed=k).astype("f4") for k, shape in enumerate([(S, d), (d, d_out), (S, d_out)])
    )
    assert {array.dtype for array in code.linear_backward(slope, x, W)} == {np.dtype("f4")}
    assert code.softmax_backward(slope, softmax(slope)).dtype == "f4"
    assert all(code.SLOPES[name](x).dtype == "f4" for name in ACTIVATIONS)
    gamma = np.ones(d_out, "f4")
    for got in (
        code.layer_norm_backward(slope, layer_norm_trace(slope, gamma), gamma),
        code.rms_norm_backward(slope, rms_norm_trace(slope, gamma), gamma),
    ):
        assert {array.dtype for array in got if array is not None} == {np.dtype("f4")}
    assert code.embedding_backward(slope, np.array([0, 1, 0]), 2).dtype == "f4"


def check_inputs_untouched(code):
    x, W, slope = draw(S, d), draw(d, d_out, seed=1), draw(S, d_out, seed=2)
    weights = softmax(slope)
    trace = layer_norm_trace(x)
    code.linear_backward(slope, x, W)
    code.softmax_backward(slope, weights)
    code.layer_norm_backward(draw(S, d, seed=4), trace, np.ones(d))
    assert np.array_equal(x, draw(S, d))
    assert np.array_equal(slope, draw(S, d_out, seed=2))
    assert np.array_equal(weights, softmax(slope))
    assert all(np.array_equal(*pair) for pair in zip(trace, layer_norm_trace(x), strict=True))


def test_gradient(check, run_check):
    run_check(check, gradients)


def test_wrong_gradient_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- properties


@given(shape=st.lists(st.integers(1, 5), min_size=1, max_size=3), seed=st.integers(0, 99))
def test_what_changes_nothing_has_no_gradient(shape, seed):
    """Softmax ignores a shift; layer norm a shift and a stretch; RMS norm a stretch."""
    x, slope = draw(*shape, seed=seed), draw(*shape, seed=seed + 100)
    ones, zeros = np.ones(shape[-1]), np.zeros(shape[:-1])
    assert_allclose(softmax_backward(slope, softmax(x)).sum(axis=-1), zeros, atol=1e-14)
    if shape[-1] > 1:
        x = x + np.arange(shape[-1])  # no row is constant
        by_layer = layer_norm_backward(slope, layer_norm_trace(x, eps=0), ones).x
        assert_allclose(by_layer.sum(axis=-1), zeros, atol=1e-10)
        assert_allclose((by_layer * x).sum(axis=-1), zeros, atol=1e-10)
        by_rms = rms_norm_backward(slope, rms_norm_trace(x, eps=0), ones).x
        assert_allclose((by_rms * x).sum(axis=-1), zeros, atol=1e-10)


@pytest.mark.parametrize("backward", [gradients.linear_backward])
def test_no_tokens(backward):
    got = backward(np.zeros((0, d_out)), np.zeros((0, d)), np.ones((d, d_out)))
    assert (got.x.shape, got.W.tolist(), got.b.tolist()) == ((0, d), [[0] * d_out] * d, [0] * d_out)


def test_a_constant_row_without_eps_passes_nothing_on():
    trace = layer_norm_trace(np.full((1, 4), 3.0), eps=0)
    assert not layer_norm_backward(draw(1, 4), trace, np.ones(4)).x.any()
