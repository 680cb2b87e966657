"""Cross-entropy over a vocabulary: how surprised the model is by the right token, on average.

A label that is `ignore_label` (padding, a prompt that is not to be learnt) counts in neither sum nor mean.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.activations import log_softmax
from transformer_core.arrays import BoolArray, FloatArray, IntArray, as_float, working_dtype
from transformer_core.errors import ShapeError

IGNORED = -100  # PyTorch's and Hugging Face's number for it


class CrossEntropyTrace(NamedTuple):
    """Every step of the loss; the steps are in float32 where the logits are float16."""

    log_probabilities: FloatArray  # (..., vocab_size)
    counted: BoolArray  # (...) False where the label is ignored
    losses: FloatArray  # (...) -log p(label), 0 where ignored
    n_counted: int
    loss: float  # sum of the losses / n_counted; 0.0 where nothing is counted


def cross_entropy(
    logits: npt.ArrayLike,  # (..., vocab_size)
    labels: npt.ArrayLike,  # (...) integers
    *,
    ignore_label: int = IGNORED,
    label_smoothing: float = 0.0,
) -> float:
    """The mean of -log softmax(logits)[label] over the labels that count.

    The log is taken inside the softmax, so a probability that underflows still has a finite loss. With
    label_smoothing e the target is 1 - e on the label plus e spread evenly over the whole vocabulary. Where
    every label is ignored there is nothing to learn: 0.0, and a gradient of zeros (PyTorch: NaN).
    NaN or inf among the logits of a label that counts gives NaN, -inf for the label itself gives inf.
    Raises ShapeError, TypeError for labels that are no integers, ValueError for one outside the vocabulary.

    >>> round(cross_entropy([[0.0, 0.0], [9.0, 0.0]], [1, IGNORED]), 4)  # log 2
    0.6931
    """
    return cross_entropy_trace(
        logits, labels, ignore_label=ignore_label, label_smoothing=label_smoothing
    ).loss


def cross_entropy_trace(
    logits: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    ignore_label: int = IGNORED,
    label_smoothing: float = 0.0,
) -> CrossEntropyTrace:
    """`cross_entropy` with every step kept.

    >>> cross_entropy_trace([[0.0, 0.0], [9.0, 0.0]], [1, IGNORED]).losses.round(4)
    array([0.6931, 0.    ])
    """
    scores = as_float("logits", logits)
    targets, counted = checked_labels(scores, labels, ignore_label, label_smoothing)
    log_probabilities = log_softmax(scores.astype(working_dtype(scores), copy=False))
    label = np.where(counted, targets, 0)[..., None]
    losses = -np.take_along_axis(log_probabilities, label, axis=-1)[..., 0]
    if label_smoothing:
        losses = (1 - label_smoothing) * losses - label_smoothing * log_probabilities.mean(axis=-1)
    losses = np.where(counted, losses, 0)  # select: an ignored row may hold anything
    n_counted = int(counted.sum())
    loss = float(losses.sum() / max(n_counted, 1))
    return CrossEntropyTrace(log_probabilities, counted, losses, n_counted, loss)


def cross_entropy_backward(
    trace: CrossEntropyTrace,
    labels: npt.ArrayLike,
    *,
    label_smoothing: float = 0.0,
) -> FloatArray:  # (..., vocab_size)
    """The gradient of the mean loss by the logits: (softmax - target) / n_counted, 0 in ignored rows.

    >>> trace = cross_entropy_trace([[0.0, 0.0], [9.0, 0.0]], [1, IGNORED])
    >>> cross_entropy_backward(trace, [1, IGNORED])
    array([[ 0.5, -0.5],
           [ 0. ,  0. ]])
    """
    label = np.where(trace.counted, np.asarray(labels), 0)[..., None]
    gradient = np.exp(trace.log_probabilities) - label_smoothing / trace.log_probabilities.shape[-1]
    at_label = np.take_along_axis(gradient, label, axis=-1) - (1 - label_smoothing)
    np.put_along_axis(gradient, label, at_label, axis=-1)
    return np.where(trace.counted[..., None], gradient, 0) / max(trace.n_counted, 1)


def next_token_labels(token_ids: npt.ArrayLike, *, ignore_label: int = IGNORED) -> IntArray:  # (..., S)
    """Position i is to predict token i + 1; the last position has nothing to predict and is ignored.

    >>> next_token_labels([5, 6, 7])
    array([   6,    7, -100])
    """
    ids = np.asarray(token_ids)
    labels = np.full(ids.shape, ignore_label, dtype=int)
    labels[..., :-1] = ids[..., 1:]
    return labels


def checked_labels(
    logits: FloatArray, labels: npt.ArrayLike, ignore_label: int, label_smoothing: float
) -> tuple[IntArray, BoolArray]:
    """The labels as integers and which of them count; errors as `cross_entropy` says."""
    targets = np.asarray(labels)
    if targets.dtype.kind not in "iu":
        raise TypeError(f"labels must be integers, got dtype {targets.dtype}")
    if logits.ndim < 1 or targets.shape != logits.shape[:-1]:
        raise ShapeError(
            f"labels must have the shape of logits without its last axis, "
            f"got labels {targets.shape}, logits {logits.shape}"
        )
    if not 0 <= label_smoothing < 1:
        raise ValueError(f"label_smoothing must lie in 0 <= label_smoothing < 1, got {label_smoothing}")
    counted = targets != ignore_label
    wrong = targets[counted & ~((targets >= 0) & (targets < logits.shape[-1]))]
    if wrong.size:
        raise ValueError(
            f"labels must lie in 0..{logits.shape[-1] - 1} or be ignore_label={ignore_label}, got {wrong[0]}"
        )
    return targets, counted


def perplexity(loss: float) -> float:
    """e ** loss: among how many equally likely tokens the model seems to be choosing.

    >>> round(perplexity(cross_entropy([[1.0, 1.0, 1.0]], [2])), 6)
    3.0
    """
    return float(np.exp(loss))
