"""The modules of a layer as the config chooses them: a norm, a feed-forward layer, self- and cross-attention.

Each is a function from the module's input to the trace of that module; `output` is the last field of all.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.activations import ActivationName
from transformer_core.arrays import FloatArray
from transformer_core.attention import AttentionTrace, attention_trace, scaled_dot_product_attention
from transformer_core.cache import KVCache, extend_cache
from transformer_core.config import FeedForwardName, ModelConfig
from transformer_core.feed_forward import (
    FeedForwardParams,
    FeedForwardTrace,
    GatedFeedForwardParams,
    GatedFeedForwardTrace,
    feed_forward_trace,
    gated_feed_forward_trace,
)
from transformer_core.linear_layer import linear
from transformer_core.masks import combine_masks, sliding_window_mask
from transformer_core.multi_head import (
    AttentionParams,
    MultiHeadTrace,
    merge_heads,
    project_heads,
    split_heads,
)
from transformer_core.norms import LayerNormTrace, RMSNormTrace, layer_norm_trace, rms_norm_trace
from transformer_core.rotary import rope

NormTrace = LayerNormTrace | RMSNormTrace
AnyFeedForwardParams = FeedForwardParams | GatedFeedForwardParams
AnyFeedForwardTrace = FeedForwardTrace | GatedFeedForwardTrace

ACTIVATION_OF: dict[FeedForwardName, ActivationName] = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu-tanh": "gelu-tanh",
    "swiglu": "silu",
    "geglu": "gelu",
}


class NormParams(NamedTuple):
    """Scale and shift of one norm; RMS norm has no shift."""

    gamma: FloatArray  # (d_model,)
    beta: FloatArray | None = None  # (d_model,)


def norm_module(x: FloatArray, params: NormParams, config: ModelConfig) -> NormTrace:
    """Layer norm or RMS norm over the last axis."""
    if config.norm == "layer":
        return layer_norm_trace(x, params.gamma, params.beta, eps=config.eps)
    return rms_norm_trace(x, params.gamma, eps=config.eps)


def feed_forward_module(
    x: FloatArray, params: AnyFeedForwardParams, config: ModelConfig
) -> AnyFeedForwardTrace:
    """The plain or the gated feed-forward layer, with the config's activation."""
    activation = ACTIVATION_OF[config.feed_forward]
    if isinstance(params, GatedFeedForwardParams):
        return gated_feed_forward_trace(x, params, activation=activation)
    return feed_forward_trace(x, params, activation=activation)


def self_attention_module(
    x: FloatArray,  # (..., S, d_model)
    params: AttentionParams,
    config: ModelConfig,
    *,
    is_causal: bool,
    attn_mask: npt.ArrayLike | None,  # broadcasts to (..., n_heads, S, S_k)
    first_position: int,
    cache: KVCache | None,
    keep: bool,
) -> MultiHeadTrace:
    """Attention of x over the cached tokens and itself; the trace has the keys and values of all of them."""
    query, key, value = project_heads(x, x, params, config.n_heads, config.kv_heads)
    S = query.shape[-2]
    if config.positions == "rope":
        positions = first_position + np.arange(S)
        query, key = (rope(heads, positions, base=config.rope_base) for heads in (query, key))
    if cache is not None:
        key, value = extend_cache(cache, key, value)
    mask = attn_mask
    if config.window is not None:
        near = sliding_window_mask(
            S, key.shape[-2], window=config.window, is_causal=is_causal, alignment="bottom-right"
        )
        mask = combine_masks(attn_mask, near)
    return _attend(query, key, value, params, attn_mask=mask, is_causal=is_causal, keep=keep)


def cross_attention_module(
    x: FloatArray,  # (..., S, d_model)
    memory: npt.ArrayLike | KVCache,  # (..., S_memory, d_model), or the keys and values made of it
    params: AttentionParams,
    config: ModelConfig,
    *,
    memory_mask: npt.ArrayLike | None,  # broadcasts to (..., n_heads, S, S_memory)
    keep: bool,
) -> MultiHeadTrace:
    """Attention of x over a memory. Positions are not turned here: the two sequences have their own."""
    if isinstance(memory, KVCache):
        query = split_heads(linear(x, params.W_Q, params.b_Q, name="W_Q", bias_name="b_Q"), config.n_heads)
        key, value = memory
    else:
        query, key, value = project_heads(x, memory, params, config.n_heads, config.kv_heads)
    return _attend(query, key, value, params, attn_mask=memory_mask, is_causal=False, keep=keep)


def _attend(
    query: FloatArray,
    key: FloatArray,
    value: FloatArray,
    params: AttentionParams,
    *,
    attn_mask: npt.ArrayLike | None,
    is_causal: bool,
    keep: bool,
) -> MultiHeadTrace:
    """Attention over heads, and W_O. keep=False: of the attention's steps there is only the output.

    bottom-right: the newest query stands at the newest key, however many a cache holds.
    """
    if keep:
        attention = attention_trace(
            query, key, value, attn_mask, is_causal=is_causal, alignment="bottom-right", enable_gqa=True
        )
    else:
        heads = scaled_dot_product_attention(
            query, key, value, attn_mask, is_causal=is_causal, alignment="bottom-right", enable_gqa=True
        )
        nothing = np.empty(0, heads.dtype)
        attention = AttentionTrace._make((*[nothing] * 8, heads))
    concat = merge_heads(attention.output)
    output = linear(concat, params.W_O, params.b_O, name="W_O", bias_name="b_O")
    return MultiHeadTrace(query, key, value, attention, concat, output)
