"""The modules of a layer: that the config's choice is the one that runs."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

from transformer_core import (
    KVCache,
    ModelConfig,
    NormParams,
    extend_cache,
    feed_forward,
    gated_feed_forward,
    init_attention,
    init_feed_forward,
    layer_modules,
    layer_norm,
    multi_head_attention,
    multi_head_trace,
    rms_norm,
    rope,
    sliding_window_mask,
    trim_cache,
)

B, S, d = 2, 7, 6
NO_CACHE = {"is_causal": True, "attn_mask": None, "first_position": 0, "cache": None, "keep": True}
close = partial(assert_allclose, rtol=1e-11, atol=1e-13)


def make(**options):
    sizes = {
        "vocab_size": 11,
        "n_layers": 1,
        "d_model": d,
        "n_heads": 4,
        "n_kv_heads": 2,
        "d_k": 8,
        "d_ff": 5,
    }
    return ModelConfig(architecture="decoder", **(sizes | {"positions": "none"} | options))


def draw(*shape, seed=5):
    return np.random.default_rng(seed).standard_normal(shape)


def attention_of(config):
    return init_attention(np.random.default_rng(0), config)


# --- what only the right modules do; `code` is the module


def check_norms(code):
    x, gamma, beta = draw(B, S, d), draw(d, seed=1), draw(d, seed=2)
    by_layer = code.norm_module(x, NormParams(gamma, beta), make(norm="layer", eps=0.3))
    assert np.array_equal(by_layer.output, layer_norm(x, gamma, beta, eps=0.3))
    by_rms = code.norm_module(x, NormParams(gamma), make(norm="rms", eps=0.3))
    assert np.array_equal(by_rms.output, rms_norm(x, gamma, eps=0.3))


def check_feed_forward(code):
    x = draw(B, S, d)
    for name, layer, activation in (
        ("relu", feed_forward, "relu"),
        ("gelu", feed_forward, "gelu"), ("gelu-tanh", feed_forward, "gelu-tanh"),
        ("swiglu", gated_feed_forward, "silu"), ("geglu", gated_feed_forward, "gelu"),
    ):  # fmt: skip
        config = make(feed_forward=name)
        params = init_feed_forward(np.random.default_rng(0), config)
        output = code.feed_forward_module(x, params, config).output
        assert np.array_equal(output, layer(x, params, activation=activation)), name


def check_self_attention(code):
    x, config = draw(B, S, d), make()
    params = attention_of(config)
    for is_causal in (False, True):
        trace = code.self_attention_module(x, params, config, **(NO_CACHE | {"is_causal": is_causal}))
        close(trace.output, multi_head_attention(x, params, 4, n_kv_heads=2, is_causal=is_causal))
    mask = np.random.default_rng(1).random((B, 1, S, S)) < 0.7
    trace = code.self_attention_module(x, params, config, **(NO_CACHE | {"attn_mask": mask}))
    close(trace.output, multi_head_attention(x, params, 4, n_kv_heads=2, attn_mask=mask, is_causal=True))


def check_rope(code):
    """Query and key turn, by the config's base, from the first position on; other positions turn nothing."""
    x, config = draw(B, S, d), make(positions="rope", rope_base=100.0)
    params = attention_of(config)
    turn = partial(rope, positions=np.arange(3, 3 + S), base=100.0)
    expected = multi_head_trace(x, params, 4, n_kv_heads=2, is_causal=True, rotate=turn)
    trace = code.self_attention_module(x, params, config, **(NO_CACHE | {"first_position": 3}))
    close(trace.query, expected.query)
    close(trace.key, expected.key)
    close(trace.output, expected.output)
    for positions in ("none", "sinusoidal"):
        still = code.self_attention_module(
            x, params, make(positions=positions), **(NO_CACHE | {"first_position": 3})
        )
        close(still.query, multi_head_trace(x, params, 4, n_kv_heads=2).query)


