"""Gradients by hand of one layer, from its trace.

The residual stream splits at each sub-layer, into the branch and the way past it; backwards the two gradients
add up. The way past it multiplies by 1: that is why deep stacks can be trained at all.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from transformer_core.arrays import FloatArray
from transformer_core.blocks import LayerParams, LayerTrace, Module, SubLayerTrace
from transformer_core.config import ModelConfig
from transformer_core.dropout import apply_dropout
from transformer_core.feed_forward import GatedFeedForwardParams, GatedFeedForwardTrace
from transformer_core.gradients import layer_norm_backward, rms_norm_backward
from transformer_core.layer_modules import (
    ACTIVATION_OF,
    AnyFeedForwardParams,
    AnyFeedForwardTrace,
    NormParams,
    NormTrace,
)
from transformer_core.module_gradients import (
    feed_forward_backward,
    gated_feed_forward_backward,
    multi_head_backward,
)
from transformer_core.multi_head import AttentionParams, MultiHeadTrace
from transformer_core.norms import LayerNormTrace
from transformer_core.rotary import rope

Gradients = TypeVar("Gradients")


class LayerGradients(NamedTuple):
    """By each input of a layer."""

    x: FloatArray  # (..., S, d_model)
    memory: FloatArray | None  # (..., S_memory, d_model)
    params: LayerParams


def layer_backward(
    gradient: FloatArray,  # (..., S, d_model)
    trace: LayerTrace,
    params: LayerParams,
    config: ModelConfig,
    *,
    memory: FloatArray | None = None,  # (..., S_memory, d_model)
) -> LayerGradients:
    """Backwards through the feed-forward layer, cross-attention, self-attention; for a trace without a cache.

    >>> from transformer_core.blocks import layer_trace
    >>> from transformer_core.initialize import init_layer
    >>> config = ModelConfig(architecture="encoder", vocab_size=5, n_layers=1, d_model=4, n_heads=2, d_ff=8)
    >>> params = init_layer(np.random.default_rng(0), config)
    >>> trace = layer_trace(np.ones((3, 4)), params, config)
    >>> layer_backward(np.ones((3, 4)), trace, params, config).params.feed_forward.W_1.shape
    (4, 8)
    """
    d_stream, d_ff_norm, d_feed_forward = sub_layer_backward(
        gradient,
        trace.feed_forward,
        params.feed_forward_norm,
        config,
        lambda d_output, sub: _feed_forward(d_output, sub, params.feed_forward, config),
    )
    d_memory = d_cross = d_cross_norm = None  # decoder layers that read an encoder have them
    if trace.cross_attention is not None:
        cross_params, cross_norm = params.cross_attention, params.cross_attention_norm
        if memory is None or cross_params is None or cross_norm is None:
            raise ValueError("this trace has cross-attention: memory and cross_attention's params are needed")
        d_stream, d_cross_norm, crossed = sub_layer_backward(
            d_stream,
            trace.cross_attention,
            cross_norm,
            config,
            lambda d_output, sub: _cross_attention(d_output, sub, memory, cross_params),
        )
        d_memory, d_cross = crossed
    d_stream, d_attention_norm, d_attention = sub_layer_backward(
        d_stream,
        trace.attention,
        params.attention_norm,
        config,
        lambda d_output, sub: _self_attention(d_output, sub, params.attention, config),
    )
    d_params = LayerParams(d_attention, d_attention_norm, d_feed_forward, d_ff_norm, d_cross, d_cross_norm)
    return LayerGradients(d_stream, d_memory, d_params)


def sub_layer_backward(
    gradient: FloatArray,  # (..., S, d_model) by `after`
    trace: SubLayerTrace[Module],
    norm_params: NormParams,
    config: ModelConfig,
    module_backward: Callable[[FloatArray, SubLayerTrace[Module]], tuple[FloatArray, Gradients]],
) -> tuple[FloatArray, NormParams, Gradients]:
    """By the stream before it, by the norm, and whatever module_backward gives beside the module's input."""
    if config.norm_first:
        d_added = gradient
        d_inner, d_module = module_backward(_through_dropout(d_added, trace), trace)
        d_branch, d_norm = norm_backward(d_inner, trace.norm, norm_params)
    else:
        d_added, d_norm = norm_backward(gradient, trace.norm, norm_params)
        d_branch, d_module = module_backward(_through_dropout(d_added, trace), trace)
    return d_added + d_branch, d_norm, d_module


def norm_backward(
    gradient: FloatArray, trace: NormTrace, params: NormParams
) -> tuple[FloatArray, NormParams]:  # (..., d_model) -> (..., d_model)
    """Layer norm or RMS norm, whichever was run."""
    if isinstance(trace, LayerNormTrace):
        by_layer = layer_norm_backward(gradient, trace, params.gamma)
        return by_layer.x, NormParams(by_layer.gamma, by_layer.beta)
    by_rms = rms_norm_backward(gradient, trace, params.gamma)
    return by_rms.x, NormParams(by_rms.gamma, None)


def _through_dropout(gradient: FloatArray, trace: SubLayerTrace[Module]) -> FloatArray:
    return gradient if trace.dropout is None else apply_dropout(gradient, trace.dropout)


def _feed_forward(
    gradient: FloatArray,
    sub: SubLayerTrace[AnyFeedForwardTrace],
    params: AnyFeedForwardParams,
    config: ModelConfig,
) -> tuple[FloatArray, AnyFeedForwardParams]:
    activation, module, inner = ACTIVATION_OF[config.feed_forward], sub.module, sub.module_input
    if isinstance(module, GatedFeedForwardTrace) and isinstance(params, GatedFeedForwardParams):
        gated = gated_feed_forward_backward(gradient, module, inner, params, activation=activation)
        return gated.x, gated.params
    if isinstance(module, GatedFeedForwardTrace) or isinstance(params, GatedFeedForwardParams):
        raise TypeError("trace and params must both be of a plain or both of a gated feed-forward layer")
    plain = feed_forward_backward(gradient, module, inner, params, activation=activation)
    return plain.x, plain.params


def _self_attention(
    gradient: FloatArray, sub: SubLayerTrace[MultiHeadTrace], params: AttentionParams, config: ModelConfig
) -> tuple[FloatArray, AttentionParams]:
    """x is the source of query, key and value alike: its three gradients add up."""

    def rotate_back(heads: FloatArray) -> FloatArray:
        return rope(heads, -np.arange(heads.shape[-2]), base=config.rope_base)

    inner = sub.module_input
    gradients = multi_head_backward(
        gradient,
        sub.module,
        inner,
        inner,
        params,
        rotate_back=rotate_back if config.positions == "rope" else None,
    )
    return gradients.x + gradients.context, gradients.params


def _cross_attention(
    gradient: FloatArray,
    sub: SubLayerTrace[MultiHeadTrace],
    memory: FloatArray,
    params: AttentionParams,
) -> tuple[FloatArray, tuple[FloatArray, AttentionParams]]:
    gradients = multi_head_backward(gradient, sub.module, sub.module_input, memory, params)
    return gradients.x, (gradients.context, gradients.params)
