"""Attention and multi-head attention beside torch's, forwards and backwards."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from transformer_core import (
    AttentionParams,
    attention_backward,
    attention_trace,
    causal_mask,
    flash_attention,
    multi_head_attention,
    multi_head_backward,
    multi_head_trace,
    padding_mask,
    scaled_dot_product_attention,
)

B, H, H_kv, S_q, S_k, d_k, d_v = 2, 6, 2, 5, 7, 11, 13
MASKS = {
    "none": {},
    "causal": {"is_causal": True},
    "bool": {"attn_mask": np.random.default_rng(1).random((B, 1, S_q, S_k)) < 0.7},
    "float": {"attn_mask": np.random.default_rng(1).standard_normal((H, S_q, S_k))},
    "scale": {"scale": 0.3},
}


def to_torch(options):
    return {k: torch.tensor(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("kv_heads", [H, H_kv, 1])
@pytest.mark.parametrize("attend", [scaled_dot_product_attention, flash_attention])
def test_attention(name, kv_heads, attend, draw, same, leaf):
    options = MASKS[name]
    query, key, value = (
        draw(B, H, S_q, d_k),
        draw(B, kv_heads, S_k, d_k, seed=1),
        draw(B, kv_heads, S_k, d_v, seed=2),
    )
    slope = draw(B, H, S_q, d_v, seed=3)
    tensors = [leaf(array) for array in (query, key, value)]
    theirs = functional.scaled_dot_product_attention(*tensors, **to_torch(options), enable_gqa=True)
    if attend is flash_attention:
        repeated = [np.repeat(array, H // kv_heads, axis=1) for array in (key, value)]
        same(flash_attention(query, *repeated, **options, tile_q=2, tile_k=3), theirs)
        return
    same(attend(query, key, value, **options, enable_gqa=True), theirs)
    theirs.backward(torch.tensor(slope))
    trace = attention_trace(query, key, value, **options, enable_gqa=True)
    ours = attention_backward(slope, trace, query, key, value, scale=options.get("scale"), enable_gqa=True)
    for gradient, tensor in zip(ours, tensors, strict=False):
        same(gradient, tensor.grad)


def test_a_row_that_sees_nothing(draw, same):
    """PyTorch gives zeros too, since 2.5."""
    mask = np.ones((S_q, S_k), bool)
    mask[2] = False
    arrays = draw(S_q, d_k), draw(S_k, d_k, seed=1), draw(S_k, d_v, seed=2)
    theirs = functional.scaled_dot_product_attention(*map(torch.tensor, arrays), torch.tensor(mask))
    same(scaled_dot_product_attention(*arrays, mask), theirs)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", ["self", "causal", "padded", "cross"])
def test_multi_head(bias, kind, draw, same, leaf):
    """nn.MultiheadAttention keeps its matrices transposed, three in one; its masks say what is hidden."""
    d_model, heads = 12, 3
    theirs = torch.nn.MultiheadAttention(d_model, heads, bias=bias, batch_first=True)
    x, slope = draw(B, S_q, d_model), draw(B, S_q, d_model, seed=3)
    context = draw(B, S_k, d_model, seed=4) if kind == "cross" else x
    W = [matrix.T for matrix in theirs.in_proj_weight.detach().numpy().reshape(3, d_model, d_model)]
    b = [None] * 4
    if bias:
        with torch.no_grad():  # torch starts them at 0
            theirs.in_proj_bias.copy_(torch.tensor(draw(3 * d_model, seed=5)))
            theirs.out_proj.bias.copy_(torch.tensor(draw(d_model, seed=6)))
        b = [*theirs.in_proj_bias.detach().numpy().reshape(3, d_model), theirs.out_proj.bias.detach().numpy()]
    params = AttentionParams(*W, theirs.out_proj.weight.detach().numpy().T, *b)

    ours_options, their_options = {}, {}
    if kind == "causal":
        ours_options, their_options = {"is_causal": True}, {"attn_mask": torch.tensor(~causal_mask(S_q))}
    if kind == "padded":
        mask = padding_mask([S_q, 2], S_q)
        ours_options, their_options = {"attn_mask": mask}, {"key_padding_mask": torch.tensor(~mask[:, 0, 0])}
    if kind == "cross":
        ours_options = {"context": context}
    tensors = leaf(x), leaf(context)
    source = tensors[1] if kind == "cross" else tensors[0]
    output, weights = theirs(tensors[0], source, source, average_attn_weights=False, **their_options)
    trace = multi_head_trace(x, params, heads, **ours_options)
    same(multi_head_attention(x, params, heads, **ours_options), output)
    same(trace.attention.weights, weights)

    output.backward(torch.tensor(slope))
    ours = multi_head_backward(slope, trace, x, context, params)
    if kind == "cross":
        same(ours.x, tensors[0].grad)
        same(ours.context, tensors[1].grad)
    else:
        same(ours.x + ours.context, tensors[0].grad)
    same(np.concatenate([m.T for m in ours.params[:3]]), theirs.in_proj_weight.grad)
    same(ours.params.W_O.T, theirs.out_proj.weight.grad)
    if bias:
        same(np.concatenate(ours.params[4:7]), theirs.in_proj_bias.grad)
        same(ours.params.b_O, theirs.out_proj.bias.grad)