def check_window(code):
    x = draw(B, S, d)
    for window in (1, 3, 100):
        config = make(window=window)
        params = attention_of(config)
        for is_causal in (True, False):
            mask = sliding_window_mask(S, window=window, is_causal=is_causal)
            trace = code.self_attention_module(x, params, config, **(NO_CACHE | {"is_causal": is_causal}))
            close(trace.output, multi_head_attention(x, params, 4, n_kv_heads=2, attn_mask=mask))


def check_window_and_mask(code):
    x, config = draw(B, S, d), make(window=3)
    params = attention_of(config)
    padding = np.arange(S) != 4
    mask = sliding_window_mask(S, window=3) & padding
    trace = code.self_attention_module(x, params, config, **(NO_CACHE | {"attn_mask": padding}))
    close(trace.output, multi_head_attention(x, params, 4, n_kv_heads=2, attn_mask=mask))


def check_cache(code):
    """The last three tokens over a cache of the first four, or over what a window left of it."""
    x = draw(B, S, d)
    for options in ({}, {"positions": "rope"}, {"window": 3}, {"positions": "rope", "window": 2}):
        config = make(**options)
        params = attention_of(config)
        whole = code.self_attention_module(x, params, config, **NO_CACHE)
        first = code.self_attention_module(x[:, :4], params, config, **NO_CACHE)
        cache = trim_cache(KVCache(first.key, first.value), config.window)
        late = NO_CACHE | {"first_position": 4, "cache": cache}
        rest = code.self_attention_module(x[:, 4:], params, config, **late)
        close(rest.output, whole.output[:, 4:])
        kept = extend_cache(cache, whole.key[:, :, 4:], whole.value[:, :, 4:])
        close(rest.key, kept.key)
        close(rest.value, kept.value)


def check_cache_plain(code):
    """The same without the trace."""
    x, config = draw(B, S, d), make(positions="rope")
    params = attention_of(config)
    whole = code.self_attention_module(x, params, config, **NO_CACHE)
    cache = KVCache(whole.key[:, :, :4], whole.value[:, :, :4])
    late = NO_CACHE | {"first_position": 4, "cache": cache, "keep": False}
    close(code.self_attention_module(x[:, 4:], params, config, **late).output, whole.output[:, 4:])


def check_output_bias(code):
    x, config = draw(B, S, d), make()
    params, bias = attention_of(config), draw(d, seed=8)
    without = code.self_attention_module(x, params, config, **NO_CACHE).output
    output = code.self_attention_module(x, params._replace(b_O=bias), config, **NO_CACHE).output
    close(output, without + bias)


def check_cross_attention(code):
    """From a memory, or from its keys and values; the positions of neither turn."""
    x, memory, config = draw(B, S, d), draw(B, 9, d, seed=6), make(positions="rope")
    params = attention_of(config)._replace(b_Q=draw(32), b_K=draw(16), b_V=draw(16))
    mask = np.arange(9) < 6
    expected = multi_head_trace(x, params, 4, context=memory, n_kv_heads=2, attn_mask=mask)
    options = {"memory_mask": mask, "keep": True}
    trace = code.cross_attention_module(x, memory, params, config, **options)
    close(trace.output, expected.output)
    ready = KVCache(expected.key, expected.value)
    close(code.cross_attention_module(x, ready, params, config, **options).output, expected.output)


def check_plain_and_traced(code):
    x, config = draw(B, S, d), make(positions="rope")
    params = attention_of(config)
    traced = code.self_attention_module(x, params, config, **NO_CACHE)
    plain = code.self_attention_module(x, params, config, **(NO_CACHE | {"keep": False}))
    close(plain.output, traced.output)
    assert traced.attention.weights.shape == (B, 4, S, S)
    assert plain.attention.weights.size == 0


def test_module(check, run_check):
    run_check(check, layer_modules)


def test_wrong_module_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


def test_every_feed_forward_has_its_activation():
    with pytest.raises(ValueError, match="feed_forward must be one of"):
        make(feed_forward="tanh")
    assert set(layer_modules.ACTIVATION_OF) == {"relu", "gelu", "gelu-tanh", "swiglu", "geglu"}
