"""Layer, RMS and batch norm."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import (
    ShapeError,
    batch_norm,
    batch_norm_train,
    layer_norm,
    layer_norm_trace,
    rms_norm,
    rms_norm_trace,
)

INF, NAN = np.inf, np.nan
B, S, d = 2, 3, 5
rng = np.random.default_rng(0)
x = rng.standard_normal((B, S, d)) * 3 + 7
gamma, beta = rng.standard_normal(d), rng.standard_normal(d)


def only_for(*names):
    """Marks the norms that a check is about."""

    def mark(check):
        check.norms = names
        return check

    return mark


# --- what only a right norm does


@only_for("layer")
def check_layer_exact(norm):
    assert_allclose(norm([1.0, 2, 3, 4], eps=0), np.array([-3, -1, 1, 3]) / np.sqrt(5), rtol=1e-15)
    assert norm([1.0, 2, 3, 4], eps=0).round(4).tolist() == [-1.3416, -0.4472, 0.4472, 1.3416]


@only_for("layer")
def check_layer_eps(norm):
    """Variance 1 and eps 3: the divisor is 2 where eps stands inside the root, beside the variance."""
    assert_allclose(norm([-1.0, 1.0], eps=3), [-0.5, 0.5], rtol=1e-15)


@only_for("layer")
def check_layer_loops(norm, oracles):
    expected = [[oracles.layer_norm(row, gamma, beta, 1e-5) for row in rows] for rows in x]
    assert_allclose(norm(x, gamma, beta), expected, rtol=1e-11)


@only_for("layer")
def check_layer_other_rows_do_not_matter(norm):
    other = x.copy()
    other[1], other[0, 1:] = 100, -100
    assert np.array_equal(norm(other)[0, 0], norm(x)[0, 0])


@only_for("layer")
def check_layer_far_from_zero(norm):
    """The mean of squares minus the square of the mean would lose all digits here."""
    assert_allclose(norm(np.array([1.0, 2, 3, 4]) + 1e8, eps=0), norm([1.0, 2, 3, 4], eps=0), rtol=1e-12)


@only_for("layer", "rms")
def check_axis(norm):
    assert_allclose(norm(x, axis=1), norm(x.swapaxes(1, 2)).swapaxes(1, 2), rtol=1e-12)
    g = np.arange(1.0, S + 1)
    assert_allclose(norm(x, g, axis=1), norm(x, axis=1) * g[:, None], rtol=1e-12)
    flat = norm(x.reshape(B, -1)).reshape(x.shape)
    assert_allclose(norm(x, axis=(1, 2)), flat, rtol=1e-12)
    assert_allclose(norm(x, axis=(-1, -2)), flat, rtol=1e-12)


@only_for("rms")
def check_rms_exact(norm):
    assert_allclose(norm([3.0, 4.0], eps=0), np.array([3, 4]) / np.sqrt(12.5), rtol=1e-15)
    assert_allclose(norm([1.0, -1.0], eps=3), [0.5, -0.5], rtol=1e-15)


@only_for("rms")
def check_rms_loops(norm, oracles):
    expected = [[oracles.rms_norm(row, gamma, 1e-5) for row in rows] for rows in x]
    assert_allclose(norm(x, gamma), expected, rtol=1e-12)


@only_for("layer", "rms")
def check_float16(norm):
    """Worked in float32: 300 ** 2 is above float16's 65504."""
    row = np.array([300, -300], np.float16)
    assert norm(row).dtype == np.float16
    assert norm(row).tolist() == [1, -1]


@only_for("batch")
def check_batch_exact(norm):
    trace = norm([[1.0], [2], [3], [4]], [10.0], [2.0], eps=0)
    assert_allclose(trace.output.ravel(), np.array([-3, -1, 1, 3]) / np.sqrt(5), rtol=1e-15)
    assert_allclose(trace.running_mean, [0.9 * 10 + 0.1 * 2.5], rtol=1e-15)
    assert_allclose(trace.running_variance, [0.9 * 2 + 0.1 * 5 / 3], rtol=1e-15)


@only_for("batch")
def check_batch_is_by_feature(norm):
    output = norm(x, np.zeros(d), np.ones(d), gamma, beta).output
    column = x[:, :, 2].ravel()
    expected = (column - column.mean()) / np.sqrt(column.var() + 1e-5) * gamma[2] + beta[2]
    assert_allclose(output[:, :, 2].ravel(), expected, rtol=1e-11)


