"""Layer, RMS and batch normalisation: they differ in the axis averaged over, and in whether a mean goes.

gamma scales and beta shifts afterwards; both have the shape of the normalised axes, both may be left out.
eps stands inside the root, beside the variance. A constant row with eps=0 has no direction: it becomes zeros.
inf or NaN in a row makes that row NaN.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray, as_float, cast, non_finite_is_answer, working_dtype
from transformer_core.errors import ShapeError

Axes = int | tuple[int, ...]


class LayerNormTrace(NamedTuple):
    """Every step of a layer norm; the statistics keep the normalised axes at size 1."""

    mean: FloatArray  # (..., 1)
    centered: FloatArray  # (..., d_model) x - mean
    variance: FloatArray  # (..., 1) the mean of centered ** 2: divided by d_model, not by d_model - 1
    inverse_std: FloatArray  # (..., 1) 1 / sqrt(variance + eps)
    normalized: FloatArray  # (..., d_model) centered * inverse_std
    output: FloatArray  # (..., d_model) gamma * normalized + beta


def layer_norm(
    x: npt.ArrayLike,  # (..., d_model)
    gamma: npt.ArrayLike | None = None,  # (d_model,)
    beta: npt.ArrayLike | None = None,  # (d_model,)
    *,
    eps: float = 1e-5,
    axis: Axes = -1,
) -> FloatArray:  # (..., d_model)
    """Each token's vector with mean 0 and variance 1, then scaled and shifted. (Ba et al., 2016)

    >>> layer_norm([1, 2, 3, 4], eps=0).round(4)
    array([-1.3416, -0.4472,  0.4472,  1.3416])
    """
    return layer_norm_trace(x, gamma, beta, eps=eps, axis=axis).output


def layer_norm_trace(
    x: npt.ArrayLike,
    gamma: npt.ArrayLike | None = None,
    beta: npt.ArrayLike | None = None,
    *,
    eps: float = 1e-5,
    axis: Axes = -1,
) -> LayerNormTrace:
    """`layer_norm` with every step kept; the steps before `output` are in float32 where x is float16.

    >>> layer_norm_trace([1, 2, 3, 4]).variance
    array([1.25])
    """
    array = as_float("x", x)
    axes = _checked_axes(array, axis)
    work = array.astype(working_dtype(array), copy=False)
    with non_finite_is_answer():
        mean = work.mean(axis=axes, keepdims=True)
        centered = work - mean
        variance = np.square(centered).mean(axis=axes, keepdims=True)
        inverse_std = _inverse_root(variance, eps)
        normalized = centered * inverse_std
        output = _scale_and_shift(normalized, gamma, beta, axes)
    return LayerNormTrace(mean, centered, variance, inverse_std, normalized, cast(output, array.dtype))


def _checked_axes(x: FloatArray, axis: Axes) -> tuple[int, ...]:
    """The axes as sorted numbers from 0; ShapeError where x lacks one of them or has nothing along it."""
    wanted = (axis,) if isinstance(axis, int) else axis
    if any(not -x.ndim <= number < x.ndim for number in wanted):
        raise ShapeError(f"x must have the axes {wanted} that are normalised, got shape {x.shape}")
    axes = tuple(sorted({number % x.ndim for number in wanted}))
    if any(x.shape[number] == 0 for number in axes):
        raise ShapeError(f"x must have at least one entry along the axes {wanted}, got shape {x.shape}")
    return axes


def _inverse_root(mean_square: FloatArray, eps: float) -> FloatArray:
    """1 / sqrt(mean_square + eps), and 0 where that would be 1 / 0."""
    if not eps >= 0:
        raise ValueError(f"eps must be zero or positive, got {eps}")
    root = np.sqrt(mean_square + mean_square.dtype.type(eps))
    inverse: FloatArray = np.divide(1, root, out=np.zeros_like(root), where=root != 0)
    return inverse


def _scale_and_shift(
    normalized: FloatArray, gamma: npt.ArrayLike | None, beta: npt.ArrayLike | None, axes: tuple[int, ...]
) -> FloatArray:
    """gamma * normalized + beta, each laid along the normalised axes wherever these stand."""
    shape = tuple(normalized.shape[number] for number in axes)
    lying = tuple(size if number in axes else 1 for number, size in enumerate(normalized.shape))
    output = normalized
    for name, values in (("gamma", gamma), ("beta", beta)):
        if values is None:
            continue
        parameter = as_float(name, values).astype(normalized.dtype, copy=False)
        if parameter.shape != shape:
            raise ShapeError(f"{name} must have the normalised axes' shape {shape}, got {parameter.shape}")
        parameter = parameter.reshape(lying)
        output = output * parameter if name == "gamma" else output + parameter
    return output
