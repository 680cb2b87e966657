"""Wrong additive attentions, each with the check that rejects it."""

import numpy as np


def pairs(query_part, key_part):
    return np.tanh(query_part[..., :, None, :] + key_part[..., None, :, :])


def normalise(scores, mask):
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(scores - np.where(top == -np.inf, 0, top))
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / np.where(total == 0, 1, total)


def score(hidden, v):
    return hidden @ v


STEPS = {step.__name__: step for step in (pairs, normalise, score)}


def assemble(**other):
    assert other.keys() <= STEPS.keys()
    step = STEPS | other

    def attend(query, key, value, params, mask=None):
        hidden = step["pairs"](query @ params.W_query, key @ params.W_key)
        return step["normalise"](step["score"](hidden, params.v), mask) @ value

    return attend


as_it_should_be = assemble()


def over_the_queries(scores, mask):
    exponentials = np.exp(scores - scores.max(axis=-2, keepdims=True))
    return exponentials / exponentials.sum(axis=-2, keepdims=True)


MUTANTS = {
    "product for sum": (
        assemble(pairs=lambda q, k: np.tanh(q[..., :, None, :] * k[..., None, :, :])), "check_loops",
    ),
    "no tanh": (assemble(pairs=lambda q, k: q[..., :, None, :] + k[..., None, :, :]), "check_exact"),
    "query left out": (assemble(pairs=lambda q, k: pairs(0 * q, k)), "check_loops"),
    "v left out": (assemble(score=lambda hidden, v: hidden.sum(axis=-1)), "check_exact"),
    "scaled by the root": (assemble(score=lambda hidden, v: hidden @ v / len(v) ** 0.5), "check_loops"),
    "softmax over the queries": (assemble(normalise=over_the_queries), "check_loops"),
    "mask inverted": (
        assemble(normalise=lambda s, m: normalise(s, None if m is None else ~m)), "check_mask",
    ),
    "mask ignored": (assemble(normalise=lambda s, m: normalise(s, None)), "check_mask"),
}  # fmt: skip
