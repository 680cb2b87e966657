"""How a token's place gets into the computation; attention alone does not see the order.

Added to the embeddings: `sinusoidal_positions`, `learned_positions`. Added to the scores: `alibi_bias`,
`t5_bias`. Turning query and key: `rope`, in its own file.
"""

import math

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray, IntArray, as_float
from transformer_core.errors import check_positive, check_shape
from transformer_core.masks import Alignment, query_minus_key


def sinusoidal_positions(S: int, d_model: int, *, base: float = 10_000.0) -> FloatArray:  # (S, d_model)
    """Waves from fast to slow: sin in the even columns, cos of the same angle in the odd ones.

    Angle of columns 2i and 2i+1 at position p: p / base ** (2i / d_model). ("Attention Is All You Need", 3.5)

    >>> sinusoidal_positions(2, 4).round(4)
    array([[0.    , 1.    , 0.    , 1.    ],
           [0.8415, 0.5403, 0.01  , 1.    ]])
    """
    check_positive(d_model=d_model, base=base)
    angles = np.arange(S)[:, None] / base ** (np.arange(0, d_model, 2) / d_model)  # (S, ceil(d_model / 2))
    table = np.empty((S, d_model))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : d_model // 2])
    return table


def learned_positions(
    table: npt.ArrayLike, positions: npt.ArrayLike
) -> FloatArray:  # (max_length, d_model), (..., S) -> (..., S, d_model)
    """The rows of a learned table. Raises ValueError beyond its end: there is nothing to extrapolate from.

    >>> learned_positions([[0.5, 1.0], [2.0, 3.0]], [1, 0])
    array([[2. , 3. ],
           [0.5, 1. ]])
    """
    rows = as_float("table", table)
    max_length = check_shape("table", rows, "max_length d_model")["max_length"]
    where = np.asarray(positions)
    if where.dtype.kind not in "iu":
        raise TypeError(f"positions must be integers, got {where.dtype}")
    # a negative index would silently count from the end
    outside = where[(where < 0) | (where >= max_length)]
    if outside.size:
        raise ValueError(f"positions must lie in 0..max_length-1={max_length - 1}, got {outside[0]}")
    vectors: FloatArray = rows[where]
    return vectors


def alibi_slopes(n_heads: int) -> FloatArray:  # (n_heads,)
    """The slope of each head: 2 ** (-8 i / n_heads) for i = 1 ... n_heads where that is a power of two.

    For other counts: the slopes of the power of two below, then every other one of the power above, from its
    first, as the paper's code has it. (Press et al., 2021)

    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    >>> alibi_slopes(3)
    array([0.0625    , 0.00390625, 0.25      ])
    """
    check_positive(n_heads=n_heads)
    below = 1 << (n_heads.bit_length() - 1)
    slopes = _power_of_two_slopes(below)
    between = _power_of_two_slopes(2 * below)[0::2][: n_heads - below]
    return np.concatenate([slopes, between])


def _power_of_two_slopes(n: int) -> FloatArray:
    slopes: FloatArray = 2.0 ** (-8 * np.arange(1, n + 1) / n)
    return slopes


def alibi_bias(
    n_heads: int, S_q: int, S_k: int | None = None, *, alignment: Alignment = "top-left"
) -> FloatArray:  # (n_heads, S_q, S_k)
    """A float attn_mask: each score loses slope times the distance. It hides nothing; add a causal mask.

    >>> alibi_bias(1, 3)[0].round(4)
    array([[ 0.    , -0.0039, -0.0078],
           [-0.0039,  0.    , -0.0039],
           [-0.0078, -0.0039,  0.    ]])
    """
    distance = np.abs(query_minus_key(S_q, S_k, alignment=alignment))
    bias: FloatArray = alibi_slopes(n_heads)[:, None, None] * -distance
    return bias


def t5_buckets(
    key_minus_query: npt.ArrayLike,
    *,
    bidirectional: bool = True,
    n_buckets: int = 32,
    max_distance: int = 128,
) -> IntArray:  # any shape -> the same shape
    """The bucket of each offset: near ones have one each, farther ones share; beyond max_distance all do.

    bidirectional gives the upper half of the buckets to later keys; otherwise later keys count as offset 0,
    for a causal mask to hide. (Raffel et al., 2020)

    >>> t5_buckets([0, -1, -7, -8, -100, -1000, 1, 1000]).tolist()
    [0, 1, 7, 8, 15, 15, 17, 31]
    """
    offset = np.asarray(key_minus_query)
    check_positive(max_distance=max_distance)
    if n_buckets < 4 or n_buckets % 4:
        raise ValueError(f"n_buckets must be a multiple of 4, got {n_buckets}")
    half = n_buckets // 2 if bidirectional else n_buckets
    exact = half // 2  # the first `exact` distances have a bucket of their own
    if max_distance <= exact:
        raise ValueError(f"max_distance must be above the {exact} exact buckets, got {max_distance}")
    distance = np.abs(offset) if bidirectional else np.maximum(-offset, 0)
    growth = np.log(np.maximum(distance, exact) / exact) / math.log(max_distance / exact)
    # at a border the product is a whole number; a rounding below it must not cost a bucket
    wide = np.floor(growth * (half - exact) + 1e-9).astype(np.int64)
    far = np.minimum(exact + wide, half - 1)
    bucket: IntArray = np.where(distance < exact, distance, far)
    if bidirectional:
        bucket += half * (offset > 0)
    return bucket


def t5_bias(
    table: npt.ArrayLike,  # (n_buckets, n_heads)
    S_q: int,
    S_k: int | None = None,
    *,
    bidirectional: bool = True,
    max_distance: int = 128,
    alignment: Alignment = "top-left",
) -> FloatArray:  # (n_heads, S_q, S_k)
    """A float attn_mask: each head's learned number for the bucket of each pair's offset.

    >>> table = np.arange(8.0)[:, None]
    >>> t5_bias(table, 3)[0]
    array([[0., 5., 6.],
           [1., 0., 5.],
           [2., 1., 0.]])
    """
    rows = as_float("table", table)
    n_buckets = check_shape("table", rows, "n_buckets n_heads")["n_buckets"]
    offset = -query_minus_key(S_q, S_k, alignment=alignment)
    buckets = t5_buckets(offset, bidirectional=bidirectional, n_buckets=n_buckets, max_distance=max_distance)
    return np.moveaxis(rows[buckets], -1, 0)
