"""Layers, stacks and whole models beside torch's, forwards, and backwards by every parameter."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from transformer_core import (
    AttentionParams,
    FeedForwardParams,
    LayerParams,
    ModelConfig,
    NormParams,
    causal_mask,
    init_model,
    layer_backward,
    layer_trace,
    loss_and_gradients,
    map_arrays,
    model_trace,
    named_arrays,
    next_token_labels,
    padding_mask,
)
from transformer_core.gradients import layer_norm_backward
from transformer_core.model import stack_trace

B, S, S_memory, d, heads, d_ff = 2, 5, 7, 12, 3, 17
SIZES = {"d_model": d, "nhead": heads, "dim_feedforward": d_ff, "dropout": 0.0, "batch_first": True}


def config(norm_first, activation="relu", architecture="encoder", n_layers=1):
    return ModelConfig(
        architecture=architecture, vocab_size=5, n_layers=n_layers, d_model=d, n_heads=heads, d_ff=d_ff,
        norm_first=norm_first, feed_forward=activation, positions="none",
        qkv_bias=True, output_bias=True, feed_forward_bias=True,
    )  # fmt: skip


def randomised(module):
    """Every parameter from N(0, 1/4): torch starts biases at 0 and gammas at 1."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) / 4)
    return module


def attention_of(module, read):
    W = [matrix.T for matrix in read(module.in_proj_weight).reshape(3, d, d)]
    b = read(module.in_proj_bias).reshape(3, d)
    return AttentionParams(*W, read(module.out_proj.weight).T, *b, read(module.out_proj.bias))


def layer_of(module, read):
    """The parameters of a torch layer, or their gradients, as our record; read makes an array of one."""
    crosses = hasattr(module, "multihead_attn")
    norms = [NormParams(read(norm.weight), read(norm.bias))
             for norm in (module.norm1, module.norm2, *([module.norm3] if crosses else []))]  # fmt: skip
    return LayerParams(
        attention=attention_of(module.self_attn, read),
        attention_norm=norms[0],
        feed_forward=FeedForwardParams(
            read(module.linear1.weight).T, read(module.linear2.weight).T,
            read(module.linear1.bias), read(module.linear2.bias),
        ),
        feed_forward_norm=norms[-1],
        cross_attention=attention_of(module.multihead_attn, read) if crosses else None,
        cross_attention_norm=norms[1] if crosses else None,
    )  # fmt: skip


def value(parameter):
    return parameter.detach().numpy()


def slope_of(parameter):
    return parameter.grad.numpy()


def assert_same_tree(ours, theirs):
    wanted = named_arrays(theirs)
    for path, array in named_arrays(ours).items():
        np.testing.assert_allclose(array, wanted[path], rtol=1e-9, atol=1e-9, err_msg=path)


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("padded", [True, False])
def test_encoder_layer(norm_first, activation, padded, draw, same, leaf):
    theirs = randomised(
        torch.nn.TransformerEncoderLayer(**SIZES, norm_first=norm_first, activation=activation)
    )
    x, slope = leaf(draw(B, S, d)), draw(B, S, d, seed=1)
    mask = padding_mask([S, 3], S) if padded else None
    output = theirs(x, src_key_padding_mask=torch.tensor(~mask[:, 0, 0]) if padded else None)
    output.backward(torch.tensor(slope))
    params, ours = layer_of(theirs, value), config(norm_first, activation)
    trace = layer_trace(value(x), params, ours, attn_mask=mask)
    same(trace.output, output)
    got = layer_backward(slope, trace, params, ours)
    same(got.x, x.grad)
    assert_same_tree(got.params, layer_of(theirs, slope_of))


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_decoder_layer(norm_first, activation, draw, same, leaf):
    theirs = randomised(
        torch.nn.TransformerDecoderLayer(**SIZES, norm_first=norm_first, activation=activation)
    )
    x, memory, slope = leaf(draw(B, S, d)), leaf(draw(B, S_memory, d, seed=2)), draw(B, S, d, seed=1)
    mask = padding_mask([S_memory, 4], S_memory)
    output = theirs(
        x,
        memory,
        tgt_mask=torch.tensor(~causal_mask(S)),
        memory_key_padding_mask=torch.tensor(~mask[:, 0, 0]),
    )
    output.backward(torch.tensor(slope))
    params, ours = layer_of(theirs, value), config(norm_first, activation, "encoder-decoder")
    trace = layer_trace(value(x), params, ours, is_causal=True, memory=value(memory), memory_mask=mask)
    same(trace.output, output)
    got = layer_backward(slope, trace, params, ours, memory=value(memory))
    same(got.x, x.grad)
    same(got.memory, memory.grad)
    assert_same_tree(got.params, layer_of(theirs, slope_of))


