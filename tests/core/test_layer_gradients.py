"""Gradients of a whole layer, by its input, its memory and every parameter, against finite differences."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from transformer_core import (
    Dropout,
    ModelConfig,
    init_layer,
    layer_gradients,
    layer_trace,
    map_arrays,
    padding_mask,
)

numeric = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "finite_differences.py")))

B, S, S_memory, d = 2, 3, 4, 6


def make(architecture="decoder", reads_memory=False, **options):
    sizes = {"vocab_size": 5, "n_layers": 1, "d_model": d, "n_heads": 2, "d_ff": 5, "positions": "none"}
    config = ModelConfig(architecture=architecture, **(sizes | options))
    rng = np.random.default_rng(0)
    params = init_layer(rng, config, reads_memory=reads_memory)
    return map_arrays(lambda a: a + 0.2 * rng.standard_normal(a.shape), params), config


def draw(*shape, seed=5):
    return np.random.default_rng(seed).standard_normal(shape)


def matches(code, params, config, memory=None, dropout_seed=None, **options):
    """By x and memory entry by entry, by the parameters in random directions."""
    x, slope = draw(B, S, d), draw(B, S, d, seed=9)

    def trace(x, memory, params):
        dropout = None if dropout_seed is None else Dropout(0.3, np.random.default_rng(dropout_seed))
        return layer_trace(x, params, config, memory=memory, dropout=dropout, **options)

    got = code.layer_backward(slope, trace(x, memory, params), params, config, memory=memory)
    by_x = numeric.by_entry(lambda a: (trace(a, memory, params).output * slope).sum(), x)
    assert_allclose(got.x, by_x, rtol=1e-6, atol=1e-8)
    if memory is None:
        assert got.memory is None
    else:
        by_memory = numeric.by_entry(lambda a: (trace(x, a, params).output * slope).sum(), memory)
        assert_allclose(got.memory, by_memory, rtol=1e-6, atol=1e-8)
    numeric.assert_matches(lambda p: (trace(x, memory, p).output * slope).sum(), params, got.params)


# --- what only right gradients do; `code` is the module


def check_pre_norm(code):
    matches(code, *make("encoder", qkv_bias=True, output_bias=True, feed_forward_bias=True))


def check_post_norm(code):
    matches(code, *make("encoder", norm_first=False, feed_forward="relu"))


def check_rms_and_gated(code):
    matches(code, *make(norm="rms", feed_forward="swiglu"), is_causal=True)
    matches(code, *make(norm="rms", feed_forward="geglu", norm_first=False, n_kv_heads=1), is_causal=True)


def check_tanh(code):
    matches(code, *make(feed_forward="gelu-tanh"), is_causal=True)


def check_rope(code):
    matches(code, *make(positions="rope", d_k=4, rope_base=10.0), is_causal=True)


def check_masks(code):
    matches(code, *make("encoder"), attn_mask=padding_mask([3, 1], S))
    matches(code, *make(window=2), is_causal=True)


def check_cross_attention(code):
    for norm_first in (True, False):
        params, config = make("encoder-decoder", reads_memory=True, norm_first=norm_first)
        mask = padding_mask([4, 2], S_memory)
        matches(code, params, config, memory=draw(B, S_memory, d, seed=6), memory_mask=mask, is_causal=True)


def check_dropout(code):
    """The same entries are dropped backwards as forwards."""
    for norm_first in (True, False):
        params, config = make("encoder-decoder", reads_memory=True, norm_first=norm_first)
        matches(code, params, config, memory=draw(B, S_memory, d, seed=6), dropout_seed=3)


def check_modules_that_give_nothing_pass_the_gradient(code):
    """W_O and W_2 of zeros in pre-norm: the layer is the identity, and so is its gradient."""
    params, config = make()
    silent = params._replace(
        attention=params.attention._replace(W_O=np.zeros((d, d))),
        feed_forward=params.feed_forward._replace(W_2=np.zeros((5, d))),
    )
    slope = draw(S, d)
    trace = layer_trace(draw(S, d), silent, config, is_causal=True)
    assert np.array_equal(code.layer_backward(slope, trace, silent, config).x, slope)


def test_layer_gradient(check, run_check):
    run_check(check, layer_gradients)


def test_wrong_layer_gradient_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- edges


def test_no_tokens():
    params, config = make()
    got = layer_gradients.layer_backward(
        np.zeros((0, d)), layer_trace(np.zeros((0, d)), params, config, is_causal=True), params, config
    )
    assert got.x.shape == (0, d)
    assert not got.params.feed_forward.W_1.any()


def test_what_is_refused():
    params, config = make("encoder-decoder", reads_memory=True)
    trace = layer_trace(draw(S, d), params, config, memory=draw(S_memory, d))
    with pytest.raises(ValueError, match="this trace has cross-attention: memory and"):
        layer_gradients.layer_backward(draw(S, d), trace, params, config)
    gated, gated_config = make(feed_forward="swiglu")
    plain, _ = make()
    trace = layer_trace(draw(S, d), gated, gated_config)
    with pytest.raises(TypeError, match="both be of a plain or both of a gated"):
        layer_gradients.layer_backward(draw(S, d), trace, plain, gated_config)
