"""Small computations that a page's checked numbers need and that are no part of transformer_core."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from demos.blocks.layers import ATTENTION, WIDE
from transformer_core import (
    AttentionParams,
    MultiHeadTrace,
    X,
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
X_CHANGED = np.vstack([X[:2], [[5.0, -3.0]]])  # another third token: what a causal mask must hide


def two_heads() -> MultiHeadTrace:
    """Multi-head attention of three tokens, d_model 4.

    >>> two_heads().concat.shape
    (3, 4)
    """
    params = AttentionParams(ATTENTION.W_Q, ATTENTION.W_K, ATTENTION.W_V, W_O_MIXING)
    return multi_head_trace(WIDE, params, 2)


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


def _root_mean_square(x: Array) -> float:
    return float(np.sqrt(np.mean(x**2)))
