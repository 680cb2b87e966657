"""Additive (Bahdanau) attention."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from transformer_core import AdditiveParams, ShapeError, additive_attention, additive_attention_trace

B, S_q, S_k, d_q, d_key, d_v, d_attention = 2, 3, 5, 7, 11, 13, 17


def setting(*leading, seed=0):
    rng = np.random.default_rng(seed)
    query, key, value = (
        rng.standard_normal((*leading, *shape)) for shape in ((S_q, d_q), (S_k, d_key), (S_k, d_v))
    )
    params = AdditiveParams(
        rng.standard_normal((d_q, d_attention)),
        rng.standard_normal((d_key, d_attention)),
        rng.standard_normal(d_attention),
    )
    return query, key, value, params


def check_exact(attend):
    """One hidden unit: the scores are tanh(0 + 0) and tanh(0 + 1), times 3."""
    params = AdditiveParams(np.ones((1, 1)), np.ones((1, 1)), np.array([3.0]))
    one = 3 * np.tanh(1)
    output = attend(np.zeros((1, 1)), np.array([[0.0], [1.0]]), np.eye(2), params)
    assert_allclose(output, [[1 / (1 + np.exp(one)), 1 / (1 + np.exp(-one))]], rtol=1e-14)


def check_loops(attend, oracles):
    query, key, value, params = setting()
    assert_allclose(
        attend(query, key, value, params), oracles.additive(query, key, value, params), rtol=1e-12
    )


def check_batch(attend, oracles):
    query, key, value, params = setting(B)
    output = attend(query, key, value, params)
    for b in range(B):
        assert_allclose(output[b], oracles.additive(query[b], key[b], value[b], params), rtol=1e-12)


def check_mask(attend):
    query, key, value, params = setting()
    mask = np.arange(S_k) != 2
    rest = attend(query, key[mask], value[mask], params)
    assert_allclose(attend(query, key, value, params, mask), rest, rtol=1e-12)
    assert (attend(query, key, value, params, np.zeros((S_q, S_k), bool)) == 0).all()


def test_additive(check, run_check):
    run_check(check, additive_attention)


def test_wrong_additive_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


def test_mutants_are_right_but_for_their_fault(check, run_check, assembly):
    run_check(check, assembly)


def test_trace_shows_each_step():
    query, key, value, params = setting(B)
    trace = additive_attention_trace(query, key, value, params)
    assert trace.hidden.shape == (B, S_q, S_k, d_attention)
    one = np.tanh(query[1, 2] @ params.W_query + key[1, 4] @ params.W_key)
    assert_allclose(trace.hidden[1, 2, 4], one, rtol=1e-12)
    assert_allclose(trace.scores[1, 2, 4], one @ params.v, rtol=1e-12)
    assert_allclose(trace.weights.sum(axis=-1), np.ones((B, S_q)))
    assert_allclose(trace.output, trace.weights @ value, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_dtype(dtype):
    query, key, value, params = setting()
    narrow = [array.astype(dtype) for array in (query, key, value)]
    output = additive_attention(*narrow, AdditiveParams(*(array.astype(dtype) for array in params)))
    assert output.dtype == dtype
    assert_allclose(output, additive_attention(query, key, value, params), atol=100 * np.finfo(dtype).eps)


@pytest.mark.parametrize(
    ("place", "shape", "message"),
    [
        ("v", (3,), "v must have shape (d_attention=17,), got (3,)"),
        ("W_key", (11, 5), "W_key must have shape (d_key, d_attention=17), got (11, 5)"),
        ("W_query", (2, 17), "W_query must have shape (d_in=7, d_out), got (2, 17)"),
    ],
)
def test_parameters_that_do_not_fit(place, shape, message):
    query, key, value, params = setting()
    with pytest.raises(ShapeError) as error:
        additive_attention(query, key, value, params._replace(**{place: np.ones(shape)}))
    assert str(error.value) == message


def test_value_of_another_length():
    query, key, value, params = setting()
    with pytest.raises(ShapeError, match=r"value must have shape \(..., S_k=5, d_v\), got \(4, 13\)"):
        additive_attention(query, key, value[:4], params)
