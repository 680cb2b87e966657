"""A layer of each kind, d_model 4 and two heads, run on the worked example widened by two dimensions.

Each head has the worked example's W_Q, W_K, W_V for its own two dimensions, and W_O is the identity: in
post-norm the first two columns of the encoder's self-attention are what the chapter computes by hand.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from transformer_core import TOKENS, W_K, W_Q, W_V, AttentionParams, FeedForwardParams, X
from transformer_core.blocks import LayerParams, LayerTrace, SubLayerTrace, layer_trace
from transformer_core.config import ModelConfig
from transformer_core.layer_modules import NormParams

D, HEADS, D_FF = 4, 2, 8
WIDE = np.hstack([X, [[2.0, 0], [0, 2], [1, -1]]])  # (3, 4)
TARGETS = ("y₁", "y₂")
TARGET = WIDE[:2]  # (2, 4) what the decoder of an encoder-decoder has so far

ATTENTION = AttentionParams(*(np.kron(np.eye(HEADS), W) for W in (W_Q, W_K, W_V)), np.eye(D))
FEED_FORWARD = FeedForwardParams(  # relu(x) moved on by one place, relu(-x) left in its own, both halved
    W_1=np.hstack([np.eye(D), -np.eye(D)]), W_2=np.vstack([np.roll(np.eye(D), 1, axis=1), np.eye(D)]) / 2
)
NORM = NormParams(np.ones(D), np.zeros(D))
PLAIN = LayerParams(ATTENTION, NORM, FEED_FORWARD, NORM)
READING = PLAIN._replace(cross_attention=ATTENTION, cross_attention_norm=NORM)

SUB_LAYERS = {"attn": "attention", "cross": "cross_attention", "ffn": "feed_forward"}


class Stack(NamedTuple):
    """One layer that has run."""

    tokens: tuple[str, ...]
    params: LayerParams
    trace: LayerTrace
    norm_first: bool

    def sub_layer(self, name: str) -> SubLayerTrace:
        """Of "attn", "cross" or "ffn"."""
        return getattr(self.trace, SUB_LAYERS[name])


@cache
def stacks(architecture: str, norm_first: bool) -> dict[str, Stack]:
    """The layers of an architecture: "enc", "dec" or both."""
    config = ModelConfig(
        architecture=architecture, vocab_size=1, n_layers=1, d_model=D, n_heads=HEADS, d_ff=D_FF,
        norm_first=norm_first, feed_forward="relu", positions="none", head="none",
    )  # fmt: skip
    if architecture == "encoder":
        return {"enc": Stack(TOKENS, PLAIN, layer_trace(WIDE, PLAIN, config), norm_first)}
    if architecture == "decoder":
        return {"dec": Stack(TOKENS, PLAIN, layer_trace(WIDE, PLAIN, config, is_causal=True), norm_first)}
    encoder = layer_trace(WIDE, PLAIN, config)
    decoder = layer_trace(TARGET, READING, config, is_causal=True, memory=encoder.output)
    return {
        "enc": Stack(TOKENS, PLAIN, encoder, norm_first),
        "dec": Stack(TARGETS, READING, decoder, norm_first),
    }


class Module(NamedTuple):
    """One box of the diagram: "in", "out", or a sub-layer's "norm", "run" or "add"."""

    stack: str
    sub_layer: str | None
    role: str

    @property
    def key(self) -> str:
        """How a state names it, such as "dec-cross-norm"; a module that runs has its sub-layer's name."""
        parts = [self.stack, self.sub_layer, None if self.role == "run" else self.role]
        return "-".join(part for part in parts if part)


def modules(architecture: str, norm_first: bool) -> list[Module]:
    """All modules in the order of the data, encoder first."""
    roles = ("norm", "run", "add") if norm_first else ("run", "add", "norm")
    found = []
    for stack, ran in stacks(architecture, norm_first).items():
        names = [name for name in SUB_LAYERS if ran.sub_layer(name) is not None]
        inside = [Module(stack, name, role) for name in names for role in roles]
        found += [Module(stack, None, "in"), *inside, Module(stack, None, "out")]
    return found


def resolve(architecture: str, norm_first: bool, key: str) -> Module:
    """The module of that key, or its nearest counterpart where the architecture has no such module."""
    there = {module.key: module for module in modules(architecture, norm_first)}
    own, _, part = key.partition("-")
    other = "dec" if own == "enc" else "enc"
    wanted = [f"{stack}-{name}" for stack in (own, other) for name in (part, part.replace("cross", "attn"))]
    return next(there[name] for name in wanted if name in there)


class Values(NamedTuple):
    """What a module does on the example; each (S, d_model)."""

    given: np.ndarray
    output: np.ndarray
    before: np.ndarray  # the residual stream before its sub-layer, for "in" and "out" before the layer
    after: np.ndarray


def values(ran: Stack, module: Module) -> Values:
    """The numbers of a module, from the layer's trace."""
    if module.sub_layer is None:
        x, y = ran.trace.attention.before, ran.trace.output
        return Values(x, x, x, y) if module.role == "in" else Values(y, y, x, y)
    sub = ran.sub_layer(module.sub_layer)
    if module.role == "run":
        return Values(sub.module_input, sub.module.output, sub.before, sub.after)
    if module.role == "add":
        return Values(sub.module.output, sub.added, sub.before, sub.after)
    given = sub.before if ran.norm_first else sub.added
    return Values(given, sub.norm.output, sub.before, sub.after)


def parameters(ran: Stack, module: Module) -> object:
    """The module's parameter record; an empty one where it has none."""
    if module.sub_layer is None or module.role == "add":
        return ()
    name = SUB_LAYERS[module.sub_layer]
    return getattr(ran.params, name if module.role == "run" else f"{name}_norm")
