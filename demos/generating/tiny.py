"""A tiny decoder that continues <BOS> by one sentence, run as in training and as in inference.

All its weights are random but the last matrix, which is fitted to the sentence by ridge regression. So it has
something to say, and every number comes from really running it.
"""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from transformer_core.config import ModelConfig
from transformer_core.generation import GenerationStep, Work, generation_trace
from transformer_core.initialize import init_model
from transformer_core.model import ModelTrace, model_trace
from transformer_core.model_params import ModelParams

TOKENS = ("<BOS>", "attention", "is", "all", "you", "need", "<EOS>")
STEPS = len(TOKENS) - 1  # every token but the last is an input, every one but the first a prediction
CONFIG = ModelConfig(
    architecture="decoder", vocab_size=len(TOKENS), n_layers=2, d_model=16, n_heads=2, d_ff=32, head="untied"
)
SEED, RIDGE, SHARPNESS = 0, 0.5, 6.0


class Training(NamedTuple):
    """One forward pass over the whole text."""

    logits: np.ndarray  # (STEPS, vocab_size)
    work: Work


class Inference(NamedTuple):
    """One forward pass for each new token."""

    tokens: tuple[int, ...]  # what was said, <BOS> included
    steps: tuple[GenerationStep, ...]


@cache
def fitted() -> ModelParams:
    """The parameters: hidden @ W_logits is near SHARPNESS at the right token and near 0 elsewhere."""
    params = init_model(np.random.default_rng(SEED), CONFIG)
    hidden = model_trace(range(STEPS), params, CONFIG).hidden  # (STEPS, d_model)
    wanted = SHARPNESS * np.eye(len(TOKENS))[1:]  # (STEPS, vocab_size)
    ridge = hidden.T @ hidden + RIDGE * np.eye(CONFIG.d_model)
    return params._replace(W_logits=np.linalg.solve(ridge, hidden.T @ wanted))


@cache
def train(causal: bool) -> Training:
    """The forward pass of training: the text goes in whole. Not causal: with the mask left out by mistake."""
    params, config = fitted(), CONFIG
    if not causal:  # an encoder is the same stack without the mask
        params = params._replace(encoder=params.decoder, encoder_norm=params.decoder_norm)
        config = replace(config, architecture="encoder")
    trace = model_trace(range(STEPS), params, config)
    return Training(trace.logits, counted(trace))


@cache
def infer(use_cache: bool) -> Inference:
    """The forward passes of greedy inference from <BOS>."""
    trace = generation_trace([0], fitted(), CONFIG, STEPS, use_cache=use_cache)
    return Inference(tuple(trace.token_ids.tolist()), trace.steps)


def counted(trace: ModelTrace) -> Work:
    """The work of a pass, read off the arrays that it made."""
    modules = [layer.attention.module for layer in trace.stack.layers]
    return Work(
        token_projections=sum(module.query.shape[-2] for module in modules),
        dot_products=sum(module.attention.scores.size for module in modules),
    )


def total(works: list[Work]) -> Work:
    """Work done one after the other."""
    return Work(*(sum(part) for part in zip(*works, strict=True)))
