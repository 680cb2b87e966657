"""Softmax and its relatives, and the activation functions of the feed-forward layer.

Every softmax here subtracts the row's maximum first: the weights are the same, and no exp() overflows.
A row that is all -inf has nothing to choose from; its weights are zeros, on purpose, where 0/0 would give NaN.
A row with +inf or NaN has no answer; its weights are NaN.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray, as_float, cast, working_dtype


class SoftmaxTrace(NamedTuple):
    """Every step of a softmax; all but the two sums have the shape of the input."""

    maximum: FloatArray  # of each row, with the axis kept at size 1
    shifted: FloatArray  # x - maximum
    exponentials: FloatArray  # e ** shifted
    total: FloatArray  # sum of the exponentials, with the axis kept at size 1
    weights: FloatArray  # exponentials / total


def finite_shift(maximum: FloatArray) -> FloatArray:
    """What to subtract from a row with this maximum, so that inf - inf never happens.

    -inf (nothing visible) becomes 0, and e ** (-inf - 0) is 0. +inf becomes NaN, which makes its row NaN.
    """
    shift = np.where(np.isneginf(maximum), 0, np.where(np.isposinf(maximum), np.nan, maximum))
    return shift.astype(maximum.dtype, copy=False)


def divisor(total: FloatArray) -> FloatArray:
    """The row sums, with 1 for 0: an empty row is 0 / 1 and not 0 / 0."""
    return np.where(total == 0, 1, total).astype(total.dtype, copy=False)


def row_maximum(x: FloatArray, axis: int = -1) -> FloatArray:
    """The maximum along an axis that stays, at size 1; -inf where the axis is empty."""
    maximum: FloatArray = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    return maximum


def softmax(x: npt.ArrayLike, axis: int = -1) -> FloatArray:  # any shape -> the same shape
    """e ** x_i / sum_j e ** x_j along the axis.

    >>> softmax([1, 2, 3]).round(3)
    array([0.09 , 0.245, 0.665])
    >>> softmax([-np.inf, -np.inf])
    array([0., 0.])
    """
    scores = as_float("x", x)
    work = scores.astype(working_dtype(scores))  # a copy: the steps below write into it
    work -= finite_shift(row_maximum(work, axis))
    np.exp(work, out=work)
    work /= divisor(work.sum(axis=axis, keepdims=True))
    return cast(work, scores.dtype)
