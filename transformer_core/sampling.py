"""Choosing the next token from its logits: the best one, or a draw from the probabilities.

temperature divides the logits: below 1 sharpens, above 1 flattens. top_k keeps the k best tokens. top_p keeps
the smallest set of best tokens that together reach probability p (nucleus sampling, Holtzman et al., 2020).
"""

from __future__ import annotations  # numpy.random is slow to import, and few draw

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.activations import softmax
from transformer_core.arrays import BoolArray, FloatArray, IntArray, as_float, cast, working_dtype
from transformer_core.errors import check_positive, check_shape


class SamplingTrace(NamedTuple):
    """Every step from logits to probabilities."""

    scaled: FloatArray  # (..., vocab_size) logits / temperature
    kept: BoolArray  # (..., vocab_size) what top_k and top_p leave
    probabilities: FloatArray  # (..., vocab_size) softmax over what is kept, 0 elsewhere


def greedy_token(logits: npt.ArrayLike) -> IntArray:  # (..., vocab_size) -> (...)
    """The token with the largest logit; of equals the one with the smallest number.

    >>> greedy_token([0.1, 0.7, 0.7])
    array(1)
    """
    token: IntArray = np.asarray(np.argmax(as_float("logits", logits), axis=-1))
    return token


def sampling_probabilities(
    logits: npt.ArrayLike,  # (..., vocab_size)
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> FloatArray:  # (..., vocab_size)
    """The probabilities to draw from; first the temperature, then top_k, then top_p among what is left.

    Of equal logits the token with the smaller number ranks first. A logit of -inf is never kept. Raises
    ValueError for a temperature or top_k that is not positive, and for top_p outside 0 < top_p <= 1.

    >>> sampling_probabilities(np.log([0.5, 0.25, 0.15, 0.1]), top_p=0.7).round(4)
    array([0.6667, 0.3333, 0.    , 0.    ])
    """
    return sampling_trace(logits, temperature=temperature, top_k=top_k, top_p=top_p).probabilities


def sampling_trace(
    logits: npt.ArrayLike,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> SamplingTrace:
    """`sampling_probabilities` with every step kept.

    >>> sampling_trace([3.0, 2.0, 1.0], top_k=2).kept
    array([ True,  True, False])
    """
    scores = as_float("logits", logits)
    check_shape("logits", scores, "... vocab_size")
    check_positive(temperature=temperature, top_k=1 if top_k is None else top_k)
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in 0 < top_p <= 1, got {top_p}")
    scaled = cast(scores, working_dtype(scores)) / temperature
    order = np.argsort(-scaled, axis=-1, kind="stable")  # best first
    rank = np.argsort(order, axis=-1, kind="stable")
    kept = ~np.isneginf(scaled)
    if top_k is not None:
        kept &= rank < top_k
    if top_p is not None:
        ranked = np.take_along_axis(softmax(np.where(kept, scaled, -np.inf)), order, axis=-1)
        better = np.cumsum(ranked, axis=-1) - ranked  # what the tokens ranked above have together
        kept &= np.take_along_axis(better < top_p, rank, axis=-1)
    return SamplingTrace(scaled, kept, softmax(np.where(kept, scaled, -np.inf)))


def sample_token(
    probabilities: npt.ArrayLike, rng: np.random.Generator
) -> IntArray:  # (..., vocab_size) -> (...)
    """Draw a token: the first whose cumulative probability lies above a uniform number.

    A token of probability 0 is never drawn. Raises ValueError where the probabilities do not sum to 1.

    >>> sample_token([0.0, 1.0, 0.0], np.random.default_rng(0))
    array(1)
    """
    array = as_float("probabilities", probabilities).astype(np.float64)
    cumulative = np.cumsum(array, axis=-1)
    total = cumulative[..., -1:]
    if not np.allclose(total, 1, atol=1e-2):
        raise ValueError(f"probabilities must sum to 1, got {total.ravel()[0]}")
    uniform = rng.random(array.shape[:-1])[..., None]
    # divided by its own last entry, the cumulative sum ends at exactly 1, above every uniform number
    token: IntArray = np.asarray((cumulative / total <= uniform).sum(axis=-1))
    return token
