"""What a model keeps in memory, as formulas: weights, KV cache, activations, and the traffic of attention.

A number takes `bytes_per_number`: 4 in float32, 2 in float16 and bfloat16, 1 in int8.
"""

from typing import NamedTuple

from transformer_core.config import ModelConfig
from transformer_core.cost import parameter_counts
from transformer_core.errors import check_positive
from transformer_core.flash import Tile


def weight_bytes(config: ModelConfig, bytes_per_number: int = 2) -> int:
    """All parameters.

    >>> from transformer_core.named_models import LLAMA_3_8B
    >>> weight_bytes(LLAMA_3_8B) / 2**30
    14.957527160644531
    """
    return parameter_counts(config).total * bytes_per_number


def kv_numbers_per_token(n_layers: int, n_kv_heads: int, d_k: int, d_v: int | None = None) -> int:
    """A key and a value for each KV head of each layer: MHA with n_heads of them, GQA with fewer, MQA with 1.

    >>> kv_numbers_per_token(n_layers=32, n_kv_heads=8, d_k=128)
    65536
    """
    check_positive(n_layers=n_layers, n_kv_heads=n_kv_heads, d_k=d_k)
    return n_layers * n_kv_heads * (d_k + (d_k if d_v is None else d_v))


def latent_numbers_per_token(n_layers: int, d_latent: int, d_rope: int = 0) -> int:
    """MLA: one latent for all heads of a layer, and the short key with RoPE that all heads share.

    >>> latent_numbers_per_token(n_layers=60, d_latent=512, d_rope=64)  # DeepSeek-V2
    34560
    """
    check_positive(n_layers=n_layers, d_latent=d_latent)
    return n_layers * (d_latent + d_rope)


def cache_bytes(
    numbers_per_token: int,
    n_tokens: int,
    *,
    batch: int = 1,
    bytes_per_number: int = 2,
    window: int | None = None,
) -> int:
    """The whole cache. With a sliding window no more than `window` tokens of each sequence are kept.

    >>> cache_bytes(kv_numbers_per_token(32, 8, 128), 8192) == 2**30
    True
    """
    kept = n_tokens if window is None else min(n_tokens, window)
    return numbers_per_token * kept * batch * bytes_per_number


def kv_cache_bytes(config: ModelConfig, n_tokens: int, *, batch: int = 1, bytes_per_number: int = 2) -> int:
    """The cache of a decoder's own tokens.

    >>> from transformer_core.named_models import LLAMA_2_7B
    >>> kv_cache_bytes(LLAMA_2_7B, 4096) == 2 * 2**30
    True
    """
    numbers = kv_numbers_per_token(config.n_layers, config.kv_heads, config.head_width)
    return cache_bytes(
        numbers, n_tokens, batch=batch, bytes_per_number=bytes_per_number, window=config.window
    )


def tokens_to_outgrow(
    memory: int,
    numbers_per_token: int,
    *,
    batch: int = 1,
    bytes_per_number: int = 2,
    window: int | None = None,
) -> int | None:
    """The first context length at which the cache takes more than `memory` bytes; None where it never does.

    >>> from transformer_core.named_models import LLAMA_3_8B
    >>> tokens_to_outgrow(weight_bytes(LLAMA_3_8B), kv_numbers_per_token(32, 8, 128), batch=16)
    7659
    """
    per_token = cache_bytes(numbers_per_token, 1, batch=batch, bytes_per_number=bytes_per_number)
    n_tokens = memory // per_token + 1
    return n_tokens if window is None or n_tokens <= window else None


class ActivationCounts(NamedTuple):
    """What the backward pass of one layer reads again, in numbers a token."""

    norms: int  # the normalised vector and its inverse deviation, two norms
    module_inputs: int  # what attention and feed-forward were given
    heads: int  # query, key, value, and the heads' output side by side
    weights: int  # n_heads * S: the part that grows with the square of the sequence
    feed_forward: int  # the hidden values before and after the activation; gated layers keep four such

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self)


def layer_activations(config: ModelConfig, S: int) -> ActivationCounts:
    """For one token in a sequence of S, one layer, without dropout and without recomputing anything.

    These are the arrays that `layer_backward` reads. Frameworks keep a few more (dropout masks, the scores
    before softmax) and come to 34 bytes * d_model + 5 bytes * n_heads * S where numbers take two bytes
    (Korthikanti et al., 2022); tiled attention recomputes the weights and keeps none.

    >>> from transformer_core.named_models import GPT_2_SMALL
    >>> layer_activations(GPT_2_SMALL, S=1024)
    ActivationCounts(norms=1538, module_inputs=1536, heads=3072, weights=12288, feed_forward=6144)
    """
    check_positive(S=S)
    d, query, kv = config.d_model, config.n_heads * config.head_width, config.kv_heads * config.head_width
    return ActivationCounts(
        norms=2 * (d + 1),
        module_inputs=2 * d,
        heads=2 * query + 2 * kv,
        weights=config.n_heads * S,
        feed_forward=(4 if config.is_gated else 2) * config.d_ff,
    )


def activation_bytes(config: ModelConfig, S: int, *, batch: int = 1, bytes_per_number: int = 4) -> int:
    """All layers of a training step over batch * S tokens, the final norm, and the probabilities of the loss.

    Raises ValueError for an encoder-decoder, where source and target have lengths of their own.

    >>> from transformer_core.named_models import GPT_2_SMALL
    >>> round(activation_bytes(GPT_2_SMALL, S=1024, batch=8) / 2**30, 1)
    10.6
    """
    check_positive(batch=batch, bytes_per_number=bytes_per_number)
    if config.architecture == "encoder-decoder":
        raise ValueError("activation_bytes counts one stack, got architecture='encoder-decoder'")
    per_token = config.n_layers * layer_activations(config, S).total
    if config.final_norm:
        per_token += config.d_model + 1
    if config.head != "none":
        per_token += config.d_model + config.vocab_size  # the hidden state, and a log-probability a token
    return per_token * batch * S * bytes_per_number


class Traffic(NamedTuple):
    """Numbers that cross between the large slow memory and the small fast one."""

    read: int
    written: int

    @property
    def total(self) -> int:
        """Both ways."""
        return self.read + self.written


def plain_attention_traffic(S_q: int, S_k: int, d_k: int, d_v: int) -> Traffic:
    """Attention in three passes, one head: scores written and read again, weights written and read again.

    >>> plain_attention_traffic(1024, 1024, 64, 64).total / (1024 * 1024)
    4.25
    """
    scores = S_q * S_k
    read = (S_q * d_k + S_k * d_k) + scores + (scores + S_k * d_v)
    return Traffic(read, scores + scores + S_q * d_v)


def tiled_attention_traffic(plan: tuple[Tile, ...], d_k: int, d_v: int) -> Traffic:
    """Tiled attention, one head: the queries once, the keys and values once for each row of tiles.

    The plan is that of `tile_plan`; a hidden tile is not read. The scores never leave the fast memory.

    >>> from transformer_core.flash import tile_plan
    >>> tiled_attention_traffic(tile_plan(1024, 1024, tile_q=128, tile_k=128), 64, 64).total / (1024 * 1024)
    1.125
    """
    visited = [tile for tile in plan if tile.visible != "none"]
    queries = sum(end - start for start, end in {tile.queries for tile in visited})
    keys = sum(tile.keys[1] - tile.keys[0] for tile in visited)
    rows = sum(end - start for start, end in {tile.queries for tile in plan})
    return Traffic(queries * d_k + keys * (d_k + d_v), rows * d_v)
