"""Scaled dot-product attention, plain and traced: what makes it right, and that wrong ones are told apart."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import (
    attention_trace,
    causal_mask,
    scaled_dot_product_attention,
)

INF = np.inf
B, H, S_q, S_k, d_k, d_v = 2, 3, 5, 7, 11, 13  # different primes: a wrong axis cannot fit by luck


def qkv(*leading, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((*leading, *shape)) for shape in ((S_q, d_k), (S_k, d_k), (S_k, d_v))]


def square(*leading, seed=0):
    """Query, key and value of one length, for causal masks."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((*leading, S_k, width)) for width in (d_k, d_k, d_v)]


# --- what only a right attention does


def check_exact(attend):
    """The third row of the worked example: scores 1, 2, 3 and d_k = 2."""
    powers = [math.exp(score / math.sqrt(2)) for score in (1, 2, 3)]
    weights = [power / sum(powers) for power in powers]
    output = attend(np.array([[2.0, 1.0]]), np.array([[0.0, 1], [1, 0], [1, 1]]), np.eye(3))
    assert_allclose(output, [weights], rtol=1e-14)


def check_loops(attend, oracles):
    query, key, value = qkv()
    assert_allclose(attend(query, key, value), oracles.attend(query, key, value), rtol=1e-12)


def check_leading_axes(attend, oracles):
    query, key, value = qkv(B, H)
    output = attend(query, key, value)
    assert output.shape == (B, H, S_q, d_v)
    for b in range(B):
        assert_allclose(output[b], oracles.attend_heads(query[b], key[b], value[b]), rtol=1e-12)


def check_bool_mask(attend, oracles):
    query, key, value = qkv()
    mask = np.random.default_rng(1).random((S_q, S_k)) < 0.5
    mask[:, 2] = True
    expected = oracles.attend(query, key, value, visible=lambda i, j: mask[i, j])
    assert_allclose(attend(query, key, value, mask), expected, rtol=1e-12)


def check_hidden_keys_do_not_matter(attend):
    query, key, value = qkv(B)
    mask = np.arange(S_k) != 3
    before = attend(query, key, value, mask)
    key[:, 3], value[:, 3] = 1e3, -1e3
    assert np.array_equal(attend(query, key, value, mask), before)


def check_rows_with_a_mask_are_mixtures(attend):
    """Values that are all 1 come out as 1: the weights of what is left add up to 1 again."""
    query, key, value = qkv()
    mask = causal_mask(S_q, S_k)
    assert_allclose(attend(query, key, np.ones_like(value), mask), np.ones((S_q, d_v)), rtol=1e-14)


def check_float_mask(attend, oracles):
    query, key, value = qkv()
    bias = np.random.default_rng(1).standard_normal((S_q, S_k)) * 3
    bias[0, 1] = -INF
    expected = oracles.attend(
        query, key, value, visible=lambda i, j: bias[i, j] > -INF, bias=lambda i, j: bias[i, j]
    )
    assert_allclose(attend(query, key, value, bias), expected, rtol=1e-12)


def check_causal(attend, oracles):
    query, key, value = square()
    expected = oracles.attend(query, key, value, visible=lambda i, j: j <= i)
    assert_allclose(attend(query, key, value, is_causal=True), expected, rtol=1e-12)
    assert np.array_equal(attend(query, key, value, is_causal=True)[0], value[0])


def check_later_tokens(attend):
    query, key, value = square(B)
    before = attend(query, key, value, is_causal=True)
    query[:, 4:], key[:, 4:], value[:, 4:] = 9, 9, 9
    after = attend(query, key, value, is_causal=True)
    assert np.array_equal(after[:, :4], before[:, :4])
    assert not np.isclose(after[:, 4:], before[:, 4:]).any()


def check_causal_top_left(attend, oracles):
    query, key, value = qkv()
    expected = oracles.attend(query, key, value, visible=lambda i, j: j <= i)
    assert_allclose(attend(query, key, value, is_causal=True), expected, rtol=1e-12)


def check_causal_bottom_right(attend, oracles):
    query, key, value = qkv()
    expected = oracles.attend(query, key, value, visible=lambda i, j: j <= i + S_k - S_q)
    assert_allclose(attend(query, key, value, is_causal=True, alignment="bottom-right"), expected, rtol=1e-12)


def check_causal_and_mask(attend, oracles):
    query, key, value = square()
    mask = np.arange(S_k) != 1
    expected = oracles.attend(query, key, value, visible=lambda i, j: j <= i and j != 1)
    assert_allclose(attend(query, key, value, mask, is_causal=True), expected, rtol=1e-12)


def check_nothing_visible(attend):
    query, key, value = qkv()
    mask = np.ones((S_q, S_k), bool)
    mask[1] = False
    assert (attend(query, key, value, mask)[1] == 0).all()
    assert (attend(query, key, value, np.where(mask, 0, -INF))[1] == 0).all()
    assert (attend(query, key, value, mask)[0] != 0).any()


