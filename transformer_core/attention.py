"""Scaled dot-product attention: softmax(Q K^T / sqrt(d_k)) V, plain and with every step kept.

"Attention Is All You Need" (Vaswani et al., 2017), section 3.2.1.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.activations import divisor, finite_shift, row_maximum
from transformer_core.arrays import FloatArray, as_float, cast, matmul, non_finite_is_answer, working_dtype
from transformer_core.attn_mask import checked_mask, mask_in_place
from transformer_core.errors import broadcast_leading, check_divides, check_positive, check_shape
from transformer_core.masks import Alignment, causal_mask


class AttentionTrace(NamedTuple):
    """Every step of attention, in order; those before `weights` are in float32 where the input is float16.

    A step that changes nothing (no soft-cap, no mask) is the very array of the step before.
    """

    scores: FloatArray  # (..., S_q, S_k) query times key
    scaled: FloatArray  # (..., S_q, S_k) scores * scale
    capped: FloatArray  # (..., S_q, S_k) soft_cap * tanh(scaled / soft_cap); scaled itself without a cap
    masked: FloatArray  # (..., S_q, S_k) hidden places are -inf
    row_max: FloatArray  # (..., S_q, 1)   -inf where a row sees no key
    exponentials: FloatArray  # (..., S_q, S_k) e ** (masked - row_max)
    row_sums: FloatArray  # (..., S_q, 1)   0 where a row sees no key
    weights: FloatArray  # (..., S_q, S_k) exponentials / row_sums
    output: FloatArray  # (..., S_q, d_v) weights times value


def scaled_dot_product_attention(
    query: npt.ArrayLike,  # (..., S_q, d_k)
    key: npt.ArrayLike,  # (..., S_k, d_k)
    value: npt.ArrayLike,  # (..., S_k, d_v)
    attn_mask: npt.ArrayLike | None = None,  # broadcasts to (..., S_q, S_k)
    *,
    is_causal: bool = False,
    alignment: Alignment = "top-left",
    scale: float | None = None,
    soft_cap: float | None = None,
    enable_gqa: bool = False,
) -> FloatArray:  # (..., S_q, d_v)
    """Each query's mixture of the values, weighted by how well its key matches.

    attn_mask: bool, True takes part; or float, added to the scores, -inf hides. is_causal hides later keys
    as well, with `alignment` as in `causal_mask`. scale is 1 / sqrt(d_k) unless given. soft_cap bends the
    scaled scores into (-soft_cap, soft_cap), before the mask. enable_gqa: axis -3 of key and value may hold
    fewer heads than that of query; each serves n_heads / n_kv_heads query heads that stand side by side.

    A row with no visible key gives zeros, on purpose. inf or NaN in a query or in a visible key gives NaN in
    the rows that meet it; in a value it reaches every row, through a weight of 0 too, since 0 * NaN is NaN.
    Raises ShapeError where shapes do not fit, TypeError for an integer mask.

    >>> query, key, value = [[1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]], [[5.0], [7.0]]
    >>> scaled_dot_product_attention(query, key, value).round(4)
    array([[6.3395]])
    >>> scaled_dot_product_attention(query, key, value, [[True, False]])
    array([[5.]])
    """
    options = _Options(is_causal, alignment, scale, soft_cap, enable_gqa)
    return _attend(query, key, value, attn_mask, options, keep=False).output


def attention_trace(
    query: npt.ArrayLike,
    key: npt.ArrayLike,
    value: npt.ArrayLike,
    attn_mask: npt.ArrayLike | None = None,
    *,
    is_causal: bool = False,
    alignment: Alignment = "top-left",
    scale: float | None = None,
    soft_cap: float | None = None,
    enable_gqa: bool = False,
) -> AttentionTrace:
    """`scaled_dot_product_attention` with every step kept; the same code, the same output to the last bit.

    >>> attention_trace([[1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]], [[5.0], [7.0]]).scores
    array([[0., 1.]])
    """
    options = _Options(is_causal, alignment, scale, soft_cap, enable_gqa)
    return _attend(query, key, value, attn_mask, options, keep=True)


class _Options(NamedTuple):
    is_causal: bool
    alignment: Alignment
    scale: float | None
    soft_cap: float | None
    enable_gqa: bool


def _attend(
    query: npt.ArrayLike,
    key: npt.ArrayLike,
    value: npt.ArrayLike,
    attn_mask: npt.ArrayLike | None,
    options: _Options,
    *,
    keep: bool,
) -> AttentionTrace:
    """The one attention. keep=False writes each step over the one before: one (S_q, S_k) array, not six.

    Then only `output` means anything in the trace.
    """
    q, k, v = as_float("query", query), as_float("key", key), as_float("value", value)
    d_k = check_shape("query", q, "... S_q d_k")["d_k"]
    S_k = check_shape("key", k, "... S_k d_k", d_k=d_k)["S_k"]
    check_shape("value", v, "... S_k d_v", S_k=S_k)
    check_positive(d_k=d_k)
    if options.enable_gqa:
        n_heads = check_shape("query", q, "... n_heads S_q d_k")["n_heads"]
        k, v = repeat_kv_heads(k, n_heads), repeat_kv_heads(v, n_heads)
    broadcast_leading(query=q, key=k, value=v)
    answer, work = np.result_type(q, k, v), working_dtype(q, k, v)
    q, k, v = (array.astype(work, copy=False) for array in (q, k, v))
    scale = 1 / math.sqrt(d_k) if options.scale is None else options.scale

    scores = matmul(q, k.swapaxes(-1, -2))  # (..., S_q, S_k)
    into = None if keep else scores
    with non_finite_is_answer():
        scaled = np.multiply(scores, work.type(scale), out=into)
    capped = scaled if options.soft_cap is None else soft_cap_scores(scaled, options.soft_cap, out=into)
    mixture = mix_values(capped, v, attn_mask, options.is_causal, options.alignment, keep=keep)
    weights = cast(mixture.weights, answer) if keep else mixture.weights
    return AttentionTrace(scores, scaled, capped, *mixture[:4], weights, cast(mixture.output, answer))


class Mixture(NamedTuple):
    """The second half of every attention; the fields are those of `AttentionTrace`."""

    masked: FloatArray
    row_max: FloatArray
    exponentials: FloatArray
    row_sums: FloatArray
    weights: FloatArray
    output: FloatArray


def mix_values(
    scores: FloatArray,  # (..., S_q, S_k)
    value: FloatArray,  # (..., S_k, d_v)
    attn_mask: npt.ArrayLike | None = None,
    is_causal: bool = False,
    alignment: Alignment = "top-left",
    *,
    keep: bool = True,
) -> Mixture:
    """Mask, softmax over the keys, weighted sum of the values. keep=False writes over the scores.

    >>> mix_values(np.array([[0.0, 0.0]]), np.array([[2.0], [4.0]])).output
    array([[3.]])
    """
    masked = _mask_scores(scores, attn_mask, is_causal, alignment, keep=keep)
    row_max = row_maximum(masked)  # (..., S_q, 1)
    exponentials = np.subtract(masked, finite_shift(row_max), out=None if keep else masked)
    np.exp(exponentials, out=exponentials)
    row_sums = exponentials.sum(axis=-1, keepdims=True)  # (..., S_q, 1)
    # dividing the output and not the weights: d_v divisions a row in place of S_k. The undivided sum is at
    # most S_k times the largest value, so only a value beyond the dtype's maximum / S_k could overflow
    output = matmul(exponentials, value)  # (..., S_q, d_v)
    output /= divisor(row_sums)
    weights = exponentials / divisor(row_sums) if keep else exponentials
    return Mixture(masked, row_max, exponentials, row_sums, weights, output)


def _mask_scores(
    scores: FloatArray, attn_mask: npt.ArrayLike | None, is_causal: bool, alignment: Alignment, *, keep: bool
) -> FloatArray:
    """The scores with -inf wherever attn_mask or causality hides a key, and a float mask added elsewhere."""
    if attn_mask is None and not is_causal:
        return scores
    masked = scores.copy() if keep else scores
    if attn_mask is not None:
        mask_in_place(masked, checked_mask(attn_mask, scores.shape))
    if is_causal:
        np.copyto(masked, -np.inf, where=~causal_mask(*scores.shape[-2:], alignment=alignment))
    return masked


def soft_cap_scores(scores: FloatArray, soft_cap: float, out: FloatArray | None = None) -> FloatArray:
    """soft_cap * tanh(scores / soft_cap): close to the scores while they are small, never beyond the cap.

    Before the mask, always: after it, a hidden -inf would become -soft_cap and be seen again. (Gemma 2, 2024)

    >>> soft_cap_scores(np.array([0.1, 1000.0]), 50.0).round(4)
    array([ 0.1, 50. ])
    """
    check_positive(soft_cap=soft_cap)
    cap = scores.dtype.type(soft_cap)
    capped = np.divide(scores, cap, out=out)
    np.tanh(capped, out=capped)
    capped *= cap
    return capped


def repeat_kv_heads(x: FloatArray, n_heads: int) -> FloatArray:
    """(..., n_kv_heads, S, d) -> (..., n_heads, S, d): each head once for every query head that it serves.

    Side by side: 0 0 1 1 and not 0 1 0 1, so repeat and not tile.

    >>> repeat_kv_heads(np.array([[[1.0]], [[2.0]]]), 4).ravel()
    array([1., 1., 2., 2.])
    """
    n_kv_heads = check_shape("key and value", x, "... n_kv_heads S d")["n_kv_heads"]
    group = check_divides("n_kv_heads", n_kv_heads, "n_heads", n_heads)
    return x if group == 1 else np.repeat(x, group, axis=-3)
