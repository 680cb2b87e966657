"""Rotary positions (RoPE): pairs of entries turn by an angle that grows with the position. (Su et al., 2021)

Turning query and key leaves their lengths alone, and makes their dot product depend on how far apart they
stand, not on where: the two turns cancel but for the difference.

Two layouts pair the entries differently, and weights trained with one are wrong with the other:
    interleaved   (0, 1), (2, 3), ...       the paper, GPT-J
    half-split    (0, d/2), (1, d/2+1), ... GPT-NeoX, Llama as Hugging Face stores it
"""

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray, as_float, cast, working_dtype
from transformer_core.errors import ShapeError, check_broadcasts_to, check_choice, check_positive, check_shape

RopeLayout = Literal["interleaved", "half-split"]


def rope_frequencies(d_rot: int, *, base: float = 10_000.0) -> FloatArray:  # (d_rot // 2,)
    """How far each pair turns a position, in radians: base ** (-2 i / d_rot), from fast to slow.

    >>> rope_frequencies(4)
    array([1.  , 0.01])
    """
    check_positive(d_rot=d_rot, base=base)
    if d_rot % 2:
        raise ValueError(f"d_rot must be even, since entries turn in pairs, got {d_rot}")
    return 1 / base ** (np.arange(0, d_rot, 2) / d_rot)


def ntk_base(base: float, factor: float, d_rot: int) -> float:
    """The base for a context `factor` times as long: the slowest pair slows that much, the fastest stays.

    "NTK-aware" scaling: base * factor ** (d_rot / (d_rot - 2)). (bloc97, 2023)

    >>> round(ntk_base(10_000, 4, 64), 1)
    41829.4
    """
    check_positive(base=base, factor=factor)
    if d_rot <= 2:
        raise ValueError(f"d_rot must be above 2, got {d_rot}")
    return float(base * factor ** (d_rot / (d_rot - 2)))


def yarn_frequencies(
    d_rot: int,
    *,
    factor: float,
    original_length: int,
    base: float = 10_000.0,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> FloatArray:  # (d_rot // 2,)
    """YaRN: pairs that turn often within the trained length stay, those that turn rarely slow by `factor`.

    Between beta_fast and beta_slow turns the two are blended, linearly in the pair's index, as the released
    code and the models trained with it do; the paper (Peng et al., 2023) blends linearly in the turns.

    >>> scaled = yarn_frequencies(64, factor=4, original_length=2048)
    >>> (rope_frequencies(64) / scaled).round(2)[[0, 20, 31]]
    array([1.  , 3.25, 4.  ])
    """
    check_positive(factor=factor, original_length=original_length, beta_fast=beta_fast, beta_slow=beta_slow)
    own = rope_frequencies(d_rot, base=base)

    def pair_that_turns(times: float) -> float:
        """The index, between whole ones, of the pair that turns so many times within the trained length."""
        return d_rot * math.log(original_length / (times * 2 * math.pi)) / (2 * math.log(base))

    first = max(math.floor(pair_that_turns(beta_fast)), 0)
    last = min(math.ceil(pair_that_turns(beta_slow)), d_rot - 1)
    slowed = np.clip((np.arange(d_rot // 2) - first) / max(last - first, 0.001), 0, 1)  # 0 stays, 1 slows
    frequencies: FloatArray = own * (1 - slowed) + own / factor * slowed
    return frequencies


def yarn_magnitude(factor: float) -> float:
    """What YaRN multiplies queries and keys with, so that the scores of a longer context stay as sharp.

    >>> round(yarn_magnitude(4), 4)
    1.1386
    """
    check_positive(factor=factor)
    return 0.1 * math.log(factor) + 1 if factor > 1 else 1.0


def rope(
    x: npt.ArrayLike,  # (..., S, d_k)
    positions: npt.ArrayLike | None = None,  # broadcasts to (..., S)
    *,
    base: float = 10_000.0,
    rotary_dim: int | None = None,
    frequencies: npt.ArrayLike | None = None,  # (rotary_dim // 2,)
    layout: RopeLayout = "interleaved",
    magnitude: float = 1.0,
) -> FloatArray:  # (..., S, d_k)
    """Turn each query or key by its position; position 0, 1, 2 ... unless given.

    rotary_dim: only the first so many entries turn, the rest pass (GPT-J, GPT-NeoX). frequencies are
    `rope_frequencies(rotary_dim, base=base)` unless given, from `yarn_frequencies` say; for linear
    interpolation divide them by the factor. Angles are computed in float64: at position 100,000 a float32
    angle would be off by up to 0.004.

    >>> rope([[1.0, 0.0], [1.0, 0.0]], positions=[0, 1]).round(4)
    array([[1.    , 0.    ],
           [0.5403, 0.8415]])
    """
    check_choice("layout", layout, ("interleaved", "half-split"))
    array = as_float("x", x)
    sizes = check_shape("x", array, "... S d_k")
    rotary = sizes["d_k"] if rotary_dim is None else rotary_dim
    if not 0 < rotary <= sizes["d_k"]:
        raise ShapeError(f"rotary_dim must lie in 1..d_k={sizes['d_k']}, got {rotary}")
    where = np.arange(sizes["S"]) if positions is None else as_float("positions", positions)
    check_broadcasts_to("positions", where, "S", array.shape[:-1])
    speeds = (
        rope_frequencies(rotary, base=base) if frequencies is None else as_float("frequencies", frequencies)
    )
    check_shape("frequencies", speeds, "rotary_dim/2", **{"rotary_dim/2": rotary // 2})

    work = working_dtype(array)
    angles = where[..., None].astype(np.float64) * speeds  # (..., S, rotary / 2)
    cosine, sine = ((magnitude * wave(angles)).astype(work) for wave in (np.cos, np.sin))
    turned = array.astype(work)
    part = turned[..., :rotary]
    if layout == "interleaved":
        first, second = part[..., 0::2], part[..., 1::2]
    else:
        first, second = part[..., : rotary // 2], part[..., rotary // 2 :]
    # both new values before either is written: first and second are views into the result
    first[...], second[...] = first * cosine - second * sine, first * sine + second * cosine
    return cast(turned, array.dtype)
