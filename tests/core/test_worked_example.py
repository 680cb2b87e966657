"""The worked example's numbers, as the course prints them."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from transformer_core import TOKENS, W_K, W_Q, W_V, X, layer_norm_trace, softmax, worked_example

E = math.e


def test_matrices():
    assert X.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert W_Q.tolist() == [[1, 0], [1, 1]]
    assert W_K.tolist() == [[0, 1], [1, 0]]
    assert W_V.tolist() == [[1, 0], [0, 1]]
    assert len(TOKENS) == len(set(TOKENS)) == 3


def test_projections():
    we = worked_example()
    assert we.query.tolist() == [[1, 0], [1, 1], [2, 1]]
    assert we.key.tolist() == [[0, 1], [1, 0], [1, 1]]
    assert we.value.tolist() == X.tolist()


def test_every_step():
    trace = worked_example().attention
    assert trace.scores.tolist() == [[0, 1, 1], [1, 1, 2], [1, 2, 3]]
    assert_allclose(trace.scaled, trace.scores / math.sqrt(2), rtol=1e-15)
    assert_allclose(trace.row_max[:, 0], np.array([1, 2, 3]) / math.sqrt(2), rtol=1e-15)
    assert trace.weights.round(4).tolist() == [
        [0.1978, 0.4011, 0.4011], [0.2483, 0.2483, 0.5035], [0.14, 0.284, 0.576],
    ]  # fmt: skip
    assert trace.output.round(4).tolist() == [[0.5989, 0.8022], [0.7517, 0.7517], [0.716, 0.86]]


def test_figures_that_are_easily_printed_wrong():
    """Rounding once, at the end: .50349 is 0.503; e ** .707 + e ** 1.414 + e ** 2.121 is 14.4835, so 14.484,
    though the three at three decimals each add up to 14.483."""
    weights = worked_example().attention.weights
    assert f"{weights[1, 2]:.3f}" == "0.503"
    terms = np.exp(np.array([1, 2, 3]) / math.sqrt(2))
    assert (f"{terms.sum():.5f}", f"{terms.sum():.3f}") == ("14.48351", "14.484")
    assert f"{terms.round(3).sum():.3f}" == "14.483"


def test_causal():
    weights = worked_example(is_causal=True).attention.weights
    assert weights.round(4).tolist() == [[1, 0, 0], [0.5, 0.5, 0], [0.14, 0.284, 0.576]]


def test_without_projections():
    """Rows of X X^T: the first token looks at the third more than the third at the first."""
    weights = softmax(X @ X.T)
    assert_allclose([weights[0, 2], weights[2, 0]], [E / (2 * E + 1), 1 / (2 + E)], rtol=1e-14)
    assert [f"{weights[0, 2]:.4f}", f"{weights[2, 0]:.4f}"] == ["0.4223", "0.2119"]


def test_layer_norm_example():
    trace = layer_norm_trace([1, 2, 3, 4], eps=0)
    assert (trace.mean.item(), trace.variance.item()) == (2.5, 1.25)
    assert trace.output.round(4).tolist() == [-1.3416, -0.4472, 0.4472, 1.3416]


@pytest.mark.parametrize(
    ("d_k", "largest"), [(1, "66.5"), (16, "41.9"), (64, "37.6")]
)  # fmt: skip
def test_largest_weight_of_three_scores(d_k, largest):
    """The row [3, 2, 1], scaled for a width of d_k."""
    assert f"{100 * softmax(np.array([3, 2, 1]) / math.sqrt(d_k))[0]:.1f}" == largest


def test_other_matrices():
    turned = worked_example(x=X[::-1], w_v=2 * W_V)
    assert_allclose(turned.attention.output, 2 * worked_example().attention.output[::-1], rtol=1e-14)
    assert worked_example(scale=0).attention.weights.round(4).tolist() == [[0.3333] * 3] * 3


@pytest.mark.parametrize("matrix", [X, W_Q, W_K, W_V])
def test_nobody_can_change_it(matrix):
    with pytest.raises(ValueError, match="read-only"):
        matrix[0, 0] = 7
