"""Multi-head attention: the width is cut into heads, each attends on its own, W_O mixes what they found.

Fewer key and value heads than query heads make it grouped-query attention (GQA), one makes it multi-query
attention (MQA); a context makes it cross-attention.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray
from transformer_core.attention import AttentionTrace, attention_trace, scaled_dot_product_attention
from transformer_core.errors import check_divides, check_shape
from transformer_core.linear_layer import linear
from transformer_core.masks import Alignment


class AttentionParams(NamedTuple):
    """The four projections; the biases may be left out. d_context is d_model, but for cross-attention."""

    W_Q: npt.ArrayLike  # (d_model, n_heads * d_k)
    W_K: npt.ArrayLike  # (d_context, n_kv_heads * d_k)
    W_V: npt.ArrayLike  # (d_context, n_kv_heads * d_v)
    W_O: npt.ArrayLike  # (n_heads * d_v, d_model)
    b_Q: npt.ArrayLike | None = None  # (n_heads * d_k,)
    b_K: npt.ArrayLike | None = None  # (n_kv_heads * d_k,)
    b_V: npt.ArrayLike | None = None  # (n_kv_heads * d_v,)
    b_O: npt.ArrayLike | None = None  # (d_model,)


class MultiHeadTrace(NamedTuple):
    """Every step of multi-head attention."""

    query: FloatArray  # (..., n_heads, S_q, d_k) after `rotate`, where one is given
    key: FloatArray  # (..., n_kv_heads, S_k, d_k) the same
    value: FloatArray  # (..., n_kv_heads, S_k, d_v)
    attention: AttentionTrace  # of every head: weights (..., n_heads, S_q, S_k)
    concat: FloatArray  # (..., S_q, n_heads * d_v) the heads side by side
    output: FloatArray  # (..., S_q, d_model) concat W_O + b_O


def split_heads(x: FloatArray, n_heads: int) -> FloatArray:  # (..., S, n_heads * d) -> (..., n_heads, S, d)
    """Cut the last axis into heads and move them before the sequence. A view, not a copy.

    The order counts: reshape to (..., S, n_heads, d), then exchange two axes. A reshape straight to
    (..., n_heads, S, d) has the right shape and mixes the tokens up.

    >>> split_heads(np.array([[1, 2, 3, 4], [5, 6, 7, 8]]), 2)
    array([[[1, 2],
            [5, 6]],
    <BLANKLINE>
           [[3, 4],
            [7, 8]]])
    """
    sizes = check_shape("x", x, "... S width")
    d = check_divides("n_heads", n_heads, "width", sizes["width"])
    return x.reshape(*x.shape[:-1], n_heads, d).swapaxes(-2, -3)


def merge_heads(x: FloatArray) -> FloatArray:  # (..., n_heads, S, d) -> (..., S, n_heads * d)
    """The heads side by side again; undoes `split_heads`.

    >>> merge_heads(split_heads(np.array([[1, 2, 3, 4], [5, 6, 7, 8]]), 2))
    array([[1, 2, 3, 4],
           [5, 6, 7, 8]])
    """
    sizes = check_shape("x", x, "... n_heads S d")
    return x.swapaxes(-2, -3).reshape(*x.shape[:-3], sizes["S"], sizes["n_heads"] * sizes["d"])


def project_heads(
    x: npt.ArrayLike,  # (..., S_q, d_model)
    context: npt.ArrayLike,  # (..., S_k, d_context)
    params: AttentionParams,
    n_heads: int,
    n_kv_heads: int,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Query (..., n_heads, S_q, d_k), key (..., n_kv_heads, S_k, d_k), value (..., n_kv_heads, S_k, d_v).

    >>> params = AttentionParams(np.ones((4, 4)), np.ones((3, 2)), np.ones((3, 5)), np.ones((10, 4)))
    >>> query, key, value = project_heads(np.ones((7, 4)), np.ones((9, 3)), params, n_heads=2, n_kv_heads=1)
    >>> query.shape, key.shape, value.shape
    ((2, 7, 2), (1, 9, 2), (1, 9, 5))
    """
    query = split_heads(linear(x, params.W_Q, params.b_Q, name="W_Q", bias_name="b_Q"), n_heads)
    width = {"n_kv_heads*d_k": n_kv_heads * query.shape[-1]}
    check_shape("W_K", np.asarray(params.W_K), "d_context n_kv_heads*d_k", **width)
    key = split_heads(linear(context, params.W_K, params.b_K, name="W_K", bias_name="b_K"), n_kv_heads)
    value = split_heads(linear(context, params.W_V, params.b_V, name="W_V", bias_name="b_V"), n_kv_heads)
    return query, key, value


