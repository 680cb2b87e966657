"""Scaled dot-product attention: its trace, what it does at the edges, its errors."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from transformer_core import (
    AttentionTrace,
    ShapeError,
    attention_trace,
    padding_mask,
    repeat_kv_heads,
    scaled_dot_product_attention,
    sliding_window_mask,
    soft_cap_scores,
    softmax,
)

INF, NAN = np.inf, np.nan
B, H, S_q, S_k, d_k, d_v = 2, 3, 5, 7, 11, 13


def qkv(*leading):
    rng = np.random.default_rng(0)
    return [rng.standard_normal((*leading, *shape)) for shape in ((S_q, d_k), (S_k, d_k), (S_k, d_v))]


# --- the trace


def test_trace_shows_each_step():
    query, key, value = qkv(B)
    mask = sliding_window_mask(S_q, S_k, window=2)
    trace = attention_trace(query, key, value, mask, soft_cap=2.0)
    assert_allclose(trace.scores, np.einsum("bqd,bkd->bqk", query, key), rtol=1e-12)
    assert_allclose(trace.scaled, trace.scores / math.sqrt(d_k), rtol=1e-15)
    assert_allclose(trace.capped, 2 * np.tanh(trace.scaled / 2), rtol=1e-15)
    assert np.array_equal(trace.masked, np.where(mask, trace.capped, -INF))
    assert np.array_equal(trace.row_max, trace.masked.max(axis=-1, keepdims=True))
    assert np.array_equal(trace.exponentials, np.exp(trace.masked - trace.row_max))
    assert_allclose(trace.row_sums, trace.exponentials.sum(axis=-1, keepdims=True), rtol=1e-15)
    assert_allclose(trace.weights, softmax(trace.masked), rtol=1e-15)
    assert_allclose(trace.output, trace.weights @ value, rtol=1e-12)


def test_trace_of_a_row_that_sees_nothing():
    trace = attention_trace([[1.0]], [[1.0], [2.0]], [[5.0], [6.0]], [[False, False]])
    assert trace.row_max.tolist() == [[-INF]]
    assert trace.row_sums.tolist() == [[0]]
    assert trace.weights.tolist() == [[0, 0]]
    assert trace.output.tolist() == [[0]]


def test_trace_of_float16_keeps_what_float16_could_not_hold():
    trace = attention_trace(*(np.full((2, 64), 60, np.float16),) * 3)
    assert trace.scores[0, 0] == 60 * 60 * 64
    dtypes = {name: getattr(trace, name).dtype.name for name in AttentionTrace._fields}
    assert (dtypes["scores"], dtypes["row_sums"]) == ("float32", "float32")
    assert (dtypes["weights"], dtypes["output"]) == ("float16", "float16")


# --- edges


def test_no_key_at_all():
    query, _, _ = qkv()
    output = scaled_dot_product_attention(query, np.zeros((0, d_k)), np.zeros((0, d_v)))
    assert output.tolist() == np.zeros((S_q, d_v)).tolist()


def test_no_query_at_all():
    _, key, value = qkv()
    assert scaled_dot_product_attention(np.zeros((0, d_k)), key, value, is_causal=True).shape == (0, d_v)


def test_one_key_takes_all_the_weight():
    assert scaled_dot_product_attention([[-3.0]], [[1e9]], [[4.0, 5.0]]).tolist() == [[4, 5]]


def test_padding_mask_goes_with_heads():
    query, key, value = qkv(B, H)
    mask = padding_mask([S_k, 3], S_k)
    output = scaled_dot_product_attention(query, key, value, mask)
    alone = scaled_dot_product_attention(query[1], key[1, :, :3], value[1, :, :3])
    assert_allclose(output[1], alone, rtol=1e-12)


def test_mask_of_the_lowest_number_is_not_hiding():
    """Said in mask_conventions: a row that such a mask hides whole gets equal weights, not zeros."""
    lowest = np.full((1, 2), np.finfo(np.float32).min, np.float32)
    output = scaled_dot_product_attention(*(np.float32([[0], [1]]),) * 2, np.float32([[2], [4]]), lowest)
    assert output.tolist() == [[3], [3]]


def test_float_mask_wider_than_the_scores():
    wide = np.array([[0.0, -1e300]])  # -inf in float32, so hidden
    output = scaled_dot_product_attention(
        np.float32([[0]]), np.float32([[0], [1]]), np.float32([[2], [4]]), wide
    )
    assert (output.dtype, output.tolist()) == (np.float32, [[2]])


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_non_finite_input(bad):
    query, key, value = qkv()
    clean = scaled_dot_product_attention(query, key, value)

    other = query.copy()
    other[1, 0] = bad
    output = scaled_dot_product_attention(other, key, value)
    assert np.isnan(output[1]).all()
    assert np.array_equal(np.delete(output, 1, 0), np.delete(clean, 1, 0))

    other = key.copy()
    other[3, 0] = NAN
    assert np.isnan(scaled_dot_product_attention(query, other, value)).all()
    hidden = scaled_dot_product_attention(query, other, value, np.arange(S_k) != 3)
    assert np.array_equal(hidden, scaled_dot_product_attention(query, key, value, np.arange(S_k) != 3))

    other = value.copy()
    other[3, 0] = NAN
    output = scaled_dot_product_attention(query, key, other, np.arange(S_k) != 3)
    assert np.isnan(output[:, 0]).all()
    assert np.isfinite(output[:, 1:]).all()


def test_float_mask_hides_what_is_not_finite():
    hide = np.array([0, -INF])
    assert scaled_dot_product_attention([[1.0]], [[1.0], [INF]], [[5.0], [6.0]], hide).tolist() == [[5]]


def test_soft_cap_keeps_small_scores():
    assert_allclose(soft_cap_scores(np.array([1e-3, 1e3, -INF]), 50.0), [1e-3, 50, -50], rtol=1e-9)


def test_repeat_kv_heads_keeps_neighbours_together():
    heads = np.arange(3.0).reshape(3, 1, 1)
    assert repeat_kv_heads(heads, 6).ravel().tolist() == [0, 0, 1, 1, 2, 2]
    assert repeat_kv_heads(heads, 3) is heads


# --- errors


@pytest.mark.parametrize(
    ("shapes", "options", "message"),
    [
        (((3, 4), (2, 3, 5), (3, 4)), {}, "key must have shape (..., S_k, d_k=4), got (2, 3, 5)"),
        (((3, 4), (5, 4), (6, 2)), {}, "value must have shape (..., S_k=5, d_v), got (6, 2)"),
        (((4,), (5, 4), (5, 2)), {}, "query must have shape (..., S_q, d_k), got (4,)"),
        (
            ((2, 3, 4), (7, 5, 4), (7, 5, 2)), {},
            "axes before the last two must broadcast together, "
            "got query (2, 3, 4), key (7, 5, 4), value (7, 5, 2)",
        ),
        (
            ((8, 3, 4), (3, 5, 4), (3, 5, 2)), {"enable_gqa": True},
            "n_kv_heads must divide n_heads, got n_kv_heads=3, n_heads=8",
        ),
        (((3, 4),) * 3, {"enable_gqa": True}, "query must have shape (..., n_heads, S_q, d_k), got (3, 4)"),
        (
            ((2, 3, 4), (2, 5, 4), (2, 5, 2)), {"attn_mask": np.ones((5, 3), bool)},
            "attn_mask must broadcast to (2, S_q=3, S_k=5), got (5, 3)",
        ),
        (
            ((3, 4), (5, 4), (5, 2)), {"attn_mask": np.ones((2, 3, 5), bool)},
            "attn_mask must broadcast to (S_q=3, S_k=5), got (2, 3, 5)",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("attend", [scaled_dot_product_attention, attention_trace])
def test_shapes_that_do_not_fit(attend, shapes, options, message):
    with pytest.raises(ShapeError) as error:
        attend(*map(np.zeros, shapes), **options)
    assert str(error.value) == message


def test_other_bad_arguments():
    x = np.zeros((2, 3))
    with pytest.raises(TypeError, match=r"attn_mask must be bool .* or float .*, got int64; from_convention"):
        scaled_dot_product_attention(x, x, x, np.ones((2, 2), np.int64))
    with pytest.raises(ValueError, match="alignment must be one of 'top-left', 'bottom-right', got 'left'"):
        scaled_dot_product_attention(x, x, x, is_causal=True, alignment="left")
    with pytest.raises(ValueError, match="soft_cap must be positive, got 0"):
        scaled_dot_product_attention(x, x, x, soft_cap=0)
    with pytest.raises(ValueError, match="d_k must be positive, got 0"):
        scaled_dot_product_attention(x[:, :0], x[:, :0], x)
    with pytest.raises(TypeError, match="value must hold real numbers"):
        scaled_dot_product_attention(x, x, [["a"]])
