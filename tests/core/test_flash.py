"""Tiled attention: equal to the plain form, tile by tile as it says, in little memory."""

import sys
import tracemalloc
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import (
    ShapeError,
    alibi_bias,
    causal_mask,
    flash,
    flash_attention,
    flash_attention_trace,
    scaled_dot_product_attention,
    tile_plan,
)

NAN, INF = np.nan, np.inf
equal = partial(assert_allclose, rtol=1e-12, atol=1e-14)
B, H, S_q, S_k, d_k, d_v = 2, 3, 11, 13, 5, 7
TILES = {"tile_q": 3, "tile_k": 4}  # neither divides its sequence


def qkv(S_query=S_q, leading=(B, H), seed=0, dtype="f8"):
    rng = np.random.default_rng(seed)
    shapes = ((S_query, d_k), (S_k, d_k), (S_k, d_v))
    return [rng.standard_normal((*leading, *shape)).astype(dtype) for shape in shapes]


# --- what only a right tiled attention does; `code` is the module


def check_loops(code, oracles):
    query, key, value = qkv(leading=())
    output = code.flash_attention(query, key, value, **TILES)
    equal(output, oracles.attend(query, key, value))


def check_plain(code):
    query, key, value = qkv()
    expected = scaled_dot_product_attention(query, key, value)
    for tile_q, tile_k in ((3, 4), (1, 1), (11, 13), (100, 100), (2, 13), (11, 2)):
        output = code.flash_attention(query, key, value, tile_q=tile_q, tile_k=tile_k)
        equal(output, expected)


def check_rising_scores(code):
    """Each key scores higher than all before it, so every tile moves the maximum."""
    key = np.arange(1.0, 9)[:, None] * 3
    value = np.arange(8.0)[:, None] ** 2
    output = code.flash_attention(np.ones((1, 1)), key, value, tile_q=1, tile_k=2)
    equal(output, scaled_dot_product_attention(np.ones((1, 1)), key, value))


def check_falling_scores(code):
    """The first tile holds the maximum; the others must not move it."""
    key = np.arange(8.0, 0, -1)[:, None] * 3
    value = np.arange(8.0)[:, None] ** 2
    output = code.flash_attention(np.ones((1, 1)), key, value, tile_q=1, tile_k=2)
    equal(output, scaled_dot_product_attention(np.ones((1, 1)), key, value))


def check_large_scores(code):
    """Scores around 2000, in a later tile than the first."""
    key = np.array([[1.0], [2000.0], [2001.0], [1999.0]])
    value = np.array([[1.0], [2.0], [4.0], [8.0]])
    output = code.flash_attention(np.ones((1, 1)), key, value, tile_q=1, tile_k=1)
    powers = np.exp([-1.0, 0.0, -2.0])
    equal(output, [[powers @ [2, 4, 8] / powers.sum()]])


def check_causal(code):
    for S_query in (S_q, S_k, S_k + 4):
        query, key, value = qkv(S_query)
        for alignment in ("top-left", "bottom-right"):
            options = {"is_causal": True, "alignment": alignment}
            output = code.flash_attention(query, key, value, **options, **TILES)
            expected = scaled_dot_product_attention(query, key, value, **options)
            equal(output, expected)


def check_later_keys_do_not_matter(code):
    query, key, value = qkv(S_k)
    before = code.flash_attention(query, key, value, is_causal=True, **TILES)
    key[..., 6:, :], value[..., 6:, :] = 50, -50
    after = code.flash_attention(query, key, value, is_causal=True, **TILES)
    assert np.array_equal(after[..., :6, :], before[..., :6, :])


def check_masks(code):
    query, key, value = qkv()
    rng = np.random.default_rng(1)
    for mask in (
        rng.random((S_q, S_k)) < 0.6,
        rng.random((B, 1, 1, S_k)) < 0.6,
        rng.random((H, S_q, 1)) < 0.6,
        alibi_bias(H, S_q, S_k),
        np.where(rng.random((B, H, S_q, S_k)) < 0.6, rng.standard_normal((B, H, S_q, S_k)), -INF),
    ):
        for is_causal in (False, True):
            output = code.flash_attention(query, key, value, mask, is_causal=is_causal, **TILES)
            expected = scaled_dot_product_attention(query, key, value, mask, is_causal=is_causal)
            equal(output, expected)


