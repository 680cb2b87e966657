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

# a model as one record
from transformer_core.config import (
    FeedForwardName,
    ModelConfig,
)
from transformer_core.named_models import (
    BERT_BASE,
    GPT_2_SMALL,
    LLAMA_2_7B,
    LLAMA_3_8B,
    MISTRAL_7B,
    NAMED_MODELS,
    PUBLISHED_PARAMETERS,
    QWEN_2_5_7B,
    TRANSFORMER_BASE,
)
from transformer_core.parameters import (
    count_parameters,
    map_arrays,
    named_arrays,
    replace_arrays,
)

# layers
from transformer_core.layer_modules import (
    NormParams,
)
from transformer_core.blocks import (
    Dropout,
    LayerParams,
    LayerTrace,
    SubLayerTrace,
    decoder_layer,
    encoder_layer,
    layer_trace,
)

# whole models
from transformer_core.model_params import (
    ModelParams,
    PoolerParams,
)
from transformer_core.embedding import (
    EmbeddingTrace,
    embed,
    logits_of,
)
from transformer_core.model import (
    ModelTrace,
    StackTrace,
    encode,
    model_logits,
    model_trace,
    stack_trace,
)
from transformer_core.initialize import (
    ShapesAlone,
    init_attention,
    init_feed_forward,
    init_layer,
    init_matrix,
    init_model,
    init_norm,
)

# KV cache and generation
from transformer_core.cache import (
    KVCache,
    cached_tokens,
    empty_cache,
    extend_cache,
    trim_cache,
)
from transformer_core.sampling import (
    SamplingTrace,
    greedy_token,
    sample_token,
    sampling_probabilities,
    sampling_trace,
)
from transformer_core.generation import (
    Advance,
    GenerationStep,
    GenerationTrace,
    ModelCache,
    Work,
    advance,
    generate,
    generation_trace,
    start_cache,
)

# tiled attention
from transformer_core.flash import (
    FlashStep,
    FlashTrace,
    RunningSoftmax,
    Tile,
    flash_attention,
    flash_attention_trace,
    tile_plan,
)

# cost
from transformer_core.cost import (
    FlopCounts,
    ParameterCounts,
    attention_parameters,
    feed_forward_parameters,
    flops_per_token,
    norm_parameters,
    parameter_counts,
    rule_of_twelve,
)
from transformer_core.memory_cost import (
    ActivationCounts,
    Traffic,
    activation_bytes,
    cache_bytes,
    kv_cache_bytes,
    kv_numbers_per_token,
    latent_numbers_per_token,
    layer_activations,
    plain_attention_traffic,
    tiled_attention_traffic,
    tokens_to_outgrow,
    weight_bytes,
)
from transformer_core.sequence_layers import (
    SequenceLayer,
    attention_overtakes,
    layer_multiply_adds,
    path_length,
    serial_steps,
    token_path,
)

# weights
from transformer_core.weights import (
    SavedModel,
    WeightsError,
    load_model,
    save_model,
)

# loss
from transformer_core.loss import (
    IGNORED,
    CrossEntropyTrace,
    cross_entropy,
    cross_entropy_backward,
    cross_entropy_trace,
    next_token_labels,
    perplexity,
)

# gradients
from transformer_core.gradients import (
    LinearGradients,
    NormGradients,
    embedding_backward,
    gelu_slope,
    gelu_tanh_slope,
    layer_norm_backward,
    linear_backward,
    relu_slope,
    rms_norm_backward,
    silu_slope,
    softmax_backward,
)
from transformer_core.module_gradients import (
    AttentionGradients,
    FeedForwardGradients,
    GatedFeedForwardGradients,
    MultiHeadGradients,
    attention_backward,
    feed_forward_backward,
    gated_feed_forward_backward,
    multi_head_backward,
)
from transformer_core.layer_gradients import (
    LayerGradients,
    layer_backward,
)
from transformer_core.model_gradients import (
    LossAndGradients,
    loss_and_gradients,
    model_backward,
)