def check_grouped_query(attend, oracles):
    rng = np.random.default_rng(0)
    query = rng.standard_normal((6, S_q, d_k))
    key, value = rng.standard_normal((2, S_k, d_k)), rng.standard_normal((2, S_k, d_v))
    expected = oracles.attend_heads(query, key, value)
    assert_allclose(attend(query, key, value, enable_gqa=True), expected, rtol=1e-12)


def check_scale(attend, oracles):
    query, key, value = qkv()
    assert_allclose(
        attend(query, key, value, scale=0.25), oracles.attend(query, key, value, scale=0.25), rtol=1e-12
    )


def check_soft_cap(attend, oracles):
    query, key, value = qkv()
    mask = causal_mask(S_q, S_k)
    expected = oracles.attend(query, key, value, visible=lambda i, j: j <= i, soft_cap=0.5)
    assert_allclose(attend(query, key, value, mask, soft_cap=0.5), expected, rtol=1e-12)


def check_float16(attend):
    """Worked in float32: the scores here pass float16's 65504, and its sums would lose the small weights."""
    query, key = np.full((1, 64), 60, np.float16), np.full((4096, 64), 60, np.float16)
    output = attend(query, key, np.ones((4096, 1), np.float16))
    assert output.dtype == np.float16
    assert output.tolist() == [[1]]


def check_inputs_untouched(attend):
    query, key, value = qkv()
    copies = query.copy(), key.copy(), value.copy()
    attend(query, key, value, is_causal=True, soft_cap=1.0)
    assert all(np.array_equal(*pair) for pair in zip((query, key, value), copies, strict=True))


def traced(*arguments, **options):
    return attention_trace(*arguments, **options).output


@pytest.mark.parametrize("attend", [scaled_dot_product_attention, traced], ids=["plain", "traced"])
def test_attention(check, run_check, attend):
    run_check(check, attend)


def test_wrong_attention_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


def test_mutants_are_right_but_for_their_fault(check, run_check, assembly):
    run_check(check, assembly)


# --- properties


@given(
    leading=st.lists(st.integers(1, 3), max_size=2),
    sizes=st.tuples(*[st.integers(1, 6)] * 4),
    dtype=st.sampled_from(["f2", "f4", "f8"]),
    mask_kind=st.sampled_from(["none", "bool", "float"]),
    is_causal=st.booleans(),
    alignment=st.sampled_from(["top-left", "bottom-right"]),
    seed=st.integers(0, 99),
)
def test_any_shape_mask_and_dtype(leading, sizes, dtype, mask_kind, is_causal, alignment, seed):
    S_q, S_k, d_k, d_v = sizes
    rng = np.random.default_rng(seed)
    query = rng.standard_normal((*leading, S_q, d_k)).astype(dtype)
    key = rng.standard_normal((*leading, S_k, d_k)).astype(dtype)
    value = rng.standard_normal((*leading, S_k, d_v)).astype(dtype)
    visible = rng.random((S_q, S_k)) < 0.7
    mask = {"none": None, "bool": visible, "float": np.where(visible, 0.0, -INF)}[mask_kind]
    options = {"is_causal": is_causal, "alignment": alignment}

    trace = attention_trace(query, key, value, mask, **options)
    plain = scaled_dot_product_attention(query, key, value, mask, **options)

    assert plain.dtype == dtype
    assert plain.shape == (*leading, S_q, d_v)
    assert np.array_equal(plain, trace.output)
    seen = np.ones((S_q, S_k), bool) if mask is None else visible.copy()
    if is_causal:
        seen &= causal_mask(S_q, S_k, alignment=alignment)
    eps = np.finfo(dtype).eps
    assert np.array_equal(trace.weights == 0, np.broadcast_to(~seen, trace.weights.shape))
    assert_allclose(trace.weights.sum(axis=-1, dtype="f8"), np.broadcast_to(seen.any(-1), plain.shape[:-1]),
                    atol=8 * eps)  # fmt: skip
    low = np.minimum(value.min(axis=-2, keepdims=True), 0)  # a row that sees nothing is 0
    high = np.maximum(value.max(axis=-2, keepdims=True), 0)
    assert ((plain >= low - 4 * eps) & (plain <= high + 4 * eps)).all()
    assert_allclose(trace.weights.astype("f8") @ value.astype("f8"), plain, atol=32 * eps)


@given(seed=st.integers(0, 99), swap=st.permutations(range(S_k)))
def test_the_order_of_the_keys_does_not_matter(seed, swap):
    query, key, value = qkv(seed=seed)
    output = scaled_dot_product_attention(query, key, value)
    assert_allclose(scaled_dot_product_attention(query, key[swap], value[swap]), output, rtol=1e-12)


@given(seed=st.integers(0, 99), swap=st.permutations(range(S_q)))
def test_the_order_of_the_queries_is_that_of_the_rows(seed, swap):
    query, key, value = qkv(seed=seed)
    output = scaled_dot_product_attention(query, key, value)
    assert_allclose(scaled_dot_product_attention(query[swap], key, value), output[swap], rtol=1e-12)


def test_a_constant_added_to_every_key_changes_nothing():
    query, key, value = qkv()
    moved = scaled_dot_product_attention(query, key + 3, value)
    assert_allclose(moved, scaled_dot_product_attention(query, key, value), rtol=1e-9)
