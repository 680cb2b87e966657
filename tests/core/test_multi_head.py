"""Multi-head attention, with its grouped, multi-query and cross forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import (
    W_K,
    W_Q,
    W_V,
    AttentionParams,
    ShapeError,
    X,
    causal_mask,
    merge_heads,
    multi_head_attention,
    multi_head_trace,
    padding_mask,
    rope,
    split_heads,
    worked_example,
)

B, S, S_context, n_heads, d_k, d_v, d_model, d_context = 2, 5, 7, 6, 3, 2, 11, 13


def params(n_kv_heads=n_heads, width=d_model, biases=False, seed=0, dtype="f8"):
    rng = np.random.default_rng(seed)
    columns = n_heads * d_k, n_kv_heads * d_k, n_kv_heads * d_v, d_model
    rows = d_model, width, width, n_heads * d_v
    matrices = [rng.standard_normal(shape).astype(dtype) for shape in zip(rows, columns, strict=True)]
    vectors = [rng.standard_normal(size).astype(dtype) for size in columns] if biases else [None] * 4
    return AttentionParams(*matrices, *vectors)


def tokens(*leading, length=S, width=d_model, seed=1, dtype="f8"):
    return np.random.default_rng(seed).standard_normal((*leading, length, width)).astype(dtype)


# --- what only a right one does


def check_loops(attend, oracles):
    x, p = tokens(), params()
    assert_allclose(attend(x, p, n_heads), oracles.multi_head(x, x, p, n_heads, n_heads), rtol=1e-10)


def check_biases(attend, oracles):
    x, p = tokens(), params(biases=True)
    assert_allclose(attend(x, p, n_heads), oracles.multi_head(x, x, p, n_heads, n_heads), rtol=1e-10)


def check_batch(attend, oracles):
    x, p = tokens(B), params()
    output = attend(x, p, n_heads)
    for b in range(B):
        assert_allclose(output[b], oracles.multi_head(x[b], x[b], p, n_heads, n_heads), rtol=1e-10)


def check_grouped(attend, oracles):
    for n_kv_heads in (1, 2, 3):
        x, p = tokens(), params(n_kv_heads)
        expected = oracles.multi_head(x, x, p, n_heads, n_kv_heads)
        assert_allclose(attend(x, p, n_heads, n_kv_heads=n_kv_heads), expected, rtol=1e-10)


def check_cross(attend, oracles):
    x, context, p = tokens(), tokens(length=S_context, width=d_context, seed=2), params(width=d_context)
    expected = oracles.multi_head(x, context, p, n_heads, n_heads)
    assert_allclose(attend(x, p, n_heads, context=context), expected, rtol=1e-10)


def check_causal(attend, oracles):
    x, p = tokens(), params()
    expected = oracles.multi_head(x, x, p, n_heads, n_heads, visible=lambda i, j: j <= i)
    assert_allclose(attend(x, p, n_heads, is_causal=True), expected, rtol=1e-10)


def check_heads_are_apart(attend):
    """Changing what head 1 alone works with leaves the columns of head 0 in concat alone."""
    x, p = tokens(), params()
    p = p._replace(W_O=np.eye(n_heads * d_v))
    W_V = p.W_V.copy()
    W_V[:, d_v : 2 * d_v] += 1
    before, after = attend(x, p, n_heads), attend(x, p._replace(W_V=W_V), n_heads)
    changed = ~np.isclose(before, after).all(axis=0)
    assert changed.tolist() == [column // d_v == 1 for column in range(n_heads * d_v)]


def traced(*arguments, **options):
    return multi_head_trace(*arguments, **options).output


@pytest.mark.parametrize("attend", [multi_head_attention, traced], ids=["plain", "traced"])
def test_multi_head(check, run_check, attend):
    run_check(check, attend)


def test_wrong_multi_head_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


def test_mutants_are_right_but_for_their_fault(check, run_check, assembly):
    run_check(check, assembly)


# --- split and merge


def test_split_heads_exact():
    heads = split_heads(np.arange(12).reshape(2, 6), 3)
    assert heads.tolist() == [[[0, 1], [6, 7]], [[2, 3], [8, 9]], [[4, 5], [10, 11]]]


SMALL = st.integers(1, 4)


@given(leading=st.lists(st.integers(0, 3), max_size=2), length=st.integers(0, 5), n=SMALL, d=SMALL)
def test_merge_undoes_split(leading, length, n, d):
    x = np.random.default_rng(0).standard_normal((*leading, length, n * d))
    assert split_heads(x, n).shape == (*leading, n, length, d)
    assert np.array_equal(merge_heads(split_heads(x, n)), x)


# --- the trace, masks, dtypes, edges


def test_trace_shows_each_step():
    x, p = tokens(B), params(n_kv_heads=2, biases=True)
    trace = multi_head_trace(x, p, n_heads, n_kv_heads=2)
    assert trace.query.shape == (B, n_heads, S, d_k)
    assert trace.key.shape == (B, 2, S, d_k)
    assert trace.value.shape == (B, 2, S, d_v)
    assert trace.attention.weights.shape == (B, n_heads, S, S)
    assert_allclose(trace.query[:, 1], x @ p.W_Q[:, d_k : 2 * d_k] + p.b_Q[d_k : 2 * d_k], rtol=1e-10)
    assert np.array_equal(trace.concat[..., d_v : 2 * d_v], trace.attention.output[:, 1])
    assert_allclose(trace.output, trace.concat @ p.W_O + p.b_O, rtol=1e-10)
    assert np.array_equal(trace.output, multi_head_attention(x, p, n_heads, n_kv_heads=2))


def test_one_head_of_identities_is_plain_attention():
    output = multi_head_attention(X, AttentionParams(W_Q, W_K, W_V, np.eye(2)), n_heads=1)
    assert_allclose(output, worked_example().attention.output, rtol=1e-14)


def test_the_same_head_twice_says_the_same_twice():
    p = params()
    p = AttentionParams(
        *(np.tile(m[:, :w], n_heads) for m, w in zip(p[:3], (d_k, d_k, d_v), strict=True)), p.W_O
    )
    concat = multi_head_trace(tokens(), p, n_heads).concat.reshape(S, n_heads, d_v)
    assert_allclose(concat, np.repeat(concat[:, :1], n_heads, axis=1), rtol=1e-12)


def test_without_positions_order_means_nothing():
    x, p, order = tokens(), params(), [3, 0, 4, 2, 1]
    assert_allclose(multi_head_attention(x[order], p, n_heads), multi_head_attention(x, p, n_heads)[order])


def test_rotate_turns_query_and_key_but_not_value():
    x, p = tokens(), params(n_kv_heads=2)
    even = AttentionParams(p.W_Q[:, :12], p.W_K[:, :4], p.W_V[:, :4], p.W_O[:12])
    trace = multi_head_trace(x, even, n_heads, n_kv_heads=2, rotate=rope)
    still = multi_head_trace(x, even, n_heads, n_kv_heads=2)
    assert np.array_equal(trace.query, rope(still.query))
    assert np.array_equal(trace.key, rope(still.key))
    assert np.array_equal(trace.value, still.value)


def test_masks_reach_the_heads():
    x, p = tokens(B), params()
    padded = multi_head_attention(x, p, n_heads, attn_mask=padding_mask([S, 3], S))
    assert_allclose(padded[1, :3], multi_head_attention(x[1, :3], p, n_heads), rtol=1e-10)
    causal = multi_head_attention(x, p, n_heads, is_causal=True)
    assert np.array_equal(multi_head_attention(x, p, n_heads, attn_mask=causal_mask(S)), causal)
    last = multi_head_attention(x[:, -1:], p, n_heads, context=x, is_causal=True, alignment="bottom-right")
    assert_allclose(last, causal[:, -1:], rtol=1e-10)
    capped = multi_head_trace(x, p, n_heads, scale=1.0, soft_cap=2.0).attention
    assert np.array_equal(capped.scaled, capped.scores)
    assert np.abs(capped.capped).max() <= 2


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_dtype(dtype):
    output = multi_head_attention(tokens(dtype=dtype), params(dtype=dtype), n_heads)
    assert output.dtype == dtype
    wide = multi_head_attention(tokens(dtype=dtype).astype("f8"), params(dtype=dtype), n_heads)
    assert_allclose(output, wide, atol=200 * np.finfo(dtype).eps)


def test_lists_will_do():
    assert multi_head_attention([[1, 0]], AttentionParams(*[[[1, 0], [0, 1]]] * 4), 2).tolist() == [[1, 0]]


def test_no_tokens_and_one_token():
    assert multi_head_attention(tokens(length=0), params(), n_heads).shape == (0, d_model)
    x, p = tokens(length=1), params()
    assert_allclose(
        multi_head_attention(x, p, n_heads), x @ p.W_V @ p.W_O, rtol=1e-12
    )  # all weight on itself


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, {"n_heads": 4}, "n_heads must divide width, got n_heads=4, width=18"),
        ({}, {"n_kv_heads": 2}, "W_K must have shape (d_context, n_kv_heads*d_k=6), got (11, 18)"),
        ({"W_Q": np.ones((7, 18))}, {}, "W_Q must have shape (d_in=11, d_out), got (7, 18)"),
        ({"b_O": np.ones(5)}, {}, "b_O must have shape (d_out=11,), got (5,)"),
        ({"W_O": np.ones((5, 11))}, {}, "W_O must have shape (d_in=12, d_out), got (5, 11)"),
        ({}, {"context": np.ones((7, 13))}, "W_K must have shape (d_in=13, d_out), got (11, 18)"),
    ],
)
@pytest.mark.parametrize("attend", [multi_head_attention, multi_head_trace])
def test_shapes_that_do_not_fit(attend, change, options, message):
    with pytest.raises(ShapeError) as error:
        attend(tokens(), params()._replace(**change), **{"n_heads": n_heads, **options})
    assert str(error.value) == message
