"""Attention tile by tile: the same answer as the plain form, without ever holding an (S_q, S_k) array.

A tile is a block of queries against a block of keys. Softmax wants the maximum and the sum of a whole
row, and a tile sees a part of it; so both are kept running. When a later tile holds a larger score, what was
summed so far is rescaled by e ** (old maximum - new maximum), as though the new one had been subtracted from
the start. Beside the inputs and the output the memory is one tile: linear in S.

"FlashAttention" (Dao et al., 2022), in the loop order of its second version: queries outside, keys inside.
"""

import math
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.activations import divisor, finite_shift, row_maximum
from transformer_core.arrays import FloatArray, as_float, cast, matmul, non_finite_is_answer, working_dtype
from transformer_core.attn_mask import checked_mask, mask_in_place
from transformer_core.errors import broadcast_leading, check_positive, check_shape
from transformer_core.masks import Alignment, first_query_position

# Large enough that numpy's own overhead a call disappears, small enough that a tile stays in the cache.
TILE_Q, TILE_K = 256, 1024


class Tile(NamedTuple):
    """A block of queries against a block of keys, each as first and one past the last."""

    queries: tuple[int, int]
    keys: tuple[int, int]
    visible: str  # what a causal mask leaves of it: "all", "part" or "none"


class RunningSoftmax(NamedTuple):
    """What is known of some query rows after the keys seen so far."""

    row_max: FloatArray  # (..., T_q, 1) the largest score so far, -inf before the first
    row_sum: FloatArray  # (..., T_q, 1) sum of e ** (score - row_max)
    output: FloatArray  # (..., T_q, d_v) sum of e ** (score - row_max) * value; not yet divided by row_sum


class FlashStep(NamedTuple):
    """One tile: what came in, how the old state was rescaled, and the state afterwards."""

    tile: Tile
    scores: FloatArray  # (..., T_q, T_k) scaled and masked
    rescale: FloatArray  # (..., T_q, 1) e ** (old row_max - new row_max), between 0 and 1
    exponentials: FloatArray  # (..., T_q, T_k) e ** (scores - new row_max)
    running: RunningSoftmax


class FlashTrace(NamedTuple):
    """All steps in order, and the answer."""

    plan: tuple[Tile, ...]  # every tile, those of visible "none" too, which are skipped
    steps: tuple[FlashStep, ...]
    output: FloatArray  # (..., S_q, d_v)


def tile_plan(
    S_q: int,
    S_k: int,
    *,
    tile_q: int = TILE_Q,
    tile_k: int = TILE_K,
    is_causal: bool = False,
    alignment: Alignment = "top-left",
) -> tuple[Tile, ...]:
    """The tiles in the order in which they are visited, and how much of each a causal mask leaves visible.

    >>> [tile.visible for tile in tile_plan(4, 4, tile_q=2, tile_k=2, is_causal=True)]
    ['part', 'none', 'all', 'part']
    """
    return tuple(_tiles(S_q, S_k, tile_q, tile_k, is_causal, alignment))


def _tiles(
    S_q: int, S_k: int, tile_q: int, tile_k: int, is_causal: bool, alignment: Alignment
) -> Iterator[Tile]:
    """One after the other: all at once they would be a table that grows with S_q * S_k."""
    check_positive(tile_q=tile_q, tile_k=tile_k)
    first_query = first_query_position(S_q, S_k, alignment)
    for q_start in range(0, S_q, tile_q):
        q_end = min(q_start + tile_q, S_q)
        for k_start in range(0, S_k, tile_k):
            k_end = min(k_start + tile_k, S_k)
            visible = "all"
            if is_causal and k_end - 1 > first_query + q_start:
                visible = "none" if k_start > first_query + q_end - 1 else "part"
            yield Tile((q_start, q_end), (k_start, k_end), visible)


def absorb(
    tile: Tile, before: RunningSoftmax, scores: FloatArray, value: FloatArray, *, keep: bool
) -> FlashStep:
    """One more block of keys, scores (..., T_q, T_k) and value (..., T_k, d_v). This is the whole trick.

    keep=False writes the exponentials over the scores.

    >>> tile, start = Tile((0, 1), (0, 1), "all"), nothing_seen((1, 1), np.dtype(float))
    >>> one = absorb(tile, start, np.array([[1.0]]), np.array([[10.0]]), keep=True).running
    >>> two = absorb(tile, one, np.array([[3.0]]), np.array([[20.0]]), keep=True).running
    >>> (two.output / two.row_sum).round(4)
    array([[18.808]])
    >>> ((10 * np.exp([[1]]) + 20 * np.exp([[3]])) / (np.exp([[1]]) + np.exp([[3]]))).round(4)
    array([[18.808]])
    """
    row_max = np.maximum(before.row_max, row_maximum(scores))
    rescale = np.exp(before.row_max - finite_shift(row_max))  # 0 before the first visible key
    exponentials = np.subtract(scores, finite_shift(row_max), out=None if keep else scores)
    np.exp(exponentials, out=exponentials)
    with non_finite_is_answer():
        row_sum = before.row_sum * rescale + exponentials.sum(axis=-1, keepdims=True)
        output = before.output * rescale + matmul(exponentials, value)
    return FlashStep(tile, scores, rescale, exponentials, RunningSoftmax(row_max, row_sum, output))


def nothing_seen(shape: tuple[int, ...], dtype: np.dtype[np.floating[Any]]) -> RunningSoftmax:
    """The running state before the first key, for an output of this shape (..., T_q, d_v)."""
    row = (*shape[:-1], 1)
    return RunningSoftmax(np.full(row, -np.inf, dtype), np.zeros(row, dtype), np.zeros(shape, dtype))


