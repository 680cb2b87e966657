"""All parameters of a model, in one record."""

from typing import NamedTuple

from transformer_core.arrays import FloatArray
from transformer_core.blocks import LayerParams
from transformer_core.layer_modules import NormParams


class PoolerParams(NamedTuple):
    """BERT's layer over the first token."""

    W: FloatArray  # (d_model, d_model)
    b: FloatArray  # (d_model,)


class ModelParams(NamedTuple):
    """All parameters; what the config does not ask for is None or empty."""

    token_embedding: FloatArray  # (vocab_size, d_model)
    position_embedding: FloatArray | None  # (max_positions, d_model)
    segment_embedding: FloatArray | None  # (n_segments, d_model)
    embedding_norm: NormParams | None
    encoder: tuple[LayerParams, ...]
    encoder_norm: NormParams | None
    decoder: tuple[LayerParams, ...]
    decoder_norm: NormParams | None
    pooler: PoolerParams | None
    W_logits: FloatArray | None  # (d_model, vocab_size); None: the token embedding transposed
