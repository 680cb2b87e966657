"""What every attention does with its `attn_mask`: check it, and lay it over the scores."""

from typing import Any

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray, cast, non_finite_is_answer
from transformer_core.errors import check_broadcasts_to


def checked_mask(attn_mask: npt.ArrayLike, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """The mask as an array that broadcasts to scores of this shape (..., S_q, S_k).

    Raises ShapeError where it does not, TypeError where it is neither bool nor float.

    >>> checked_mask([[True, False]], (3, 2)).shape
    (1, 2)
    """
    mask = np.asarray(attn_mask)
    check_broadcasts_to("attn_mask", mask, "S_q S_k", shape)
    if mask.dtype.kind not in "bf":
        raise TypeError(
            "attn_mask must be bool (True takes part) or float (added to the scores), "
            f"got {mask.dtype}; from_convention reads a mask of 1 and 0"
        )
    return mask


def mask_in_place(scores: FloatArray, mask: npt.NDArray[Any]) -> None:
    """Write -inf over the scores that a checked mask hides, and add a float mask to the others.

    >>> scores = np.array([[1.0, 2.0, 3.0]])
    >>> mask_in_place(scores, np.array([[0.5, -np.inf, 0.0]]))
    >>> scores
    array([[ 1.5, -inf,  3. ]])
    """
    if mask.dtype.kind == "b":
        hidden = ~mask
    else:
        bias = cast(mask, scores.dtype)
        hidden = np.isneginf(bias)
        with non_finite_is_answer():
            scores += bias
    # select, not add or multiply: inf + -inf and 0 * -inf are NaN
    np.copyto(scores, -np.inf, where=hidden)