def check_nothing_visible(code):
    query, key, value = qkv()
    mask = np.ones((S_q, S_k), bool)
    mask[4] = False
    mask[5, :9] = False  # nothing at first, something later
    output = code.flash_attention(query, key, value, mask, **TILES)
    assert not output[..., 4, :].any()
    equal(output, scaled_dot_product_attention(query, key, value, mask))


def check_scale(code):
    query, key, value = qkv()
    for scale in (0.3, 1.0, 0.0, -0.5):
        output = code.flash_attention(query, key, value, scale=scale, **TILES)
        equal(output, scaled_dot_product_attention(query, key, value, scale=scale))


def check_hidden_tiles_are_skipped(code):
    """16 tiles, of which a causal mask hides 6 whole and cuts 4."""
    trace = code.flash_attention_trace(*[np.ones((8, 2))] * 3, is_causal=True, tile_q=2, tile_k=2)
    assert [tile.visible for tile in trace.plan].count("none") == 6
    assert [tile.visible for tile in trace.plan].count("part") == 4
    assert len(trace.steps) == 10


def check_trace(code):
    """Every step says what is known of the keys up to its own tile."""
    query, key, value = qkv(leading=())
    trace = code.flash_attention_trace(query, key, value, scale=1.0, **TILES)
    for step in trace.steps:
        rows, seen = slice(*step.tile.queries), slice(0, step.tile.keys[1])
        scores = query[rows] @ key[seen].T
        equal(step.running.row_max[:, 0], scores.max(axis=1))
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        equal(step.running.row_sum[:, 0], powers.sum(axis=1))
        equal(step.running.output, powers @ value[seen])
        equal(step.scores, scores[:, slice(*step.tile.keys)])
        equal(step.exponentials, powers[:, slice(*step.tile.keys)])
    assert np.array_equal(trace.output, code.flash_attention(query, key, value, scale=1.0, **TILES))


def check_float16(code):
    """Scores of 300 * 300: beyond float16, but not beyond what it is worked in."""
    query = np.full((2, 1), 300, np.float16)
    key = np.array([[300], [299]], np.float16)
    output = code.flash_attention(query, key, np.array([[1], [2]], np.float16), tile_q=1, tile_k=1)
    assert output.dtype == np.float16
    assert output.tolist() == [[1], [1]]


def check_inputs_untouched(code):
    arrays = qkv()
    copies = [array.copy() for array in arrays]
    mask = causal_mask(S_q, S_k)
    code.flash_attention(*arrays, mask, **TILES)
    assert all(np.array_equal(array, copy) for array, copy in zip(arrays, copies, strict=True))
    assert np.array_equal(mask, causal_mask(S_q, S_k))


def test_flash(check, run_check):
    run_check(check, flash)


def test_wrong_flash_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- properties


@given(
    leading=st.lists(st.integers(1, 3), max_size=2),
    sizes=st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 4), st.integers(0, 4)),
    tiles=st.tuples(st.integers(1, 10), st.integers(1, 10)),
    dtype=st.sampled_from(["f2", "f4", "f8"]),
    causal=st.sampled_from([None, "top-left", "bottom-right"]),
    masked=st.booleans(),
    seed=st.integers(0, 99),
)
def test_equal_to_the_plain_form(leading, sizes, tiles, dtype, causal, masked, seed):
    rng = np.random.default_rng(seed)
    n_query, n_key, width, value_width = sizes
    query = rng.standard_normal((*leading, n_query, width)).astype(dtype)
    key = (3 * rng.standard_normal((n_key, width))).astype(dtype)
    value = rng.standard_normal((*leading, n_key, value_width)).astype(dtype)
    mask = rng.random((*leading, n_query, n_key)) < 0.5 if masked else None
    options = {"is_causal": causal is not None, "alignment": causal or "top-left"}
    output = flash_attention(query, key, value, mask, **options, tile_q=tiles[0], tile_k=tiles[1])
    assert output.dtype == dtype
    expected = scaled_dot_product_attention(query, key, value, mask, **options)
    equal(output, expected, atol=20 * np.finfo(dtype).eps)


@given(sizes=st.tuples(*[st.integers(0, 20)] * 2), tiles=st.tuples(*[st.integers(1, 7)] * 2),
       causal=st.sampled_from([None, "top-left", "bottom-right"]))  # fmt: skip
