"""The feed-forward layer, plain and gated, and the linear layer under it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from transformer_core import (
    FeedForwardParams,
    GatedFeedForwardParams,
    ShapeError,
    feed_forward,
    feed_forward_trace,
    gated_feed_forward,
    gated_feed_forward_trace,
    gelu,
    linear,
    relu,
    silu,
)

B, S, d_model, d_ff = 2, 3, 5, 7
rng = np.random.default_rng(0)
x = rng.standard_normal((B, S, d_model))
up, down = (d_model, d_ff), (d_ff, d_model)
plain = FeedForwardParams(*(rng.standard_normal(shape) for shape in (up, down, d_ff, d_model)))
gated = GatedFeedForwardParams(*(rng.standard_normal(shape) for shape in (up, up, down)))
FUNCTIONS = {"relu": relu, "gelu": gelu, "gelu-tanh": lambda x: gelu(x, "tanh"), "silu": silu}


# --- what only a right one does


def check_plain_exact(layer):
    params = FeedForwardParams(
        np.array([[1.0, -1.0]]), np.array([[2.0], [3.0]]), np.array([1.0, 0]), np.array([10.0])
    )
    assert layer(np.array([[2.0], [-4.0]]), params).tolist() == [[16], [22]]


def check_plain_loops(layer, oracles):
    rows = []
    for row in x.reshape(-1, d_model):
        hidden = oracles.matmul(row[None], plain.W_1)[0] + plain.b_1
        rows.append(oracles.matmul(np.array([[max(h, 0) for h in hidden]]), plain.W_2)[0] + plain.b_2)
    assert_allclose(layer(x, plain), np.reshape(rows, x.shape), rtol=1e-11)


def check_no_token_sees_another(layer):
    other = x.copy()
    other[:, 1] += 5
    before, after = layer(x, plain), layer(other, plain)
    assert np.array_equal(before[:, [0, 2]], after[:, [0, 2]])
    assert not np.isclose(before[:, 1], after[:, 1]).all()


def check_gated_exact(layer):
    params = GatedFeedForwardParams(np.array([[1.0]]), np.array([[10.0]]), np.array([[1.0]]))
    assert_allclose(layer(np.array([[2.0]]), params), [[2 / (1 + np.exp(-2)) * 20]], rtol=1e-14)


def check_gated_loops(layer, oracles):
    rows = []
    for row in x.reshape(-1, d_model):
        gate, up = (oracles.matmul(row[None], matrix)[0] for matrix in gated[:2])
        hidden = [g * oracles.sigmoid(g) * u for g, u in zip(gate, up, strict=True)]
        rows.append(oracles.matmul(np.array([hidden]), gated.W_down)[0])
    assert_allclose(layer(x, gated), np.reshape(rows, x.shape), rtol=1e-11)


def test_feed_forward(check, run_check):
    run_check(check, gated_feed_forward if "gated" in check.__name__ else feed_forward)


def test_wrong_feed_forward_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- activations, traces, dtypes


@pytest.mark.parametrize("activation", FUNCTIONS)
def test_traces_show_each_step(activation):
    function = FUNCTIONS[activation]
    trace = feed_forward_trace(x, plain, activation=activation)
    assert_allclose(trace.hidden, x @ plain.W_1 + plain.b_1, rtol=1e-14)
    assert np.array_equal(trace.activated, function(trace.hidden))
    assert_allclose(trace.output, trace.activated @ plain.W_2 + plain.b_2, rtol=1e-13)
    assert np.array_equal(trace.output, feed_forward(x, plain, activation=activation))

    steps = gated_feed_forward_trace(x, gated, activation=activation)
    assert_allclose(steps.gate, x @ gated.W_gate, rtol=1e-14)
    assert_allclose(steps.up, x @ gated.W_up, rtol=1e-14)
    assert np.array_equal(steps.activated, function(steps.gate))
    assert np.array_equal(steps.gated, steps.activated * steps.up)
    assert_allclose(steps.output, steps.gated @ gated.W_down, rtol=1e-13)
    assert np.array_equal(steps.output, gated_feed_forward(x, gated, activation=activation))


def test_the_gate_and_the_other_branch_are_not_the_same():
    swapped = gated._replace(W_gate=gated.W_up, W_up=gated.W_gate)
    assert not np.isclose(gated_feed_forward(x, swapped), gated_feed_forward(x, gated)).any()


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_dtype(dtype):
    narrow = x.astype(dtype)
    first = FeedForwardParams(*(array.astype(dtype) for array in plain))
    second = GatedFeedForwardParams(*(array.astype(dtype) for array in gated))
    for output, wide in (
        (feed_forward(narrow, first), feed_forward(x, plain)),
        (gated_feed_forward(narrow, second), gated_feed_forward(x, gated)),
    ):
        assert output.dtype == dtype
        assert_allclose(output, wide, atol=200 * np.finfo(dtype).eps)


def test_no_tokens():
    assert feed_forward(x[:, :0], plain).shape == (B, 0, d_model)
    assert gated_feed_forward(x[:0], gated).shape == (0, S, d_model)


def test_non_finite_token_is_alone():
    other = x.copy()
    other[0, 1, 0] = np.nan
    output = feed_forward(other, plain)
    assert np.isnan(output[0, 1]).all()
    assert np.isfinite(np.delete(output[0], 1, axis=0)).all()


# --- the linear layer


def test_linear():
    assert linear([[1, 2]], [[3, 4, 5], [6, 7, 8]], [1, 1, 1]).tolist() == [[16, 19, 22]]
    assert linear(np.zeros(2), np.ones((2, 3))).shape == (3,)
    sums = linear(np.full((1, 4096), 1, np.float16), np.full((4096, 1), 1, np.float16))
    assert (sums.dtype, sums.item()) == (np.float16, 4096)
    assert linear(np.float16([[60000]]), np.float16([[2]])).item() == np.inf  # without a warning


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: linear(x, np.ones((4, 2)), name="W_1"), "W_1 must have shape (d_in=5, d_out), got (4, 2)"),
        (lambda: linear(x, np.ones((5, 2)), np.ones(3)), "b must have shape (d_out=2,), got (3,)"),
        (lambda: linear(3.0, np.ones((5, 2))), "x must have shape (..., d_in), got ()"),
        (
            lambda: feed_forward(x, plain._replace(W_2=np.ones((4, 5)))),
            "W_2 must have shape (d_in=7, d_out), got (4, 5)",
        ),
        (
            lambda: gated_feed_forward(x, gated._replace(W_up=np.ones((5, 6)))),
            "W_up must have shape (d_model=5, d_ff=7), got (5, 6)",
        ),
    ],
)
def test_shapes_that_do_not_fit(call, message):
    with pytest.raises(ShapeError) as error:
        call()
    assert str(error.value) == message


def test_unknown_activation():
    with pytest.raises(ValueError, match=r"activation must be one of 'relu', 'gelu', .* got 'swish'"):
        feed_forward(x, plain, activation="swish")
