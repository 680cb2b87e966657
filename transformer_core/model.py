"""A whole model: embedding, stacks of layers, final norm, logits. Plain, and with every step kept.

encoder           tokens -> embedding -> encoder layers -> logits (or hidden states alone)
decoder           tokens -> embedding -> decoder layers -> logits of the next token at each position
encoder-decoder   source tokens -> encoder -> memory; tokens -> decoder layers reading the memory -> logits
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray
from transformer_core.blocks import Dropout, LayerParams, LayerTrace, layer_trace
from transformer_core.cache import KVCache
from transformer_core.config import ModelConfig
from transformer_core.embedding import EmbeddingTrace, embed, logits_of
from transformer_core.layer_modules import NormParams, NormTrace, norm_module
from transformer_core.linear_layer import linear
from transformer_core.model_params import ModelParams
from transformer_core.multi_head import project_heads


class StackTrace(NamedTuple):
    """Layer by layer, and the norm after the last."""

    layers: tuple[LayerTrace, ...]  # empty where they were not to be kept
    caches: tuple[KVCache, ...]  # each layer's keys and values of all tokens
    norm: NormTrace | None
    output: FloatArray  # (..., S, d_model)


class ModelTrace(NamedTuple):
    """Every step of a model. embedding and stack are of the tokens that the logits belong to."""

    source_embedding: EmbeddingTrace | None  # of an encoder-decoder's source
    source_stack: StackTrace | None
    embedding: EmbeddingTrace
    stack: StackTrace
    hidden: FloatArray  # (..., S, d_model) the output of the stack
    pooled: FloatArray | None  # (..., d_model) tanh(hidden of the first token W + b)
    logits: FloatArray | None  # (..., S, vocab_size); None where the config has no head


def model_logits(
    token_ids: npt.ArrayLike,  # (..., S)
    params: ModelParams,
    config: ModelConfig,
    *,
    source_ids: npt.ArrayLike | None = None,  # (..., S_source)
    attn_mask: npt.ArrayLike | None = None,  # broadcasts to (..., n_heads, S, S)
    source_mask: npt.ArrayLike | None = None,  # broadcasts to (..., n_heads, 1, S_source)
    segment_ids: npt.ArrayLike | None = None,  # (..., S)
) -> FloatArray:  # (..., S, vocab_size)
    """One score for each token of the vocabulary at each position; softmax makes probabilities of them.

    A decoder is causal by itself; attn_mask is for padding and the like. source_mask says which source tokens
    there are to see, as `padding_mask` makes it, and an encoder-decoder needs source_ids.
    Raises ValueError for a token outside the vocabulary and for a config without a head.

    >>> from transformer_core.initialize import init_model
    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=2, d_model=4, n_heads=2, d_ff=8)
    >>> model_logits([[0, 4, 2]], init_model(np.random.default_rng(0), config), config).shape
    (1, 3, 5)
    """
    trace = model_trace(
        token_ids,
        params,
        config,
        source_ids=source_ids,
        attn_mask=attn_mask,
        source_mask=source_mask,
        segment_ids=segment_ids,
        keep=False,
    )
    if trace.logits is None:
        raise ValueError(
            "this model has no logits, got config.head='none'; model_trace has the hidden states"
        )
    return trace.logits


def model_trace(
    token_ids: npt.ArrayLike,
    params: ModelParams,
    config: ModelConfig,
    *,
    source_ids: npt.ArrayLike | None = None,
    attn_mask: npt.ArrayLike | None = None,
    source_mask: npt.ArrayLike | None = None,
    segment_ids: npt.ArrayLike | None = None,
    dropout: Dropout | None = None,
    keep: bool = True,
) -> ModelTrace:
    """`model_logits` with every step kept, hidden states and BERT's pooled vector included.

    dropout is for training. keep=False keeps no layers.

    >>> from transformer_core.initialize import init_model
    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=2, d_model=4, n_heads=2, d_ff=8)
    >>> trace = model_trace([[0, 4, 2]], init_model(np.random.default_rng(0), config), config)
    >>> trace.stack.layers[1].attention.module.attention.weights.shape
    (1, 2, 3, 3)
    """
    source_embedding, source = encode(
        source_ids, params, config, source_mask=source_mask, dropout=dropout, keep=keep
    )
    decodes = config.architecture != "encoder"
    embedding = embed(token_ids, params, config, segment_ids=segment_ids, dropout=dropout)
    stack = stack_trace(
        embedding.output,
        params.decoder if decodes else params.encoder,
        params.decoder_norm if decodes else params.encoder_norm,
        config,
        is_causal=decodes,
        attn_mask=attn_mask,
        memory=None if source is None else source.output,
        memory_mask=source_mask,
        dropout=dropout,
        keep=keep,
    )
    hidden = stack.output
    pooled = None
    if params.pooler is not None:
        pooled = np.tanh(linear(hidden[..., 0, :], params.pooler.W, params.pooler.b))
    logits = None if config.head == "none" else logits_of(hidden, params)
    return ModelTrace(source_embedding, source, embedding, stack, hidden, pooled, logits)


def encode(
    source_ids: npt.ArrayLike | None,
    params: ModelParams,
    config: ModelConfig,
    *,
    source_mask: npt.ArrayLike | None = None,
    dropout: Dropout | None = None,
    keep: bool = True,
) -> tuple[EmbeddingTrace | None, StackTrace | None]:
    """The encoder half of an encoder-decoder; its stack's output is the memory. Otherwise None and None.

    >>> from transformer_core.initialize import init_model
    >>> config = ModelConfig(
    ...     architecture="encoder-decoder", vocab_size=5, n_layers=2, d_model=4, n_heads=2, d_ff=8
    ... )
    >>> embedding, stack = encode([[3, 1, 4]], init_model(np.random.default_rng(0), config), config)
    >>> stack.output.shape
    (1, 3, 4)
    """
    if (source_ids is not None) != (config.architecture == "encoder-decoder"):
        raise ValueError(
            "source_ids are for an encoder-decoder and for it alone, got architecture="
            f"{config.architecture!r} {'without' if source_ids is None else 'with'} source_ids"
        )
    if source_ids is None:
        return None, None
    embedding = embed(source_ids, params, config, dropout=dropout)
    stack = stack_trace(
        embedding.output,
        params.encoder,
        params.encoder_norm,
        config,
        attn_mask=source_mask,
        dropout=dropout,
        keep=keep,
    )
    return embedding, stack


def memory_heads(
    memory: FloatArray, layers: tuple[LayerParams, ...], config: ModelConfig
) -> tuple[KVCache, ...]:
    """The keys and values that each decoder layer's cross-attention makes of the memory."""
    heads = []
    for layer in layers:
        if layer.cross_attention is not None:
            _, key, value = project_heads(
                memory, memory, layer.cross_attention, config.n_heads, config.kv_heads
            )
            heads.append(KVCache(key, value))
    return tuple(heads)


