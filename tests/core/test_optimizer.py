"""AdamW: against the algorithm written out for one number, and what its parts are for."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import (
    ShapeError,
    adamw_init,
    adamw_step,
    clip_by_global_norm,
    decay_matrices,
    global_norm,
    optimizer,
)

NAN = np.nan


class Params(NamedTuple):
    W: np.ndarray
    b: np.ndarray | None
    layers: tuple = ()


def params(seed=0, dtype="f8"):
    rng = np.random.default_rng(seed)
    W, b, first, second = (rng.standard_normal(shape).astype(dtype) for shape in ((2, 3), 5, (7,), (1, 4)))
    return Params(W, b, ((first, None), (second, None)))


def one_number(parameter, gradients, learning_rate, beta_1, beta_2, eps, decay):
    """Algorithm 2 of the paper, line by line."""
    m = v = 0.0
    for t, g in enumerate(gradients, start=1):
        m = beta_1 * m + (1 - beta_1) * g
        v = beta_2 * v + (1 - beta_2) * g**2
        m_hat, v_hat = m / (1 - beta_1**t), v / (1 - beta_2**t)
        parameter -= learning_rate * (m_hat / (math.sqrt(v_hat) + eps) + decay * parameter)
    return parameter


def run(code, start, gradients, **options):
    state = code.adamw_init(start)
    for gradient in gradients:
        start, state = code.adamw_step(start, gradient, state, **options)
    return start, state


# --- what only a right AdamW does; `code` is the module


def check_first_step(code):
    """Bias correction makes the first step learning_rate long, whatever the gradient's size."""
    gradients = [(np.array([1e-3, -5.0, 2.0]),)]
    (moved,), _ = run(code, (np.ones(3),), gradients, learning_rate=0.1, weight_decay=0, eps=0)
    assert_allclose(moved, [0.9, 1.1, 0.9], rtol=1e-13)


def check_many_steps(code):
    rng = np.random.default_rng(3)
    gradients = [(rng.standard_normal(5),) for _ in range(20)]
    start = rng.standard_normal(5)
    options = {"beta_1": 0.8, "beta_2": 0.95, "eps": 1e-3, "learning_rate": 0.07}
    (end,), state = run(code, (start,), gradients, weight_decay=0.3, **options)
    expected = [
        one_number(start[i], [gradient[i] for (gradient,) in gradients], decay=0.3, **options)
        for i in range(5)
    ]
    assert_allclose(end, expected, rtol=1e-12)
    assert state.step == 20


def check_defaults(code):
    slopes = [3.0, -1.0, 0.5, 4.0]
    (end,), _ = run(code, (np.array([2.0]),), [(np.array([slope]),) for slope in slopes], learning_rate=0.1)
    assert_allclose(end, [one_number(2.0, slopes, 0.1, 0.9, 0.999, 1e-8, 0.01)], rtol=1e-12)


def check_decay_is_decoupled(code):
    """Without a gradient the decay alone acts, in proportion; L2 in the gradient would step by its sign."""
    (end,), state = run(code, (np.array([10.0, 0.1]),), [(np.zeros(2),)], learning_rate=0.1, weight_decay=0.5)
    assert_allclose(end, [9.5, 0.095], rtol=1e-13)
    assert not state.mean[0].any()


def check_decays_chooses(code):
    start = Params(np.ones((2, 2)), np.ones(2))
    still = Params(np.zeros((2, 2)), np.zeros(2))
    end, _ = run(code, start, [still], learning_rate=0.1, weight_decay=0.5, decays=decay_matrices)
    assert_allclose(end.W, np.full((2, 2), 0.95), rtol=1e-14)
    assert end.b.tolist() == [1, 1]


def check_tree(code):
    """Every array of the tree moves on its own, and the build stays."""
    start, gradients = params(0), params(1)
    end, _ = run(code, start, [gradients, gradients], learning_rate=0.1)
    assert type(end) is Params
    assert end.layers[0][1] is None
    for (before, _), (after, _), (gradient, _) in zip(
        start.layers, end.layers, gradients.layers, strict=True
    ):
        (alone,), _ = run(code, (before,), [(gradient,)] * 2, learning_rate=0.1)
        assert np.array_equal(after, alone)