def flash_attention(
    query: npt.ArrayLike,  # (..., S_q, d_k)
    key: npt.ArrayLike,  # (..., S_k, d_k)
    value: npt.ArrayLike,  # (..., S_k, d_v)
    attn_mask: npt.ArrayLike | None = None,  # broadcasts to (..., S_q, S_k)
    *,
    is_causal: bool = False,
    alignment: Alignment = "top-left",
    scale: float | None = None,
    tile_q: int = TILE_Q,
    tile_k: int = TILE_K,
) -> FloatArray:  # (..., S_q, d_v)
    """`scaled_dot_product_attention`, equal to rounding, in memory linear in S; the arguments mean the same.

    One tile goes over all leading axes at once and holds B * H * tile_q * tile_k scores. A tile that
    causality hides whole is skipped, so NaN or inf in its values does not reach the row; in the plain form it
    does.

    >>> flash_attention(np.eye(3), np.eye(3), np.eye(3), is_causal=True, tile_q=2, tile_k=2).round(3)
    array([[1.   , 0.   , 0.   ],
           [0.36 , 0.64 , 0.   ],
           [0.264, 0.264, 0.471]])
    """
    work = _prepare(query, key, value, attn_mask, scale)
    tiles = _tiles(*work.sizes, tile_q, tile_k, is_causal, alignment)
    for _ in _walk(work, tiles, alignment, keep=False):
        pass
    return cast(work.output, work.answer)


def flash_attention_trace(
    query: npt.ArrayLike,
    key: npt.ArrayLike,
    value: npt.ArrayLike,
    attn_mask: npt.ArrayLike | None = None,
    *,
    is_causal: bool = False,
    alignment: Alignment = "top-left",
    scale: float | None = None,
    tile_q: int = TILE_Q,
    tile_k: int = TILE_K,
) -> FlashTrace:
    """`flash_attention` with every tile kept; the same code, the same output to the last bit.

    >>> trace = flash_attention_trace(np.eye(3), np.eye(3), np.eye(3), tile_q=3, tile_k=1)
    >>> [float(step.running.row_sum[0, 0].round(3)) for step in trace.steps]
    [1.0, 1.561, 2.123]
    """
    work = _prepare(query, key, value, attn_mask, scale)
    plan = tile_plan(*work.sizes, tile_q=tile_q, tile_k=tile_k, is_causal=is_causal, alignment=alignment)
    steps = tuple(_walk(work, plan, alignment, keep=True))
    return FlashTrace(plan, steps, cast(work.output, work.answer))


class _Work(NamedTuple):
    """The checked arrays in their working dtype, and the place of the output, filled tile by tile."""

    sizes: tuple[int, int]  # S_q, S_k
    q: FloatArray  # scaled already
    k: FloatArray
    v: FloatArray
    mask: npt.NDArray[Any] | None  # (..., S_q, S_k), a view: nothing of that size is made here
    output: FloatArray  # (..., S_q, d_v)
    answer: np.dtype[Any]  # the dtype of the result


def _prepare(
    query: npt.ArrayLike,
    key: npt.ArrayLike,
    value: npt.ArrayLike,
    attn_mask: npt.ArrayLike | None,
    scale: float | None,
) -> _Work:
    q, k, v = as_float("query", query), as_float("key", key), as_float("value", value)
    sizes = check_shape("query", q, "... S_q d_k")
    S_q, d_k = sizes["S_q"], sizes["d_k"]
    S_k = check_shape("key", k, "... S_k d_k", d_k=d_k)["S_k"]
    d_v = check_shape("value", v, "... S_k d_v", S_k=S_k)["d_v"]
    check_positive(d_k=d_k)
    shape = (*broadcast_leading(query=q, key=k, value=v), S_q, S_k)
    mask = None if attn_mask is None else np.broadcast_to(checked_mask(attn_mask, shape), shape)
    answer, work = np.result_type(q, k, v), working_dtype(q, k, v)
    scale = 1 / math.sqrt(d_k) if scale is None else scale
    with non_finite_is_answer():
        q = q.astype(work) * work.type(scale)  # d_k products a query; scaling the scores takes S_k
    k, v = k.astype(work, copy=False), v.astype(work, copy=False)
    return _Work((S_q, S_k), q, k, v, mask, np.zeros((*shape[:-1], d_v), work), answer)


def _walk(work: _Work, plan: Iterable[Tile], alignment: Alignment, *, keep: bool) -> Iterator[FlashStep]:
    """Every visible tile in order; when a row of tiles is done, its output is divided and written down."""
    first_query = first_query_position(*work.sizes, alignment)
    for queries, tiles in groupby(plan, key=lambda tile: tile.queries):
        rows = slice(*queries)
        running = nothing_seen(work.output[..., rows, :].shape, work.output.dtype)
        for tile in tiles:
            if tile.visible == "none":
                continue
            keys = slice(*tile.keys)
            scores = matmul(work.q[..., rows, :], work.k[..., keys, :].swapaxes(-1, -2))
            if work.mask is not None:
                mask_in_place(scores, work.mask[..., rows, keys])
            if tile.visible == "part":
                T_q, T_k = scores.shape[-2:]
                diagonal = first_query + queries[0] - tile.keys[0]
                np.copyto(scores, -np.inf, where=~np.tri(T_q, T_k, k=diagonal, dtype=np.bool_))
            step = absorb(tile, running, scores, work.v[..., keys, :], keep=keep)
            running = step.running
            yield step
        work.output[..., rows, :] = running.output / divisor(running.row_sum)
