"""Inverted dropout: in training each entry is zero with probability `rate`, and the others grow to make up.

Inverted, because the growth by 1 / (1 - rate) happens here and inference does nothing at all; without it the
network would meet larger sums at inference than it ever saw in training.
"""

from __future__ import annotations  # numpy.random is slow to import, and few draw

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray, as_float


def dropout_factors(rng: np.random.Generator, shape: tuple[int, ...], rate: float) -> FloatArray:
    """What each entry is multiplied by: 0 with probability `rate`, 1 / (1 - rate) otherwise; 1 on average.

    The backward pass needs the same factors, so they are drawn apart from their use. float64.

    >>> dropout_factors(np.random.default_rng(0), (5,), 0.5)
    array([2., 0., 0., 0., 2.])
    """
    if not 0 <= rate < 1:
        raise ValueError(f"rate must lie in 0 <= rate < 1, got {rate}")
    kept = rng.random(shape) >= rate
    return kept / (1 - rate)


def apply_dropout(x: npt.ArrayLike, factors: FloatArray) -> FloatArray:
    """x times the factors, in the dtype of x; a dropped entry is 0 even where x is inf or NaN.

    >>> apply_dropout([1.0, np.inf], np.array([2.0, 0.0]))
    array([2., 0.])
    """
    array = as_float("x", x)
    # select, not multiply: 0 * inf is NaN
    return np.where(factors == 0, 0, array * np.where(factors == 0, 1, factors)).astype(array.dtype)


def inverted_dropout(x: npt.ArrayLike, rate: float, rng: np.random.Generator) -> FloatArray:
    """Draw the factors for x and apply them; the rate 0 leaves x as it is.

    >>> inverted_dropout(np.ones(5), 0.5, np.random.default_rng(0))
    array([2., 0., 0., 0., 2.])
    """
    array = as_float("x", x)
    return apply_dropout(array, dropout_factors(rng, array.shape, rate))
