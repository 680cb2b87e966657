"""Wrong multi-head attentions, each with the check that rejects it; built like those in attention.py."""

import math

import numpy as np


def split(x, n):  # (..., S, n * d) -> (..., n, S, d)
    return x.reshape(*x.shape[:-1], n, -1).swapaxes(-2, -3)


def merge(x):  # (..., n, S, d) -> (..., S, n * d)
    x = x.swapaxes(-2, -3)
    return x.reshape(*x.shape[:-2], -1)


def project(x, W, b):
    return x @ W if b is None else x @ W + b


def share(x, n_heads):
    return np.repeat(x, n_heads // x.shape[-3], axis=-3)


def scale_of(d_k, d_model):
    return 1 / math.sqrt(d_k)


def sources(x, context):
    """Where query, key and value come from."""
    return x, context, context


def mix(query, key, value, scale, is_causal):
    scores = query @ key.swapaxes(-1, -2) * scale
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True) @ value


def out(concat, params):
    return project(concat, params.W_O, params.b_O)


STEPS = {step.__name__: step for step in (split, merge, project, share, scale_of, sources, mix, out)}


def assemble(**other):
    """A multi-head attention with some steps exchanged for others."""
    assert other.keys() <= STEPS.keys()
    step = STEPS | other

    def attend(x, params, n_heads, *, context=None, n_kv_heads=None, is_causal=False):
        n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
        for_query, for_key, for_value = step["sources"](x, x if context is None else context)
        query = step["split"](step["project"](for_query, params.W_Q, params.b_Q), n_heads)
        key = step["split"](step["project"](for_key, params.W_K, params.b_K), n_kv_heads)
        value = step["split"](step["project"](for_value, params.W_V, params.b_V), n_kv_heads)
        scale = step["scale_of"](query.shape[-1], x.shape[-1])
        heads = step["mix"](
            query, step["share"](key, n_heads), step["share"](value, n_heads), scale, is_causal
        )
        return step["out"](step["merge"](heads), params)

    return attend


as_it_should_be = assemble()


def split_without_transposing(x, n):
    return x.reshape(*x.shape[:-2], n, x.shape[-2], x.shape[-1] // n)


def split_with_the_heads_inside(x, n):
    """As though a head owned every n-th column."""
    return np.moveaxis(x.reshape(*x.shape[:-1], -1, n), -1, -3)


def merge_without_transposing(x):
    n, S, d = x.shape[-3:]
    return x.reshape(*x.shape[:-3], S, n * d)


def average_of_the_heads(x):
    mean = x.mean(axis=-3)
    return np.concatenate([mean] * x.shape[-3], axis=-1)


def tile(x, n_heads):
    return np.concatenate([x] * (n_heads // x.shape[-3]), axis=-3)


def first_head_for_all(x, n_heads):
    return np.repeat(x[..., :1, :, :], n_heads, axis=-3)


def all_heads_as_one(query, key, value, scale, is_causal):
    """One pattern for all heads: their scores added up."""
    joint = query @ key.swapaxes(-1, -2)
    joint = np.broadcast_to(joint.sum(axis=-3, keepdims=True), joint.shape) * scale
    weights = np.exp(joint - joint.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ value


MUTANTS = {
    "heads split without transposing": (assemble(split=split_without_transposing), "check_loops"),
    "a head owns every n-th column": (assemble(split=split_with_the_heads_inside), "check_heads_are_apart"),
    "heads merged without transposing": (assemble(merge=merge_without_transposing), "check_heads_are_apart"),
    "heads averaged": (assemble(merge=average_of_the_heads), "check_heads_are_apart"),
    "heads mixed by one pattern": (assemble(mix=all_heads_as_one), "check_loops"),
    "scaled by the root of d_model": (assemble(scale_of=lambda d_k, d: 1 / math.sqrt(d)), "check_loops"),
    "tile for repeat": (assemble(share=tile), "check_grouped"),
    "first key head for all": (assemble(share=first_head_for_all), "check_grouped"),
    "concat backwards": (assemble(out=lambda concat, p: out(concat[..., ::-1], p)), "check_loops"),
    "no W_O": (assemble(out=lambda concat, p: concat[..., :1] * np.ones(p.W_O.shape[1])), "check_loops"),
    "no biases": (assemble(project=lambda x, W, b: x @ W), "check_biases"),
    "bias of W_O forgotten": (assemble(out=lambda concat, p: concat @ p.W_O), "check_biases"),
    "causal forgotten": (assemble(mix=lambda q, k, v, s, causal: mix(q, k, v, s, False)), "check_causal"),
    "query from the context": (assemble(sources=lambda x, c: (x[..., ::-1, :], c, c)), "check_cross"),
    "context ignored": (
        assemble(sources=lambda x, c: (x, c[..., : x.shape[-2], :], c[..., : x.shape[-2], :])), "check_cross",
    ),
    "keys averaged over the batch": (
        assemble(mix=lambda q, k, v, s, c: mix(q, k.mean(axis=0, keepdims=True), v, s, c)), "check_batch",
    ),
}  # fmt: skip
