"""Layers: against plain loops, what pre-norm and post-norm mean, and what the trace shows."""

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import (
    Dropout,
    KVCache,
    ModelConfig,
    ShapeError,
    blocks,
    decoder_layer,
    encoder_layer,
    init_layer,
    layer_trace,
    map_arrays,
    padding_mask,
    project_heads,
)

B, S, S_memory, d = 2, 5, 7, 6
close = partial(assert_allclose, rtol=1e-9, atol=1e-11)


def make(architecture="encoder", **options):
    """A small config; every parameter random, the gammas, betas and biases too."""
    sizes = {"vocab_size": 11, "n_layers": 1, "d_model": d, "n_heads": 3, "d_ff": 13, "positions": "none"}
    return ModelConfig(architecture=architecture, **(sizes | options))


def parameters(config, reads_memory=False, seed=0):
    rng = np.random.default_rng(seed)
    params = init_layer(rng, config, reads_memory=reads_memory)
    return map_arrays(lambda a: a + 0.3 * rng.standard_normal(a.shape), params)


def draw(*shape, seed=5):
    return np.random.default_rng(seed).standard_normal(shape)


def by_loops(x, params, config, oracles, *, memory=None, visible=None, memory_visible=None):
    """A layer for one sequence (S, d), by loops over Python numbers."""

    def norm(rows, p):
        if config.norm == "rms":
            return np.array([oracles.rms_norm(row, p.gamma, config.eps) for row in rows])
        return np.array([oracles.layer_norm(row, p.gamma, p.beta, config.eps) for row in rows])

    def attend(rows, context, p, seen):
        return oracles.multi_head(rows, context, p, config.n_heads, config.kv_heads, visible=seen)

    def feed_forward(rows):
        p = params.feed_forward
        if config.is_gated:
            gate = {"swiglu": lambda z: z * oracles.sigmoid(z), "geglu": oracles.gelu}[config.feed_forward]
            hidden, up = oracles.matmul(rows, p.W_gate), oracles.matmul(rows, p.W_up)
            return oracles.matmul(np.vectorize(gate)(hidden) * up, p.W_down)
        bend = {"relu": lambda z: max(z, 0.0), "gelu": oracles.gelu, "gelu-tanh": oracles.gelu_tanh}
        hidden = oracles.matmul(rows, p.W_1) + (0 if p.b_1 is None else p.b_1)
        return oracles.matmul(np.vectorize(bend[config.feed_forward])(hidden), p.W_2) + (
            0 if p.b_2 is None else p.b_2
        )

    branches = [(lambda rows: attend(rows, rows, params.attention, visible), params.attention_norm)]
    if memory is not None:
        branches.append(
            (
                lambda rows: attend(rows, memory, params.cross_attention, memory_visible),
                params.cross_attention_norm,
            )
        )
    branches.append((feed_forward, params.feed_forward_norm))
    for module, p in branches:
        x = x + module(norm(x, p)) if config.norm_first else norm(x + module(x), p)
    return x


# --- what only a right layer does; `code` is the module


def check_pre_norm(code, oracles):
    for options in (
        {},
        {"norm": "rms", "feed_forward": "swiglu"},
        {"feed_forward": "relu", "qkv_bias": True},
    ):
        config = make(norm_first=True, **options)
        params, x = parameters(config), draw(S, d)
        close(code.encoder_layer(x, params, config), by_loops(x, params, config, oracles))


def check_post_norm(code, oracles):
    for options in (
        {"norm": "rms", "feed_forward": "geglu", "n_kv_heads": 1},
        {"feed_forward_bias": True, "output_bias": True, "feed_forward": "gelu-tanh"},
    ):
        config = make(norm_first=False, **options)
        params, x = parameters(config), draw(S, d)
        close(code.encoder_layer(x, params, config), by_loops(x, params, config, oracles))


def check_causal(code, oracles):
    config = make("decoder")
    params, x = parameters(config), draw(S, d)
    expected = by_loops(x, params, config, oracles, visible=lambda i, j: j <= i)
    close(code.decoder_layer(x, params, config), expected)


def check_cross_attention(code, oracles):
    for norm_first in (True, False):
        config = make("encoder-decoder", norm_first=norm_first)
        params, x, memory = parameters(config, reads_memory=True), draw(S, d), draw(S_memory, d, seed=6)
        lengths_seen = np.arange(S_memory) < 4
        output = code.decoder_layer(x, params, config, memory=memory, memory_mask=lengths_seen)
        expected = by_loops(
            x, params, config, oracles,
            memory=memory, visible=lambda i, j: j <= i, memory_visible=lambda i, j: j < 4,
        )  # fmt: skip
        close(output, expected)


