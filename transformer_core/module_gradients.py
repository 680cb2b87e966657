"""Gradients by hand of the modules: attention, multi-head attention, feed-forward; the rules: `gradients`."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from transformer_core.activations import ActivationName
from transformer_core.arrays import FloatArray
from transformer_core.attention import AttentionTrace, repeat_kv_heads
from transformer_core.feed_forward import (
    FeedForwardParams,
    FeedForwardTrace,
    GatedFeedForwardParams,
    GatedFeedForwardTrace,
)
from transformer_core.gradients import SLOPES, linear_backward, softmax_backward
from transformer_core.multi_head import AttentionParams, MultiHeadTrace, merge_heads, split_heads


class AttentionGradients(NamedTuple):
    """By each input of attention."""

    query: FloatArray  # (..., S_q, d_k)
    key: FloatArray  # (..., S_k, d_k)
    value: FloatArray  # (..., S_k, d_v)
    masked: (
        FloatArray  # (..., S_q, S_k) by the scores after the mask; summed where it was laid, by a float mask
    )


def attention_backward(
    gradient: FloatArray,  # (..., S_q, d_v)
    trace: AttentionTrace,
    query: FloatArray,
    key: FloatArray,
    value: FloatArray,
    *,
    scale: float | None = None,
    soft_cap: float | None = None,
    enable_gqa: bool = False,
) -> AttentionGradients:
    """Backwards through output = weights V, the softmax, the cap, the scale and scores = Q K^T.

    The options are those of the forward pass. With enable_gqa each key and value head gathers the gradients
    of the query heads that it serves. A hidden pair has weight 0 and passes nothing on.

    >>> from transformer_core.attention import attention_trace
    >>> query, key, value = np.array([[1.0, 0.0]]), np.eye(2), np.array([[5.0], [7.0]])
    >>> trace = attention_trace(query, key, value)
    >>> attention_backward(np.array([[1.0]]), trace, query, key, value).value.round(4)
    array([[0.6698],
           [0.3302]])
    """
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    shared_key, shared_value = key, value
    if enable_gqa:
        shared_key, shared_value = (repeat_kv_heads(heads, query.shape[-3]) for heads in (key, value))
    d_weights = gradient @ shared_value.swapaxes(-1, -2)  # (..., S_q, S_k)
    d_value = trace.weights.swapaxes(-1, -2) @ gradient  # (..., S_k, d_v)
    d_masked = softmax_backward(d_weights, trace.weights)
    d_scores = d_masked * scale
    if soft_cap is not None:
        d_scores = d_scores * (1 - np.square(trace.capped / soft_cap))  # the slope of tanh
    d_query = d_scores @ shared_key  # (..., S_q, d_k)
    d_key = d_scores.swapaxes(-1, -2) @ query  # (..., S_k, d_k)
    if enable_gqa:
        d_key, d_value = (_gather_heads(heads, key.shape[-3]) for heads in (d_key, d_value))
    return AttentionGradients(
        sum_to(d_query, query.shape), sum_to(d_key, key.shape), sum_to(d_value, value.shape), d_masked
    )


def _gather_heads(gradient: FloatArray, n_kv_heads: int) -> FloatArray:
    """Undo `repeat_kv_heads`: (..., n_heads, S, d) -> (..., n_kv_heads, S, d), each group added up."""
    n_heads, S, d = gradient.shape[-3:]
    grouped = gradient.reshape(*gradient.shape[:-3], n_kv_heads, n_heads // n_kv_heads, S, d)
    total: FloatArray = grouped.sum(axis=-3)
    return total


def sum_to(gradient: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Undo broadcasting: what was used in many places gathers the gradients of them all.

    >>> sum_to(np.ones((2, 3)), (3,))
    array([2., 2., 2.])
    """
    extra = gradient.ndim - len(shape)
    spread = tuple(range(extra)) + tuple(
        axis for axis, size in enumerate(shape, start=extra) if size == 1 and gradient.shape[axis] != 1
    )
    total: FloatArray = gradient.sum(axis=spread, keepdims=True) if spread else gradient
    return total.reshape(shape)


class MultiHeadGradients(NamedTuple):
    """By each input of multi-head attention; in self-attention x and context are one, so add the two."""

    x: FloatArray  # (..., S_q, d_model)
    context: FloatArray  # (..., S_k, d_context)
    params: AttentionParams


