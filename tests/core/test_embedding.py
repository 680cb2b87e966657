"""The two ends of a model: what is added up at the start, and what makes the logits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import (
    Dropout,
    ModelConfig,
    embed,
    embedding,
    init_model,
    layer_norm,
    sinusoidal_positions,
)

V, d = 11, 6
IDS = np.array([[3, 0, 10], [7, 7, 1]])


def model(**options):
    sizes = {"architecture": "encoder", "vocab_size": V, "n_layers": 1, "d_model": d, "n_heads": 3, "d_ff": 5}
    config = ModelConfig(**(sizes | {"positions": "none"} | options))
    params = init_model(np.random.default_rng(0), config)
    if params.embedding_norm is not None:
        params = params._replace(embedding_norm=params.embedding_norm._replace(beta=np.arange(6.0)))
    return params, config


# --- what only the right ends do; `code` is the module


def check_rows(code):
    params, config = model()
    output = code.embed(IDS, params, config).output
    for b, s in np.ndindex(IDS.shape):
        assert np.array_equal(output[b, s], params.token_embedding[IDS[b, s]])


def check_scale(code):
    params, config = model(scale_embedding=True)
    trace = code.embed(IDS, params, config)
    assert_allclose(trace.tokens, params.token_embedding[IDS] * math.sqrt(6), rtol=1e-15)
    assert np.array_equal(trace.output, trace.tokens)


def check_learned_positions(code):
    params, config = model(positions="learned", max_positions=9)
    for first in (0, 4, 6):
        output = code.embed(IDS, params, config, first_position=first).output
        expected = params.token_embedding[IDS] + params.position_embedding[first : first + 3]
        assert_allclose(output, expected, rtol=1e-15)


def check_sinusoidal_positions(code):
    params, config = model(positions="sinusoidal", scale_embedding=True)
    for first in (0, 40):
        output = code.embed(IDS, params, config, first_position=first).output
        waves = sinusoidal_positions(43, 6)[first : first + 3]
        assert_allclose(output, params.token_embedding[IDS] * math.sqrt(6) + waves, rtol=1e-12, atol=1e-15)


def check_nothing_added_for_rope(code):
    params, config = model(positions="rope")
    trace = code.embed(IDS, params, config, first_position=5)
    assert trace.positions is None
    assert np.array_equal(trace.output, params.token_embedding[IDS])


def check_segments(code):
    params, config = model(n_segments=2)
    segment_ids = np.array([[0, 0, 1], [1, 1, 1]])
    output = code.embed(IDS, params, config, segment_ids=segment_ids).output
    assert_allclose(output, params.token_embedding[IDS] + params.segment_embedding[segment_ids], rtol=1e-15)
    first = code.embed(IDS, params, config).output
    assert_allclose(first, params.token_embedding[IDS] + params.segment_embedding[0], rtol=1e-15)


def check_norm(code):
    params, config = model(embedding_norm=True, positions="learned", max_positions=3, n_segments=1)
    added = params.token_embedding[IDS] + params.position_embedding + params.segment_embedding[0]
    expected = layer_norm(added, params.embedding_norm.gamma, params.embedding_norm.beta)
    assert_allclose(code.embed(IDS, params, config).output, expected, rtol=1e-12, atol=1e-14)


def check_dropout(code):
    params, config = model(embedding_norm=True)
    trace = code.embed(IDS, params, config, dropout=Dropout(0.5, np.random.default_rng(0)))
    assert set(trace.dropout.ravel()) == {0.0, 2.0}
    assert_allclose(trace.output, trace.dropout * trace.norm.output, rtol=1e-15)


def check_logits(code):
    """Tied: the dot product with each token's own embedding. Untied: a matrix of its own."""
    params, _ = model()
    hidden = np.random.default_rng(1).standard_normal((2, 3, d))
    logits = code.logits_of(hidden, params)
    for b, s, token in np.ndindex(2, 3, V):
        assert logits[b, s, token] == pytest.approx(hidden[b, s] @ params.token_embedding[token], rel=1e-10)
    params, _ = model(head="untied")
    assert_allclose(code.logits_of(hidden, params), hidden @ params.W_logits, rtol=1e-12, atol=1e-14)


def check_table_untouched(code):
    params, config = model(positions="learned", max_positions=3, scale_embedding=True)
    before = params.token_embedding.copy()
    code.embed(np.array([0]), params, config)
    assert np.array_equal(params.token_embedding, before)


def test_end(check, run_check):
    run_check(check, embedding)


def test_wrong_end_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


@given(shape=st.lists(st.integers(0, 3), min_size=1, max_size=3),
       dtype=st.sampled_from(["f2", "f4", "f8"]),
       positions=st.sampled_from(["none", "sinusoidal", "learned", "rope"]),
       scaled=st.booleans())  # fmt: skip
def test_shapes_and_dtypes(shape, dtype, positions, scaled):
    rows = 3 if positions == "learned" else None
    _, config = model(positions=positions, max_positions=rows, scale_embedding=scaled)
    params = init_model(np.random.default_rng(0), config, dtype=dtype)
    output = embed(np.zeros(shape, int), params, config).output
    assert output.shape == (*shape, d)
    assert output.dtype == dtype


@pytest.mark.parametrize(
    ("ids", "options", "error", "message"),
    [
        ([[3, 11]], {}, ValueError, "token_ids must lie in 0..10, got 11"),
        ([[3, -1]], {}, ValueError, "token_ids must lie in 0..10, got -1"),
        ([[0.5]], {}, TypeError, "token_ids must be integers, got dtype float64"),
        (3, {}, ValueError, "token_ids must have shape (..., S), got ()"),
        ([3], {"segment_ids": [2]}, ValueError, "segment_ids must lie in 0..1, got 2"),
    ],
)
def test_what_is_refused(ids, options, error, message):
    params, config = model(n_segments=2)
    with pytest.raises(error) as raised:
        embed(ids, params, config, **options)
    assert str(raised.value) == message


def test_beyond_the_learned_table():
    params, config = model(positions="learned", max_positions=3)
    with pytest.raises(ValueError, match="positions must lie in"):
        embed([0, 0], params, config, first_position=2)
