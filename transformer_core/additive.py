"""Additive attention: the score of a pair is a small network's answer. (Bahdanau, Cho, Bengio, 2015)

    score(q, k) = v . tanh(q W_query + k W_key)

The two projections are per token; the tanh is per pair, an array (S_q, S_k, d_attention) that no matrix
product makes. That is what the dot product spares.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray, as_float, cast, matmul, working_dtype
from transformer_core.attention import mix_values
from transformer_core.errors import check_shape
from transformer_core.linear_layer import linear


class AdditiveParams(NamedTuple):
    """The score network; d_q and d_key may differ, which a dot product would not allow."""

    W_query: npt.ArrayLike  # (d_q, d_attention)
    W_key: npt.ArrayLike  # (d_key, d_attention)
    v: npt.ArrayLike  # (d_attention,)


class AdditiveTrace(NamedTuple):
    """Every step of additive attention."""

    query_part: FloatArray  # (..., S_q, d_attention) query W_query
    key_part: FloatArray  # (..., S_k, d_attention) key W_key
    hidden: FloatArray  # (..., S_q, S_k, d_attention) tanh of each pair's sum
    scores: FloatArray  # (..., S_q, S_k) hidden . v
    masked: FloatArray  # (..., S_q, S_k) hidden places are -inf
    weights: FloatArray  # (..., S_q, S_k)
    output: FloatArray  # (..., S_q, d_v)


def additive_attention(
    query: npt.ArrayLike,  # (..., S_q, d_q)
    key: npt.ArrayLike,  # (..., S_k, d_key)
    value: npt.ArrayLike,  # (..., S_k, d_v)
    params: AdditiveParams,
    attn_mask: npt.ArrayLike | None = None,  # broadcasts to (..., S_q, S_k)
) -> FloatArray:  # (..., S_q, d_v)
    """Each query's mixture of the values; masks as in `scaled_dot_product_attention`.

    >>> params = AdditiveParams(W_query=[[1]], W_key=[[1]], v=[1])
    >>> additive_attention([[0]], [[0], [100]], [[0], [1]], params).round(4)
    array([[0.7311]])
    """
    return additive_attention_trace(query, key, value, params, attn_mask).output


def additive_attention_trace(
    query: npt.ArrayLike,
    key: npt.ArrayLike,
    value: npt.ArrayLike,
    params: AdditiveParams,
    attn_mask: npt.ArrayLike | None = None,
) -> AdditiveTrace:
    """`additive_attention` with every step kept.

    >>> params = AdditiveParams(W_query=[[1]], W_key=[[1]], v=[1])
    >>> additive_attention_trace([[0]], [[0], [100]], [[0], [1]], params).scores
    array([[0., 1.]])
    """
    values, v = as_float("value", value), as_float("v", params.v)
    query_part = linear(query, params.W_query, name="W_query")  # (..., S_q, d_attention)
    d_attention = check_shape("query", query_part, "... S_q d_attention")["d_attention"]
    wide = np.asarray(params.W_key)
    check_shape("W_key", wide, "d_key d_attention", d_attention=d_attention)
    key_part = linear(key, wide, name="W_key")  # (..., S_k, d_attention)
    S_k = check_shape("key", key_part, "... S_k d_key")["S_k"]
    check_shape("value", values, "... S_k d_v", S_k=S_k)
    check_shape("v", v, "d_attention", d_attention=d_attention)

    answer, work = (
        np.result_type(query_part, key_part, values),
        working_dtype(query_part, key_part, values, v),
    )
    hidden = np.tanh(query_part[..., :, None, :].astype(work) + key_part[..., None, :, :].astype(work))
    scores = matmul(hidden, v.astype(work)[:, None])[..., 0]  # (..., S_q, S_k)
    mixture = mix_values(scores, values.astype(work, copy=False), attn_mask)
    weights, output = cast(mixture.weights, answer), cast(mixture.output, answer)
    return AdditiveTrace(query_part, key_part, hidden, scores, mixture.masked, weights, output)
