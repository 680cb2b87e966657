"""Generation, token by token: run the model, choose from the last position's logits, append, again.

With the KV cache a step feeds the newest token alone; without it, everything from the start. The logits are
the same, to rounding; what differs is the work, and the trace counts it.
"""

from __future__ import annotations  # numpy.random is slow to import, and few draw

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray, IntArray
from transformer_core.cache import KVCache, cached_tokens, empty_cache, trim_cache
from transformer_core.config import ModelConfig
from transformer_core.embedding import embed, logits_of
from transformer_core.errors import check_positive
from transformer_core.model import encode, memory_heads, stack_trace
from transformer_core.model_params import ModelParams
from transformer_core.sampling import greedy_token, sample_token, sampling_probabilities


class ModelCache(NamedTuple):
    """All that a decoder has to remember between two steps."""

    layers: tuple[KVCache, ...]  # each layer's keys and values of the tokens so far
    memory: tuple[KVCache, ...] | None  # the same of an encoder's output, for cross-attention; never grows
    memory_mask: npt.NDArray[np.generic] | None  # broadcasts to (..., n_heads, 1, S_source)
    seen: int  # tokens so far; with a sliding window the layers hold fewer


class Work(NamedTuple):
    """What a step did, counted on the arrays that it made."""

    token_projections: int  # tokens made into a query, key and value, over all layers and sequences
    dot_products: int  # self-attention's queries times keys, over all layers, heads and sequences


class Advance(NamedTuple):
    """What running some new tokens gives."""

    logits: FloatArray  # (..., S_new, vocab_size)
    cache: ModelCache  # with the new tokens in it
    work: Work


class GenerationStep(NamedTuple):
    """One step."""

    fed: IntArray  # (..., S) the tokens that went through the model in this step
    logits: FloatArray  # (..., vocab_size) of the last position
    probabilities: FloatArray | None  # (..., vocab_size) what was drawn from; None where greedy
    chosen: IntArray  # (...)
    work: Work


class GenerationTrace(NamedTuple):
    """The whole text, the prompt included, and the steps, one forward pass each."""

    token_ids: IntArray  # (..., S + steps)
    steps: tuple[GenerationStep, ...]


def generate(
    prompt: npt.ArrayLike,  # (..., S) S of 1 or more
    params: ModelParams,
    config: ModelConfig,
    n_new: int,
    *,
    rng: np.random.Generator | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    stop_id: int | None = None,
    use_cache: bool = True,
    source_ids: npt.ArrayLike | None = None,  # (..., S_source)
    source_mask: npt.ArrayLike | None = None,  # broadcasts to (..., n_heads, 1, S_source)
) -> IntArray:  # (..., S + n_new)
    """Continue the prompt by n_new tokens: greedily, or drawn with `rng` as in `sampling_probabilities`.

    A sequence that has reached stop_id goes on with stop_id; when all have, generation ends early.
    An encoder-decoder continues the prompt as a translation of source_ids.

    >>> from transformer_core.initialize import init_model
    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=2, d_model=4, n_heads=2, d_ff=8)
    >>> params = init_model(np.random.default_rng(0), config)
    >>> generate([[1, 2]], params, config, 3).shape
    (1, 5)
    """
    return generation_trace(
        prompt, params, config, n_new,
        rng=rng, temperature=temperature, top_k=top_k, top_p=top_p, stop_id=stop_id, use_cache=use_cache,
        source_ids=source_ids, source_mask=source_mask,
    ).token_ids  # fmt: skip


