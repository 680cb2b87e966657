"""Activations, norms, feed-forward, RoPE, loss and optimiser beside torch's, forwards and backwards."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from transformer_core import (
    FeedForwardParams,
    GatedFeedForwardParams,
    adamw_init,
    adamw_step,
    batch_norm,
    batch_norm_train,
    clip_by_global_norm,
    cross_entropy_backward,
    cross_entropy_trace,
    feed_forward_backward,
    feed_forward_trace,
    gated_feed_forward_backward,
    gated_feed_forward_trace,
    gelu,
    layer_norm_backward,
    layer_norm_trace,
    log_softmax,
    rms_norm_backward,
    rms_norm_trace,
    rope,
    silu,
    softmax,
    softmax_backward,
)
from transformer_core.gradients import SLOPES

B, S, d, d_ff = 2, 5, 12, 17
ACTIVATIONS = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu-tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "silu": functional.silu,
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation_slopes(name, same, leaf):
    x = leaf(np.linspace(-12, 12, 1001))
    ACTIVATIONS[name](x).sum().backward()
    same(SLOPES[name](x.detach().numpy()), x.grad)


def test_activations(draw, same):
    x = 5 * draw(B, S, d)
    tensor = torch.tensor(x)
    same(gelu(x), functional.gelu(tensor))
    same(gelu(x, approximate="tanh"), functional.gelu(tensor, approximate="tanh"))
    same(silu(x), functional.silu(tensor))
    for axis in (0, 1, -1):
        same(softmax(x, axis=axis), functional.softmax(tensor, dim=axis))
        same(log_softmax(x, axis=axis), functional.log_softmax(tensor, dim=axis))


def test_softmax_gradient(draw, same, leaf):
    x, slope = leaf(draw(B, S, d)), draw(B, S, d, seed=1)
    weights = functional.softmax(x, dim=-1)
    weights.backward(torch.tensor(slope))
    same(softmax_backward(slope, weights.detach().numpy()), x.grad)


def test_layer_norm(draw, same, leaf):
    x, gamma, beta = (leaf(draw(*shape, seed=k)) for k, shape in enumerate([(B, S, d), (d,), (d,)]))
    slope = draw(B, S, d, seed=9)
    theirs = functional.layer_norm(x, (d,), gamma, beta, eps=1e-3)
    theirs.backward(torch.tensor(slope))
    trace = layer_norm_trace(*(t.detach().numpy() for t in (x, gamma, beta)), eps=1e-3)
    ours = layer_norm_backward(slope, trace, gamma.detach().numpy())
    same(trace.output, theirs)
    for gradient, tensor in zip(ours, (x, gamma, beta), strict=True):
        same(gradient, tensor.grad)


def test_rms_norm(draw, same, leaf):
    x, gamma, slope = leaf(draw(B, S, d)), leaf(draw(d, seed=1)), draw(B, S, d, seed=9)
    theirs = functional.rms_norm(x, (d,), gamma, eps=1e-3)
    theirs.backward(torch.tensor(slope))
    trace = rms_norm_trace(x.detach().numpy(), gamma.detach().numpy(), eps=1e-3)
    ours = rms_norm_backward(slope, trace, gamma.detach().numpy())
    same(trace.output, theirs)
    same(ours.x, x.grad)
    same(ours.gamma, gamma.grad)


def test_batch_norm(draw, same):
    x = draw(31, d)
    theirs = torch.nn.BatchNorm1d(d)
    output = theirs(torch.tensor(x))
    ours = batch_norm_train(x, np.zeros(d), np.ones(d))
    same(ours.output, output)
    same(ours.running_mean, theirs.running_mean)
    same(ours.running_variance, theirs.running_var)
    theirs.eval()
    same(batch_norm(x, ours.running_mean, ours.running_variance), theirs(torch.tensor(x)))


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_feed_forward(name, draw, same, leaf):
    x, slope = leaf(draw(B, S, d)), draw(B, S, d, seed=9)
    theirs = torch.nn.Sequential(torch.nn.Linear(d, d_ff), torch.nn.Linear(d_ff, d))
    output = theirs[1](ACTIVATIONS[name](theirs[0](x)))
    output.backward(torch.tensor(slope))
    W_1, b_1, W_2, b_2 = (parameter.detach().numpy() for parameter in theirs.parameters())
    params = FeedForwardParams(W_1.T, W_2.T, b_1, b_2)
    trace = feed_forward_trace(x.detach().numpy(), params, activation=name)
    ours = feed_forward_backward(slope, trace, x.detach().numpy(), params, activation=name)
    same(trace.output, output)
    same(ours.x, x.grad)
    by_params = (ours.params.W_1.T, ours.params.b_1, ours.params.W_2.T, ours.params.b_2)
    for gradient, parameter in zip(by_params, theirs.parameters(), strict=True):
        same(gradient, parameter.grad)


@pytest.mark.parametrize("name", ["silu", "gelu"])
def test_gated_feed_forward(name, draw, same, leaf):
    x, slope = leaf(draw(B, S, d)), draw(B, S, d, seed=9)
    matrices = [
        leaf(draw(*shape, seed=k)) for k, shape in enumerate([(d, d_ff), (d, d_ff), (d_ff, d)], start=1)
    ]
    gate, up, down = matrices
    output = (ACTIVATIONS[name](x @ gate) * (x @ up)) @ down
    output.backward(torch.tensor(slope))
    params = GatedFeedForwardParams(*(matrix.detach().numpy() for matrix in matrices))
    trace = gated_feed_forward_trace(x.detach().numpy(), params, activation=name)
    ours = gated_feed_forward_backward(slope, trace, x.detach().numpy(), params, activation=name)
    same(trace.output, output)
    same(ours.x, x.grad)
    for gradient, matrix in zip(ours.params, matrices, strict=True):
        same(gradient, matrix.grad)


def by_complex_numbers(x, positions, base):
    """RoPE as Llama's released code has it: pairs as complex numbers, times e ** (i * angle)."""
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    speeds = 1.0 / base ** (torch.arange(0, x.shape[-1], 2) / x.shape[-1])
    angles = torch.outer(positions, speeds)
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
def test_rope(base, draw, same):
    x, positions = draw(B, 3, S, d), np.array([0, 1, 5, 900, 131_071])
    theirs = by_complex_numbers(torch.tensor(x), torch.tensor(positions, dtype=torch.float64), base)
    same(rope(x, positions, base=base), theirs)
    # half-split is the same rotation with the entries in another order
    order = np.concatenate([np.arange(0, d, 2), np.arange(1, d, 2)])
    same(rope(x[..., order], positions, base=base, layout="half-split"), theirs[..., order])


