"""Latent attention (MLA), unpacked and absorbed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from transformer_core import (
    AttentionParams,
    LatentParams,
    ShapeError,
    compress_to_latent,
    latent_attention,
    latent_attention_absorbed,
    multi_head_attention,
    padding_mask,
)

B, S, n_heads, d_k, d_v, d_latent, d_model = 2, 7, 3, 5, 2, 4, 11
FORMS = pytest.mark.parametrize("attend", [latent_attention, latent_attention_absorbed])


def setting(dtype="f8"):
    rng = np.random.default_rng(0)
    shapes = [(d_model, n_heads * d_k), (d_model, d_latent), (d_latent, n_heads * d_k),
              (d_latent, n_heads * d_v), (n_heads * d_v, d_model)]  # fmt: skip
    x = rng.standard_normal((B, S, d_model)).astype(dtype)
    return x, LatentParams(*(rng.standard_normal(shape).astype(dtype) for shape in shapes))


def unpacked(params):
    """The same layer as plain multi-head attention: W_K and W_V of low rank."""
    return AttentionParams(params.W_Q, params.W_DKV @ params.W_UK, params.W_DKV @ params.W_UV, params.W_O)


@FORMS
@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"attn_mask": padding_mask([S, 3], S)}])
def test_it_is_multi_head_attention_of_low_rank(attend, options):
    x, params = setting()
    expected = multi_head_attention(x, unpacked(params), n_heads, **options)
    assert_allclose(attend(x, params, n_heads, **options), expected, rtol=1e-9)


@FORMS
def test_the_loops_agree(attend, oracles):
    x, params = setting()
    expected = oracles.multi_head(x[0], x[0], unpacked(params), n_heads, n_heads)
    assert_allclose(attend(x[0], params, n_heads), expected, rtol=1e-9)


@FORMS
def test_a_cache_of_latents_is_enough(attend):
    """The last token, with nothing but the latents of all, gives the last row."""
    x, params = setting()
    latent = compress_to_latent(x, params)
    assert latent.shape == (B, S, d_latent)
    last = attend(x[:, -1:], params, n_heads, latent=latent, is_causal=True, alignment="bottom-right")
    assert_allclose(last, attend(x, params, n_heads, is_causal=True)[:, -1:], rtol=1e-9)


@FORMS
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_dtype(attend, dtype):
    x, params = setting(dtype)
    small = LatentParams(*(matrix * np.array(0.2, dtype) for matrix in params))
    assert attend(x, small, n_heads).dtype == dtype


def test_the_tests_tell_a_wrong_scale():
    """Absorbed, the query is d_latent wide; the scale is still that of d_k."""
    x, params = setting()
    wrong = params._replace(W_Q=params.W_Q * np.sqrt(d_k / d_latent))
    right = latent_attention(x, params, n_heads)
    assert not np.allclose(latent_attention_absorbed(x, wrong, n_heads), right, rtol=1e-9)


@FORMS
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"W_UK": np.ones((3, 15))}, "W_UK must have shape (d_latent=4, n_heads*d_k=15), got (3, 15)"),
        ({"W_UK": np.ones((4, 9))}, "W_UK must have shape (d_latent=4, n_heads*d_k=15), got (4, 9)"),
        ({"W_UV": np.ones((3, 6))}, "W_UV must have shape (d_latent=4, n_heads*d_v), got (3, 6)"),
        ({"W_DKV": np.ones((2, 4))}, "W_DKV must have shape (d_in=11, d_out), got (2, 4)"),
    ],
)
def test_parameters_that_do_not_fit(attend, change, message):
    x, params = setting()
    with pytest.raises(ShapeError) as error:
        attend(x, params._replace(**change), n_heads)
    assert str(error.value) == message