def generation_trace(
    prompt: npt.ArrayLike,
    params: ModelParams,
    config: ModelConfig,
    n_new: int,
    *,
    rng: np.random.Generator | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    stop_id: int | None = None,
    use_cache: bool = True,
    source_ids: npt.ArrayLike | None = None,
    source_mask: npt.ArrayLike | None = None,
) -> GenerationTrace:
    """`generate` with every step kept: what was fed, the logits, what was drawn from, and the work.

    >>> from transformer_core.initialize import init_model
    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=2, d_model=4, n_heads=2, d_ff=8)
    >>> params = init_model(np.random.default_rng(0), config)
    >>> [step.work.token_projections for step in generation_trace([1, 2, 3], params, config, 3).steps]
    [6, 2, 2]
    >>> trace = generation_trace([1, 2, 3], params, config, 3, use_cache=False)
    >>> [step.work.token_projections for step in trace.steps]
    [6, 8, 10]
    """
    ids = np.asarray(prompt)
    check_positive(prompt_length=ids.shape[-1] if ids.ndim else 0)
    if rng is None and (temperature, top_k, top_p) != (1.0, None, None):
        raise ValueError("temperature, top_k and top_p shape a draw: give rng, or leave them out for greedy")
    cache = start_cache(params, config, ids.shape[:-1], source_ids=source_ids, source_mask=source_mask)
    before = cache
    steps: list[GenerationStep] = []
    finished = np.zeros(ids.shape[:-1], np.bool_)
    for _ in range(n_new):
        fed = ids if not use_cache or not steps else ids[..., -1:]
        logits, cache, work = advance(fed, params, config, cache if use_cache else before)
        last = logits[..., -1, :]
        probabilities = None
        if rng is None:
            chosen = greedy_token(last)
        else:
            probabilities = sampling_probabilities(last, temperature=temperature, top_k=top_k, top_p=top_p)
            chosen = sample_token(probabilities, rng)
        if stop_id is not None:
            chosen = np.where(finished, stop_id, chosen)
            finished |= chosen == stop_id
        steps.append(GenerationStep(fed, last, probabilities, chosen, work))
        ids = np.concatenate([ids, chosen[..., None]], axis=-1)
        if stop_id is not None and finished.all():
            break
    return GenerationTrace(ids, tuple(steps))


def start_cache(
    params: ModelParams,
    config: ModelConfig,
    leading: tuple[int, ...] = (),
    *,
    source_ids: npt.ArrayLike | None = None,
    source_mask: npt.ArrayLike | None = None,
) -> ModelCache:
    """The cache before the first token; leading is (B,) or (). The source is encoded here, once.

    Raises ValueError for a config that cannot generate.

    >>> from transformer_core.initialize import init_model
    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=2, d_model=4, n_heads=2, d_ff=8)
    >>> cache = start_cache(init_model(np.random.default_rng(0), config), config, leading=(1,))
    >>> len(cache.layers), cache.layers[0].key.shape
    (2, (1, 2, 0, 2))
    """
    if config.architecture == "encoder" or config.head == "none":
        raise ValueError(
            "generation needs a decoder and a head, got "
            f"config.architecture={config.architecture!r}, config.head={config.head!r}"
        )
    empty = empty_cache(leading, config.kv_heads, config.head_width, dtype=params.token_embedding.dtype)
    source = encode(source_ids, params, config, source_mask=source_mask, keep=False)[1]
    memory = None if source is None else memory_heads(source.output, params.decoder, config)
    mask = None if source_mask is None else np.asarray(source_mask)
    return ModelCache((empty,) * config.n_layers, memory, mask, 0)


def advance(
    token_ids: npt.ArrayLike,  # (..., S_new)
    params: ModelParams,
    config: ModelConfig,
    cache: ModelCache,
) -> Advance:
    """Run the newest tokens alone.

    >>> from transformer_core.initialize import init_model
    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=2, d_model=4, n_heads=2, d_ff=8)
    >>> params = init_model(np.random.default_rng(0), config)
    >>> cache = advance([1, 2, 3], params, config, start_cache(params, config)).cache
    >>> logits, cache, work = advance([4], params, config, cache)
    >>> logits.shape, cache.seen, work
    ((1, 5), 4, Work(token_projections=2, dot_products=16))
    """
    embedding = embed(token_ids, params, config, first_position=cache.seen)
    stack = stack_trace(
        embedding.output,
        params.decoder,
        params.decoder_norm,
        config,
        is_causal=True,
        memory=cache.memory,
        memory_mask=cache.memory_mask,
        first_position=cache.seen,
        caches=cache.layers,
        keep=False,
    )
    fed = embedding.token_ids
    work = Work(
        token_projections=sum(fed.size for _ in stack.caches),
        dot_products=sum(config.n_heads * fed.size * cached_tokens(layer) for layer in stack.caches),
    )
    layers = tuple(trim_cache(layer, config.window) for layer in stack.caches)
    after = cache._replace(layers=layers, seen=cache.seen + fed.shape[-1])
    return Advance(logits_of(stack.output, params), after, work)
