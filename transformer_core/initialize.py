"""Random parameters for a config: matrices from a normal law of deviation 1 / sqrt(d_in), biases 0, gammas 1.

That deviation keeps the variance: a vector of unit variance times such a matrix has unit variance again.
"""

import math
from typing import Protocol

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray
from transformer_core.blocks import LayerParams
from transformer_core.config import ModelConfig
from transformer_core.feed_forward import FeedForwardParams, GatedFeedForwardParams
from transformer_core.layer_modules import AnyFeedForwardParams, NormParams
from transformer_core.model_params import ModelParams, PoolerParams
from transformer_core.multi_head import AttentionParams


class DrawsNormal(Protocol):
    """A numpy Generator, of which one method is needed."""

    def normal(self, loc: float, scale: float, size: tuple[int, ...]) -> FloatArray: ...


class ShapesAlone:
    """In place of a Generator: zeros that share one number: a model of any size takes no room."""

    def normal(self, loc: float, scale: float, size: tuple[int, ...]) -> FloatArray:
        """Zeros, read-only."""
        return np.broadcast_to(np.zeros(()), size)


def init_matrix(
    rng: DrawsNormal, d_in: int, d_out: int, dtype: npt.DTypeLike = np.float64
) -> FloatArray:  # (d_in, d_out)
    """Normal numbers of deviation 1 / sqrt(d_in).

    >>> init_matrix(np.random.default_rng(0), 4, 2).shape
    (4, 2)
    """
    return rng.normal(0.0, 1 / math.sqrt(d_in), (d_in, d_out)).astype(dtype, copy=False)


def init_norm(config: ModelConfig, dtype: npt.DTypeLike = np.float64) -> NormParams:
    """gamma of ones, and for layer norm beta of zeros.

    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=1, d_model=2, n_heads=1, d_ff=8)
    >>> init_norm(config)
    NormParams(gamma=array([1., 1.]), beta=array([0., 0.]))
    """
    beta = np.zeros(config.d_model, dtype) if config.norm == "layer" else None
    return NormParams(np.ones(config.d_model, dtype), beta)


def init_attention(
    rng: DrawsNormal, config: ModelConfig, dtype: npt.DTypeLike = np.float64
) -> AttentionParams:
    """The four projections, and the biases that the config asks for.

    >>> config = ModelConfig(
    ...     architecture="decoder", vocab_size=5, n_layers=1, d_model=6, n_heads=3, n_kv_heads=1, d_k=4,
    ...     d_ff=8,
    ... )
    >>> params = init_attention(np.random.default_rng(0), config)
    >>> params.W_Q.shape, params.W_K.shape, params.W_O.shape
    ((6, 12), (6, 4), (12, 6))
    """
    d, query = config.d_model, config.n_heads * config.head_width
    kv = config.kv_heads * config.head_width
    W_Q, W_K, W_V, W_O = (
        init_matrix(rng, d_in, d_out, dtype) for d_in, d_out in ((d, query), (d, kv), (d, kv), (query, d))
    )
    b_Q, b_K, b_V = (np.zeros(width, dtype) if config.qkv_bias else None for width in (query, kv, kv))
    b_O = np.zeros(d, dtype) if config.output_bias else None
    return AttentionParams(W_Q, W_K, W_V, W_O, b_Q, b_K, b_V, b_O)


def init_feed_forward(
    rng: DrawsNormal, config: ModelConfig, dtype: npt.DTypeLike = np.float64
) -> AnyFeedForwardParams:
    """Two matrices with or without biases, or three.

    >>> config = ModelConfig(
    ...     architecture="decoder", vocab_size=5, n_layers=1, d_model=2, n_heads=1, d_ff=8,
    ...     feed_forward="swiglu",
    ... )
    >>> init_feed_forward(np.random.default_rng(0), config).W_down.shape
    (8, 2)
    """
    d, d_ff = config.d_model, config.d_ff
    if config.is_gated:
        return GatedFeedForwardParams(
            init_matrix(rng, d, d_ff, dtype),
            init_matrix(rng, d, d_ff, dtype),
            init_matrix(rng, d_ff, d, dtype),
        )
    b_1, b_2 = (np.zeros(width, dtype) if config.feed_forward_bias else None for width in (d_ff, d))
    return FeedForwardParams(init_matrix(rng, d, d_ff, dtype), init_matrix(rng, d_ff, d, dtype), b_1, b_2)


def init_layer(
    rng: DrawsNormal,
    config: ModelConfig,
    *,
    reads_memory: bool = False,
    dtype: npt.DTypeLike = np.float64,
) -> LayerParams:
    """One layer; with reads_memory it has cross-attention.

    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=1, d_model=2, n_heads=1, d_ff=8)
    >>> init_layer(np.random.default_rng(0), config).cross_attention is None
    True
    """
    return LayerParams(
        attention=init_attention(rng, config, dtype),
        attention_norm=init_norm(config, dtype),
        feed_forward=init_feed_forward(rng, config, dtype),
        feed_forward_norm=init_norm(config, dtype),
        cross_attention=init_attention(rng, config, dtype) if reads_memory else None,
        cross_attention_norm=init_norm(config, dtype) if reads_memory else None,
    )


def init_model(rng: DrawsNormal, config: ModelConfig, *, dtype: npt.DTypeLike = np.float64) -> ModelParams:
    """A whole model. The embeddings' deviation is 1 / sqrt(d_model), right for the logits they also make.

    >>> from transformer_core.parameters import count_parameters
    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=1, d_model=2, n_heads=1, d_ff=8)
    >>> count_parameters(init_model(np.random.default_rng(0), config))
    70
    """
    d = config.d_model

    def table(rows: int) -> FloatArray:
        return rng.normal(0.0, 1 / math.sqrt(d), (rows, d)).astype(dtype, copy=False)

    def stack(reads_memory: bool) -> tuple[LayerParams, ...]:
        layers = range(config.n_layers)
        return tuple(init_layer(rng, config, reads_memory=reads_memory, dtype=dtype) for _ in layers)

    encodes, decodes = config.architecture != "decoder", config.architecture != "encoder"
    final_norm = init_norm(config, dtype) if config.final_norm else None
    return ModelParams(
        token_embedding=table(config.vocab_size),
        position_embedding=table(config.max_positions) if config.max_positions is not None else None,
        segment_embedding=table(config.n_segments) if config.n_segments else None,
        embedding_norm=init_norm(config, dtype) if config.embedding_norm else None,
        encoder=stack(reads_memory=False) if encodes else (),
        encoder_norm=final_norm if encodes else None,
        decoder=stack(reads_memory=encodes) if decodes else (),
        decoder_norm=final_norm if decodes else None,
        pooler=PoolerParams(init_matrix(rng, d, d, dtype), np.zeros(d, dtype)) if config.pooler else None,
        W_logits=init_matrix(rng, d, config.vocab_size, dtype) if config.head == "untied" else None,
    )
