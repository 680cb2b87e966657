"""The linear layer, with row vectors: x @ W + b. PyTorch stores the transpose of W."""

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray, as_float, cast, matmul, working_dtype
from transformer_core.errors import check_shape


def linear(
    x: npt.ArrayLike,  # (..., d_in)
    W: npt.ArrayLike,  # (d_in, d_out)
    b: npt.ArrayLike | None = None,  # (d_out,)
    *,
    name: str = "W",
    bias_name: str = "b",
) -> FloatArray:  # (..., d_out)
    """x @ W + b; the names are what a ShapeError calls W and b.

    >>> linear([[1, 2]], [[1, 0, 1], [0, 1, 1]])
    array([[1., 2., 3.]])
    """
    array, matrix = as_float("x", x), as_float(name, W)
    d_in = check_shape("x", array, "... d_in")["d_in"]
    d_out = check_shape(name, matrix, "d_in d_out", d_in=d_in)["d_out"]
    work, answer = working_dtype(array, matrix), np.result_type(array, matrix)
    product = matmul(array.astype(work, copy=False), matrix.astype(work, copy=False))
    if b is not None:
        bias = as_float(bias_name, b)
        check_shape(bias_name, bias, "d_out", d_out=d_out)
        product += cast(bias, work)
    return cast(product, answer)