def test_a_plan_covers_each_pair_once_and_says_what_is_visible(sizes, tiles, causal):
    options = {"is_causal": causal is not None, "alignment": causal or "top-left"}
    visible = np.ones(sizes, bool) if causal is None else causal_mask(*sizes, alignment=causal)
    covered = np.zeros(sizes, int)
    for tile in tile_plan(*sizes, tile_q=tiles[0], tile_k=tiles[1], **options):
        part = visible[slice(*tile.queries), slice(*tile.keys)]
        covered[slice(*tile.queries), slice(*tile.keys)] += 1
        assert tile.visible == ("all" if part.all() else "part" if part.any() else "none")
    assert (covered == 1).all()


# --- edges


def test_empty_sequences():
    assert flash_attention(np.ones((0, 2)), np.ones((3, 2)), np.ones((3, 4))).shape == (0, 4)
    assert flash_attention(np.ones((3, 2)), np.ones((0, 2)), np.ones((0, 4))).tolist() == [[0] * 4] * 3
    assert flash_attention(np.ones((1, 2)), np.ones((1, 2)), np.full((1, 1), 5.0)).tolist() == [[5]]


@pytest.mark.parametrize("bad", [NAN, INF])
def test_a_score_that_is_not_finite_makes_its_row_nan(bad):
    query, key, value = qkv(leading=())
    query[3], key[:, 0] = 0, 1
    query[3, 0] = bad
    output = flash_attention(query, key, value, **TILES)
    assert np.isnan(output[3]).all()
    assert np.isfinite(np.delete(output, 3, axis=0)).all()


def test_nan_values_reach_the_rows_whose_tiles_are_computed():
    """In the plain form they reach all rows; a tile that is skipped is never read."""
    value = np.ones((4, 1))
    value[3] = NAN
    output = flash_attention(np.ones((4, 2)), np.ones((4, 2)), value, is_causal=True, tile_q=2, tile_k=2)
    assert np.isnan(output[:, 0]).tolist() == [False, False, True, True]
    plain = scaled_dot_product_attention(np.ones((4, 2)), np.ones((4, 2)), value, is_causal=True)
    assert np.isnan(plain).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: flash_attention(np.ones((3, 2)), np.ones((3, 4)), np.ones((3, 2))),
         "key must have shape (..., S_k, d_k=2), got (3, 4)"),
        (lambda: flash_attention(np.ones((3, 2)), np.ones((3, 2)), np.ones((4, 2))),
         "value must have shape (..., S_k=3, d_v), got (4, 2)"),
        (lambda: flash_attention(*[np.ones((3, 2))] * 3, np.ones((3, 4), bool)),
         "attn_mask must broadcast to (S_q=3, S_k=3), got (3, 4)"),
    ],
)  # fmt: skip
def test_shapes_that_do_not_fit(call, message):
    with pytest.raises(ShapeError) as error:
        call()
    assert str(error.value) == message


def test_what_is_refused():
    x = np.ones((3, 2))
    with pytest.raises(TypeError, match=r"attn_mask must be bool .* got int64"):
        flash_attention(x, x, x, np.ones((3, 3), np.int64))
    with pytest.raises(ValueError, match="tile_q must be positive, got 0"):
        flash_attention(x, x, x, tile_q=0)
    with pytest.raises(ValueError, match="alignment must be one of"):
        flash_attention(x, x, x, is_causal=True, alignment="left")


@pytest.mark.skipif(sys.platform == "emscripten", reason="tracemalloc, and 70 MB of arrays")
def test_memory_grows_with_the_length_and_not_with_its_square():
    def peak(S):
        query, key, value = (np.ones((1, S, 16), np.float32) for _ in range(3))
        tracemalloc.start()
        flash_attention(query, key, value, is_causal=True, tile_q=64, tile_k=128)
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return highest

    small, large = peak(2048), peak(8192)
    assert large < 6 * small  # four times the length; its square would be sixteen times
    assert large < 8192 * 8192 * 4 / 20  # plain scores alone


def test_the_trace_is_the_same_code():
    query, key, value = qkv()
    trace = flash_attention_trace(query, key, value, is_causal=True, **TILES)
    assert np.array_equal(trace.output, flash_attention(query, key, value, is_causal=True, **TILES))
    assert all(step.rescale.min() >= 0 and step.rescale.max() <= 1 for step in trace.steps)