def test_stack_with_final_norm(draw, same):
    layer = torch.nn.TransformerEncoderLayer(**SIZES, norm_first=True)
    theirs = randomised(
        torch.nn.TransformerEncoder(layer, 3, norm=torch.nn.LayerNorm(d), enable_nested_tensor=False)
    )
    layers = tuple(layer_of(each, value) for each in theirs.layers)
    final = NormParams(value(theirs.norm.weight), value(theirs.norm.bias))
    ours = stack_trace(draw(B, S, d), layers, final, config(True, n_layers=3))
    output = theirs(torch.tensor(draw(B, S, d)))
    same(ours.output, output)
    slope = draw(B, S, d, seed=1)
    output.backward(torch.tensor(slope))
    by_norm = layer_norm_backward(slope, ours.norm, final.gamma)
    same(by_norm.gamma, theirs.norm.weight.grad)
    same(by_norm.beta, theirs.norm.bias.grad)


def llama_in_torch(ids, tree, n_heads, n_kv_heads, base, eps):
    """A small Llama written straight in torch, from a dictionary of leaves under our paths."""

    def norm(x, name):
        return functional.rms_norm(x, x.shape[-1:], tree[f"{name}.gamma"], eps=eps)

    def turned(x):
        angles = torch.outer(
            torch.arange(x.shape[-2]), 1 / base ** (torch.arange(0, x.shape[-1], 2) / x.shape[-1])
        )
        return torch.view_as_real(
            torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
            * torch.polar(torch.ones_like(angles), angles)
        ).flatten(-2)

    def split(x, count):
        return x.unflatten(-1, (count, -1)).transpose(-2, -3)

    x, number = tree["token_embedding"][ids], 0
    while f"decoder.{number}.attention.W_Q" in tree:
        at = f"decoder.{number}"
        inner = norm(x, f"{at}.attention_norm")
        query, key, worth = (
            split(inner @ tree[f"{at}.attention.W_{name}"] + tree[f"{at}.attention.b_{name}"], count)
            for name, count in (("Q", n_heads), ("K", n_kv_heads), ("V", n_kv_heads))
        )
        mixed = functional.scaled_dot_product_attention(
            turned(query), turned(key), worth, is_causal=True, enable_gqa=True
        )
        x = x + mixed.transpose(-2, -3).flatten(-2) @ tree[f"{at}.attention.W_O"]
        inner, ff = norm(x, f"{at}.feed_forward_norm"), f"{at}.feed_forward"
        gated = functional.silu(inner @ tree[f"{ff}.W_gate"]) * (inner @ tree[f"{ff}.W_up"])
        x = x + gated @ tree[f"{ff}.W_down"]
        number += 1
    return norm(x, "decoder_norm") @ tree["W_logits"]


def test_a_whole_small_qwen(same, leaf):
    """Logits, loss, and the gradient by every parameter: grouped heads, RoPE, SwiGLU, RMS norm, biases."""
    small = ModelConfig(
        architecture="decoder", vocab_size=11, n_layers=3, d_model=d, n_heads=6, n_kv_heads=2, d_k=4,
        d_ff=d_ff, norm="rms", feed_forward="swiglu", rope_base=100.0, head="untied", qkv_bias=True,
    )  # fmt: skip
    rng = np.random.default_rng(0)
    params = map_arrays(lambda a: a + 0.2 * rng.standard_normal(a.shape), init_model(rng, small))
    ids = rng.integers(0, 11, (B, S))
    labels = next_token_labels(ids)

    tree = {path: leaf(array) for path, array in named_arrays(params).items()}
    logits = llama_in_torch(torch.tensor(ids), tree, 6, 2, base=100.0, eps=small.eps)
    same(model_trace(ids, params, small).logits, logits)
    loss = functional.cross_entropy(logits.flatten(0, 1), torch.tensor(labels).flatten())
    loss.backward()
    ours = loss_and_gradients(ids, labels, params, small)
    assert ours.loss == pytest.approx(loss.item(), rel=1e-12)
    for path, gradient in named_arrays(ours.gradients).items():
        same(gradient, tree[path].grad)
