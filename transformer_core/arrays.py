"""The array types of the package, and the one rule for dtypes.

Legend of axis letters, used in every docstring:
B batch, S sequence (S_q queries, S_k keys and values), H heads, d_model width of the residual stream,
d_k width of a query or key, d_v width of a value, d_ff width of the feed-forward layer, ... any leading axes.

dtype rule: float in, the same float out. float16 is worked in float32 and rounded once, at the end.
bool and integer input counts as float64.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating[Any]]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.signedinteger[Any]]


def as_float(name: str, values: npt.ArrayLike) -> FloatArray:
    """The values as an array of float16, float32 or float64; TypeError for complex numbers, text, objects.

    >>> as_float("x", [1, 2]).dtype
    dtype('float64')
    """
    array = np.asarray(values)
    if array.dtype.kind in "biu":
        return array.astype(np.float64)
    if array.dtype.kind != "f":
        raise TypeError(f"{name} must hold real numbers, got dtype {array.dtype}")
    return array


def working_dtype(*arrays: FloatArray) -> np.dtype[Any]:
    """The dtype to compute in: the widest of the arrays, and float32 at least.

    >>> working_dtype(np.zeros(2, np.float16))
    dtype('float32')
    """
    return np.result_type(np.float32, *arrays)


@contextmanager
def non_finite_is_answer() -> Iterator[None]:
    """Around a step that may meet inf or NaN, or overflow: the result says so, without a warning."""
    with np.errstate(over="ignore", invalid="ignore"):
        yield


def matmul(left: FloatArray, right: FloatArray) -> FloatArray:  # (..., n, k), (..., k, m) -> (..., n, m)
    """The matrix product; inf, NaN and overflow go through into the product without a warning.

    >>> matmul(np.full((1, 2), 300, np.float16), np.full((2, 1), 1, np.float16))
    array([[600.]], dtype=float16)
    """
    work, answer = working_dtype(left, right), np.result_type(left, right)
    with non_finite_is_answer():
        product: FloatArray = left.astype(work, copy=False) @ right.astype(work, copy=False)
    return cast(product, answer)


def cast(array: FloatArray, dtype: npt.DTypeLike) -> FloatArray:
    """The array in the dtype of the answer; what is too large for float16 becomes inf."""
    with non_finite_is_answer():
        answer: FloatArray = array.astype(dtype, copy=False)
    return answer