def multi_head_attention(
    x: npt.ArrayLike,  # (..., S_q, d_model)
    params: AttentionParams,
    n_heads: int,
    *,
    context: npt.ArrayLike | None = None,  # (..., S_k, d_context)
    n_kv_heads: int | None = None,
    attn_mask: npt.ArrayLike | None = None,  # broadcasts to (..., n_heads, S_q, S_k)
    is_causal: bool = False,
    alignment: Alignment = "top-left",
    scale: float | None = None,
    soft_cap: float | None = None,
    rotate: Callable[[FloatArray], FloatArray] | None = None,
) -> FloatArray:  # (..., S_q, d_model)
    """Self-attention over x, or cross-attention to a context: then key and value come from there.

    n_kv_heads is n_heads unless given (GQA; 1 is MQA). `rotate` turns query and key heads (..., S, d_k), as
    `rope` does. The rest is as in `scaled_dot_product_attention`. Raises ShapeError.

    >>> params = AttentionParams(W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2), W_O=[[0, 1], [1, 0]])
    >>> multi_head_attention([[1, 5], [3, 5]], params, n_heads=2, is_causal=True).round(4)
    array([[5.    , 1.    ],
           [5.    , 2.9951]])
    """
    query, key, value = _rotated_heads(x, params, n_heads, context, n_kv_heads, rotate)
    heads = scaled_dot_product_attention(
        query, key, value, attn_mask,
        is_causal=is_causal, alignment=alignment, scale=scale, soft_cap=soft_cap, enable_gqa=True,
    )  # fmt: skip
    return linear(merge_heads(heads), params.W_O, params.b_O, name="W_O", bias_name="b_O")


def multi_head_trace(
    x: npt.ArrayLike,
    params: AttentionParams,
    n_heads: int,
    *,
    context: npt.ArrayLike | None = None,
    n_kv_heads: int | None = None,
    attn_mask: npt.ArrayLike | None = None,
    is_causal: bool = False,
    alignment: Alignment = "top-left",
    scale: float | None = None,
    soft_cap: float | None = None,
    rotate: Callable[[FloatArray], FloatArray] | None = None,
) -> MultiHeadTrace:
    """`multi_head_attention` with every step kept.

    >>> params = AttentionParams(W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2), W_O=[[0, 1], [1, 0]])
    >>> multi_head_trace([[1, 5], [3, 5]], params, n_heads=2, is_causal=True).concat.round(4)
    array([[1.    , 5.    ],
           [2.9951, 5.    ]])
    """
    query, key, value = _rotated_heads(x, params, n_heads, context, n_kv_heads, rotate)
    attention = attention_trace(
        query, key, value, attn_mask,
        is_causal=is_causal, alignment=alignment, scale=scale, soft_cap=soft_cap, enable_gqa=True,
    )  # fmt: skip
    concat = merge_heads(attention.output)
    output = linear(concat, params.W_O, params.b_O, name="W_O", bias_name="b_O")
    return MultiHeadTrace(query, key, value, attention, concat, output)


def _rotated_heads(
    x: npt.ArrayLike,
    params: AttentionParams,
    n_heads: int,
    context: npt.ArrayLike | None,
    n_kv_heads: int | None,
    rotate: Callable[[FloatArray], FloatArray] | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """`project_heads` with its defaults filled in, and query and key turned."""
    query, key, value = project_heads(
        x, x if context is None else context, params, n_heads, n_heads if n_kv_heads is None else n_kv_heads
    )
    return (query, key, value) if rotate is None else (rotate(query), rotate(key), value)
