"""A random network of feed-forward sub-layers, twice with the same weights: with residuals and without.

    with     x ← x + s · FFN(x)
    without  x ←     s · FFN(x)

FFN(x) = relu(x W_1) W_2, or relu(norm(x) W_1) W_2 where a layer norm stands in front. What is measured is the
product of the layers' Jacobians at the x that really arrives there, dx_n/dx_0.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from transformer_core import FeedForwardParams, feed_forward_trace, layer_norm, layer_norm_trace
from transformer_core.gradients import layer_norm_backward, relu_slope

D, D_FF, DEEPEST = 16, 64, 64
WITH, WITHOUT = 0, 1


class Depths(NamedTuple):
    """What has become of the gradient after 0, 1, 2, … layers."""

    growth: np.ndarray  # (n + 1, 2) by how much a random gradient grows on its way back, with and without
    identity: np.ndarray  # (n + 1,) ‖I‖ ÷ (‖I‖ + ‖J − I‖), J the product with residuals


@lru_cache(maxsize=2)
def drawn(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x (D,), all W_1 (DEEPEST, D, D_FF) and W_2 (DEEPEST, D_FF, D); at gain 1 a sub-layer keeps x's size."""
    draw = np.random.default_rng(seed).standard_normal
    x, up, down = draw(D), draw((DEEPEST, D, D_FF)), draw((DEEPEST, D_FF, D))
    return x, up * np.sqrt(2 / D), down * np.sqrt(1 / D_FF)  # 2 for the half that ReLU takes away


@lru_cache(maxsize=32)
def measure(seed: int, gain: float, scale: float, normed: bool, depth: int) -> Depths:
    """The first `depth` layers, all weights times `gain`, each sub-layer times `scale`."""
    x, up, down = drawn(seed)
    up, down = up[:depth] * gain, down[:depth] * (gain * scale)
    jacobians = _jacobians(x, up, down, normed)
    products = np.empty((depth + 1, 2, D, D))
    products[0] = np.eye(D)
    for layer, jacobian in enumerate(jacobians):
        products[layer + 1] = products[layer] @ jacobian
    detours = np.linalg.norm(products[:, WITH] - np.eye(D), axis=(-2, -1))
    own = np.sqrt(D)  # the norm of the identity
    return Depths(np.linalg.norm(products, axis=(-2, -1)) / own, own / (own + detours))


def _jacobians(x: np.ndarray, up: np.ndarray, down: np.ndarray, normed: bool) -> np.ndarray:
    """d out_j / d in_i of every layer, (depth, 2, D, D), at the inputs that the two networks really meet."""
    streams = np.stack([x, x])
    keeps = np.array([[1.0], [0.0]])
    arrived, hidden = [], []
    for W_1, W_2 in zip(up, down, strict=True):
        arrived.append(streams)
        branch = layer_norm(streams) if normed else streams
        trace = feed_forward_trace(branch, FeedForwardParams(W_1, W_2))
        hidden.append(trace.hidden)
        streams = keeps * streams + trace.output
    slopes = relu_slope(np.stack(hidden))[:, :, None, :]
    branches = (up[:, None] * slopes) @ down[:, None]  # d FFN(z)_j / d z_i
    if normed:
        branches = _through_norm(branches, np.stack(arrived))
    return branches + keeps[:, :, None] * np.eye(D)


def _through_norm(branches: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The Jacobians (..., D, D) by what went into the layer norm, x (..., D), in place of what came out."""
    by_output = branches.swapaxes(-1, -2)  # row j is the gradient of out_j
    trace = layer_norm_trace(x[..., None, :])
    return layer_norm_backward(by_output, trace, np.ones(D)).x.swapaxes(-1, -2)
