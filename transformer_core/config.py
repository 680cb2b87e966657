"""What a model is, as one record: every size and every choice that blocks, cost and weights need.

The record covers the 2017 Transformer (encoder and decoder), BERT (encoder) and the GPT and Llama families
(decoder), because they differ in choices and not in kind.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from transformer_core.errors import check_choice, check_divides, check_positive

Architecture = Literal["encoder", "decoder", "encoder-decoder"]
NormName = Literal["layer", "rms"]
FeedForwardName = Literal["relu", "gelu", "gelu-tanh", "swiglu", "geglu"]
PositionName = Literal["none", "sinusoidal", "learned", "rope"]
HeadName = Literal["tied", "untied", "none"]

CHOICES = {
    "architecture": get_args(Architecture),
    "norm": get_args(NormName),
    "feed_forward": get_args(FeedForwardName),
    "positions": get_args(PositionName),
    "head": get_args(HeadName),
}
GATED: tuple[FeedForwardName, ...] = ("swiglu", "geglu")


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """One model. Raises ValueError for an unknown choice or a size below 1, ShapeError where sizes disagree.

    >>> tiny = ModelConfig(architecture="decoder", vocab_size=11, n_layers=2, d_model=8, n_heads=2, d_ff=32)
    >>> tiny.head_width, tiny.kv_heads
    (4, 2)
    >>> ModelConfig(architecture="decoder", vocab_size=11, n_layers=2, d_model=8, n_heads=3, d_ff=32)
    Traceback (most recent call last):
    transformer_core.errors.ShapeError: n_heads must divide d_model, got n_heads=3, d_model=8
    """

    architecture: Architecture
    vocab_size: int
    n_layers: int  # of each stack: an encoder-decoder has twice as many
    d_model: int
    n_heads: int
    d_ff: int
    n_kv_heads: int | None = None  # n_heads unless given; fewer is GQA, 1 is MQA
    d_k: int | None = None  # d_model / n_heads unless given
    window: int | None = None  # how many tokens a query sees, its own included; all unless given

    norm: NormName = "layer"
    norm_first: bool = True  # pre-norm; False is post-norm, as in 2017 and in BERT
    final_norm: bool = True  # one more norm after the last layer; pre-norm models need it
    eps: float = 1e-5
    feed_forward: FeedForwardName = "gelu"

    positions: PositionName = "rope"
    max_positions: int | None = None  # rows of the learned table
    rope_base: float = 10_000.0
    n_segments: int = 0  # BERT's sentence A and sentence B
    scale_embedding: bool = False  # by sqrt(d_model), as in 2017
    embedding_norm: bool = False  # as in BERT

    qkv_bias: bool = False
    output_bias: bool = False  # of W_O
    feed_forward_bias: bool = False  # gated layers have none
    pooler: bool = False  # BERT's tanh layer over the first token
    head: HeadName = "tied"  # the logits: by the embedding transposed, by a matrix of their own, or none

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        check_positive(
            vocab_size=self.vocab_size, n_layers=self.n_layers, d_model=self.d_model, d_ff=self.d_ff
        )
        check_positive(head_width=self.head_width, kv_heads=self.kv_heads)
        check_divides("n_kv_heads", self.kv_heads, "n_heads", self.n_heads)
        if self.window is not None:
            check_positive(window=self.window)
        if (self.positions == "learned") != (self.max_positions is not None):
            raise ValueError(
                "max_positions is the number of rows of the learned table, given with positions='learned' "
                f"and only then, got positions={self.positions!r}, max_positions={self.max_positions}"
            )
        if self.positions == "rope" and self.head_width % 2:
            raise ValueError(f"rope turns pairs: the width of a head must be even, got {self.head_width}")
        if self.feed_forward_bias and self.is_gated:
            raise ValueError(f"feed_forward={self.feed_forward!r} has no biases, got feed_forward_bias=True")

    @property
    def kv_heads(self) -> int:
        """How many key and value heads there are."""
        return self.n_heads if self.n_kv_heads is None else self.n_kv_heads

    @property
    def head_width(self) -> int:
        """d_k, and d_v as well."""
        return (
            check_divides("n_heads", self.n_heads, "d_model", self.d_model) if self.d_k is None else self.d_k
        )

    @property
    def is_gated(self) -> bool:
        """Whether the feed-forward layer has three matrices and not two."""
        return self.feed_forward in GATED

    @property
    def n_stacks(self) -> int:
        """How many stacks of n_layers there are."""
        return 2 if self.architecture == "encoder-decoder" else 1
