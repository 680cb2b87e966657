"""Multi-head latent attention (MLA): one short vector a token stands for its keys and values.

    latent = x W_DKV                      (..., S, d_latent): all that a cache has to hold
    key    = latent W_UK, head by head    value = latent W_UV, head by head

The simplest honest form: the compression alone. DeepSeek-V2 (2024) also compresses the query, and gives each
token one more short key with RoPE, since a rotation cannot pass through W_UK.
"""

import math
from typing import NamedTuple

import numpy.typing as npt

from transformer_core.arrays import FloatArray, as_float, matmul
from transformer_core.attention import scaled_dot_product_attention
from transformer_core.errors import check_shape
from transformer_core.linear_layer import linear
from transformer_core.masks import Alignment
from transformer_core.multi_head import merge_heads, split_heads


class LatentParams(NamedTuple):
    """The projections of latent attention."""

    W_Q: npt.ArrayLike  # (d_model, n_heads * d_k)
    W_DKV: npt.ArrayLike  # (d_model, d_latent) down
    W_UK: npt.ArrayLike  # (d_latent, n_heads * d_k) up to the keys
    W_UV: npt.ArrayLike  # (d_latent, n_heads * d_v) up to the values
    W_O: npt.ArrayLike  # (n_heads * d_v, d_model)


def compress_to_latent(
    x: npt.ArrayLike, params: LatentParams
) -> FloatArray:  # (..., S, d_model) -> (..., S, d_latent)
    """What a cache keeps of each token.

    >>> params = LatentParams(W_Q=np.eye(2), W_DKV=[[1], [1]], W_UK=[[1, 1]], W_UV=[[1, 1]], W_O=np.eye(2))
    >>> compress_to_latent([[1, 2]], params)
    array([[3.]])
    """
    return linear(x, params.W_DKV, name="W_DKV")


def latent_attention(
    x: npt.ArrayLike,  # (..., S_q, d_model)
    params: LatentParams,
    n_heads: int,
    *,
    latent: npt.ArrayLike | None = None,  # (..., S_k, d_latent)
    attn_mask: npt.ArrayLike | None = None,  # broadcasts to (..., n_heads, S_q, S_k)
    is_causal: bool = False,
    alignment: Alignment = "top-left",
) -> FloatArray:  # (..., S_q, d_model)
    """Multi-head attention with keys and values unpacked from the latent; from x itself unless one is given.

    >>> params = LatentParams(W_Q=np.eye(2), W_DKV=[[1], [1]], W_UK=[[1, 1]], W_UV=[[1, 1]], W_O=np.eye(2))
    >>> latent_attention([[1, 2], [1, 2]], params, n_heads=2)
    array([[3., 3.],
           [3., 3.]])
    """
    query, kept, up_key, up_value = _checked(x, params, n_heads, latent)
    key = split_heads(linear(kept, up_key), n_heads)  # (..., n_heads, S_k, d_k)
    value = split_heads(linear(kept, up_value), n_heads)  # (..., n_heads, S_k, d_v)
    heads = scaled_dot_product_attention(
        query, key, value, attn_mask, is_causal=is_causal, alignment=alignment
    )
    return linear(merge_heads(heads), params.W_O, name="W_O")


def latent_attention_absorbed(
    x: npt.ArrayLike,
    params: LatentParams,
    n_heads: int,
    *,
    latent: npt.ArrayLike | None = None,
    attn_mask: npt.ArrayLike | None = None,
    is_causal: bool = False,
    alignment: Alignment = "top-left",
) -> FloatArray:
    """`latent_attention` without ever unpacking: q (c W_UK)^T = (q W_UK^T) c^T, so W_UK moves to the query.

    All heads then share one key and one value, the latent itself: MQA with a wide head. The answer is the
    same, to rounding.

    >>> params = LatentParams(W_Q=np.eye(2), W_DKV=[[1], [1]], W_UK=[[1, 1]], W_UV=[[1, 1]], W_O=np.eye(2))
    >>> latent_attention_absorbed([[1, 2], [1, 2]], params, n_heads=2)
    array([[3., 3.],
           [3., 3.]])
    """
    query, kept, up_key, up_value = _checked(x, params, n_heads, latent)
    own_keys = split_heads(up_key, n_heads)  # (n_heads, d_latent, d_k)
    own_values = split_heads(up_value, n_heads)  # (n_heads, d_latent, d_v)
    wide_query = matmul(query, own_keys.swapaxes(-1, -2))  # (..., n_heads, S_q, d_latent)
    shared = kept[..., None, :, :]  # (..., 1, S_k, d_latent)
    mixed = scaled_dot_product_attention(
        wide_query, shared, shared, attn_mask,
        is_causal=is_causal, alignment=alignment, scale=1 / math.sqrt(query.shape[-1]),
    )  # (..., n_heads, S_q, d_latent)  # fmt: skip
    return linear(merge_heads(matmul(mixed, own_values)), params.W_O, name="W_O")


def _checked(
    x: npt.ArrayLike, params: LatentParams, n_heads: int, latent: npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Query (..., n_heads, S_q, d_k), latent, W_UK and W_UV, once they are known to fit together."""
    query = split_heads(linear(x, params.W_Q, name="W_Q"), n_heads)
    kept = compress_to_latent(x, params) if latent is None else as_float("latent", latent)
    sizes = {
        "d_latent": check_shape("latent", kept, "... S_k d_latent")["d_latent"],
        "n_heads*d_k": n_heads * query.shape[-1],
    }
    up_key, up_value = as_float("W_UK", params.W_UK), as_float("W_UV", params.W_UV)
    check_shape("W_UK", up_key, "d_latent n_heads*d_k", **sizes)
    check_shape("W_UV", up_value, "d_latent n_heads*d_v", **sizes)
    return query, kept, up_key, up_value