def multi_head_backward(
    gradient: FloatArray,  # (..., S_q, d_model)
    trace: MultiHeadTrace,
    x: FloatArray,  # (..., S_q, d_model)
    context: FloatArray,  # (..., S_k, d_context)
    params: AttentionParams,
    *,
    rotate_back: Callable[[FloatArray], FloatArray] | None = None,
    scale: float | None = None,
    soft_cap: float | None = None,
) -> MultiHeadGradients:
    """Backwards through W_O, the heads, and the three projections.

    rotate_back undoes the turn of query and key heads: a turn keeps lengths, so the gradient turns back by
    the same angle.

    >>> from transformer_core.multi_head import multi_head_trace
    >>> x, one = np.ones((3, 2)), np.ones((2, 2))
    >>> params = AttentionParams(one, one, one, one)
    >>> trace = multi_head_trace(x, params, n_heads=2)
    >>> multi_head_backward(np.ones((3, 2)), trace, x, x, params).params.W_O
    array([[6., 6.],
           [6., 6.]])
    """
    out = linear_backward(gradient, trace.concat, params.W_O)
    d_heads = split_heads(out.x, trace.query.shape[-3])
    heads = attention_backward(
        d_heads, trace.attention, trace.query, trace.key, trace.value,
        scale=scale, soft_cap=soft_cap, enable_gqa=True,
    )  # fmt: skip
    d_query, d_key = heads.query, heads.key
    if rotate_back is not None:
        d_query, d_key = rotate_back(d_query), rotate_back(d_key)
    query = linear_backward(merge_heads(d_query), x, params.W_Q)
    key = linear_backward(merge_heads(d_key), context, params.W_K)
    value = linear_backward(merge_heads(heads.value), context, params.W_V)
    d_params = AttentionParams(
        query.W,
        key.W,
        value.W,
        out.W,
        None if params.b_Q is None else query.b,
        None if params.b_K is None else key.b,
        None if params.b_V is None else value.b,
        None if params.b_O is None else out.b,
    )
    return MultiHeadGradients(query.x, key.x + value.x, d_params)


class FeedForwardGradients(NamedTuple):
    """By each input of the plain feed-forward layer."""

    x: FloatArray  # (..., d_model)
    params: FeedForwardParams


class GatedFeedForwardGradients(NamedTuple):
    """By each input of the gated feed-forward layer."""

    x: FloatArray  # (..., d_model)
    params: GatedFeedForwardParams


def feed_forward_backward(
    gradient: FloatArray,  # (..., d_model)
    trace: FeedForwardTrace,
    x: FloatArray,  # (..., d_model)
    params: FeedForwardParams,
    *,
    activation: ActivationName = "relu",
) -> FeedForwardGradients:
    """Backwards through W_2, the activation, W_1.

    >>> from transformer_core.feed_forward import feed_forward_trace
    >>> params = FeedForwardParams(W_1=np.array([[1.0, -1.0]]), W_2=np.array([[2.0], [3.0]]))
    >>> x = np.array([[5.0]])
    >>> feed_forward_backward(np.array([[1.0]]), feed_forward_trace(x, params), x, params).params.W_1
    array([[10.,  0.]])
    """
    second = linear_backward(gradient, trace.activated, params.W_2)
    first = linear_backward(second.x * SLOPES[activation](trace.hidden), x, params.W_1)
    d_params = FeedForwardParams(
        first.W,
        second.W,
        None if params.b_1 is None else first.b,
        None if params.b_2 is None else second.b,
    )
    return FeedForwardGradients(first.x, d_params)


def gated_feed_forward_backward(
    gradient: FloatArray,  # (..., d_model)
    trace: GatedFeedForwardTrace,
    x: FloatArray,  # (..., d_model)
    params: GatedFeedForwardParams,
    *,
    activation: ActivationName = "silu",
) -> GatedFeedForwardGradients:
    """Backwards through W_down, the product, and the two branches, whose gradients by x add up.

    >>> from transformer_core.feed_forward import gated_feed_forward_trace
    >>> params = GatedFeedForwardParams(np.array([[1.0]]), np.array([[2.0]]), np.array([[1.0]]))
    >>> x = np.array([[3.0]])
    >>> trace = gated_feed_forward_trace(x, params, activation="relu")  # 2 x ** 2 for positive x
    >>> gated_feed_forward_backward(np.array([[1.0]]), trace, x, params, activation="relu").x
    array([[12.]])
    """
    down = linear_backward(gradient, trace.gated, params.W_down)
    gate = linear_backward(down.x * trace.up * SLOPES[activation](trace.gate), x, params.W_gate)
    up = linear_backward(down.x * trace.activated, x, params.W_up)
    return GatedFeedForwardGradients(gate.x + up.x, GatedFeedForwardParams(gate.W, up.W, down.W))
