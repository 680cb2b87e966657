"""Wrong softmaxes, each with the check that rejects it."""

import numpy as np


def _stable(x, axis=-1):
    x = np.asarray(x, dtype=np.result_type(np.asarray(x), np.float32))
    top = x.max(axis=axis, keepdims=True)
    return np.exp(x - np.where(np.isfinite(top), top, 0))


def without_subtracting_the_maximum(x, axis=-1):
    exponentials = np.exp(np.asarray(x))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def over_the_first_axis(x, axis=0):
    exponentials = _stable(x, axis)
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def ignoring_the_axis(x, axis=-1):
    exponentials = _stable(x)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def over_all_entries(x, axis=-1):
    exponentials = _stable(x, None)
    return exponentials / exponentials.sum()


def with_base_two(x, axis=-1):
    powers = np.exp2(x - np.max(x, axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def divided_by_the_largest(x, axis=-1):
    exponentials = _stable(x, axis)
    return exponentials / exponentials.max(axis=axis, keepdims=True)


def nan_for_an_empty_row(x, axis=-1):
    x = np.asarray(x, float)
    with np.errstate(invalid="ignore"):
        exponentials = np.exp(x - x.max(axis=axis, keepdims=True))
        return exponentials / exponentials.sum(axis=axis, keepdims=True)


def equal_weights_for_an_empty_row(x, axis=-1):
    exponentials = _stable(np.maximum(x, np.finfo(np.float64).min), axis)
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def one_hot_for_infinity(x, axis=-1):
    exponentials = _stable(np.clip(x, -1e30, 1e30), axis)
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def with_a_small_number_in_the_divisor(x, axis=-1):
    exponentials = _stable(x, axis)
    return exponentials / (exponentials.sum(axis=axis, keepdims=True) + 1e-9)


def summing_in_float16(x, axis=-1):
    x = np.asarray(x)
    exponentials = np.exp(x - x.max(axis=axis, keepdims=True))
    total = np.zeros_like(exponentials.take([0], axis))
    for index in range(x.shape[axis]):
        total += exponentials.take([index], axis)
    return exponentials / total


def float32_out_for_float16(x, axis=-1):
    exponentials = _stable(x, axis)
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def writing_into_the_input(x, axis=-1):
    x = np.asarray(x)
    x -= x.max(axis=axis, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=axis, keepdims=True)
    return x


MUTANTS = {
    "without subtracting the maximum": (without_subtracting_the_maximum, "check_large_and_shifted"),
    "over the first axis": (over_the_first_axis, "check_default_is_last_axis"),
    "ignoring the axis": (ignoring_the_axis, "check_axis"),
    "over all entries": (over_all_entries, "check_axis"),
    "with base two": (with_base_two, "check_exact"),
    "divided by the largest": (divided_by_the_largest, "check_exact"),
    "NaN for an empty row": (nan_for_an_empty_row, "check_nothing_visible"),
    "equal weights for an empty row": (equal_weights_for_an_empty_row, "check_nothing_visible"),
    "one-hot for infinity": (one_hot_for_infinity, "check_non_finite"),
    "a small number in the divisor": (with_a_small_number_in_the_divisor, "check_exact"),
    "summing in float16": (summing_in_float16, "check_float16"),
    "float32 out for float16": (float32_out_for_float16, "check_float16"),
    "writing into the input": (writing_into_the_input, "check_input_untouched"),
}
