"""One Transformer layer: attention and feed-forward, each a module on a branch of the residual stream.

    pre-norm   stream + module(norm(stream))    nothing normalises the stream itself: a last norm must follow
    post-norm  norm(stream + module(stream))    2017 and BERT

An encoder layer sees the whole sequence. A decoder layer sees the past alone, and, where it reads an encoder,
has cross-attention between the two. Which norm, which feed-forward, which positions: the config says it.
"""

from __future__ import annotations  # numpy.random is slow to import, and few draw

from collections.abc import Callable
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray, as_float
from transformer_core.cache import KVCache
from transformer_core.config import ModelConfig
from transformer_core.dropout import apply_dropout, dropout_factors
from transformer_core.errors import check_shape
from transformer_core.layer_modules import (
    AnyFeedForwardParams,
    AnyFeedForwardTrace,
    NormParams,
    NormTrace,
    cross_attention_module,
    feed_forward_module,
    norm_module,
    self_attention_module,
)
from transformer_core.multi_head import AttentionParams, MultiHeadTrace


class LayerParams(NamedTuple):
    """One layer's parameters; the two of cross-attention are there where a decoder reads an encoder."""

    attention: AttentionParams
    attention_norm: NormParams
    feed_forward: AnyFeedForwardParams
    feed_forward_norm: NormParams
    cross_attention: AttentionParams | None = None
    cross_attention_norm: NormParams | None = None


class Dropout(NamedTuple):
    """Training only: each module's output loses this share of its entries before it joins the stream."""

    rate: float
    rng: np.random.Generator


class HasOutput(Protocol):
    """What the trace of every module has."""

    @property
    def output(self) -> FloatArray: ...


Module = TypeVar("Module", bound=HasOutput)


class SubLayerTrace(NamedTuple, Generic[Module]):
    """One module on its branch: the residual stream before and after it, and all that happened between."""

    before: FloatArray  # (..., S, d_model) the stream as it comes in
    module_input: FloatArray  # (..., S, d_model) norm(before) in pre-norm, before itself in post-norm
    module: Module
    dropout: FloatArray | None  # (..., S, d_model) the factors on module.output; None in inference
    added: FloatArray  # (..., S, d_model) before + module.output
    norm: NormTrace
    after: FloatArray  # (..., S, d_model) added itself in pre-norm, norm(added) in post-norm


class LayerTrace(NamedTuple):
    """Every step of a layer, sub-layer by sub-layer."""

    attention: SubLayerTrace[MultiHeadTrace]
    cross_attention: SubLayerTrace[MultiHeadTrace] | None
    feed_forward: SubLayerTrace[AnyFeedForwardTrace]
    output: FloatArray  # (..., S, d_model)


def encoder_layer(
    x: npt.ArrayLike,  # (..., S, d_model)
    params: LayerParams,
    config: ModelConfig,
    *,
    attn_mask: npt.ArrayLike | None = None,  # broadcasts to (..., n_heads, S, S)
) -> FloatArray:  # (..., S, d_model)
    """Every token looks at every token that the mask leaves visible.

    >>> from transformer_core.initialize import init_layer
    >>> config = ModelConfig(architecture="encoder", vocab_size=5, n_layers=1, d_model=4, n_heads=2, d_ff=8)
    >>> encoder_layer(np.ones((2, 3, 4)), init_layer(np.random.default_rng(0), config), config).shape
    (2, 3, 4)
    """
    return layer_trace(x, params, config, attn_mask=attn_mask, keep=False).output


def decoder_layer(
    x: npt.ArrayLike,  # (..., S, d_model)
    params: LayerParams,
    config: ModelConfig,
    *,
    memory: npt.ArrayLike | None = None,  # (..., S_memory, d_model) what the encoder made
    attn_mask: npt.ArrayLike | None = None,  # broadcasts to (..., n_heads, S, S)
    memory_mask: npt.ArrayLike | None = None,  # broadcasts to (..., n_heads, S, S_memory)
) -> FloatArray:  # (..., S, d_model)
    """Every token looks at itself and the earlier ones, then, with a memory, at all of that.

    >>> from transformer_core.initialize import init_layer
    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=1, d_model=4, n_heads=2, d_ff=8)
    >>> decoder_layer(np.ones((2, 3, 4)), init_layer(np.random.default_rng(0), config), config).shape
    (2, 3, 4)
    """
    return layer_trace(
        x,
        params,
        config,
        is_causal=True,
        memory=memory,
        attn_mask=attn_mask,
        memory_mask=memory_mask,
        keep=False,
    ).output


