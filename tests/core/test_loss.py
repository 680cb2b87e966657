"""Cross-entropy: which labels count, how it stays finite, and its gradient."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import IGNORED, ShapeError, cross_entropy, loss, perplexity

NAN, INF = np.nan, np.inf
B, S, V = 2, 5, 7


def batch(seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, V, (B, S))
    labels[0, 1] = labels[1, 3] = IGNORED
    return 3 * rng.standard_normal((B, S, V)), labels


def by_loops(logits, labels, smoothing=0.0):
    """-log of the softmax by math.exp, averaged over the labels that count."""
    losses = []
    for row, label in zip(logits.reshape(-1, V).tolist(), labels.ravel().tolist(), strict=True):
        if label != IGNORED:
            total = math.fsum(math.exp(score) for score in row)
            surprises = [-math.log(math.exp(score) / total) for score in row]
            even = math.fsum(surprises) / V
            losses.append((1 - smoothing) * surprises[label] + smoothing * even)
    return math.fsum(losses) / len(losses)


# --- what only a right loss does; `code` is the module


def check_exact(code):
    assert code.cross_entropy([[0.0, 0.0, 0.0, 0.0]], [2]) == pytest.approx(math.log(4), rel=1e-15)
    assert code.cross_entropy(np.log([[0.7, 0.2, 0.1]]), [1]) == pytest.approx(-math.log(0.2), rel=1e-14)


def check_loops(code):
    logits, labels = batch()
    assert code.cross_entropy(logits, labels) == pytest.approx(by_loops(logits, labels), rel=1e-13)


def check_ignored_labels_do_not_count(code):
    """The mean of what is left; and what stands in an ignored row does not matter, NaN included."""
    logits, labels = batch()
    kept = labels != IGNORED
    expected = code.cross_entropy(logits[kept], labels[kept])
    assert code.cross_entropy(logits, labels) == pytest.approx(expected, rel=1e-14)
    logits[~kept] = NAN
    assert code.cross_entropy(logits, labels) == pytest.approx(expected, rel=1e-14)
    gradient = code.cross_entropy_backward(code.cross_entropy_trace(logits, labels), labels)
    assert not gradient[~kept].any()


def check_other_ignored_label(code):
    logits, labels = batch()
    labels[labels == IGNORED] = 0
    expected = code.cross_entropy(logits[labels != 0], labels[labels != 0])
    assert code.cross_entropy(logits, labels, ignore_label=0) == pytest.approx(expected, rel=1e-14)


def check_stable(code):
    """Both the overflow of e ** 1000 and the logarithm of a probability that is 0 in float64."""
    assert code.cross_entropy([[1000.0, 0.0]], [0]) == 0
    assert code.cross_entropy([[1000.0, 0.0]], [1]) == 1000


def check_nothing_counts(code):
    trace = code.cross_entropy_trace(np.ones((2, 3)), [IGNORED, IGNORED])
    assert (trace.loss, trace.n_counted) == (0, 0)
    assert code.cross_entropy_backward(trace, [IGNORED, IGNORED]).tolist() == [[0] * 3] * 2


def check_smoothing(code):
    logits, labels = batch()
    expected = by_loops(logits, labels, smoothing=0.1)
    assert code.cross_entropy(logits, labels, label_smoothing=0.1) == pytest.approx(expected, rel=1e-13)


def check_gradient_exact(code):
    trace = code.cross_entropy_trace(np.log([[0.7, 0.2, 0.1], [0.5, 0.25, 0.25]]), [1, 0])
    gradient = code.cross_entropy_backward(trace, [1, 0])
    assert_allclose(gradient, [[0.35, -0.4, 0.05], [-0.25, 0.125, 0.125]], rtol=1e-14)


def check_gradient_by_finite_differences(code):
    logits, labels = batch()
    for smoothing in (0.0, 0.1):
        trace = code.cross_entropy_trace(logits, labels, label_smoothing=smoothing)
        gradient = code.cross_entropy_backward(trace, labels, label_smoothing=smoothing)
        for index in np.ndindex(logits.shape):
            step = np.zeros_like(logits)
            step[index] = 1e-5
            rise = by_loops(logits + step, labels, smoothing) - by_loops(logits - step, labels, smoothing)
            assert gradient[index] == pytest.approx(rise / 2e-5, abs=1e-9)


def check_next_token(code):
    labels = code.next_token_labels([[5, 6, 7], [8, 9, 5]])
    assert labels.tolist() == [[6, 7, IGNORED], [9, 5, IGNORED]]
    assert code.next_token_labels([3, 4], ignore_label=0).tolist() == [4, 0]


def check_dtypes(code):
    """float16 logits are worked in float32: 40000 apart is nothing there."""
    logits, labels = batch()
    for dtype, rel in (("f2", 2e-3), ("f4", 1e-6), ("f8", 1e-13)):
        trace = code.cross_entropy_trace(logits.astype(dtype), labels)
        assert trace.loss == pytest.approx(by_loops(logits, labels), rel=rel)
        assert trace.log_probabilities.dtype == max(np.dtype(dtype), np.dtype("f4"))
    trace = code.cross_entropy_trace(np.array([[40000, -40000]], "f2"), [1])
    assert trace.loss == 80000


def check_inputs_untouched(code):
    logits, labels = batch()
    before = logits.copy(), labels.copy()
    trace = code.cross_entropy_trace(logits, labels)
    kept = trace.log_probabilities.copy()
    code.cross_entropy_backward(trace, labels)
    assert np.array_equal(logits, before[0])
    assert np.array_equal(labels, before[1])
    assert np.array_equal(trace.log_probabilities, kept)


def test_loss(check, run_check):
    run_check(check, loss)


def test_wrong_loss_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- properties


@given(
    rows=st.integers(1, 5), width=st.integers(1, 6), seed=st.integers(0, 99), shift=st.floats(-100, 100),
    smoothing=st.sampled_from([0.0, 0.2]),
)  # fmt: skip
def test_shift_of_a_row_changes_nothing_and_its_gradient_sums_to_zero(rows, width, seed, shift, smoothing):
    rng = np.random.default_rng(seed)
    logits, labels = rng.standard_normal((rows, width)), rng.integers(0, width, rows)
    first = cross_entropy(logits, labels, label_smoothing=smoothing)
    assert first >= 0
    assert cross_entropy(logits + shift, labels, label_smoothing=smoothing) == pytest.approx(first, abs=1e-12)
    trace = loss.cross_entropy_trace(logits, labels, label_smoothing=smoothing)
    gradient = loss.cross_entropy_backward(trace, labels, label_smoothing=smoothing)
    assert_allclose(gradient.sum(axis=-1), np.zeros(rows), atol=1e-15)


# --- edges


def test_not_finite():
    assert math.isnan(cross_entropy([[NAN, 0.0]], [1]))
    assert math.isnan(cross_entropy([[INF, 0.0]], [1]))
    assert cross_entropy([[-INF, 0.0]], [0]) == INF
    assert cross_entropy([[-INF, 0.0]], [1]) == 0


def test_no_rows():
    assert cross_entropy(np.zeros((0, 3)), np.zeros(0, int)) == 0


def test_unsigned_labels():
    assert cross_entropy([[0.0, 0.0]], np.array([1], np.uint8)) == pytest.approx(math.log(2))


def test_perplexity_of_an_even_choice():
    assert perplexity(cross_entropy(np.zeros((3, 11)), [1, 2, 3])) == pytest.approx(11)


@pytest.mark.parametrize(
    ("logits", "labels", "options", "error", "message"),
    [
        (np.ones((2, 3)), [1], {}, ShapeError,
         "labels must have the shape of logits without its last axis, got labels (1,), logits (2, 3)"),
        (np.ones((1, 3)), [3], {}, ValueError, "labels must lie in 0..2 or be ignore_label=-100, got 3"),
        (np.ones((1, 3)), [-1], {}, ValueError, "labels must lie in 0..2 or be ignore_label=-100, got -1"),
        (np.ones((1, 3)), [1.0], {}, TypeError, "labels must be integers, got dtype float64"),
        (np.ones((1, 3)), [1], {"label_smoothing": 1.0}, ValueError,
         "label_smoothing must lie in 0 <= label_smoothing < 1, got 1.0"),
    ],
)  # fmt: skip
def test_what_is_refused(logits, labels, options, error, message):
    with pytest.raises(error) as raised:
        cross_entropy(logits, labels, **options)
    assert str(raised.value) == message
