"""Memory formulas: against caches that were filled, and arrays that the backward pass really reads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import (
    NAMED_MODELS,
    LatentParams,
    ModelConfig,
    activation_bytes,
    advance,
    cache_bytes,
    compress_to_latent,
    init_layer,
    init_model,
    kv_cache_bytes,
    kv_numbers_per_token,
    latent_numbers_per_token,
    layer_activations,
    layer_backward,
    layer_trace,
    memory_cost,
    named_arrays,
    start_cache,
    tile_plan,
    tokens_to_outgrow,
)
from transformer_core.named_models import GPT_2_SMALL, LLAMA_2_7B, LLAMA_3_8B, MISTRAL_7B

SMALL = {"vocab_size": 11, "n_layers": 3, "d_model": 10, "n_heads": 4, "d_ff": 7, "d_k": 6}


def decoder(**options):
    return ModelConfig(architecture="decoder", **(SMALL | options))


# --- what only right formulas do; `code` is the module


def check_weights(code):
    assert code.weight_bytes(LLAMA_3_8B) == 2 * 8_030_261_248
    assert code.weight_bytes(LLAMA_3_8B, bytes_per_number=1) == 8_030_261_248


def check_kv_by_hand(code):
    """Llama 2: half a mebibyte a token. Llama 3: a quarter of that, for a quarter of the heads."""
    assert code.kv_cache_bytes(LLAMA_2_7B, 1) == 2 * 32 * 32 * 128 * 2 == 2**19
    assert code.kv_cache_bytes(LLAMA_3_8B, 1) == 2**17
    assert code.kv_cache_bytes(LLAMA_3_8B, 8192, batch=4, bytes_per_number=1) == 2**31
    assert code.kv_numbers_per_token(n_layers=3, n_kv_heads=5, d_k=7, d_v=11) == 3 * 5 * 18


def check_window(code):
    assert code.kv_cache_bytes(MISTRAL_7B, 4096) == code.kv_cache_bytes(MISTRAL_7B, 32_768) == 2**29
    assert code.kv_cache_bytes(MISTRAL_7B, 100) == 100 * 2**17


def check_latent(code):
    """DeepSeek-V2: 60 layers, a latent of 512, a shared key with RoPE of 64."""
    assert code.latent_numbers_per_token(60, 512, 64) == 34_560
    assert code.latent_numbers_per_token(60, 512) == 30_720


def check_filled_caches(code):
    """Run tokens through a model and weigh its cache."""
    for config in (decoder(), decoder(n_kv_heads=2), decoder(n_kv_heads=1), decoder(window=4)):
        params = init_model(np.random.default_rng(0), config, dtype=np.float32)
        cache = start_cache(params, config, leading=(2,))
        for n_tokens in (1, 3, 7):
            fed = np.zeros((2, n_tokens - cache.seen), int)
            cache = advance(fed, params, config, cache).cache
            weighed = sum(array.nbytes for layer in cache.layers for array in layer)
            assert weighed == code.kv_cache_bytes(config, n_tokens, batch=2, bytes_per_number=4)


def check_outgrow(code):
    """The first length at which the cache is the larger one, by trying them all."""
    for memory in (0, 1, 99, 100, 101, 250):
        for window in (None, 3, 100):
            lengths = [n for n in range(1, 60) if code.cache_bytes(5, n, batch=2, window=window) > memory]
            first = lengths[0] if lengths else None
            assert code.tokens_to_outgrow(memory, 5, batch=2, window=window) == first


def check_activations_by_hand(code):
    counts = code.layer_activations(GPT_2_SMALL, S=10)
    assert counts == (2 * 769, 2 * 768, 4 * 768, 12 * 10, 2 * 3072)
    grouped = code.layer_activations(LLAMA_3_8B, S=10)
    assert grouped.heads == 2 * 4096 + 2 * 1024
    assert grouped.feed_forward == 4 * 14_336


def check_all_activations(code):
    """Two layers, the final norm, the hidden state, the probabilities; two sequences of five in float16."""
    config = decoder(n_layers=2)
    a_token = 2 * sum(code.layer_activations(config, 5)) + (10 + 1) + (10 + 11)
    assert code.activation_bytes(config, 5, batch=2, bytes_per_number=2) == 2 * 5 * 2 * a_token
    bare = decoder(n_layers=2, final_norm=False, head="none")
    assert code.activation_bytes(bare, 5) == 5 * 4 * 2 * sum(code.layer_activations(bare, 5))


def check_plain_traffic(code):
    """Three passes: Q K^T, softmax, weights V; each reads what it needs and writes what it makes."""
    S_q, S_k, d_k, d_v = 3, 5, 7, 11
    traffic = code.plain_attention_traffic(S_q, S_k, d_k, d_v)
    assert traffic.read == (S_q * d_k + S_k * d_k) + S_q * S_k + (S_q * S_k + S_k * d_v)
    assert traffic.written == S_q * S_k + S_q * S_k + S_q * d_v
    assert traffic.total == traffic.read + traffic.written


def check_tiled_traffic(code):
    """Tile by tile, as a loop over the plan would move them."""
    for S_q, S_k, causal in ((8, 12, False), (8, 8, True), (5, 9, True), (9, 5, True)):
        plan = tile_plan(S_q, S_k, tile_q=4, tile_k=3, is_causal=causal)
        read, loaded = 0, None
        for (first, last), keys, visible in plan:
            if visible == "none":
                continue
            if loaded != first:
                read, loaded = read + (last - first) * 7, first
            read += (keys[1] - keys[0]) * (7 + 11)
        assert code.tiled_attention_traffic(plan, 7, 11) == (read, S_q * 11)


def test_memory(check, run_check):
    run_check(check, memory_cost)


def test_wrong_memory_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- second routes


def blank(trace, read):
    """The trace with NaN in every array that is not in `read`, and how many numbers the others hold."""
    if isinstance(trace, np.ndarray):
        return trace if id(trace) in read else np.full_like(trace, np.nan)
    if isinstance(trace, tuple):
        return type(trace)(*(blank(field, read) for field in trace))
    return trace


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_kv_heads": 2, "feed_forward": "swiglu"},
        {"norm_first": False},
        {"norm": "rms", "positions": "none"},
    ],
)
def test_backward_reads_what_the_formula_counts_and_nothing_else(options):
    """All other arrays of the trace are NaN, and the gradients are the same."""
    config, S = decoder(**options), 5
    rng = np.random.default_rng(0)
    params, x, slope = init_layer(rng, config), rng.standard_normal((S, 10)), rng.standard_normal((S, 10))
    trace = layer_trace(x, params, config, is_causal=True)
    read = []
    for sub in (trace.attention, trace.feed_forward):
        inverse = sub.norm.inverse_std if config.norm == "layer" else sub.norm.inverse_rms
        read += [sub.module_input, sub.norm.normalized, inverse]
    heads = trace.attention.module
    read += [heads.query, heads.key, heads.value, heads.concat, heads.attention.weights]
    read += list(trace.feed_forward.module)[:-1]  # everything but the output
    assert sum(array.size for array in read) == S * layer_activations(config, S).total

    wanted = layer_backward(slope, trace, params, config)
    got = layer_backward(slope, blank(trace, {id(array) for array in read}), params, config)
    assert np.array_equal(got.x, wanted.x)
    for path, gradient in named_arrays(wanted.params).items():
        assert np.array_equal(named_arrays(got.params)[path], gradient), path


def test_a_latent_cache_that_was_filled():
    rng = np.random.default_rng(0)
    params = LatentParams(*(rng.standard_normal(shape) for shape in ((8, 8), (8, 3), (3, 8), (3, 8), (8, 8))))
    kept = compress_to_latent(rng.standard_normal((2, 5, 8)).astype(np.float32), params)
    numbers = latent_numbers_per_token(n_layers=1, d_latent=3)
    assert kept.nbytes == cache_bytes(numbers, 5, batch=2, bytes_per_number=kept.itemsize)


@given(memory=st.integers(0, 10**12), numbers=st.integers(1, 10**6), batch=st.integers(1, 64))
def test_outgrowing(memory, numbers, batch):
    first = tokens_to_outgrow(memory, numbers, batch=batch)
    assert cache_bytes(numbers, first, batch=batch) > memory
    assert cache_bytes(numbers, first - 1, batch=batch) <= memory


def test_cache_against_weights():
    """Which of the named decoders' caches overtake their own weights, at batch 32 in 16 bits, and when."""
    when = {}
    for name in ("GPT-2 small", "Llama 2 7B", "Llama 3 8B", "Mistral 7B"):
        config = NAMED_MODELS[name]
        numbers = kv_numbers_per_token(config.n_layers, config.kv_heads, config.head_width)
        weights = memory_cost.weight_bytes(config)
        when[name] = tokens_to_outgrow(weights, numbers, batch=32, window=config.window)
        if when[name] is not None:
            assert kv_cache_bytes(config, when[name], batch=32) > weights
    assert when == {"GPT-2 small": 211, "Llama 2 7B": 804, "Llama 3 8B": 3830, "Mistral 7B": 3454}


def test_tiles_move_less():
    """S = 4096, tiles of 128: about a quarter of the plain traffic, and half of that when causal."""
    plain = memory_cost.plain_attention_traffic(4096, 4096, 64, 64).total
    tiled = memory_cost.tiled_attention_traffic(tile_plan(4096, 4096, tile_q=128, tile_k=128), 64, 64).total
    causal = memory_cost.tiled_attention_traffic(
        tile_plan(4096, 4096, tile_q=128, tile_k=128, is_causal=True), 64, 64
    ).total
    assert_allclose(tiled / plain, 0.25, atol=0.01)
    assert_allclose(causal / tiled, 0.5, atol=0.05)


def test_what_is_refused():
    with pytest.raises(ValueError, match="activation_bytes counts one stack"):
        activation_bytes(NAMED_MODELS["Transformer base (2017)"], 10)
    with pytest.raises(ValueError, match="n_kv_heads must be positive, got 0"):
        kv_numbers_per_token(1, 0, 64)
    with pytest.raises(ValueError, match="S must be positive, got 0"):
        layer_activations(GPT_2_SMALL, 0)
