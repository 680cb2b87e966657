"""The guided-attention term: a loss on the weights themselves, in the last layer, and its gradient.

Trained on the answer alone, the model finds it, but its weights are hard to read: the layers share the work
as they like. The term asks some heads of the last layer to put at least TARGET of a query's weight on the key
that the answer stands in:

    loss = mean over the batch of max(0, log TARGET - log(mean weight of the guided heads on that key))
"""

import math
from typing import NamedTuple

import numpy as np

from training.sentences import Batch
from transformer_core import (
    ModelConfig,
    ModelParams,
    ModelTrace,
    embedding_backward,
    layer_backward,
    linear_backward,
    map_arrays,
    merge_heads,
    softmax_backward,
)
from transformer_core.layer_gradients import norm_backward

GUIDED_HEADS = 2  # the first heads of the last layer; the others are left alone
TARGET = 0.8


class GuidedLoss(NamedTuple):
    """The term, and its gradient by the last layer's weights."""

    loss: float
    weights: np.ndarray  # (B, H, S, S)


def guided_loss(trace: ModelTrace, batch: Batch) -> GuidedLoss:
    """How far the guided heads' rows of "it" are from TARGET on the right noun; 0 once they are there."""
    weights = trace.stack.layers[-1].attention.module.attention.weights  # (B, H, S, S)
    rows = np.arange(len(batch.it))
    on_noun = weights[rows, :GUIDED_HEADS, batch.it, batch.noun].mean(axis=-1)  # (B,)
    missing = math.log(TARGET) - np.log(on_noun)
    gradient = np.zeros_like(weights)
    slope = np.where(missing > 0, -1 / (on_noun * GUIDED_HEADS * len(rows)), 0)
    gradient[rows, :GUIDED_HEADS, batch.it, batch.noun] = slope[:, None]
    return GuidedLoss(float(np.maximum(missing, 0).mean()), gradient)


def add_guided_gradients(
    gradients: ModelParams,
    by_weights: np.ndarray,  # (B, H, S, S)
    trace: ModelTrace,
    params: ModelParams,
    config: ModelConfig,
) -> ModelParams:
    """The gradients with those added that reach each parameter through the last layer's weights.

    From the weights the way goes back over softmax, scale, query and key, W_Q and W_K, the norm before them,
    then over the layers below. Values play no part: they do not make weights.
    """
    last, layer = trace.stack.layers[-1].attention, params.encoder[-1]
    heads = last.module
    by_scores = softmax_backward(by_weights, heads.attention.weights) / math.sqrt(config.head_width)
    by_query = linear_backward(merge_heads(by_scores @ heads.key), last.module_input, layer.attention.W_Q)
    by_key = linear_backward(
        merge_heads(by_scores.swapaxes(-1, -2) @ heads.query), last.module_input, layer.attention.W_K
    )
    stream, by_norm = norm_backward(by_query.x + by_key.x, last.norm, layer.attention_norm)
    of_last = gradients.encoder[-1]
    encoder = [
        of_last._replace(
            attention=of_last.attention._replace(
                W_Q=of_last.attention.W_Q + by_query.W, W_K=of_last.attention.W_K + by_key.W
            ),
            attention_norm=map_arrays(np.add, of_last.attention_norm, by_norm),
        )
    ]
    for number in reversed(range(config.n_layers - 1)):
        below = layer_backward(stream, trace.stack.layers[number], params.encoder[number], config)
        stream = below.x
        encoder.insert(0, map_arrays(np.add, gradients.encoder[number], below.params))
    by_place = np.zeros_like(params.position_embedding)
    by_place[: stream.shape[-2]] = stream.sum(axis=0)
    by_word = embedding_backward(stream, trace.embedding.token_ids, config.vocab_size)
    return gradients._replace(
        token_embedding=gradients.token_embedding + by_word,
        position_embedding=gradients.position_embedding + by_place,
        encoder=tuple(encoder),
    )
