"""Whole models: that they are the layers in order with the norm and the logits behind them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import (
    Dropout,
    ModelConfig,
    decoder_layer,
    embed,
    encoder_layer,
    init_model,
    layer_norm,
    map_arrays,
    model,
    model_logits,
    model_trace,
    named_arrays,
    padding_mask,
    rms_norm,
)
from transformer_core.named_models import BERT_BASE, LLAMA_3_8B, TRANSFORMER_BASE

B, S, S_source, V = 2, 5, 4, 11
SIZES = {"vocab_size": V, "n_layers": 3, "d_model": 6, "n_heads": 3, "d_ff": 7, "d_k": 4}


def make(architecture="decoder", seed=0, **options):
    """A small model with every parameter random, norms and biases too."""
    config = ModelConfig(architecture=architecture, **(SIZES | options))
    rng = np.random.default_rng(seed)
    params = map_arrays(lambda a: a + 0.2 * rng.standard_normal(a.shape), init_model(rng, config))
    return params, config


def ids(*shape, seed=0):
    return np.random.default_rng(seed).integers(0, V, shape)


def norm(x, params, config):
    if config.norm == "rms":
        return rms_norm(x, params.gamma, eps=config.eps)
    return layer_norm(x, params.gamma, params.beta, eps=config.eps)


def close(actual, expected):
    assert_allclose(actual, expected, rtol=1e-10, atol=1e-12)


# --- what only a right model does; `code` is the module


def check_decoder(code):
    for options in ({}, {"norm": "rms", "head": "untied"}, {"norm_first": False, "final_norm": False}):
        params, config = make(**options)
        x = embed(ids(B, S), params, config).output
        for layer in params.decoder:
            x = decoder_layer(x, layer, config)
        if config.final_norm:
            x = norm(x, params.decoder_norm, config)
        W = params.W_logits if config.head == "untied" else params.token_embedding.T
        close(code.model_logits(ids(B, S), params, config), x @ W)


def check_encoder(code):
    """BERT's kind: padded, two segments, pooled from the first token."""
    params, config = make("encoder", n_segments=2, pooler=True)
    mask = padding_mask([5, 3], S)
    segment_ids = np.array([[0, 0, 1, 1, 1]] * B)
    x = embed(ids(B, S), params, config, segment_ids=segment_ids).output
    for layer in params.encoder:
        x = encoder_layer(x, layer, config, attn_mask=mask)
    x = norm(x, params.encoder_norm, config)
    trace = code.model_trace(ids(B, S), params, config, attn_mask=mask, segment_ids=segment_ids)
    close(trace.hidden, x)
    close(trace.logits, x @ params.token_embedding.T)
    close(trace.pooled, np.tanh(x[:, 0] @ params.pooler.W + params.pooler.b))


def check_encoder_decoder(code):
    params, config = make("encoder-decoder", positions="sinusoidal")
    source, target, mask = ids(B, S_source, seed=1), ids(B, S), padding_mask([4, 2], S_source)
    memory = embed(source, params, config).output
    for layer in params.encoder:
        memory = encoder_layer(memory, layer, config, attn_mask=mask)
    memory = norm(memory, params.encoder_norm, config)
    x = embed(target, params, config).output
    for layer in params.decoder:
        x = decoder_layer(x, layer, config, memory=memory, memory_mask=mask)
    x = norm(x, params.decoder_norm, config)
    options = {"source_ids": source, "source_mask": mask}
    close(code.model_logits(target, params, config, **options), x @ params.token_embedding.T)
    trace = code.model_trace(target, params, config, **options)
    close(trace.source_stack.output, memory)
    close(trace.hidden, x)


def check_padding_does_not_matter(code):
    params, config = make("encoder-decoder", positions="sinusoidal")
    source, mask = ids(B, S_source, seed=1), padding_mask([4, 2], S_source)
    before = code.model_logits(ids(B, S), params, config, source_ids=source, source_mask=mask)
    source[1, 2:] = 0
    assert np.array_equal(
        code.model_logits(ids(B, S), params, config, source_ids=source, source_mask=mask), before
    )
    target_mask = np.arange(S) != 2
    before = code.model_logits(ids(B, S), params, config, source_ids=source, attn_mask=target_mask)
    other = ids(B, S)
    other[:, 2] = 0
    after = code.model_logits(other, params, config, source_ids=source, attn_mask=target_mask)
    assert np.array_equal(np.delete(after, 2, axis=1), np.delete(before, 2, axis=1))