@only_for("batch")
def check_batch_axis(norm):
    """Images in PyTorch's order have their features at axis 1."""
    first = norm(np.moveaxis(x, -1, 1), np.zeros(d), np.ones(d), gamma, beta, axis=1)
    last = norm(x, np.zeros(d), np.ones(d), gamma, beta)
    assert_allclose(first.output, np.moveaxis(last.output, -1, 1), rtol=1e-12)


@only_for("batch")
def check_batch_momentum(norm):
    trace = norm([[1.0], [3.0]], [10.0], [7.0], momentum=0.25)
    assert (trace.running_mean.tolist(), trace.running_variance.tolist()) == ([8.0], [5.75])


NORMS = {"layer": layer_norm, "rms": rms_norm, "batch": batch_norm_train}


def test_norm(check, run_check):
    for name in check.norms:
        run_check(check, NORMS[name])


def test_wrong_norm_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


def test_mutants_are_right_but_for_their_fault(check, run_check, assembly):
    for name in check.norms:
        run_check(check, assembly[name])


# --- properties


@given(
    shape=st.lists(st.integers(1, 4), max_size=2),
    width=st.integers(2, 7),
    dtype=st.sampled_from(["f2", "f4", "f8"]),
    seed=st.integers(0, 99),
    move=st.floats(-5, 5),
    stretch=st.floats(0.5, 8),
)
def test_moved_and_stretched_rows_come_out_the_same(shape, width, dtype, seed, move, stretch):
    # entries at least 1 apart: a row that is nearly constant has no digits left after the mean is taken away
    row = np.random.default_rng(seed).uniform(-0.5, 0.5, (*shape, width)) + 2 * np.arange(width)
    atol = 60 * np.finfo(dtype).eps * width
    near, far = row.astype(dtype), (row * stretch).astype(dtype)
    assert_allclose(rms_norm(far, eps=0), rms_norm(near, eps=0), atol=atol)
    far = (row * stretch + move).astype(dtype)
    assert_allclose(layer_norm(far, eps=0), layer_norm(near, eps=0), atol=2 * atol)
    output = layer_norm(near, eps=0)
    assert output.dtype == dtype
    assert_allclose(output.mean(axis=-1, dtype="f8"), np.zeros(shape), atol=atol)
    assert_allclose(output.std(axis=-1, dtype="f8"), np.ones(shape), atol=atol)


def test_layer_norm_is_rms_norm_of_centered_rows():
    assert_allclose(layer_norm(x), rms_norm(x - x.mean(axis=-1, keepdims=True)), rtol=1e-12)


# --- traces


def test_traces_show_each_step():
    trace = layer_norm_trace(x, gamma, beta, eps=0.5)
    assert_allclose(trace.mean, x.mean(axis=-1, keepdims=True), rtol=1e-15)
    assert np.array_equal(trace.centered, x - trace.mean)
    assert_allclose(trace.variance, x.var(axis=-1, keepdims=True), rtol=1e-14)
    assert_allclose(trace.inverse_std, 1 / np.sqrt(trace.variance + 0.5), rtol=1e-15)
    assert np.array_equal(trace.normalized, trace.centered * trace.inverse_std)
    assert np.array_equal(trace.output, trace.normalized * gamma + beta)
    assert np.array_equal(trace.output, layer_norm(x, gamma, beta, eps=0.5))

    trace = rms_norm_trace(x, gamma, eps=0.5)
    assert_allclose(trace.mean_square, (x**2).mean(axis=-1, keepdims=True), rtol=1e-14)
    assert_allclose(trace.inverse_rms, 1 / np.sqrt(trace.mean_square + 0.5), rtol=1e-15)
    assert np.array_equal(trace.normalized, x * trace.inverse_rms)
    assert np.array_equal(trace.output, rms_norm(x, gamma, eps=0.5))