def layer_trace(
    x: npt.ArrayLike,
    params: LayerParams,
    config: ModelConfig,
    *,
    is_causal: bool = False,
    memory: npt.ArrayLike | KVCache | None = None,
    attn_mask: npt.ArrayLike | None = None,
    memory_mask: npt.ArrayLike | None = None,
    first_position: int = 0,
    cache: KVCache | None = None,
    dropout: Dropout | None = None,
    keep: bool = True,
) -> LayerTrace:
    """The one layer behind `encoder_layer` and `decoder_layer` (is_causal=True), with every step kept.

    With a cache x is the newest tokens alone: first_position says where they stand, and key and value of
    attention.module are those of all tokens, the next cache. A memory may come as the keys and values that
    this layer's cross-attention made of it. keep=False keeps no step inside attention but its output.
    Raises ShapeError, and ValueError where memory or cross_attention comes without the other.

    >>> from transformer_core.initialize import init_layer
    >>> config = ModelConfig(architecture="encoder", vocab_size=5, n_layers=1, d_model=4, n_heads=2, d_ff=8)
    >>> trace = layer_trace(np.ones((3, 4)), init_layer(np.random.default_rng(0), config), config)
    >>> np.array_equal(trace.attention.after, trace.feed_forward.before)
    True
    """
    stream = as_float("x", x)
    check_shape("x", stream, "... S d_model", d_model=config.d_model)
    if (memory is None) != (params.cross_attention is None):
        raise ValueError(
            "memory and params.cross_attention go together, got "
            f"memory {'missing' if memory is None else 'given'}, "
            f"cross_attention {'missing' if params.cross_attention is None else 'given'}"
        )
    attention = _sub_layer(
        stream,
        lambda inner: self_attention_module(
            inner,
            params.attention,
            config,
            is_causal=is_causal,
            attn_mask=attn_mask,
            first_position=first_position,
            cache=cache,
            keep=keep,
        ),
        params.attention_norm,
        config,
        dropout,
    )
    stream, cross = attention.after, None
    if memory is not None and params.cross_attention is not None and params.cross_attention_norm is not None:
        cross_params = params.cross_attention
        cross = _sub_layer(
            stream,
            lambda inner: cross_attention_module(
                inner, memory, cross_params, config, memory_mask=memory_mask, keep=keep
            ),
            params.cross_attention_norm,
            config,
            dropout,
        )
        stream = cross.after
    feed_forward = _sub_layer(
        stream,
        lambda inner: feed_forward_module(inner, params.feed_forward, config),
        params.feed_forward_norm,
        config,
        dropout,
    )
    return LayerTrace(attention, cross, feed_forward, feed_forward.after)


def _sub_layer(
    before: FloatArray,
    run: Callable[[FloatArray], Module],
    norm_params: NormParams,
    config: ModelConfig,
    dropout: Dropout | None,
) -> SubLayerTrace[Module]:
    """The branch: pre-norm and post-norm differ in where the norm stands, and in nothing else."""
    if config.norm_first:
        norm = norm_module(before, norm_params, config)
        module_input = norm.output
        module = run(module_input)
        added, factors = _add(before, module.output, dropout)
        return SubLayerTrace(before, module_input, module, factors, added, norm, added)
    module = run(before)
    added, factors = _add(before, module.output, dropout)
    norm = norm_module(added, norm_params, config)
    return SubLayerTrace(before, before, module, factors, added, norm, norm.output)


def _add(
    stream: FloatArray, branch: FloatArray, dropout: Dropout | None
) -> tuple[FloatArray, FloatArray | None]:
    """The stream plus the branch, and the dropout factors that the branch met on its way."""
    if dropout is None:
        return stream + branch, None
    factors = dropout_factors(dropout.rng, branch.shape, dropout.rate)
    return stream + apply_dropout(branch, factors), factors
