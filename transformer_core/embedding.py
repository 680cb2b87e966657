"""The two ends of a model: from token numbers to vectors, and from vectors to a score for each token."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray, IntArray, cast
from transformer_core.blocks import Dropout
from transformer_core.config import ModelConfig
from transformer_core.dropout import apply_dropout, dropout_factors
from transformer_core.errors import check_shape
from transformer_core.layer_modules import NormTrace, norm_module
from transformer_core.linear_layer import linear
from transformer_core.model_params import ModelParams
from transformer_core.positions import learned_positions, sinusoidal_positions


class EmbeddingTrace(NamedTuple):
    """From token numbers to vectors."""

    token_ids: IntArray  # (..., S)
    segment_ids: IntArray | None  # (..., S)
    tokens: FloatArray  # (..., S, d_model) times sqrt(d_model), where the config scales
    positions: (
        FloatArray | None
    )  # (S, d_model) what is added for the place; None where the layers turn instead
    segments: FloatArray | None  # (..., S, d_model)
    added: FloatArray  # (..., S, d_model) the sum of the three
    norm: NormTrace | None
    dropout: FloatArray | None  # (..., S, d_model) factors
    output: FloatArray  # (..., S, d_model)


def embed(
    token_ids: npt.ArrayLike,  # (..., S)
    params: ModelParams,
    config: ModelConfig,
    *,
    first_position: int = 0,
    segment_ids: npt.ArrayLike | None = None,
    dropout: Dropout | None = None,
) -> EmbeddingTrace:
    """The token's row of the table, plus its place, plus its segment (0 unless given).

    >>> from transformer_core.initialize import init_model
    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=1, d_model=4, n_heads=2, d_ff=8)
    >>> params = init_model(np.random.default_rng(0), config)
    >>> np.array_equal(embed([3, 1], params, config).output, params.token_embedding[[3, 1]])
    True
    """
    ids = checked_ids("token_ids", token_ids, config.vocab_size)
    S = check_shape("token_ids", ids, "... S")["S"]
    tokens = params.token_embedding[ids]  # (..., S, d_model)
    dtype = tokens.dtype
    if config.scale_embedding:
        tokens = cast(tokens * math.sqrt(config.d_model), dtype)
    added, positions, segments, segment_numbers = tokens, None, None, None
    if config.positions == "learned" and params.position_embedding is not None:
        positions = learned_positions(params.position_embedding, first_position + np.arange(S))
    elif config.positions == "sinusoidal":
        positions = sinusoidal_positions(first_position + S, config.d_model)[first_position:].astype(dtype)
    if positions is not None:
        added = added + positions
    if params.segment_embedding is not None:
        wanted = np.zeros_like(ids) if segment_ids is None else segment_ids
        segment_numbers = checked_ids("segment_ids", wanted, config.n_segments)
        segments = params.segment_embedding[segment_numbers]
        added = added + segments
    norm = None if params.embedding_norm is None else norm_module(added, params.embedding_norm, config)
    output, factors = added if norm is None else norm.output, None
    if dropout is not None:
        factors = dropout_factors(dropout.rng, output.shape, dropout.rate)
        output = apply_dropout(output, factors)
    return EmbeddingTrace(ids, segment_numbers, tokens, positions, segments, added, norm, factors, output)


def logits_of(hidden: FloatArray, params: ModelParams) -> FloatArray:  # (..., d_model) -> (..., vocab_size)
    """hidden W_logits; tied, each token's score is the dot product with that token's own embedding.

    >>> from transformer_core.initialize import init_model
    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=1, d_model=4, n_heads=2, d_ff=8)
    >>> logits_of(np.ones((2, 4)), init_model(np.random.default_rng(0), config)).shape
    (2, 5)
    """
    W = params.token_embedding.T if params.W_logits is None else params.W_logits
    return linear(hidden, W, name="W_logits")


def checked_ids(name: str, ids: npt.ArrayLike, size: int) -> IntArray:
    """The ids as integers; TypeError for others, ValueError for one outside 0..size-1.

    >>> checked_ids("token_ids", [1, 7], 5)
    Traceback (most recent call last):
    ValueError: token_ids must lie in 0..4, got 7
    """
    array = np.asarray(ids)
    if array.size == 0:
        return array.astype(int)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, got dtype {array.dtype}")
    wrong = array[(array < 0) | (array >= size)]
    if wrong.size:
        raise ValueError(f"{name} must lie in 0..{size - 1}, got {wrong[0]}")
    return array
