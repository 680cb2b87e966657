"""The KV cache: the keys and values of the tokens so far, so that no step computes them again.

Causality makes it possible: what comes later changes no earlier token's key or value, in any layer.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray
from transformer_core.errors import ShapeError, check_shape


class KVCache(NamedTuple):
    """One layer's keys (already turned by RoPE) and values, oldest first."""

    key: FloatArray  # (..., n_kv_heads, S, d_k)
    value: FloatArray  # (..., n_kv_heads, S, d_v)


def empty_cache(
    leading: tuple[int, ...],
    n_kv_heads: int,
    d_k: int,
    d_v: int | None = None,
    *,
    dtype: npt.DTypeLike = np.float64,
) -> KVCache:
    """A cache before the first token; `leading` is (B,) or ().

    >>> empty_cache((2,), n_kv_heads=1, d_k=4).key.shape
    (2, 1, 0, 4)
    """
    d_v = d_k if d_v is None else d_v
    return KVCache(
        np.zeros((*leading, n_kv_heads, 0, d_k), dtype), np.zeros((*leading, n_kv_heads, 0, d_v), dtype)
    )


def extend_cache(cache: KVCache, key: FloatArray, value: FloatArray) -> KVCache:
    """The cache with the keys and values of new tokens behind those that it holds; a new record.

    Raises ShapeError unless they agree in all axes but the sequence.

    >>> cache = empty_cache((), n_kv_heads=1, d_k=2)
    >>> cache = extend_cache(cache, np.array([[[1.0, 2.0]]]), np.array([[[3.0, 4.0]]]))
    >>> extend_cache(cache, np.array([[[5.0, 6.0]]]), np.array([[[7.0, 8.0]]])).key
    array([[[1., 2.],
            [5., 6.]]])
    """
    S_new = check_shape("key", key, "... S_new d_k", d_k=cache.key.shape[-1])["S_new"]
    check_shape("value", value, "... S_new d_v", S_new=S_new, d_v=cache.value.shape[-1])
    if key.shape[:-2] != cache.key.shape[:-2] or value.shape[:-2] != cache.value.shape[:-2]:
        raise ShapeError(
            f"key and value must have the leading axes of the cache, {cache.key.shape[:-2]}, "
            f"got key {key.shape}, value {value.shape}"
        )
    return KVCache(np.concatenate([cache.key, key], axis=-2), np.concatenate([cache.value, value], axis=-2))


def trim_cache(cache: KVCache, window: int | None) -> KVCache:
    """Forget all but the newest `window` tokens; None keeps everything. For sliding-window attention.

    A copy, so that the forgotten tokens' memory is free.

    >>> trim_cache(KVCache(np.arange(6.0).reshape(1, 3, 2), np.zeros((1, 3, 2))), window=1).key
    array([[[4., 5.]]])
    """
    if window is None or cache.key.shape[-2] <= window:
        return cache
    return KVCache(cache.key[..., -window:, :].copy(), cache.value[..., -window:, :].copy())


def cached_tokens(cache: KVCache) -> int:
    """How many tokens it holds.

    >>> cached_tokens(empty_cache((), 1, 2))
    0
    """
    return cache.key.shape[-2]
