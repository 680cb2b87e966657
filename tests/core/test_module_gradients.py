"""Gradients of attention, multi-head attention and feed-forward, against finite differences in float64."""

import runpy
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import (
    AttentionParams,
    FeedForwardParams,
    GatedFeedForwardParams,
    attention_trace,
    feed_forward,
    feed_forward_trace,
    gated_feed_forward,
    gated_feed_forward_trace,
    module_gradients,
    multi_head_attention,
    multi_head_trace,
    named_arrays,
    rope,
    scaled_dot_product_attention,
)

numeric = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "finite_differences.py")))

B, H, H_kv, S_q, S_k, d_k, d_v = 2, 4, 2, 2, 3, 4, 5
d_model, d_context, d_ff = 8, 9, 11
close = partial(assert_allclose, rtol=1e-6, atol=1e-8)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def qkv(heads=(B, H), kv_heads=(B, H)):
    return draw(*heads, S_q, d_k), draw(*kv_heads, S_k, d_k, seed=1), draw(*kv_heads, S_k, d_v, seed=2)


def attention_matches(code, arrays, mask=None, backward_options=None, **options):
    """By query, key and value, entry by entry."""
    slope = draw(*scaled_dot_product_attention(*arrays, mask, **options).shape, seed=9)
    kept = {name: options[name] for name in ("scale", "soft_cap", "enable_gqa") if name in options}
    got = code.attention_backward(slope, attention_trace(*arrays, mask, **options), *arrays, **kept)
    for place in range(3):

        def moved(array, place=place):
            others = [array if other == place else kept for other, kept in enumerate(arrays)]
            return (scaled_dot_product_attention(*others, mask, **options) * slope).sum()

        close(got[place], numeric.by_entry(moved, arrays[place]))
    return got


def attention_params(biases=True):
    shapes = ((d_model, H * d_k), (d_context, H_kv * d_k), (d_context, H_kv * d_v), (H * d_v, d_model))
    W = [draw(*shape, seed=k) / 3 for k, shape in enumerate(shapes)]
    b = [draw(shape[1], seed=k + 10) if biases else None for k, shape in enumerate(shapes)]
    return AttentionParams(*W, *b)


# --- what only right gradients do; `code` is the module


def check_attention(code):
    attention_matches(code, qkv())
    attention_matches(code, qkv(heads=(), kv_heads=()))


def check_attention_masks(code):
    """Hidden keys get nothing; nor does a query that sees nothing."""
    mask = np.random.default_rng(5).random((B, 1, S_q, S_k)) < 0.6
    mask[0, 0, 1] = False
    mask[..., 2] = False
    got = attention_matches(code, qkv(), mask)
    assert not got.query[0, :, 1].any()
    assert not got.key[:, :, 2].any()
    attention_matches(code, qkv(), is_causal=True, alignment="bottom-right")


def check_attention_options(code):
    attention_matches(code, qkv(), scale=0.7)
    attention_matches(code, qkv(), soft_cap=1.5)
    attention_matches(code, qkv(), soft_cap=1.5, scale=2.0, is_causal=True)


def check_grouped(code):
    attention_matches(code, qkv(kv_heads=(B, H_kv)), enable_gqa=True)
    attention_matches(code, qkv(kv_heads=(B, 1)), enable_gqa=True)


def check_broadcast(code):
    """One set of keys and values for the whole batch gathers the gradients of the whole batch."""
    attention_matches(code, qkv(kv_heads=()))
    attention_matches(code, qkv(kv_heads=(1, H)))
    attention_matches(code, qkv(heads=(), kv_heads=(B, H)))


def check_float_mask(code):
    """By a mask that is added: a learned bias, say, one table for the batch."""
    arrays, mask = qkv(), draw(H, S_q, S_k, seed=4)
    slope = draw(B, H, S_q, d_v, seed=9)
    got = code.attention_backward(slope, attention_trace(*arrays, mask), *arrays)
    expected = numeric.by_entry(lambda m: (scaled_dot_product_attention(*arrays, m) * slope).sum(), mask)
    close(code.sum_to(got.masked, mask.shape), expected)


