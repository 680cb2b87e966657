"""A Transformer in numpy, written to be read: each subject is one file of pure functions.

Names and shapes: see `arrays`. What ends in `_trace` gives every step; the plain function is the same code.
"""

# ruff: noqa: I001, RUF022  (the order here is the order of the course, in both lists)

# arrays and errors
from transformer_core.errors import ShapeError

# activations
from transformer_core.activations import (
    SoftmaxTrace,
    entropy,
    gelu,
    log_softmax,
    relu,
    sigmoid,
    silu,
    softmax,
    softmax_jacobian,
    softmax_trace,
)
from transformer_core.error_function import erf

# masks
from transformer_core.masks import (
    causal_mask,
    combine_masks,
    dilated_mask,
    global_local_mask,
    padding_mask,
    padding_mask_from_ids,
    query_minus_key,
    sliding_window_mask,
)
from transformer_core.mask_conventions import (
    from_convention,
    to_convention,
)

# attention
from transformer_core.attention import (
    AttentionTrace,
    attention_trace,
    repeat_kv_heads,
    scaled_dot_product_attention,
    soft_cap_scores,
)
from transformer_core.additive import (
    AdditiveParams,
    AdditiveTrace,
    additive_attention,
    additive_attention_trace,
)

# multi-head attention
from transformer_core.multi_head import (
    AttentionParams,
    MultiHeadTrace,
    merge_heads,
    multi_head_attention,
    multi_head_trace,
    project_heads,
    split_heads,
)
from transformer_core.latent import (
    LatentParams,
    compress_to_latent,
    latent_attention,
    latent_attention_absorbed,
)

# feed-forward
from transformer_core.linear_layer import linear
from transformer_core.feed_forward import (
    FeedForwardParams,
    FeedForwardTrace,
    GatedFeedForwardParams,
    GatedFeedForwardTrace,
    feed_forward,
    feed_forward_trace,
    gated_feed_forward,
    gated_feed_forward_trace,
)

# norms
from transformer_core.norms import (
    BatchNormTrace,
    LayerNormTrace,
    RMSNormTrace,
    batch_norm,
    batch_norm_train,
    layer_norm,
    layer_norm_trace,
    rms_norm,
    rms_norm_trace,
)

# positions
from transformer_core.positions import (
    alibi_bias,
    alibi_slopes,
    learned_positions,
    sinusoidal_positions,
    t5_bias,
    t5_buckets,
)
from transformer_core.rotary import (
    ntk_base,
    rope,
    rope_frequencies,
    yarn_frequencies,
    yarn_magnitude,
)

# the worked example
from transformer_core.worked_example import (
    TOKENS,
    W_K,
    W_Q,
    W_V,
    WorkedExample,
    X,
    worked_example,
)

# --- blocks, cache, generation, flash, cost, weights: add imports below this line, one section a subject

# --- training side: add imports below this line, one section a subject

__all__ = [
    # arrays and errors
    "ShapeError",
    # activations
    "SoftmaxTrace",
    "entropy",
    "gelu",
    "log_softmax",
    "relu",
    "sigmoid",
    "silu",
    "softmax",
    "softmax_jacobian",
    "softmax_trace",
    "erf",
    # masks
    "causal_mask",
    "combine_masks",
    "dilated_mask",
    "global_local_mask",
    "padding_mask",
    "padding_mask_from_ids",
    "query_minus_key",
    "sliding_window_mask",
    "from_convention",
    "to_convention",
    # attention
    "AttentionTrace",
    "attention_trace",
    "repeat_kv_heads",
    "scaled_dot_product_attention",
    "soft_cap_scores",
    "AdditiveParams",
    "AdditiveTrace",
    "additive_attention",
    "additive_attention_trace",
    # multi-head attention
    "AttentionParams",
    "MultiHeadTrace",
    "merge_heads",
    "multi_head_attention",
    "multi_head_trace",
    "project_heads",
    "split_heads",
    "LatentParams",
    "compress_to_latent",
    "latent_attention",
    "latent_attention_absorbed",
    # feed-forward
    "linear",
    "FeedForwardParams",
    "FeedForwardTrace",
    "GatedFeedForwardParams",
    "GatedFeedForwardTrace",
    "feed_forward",
    "feed_forward_trace",
    "gated_feed_forward",
    "gated_feed_forward_trace",
    # norms
    "BatchNormTrace",
    "LayerNormTrace",
    "RMSNormTrace",
    "batch_norm",
    "batch_norm_train",
    "layer_norm",
    "layer_norm_trace",
    "rms_norm",
    "rms_norm_trace",
    # positions
    "alibi_bias",
    "alibi_slopes",
    "learned_positions",
    "sinusoidal_positions",
    "t5_bias",
    "t5_buckets",
    "ntk_base",
    "rope",
    "rope_frequencies",
    "yarn_frequencies",
    "yarn_magnitude",
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