def test_eps_unless_given():
    """1e-5 everywhere, as in PyTorch's layer and batch norm."""
    small, half = [[-1e-3, 1e-3]], 1e-3 / np.sqrt(1e-6 + 1e-5)
    assert_allclose(layer_norm(small), [[-half, half]], rtol=1e-12)
    assert_allclose(layer_norm_trace(small).output, [[-half, half]], rtol=1e-12)
    assert_allclose(rms_norm(small), [[-half, half]], rtol=1e-12)
    assert_allclose(rms_norm_trace(small).output, [[-half, half]], rtol=1e-12)
    column = np.transpose(small)
    assert_allclose(batch_norm(column, [0.0], [1e-6]), [[-half], [half]], rtol=1e-12)
    assert_allclose(batch_norm_train(column, [0.0], [1.0]).output, [[-half], [half]], rtol=1e-12)


def test_worked_values():
    trace = layer_norm_trace([1, 2, 3, 4], eps=0)
    assert (trace.mean.tolist(), trace.variance.tolist()) == ([2.5], [1.25])


# --- batch norm at inference


def test_inference_uses_the_running_statistics():
    output = batch_norm(x, gamma, np.full(d, 4.0), beta=beta, eps=0)
    assert_allclose(output, (x - gamma) / 2 + beta, rtol=1e-12)
    assert np.array_equal(batch_norm(x[:1, :1], gamma, np.full(d, 4.0), beta=beta, eps=0), output[:1, :1])


def test_training_then_inference():
    """After many steps over one batch the running statistics are those of the batch, with n - 1."""
    mean, variance = np.zeros(d), np.ones(d)
    for _ in range(300):
        trace = batch_norm_train(x, mean, variance)
        mean, variance = trace.running_mean, trace.running_variance
    assert_allclose(mean, x.mean(axis=(0, 1)), rtol=1e-10)
    assert_allclose(variance, x.var(axis=(0, 1), ddof=1), rtol=1e-10)
    assert_allclose(batch_norm(x, mean, variance, eps=0), batch_norm_train(x, mean, variance, eps=0).output
                    * np.sqrt((B * S - 1) / (B * S)), rtol=1e-8)  # fmt: skip


# --- edges


@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
def test_rows_without_a_direction(norm):
    assert norm([[0.0, 0.0]], eps=0).tolist() == [[0, 0]]
    assert norm([[0.0, 0.0]]).tolist() == [[0, 0]]


def test_one_entry_has_no_variance():
    assert layer_norm([[5.0], [7.0]]).tolist() == [[0], [0]]
    assert layer_norm([[5.0]], beta=[3.0], eps=0).tolist() == [[3]]


@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
@pytest.mark.parametrize("bad", [NAN, INF, -INF, 1e200])
def test_a_row_that_is_not_finite_is_nan_and_alone(norm, bad):
    """1e200 is finite; its square is not."""
    rows = np.ones((3, 4)) * np.arange(4)
    clean = norm(rows)
    rows[1, 2] = bad
    assert np.isnan(norm(rows)[1]).all()
    assert np.array_equal(norm(rows)[[0, 2]], clean[[0, 2]])


def test_no_rows():
    assert layer_norm(np.zeros((0, 4))).shape == (0, 4)
    assert rms_norm(np.zeros((2, 0, 4))).shape == (2, 0, 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: layer_norm(x, gamma[:3]), "gamma must have the normalised axes' shape (5,), got (3,)"),
        (
            lambda: layer_norm(x, beta=gamma, axis=(1, 2)),
            "beta must have the normalised axes' shape (3, 5), got (5,)",
        ),
        (lambda: rms_norm(x, axis=3), "x must have the axes (3,) that are normalised, got shape (2, 3, 5)"),
        (
            lambda: rms_norm(np.zeros((2, 0))),
            "x must have at least one entry along the axes (-1,), got shape (2, 0)",
        ),
        (lambda: batch_norm(x, gamma[:2], gamma), "running_mean must have shape (d=5,), got (2,)"),
        (
            lambda: batch_norm_train(x[:1, :1], gamma, gamma),
            "x must have at least 2 rows to train on, got 1 in shape (1, 1, 5)",
        ),
    ],
)
def test_shapes_that_do_not_fit(call, message):
    with pytest.raises(ShapeError) as error:
        call()
    assert str(error.value) == message


def test_negative_eps():
    with pytest.raises(ValueError, match=r"eps must be zero or positive, got -1"):
        layer_norm(x, eps=-1)