def test_rope_gradient(draw, same, leaf):
    """The turn back by the same angle is what autograd finds."""
    x, slope, positions = leaf(draw(S, d)), draw(S, d, seed=1), np.arange(S)
    by_complex_numbers(x, torch.tensor(positions, dtype=torch.float64), 10_000.0).backward(
        torch.tensor(slope)
    )
    same(rope(slope, -positions), x.grad)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_cross_entropy(smoothing, draw, same, leaf):
    logits, labels = leaf(3 * draw(B, S, 7)), np.random.default_rng(1).integers(0, 7, (B, S))
    labels[0, 2] = labels[1, 0] = -100
    theirs = functional.cross_entropy(
        logits.flatten(0, 1), torch.tensor(labels).flatten(), label_smoothing=smoothing
    )
    theirs.backward()
    trace = cross_entropy_trace(logits.detach().numpy(), labels, label_smoothing=smoothing)
    assert trace.loss == pytest.approx(theirs.item(), rel=1e-12)
    same(cross_entropy_backward(trace, labels, label_smoothing=smoothing), logits.grad)


def test_adamw(draw, same, leaf):
    """Twenty steps, with clipping."""
    tensors = leaf(draw(3, 4)), leaf(draw(5, seed=1))
    params = tuple(tensor.detach().numpy().copy() for tensor in tensors)
    options = {"betas": (0.8, 0.95), "eps": 1e-3, "weight_decay": 0.3}
    theirs, state = torch.optim.AdamW(tensors, lr=0.05, **options), adamw_init(params)
    for step in range(20):
        gradients = draw(3, 4, seed=10 + step), draw(5, seed=50 + step)
        for tensor, gradient in zip(tensors, gradients, strict=True):
            tensor.grad = torch.tensor(gradient)
        torch.nn.utils.clip_grad_norm_(tensors, 2.0)
        theirs.step()
        params, state = adamw_step(
            params, clip_by_global_norm(gradients, 2.0), state,
            learning_rate=0.05, beta_1=0.8, beta_2=0.95, eps=1e-3, weight_decay=0.3,
        )  # fmt: skip
    for ours, tensor in zip(params, tensors, strict=True):
        np.testing.assert_allclose(ours, tensor.detach().numpy(), rtol=1e-5)  # torch adds 1e-6 to the norm