def check_multi_head(code):
    """Cross-attention from x to a context, grouped heads, with and without biases."""
    x, context, slope = draw(B, S_q, d_model), draw(B, S_k, d_context, seed=7), draw(B, S_q, d_model, seed=9)
    options = {"n_heads": H, "n_kv_heads": H_kv}
    for params in (attention_params(), attention_params(biases=False)):

        def loss(x, context, params):
            return (multi_head_attention(x, params, context=context, **options) * slope).sum()

        trace = multi_head_trace(x, params, context=context, **options)
        got = code.multi_head_backward(slope, trace, x, context, params)
        close(got.x, numeric.by_entry(lambda a, p=params: loss(a, context, p), x))
        close(got.context, numeric.by_entry(lambda a, p=params: loss(x, a, p), context))
        numeric.assert_matches(lambda p: loss(x, context, p), params, got.params)


def check_rotated(code):
    """With RoPE, self-attention, causal: the gradient by x is the sum over its three uses."""
    x, slope = draw(S_k, d_context), draw(S_k, d_model, seed=9)
    params = attention_params()._replace(W_Q=draw(d_context, H * d_k) / 3)
    turn = partial(rope, base=10.0)
    options = {"n_heads": H, "n_kv_heads": H_kv, "is_causal": True, "rotate": turn}
    got = code.multi_head_backward(
        slope, multi_head_trace(x, params, **options), x, x, params,
        rotate_back=lambda heads: turn(heads, -np.arange(S_k)),
    )  # fmt: skip
    by_x = numeric.by_entry(lambda a: (multi_head_attention(a, params, **options) * slope).sum(), x)
    close(got.x + got.context, by_x)
    numeric.assert_matches(
        lambda p: (multi_head_attention(x, p, **options) * slope).sum(), params, got.params
    )


def check_multi_head_options(code):
    x, slope = draw(S_k, d_model), draw(S_k, d_model, seed=9)
    params = AttentionParams(*(draw(d_model, d_model, seed=k) / 3 for k in range(4)))
    options = {"n_heads": 2, "scale": 0.9, "soft_cap": 1.2}
    trace = multi_head_trace(x, params, **options)
    got = code.multi_head_backward(slope, trace, x, x, params, scale=0.9, soft_cap=1.2)
    numeric.assert_matches(
        lambda p: (multi_head_attention(x, p, **options) * slope).sum(), params, got.params
    )


def check_feed_forward(code):
    x, slope = draw(B, S_q, d_model), draw(B, S_q, d_model, seed=9)
    W_1, W_2 = draw(d_model, d_ff, seed=1) / 2, draw(d_ff, d_model, seed=2) / 2
    for params in (
        FeedForwardParams(W_1, W_2, draw(d_ff, seed=3), draw(d_model, seed=4)), FeedForwardParams(W_1, W_2),
    ):  # fmt: skip
        for name in ("relu", "gelu", "gelu-tanh", "silu"):

            def loss(x, params, name=name):
                return (feed_forward(x, params, activation=name) * slope).sum()

            trace = feed_forward_trace(x, params, activation=name)
            got = code.feed_forward_backward(slope, trace, x, params, activation=name)
            close(got.x, numeric.by_entry(lambda a, p=params: loss(a, p), x))
            numeric.assert_matches(lambda p: loss(x, p), params, got.params)


def check_gated(code):
    x, slope = draw(B, S_q, d_model), draw(B, S_q, d_model, seed=9)
    shapes = ((d_model, d_ff), (d_model, d_ff), (d_ff, d_model))
    params = GatedFeedForwardParams(*(draw(*shape, seed=k) / 2 for k, shape in enumerate(shapes)))
    for name in ("silu", "gelu"):

        def loss(x, params, name=name):
            return (gated_feed_forward(x, params, activation=name) * slope).sum()

        trace = gated_feed_forward_trace(x, params, activation=name)
        got = code.gated_feed_forward_backward(slope, trace, x, params, activation=name)
        close(got.x, numeric.by_entry(lambda a: loss(a, params), x))
        numeric.assert_matches(lambda p: loss(x, p), params, got.params)


