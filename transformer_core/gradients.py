"""Gradients by hand: how the loss moves with the input and the parameters of each simple operation.

Every function takes the gradient of the loss by an operation's output and gives it by each input, in the
shape of that input, from what the forward pass kept. It is the chain rule and nothing else:

    y = x W + b         dx = dy W^T          dW = x^T dy, summed over all tokens      db = dy, summed the same
    y = softmax(x)      dx = y * (dy - sum(dy * y))           the sum: one more weight here is one less there
    y = f(x)            dx = dy * f'(x)
    y = gamma n + beta  see `layer_norm_backward`

For float32 and float64: sums over many tokens have no place in float16.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.activations import ActivationName, sigmoid
from transformer_core.arrays import FloatArray, IntArray, working_dtype
from transformer_core.error_function import erf
from transformer_core.norms import LayerNormTrace, RMSNormTrace


class LinearGradients(NamedTuple):
    """By each input of x @ W + b."""

    x: FloatArray  # (..., d_in)
    W: FloatArray  # (d_in, d_out)
    b: FloatArray  # (d_out,)


class NormGradients(NamedTuple):
    """By each input of a norm; beta is None for RMS norm."""

    x: FloatArray  # (..., d_model)
    gamma: FloatArray  # (d_model,)
    beta: FloatArray | None  # (d_model,)


def linear_backward(
    gradient: FloatArray,  # (..., d_out)
    x: FloatArray,  # (..., d_in)
    W: npt.ArrayLike,  # (d_in, d_out)
) -> LinearGradients:
    """Each token adds its own share to W and b, so those are sums over every axis but the last.

    >>> linear_backward(np.array([[1.0], [10.0]]), np.array([[2.0, 3.0], [4.0, 5.0]]), [[7.0], [8.0]]).W
    array([[42.],
           [53.]])
    """
    tokens, gradients = x.reshape(-1, x.shape[-1]), gradient.reshape(-1, gradient.shape[-1])
    return LinearGradients(gradient @ np.asarray(W).T, tokens.T @ gradients, gradients.sum(axis=0))


def softmax_backward(gradient: FloatArray, weights: FloatArray) -> FloatArray:  # (..., n) -> (..., n)
    """weights * (gradient - sum(gradient * weights)): the Jacobian times the gradient, without the Jacobian.

    A row of zeros (nothing visible) gets zeros.

    >>> softmax_backward(np.array([1.0, 0.0]), np.array([0.5, 0.5]))
    array([ 0.25, -0.25])
    """
    row_term = (gradient * weights).sum(axis=-1, keepdims=True)
    by_score: FloatArray = weights * (gradient - row_term)
    return by_score


def relu_slope(x: FloatArray) -> FloatArray:
    """1 for positive x, else 0; at 0 itself, where there is no slope, 0 as in PyTorch.

    >>> relu_slope(np.array([-2.0, 0.0, 2.0]))
    array([0., 0., 1.])
    """
    return (x > 0).astype(x.dtype)


def silu_slope(x: FloatArray) -> FloatArray:
    """s + x s (1 - s) with s = sigmoid(x).

    >>> silu_slope(np.array([0.0, 1.0])).round(4)
    array([0.5   , 0.9277])
    """
    s = sigmoid(x)
    slope: FloatArray = s + _bounded(x) * s * (1 - s)
    return slope


def gelu_slope(x: FloatArray) -> FloatArray:
    """The share of a normal distribution below x, plus x times its density at x.

    >>> gelu_slope(np.array([0.0, 1.0])).round(4)
    array([0.5   , 1.0833])
    """
    bounded = _bounded(x)
    density = np.exp(-(bounded**2) / 2) / math.sqrt(2 * math.pi)
    slope: FloatArray = 0.5 * (1 + erf(bounded / math.sqrt(2))) + bounded * density
    return slope


def gelu_tanh_slope(x: FloatArray) -> FloatArray:
    """The slope of 0.5 x (1 + tanh(u)), u = sqrt(2 / pi) (x + 0.044715 x ** 3).

    >>> gelu_tanh_slope(np.array([0.0, 1.0])).round(4)
    array([0.5  , 1.083])
    """
    bounded = _bounded(x)
    inner = math.sqrt(2 / math.pi) * (bounded + 0.044715 * bounded**3)
    inner_slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * bounded**2)
    tanh = np.tanh(inner)
    slope: FloatArray = 0.5 * (1 + tanh) + 0.5 * bounded * (1 - tanh**2) * inner_slope
    return slope


def _bounded(x: FloatArray) -> FloatArray:
    """Beyond 100 every slope here is 0 or 1 to the last bit; staying there keeps inf * 0 away."""
    bounded: FloatArray = np.clip(x.astype(working_dtype(x)), -100, 100)
    return bounded


SLOPES: dict[ActivationName, Callable[[FloatArray], FloatArray]] = {
    "relu": relu_slope,
    "gelu": gelu_slope,
    "gelu-tanh": gelu_tanh_slope,
    "silu": silu_slope,
}


def layer_norm_backward(
    gradient: FloatArray,  # (..., d_model)
    trace: LayerNormTrace,
    gamma: npt.ArrayLike,  # (d_model,)
) -> NormGradients:
    """Of a layer norm over the last axis. With n the normalised vector and dn = gamma * gradient:

        dx = inverse_std * (dn - mean(dn) - n * mean(dn * n))

    The two means are what the norm takes away: a push that is equal for all entries changes nothing, and
    neither does one along the vector itself.

    >>> from transformer_core.norms import layer_norm_trace
    >>> trace = layer_norm_trace([1.0, 2.0, 4.0])
    >>> layer_norm_backward(np.ones(3), trace, np.ones(3)).x.round(4) + 0.0
    array([0., 0., 0.])
    """
    n, dn = trace.normalized, gradient * np.asarray(gamma)
    along = (dn * n).mean(axis=-1, keepdims=True)
    dx = trace.inverse_std * (dn - dn.mean(axis=-1, keepdims=True) - n * along)
    return NormGradients(dx, _over_tokens(gradient * n), _over_tokens(gradient))


def rms_norm_backward(
    gradient: FloatArray,  # (..., d_model)
    trace: RMSNormTrace,
    gamma: npt.ArrayLike,  # (d_model,)
) -> NormGradients:
    """Of an RMS norm over the last axis: as layer norm, but no mean was taken away, so none goes here.

    >>> from transformer_core.norms import rms_norm_trace
    >>> trace = rms_norm_trace([3.0, 4.0], eps=0)
    >>> rms_norm_backward(np.array([3.0, 4.0]), trace, np.ones(2)).x.round(4) + 0.0
    array([0., 0.])
    """
    n, dn = trace.normalized, gradient * np.asarray(gamma)
    along = (dn * n).mean(axis=-1, keepdims=True)
    return NormGradients(trace.inverse_rms * (dn - n * along), _over_tokens(gradient * n), None)


def embedding_backward(
    gradient: FloatArray,  # (..., S, d_model)
    token_ids: IntArray,  # (..., S)
    rows: int,
) -> FloatArray:  # (rows, d_model)
    """Each row of the table gathers the gradients of all the places where its token stands.

    >>> embedding_backward(np.array([[1.0], [2.0], [4.0]]), np.array([0, 2, 0]), rows=3).ravel()
    array([5., 0., 2.])
    """
    table = np.zeros((rows, gradient.shape[-1]), gradient.dtype)
    np.add.at(table, token_ids, gradient)  # table[ids] += would count a repeated token once
    return table


def _over_tokens(values: FloatArray) -> FloatArray:
    """The sum over every axis but the last."""
    total: FloatArray = values.reshape(-1, values.shape[-1]).sum(axis=0)
    return total
