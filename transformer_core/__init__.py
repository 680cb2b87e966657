"""A Transformer in numpy, written to be read: each subject is one file of pure functions.

Names and shapes: see `arrays`. Functions ending in `_trace` give every step; the plain function is the same code.
"""

# ruff: noqa: I001, RUF022  (the order here is the order of the course, in both lists)

# arrays and errors
from transformer_core.errors import ShapeError

# activations
from transformer_core.activations import softmax

# masks
from transformer_core.masks import causal_mask, padding_mask, padding_mask_from_ids

# attention
from transformer_core.attention import AttentionTrace, attention_trace, scaled_dot_product_attention

# norms
from transformer_core.norms import LayerNormTrace, layer_norm, layer_norm_trace

# the worked example
from transformer_core.worked_example import TOKENS, W_K, W_Q, W_V, WorkedExample, X, worked_example

# --- blocks, cache, generation, flash, cost, weights: add imports below this line, one section a subject

# --- training side: add imports below this line, one section a subject

__all__ = [
    # arrays and errors
    "ShapeError",
    # activations
    "softmax",
    # masks
    "causal_mask",
    "padding_mask",
    "padding_mask_from_ids",
    # attention
    "AttentionTrace",
    "attention_trace",
    "scaled_dot_product_attention",
    # norms
    "LayerNormTrace",
    "layer_norm",
    "layer_norm_trace",
    # the worked example
    "TOKENS",
    "W_K",
    "W_Q",
    "W_V",
    "WorkedExample",
    "X",
    "worked_example",
    # --- blocks, cache, generation, flash, cost, weights: add names below this line
    # --- training side: add names below this line
]
