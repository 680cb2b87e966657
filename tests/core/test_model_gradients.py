"""Gradients of whole models by every parameter, against finite differences of the loss."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from transformer_core import (
    IGNORED,
    Dropout,
    ModelConfig,
    init_model,
    map_arrays,
    model_gradients,
    model_trace,
    named_arrays,
    padding_mask,
)

numeric = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "finite_differences.py")))

B, S, S_source, V = 2, 4, 5, 7
SIZES = {"vocab_size": V, "n_layers": 2, "d_model": 6, "n_heads": 3, "d_k": 4, "d_ff": 5}


def make(architecture="decoder", **options):
    config = ModelConfig(architecture=architecture, **(SIZES | options))
    rng = np.random.default_rng(0)
    return map_arrays(lambda a: a + 0.1 * rng.standard_normal(a.shape), init_model(rng, config)), config


def ids(*shape, seed=1):
    return np.random.default_rng(seed).integers(0, V, shape)


def labels():
    some = ids(B, S, seed=2)
    some[0, 1] = IGNORED
    return some


def matches(code, params, config, dropout_seed=None, **options):
    """The loss moves as the gradients say, for a move of each array of the model."""

    def run(params):
        dropout = None if dropout_seed is None else Dropout(0.2, np.random.default_rng(dropout_seed))
        return code.loss_and_gradients(ids(B, S), labels(), params, config, dropout=dropout, **options)

    numeric.assert_matches(lambda p: run(p).loss, params, run(params).gradients, rel=3e-6)


# --- what only right gradients do; `code` is the module


def check_decoder(code):
    """Llama's kind: RMS norm, SwiGLU, RoPE, grouped heads, logits of their own."""
    matches(code, *make(norm="rms", feed_forward="swiglu", n_kv_heads=1, head="untied", window=2))


def check_tied(code):
    """GPT-2's kind: the token table at both ends, a learned table of positions longer than the text."""
    matches(code, *make(positions="learned", max_positions=6, qkv_bias=True, feed_forward_bias=True))


def check_encoder(code):
    """BERT's kind, padded, post-norm, two segments, a norm behind the embedding, no final norm."""
    params, config = make(
        "encoder", positions="learned", max_positions=4, n_segments=2, embedding_norm=True,
        norm_first=False, final_norm=False, output_bias=True,
    )  # fmt: skip
    options = {"attn_mask": padding_mask([4, 2], S), "segment_ids": np.array([[0, 0, 1, 1], [1, 0, 0, 0]])}
    matches(code, params, config, **options)


def check_encoder_decoder(code):
    """The 2017 kind; the one table gathers from source, target and logits."""
    params, config = make(
        "encoder-decoder", positions="sinusoidal", scale_embedding=True, norm_first=False, final_norm=False
    )
    source = {"source_ids": ids(B, S_source, seed=3), "source_mask": padding_mask([5, 3], S_source)}
    matches(code, params, config, **source)
    matches(code, *make("encoder-decoder"), **source)


def check_loss_options(code):
    params, config = make()
    matches(code, params, config, label_smoothing=0.2)
    some = labels()
    some[some == IGNORED] = 3
    same = code.loss_and_gradients(ids(B, S), some, params, config, ignore_label=3).gradients
    hidden = np.where(some == 3, IGNORED, some)
    expected = code.loss_and_gradients(ids(B, S), hidden, params, config).gradients
    assert np.array_equal(same.token_embedding, expected.token_embedding)


def check_dropout(code):
    source = {"source_ids": ids(B, S_source, seed=3)}
    params, config = make("encoder-decoder", embedding_norm=True)
    matches(code, params, config, dropout_seed=4, **source)


def check_pooled_and_hidden(code):
    """A loss on the pooled vector and on the hidden states, without any logits."""
    params, config = make("encoder", pooler=True, head="none")
    by_hidden, by_pooled = (np.random.default_rng(5).standard_normal(shape) for shape in ((B, S, 6), (B, 6)))

    def loss(params):
        trace = model_trace(ids(B, S), params, config)
        return (trace.hidden * by_hidden).sum() + (trace.pooled * by_pooled).sum()

    trace = model_trace(ids(B, S), params, config)
    got = code.model_backward(trace, params, config, hidden=by_hidden, pooled=by_pooled)
    numeric.assert_matches(loss, params, got, rel=3e-6)


def check_what_is_not_asked_for_is_zero(code):
    """An untied matrix without logits, a pooler without a gradient: zeros, built like the parameters."""
    params, config = make("encoder", pooler=True, head="untied")
    trace = model_trace(ids(B, S), params, config)
    got = code.model_backward(trace, params, config, hidden=np.ones((B, S, 6)))
    assert not got.W_logits.any()
    assert not got.pooler.W.any()
    assert {path: a.shape for path, a in named_arrays(got).items()} == {
        path: a.shape for path, a in named_arrays(params).items()
    }


def check_inputs_untouched(code):
    params, config = make()
    trace = model_trace(ids(B, S), params, config)
    hidden = np.ones((B, S, 6))
    before = map_arrays(np.copy, params)
    code.model_backward(trace, params, config, logits=np.ones((B, S, V)), hidden=hidden)
    assert (hidden == 1).all()
    for path, array in named_arrays(params).items():
        assert np.array_equal(array, named_arrays(before)[path])


def test_model_gradient(check, run_check):
    run_check(check, model_gradients)


def test_wrong_model_gradient_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- edges


def test_nothing_to_learn():
    params, config = make()
    nothing = np.full((B, S), IGNORED)
    loss, gradients = model_gradients.loss_and_gradients(ids(B, S), nothing, params, config)
    assert loss == 0
    assert not any(array.any() for array in named_arrays(gradients).values())


def test_float32_stays():
    params, config = make()
    params = map_arrays(lambda a: a.astype("f4"), params)
    loss, gradients = model_gradients.loss_and_gradients(ids(B, S), labels(), params, config)
    assert isinstance(loss, float)
    assert {array.dtype for array in named_arrays(gradients).values()} == {np.dtype("f4")}
    params = map_arrays(lambda a: a.astype("f8"), params)
    wide = model_gradients.loss_and_gradients(ids(B, S), labels(), params, config)
    for path, array in named_arrays(gradients).items():
        assert_allclose(array, named_arrays(wide.gradients)[path], rtol=1e-3, atol=1e-5)


def test_a_batch_is_the_mean_of_its_sequences():
    params, config = make()
    both = model_gradients.loss_and_gradients(ids(B, S), ids(B, S, seed=2), params, config)
    one, other = (
        model_gradients.loss_and_gradients(ids(B, S)[b], ids(B, S, seed=2)[b], params, config) for b in (0, 1)
    )
    assert both.loss == pytest.approx((one.loss + other.loss) / 2, rel=1e-12)
    for path, array in named_arrays(both.gradients).items():
        mean = (named_arrays(one.gradients)[path] + named_arrays(other.gradients)[path]) / 2
        assert_allclose(array, mean, rtol=1e-9, atol=1e-12)


def test_what_is_refused():
    params, config = make("encoder", head="none")
    with pytest.raises(ValueError, match=r"a loss needs logits, got config.head='none'"):
        model_gradients.loss_and_gradients(ids(B, S), labels(), params, config)
    with pytest.raises(ValueError, match="model_backward needs a gradient by logits, hidden or pooled"):
        model_gradients.model_backward(model_trace(ids(B, S), params, config), params, config)
