"""Wrong norms, each with the check that rejects it: a right one with one step exchanged for another."""

from types import SimpleNamespace

import numpy as np


def in_float32(x):
    return np.asarray(x).astype(np.result_type(np.asarray(x), np.float32))


def lay(parameter, x, axis):
    """A parameter of the normalised axis, so that it meets that axis of x."""
    if np.ndim(parameter) == 0 or not isinstance(axis, int):
        return parameter
    return np.reshape(parameter, [-1 if number == axis % x.ndim else 1 for number in range(x.ndim)])


def variance(x, axis):
    return x.var(axis=axis, keepdims=True)


def mean_square(x, axis):
    return (x * x).mean(axis=axis, keepdims=True)


def divide(x, square, eps):
    return x / np.sqrt(square + eps)


def scale(y, gamma, beta):
    return y * gamma + beta


def layer(variance=variance, divide=divide, scale=scale, mean=np.mean, axis=-1):
    def norm(x, gamma=1.0, beta=0.0, *, eps=1e-5, axis=axis):
        work = in_float32(x)
        centered = work - mean(work, axis=axis, keepdims=True)
        y = divide(centered, variance(work, axis), eps)
        return scale(y, lay(gamma, y, axis), lay(beta, y, axis)).astype(np.asarray(x).dtype, copy=False)

    return norm


def rms(mean_square=mean_square, divide=divide, work_in=in_float32):
    def norm(x, gamma=1.0, *, eps=1e-5, axis=-1):
        work = work_in(x)
        y = divide(work, mean_square(work, axis), eps) * lay(gamma, work, axis)
        return y.astype(np.asarray(x).dtype, copy=False) if work.dtype.itemsize < 8 else y

    return norm


def batch(over=None, ddof=0, running_ddof=1, keep=lambda momentum: 1 - momentum):
    def norm(x, running_mean, running_variance, gamma=1.0, beta=0.0, *, momentum=0.1, eps=1e-5, axis=-1):
        x = np.moveaxis(np.asarray(x), axis, -1)
        others = tuple(range(x.ndim - 1)) if over is None else over
        mean, variance, kept = x.mean(axis=others), x.var(axis=others, ddof=ddof), keep(momentum)
        new_variance = x.var(axis=others, ddof=running_ddof)
        return SimpleNamespace(
            output=np.moveaxis((x - mean) / np.sqrt(variance + eps) * gamma + beta, -1, axis),
            running_mean=kept * np.array(running_mean) + (1 - kept) * mean,
            running_variance=kept * np.array(running_variance) + (1 - kept) * new_variance,
        )

    return norm


as_it_should_be = {"layer": layer(), "rms": rms(), "batch": batch()}


def one_pass_variance(x, axis):
    return (x * x).mean(axis=axis, keepdims=True) - x.mean(axis=axis, keepdims=True) ** 2


def absolute_deviation(x, axis):
    return np.abs(x - x.mean(axis=axis, keepdims=True)).mean(axis=axis, keepdims=True) ** 2


def axis_ignored(x, gamma=1.0, *, eps=1e-5, axis=-1):
    return rms()(x, eps=eps)


MUTANTS = {
    "ddof=1": (layer(lambda x, axis: x.var(axis=axis, keepdims=True, ddof=1)), "check_layer_exact"),
    "eps outside the root": (layer(divide=lambda c, v, eps: c / (np.sqrt(v) + eps)), "check_layer_eps"),
    "no eps": (layer(divide=lambda c, v, eps: c / np.sqrt(v)), "check_layer_eps"),
    "divided by the variance": (layer(divide=lambda c, v, eps: c / (v + eps)), "check_layer_exact"),
    "mean absolute deviation": (layer(absolute_deviation), "check_layer_exact"),
    "median for mean": (layer(mean=np.median), "check_layer_loops"),
    "mean not taken away": (layer(mean=lambda x, **options: 0.0), "check_layer_exact"),
    "beta before gamma": (layer(scale=lambda y, gamma, beta: (y + beta) * gamma), "check_layer_loops"),
    "1 + gamma": (layer(scale=lambda y, gamma, beta: y * (1 + gamma) + beta), "check_layer_loops"),
    "no beta": (layer(scale=lambda y, gamma, beta: y * gamma), "check_layer_loops"),
    "over the sequence": (layer(axis=0), "check_layer_other_rows_do_not_matter"),
    "over everything": (layer(axis=None), "check_layer_other_rows_do_not_matter"),
    "variance in one pass": (layer(one_pass_variance), "check_layer_far_from_zero"),
    "axis ignored": (axis_ignored, "check_axis"),
    "squares in float16": (rms(work_in=np.asarray), "check_float16"),
    "RMS with the mean taken away": (rms(variance), "check_rms_exact"),
    "RMS by the sum": (rms(lambda x, axis: (x * x).sum(axis=axis, keepdims=True)), "check_rms_exact"),
    "RMS without the root": (rms(divide=lambda x, m, eps: x / (m + eps)), "check_rms_exact"),
    "RMS, eps outside the root": (rms(divide=lambda x, m, eps: x / (np.sqrt(m) + eps)), "check_rms_exact"),
    "RMS over the sequence": (rms(lambda x, axis: mean_square(x, 0)), "check_rms_loops"),
    "batch norm with ddof=1": (batch(ddof=1), "check_batch_exact"),
    "running variance with ddof=0": (batch(running_ddof=0), "check_batch_exact"),
    "momentum the other way round": (batch(keep=lambda momentum: momentum), "check_batch_momentum"),
    "batch norm over one axis alone": (batch(over=(0,)), "check_batch_is_by_feature"),
}