def stack_trace(
    x: FloatArray,  # (..., S, d_model)
    layers: tuple[LayerParams, ...],
    final_norm: NormParams | None,
    config: ModelConfig,
    *,
    is_causal: bool = False,
    attn_mask: npt.ArrayLike | None = None,
    memory: FloatArray | tuple[KVCache, ...] | None = None,
    memory_mask: npt.ArrayLike | None = None,
    first_position: int = 0,
    caches: tuple[KVCache, ...] | None = None,
    dropout: Dropout | None = None,
    keep: bool = True,
) -> StackTrace:
    """Layer after layer, then the final norm; caches, and a memory of caches, hold one entry a layer.

    >>> from transformer_core.initialize import init_model
    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=3, d_model=4, n_heads=2, d_ff=8)
    >>> params = init_model(np.random.default_rng(0), config)
    >>> len(stack_trace(np.ones((2, 4)), params.decoder, params.decoder_norm, config, is_causal=True).layers)
    3
    """
    stream, traces, new_caches = x, [], []
    for number, layer in enumerate(layers):
        trace = layer_trace(
            stream,
            layer,
            config,
            is_causal=is_causal,
            memory=memory[number] if isinstance(memory, tuple) else memory,
            attn_mask=attn_mask,
            memory_mask=memory_mask,
            first_position=first_position,
            cache=None if caches is None else caches[number],
            dropout=dropout,
            keep=keep,
        )
        stream = trace.output
        new_caches.append(KVCache(trace.attention.module.key, trace.attention.module.value))
        if keep:
            traces.append(trace)
    norm = None if final_norm is None else norm_module(stream, final_norm, config)
    return StackTrace(tuple(traces), tuple(new_caches), norm, stream if norm is None else norm.output)
