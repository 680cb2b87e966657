"""Which query may look at which key: one convention, and the ways to and from the others.

Ours is that of PyTorch's scaled_dot_product_attention, JAX and ONNX. bool: True takes part, False is hidden.
float: the mask is added to the scores, and -inf hides.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import BoolArray, FloatArray, IntArray
from transformer_core.errors import ShapeError, check_choice, check_positive, check_shape

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

    "top-left": query 0 stands at key 0 (PyTorch's is_causal). "bottom-right": the last query stands at the
    last key, as when a cache holds earlier keys.

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
    if array.size and not (array.min() >= 0 and array.max() <= S_k):
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


def sliding_window_mask(
    S_q: int,
    S_k: int | None = None,
    *,
    window: int,
    is_causal: bool = True,
    alignment: Alignment = "top-left",
) -> BoolArray:  # (S_q, S_k)
    """Each query sees the `window` nearest tokens up to its own, and itself among them (Mistral, 2023).

    Without is_causal it sees as many after itself as before: 2 * window - 1 in all.

    >>> sliding_window_mask(4, window=2).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    return dilated_mask(S_q, S_k, window=window, dilation=1, is_causal=is_causal, alignment=alignment)


def dilated_mask(
    S_q: int,
    S_k: int | None = None,
    *,
    window: int,
    dilation: int,
    is_causal: bool = True,
    alignment: Alignment = "top-left",
) -> BoolArray:  # (S_q, S_k)
    """A sliding window with gaps: only each `dilation`-th token counts, so it reaches that much further.

    >>> dilated_mask(5, window=2, dilation=2)[4].astype(int)
    array([0, 0, 1, 0, 1])
    """
    check_positive(window=window, dilation=dilation)
    distance = query_minus_key(S_q, S_k, alignment=alignment)
    mask: BoolArray = (np.abs(distance) < window * dilation) & (distance % dilation == 0)
    if is_causal:
        mask &= distance >= 0
    return mask


def global_local_mask(
    S_q: int,
    S_k: int | None = None,
    *,
    window: int,
    global_tokens: Sequence[int],
    is_causal: bool = False,
    alignment: Alignment = "top-left",
) -> BoolArray:  # (S_q, S_k)
    """A sliding window, and a few tokens that see all and are seen by all (Longformer, 2020).

    global_tokens are key positions. With is_causal nobody sees a later token, those few included.

    >>> global_local_mask(4, window=1, global_tokens=[0]).astype(int)
    array([[1, 1, 1, 1],
           [1, 1, 0, 0],
           [1, 0, 1, 0],
           [1, 0, 0, 1]])
    """
    distance = query_minus_key(S_q, S_k, alignment=alignment)
    keys = np.arange(distance.shape[1])
    unknown = sorted(set(global_tokens) - set(keys.tolist()))
    if unknown:
        raise ValueError(f"global_tokens must lie in 0..S_k-1={len(keys) - 1}, got {unknown}")
    mask = sliding_window_mask(S_q, S_k, window=window, is_causal=is_causal, alignment=alignment)
    mask |= np.isin(distance + keys, global_tokens)  # distance + key is the query's own position
    mask |= np.isin(keys, global_tokens)
    if is_causal:
        mask &= distance >= 0
    return mask


def combine_masks(*masks: npt.ArrayLike | None) -> BoolArray | FloatArray | None:
    """One mask that hides what any of them hides; None hides nothing. Float masks are added up.

    bool with float gives float. Raises ShapeError where the shapes do not broadcast together.

    >>> combine_masks(causal_mask(3), padding_mask([2], 3)[0, 0], None).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 0]])
    """
    arrays = [np.asarray(mask) for mask in masks if mask is not None]
    if not arrays:
        return None
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ShapeError(f"masks must broadcast together, got {shapes}") from None
    for array in arrays:
        if array.dtype.kind not in "bf":
            raise TypeError(f"a mask must be bool or float, got {array.dtype}")
    visible = np.ones(shape, np.bool_)
    biases = [array for array in arrays if array.dtype.kind == "f"]
    for array in arrays:
        visible &= ~np.isneginf(array) if array.dtype.kind == "f" else array
    if not biases:
        return visible
    total = np.zeros(shape, np.result_type(*biases))
    for bias in biases:
        total += bias
    return np.where(visible, total, -np.inf).astype(total.dtype, copy=False)
