"""The feed-forward layer: each token alone goes through a wider layer and back. No token sees another here.

plain  x -> W_1 -> activation -> W_2                      ReLU (2017), GELU (BERT, GPT-2)
gated  x -> activation(x W_gate) * (x W_up) -> W_down     SwiGLU with silu (Llama), GeGLU with gelu (Gemma)
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.activations import ACTIVATIONS, ActivationName
from transformer_core.arrays import FloatArray, non_finite_is_answer
from transformer_core.errors import check_choice, check_shape
from transformer_core.linear_layer import linear


class FeedForwardParams(NamedTuple):
    """The plain layer's parameters; the biases may be left out."""

    W_1: npt.ArrayLike  # (d_model, d_ff)
    W_2: npt.ArrayLike  # (d_ff, d_model)
    b_1: npt.ArrayLike | None = None  # (d_ff,)
    b_2: npt.ArrayLike | None = None  # (d_model,)


class FeedForwardTrace(NamedTuple):
    """Every step of the plain layer."""

    hidden: FloatArray  # (..., d_ff) x W_1 + b_1
    activated: FloatArray  # (..., d_ff) activation(hidden)
    output: FloatArray  # (..., d_model) activated W_2 + b_2


class GatedFeedForwardParams(NamedTuple):
    """The gated layer's parameters; the models that use it have no biases."""

    W_gate: npt.ArrayLike  # (d_model, d_ff)
    W_up: npt.ArrayLike  # (d_model, d_ff)
    W_down: npt.ArrayLike  # (d_ff, d_model)


class GatedFeedForwardTrace(NamedTuple):
    """Every step of the gated layer."""

    gate: FloatArray  # (..., d_ff) x W_gate
    activated: FloatArray  # (..., d_ff) activation(gate)
    up: FloatArray  # (..., d_ff) x W_up
    gated: FloatArray  # (..., d_ff) activated * up
    output: FloatArray  # (..., d_model) gated W_down


def feed_forward(
    x: npt.ArrayLike, params: FeedForwardParams, *, activation: ActivationName = "relu"
) -> FloatArray:  # (..., d_model) -> (..., d_model)
    """activation(x W_1 + b_1) W_2 + b_2.

    >>> params = FeedForwardParams(W_1=[[1, -1]], W_2=[[2], [3]])
    >>> feed_forward([[5.0], [-5.0]], params)
    array([[10.],
           [15.]])
    """
    return feed_forward_trace(x, params, activation=activation).output


def feed_forward_trace(
    x: npt.ArrayLike, params: FeedForwardParams, *, activation: ActivationName = "relu"
) -> FeedForwardTrace:
    """`feed_forward` with every step kept.

    >>> feed_forward_trace([[5.0]], FeedForwardParams(W_1=[[1, -1]], W_2=[[2], [3]])).activated
    array([[5., 0.]])
    """
    check_choice("activation", activation, tuple(ACTIVATIONS))
    hidden = linear(x, params.W_1, params.b_1, name="W_1", bias_name="b_1")  # (..., d_ff)
    activated = ACTIVATIONS[activation](hidden)
    return FeedForwardTrace(
        hidden, activated, linear(activated, params.W_2, params.b_2, name="W_2", bias_name="b_2")
    )


def gated_feed_forward(
    x: npt.ArrayLike, params: GatedFeedForwardParams, *, activation: ActivationName = "silu"
) -> FloatArray:  # (..., d_model) -> (..., d_model)
    """(activation(x W_gate) * x W_up) W_down: SwiGLU with "silu", GeGLU with "gelu". (Shazeer, 2020)

    >>> params = GatedFeedForwardParams(W_gate=[[1]], W_up=[[2]], W_down=[[1]])
    >>> gated_feed_forward([[3.0]], params, activation="relu")
    array([[18.]])
    """
    return gated_feed_forward_trace(x, params, activation=activation).output


def gated_feed_forward_trace(
    x: npt.ArrayLike, params: GatedFeedForwardParams, *, activation: ActivationName = "silu"
) -> GatedFeedForwardTrace:
    """`gated_feed_forward` with every step kept.

    >>> params = GatedFeedForwardParams(W_gate=[[1]], W_up=[[2]], W_down=[[1]])
    >>> gated_feed_forward_trace([[3.0]], params, activation="relu").up
    array([[6.]])
    """
    check_choice("activation", activation, tuple(ACTIVATIONS))
    sizes = check_shape("W_gate", np.asarray(params.W_gate), "d_model d_ff")
    check_shape("W_up", np.asarray(params.W_up), "d_model d_ff", **sizes)
    gate = linear(x, params.W_gate, name="W_gate")  # (..., d_ff)
    up = linear(x, params.W_up, name="W_up")  # (..., d_ff)
    activated = ACTIVATIONS[activation](gate)
    with non_finite_is_answer():
        gated = np.multiply(activated, up)
    return GatedFeedForwardTrace(gate, activated, up, gated, linear(gated, params.W_down, name="W_down"))