def check_batch(code, oracles):
    """Each sequence on its own, with its own padding."""
    config = make()
    params, x = parameters(config), draw(B, S, d)
    output = code.encoder_layer(x, params, config, attn_mask=padding_mask([5, 3], S))
    for b, length in enumerate((5, 3)):
        expected = by_loops(x[b], params, config, oracles, visible=lambda i, j, n=length: j < n)
        close(output[b], expected)


def check_modules_that_give_nothing_leave_the_stream(code):
    """W_O and W_2 of zeros: pre-norm passes x through untouched; post-norm passes norm(norm(x))."""
    for norm_first in (True, False):
        config = make("encoder-decoder", norm_first=norm_first)
        params, x = init_layer(np.random.default_rng(0), config, reads_memory=True), draw(S, d)
        silent = params._replace(
            attention=params.attention._replace(W_O=np.zeros((d, d))),
            cross_attention=params.cross_attention._replace(W_O=np.zeros((d, d))),
            feed_forward=params.feed_forward._replace(W_2=np.zeros((13, d))),
        )
        output = code.decoder_layer(x, silent, config, memory=draw(S_memory, d))
        if norm_first:
            assert np.array_equal(output, x)
        else:
            assert_allclose(output, (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True), rtol=1e-3)


def check_trace(code):
    """The stream goes from sub-layer to sub-layer; before, after and the module's output add up."""
    for norm_first in (True, False):
        config = make("encoder-decoder", norm_first=norm_first)
        params, x, memory = parameters(config, reads_memory=True), draw(B, S, d), draw(B, S_memory, d)
        trace = code.layer_trace(x, params, config, is_causal=True, memory=memory)
        subs = [trace.attention, trace.cross_attention, trace.feed_forward]
        assert np.array_equal(subs[0].before, x)
        for earlier, later in itertools.pairwise(subs):
            assert np.array_equal(earlier.after, later.before)
        assert np.array_equal(subs[-1].after, trace.output)
        for sub in subs:
            assert sub.dropout is None
            assert np.array_equal(sub.added, sub.before + sub.module.output)
            assert np.array_equal(sub.after, sub.added if norm_first else sub.norm.output)
            assert np.array_equal(sub.module_input, sub.norm.output if norm_first else sub.before)
        assert trace.attention.module.attention.weights.shape == (B, 3, S, S)
        assert trace.cross_attention.module.attention.weights.shape == (B, 3, S, S_memory)
        assert not np.triu(trace.attention.module.attention.weights, k=1).any()
        plain = code.decoder_layer(x, params, config, memory=memory)
        assert_allclose(trace.output, plain, rtol=1e-12)


def check_dropout(code):
    """Each branch has factors of its own; the stream beside it has none."""
    config = make()
    params, x = parameters(config), draw(B, S, d)
    trace = code.layer_trace(x, params, config, dropout=Dropout(0.5, np.random.default_rng(0)))
    for sub in (trace.attention, trace.feed_forward):
        assert set(sub.dropout.ravel()) == {0.0, 2.0}
        assert_allclose(sub.added, sub.before + sub.dropout * sub.module.output, rtol=1e-14)
    assert not np.array_equal(trace.attention.dropout, trace.feed_forward.dropout)


def check_cache(code):
    """Token by token with a cache, and all at once: the same."""
    config = make("decoder", positions="rope", n_kv_heads=1, d_k=4)
    params, x = parameters(config), draw(B, S, d)
    whole = code.layer_trace(x, params, config, is_causal=True)
    cache = None
    for t in range(S):
        step = code.layer_trace(
            x[:, t : t + 1], params, config, is_causal=True, first_position=t, cache=cache
        )
        close(step.output, whole.output[:, t : t + 1])
        cache = KVCache(step.attention.module.key, step.attention.module.value)
    close(cache.key, whole.attention.module.key)
    close(cache.value, whole.attention.module.value)


def check_memory_of_keys_and_values(code):
    config = make("encoder-decoder")
    params, x, memory = parameters(config, reads_memory=True), draw(B, S, d), draw(B, S_memory, d)
    _, key, value = project_heads(memory, memory, params.cross_attention, 3, 3)
    expected = code.layer_trace(x, params, config, is_causal=True, memory=memory).output
    ready = code.layer_trace(x, params, config, is_causal=True, memory=KVCache(key, value)).output
    assert np.array_equal(ready, expected)


