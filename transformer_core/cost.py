"""What a model costs, as formulas over its config: parameters and floating-point operations.

Every formula is the shape arithmetic of the arrays in `blocks` and `model`; the tests compare it with arrays
that were really made. Memory is in `memory_cost`.
"""

from typing import NamedTuple

from transformer_core.config import ModelConfig
from transformer_core.errors import check_positive


class ParameterCounts(NamedTuple):
    """How many parameters each part has, over all layers of all stacks."""

    token_embedding: int  # vocab_size * d_model
    position_embedding: int  # of the learned table
    segment_embedding: int
    attention: int  # W_Q, W_K, W_V, W_O and their biases
    cross_attention: int  # the same again in every decoder layer that reads an encoder
    feed_forward: int
    norms: int  # gamma, and beta for layer norm
    pooler: int
    logits: int  # 0 where the embedding is used again

    @property
    def total(self) -> int:
        """All of them.

        >>> from transformer_core.named_models import GPT_2_SMALL
        >>> parameter_counts(GPT_2_SMALL).total
        124439808
        """
        return sum(self)


def parameter_counts(config: ModelConfig) -> ParameterCounts:
    """Count the parameters part by part.

    >>> from transformer_core.named_models import LLAMA_3_8B
    >>> counts = parameter_counts(LLAMA_3_8B)
    >>> counts.attention, counts.feed_forward, counts.total
    (1342177280, 5637144576, 8030261248)
    """
    d, L = config.d_model, config.n_layers
    layers = config.n_stacks * L
    reads_encoder = L if config.architecture == "encoder-decoder" else 0
    # two norms a layer and one more beside cross-attention; one after each stack; one after the embedding
    norms = 2 * layers + reads_encoder + config.n_stacks * config.final_norm + config.embedding_norm
    return ParameterCounts(
        token_embedding=config.vocab_size * d,
        position_embedding=(config.max_positions or 0) * d,
        segment_embedding=config.n_segments * d,
        attention=layers * attention_parameters(config),
        cross_attention=reads_encoder * attention_parameters(config),
        feed_forward=layers * feed_forward_parameters(config),
        norms=norms * norm_parameters(config),
        pooler=config.pooler * (d * d + d),
        logits=config.vocab_size * d if config.head == "untied" else 0,
    )


def attention_parameters(config: ModelConfig) -> int:
    """One attention: the query and output matrices at full width, key and value at that of the KV heads.

    >>> from transformer_core.named_models import BERT_BASE
    >>> attention_parameters(BERT_BASE) == 4 * 768**2 + 4 * 768
    True
    """
    d, query, kv = config.d_model, config.n_heads * config.head_width, config.kv_heads * config.head_width
    weights = d * query + 2 * d * kv + query * d
    biases = config.qkv_bias * (query + 2 * kv) + config.output_bias * d
    return weights + biases


def feed_forward_parameters(config: ModelConfig) -> int:
    """One feed-forward layer: two matrices, or three where it is gated.

    >>> from transformer_core.named_models import BERT_BASE
    >>> feed_forward_parameters(BERT_BASE) == 8 * 768**2 + 5 * 768
    True
    """
    d, d_ff = config.d_model, config.d_ff
    if config.is_gated:
        return 3 * d * d_ff
    return 2 * d * d_ff + config.feed_forward_bias * (d_ff + d)


def norm_parameters(config: ModelConfig) -> int:
    """One norm: gamma and beta for layer norm, gamma alone for RMS norm.

    >>> from transformer_core.named_models import BERT_BASE, LLAMA_2_7B
    >>> norm_parameters(BERT_BASE), norm_parameters(LLAMA_2_7B)
    (1536, 4096)
    """
    return config.d_model * (2 if config.norm == "layer" else 1)


def rule_of_twelve(config: ModelConfig) -> int:
    """12 * L * d_model ** 2: a layer has four attention matrices d * d and two feed-forward matrices d * 4d.

    It leaves out embeddings, biases and norms, and takes d_ff = 4d and no GQA for granted.

    >>> from transformer_core.named_models import GPT_2_SMALL
    >>> round(rule_of_twelve(GPT_2_SMALL) / parameter_counts(GPT_2_SMALL).total, 3)
    0.683
    """
    return 12 * config.n_stacks * config.n_layers * config.d_model**2


class FlopCounts(NamedTuple):
    """Floating-point operations of one token's way through the model; a multiply and an add are two."""

    projections: int  # W_Q, W_K, W_V, W_O
    attention: int  # query times keys, weights times values: the part that grows with the context
    feed_forward: int
    logits: int

    @property
    def forward(self) -> int:
        """One forward pass."""
        return sum(self)

    @property
    def training(self) -> int:
        """Forward and backward: three times the forward, since each product has two more in its gradient."""
        return 3 * self.forward


def flops_per_token(config: ModelConfig, context: int) -> FlopCounts:
    """The matrix products for one token that attends to `context` tokens (at most `window` of them).

    Softmax, norms, activations and additions are left out: they are O(d_model) where these are
    O(d_model ** 2). In training over S tokens the mean context of a causal model is (S + 1) / 2.
    Raises ValueError for an encoder-decoder, where source and target tokens cost differently.

    >>> from transformer_core.named_models import LLAMA_2_7B
    >>> flops = flops_per_token(LLAMA_2_7B, context=4096)
    >>> flops.forward, round(flops.attention / flops.forward, 3)
    (15361638400, 0.14)
    """
    check_positive(context=context)
    if config.architecture == "encoder-decoder":
        raise ValueError("flops_per_token counts one stack, got architecture='encoder-decoder'")
    d, L, width = config.d_model, config.n_layers, config.head_width
    seen = context if config.window is None else min(context, config.window)
    return FlopCounts(
        projections=2 * L * d * width * (2 * config.n_heads + 2 * config.kv_heads),
        attention=2 * L * config.n_heads * seen * (width + width),
        feed_forward=2 * L * (3 if config.is_gated else 2) * d * config.d_ff,
        logits=0 if config.head == "none" else 2 * d * config.vocab_size,
    )
