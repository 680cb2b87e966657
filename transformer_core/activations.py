"""Softmax and its relatives, and the activation functions of the feed-forward layer.

Every softmax here subtracts the row's maximum first: the weights are the same, and no exp() overflows.
A row that is all -inf has nothing to choose from; its weights are zeros, on purpose, where 0 / 0 would
give NaN. A row with +inf or NaN has no answer; its weights are NaN. The activation functions take their
limits at -inf and +inf, and NaN stays NaN.
"""

import math
from collections.abc import Callable
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray, as_float, cast, non_finite_is_answer, working_dtype
from transformer_core.error_function import erf
from transformer_core.errors import check_choice, check_shape

ActivationName = Literal["relu", "gelu", "gelu-tanh", "silu"]


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
    return _softmax_steps(x, axis, keep=False).weights


def softmax_trace(
    x: npt.ArrayLike,
    axis: int = -1,
    *,
    subtract_max: bool = True,
    dtype: npt.DTypeLike = None,
) -> SoftmaxTrace:
    """`softmax` with every step kept; the same code.

    To see why the maximum is subtracted, leave it in and choose the dtype to work in (float32 at least,
    unless given): e ** 12 is inf in float16.

    >>> softmax_trace([1, 2, 3]).shifted
    array([-2., -1.,  0.])
    >>> softmax_trace([1, 12], subtract_max=False, dtype=np.float16).exponentials
    array([2.719,   inf], dtype=float16)
    """
    return _softmax_steps(x, axis, subtract_max=subtract_max, dtype=dtype, keep=True)


def _softmax_steps(
    x: npt.ArrayLike, axis: int, *, subtract_max: bool = True, dtype: npt.DTypeLike = None, keep: bool
) -> SoftmaxTrace:
    """The one softmax. keep=False writes each step over the one before; then only `weights` is meant."""
    scores = as_float("x", x)
    work = cast(scores, working_dtype(scores) if dtype is None else dtype)
    maximum = row_maximum(work, axis)
    with non_finite_is_answer():
        shifted = work - (finite_shift(maximum) if subtract_max else np.zeros_like(maximum))
        exponentials = np.exp(shifted, out=None if keep else shifted)
        total = exponentials.sum(axis=axis, keepdims=True)
        weights = np.divide(exponentials, divisor(total), out=None if keep else exponentials)
    return SoftmaxTrace(maximum, shifted, exponentials, total, cast(weights, scores.dtype))


def log_softmax(x: npt.ArrayLike, axis: int = -1) -> FloatArray:  # any shape -> the same shape
    """log(softmax(x)), right where the softmax itself underflows to 0; all -inf where nothing is visible.

    >>> log_softmax([0, -1000])
    array([    0., -1000.])
    """
    scores = as_float("x", x)
    work = scores.astype(working_dtype(scores), copy=False)
    shifted = work - finite_shift(row_maximum(work, axis))
    total = np.exp(shifted).sum(axis=axis, keepdims=True)
    return cast(shifted - np.log(divisor(total)), scores.dtype)


def entropy(weights: npt.ArrayLike, axis: int = -1) -> FloatArray:  # (..., n) -> (...)
    """-sum p log p in nats: 0 for all weight on one key, log(n) for n equal weights. 0 log 0 counts as 0.

    >>> entropy([[0.5, 0.5], [1, 0]]).round(4)
    array([0.6931, 0.    ])
    """
    array = as_float("weights", weights)
    work = array.astype(working_dtype(array), copy=False)
    # select, not multiply: 0 * log(0) is NaN
    logarithms = np.log(np.where(work == 0, 1, work))
    return cast(np.asarray(0 - (work * logarithms).sum(axis=axis)), array.dtype)


def softmax_jacobian(weights: npt.ArrayLike) -> FloatArray:  # (..., n) -> (..., n, n)
    """How each weight p_i moves with each score s_j: d p_i / d s_j = p_i * (i == j) - p_i * p_j.

    >>> softmax_jacobian([0.5, 0.5])
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    array = as_float("weights", weights)
    n = check_shape("weights", array, "... n")["n"]
    own = array[..., :, None] * np.eye(n, dtype=array.dtype)
    return own - array[..., :, None] * array[..., None, :]


def relu(x: npt.ArrayLike) -> FloatArray:  # any shape -> the same shape
    """max(x, 0).

    >>> relu([-1, 2])
    array([0., 2.])
    """
    return np.maximum(as_float("x", x), 0)


def sigmoid(x: npt.ArrayLike) -> FloatArray:  # any shape -> the same shape
    """1 / (1 + e ** -x), with e to a negative power on both sides of 0, so that nothing overflows.

    >>> sigmoid([0, -1000])
    array([0.5, 0. ])
    """
    array = as_float("x", x)
    work = array.astype(working_dtype(array), copy=False)
    small = np.exp(-np.abs(work))
    return cast(np.where(work >= 0, 1, small) / (1 + small), array.dtype)


def silu(x: npt.ArrayLike) -> FloatArray:  # any shape -> the same shape
    """x * sigmoid(x), also called swish.

    >>> silu([-1, 0, 1]).round(4)
    array([-0.2689,  0.    ,  0.7311])
    """
    array = as_float("x", x)
    work = array.astype(working_dtype(array), copy=False)
    return cast(_finite_left(work) * sigmoid(work), array.dtype)


def gelu(x: npt.ArrayLike, approximate: Literal["none", "tanh"] = "none") -> FloatArray:  # same shape
    """x times the share of a normal distribution below x: exact by erf, or GPT-2's approximation by tanh.

    >>> gelu([-1, 0, 1]).round(4)
    array([-0.1587,  0.    ,  0.8413])
    >>> gelu([1], approximate="tanh").round(4)
    array([0.8412])
    """
    check_choice("approximate", approximate, ("none", "tanh"))
    array = as_float("x", x)
    work = array.astype(working_dtype(array), copy=False)
    if approximate == "none":
        below = 0.5 * (1 + erf(work / math.sqrt(2)))
    else:
        bounded = np.clip(work, -30, 30)  # tanh is 1 long before, and the cube cannot overflow
        below = 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (bounded + 0.044715 * bounded**3)))
    return cast(_finite_left(work) * below, array.dtype)


def _finite_left(x: FloatArray) -> FloatArray:
    """x with 0 for -inf: there the other factor is 0, and -inf * 0 would be NaN where the limit is 0."""
    return np.where(np.isneginf(x), 0, x).astype(x.dtype, copy=False)


def _gelu_tanh(x: npt.ArrayLike) -> FloatArray:
    return gelu(x, approximate="tanh")


ACTIVATIONS: Final[dict[ActivationName, Callable[[npt.ArrayLike], FloatArray]]] = {
    "relu": relu,
    "gelu": gelu,
    "gelu-tanh": _gelu_tanh,
    "silu": silu,
}
