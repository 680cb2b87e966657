"""To our masks (bool, True takes part) and back, from what other libraries call a mask.

    torch-sdpa          bool, True takes part: ours            scaled_dot_product_attention(attn_mask=...)
    torch-mha           bool, True is HIDDEN                   MultiheadAttention(attn_mask=...)
    torch-key-padding   bool (B, S_k), True is HIDDEN          MultiheadAttention(key_padding_mask=...)
    hugging-face        1 or 0 (B, S_k), 1 takes part          tokenizer(...)["attention_mask"]
    additive            float, 0 takes part, -inf is hidden    added to the scores
    additive-min        the same with the lowest number        old Hugging Face models

With additive-min a row that hides all its keys gets equal weights on them: only -inf is hidden for certain.
"""

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import BoolArray
from transformer_core.errors import ShapeError, check_choice, check_shape

MaskConvention = Literal[
    "torch-sdpa", "torch-mha", "torch-key-padding", "hugging-face", "additive", "additive-min"
]

HIDDEN_BELOW = -1e4  # the mildest number that models have used for "hidden" (BERT's -10000)


def from_convention(mask: npt.ArrayLike, convention: MaskConvention) -> BoolArray:
    """The mask as ours: bool, True takes part. A mask (B, S_k) comes back as (B, 1, 1, S_k).

    Raises ValueError for an entry that the convention does not have, such as 0.5 in an additive mask: that
    is a bias, and attention takes it as it is.

    >>> from_convention([[False, True]], "torch-mha")
    array([[ True, False]])
    >>> from_convention([[1, 1, 0]], "hugging-face").shape
    (1, 1, 1, 3)
    >>> from_convention([0.0, -np.inf, -1e9], "additive")
    array([ True, False, False])
    """
    check_choice("convention", convention, get_args(MaskConvention))
    array = np.asarray(mask)
    visible: BoolArray
    match convention:
        case "torch-sdpa":
            visible = _checked_bool(array, convention)
        case "torch-mha":
            visible = ~_checked_bool(array, convention)
        case "torch-key-padding":
            check_shape("mask", array, "B S_k")
            visible = ~_checked_bool(array, convention)[:, None, None, :]
        case "hugging-face":
            check_shape("mask", array, "B S_k")
            _check_entries(array, (array == 0) | (array == 1), "0 or 1")
            visible = (array == 1)[:, None, None, :]
        case _:
            visible = array == 0
            _check_entries(
                array, visible | (array <= HIDDEN_BELOW), f"0, or hidden at {HIDDEN_BELOW:g} and below"
            )
    return visible


def to_convention(
    mask: npt.ArrayLike, convention: MaskConvention, *, dtype: npt.DTypeLike = np.float32
) -> npt.NDArray[Any]:
    """Our bool mask as another library wants it; dtype is that of the two additive forms.

    For the two of shape (B, S_k) the mask must be (B, 1, 1, S_k), the same for all heads and queries.

    >>> to_convention([[True, False]], "additive")
    array([[  0., -inf]], dtype=float32)
    >>> to_convention(np.array([[[[True, True, False]]]]), "hugging-face").tolist()
    [[1, 1, 0]]
    """
    check_choice("convention", convention, get_args(MaskConvention))
    visible = _checked_bool(np.asarray(mask), "torch-sdpa")
    match convention:
        case "torch-sdpa":
            return visible
        case "torch-mha":
            return ~visible
        case "torch-key-padding":
            return ~_for_keys_alone(visible, convention)
        case "hugging-face":
            return _for_keys_alone(visible, convention).astype(np.int64)
        case "additive":
            return np.where(visible, 0, -np.inf).astype(dtype)
        case "additive-min":
            lowest = np.finfo(np.zeros(0, dtype).dtype).min
            return np.where(visible, 0, lowest).astype(dtype)


def _checked_bool(array: npt.NDArray[Any], convention: MaskConvention) -> BoolArray:
    if array.dtype.kind != "b":
        raise TypeError(f"a mask of convention {convention!r} must be bool, got {array.dtype}")
    return array


def _check_entries(array: npt.NDArray[Any], allowed: BoolArray, words: str) -> None:
    if not allowed.all():
        raise ValueError(f"mask entries must be {words}, got {array[~allowed].flat[0]}")


def _for_keys_alone(
    visible: BoolArray, convention: MaskConvention
) -> BoolArray:  # (B, 1, 1, S_k) -> (B, S_k)
    if visible.ndim != 4 or visible.shape[1:3] != (1, 1):
        raise ShapeError(f"mask must have shape (B, 1, 1, S_k) for {convention!r}, got {visible.shape}")
    return visible[:, 0, 0, :]
