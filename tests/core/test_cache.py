"""The KV cache: what is appended where, what is forgotten."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_core import KVCache, ShapeError, cache, cached_tokens, empty_cache, extend_cache, trim_cache

B, H, d_k, d_v = 2, 3, 5, 7


def tokens(first, last):
    """Keys and values whose every entry is the number of the token."""
    number = np.arange(first, last, dtype=float)[:, None]
    return np.broadcast_to(number, (B, H, last - first, d_k)), np.broadcast_to(
        -number, (B, H, last - first, d_v)
    )


def numbers(kept):
    return kept.key[0, 0, :, 0].tolist()


# --- what only a right cache does; `code` is the module


def check_appended_behind(code):
    kept = code.empty_cache((B,), H, d_k, d_v)
    for first, last in ((0, 3), (3, 4), (4, 4), (4, 6)):
        kept = code.extend_cache(kept, *tokens(first, last))
    assert numbers(kept) == [0, 1, 2, 3, 4, 5]
    assert (kept.key == tokens(0, 6)[0]).all()
    assert (kept.value == tokens(0, 6)[1]).all()


def check_trimmed_to_the_newest(code):
    whole = KVCache(*tokens(0, 6))
    assert numbers(code.trim_cache(whole, 2)) == [4, 5]
    assert (code.trim_cache(whole, 2).value == tokens(4, 6)[1]).all()
    assert code.trim_cache(whole, 6) is whole
    assert code.trim_cache(whole, 100) is whole
    assert code.trim_cache(whole, None) is whole


def check_forgotten_memory_is_free(code):
    """What is left is no view of what was."""
    assert code.trim_cache(KVCache(*tokens(0, 6)), 2).key.base is None


def check_old_cache_stays(code):
    before = KVCache(*(array.copy() for array in tokens(0, 3)))
    code.extend_cache(before, *tokens(3, 5))
    code.trim_cache(before, 1)
    assert numbers(before) == [0, 1, 2]


def check_counts(code):
    assert code.cached_tokens(code.empty_cache((B,), H, d_k, d_v)) == 0
    assert code.cached_tokens(KVCache(*tokens(0, 4))) == 4


def check_dtype(code):
    kept = code.empty_cache((), H, d_k, dtype=np.float32)
    assert (kept.key.dtype, kept.value.dtype, kept.value.shape) == ("f4", "f4", (H, 0, d_k))
    assert code.extend_cache(kept, np.ones((H, 1, d_k), "f4"), np.ones((H, 1, d_k), "f4")).key.dtype == "f4"


def test_cache(check, run_check):
    run_check(check, cache)


def test_wrong_cache_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


@given(pieces=st.lists(st.integers(0, 4), max_size=6), window=st.none() | st.integers(1, 6))
def test_in_any_pieces(pieces, window):
    kept, seen = empty_cache((B,), H, d_k, d_v), 0
    for piece in pieces:
        kept = trim_cache(extend_cache(kept, *tokens(seen, seen + piece)), window)
        seen += piece
    expected = list(range(seen)) if window is None else list(range(seen))[-window:]
    assert numbers(kept) == expected
    assert cached_tokens(kept) == len(expected)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ((B, H, 1, 4), (B, H, 1, d_v), "key must have shape (..., S_new, d_k=5), got (2, 3, 1, 4)"),
        ((B, H, 2, d_k), (B, H, 1, d_v), "value must have shape (..., S_new=2, d_v=7), got (2, 3, 1, 7)"),
        ((1, H, 1, d_k), (1, H, 1, d_v),
         "key and value must have the leading axes of the cache, (2, 3), got key (1, 3, 1, 5), "
         "value (1, 3, 1, 7)"),
    ],
)  # fmt: skip
def test_shapes_that_do_not_fit(key, value, message):
    with pytest.raises(ShapeError) as error:
        extend_cache(empty_cache((B,), H, d_k, d_v), np.ones(key), np.ones(value))
    assert str(error.value) == message
