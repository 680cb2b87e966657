"""Small computations that a page's checked numbers need and that are no part of transformer_core."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from demos import attention, scaling
from demos.blocks.layers import ATTENTION, WIDE
from demos.generating import tiny
from transformer_core import (
    AttentionParams,
    BatchNormTrace,
    ModelConfig,
    MultiHeadTrace,
    Work,
    X,
    adamw_init,
    adamw_step,
    batch_norm_train,
    generation_trace,
    init_model,
    layer_norm,
    layer_norm_trace,
    multi_head_trace,
    worked_example,
)

Array = npt.NDArray[np.float64]

# Two heads of width 2 whose first is the worked example. This W_O adds head 2 to head 1 in the first two
# columns and lets head 2 alone through in the others.
W_O_MIXING = np.kron([[1.0, 0.0], [1.0, 1.0]], np.eye(2))
W_O_ABOVE, W_O_BELOW = W_O_MIXING[:2], W_O_MIXING[2:]
NORM_BATCH = np.array([[1.0, 2, 3, 4], [2, 4, 6, 8], [-3, 0, 0, 3], [6, 6, 7, 9]])  # of the norms' demo
X_CHANGED = np.vstack([X[:2], [[5.0, -3.0]]])  # another third token: what a causal mask must hide


def two_heads() -> MultiHeadTrace:
    """Multi-head attention of three tokens, d_model 4.

    >>> two_heads().concat.shape
    (3, 4)
    """
    params = AttentionParams(ATTENTION.W_Q, ATTENTION.W_K, ATTENTION.W_V, W_O_MIXING)
    return multi_head_trace(WIDE, params, 2)


class HeadShapes(NamedTuple):
    """The shapes inside of multi-head attention."""

    query: tuple[int, ...]
    scores: tuple[int, ...]
    concat: tuple[int, ...]
    W_O: tuple[int, ...]


def head_shapes(B: int, S: int, d_model: int, n_heads: int) -> HeadShapes:
    """The shapes that multi-head self-attention of a batch goes through.

    >>> head_shapes(2, 3, 8, 4).query
    (2, 4, 3, 2)
    """
    params = AttentionParams(*(np.zeros((d_model, d_model)) for _ in range(4)))
    trace = multi_head_trace(np.zeros((B, S, d_model)), params, n_heads)
    return HeadShapes(trace.query.shape, trace.attention.scores.shape, trace.concat.shape, params.W_O.shape)


def passes(prompt: int, new: int) -> int:
    """The forward passes that generate `new` tokens from a prompt with a cache, counted as they run.

    >>> passes(3, 2)
    2
    """
    config = ModelConfig(architecture="decoder", vocab_size=2, n_layers=1, d_model=2, n_heads=1, d_ff=2)
    params = init_model(np.random.default_rng(0), config)
    return len(generation_trace([[0] * prompt], params, config, new).steps)


def stacked(x: npt.ArrayLike, masked: Sequence[bool], *, residual: bool = True) -> Array:
    """One attention layer of the worked example after another; each is causal or not, as `masked` says.

    >>> stacked([[1, 0], [0, 1], [1, 1]], [True])[0].tolist()
    [2.0, 0.0]
    """
    stream: Array = np.asarray(x, dtype=float)
    for is_causal in masked:
        found = worked_example(stream, is_causal=is_causal).attention.output
        stream = stream + found if residual else found
    return stream


def apartness(x: Array) -> float:
    """How much of the tokens' length is not their common mean: 0 where all tokens are the same vector.

    >>> apartness(np.array([[1.0, 2.0], [1.0, 2.0]]))
    0.0
    """
    return float(np.linalg.norm(x - x.mean(axis=0)) / np.linalg.norm(x))


def it_looks_at(number: int) -> tuple[str, float]:
    """The word that "it" looks at most in sentence `number` of the attention demo, and the weight it has.

    >>> it_looks_at(0)[0]
    'animal'
    """
    words = attention.EXAMPLES[number]
    row = attention.shown_weights(words, 1, "mean")[words.index("it")]
    return words[int(row.argmax())], float(row.max())


class NormedStack(NamedTuple):
    """What 0, 1, 2, ... sub-layers leave of a stream; a sub-layer here is one random matrix."""

    sizes: list[float]  # the root mean square of the stream
    identity: list[float]  # the factor by which the very first x still stands in the stream


def normed_stack(norm_first: bool, n_layers: int = 24, d_model: int = 64, seed: int = 1) -> NormedStack:
    """A random stack, pre-norm or post-norm. The matrices keep the size of what they are given.

    >>> normed_stack(norm_first=True, n_layers=2).identity
    [1.0, 1.0, 1.0]
    """
    draw = np.random.default_rng(seed).standard_normal
    stream, kept = layer_norm(draw(d_model)), 1.0
    made = NormedStack([_root_mean_square(stream)], [kept])
    for _ in range(n_layers):
        W = draw((d_model, d_model)) / sqrt(d_model)
        if norm_first:
            stream = stream + layer_norm(stream) @ W
        else:
            trace = layer_norm_trace(stream + stream @ W)
            stream, kept = trace.output, kept * float(trace.inverse_std[0])
        made.sizes.append(_root_mean_square(stream))
        made.identity.append(kept)
    return made


def inference_work(use_cache: bool) -> Work:
    """All that the tiny decoder does to say its sentence.

    >>> inference_work(use_cache=True)
    Work(token_projections=12, dot_products=84)
    """
    return tiny.total([step.work for step in tiny.infer(use_cache).steps])


def cross_key_projections(S_enc: int, new_tokens: int, *, use_cache: bool = True) -> int:
    """Tokens that a cross-attention layer projects to keys while the decoder says `new_tokens`.

    >>> cross_key_projections(3, 4), cross_key_projections(3, 4, use_cache=False)
    (3, 12)
    """
    return S_enc if use_cache else S_enc * new_tokens


def adam_first_step(gradient: float) -> float:
    """How far Adam's first update goes down, in learning rates.

    >>> round(adam_first_step(5.0), 6)
    1.0
    """
    start = (np.zeros(1),)
    moved = adamw_step(start, (np.array([gradient]),), adamw_init(start), learning_rate=1.0, weight_decay=0.0)
    return -float(moved[0][0][0])


def batch_normed(rows: npt.ArrayLike) -> BatchNormTrace:
    """A step of batch norm in training, the first one: running mean 0 and running variance 1 before it.

    >>> batch_normed([[1.0], [3.0]]).running_mean
    array([0.2])
    """
    d_model = np.shape(rows)[-1]
    return batch_norm_train(rows, np.zeros(d_model), np.ones(d_model))


def let_through(d_k: int, rule: str, seed: int = 1) -> Array:
    """p(1 - p) of each row of the scaling demo, times what the rule multiplies scores, and so gradients, by.

    >>> float(let_through(4, "sqrt").max()) < 1 / 8
    True
    """
    weights = scaling.spread(d_k, seed, rule).weights
    return np.ravel((weights * (1 - weights)).mean(axis=-1) * scaling.factor(rule, d_k))


def _root_mean_square(x: Array) -> float:
    return float(np.sqrt(np.mean(x**2)))
