"""Which query may look at which key: one convention, and the ways to and from the others.

Ours is that of PyTorch's scaled_dot_product_attention, JAX and ONNX. bool: True takes part, False is hidden.
float: the mask is added to the scores, and -inf hides.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import BoolArray, IntArray
from transformer_core.errors import check_choice, check_shape

Alignment = Literal["top-left", "bottom-right"]


def first_query_position(S_q: int, S_k: int, alignment: Alignment) -> int:
    """The key position at which query 0 stands.

    >>> first_query_position(2, 5, "bottom-right")
    3
    """
    check_choice("alignment", alignment, ("top-left", "bottom-right"))
    return 0 if alignment == "top-left" else S_k - S_q


def query_minus_key(S_q: int, S_k: int | None = None, *, alignment: Alignment = "top-left") -> IntArray:
    """How far each key lies behind its query, in tokens: (S_q, S_k), negative for a key that comes later.

    "top-left": query 0 stands at key 0 (PyTorch's is_causal). "bottom-right": the last query stands at the last
    key, as when a cache holds earlier keys.

    >>> query_minus_key(2, 4, alignment="bottom-right")
    array([[ 2,  1,  0, -1],
           [ 3,  2,  1,  0]])
    """
    S_k = S_q if S_k is None else S_k
    first = first_query_position(S_q, S_k, alignment)
    distance: IntArray = np.arange(first, first + S_q)[:, None] - np.arange(S_k)
    return distance


def causal_mask(S_q: int, S_k: int | None = None, *, alignment: Alignment = "top-left") -> BoolArray:
    """Each query sees its own token and the earlier ones: (S_q, S_k).

    With bottom-right alignment and S_q > S_k the first rows see nothing at all.

    >>> causal_mask(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    >>> causal_mask(1, 3, alignment="bottom-right")
    array([[ True,  True,  True]])
    """
    S_k = S_q if S_k is None else S_k
    return np.tri(S_q, S_k, k=first_query_position(S_q, S_k, alignment), dtype=np.bool_)


def padding_mask(lengths: npt.ArrayLike, S_k: int) -> BoolArray:  # (B,) -> (B, 1, 1, S_k)
    """Hides what stands behind the end of each sequence; the result goes with scores (B, H, S_q, S_k).

    The two axes of size 1 matter: a mask (B, S_k) would be read as (S_q, S_k) where B happens to equal S_q.

    >>> padding_mask([1, 3], 3)[:, 0, 0]
    array([[ True, False, False],
           [ True,  True,  True]])
    """
    array = np.asarray(lengths)
    check_shape("lengths", array, "B")
    if array.size and not (0 <= array.min() and array.max() <= S_k):
        raise ValueError(f"lengths must lie in 0..S_k={S_k}, got {array.tolist()}")
    mask: BoolArray = np.arange(S_k) < array[:, None, None, None]
    return mask


def padding_mask_from_ids(
    token_ids: npt.ArrayLike, pad_id: int = 0
) -> BoolArray:  # (B, S_k) -> (B, 1, 1, S_k)
    """Hides the tokens that are padding.

    >>> padding_mask_from_ids([[7, 4, 0]], pad_id=0)[0, 0, 0]
    array([ True,  True, False])
    """
    ids = np.asarray(token_ids)
    check_shape("token_ids", ids, "B S_k")
    mask: BoolArray = (ids != pad_id)[:, None, None, :]
    return mask