def check_inputs_untouched(code):
    config = make("encoder-decoder")
    params, x, memory = parameters(config, reads_memory=True), draw(S, d), draw(S_memory, d)
    code.decoder_layer(x, params, config, memory=memory)
    assert np.array_equal(x, draw(S, d))
    assert np.array_equal(memory, draw(S_memory, d))


def test_layer(check, run_check):
    run_check(check, blocks)


def test_wrong_layer_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- properties


@given(
    leading=st.lists(st.integers(1, 2), max_size=2), length=st.integers(1, 6), later=st.integers(1, 6),
    options=st.fixed_dictionaries({
        "norm_first": st.booleans(), "norm": st.sampled_from(["layer", "rms"]),
        "feed_forward": st.sampled_from(["relu", "gelu", "gelu-tanh", "swiglu", "geglu"]),
        "positions": st.sampled_from(["none", "rope"]), "window": st.none() | st.integers(1, 4),
    }),
    dtype=st.sampled_from(["f2", "f4", "f8"]), seed=st.integers(0, 99),
)  # fmt: skip
def test_a_later_token_changes_no_earlier_one(leading, length, later, options, dtype, seed):
    config = make("decoder", **options)
    params = map_arrays(lambda a: a.astype(dtype), parameters(config, seed=seed))
    x = draw(*leading, length + later, d, seed=seed).astype(dtype)
    output = decoder_layer(x, params, config)
    assert output.shape == x.shape
    assert output.dtype == dtype
    x[..., length:, :] = 3
    changed = decoder_layer(x, params, config)
    assert_allclose(changed[..., :length, :], output[..., :length, :], atol=20 * np.finfo(dtype).eps * 10)


@given(order=st.permutations(range(S)), norm_first=st.booleans())
def test_without_positions_an_encoder_does_not_see_the_order(order, norm_first):
    config = make(norm_first=norm_first)
    params, x = parameters(config), draw(B, S, d)
    close(encoder_layer(x[:, order], params, config), encoder_layer(x, params, config)[:, order])


def test_with_rope_only_distances_count():
    config = make("decoder", positions="rope", d_k=4)
    params, x = parameters(config), draw(S, d)
    here = layer_trace(x, params, config, is_causal=True).output
    close(layer_trace(x, params, config, is_causal=True, first_position=1000).output, here)
    other = layer_trace(x[::-1], params, config, is_causal=False).output[::-1]
    assert abs(other - layer_trace(x, params, config, is_causal=False).output).max() > 1e-3


def test_what_lies_before_the_window_does_not_matter():
    config = make("decoder", window=2)
    params, x = parameters(config), draw(S, d)
    before = decoder_layer(x, params, config)
    x[0] = 9
    assert np.array_equal(decoder_layer(x, params, config)[2:], before[2:])


# --- edges


def test_empty_and_single():
    config = make("decoder")
    params = parameters(config)
    assert decoder_layer(np.zeros((0, d)), params, config).shape == (0, d)
    assert decoder_layer(np.zeros((0, S, d)), params, config).shape == (0, S, d)
    assert decoder_layer(draw(1, d), params, config).shape == (1, d)


def test_a_token_that_sees_nothing_keeps_its_stream():
    """Attention gives it zeros; the feed-forward layer still works on it."""
    config = make()
    params, x = parameters(config), draw(S, d)
    mask = np.ones((S, S), bool)
    mask[2] = False
    sub = layer_trace(x, params, config, attn_mask=mask).attention
    assert np.array_equal(sub.after[2], x[2])


def test_nan_stays_in_the_rows_that_see_it():
    config = make("decoder")
    params, x = parameters(config), draw(S, d)
    x[3] = np.nan
    mask = np.arange(S) != 3
    output = layer_trace(x, params, config, attn_mask=mask).attention.module.attention.scores
    assert np.isnan(output[:, 3]).all()
    assert np.isfinite(output[:, :3, :3]).all()


def test_what_is_refused():
    config = make("encoder-decoder")
    params, x = parameters(config, reads_memory=True), draw(S, d)
    with pytest.raises(ShapeError) as error:
        decoder_layer(draw(S, d + 1), params, config, memory=x)
    assert str(error.value) == "x must have shape (..., S, d_model=6), got (5, 7)"
    message = "memory and params.cross_attention go together, got memory missing, cross_attention given"
    with pytest.raises(ValueError, match=message):
        decoder_layer(x, params, config)
    message = "memory and params.cross_attention go together, got memory given, cross_attention missing"
    with pytest.raises(ValueError, match=message):
        decoder_layer(x, parameters(config), config, memory=x)
