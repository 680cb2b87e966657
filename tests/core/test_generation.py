"""Generation: with the cache and without it the same text, and the work as counted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import (
    ModelConfig,
    generate,
    generation,
    generation_trace,
    init_model,
    model_logits,
    padding_mask,
    sampling_probabilities,
)

B, S, V = 2, 4, 13
SIZES = {"vocab_size": V, "n_layers": 2, "d_model": 8, "n_heads": 4, "n_kv_heads": 2, "d_ff": 9}


def make(architecture="decoder", seed=0, **options):
    config = ModelConfig(architecture=architecture, **(SIZES | options))
    params = init_model(np.random.default_rng(seed), config)
    # larger embeddings: the logits lie apart, and no rounding decides between two tokens
    return params._replace(token_embedding=3 * params.token_embedding), config


def ids(*shape, seed=0):
    return np.random.default_rng(seed).integers(0, V, shape)


KINDS = [
    {}, {"positions": "sinusoidal"}, {"positions": "learned", "max_positions": 20}, {"window": 3},
    {"norm": "rms", "feed_forward": "swiglu", "head": "untied"}, {"norm_first": False, "n_kv_heads": 4},
]  # fmt: skip


def greedy_by_model_logits(prompt, params, config, n_new, **source):
    """The plainest way: the whole model on the whole text, and the best last token, again and again."""
    text = prompt
    for _ in range(n_new):
        best = model_logits(text, params, config, **source)[..., -1, :].argmax(axis=-1)
        text = np.concatenate([text, best[..., None]], axis=-1)
    return text


# --- what only right generation does; `code` is the module


def check_greedy(code):
    for options in KINDS:
        params, config = make(**options)
        expected = greedy_by_model_logits(ids(B, S), params, config, 9)
        for use_cache in (True, False):
            assert np.array_equal(code.generate(ids(B, S), params, config, 9, use_cache=use_cache), expected)


def check_logits_with_and_without_cache(code):
    for options in KINDS:
        params, config = make(**options)
        with_cache, without = (
            code.generation_trace(ids(B, S), params, config, 9, use_cache=use_cache)
            for use_cache in (True, False)
        )
        for step, other in zip(with_cache.steps, without.steps, strict=True):
            assert_allclose(step.logits, other.logits, rtol=1e-9, atol=1e-11)


def check_encoder_decoder(code):
    params, config = make("encoder-decoder", positions="sinusoidal")
    source = {"source_ids": ids(B, 5, seed=1), "source_mask": padding_mask([5, 3], 5)}
    expected = greedy_by_model_logits(ids(B, 1), params, config, 7, **source)
    for use_cache in (True, False):
        trace = code.generation_trace(ids(B, 1), params, config, 7, use_cache=use_cache, **source)
        assert np.array_equal(trace.token_ids, expected)
        logits = model_logits(expected[:, :-1], params, config, **source)
        for place, step in enumerate(trace.steps):
            assert_allclose(step.logits, logits[:, place], rtol=1e-9, atol=1e-11)
    other = code.generate(ids(B, 1), params, config, 7, source_ids=ids(B, 5, seed=2))
    assert not np.array_equal(other, expected)


def check_sampled(code):
    """The same seed draws the same text, with the cache and without, from what was asked for."""
    params, config = make()
    for shape in ({}, {"temperature": 1.5}, {"top_k": 2}, {"top_p": 0.7}):
        texts = []
        for use_cache in (True, False):
            trace = code.generation_trace(
                ids(B, S), params, config, 9, rng=np.random.default_rng(7), use_cache=use_cache, **shape
            )
            for step in trace.steps:
                assert_allclose(step.probabilities, sampling_probabilities(step.logits, **shape), rtol=1e-12)
                assert (np.take_along_axis(step.probabilities, step.chosen[:, None], axis=-1) > 0).all()
            texts.append(trace.token_ids)
        assert np.array_equal(*texts)
        other = code.generate(ids(B, S), params, config, 9, rng=np.random.default_rng(8), **shape)
        assert not np.array_equal(other, texts[0])


def check_steps_make_the_text(code):
    params, config = make()
    trace = code.generation_trace(ids(B, S), params, config, 5)
    assert np.array_equal(trace.token_ids[:, :S], ids(B, S))
    assert np.array_equal(trace.token_ids[:, S:], np.stack([step.chosen for step in trace.steps], axis=1))
    assert [step.fed.shape for step in trace.steps] == [(B, S)] + [(B, 1)] * 4
    assert all(
        np.array_equal(step.fed[:, 0], trace.token_ids[:, S + k]) for k, step in enumerate(trace.steps[1:])
    )
    whole = code.generation_trace(ids(B, S), params, config, 5, use_cache=False)
    assert [step.fed.shape for step in whole.steps] == [(B, S + k) for k in range(5)]


def check_work(code):
    """2 layers, 4 heads, 2 sequences. With the cache 4 tokens, then 1 a step; without, 4, 5, 6."""
    params, config = make()
    steps = code.generation_trace(ids(B, S), params, config, 3).steps
    assert [step.work.token_projections for step in steps] == [2 * 2 * n for n in (4, 1, 1)]
    assert [step.work.dot_products for step in steps] == [2 * 2 * 4 * n for n in (4 * 4, 5, 6)]
    steps = code.generation_trace(ids(B, S), params, config, 3, use_cache=False).steps
    assert [step.work.token_projections for step in steps] == [2 * 2 * n for n in (4, 5, 6)]
    assert [step.work.dot_products for step in steps] == [2 * 2 * 4 * n * n for n in (4, 5, 6)]


def check_window_bounds_the_cache(code):
    params, config = make(window=3)
    cache = code.start_cache(params, config)
    for token in range(6):
        step = code.advance([token], params, config, cache)
        cache = step.cache
        assert cache.seen == token + 1
        assert cache.layers[0].key.shape[-2] == min(token + 1, 3)
        assert step.work.dot_products == 2 * 4 * min(token + 1, 4)


def check_stop(code):
    """Stops for each sequence at its own time, and for all when the last is done."""
    params, config = make()

    def text(**options):
        rng = np.random.default_rng(1)
        return code.generate(ids(B, S), params, config, 12, rng=rng, temperature=3.0, **options)[:, S:]

    free = text()
    first, second = free.tolist()
    stop = next(token for token in first if token in second and first.index(token) != second.index(token))
    lengths = [first.index(stop) + 1, second.index(stop) + 1]
    stopped = text(stop_id=stop)
    assert stopped.shape[1] == max(lengths) < 12
    for row, end, whole in zip(stopped.tolist(), lengths, (first, second), strict=True):
        assert row == whole[:end] + [stop] * (max(lengths) - end)


def check_in_pieces(code):
    """Tokens may be fed in any pieces: the last logits are the same."""
    for options in KINDS:
        params, config = make(**options)
        text, expected = ids(B, 8), None
        for pieces in ([8], [1] * 8, [3, 4, 1], [5, 0, 3]):
            cache, start = code.start_cache(params, config, leading=(B,)), 0
            for piece in pieces:
                step = code.advance(text[:, start : start + piece], params, config, cache)
                cache, start = step.cache, start + piece
            expected = step.logits[:, -1] if expected is None else expected
            assert_allclose(step.logits[:, -1], expected, rtol=1e-9, atol=1e-11)


def check_old_cache_stays(code):
    """From one cache two continuations."""
    params, config = make()
    cache = code.advance([1, 2, 3], params, config, code.start_cache(params, config)).cache
    first = code.advance([4], params, config, cache).logits
    code.advance([5], params, config, cache)
    assert np.array_equal(code.advance([4], params, config, cache).logits, first)
    assert cache.seen == 3


def test_generation(check, run_check):
    run_check(check, generation)


def test_wrong_generation_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- properties


@given(
    leading=st.lists(st.integers(1, 2), max_size=2), length=st.integers(1, 5), n_new=st.integers(0, 5),
    kind=st.sampled_from(KINDS), seed=st.integers(0, 30), sampled=st.booleans(),
)  # fmt: skip
def test_with_and_without_cache(leading, length, n_new, kind, seed, sampled):
    params, config = make(seed=seed, **kind)
    prompt = ids(*leading, length, seed=seed)
    text, other = (
        generate(prompt, params, config, n_new, use_cache=use_cache,
                 rng=np.random.default_rng(seed) if sampled else None)
        for use_cache in (True, False)
    )  # fmt: skip
    assert text.shape == (*leading, length + n_new)
    assert np.array_equal(text, other)
    assert np.array_equal(text[..., :length], prompt)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_the_cache_has_the_dtype_of_the_model(dtype):
    _, config = make()
    params = init_model(np.random.default_rng(0), config, dtype=dtype)
    step = generation.advance(ids(B, S), params, config, generation.start_cache(params, config, (B,)))
    assert {array.dtype for layer in step.cache.layers for array in layer} == {np.dtype(dtype)}
    assert step.logits.dtype == dtype


# --- edges


def test_nothing_new():
    params, config = make()
    assert generate(ids(B, S), params, config, 0).tolist() == ids(B, S).tolist()
    assert generation_trace([3], params, config, 0).steps == ()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p, c: generate(np.zeros((2, 0), int), p, c, 1), "prompt_length must be positive, got 0"),
        (lambda p, c: generate([V], p, c, 1), "token_ids must lie in 0..12, got 13"),
        (lambda p, c: generate([1], p, c, 1, temperature=0.5),
         "temperature, top_k and top_p shape a draw: give rng, or leave them out for greedy"),
        (lambda p, c: generate([1], p, c, 1, source_ids=[1]),
         "source_ids are for an encoder-decoder and for it alone, got architecture='decoder' "
         "with source_ids"),
        (lambda p, c: generate([1], p, ModelConfig(architecture="encoder", **SIZES), 1),
         "generation needs a decoder and a head, got config.architecture='encoder', config.head='tied'"),
        (lambda p, c: generate([1], p, ModelConfig(architecture="decoder", head="none", **SIZES), 1),
         "generation needs a decoder and a head, got config.architecture='decoder', config.head='none'"),
    ],
)  # fmt: skip
def test_what_is_refused(call, message):
    params, config = make()
    with pytest.raises(ValueError) as error:
        call(params, config)
    assert str(error.value) == message


def test_beyond_the_learned_positions():
    params, config = make(positions="learned", max_positions=5)
    assert generate([1, 2, 3], params, config, 3).shape == (6,)  # the sixth token itself is never fed
    with pytest.raises(ValueError, match="positions"):
        generate([1, 2, 3], params, config, 4)
