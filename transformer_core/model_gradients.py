"""Gradients by hand of a whole model, and the loss with them: what a training loop calls.

A training step is then three lines:

    loss, gradients = loss_and_gradients(token_ids, labels, params, config)
    gradients = clip_by_global_norm(gradients, 1.0)
    params, state = adamw_step(params, gradients, state, learning_rate=float(noam(step, ...)))
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray
from transformer_core.blocks import Dropout, LayerParams
from transformer_core.config import ModelConfig
from transformer_core.dropout import apply_dropout
from transformer_core.embedding import EmbeddingTrace
from transformer_core.gradients import embedding_backward, linear_backward
from transformer_core.layer_gradients import layer_backward, norm_backward
from transformer_core.layer_modules import NormParams
from transformer_core.loss import IGNORED, cross_entropy_backward, cross_entropy_trace
from transformer_core.model import ModelTrace, StackTrace, model_trace
from transformer_core.model_params import ModelParams, PoolerParams
from transformer_core.parameters import map_arrays


class LossAndGradients(NamedTuple):
    """The mean loss, and how it moves with each parameter."""

    loss: float
    gradients: ModelParams


def loss_and_gradients(
    token_ids: npt.ArrayLike,  # (..., S)
    labels: npt.ArrayLike,  # (..., S)
    params: ModelParams,
    config: ModelConfig,
    *,
    source_ids: npt.ArrayLike | None = None,
    attn_mask: npt.ArrayLike | None = None,
    source_mask: npt.ArrayLike | None = None,
    segment_ids: npt.ArrayLike | None = None,
    dropout: Dropout | None = None,
    ignore_label: int = IGNORED,
    label_smoothing: float = 0.0,
) -> LossAndGradients:
    """One forward and one backward pass: cross-entropy of the logits and its gradient by every parameter.

    For a language model labels are `next_token_labels(token_ids)`.

    >>> from transformer_core.initialize import init_model
    >>> from transformer_core.loss import next_token_labels
    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=1, d_model=4, n_heads=2, d_ff=8)
    >>> ids, params = np.array([[0, 4, 2]]), init_model(np.random.default_rng(0), config)
    >>> loss, gradients = loss_and_gradients(ids, next_token_labels(ids), params, config)
    >>> gradients.token_embedding.shape
    (5, 4)
    """
    trace = model_trace(
        token_ids,
        params,
        config,
        source_ids=source_ids,
        attn_mask=attn_mask,
        source_mask=source_mask,
        segment_ids=segment_ids,
        dropout=dropout,
    )
    if trace.logits is None:
        raise ValueError("a loss needs logits, got config.head='none'")
    surprise = cross_entropy_trace(
        trace.logits, labels, ignore_label=ignore_label, label_smoothing=label_smoothing
    )
    d_logits = cross_entropy_backward(surprise, labels, label_smoothing=label_smoothing)
    return LossAndGradients(surprise.loss, model_backward(trace, params, config, logits=d_logits))


def model_backward(
    trace: ModelTrace,
    params: ModelParams,
    config: ModelConfig,
    *,
    logits: FloatArray | None = None,  # (..., S, vocab_size)
    hidden: FloatArray | None = None,  # (..., S, d_model)
    pooled: FloatArray | None = None,  # (..., d_model)
) -> ModelParams:
    """The gradient by every parameter, from the gradients by what the model gave; one of them at least.

    >>> from transformer_core.initialize import init_model
    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=1, d_model=4, n_heads=2, d_ff=8)
    >>> params = init_model(np.random.default_rng(0), config)
    >>> trace = model_trace([1, 2], params, config)
    >>> gradients = model_backward(trace, params, config, hidden=np.eye(2, 4))
    >>> gradients.token_embedding.any(axis=1)
    array([False,  True,  True, False, False])
    """
    if logits is None and hidden is None and pooled is None:
        raise ValueError("model_backward needs a gradient by logits, hidden or pooled, got none of them")
    d_hidden = np.zeros_like(trace.hidden) if hidden is None else hidden
    d_table = np.zeros_like(params.token_embedding)
    d_W_logits = d_pooler = None
    if logits is not None:
        if params.W_logits is None:
            by_logits = linear_backward(logits, trace.hidden, params.token_embedding.T)
            d_table = d_table + by_logits.W.T  # the table works at both ends: two gradients, added
        else:
            by_logits = linear_backward(logits, trace.hidden, params.W_logits)
            d_W_logits = by_logits.W
        d_hidden = d_hidden + by_logits.x
    elif params.W_logits is not None:
        d_W_logits = np.zeros_like(params.W_logits)
    if params.pooler is not None:
        d_first, d_pooler = _pooler(pooled, trace, params.pooler)
        d_hidden = d_hidden.copy()
        d_hidden[..., 0, :] += d_first

    decodes = config.architecture != "encoder"
    stack = _stack(
        d_hidden,
        trace.stack,
        params.decoder if decodes else params.encoder,
        params.decoder_norm if decodes else params.encoder_norm,
        config,
        memory=None if trace.source_stack is None else trace.source_stack.output,
    )
    embedding = _embedding(stack.x, trace.embedding, params, config)
    source = None
    if trace.source_stack is not None and trace.source_embedding is not None and stack.memory is not None:
        source = _stack(stack.memory, trace.source_stack, params.encoder, params.encoder_norm, config)
        of_source = _embedding(source.x, trace.source_embedding, params, config)
        embedding = map_arrays(np.add, embedding, of_source)  # one table for both languages
    encoder = source if decodes else stack
    return ModelParams(
        token_embedding=d_table + embedding.token,
        position_embedding=embedding.position,
        segment_embedding=embedding.segment,
        embedding_norm=embedding.norm,
        encoder=() if encoder is None else encoder.layers,
        encoder_norm=None if encoder is None else encoder.norm,
        decoder=stack.layers if decodes else (),
        decoder_norm=stack.norm if decodes else None,
        pooler=d_pooler,
        W_logits=d_W_logits,
    )


class _StackGradients(NamedTuple):
    x: FloatArray
    memory: FloatArray | None
    layers: tuple[LayerParams, ...]
    norm: NormParams | None


def _stack(
    gradient: FloatArray,
    trace: StackTrace,
    layers: tuple[LayerParams, ...],
    final_norm: NormParams | None,
    config: ModelConfig,
    *,
    memory: FloatArray | None = None,
) -> _StackGradients:
    """From the last layer to the first; the memory, read by every layer, gathers from all of them."""
    d_stream, d_norm, d_memory = gradient, None, None
    if trace.norm is not None and final_norm is not None:
        d_stream, d_norm = norm_backward(gradient, trace.norm, final_norm)
    d_layers = []
    for layer_trace, layer in zip(reversed(trace.layers), reversed(layers), strict=True):
        d_stream, d_read, d_layer = layer_backward(d_stream, layer_trace, layer, config, memory=memory)
        d_layers.append(d_layer)
        if d_read is not None:
            d_memory = d_read if d_memory is None else d_memory + d_read
    return _StackGradients(d_stream, d_memory, tuple(reversed(d_layers)), d_norm)


class _EmbeddingGradients(NamedTuple):
    token: FloatArray
    position: FloatArray | None
    segment: FloatArray | None
    norm: NormParams | None


def _embedding(
    gradient: FloatArray, trace: EmbeddingTrace, params: ModelParams, config: ModelConfig
) -> _EmbeddingGradients:
    """Backwards through dropout, the norm, and the sum of token, position and segment."""
    d_added = gradient if trace.dropout is None else apply_dropout(gradient, trace.dropout)
    d_norm = d_position = d_segment = None
    if trace.norm is not None and params.embedding_norm is not None:
        d_added, d_norm = norm_backward(d_added, trace.norm, params.embedding_norm)
    if params.position_embedding is not None:
        d_position = np.zeros_like(params.position_embedding)
        S = d_added.shape[-2]
        d_position[:S] = d_added.reshape(-1, S, config.d_model).sum(axis=0)
    if params.segment_embedding is not None and trace.segment_ids is not None:
        d_segment = embedding_backward(d_added, trace.segment_ids, config.n_segments)
    d_tokens = d_added * math.sqrt(config.d_model) if config.scale_embedding else d_added
    d_table = embedding_backward(d_tokens, trace.token_ids, config.vocab_size)
    return _EmbeddingGradients(d_table, d_position, d_segment, d_norm)


def _pooler(
    gradient: FloatArray | None, trace: ModelTrace, params: PoolerParams
) -> tuple[FloatArray, PoolerParams]:
    """Backwards through tanh, whose slope is 1 - tanh ** 2, and the linear layer over the first token."""
    first = trace.hidden[..., 0, :]
    if gradient is None or trace.pooled is None:
        return np.zeros_like(first), PoolerParams(np.zeros_like(params.W), np.zeros_like(params.b))
    x, W, b = linear_backward(gradient * (1 - np.square(trace.pooled)), first, params.W)
    return x, PoolerParams(W, b)
