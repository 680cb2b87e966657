"""Layer, RMS and batch normalisation: they differ in the axis averaged over, and in whether a mean goes.

gamma scales and beta shifts afterwards; both have the shape of the normalised axes, both may be left out.
eps stands inside the root, beside the variance. A constant row with eps=0 has no direction: it becomes zeros.
inf or NaN in a row makes that row NaN, and so does a number whose square is too large for the dtype.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray, as_float, cast, non_finite_is_answer, working_dtype
from transformer_core.errors import ShapeError, check_shape

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


class RMSNormTrace(NamedTuple):
    """Every step of an RMS norm."""

    mean_square: FloatArray  # (..., 1)
    inverse_rms: FloatArray  # (..., 1) 1 / sqrt(mean_square + eps)
    normalized: FloatArray  # (..., d_model) x * inverse_rms
    output: FloatArray  # (..., d_model) gamma * normalized


def rms_norm(
    x: npt.ArrayLike,  # (..., d_model)
    gamma: npt.ArrayLike | None = None,  # (d_model,)
    *,
    eps: float = 1e-5,
    axis: Axes = -1,
) -> FloatArray:  # (..., d_model)
    """Each token's vector with mean square 1; no mean goes, nothing is shifted. (Zhang and Sennrich, 2019)

    >>> rms_norm([3, 4], eps=0).round(4)
    array([0.8485, 1.1314])
    """
    return rms_norm_trace(x, gamma, eps=eps, axis=axis).output


def rms_norm_trace(
    x: npt.ArrayLike, gamma: npt.ArrayLike | None = None, *, eps: float = 1e-5, axis: Axes = -1
) -> RMSNormTrace:
    """`rms_norm` with every step kept; the steps before `output` are in float32 where x is float16.

    >>> rms_norm_trace([3, 4]).mean_square
    array([12.5])
    """
    array = as_float("x", x)
    axes = _checked_axes(array, axis)
    work = array.astype(working_dtype(array), copy=False)
    with non_finite_is_answer():
        mean_square = np.square(work).mean(axis=axes, keepdims=True)
        inverse_rms = _inverse_root(mean_square, eps)
        normalized = work * inverse_rms
        output = _scale_and_shift(normalized, gamma, None, axes)
    return RMSNormTrace(mean_square, inverse_rms, normalized, cast(output, array.dtype))


class BatchNormTrace(NamedTuple):
    """Every step of a batch norm. The statistics are (d,); running ones are those to use from now on."""

    mean: FloatArray  # (d,) of the batch in training, the running one otherwise
    variance: FloatArray  # (d,) the same; of the batch: divided by the count n, not by n - 1
    normalized: FloatArray  # (..., d)
    output: FloatArray  # (..., d) gamma * normalized + beta
    running_mean: FloatArray  # (d,)
    running_variance: FloatArray  # (d,)


def batch_norm(
    x: npt.ArrayLike,  # (..., d)
    running_mean: npt.ArrayLike,  # (d,)
    running_variance: npt.ArrayLike,  # (d,)
    gamma: npt.ArrayLike | None = None,  # (d,)
    beta: npt.ArrayLike | None = None,  # (d,)
    *,
    eps: float = 1e-5,
    axis: int = -1,
) -> FloatArray:  # (..., d)
    """At inference: each feature by the mean and variance that training left behind. (Ioffe, Szegedy, 2015)

    `axis` is that of the features; PyTorch's is 1. Each entry is treated alone: no other row has a say.

    >>> batch_norm([[3.0], [5.0]], running_mean=[1.0], running_variance=[4.0], eps=0).ravel()
    array([1., 2.])
    """
    return _batch_norm_steps(x, running_mean, running_variance, gamma, beta, None, eps, axis).output


def batch_norm_train(
    x: npt.ArrayLike,  # (..., d)
    running_mean: npt.ArrayLike,  # (d,)
    running_variance: npt.ArrayLike,  # (d,)
    gamma: npt.ArrayLike | None = None,  # (d,)
    beta: npt.ArrayLike | None = None,  # (d,)
    *,
    momentum: float = 0.1,
    eps: float = 1e-5,
    axis: int = -1,
) -> BatchNormTrace:
    """In training: each feature by the mean and variance over all other axes, batch and sequence.

    Gives the running statistics to go on with: (1 - momentum) * old + momentum * new, where the new variance
    is divided by n - 1, as PyTorch has it. Raises ShapeError for fewer than two rows: one has no variance.

    >>> trace = batch_norm_train([[3.0], [5.0]], running_mean=[0.0], running_variance=[1.0], eps=0)
    >>> trace.output.ravel(), trace.running_mean, trace.running_variance
    (array([-1.,  1.]), array([0.4]), array([1.1]))
    """
    return _batch_norm_steps(x, running_mean, running_variance, gamma, beta, momentum, eps, axis)


def _batch_norm_steps(
    x: npt.ArrayLike,
    running_mean: npt.ArrayLike,
    running_variance: npt.ArrayLike,
    gamma: npt.ArrayLike | None,
    beta: npt.ArrayLike | None,
    momentum: float | None,
    eps: float,
    axis: int,
) -> BatchNormTrace:
    """The one batch norm; no momentum means inference."""
    array = as_float("x", x)
    (features,) = _checked_axes(array, axis)
    others = tuple(number for number in range(array.ndim) if number != features)
    d, n = array.shape[features], math.prod(array.shape[number] for number in others)
    work = array.astype(working_dtype(array), copy=False)
    mean = cast(as_float("running_mean", running_mean), work.dtype)
    variance = cast(as_float("running_variance", running_variance), work.dtype)
    check_shape("running_mean", mean, "d", d=d)
    check_shape("running_variance", variance, "d", d=d)
    running = mean, variance
    lying = tuple(size if number == features else 1 for number, size in enumerate(array.shape))
    with non_finite_is_answer():
        if momentum is not None:
            if n < 2:
                raise ShapeError(f"x must have at least 2 rows to train on, got {n} in shape {array.shape}")
            mean, variance = work.mean(axis=others), work.var(axis=others)
            new = mean, variance * (n / (n - 1))
            running = tuple(
                (1 - momentum) * old + momentum * now for old, now in zip(running, new, strict=True)
            )
        normalized = (work - mean.reshape(lying)) * _inverse_root(variance, eps).reshape(lying)
        output = _scale_and_shift(normalized, gamma, beta, (features,))
    return BatchNormTrace(mean, variance, normalized, cast(output, array.dtype), *running)


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
    # a square too large for the dtype would make 1 / inf = 0, and the row zeros: NaN is the honest answer
    mean_square = np.where(np.isinf(mean_square), np.nan, mean_square).astype(mean_square.dtype, copy=False)
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