def test_module_gradient(check, run_check):
    run_check(check, module_gradients)


def test_wrong_module_gradient_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- properties and edges


@given(
    heads=st.tuples(st.integers(1, 3), st.integers(1, 3)), sizes=st.tuples(*[st.integers(1, 5)] * 4),
    causal=st.booleans(), seed=st.integers(0, 99),
)  # fmt: skip
def test_attention_gradients_of_any_shape(heads, sizes, causal, seed):
    """In one random direction of all three inputs at once."""
    n_kv_heads, group = heads
    n_query, n_key, width, value_width = sizes
    rng = np.random.default_rng(seed)
    shapes = (
        (n_kv_heads * group, n_query, width), (n_kv_heads, n_key, width), (n_kv_heads, n_key, value_width),
    )  # fmt: skip
    arrays, moves = ([rng.standard_normal(shape) for shape in shapes] for _ in range(2))
    options = {"is_causal": causal, "enable_gqa": True}
    slope = rng.standard_normal((n_kv_heads * group, n_query, value_width))

    def loss(step):
        moved = [array + step * move for array, move in zip(arrays, moves, strict=True)]
        return (scaled_dot_product_attention(*moved, **options) * slope).sum()

    trace = attention_trace(*arrays, **options)
    got = module_gradients.attention_backward(slope, trace, *arrays, enable_gqa=True)
    expected = sum((gradient * move).sum() for gradient, move in zip(got[:3], moves, strict=True))
    assert (loss(1e-5) - loss(-1e-5)) / 2e-5 == pytest.approx(expected, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_dtypes_stay(dtype):
    x, slope = (draw(S_q, d_model, seed=seed).astype(dtype) for seed in (0, 1))
    params = AttentionParams(*(draw(d_model, d_model, seed=k).astype(dtype) for k in range(4)))
    got = module_gradients.multi_head_backward(slope, multi_head_trace(x, params, 2), x, x, params)
    plain = FeedForwardParams(*(draw(d_model, d_model, seed=k).astype(dtype) for k in range(2)))
    ff = module_gradients.feed_forward_backward(slope, feed_forward_trace(x, plain), x, plain)
    for tree in (got, ff):
        assert {array.dtype for array in named_arrays(tree).values()} == {np.dtype(dtype)}


def test_a_bias_on_the_keys_learns_nothing():
    """It adds the same number to all scores of a query, and softmax does not see that."""
    x, params = draw(S_k, d_context), attention_params()._replace(W_Q=draw(d_context, H * d_k))
    trace = multi_head_trace(x, params, H, n_kv_heads=H_kv)
    got = module_gradients.multi_head_backward(draw(S_k, d_model, seed=9), trace, x, x, params)
    assert_allclose(got.params.b_K, np.zeros(H_kv * d_k), atol=1e-13)
    assert abs(got.params.b_Q).max() > 0.01


def test_sum_to():
    assert module_gradients.sum_to(np.ones((2, 3, 4)), (3, 1)).tolist() == [[8]] * 3
    assert module_gradients.sum_to(np.ones((2, 3)), (2, 3)).tolist() == [[1] * 3] * 2
    assert module_gradients.sum_to(np.ones((1, 3)), (1, 1)).tolist() == [[3]]
    assert module_gradients.sum_to(np.ones((1, 3)), (3,)).tolist() == [1] * 3


def test_no_tokens():
    arrays = np.zeros((0, 2)), np.zeros((3, 2)), np.zeros((3, 4))
    got = module_gradients.attention_backward(np.zeros((0, 4)), attention_trace(*arrays), *arrays)
    assert [gradient.shape for gradient in got] == [(0, 2), (3, 2), (3, 4), (0, 3)]