# dropout, schedules, optimizer
from transformer_core.dropout import (
    apply_dropout,
    dropout_factors,
    inverted_dropout,
)
from transformer_core.schedules import (
    noam,
    noam_peak,
    warmup_cosine,
)
from transformer_core.optimizer import (
    AdamWState,
    adamw_init,
    adamw_step,
    clip_by_global_norm,
    decay_everything,
    decay_matrices,
    global_norm,
)

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
    # a model as one record
    "FeedForwardName",
    "ModelConfig",
    "BERT_BASE",
    "GPT_2_SMALL",
    "LLAMA_2_7B",
    "LLAMA_3_8B",
    "MISTRAL_7B",
    "NAMED_MODELS",
    "PUBLISHED_PARAMETERS",
    "QWEN_2_5_7B",
    "TRANSFORMER_BASE",
    "count_parameters",
    "map_arrays",
    "named_arrays",
    "replace_arrays",
    # layers
    "NormParams",
    "Dropout",
    "LayerParams",
    "LayerTrace",
    "SubLayerTrace",
    "decoder_layer",
    "encoder_layer",
    "layer_trace",
    # whole models
    "ModelParams",
    "PoolerParams",
    "EmbeddingTrace",
    "embed",
    "logits_of",
    "ModelTrace",
    "StackTrace",
    "encode",
    "model_logits",
    "model_trace",
    "stack_trace",
    "ShapesAlone",
    "init_attention",
    "init_feed_forward",
    "init_layer",
    "init_matrix",
    "init_model",
    "init_norm",
    # KV cache and generation
    "KVCache",
    "cached_tokens",
    "empty_cache",
    "extend_cache",
    "trim_cache",
    "SamplingTrace",
    "greedy_token",
    "sample_token",
    "sampling_probabilities",
    "sampling_trace",
    "Advance",
    "GenerationStep",
    "GenerationTrace",
    "ModelCache",
    "Work",
    "advance",
    "generate",
    "generation_trace",
    "start_cache",
    # tiled attention
    "FlashStep",
    "FlashTrace",
    "RunningSoftmax",
    "Tile",
    "flash_attention",
    "flash_attention_trace",
    "tile_plan",
    # cost
    "FlopCounts",
    "ParameterCounts",
    "attention_parameters",
    "feed_forward_parameters",
    "flops_per_token",
    "norm_parameters",
    "parameter_counts",
    "rule_of_twelve",
    "ActivationCounts",
    "Traffic",
    "activation_bytes",
    "cache_bytes",
    "kv_cache_bytes",
    "kv_numbers_per_token",
    "latent_numbers_per_token",
    "layer_activations",
    "plain_attention_traffic",
    "tiled_attention_traffic",
    "tokens_to_outgrow",
    "weight_bytes",
    "SequenceLayer",
    "attention_overtakes",
    "layer_multiply_adds",
    "path_length",
    "serial_steps",
    "token_path",
    # weights
    "SavedModel",
    "WeightsError",
    "load_model",
    "save_model",
    # loss
    "IGNORED",
    "CrossEntropyTrace",
    "cross_entropy",
    "cross_entropy_backward",
    "cross_entropy_trace",
    "next_token_labels",
    "perplexity",
    # gradients
    "LinearGradients",
    "NormGradients",
    "embedding_backward",
    "gelu_slope",
    "gelu_tanh_slope",
    "layer_norm_backward",
    "linear_backward",
    "relu_slope",
    "rms_norm_backward",
    "silu_slope",
    "softmax_backward",
    "AttentionGradients",
    "FeedForwardGradients",
    "GatedFeedForwardGradients",
    "MultiHeadGradients",
    "attention_backward",
    "feed_forward_backward",
    "gated_feed_forward_backward",
    "multi_head_backward",
    "LayerGradients",
    "layer_backward",
    "LossAndGradients",
    "loss_and_gradients",
    "model_backward",
    # dropout, schedules, optimizer
    "apply_dropout",
    "dropout_factors",
    "inverted_dropout",
    "noam",
    "noam_peak",
    "warmup_cosine",
    "AdamWState",
    "adamw_init",
    "adamw_step",
    "clip_by_global_norm",
    "decay_everything",
    "decay_matrices",
    "global_norm",
]