def check_trace(code):
    params, config = make()
    trace = code.model_trace(ids(B, S), params, config)
    assert len(trace.stack.layers) == len(trace.stack.caches) == 3
    stream = trace.embedding.output
    for layer, cache in zip(trace.stack.layers, trace.stack.caches, strict=True):
        assert np.array_equal(layer.attention.before, stream)
        assert cache.key is layer.attention.module.key
        stream = layer.output
    assert np.array_equal(trace.hidden, trace.stack.norm.output)
    close(trace.logits, code.model_logits(ids(B, S), params, config))
    assert code.model_trace(ids(B, S), params, config, keep=False).stack.layers == ()


def check_dropout(code):
    """In the embedding and on every branch, of encoder and decoder; a new draw each."""
    params, config = make("encoder-decoder")
    options = {"source_ids": ids(B, S_source), "dropout": Dropout(0.25, np.random.default_rng(0))}
    trace = code.model_trace(ids(B, S), params, config, **options)
    factors = [trace.source_embedding.dropout, trace.embedding.dropout]
    for layer in trace.source_stack.layers + trace.stack.layers:
        factors += [sub.dropout for sub in layer[:3] if sub is not None]
    assert len(factors) == 2 + 3 * 2 + 3 * 3
    assert all(drawn is not None for drawn in factors)
    assert all(set(drawn.ravel()) == {0.0, 4 / 3} for drawn in factors)
    assert len({drawn.tobytes() for drawn in factors}) == len(factors)


def test_model(check, run_check):
    run_check(check, model)


def test_wrong_model_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- properties


@given(leading=st.lists(st.integers(0, 2), max_size=2), length=st.integers(0, 5), later=st.integers(0, 3),
       positions=st.sampled_from(["none", "sinusoidal", "learned", "rope"]),
       dtype=st.sampled_from(["f2", "f4", "f8"]),
       norm_first=st.booleans(), seed=st.integers(0, 99))  # fmt: skip
def test_a_later_token_changes_no_earlier_logits(leading, length, later, positions, dtype, norm_first, seed):
    rows = 8 if positions == "learned" else None
    params, config = make(seed=seed, positions=positions, max_positions=rows, norm_first=norm_first)
    params = map_arrays(lambda a: a.astype(dtype), params)
    tokens = ids(*leading, length + later, seed=seed)
    logits = model_logits(tokens, params, config)
    assert logits.shape == (*tokens.shape, V)
    assert logits.dtype == dtype
    short = model_logits(tokens[..., :length], params, config)
    assert_allclose(short, logits[..., :length, :], rtol=0, atol=400 * np.finfo(dtype).eps)


@pytest.mark.parametrize("config", [TRANSFORMER_BASE, BERT_BASE, LLAMA_3_8B])
def test_named_kinds_run_small(config):
    small = {"vocab_size": V, "n_layers": 2, "d_model": 8, "n_heads": 4, "d_ff": 9}
    kv_heads = 2 if config.n_kv_heads else None
    config = ModelConfig(**(vars(config) | small | {"n_kv_heads": kv_heads}))
    params = init_model(np.random.default_rng(0), config, dtype=np.float32)
    source = {"source_ids": ids(B, S_source)} if config.architecture == "encoder-decoder" else {}
    trace = model_trace(ids(B, S), params, config, **source)
    assert np.isfinite(trace.hidden).all()
    assert trace.hidden.dtype == np.float32
    assert (trace.logits is None) == (config.head == "none")


def test_same_seed_same_model():
    params, config = make()
    for path, array in named_arrays(params).items():
        assert np.array_equal(array, named_arrays(make()[0])[path])
    first, second = (init_model(np.random.default_rng(seed), config) for seed in (1, 2))
    assert not np.array_equal(first.token_embedding, second.token_embedding)


def test_fresh_parameters_keep_the_variance():
    """Embeddings of deviation 1 / sqrt(d), logits of deviation about 1, at any width."""
    for width in (64, 256):
        config = ModelConfig(
            architecture="decoder",
            **(SIZES | {"d_model": width, "n_heads": 4, "d_k": None, "vocab_size": 500}),
        )
        params = init_model(np.random.default_rng(0), config)
        logits = model_logits(np.arange(100)[None], params, config)
        assert params.token_embedding.std() == pytest.approx(width**-0.5, rel=0.05)
        assert params.decoder[0].feed_forward.W_1.std() == pytest.approx(width**-0.5, rel=0.1)
        assert logits.std() == pytest.approx(1, rel=0.2)


# --- edges


def test_what_is_refused():
    params, config = make()
    with pytest.raises(ValueError, match="got architecture='decoder' with source_ids"):
        model_logits(ids(B, S), params, config, source_ids=ids(B, S))
    both, both_config = make("encoder-decoder")
    with pytest.raises(ValueError, match="got architecture='encoder-decoder' without source_ids"):
        model_logits(ids(B, S), both, both_config)
    bare, bare_config = make("encoder", head="none")
    with pytest.raises(ValueError, match=r"this model has no logits, got config.head='none'"):
        model_logits(ids(B, S), bare, bare_config)