def check_pure(code):
    start, gradients = params(0), params(1)
    state = code.adamw_init(start)
    code.adamw_step(start, gradients, state, learning_rate=0.1)
    assert np.array_equal(start.W, params(0).W)
    assert np.array_equal(gradients.W, params(1).W)
    assert (state.step, state.mean.W.any(), state.mean_square.W.any()) == (0, False, False)


def check_dtype(code):
    end, state = run(code, params(0, "f4"), [params(1, "f4")], learning_rate=np.float64(0.1))
    assert (end.W.dtype, end.layers[0][0].dtype) == ("f4", "f4")
    assert (state.mean.W.dtype, state.mean_square.W.dtype) == ("f4", "f4")


def check_clipping(code):
    gradients = (np.array([3.0, 0.0]), (np.array([[4.0]]), None))
    assert code.global_norm(gradients) == 5
    clipped = code.clip_by_global_norm(gradients, 2.5)
    assert clipped[0].tolist() == [1.5, 0]
    assert clipped[1][0].tolist() == [[2]]
    assert code.clip_by_global_norm(gradients, 5.0)[0].tolist() == [3, 0]
    assert code.clip_by_global_norm(gradients, 50.0)[0].tolist() == [3, 0]


def test_optimizer(check, run_check):
    run_check(check, optimizer)


def test_wrong_optimizer_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- properties and edges


@given(scale=st.floats(1e-3, 1e3), seed=st.integers(0, 99))
def test_the_size_of_all_gradients_does_not_matter(scale, seed):
    gradients = params(seed)
    small, _ = run(optimizer, params(0), [gradients] * 3, learning_rate=0.1, eps=0)
    scaled = clip_by_global_norm(gradients, scale * global_norm(gradients) / 1e3)
    large, _ = run(optimizer, params(0), [scaled] * 3, learning_rate=0.1, eps=0)
    assert_allclose(large.W, small.W, rtol=1e-9, atol=1e-12)


@given(limit=st.floats(1e-6, 1e6), seed=st.integers(0, 99))
def test_clipped_gradients_are_no_longer_than_allowed_and_point_the_same_way(limit, seed):
    gradients = params(seed)
    clipped = clip_by_global_norm(gradients, limit)
    assert global_norm(clipped) <= limit * (1 + 1e-12) or clipped is gradients
    ratio = clipped.W / gradients.W
    assert_allclose(ratio, np.full_like(ratio, ratio[0, 0]), rtol=1e-12)


def test_it_finds_the_bottom_of_a_bowl():
    point, state = (np.array([3.0, -2.0]),), adamw_init((np.zeros(2),))
    for _ in range(500):
        slope = (2 * (point[0] - np.array([1.0, 5.0])),)
        point, state = adamw_step(point, slope, state, learning_rate=0.1, weight_decay=0)
    assert_allclose(point[0], [1, 5], atol=1e-3)


def test_a_gradient_that_is_nan_stays_with_its_number():
    (end,), _ = run(optimizer, (np.ones(3),), [(np.array([1.0, NAN, 1.0]),)], learning_rate=0.1)
    assert np.isnan(end).tolist() == [False, True, False]
    assert math.isnan(global_norm((np.array([NAN]),)))


def test_a_nan_is_not_hidden_by_clipping():
    clipped = clip_by_global_norm((np.array([1.0, NAN]),), 1.0)
    assert np.isnan(clipped[0]).all()


@pytest.mark.parametrize(
    ("gradients", "message"),
    [
        (Params(np.ones((3, 2)), np.ones(5)),
         "gradients must be built like parameters, got at 'W' parameter (2, 3), gradient (3, 2)"),
        (Params(np.ones((2, 3)), None),
         "gradients must be built like parameters, got at 'b' parameter (5,), gradient None"),
    ],
)  # fmt: skip
def test_gradients_of_another_build(gradients, message):
    start = Params(np.ones((2, 3)), np.ones(5))
    with pytest.raises(ShapeError) as error:
        adamw_step(start, gradients, adamw_init(start), learning_rate=0.1)
    assert str(error.value) == message
