"""Wrong attentions, each with the check that rejects it.

They are all one assembly of small steps with one step exchanged. `as_it_should_be` is the assembly with none
exchanged; a test shows that it passes every check, so that a mutant fails by its own fault alone.
"""

import math

import numpy as np


def scores_of(query, key):
    return query @ key.swapaxes(-1, -2)


def scale_of(query, key, given):
    return 1 / math.sqrt(query.shape[-1]) if given is None else given


def cap(scores, soft_cap):
    return scores if soft_cap is None else soft_cap * np.tanh(scores / soft_cap)


def causal(S_q, S_k, alignment):
    offset = 0 if alignment == "top-left" else S_k - S_q
    return np.arange(S_k) <= np.arange(S_q)[:, None] + offset


def visible_of(shape, attn_mask, is_causal, alignment):
    visible = np.ones(shape, bool)
    if attn_mask is not None:
        visible &= attn_mask if attn_mask.dtype == bool else attn_mask > -np.inf
    return visible & causal(*shape[-2:], alignment) if is_causal else visible


def bias_of(attn_mask):
    if attn_mask is None or attn_mask.dtype == bool:
        return 0.0
    return np.where(attn_mask > -np.inf, attn_mask, 0)


def normalise(scores, visible):
    masked = np.where(visible, scores, -np.inf)
    top = masked.max(axis=-1, keepdims=True)
    exponentials = np.exp(masked - np.where(top == -np.inf, 0, top))
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / np.where(total == 0, 1, total)


def share_heads(x, n_heads):
    return np.repeat(x, n_heads // x.shape[-3], axis=-3)


def mix(weights, value):
    return weights @ value


def work_in(dtype):
    return np.result_type(dtype, np.float32)


def answer_in(dtype):
    return dtype


STEPS = {
    step.__name__: step
    for step in (
        scores_of,
        scale_of,
        cap,
        visible_of,
        bias_of,
        normalise,
        share_heads,
        mix,
        work_in,
        answer_in,
    )
}


def assemble(**other):
    """An attention with some steps exchanged for others."""
    assert other.keys() <= STEPS.keys()
    step = STEPS | other

    def attend(
        query, key, value, attn_mask=None, *,
        is_causal=False, alignment="top-left", scale=None, soft_cap=None, enable_gqa=False,
    ):  # fmt: skip
        dtype, work = query.dtype, step["work_in"](query.dtype)
        query, key, value = (array.astype(work) for array in (query, key, value))
        if enable_gqa:
            key, value = (
                step["share_heads"](key, query.shape[-3]),
                step["share_heads"](value, query.shape[-3]),
            )
        scores = step["scores_of"](query, key)
        scores = scores * work.type(step["scale_of"](query, key, scale))
        scores = step["cap"](scores, soft_cap) + step["bias_of"](attn_mask)
        visible = step["visible_of"](scores.shape, attn_mask, is_causal, alignment)
        output = step["mix"](step["normalise"](scores, visible), value)
        return output.astype(step["answer_in"](dtype))

    return attend


as_it_should_be = assemble()


# --- faults in the softmax


def softmax_over_the_queries(scores, visible):
    return normalise(scores.swapaxes(-1, -2), visible.swapaxes(-1, -2)).swapaxes(-1, -2)


def mask_after_softmax(scores, visible):
    return normalise(scores, np.ones_like(visible)) * visible


def mask_by_multiplying(scores, visible):
    return normalise(scores * visible, np.ones_like(visible))


def mask_by_minus_ten(scores, visible):
    return normalise(np.where(visible, scores, -10), np.ones_like(visible))


def mask_by_the_lowest_number(scores, visible):
    return normalise(np.where(visible, scores, -1e9), np.ones_like(visible))


def no_maximum(scores, visible):
    exponentials = np.exp(np.where(visible, scores, -np.inf))
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / np.where(total == 0, 1, total)


def nan_for_nothing(scores, visible):
    with np.errstate(invalid="ignore"):
        exponentials = np.exp(np.where(visible, scores, -np.inf))
        return exponentials / exponentials.sum(axis=-1, keepdims=True)


def not_normalised(scores, visible):
    return np.exp(np.where(visible, scores, -np.inf))


# --- faults in the mask


def inverted(shape, attn_mask, is_causal, alignment):
    other = ~attn_mask if attn_mask is not None and attn_mask.dtype == bool else attn_mask
    return visible_of(shape, other, is_causal, alignment)


def inverted_causal(shape, attn_mask, is_causal, alignment):
    visible = visible_of(shape, attn_mask, False, alignment)
    return visible & causal(*shape[-2:], alignment)[..., ::-1, ::-1] if is_causal else visible


def strict_causal(shape, attn_mask, is_causal, alignment):
    visible = visible_of(shape, attn_mask, False, alignment)
    S_q, S_k = shape[-2:]
    offset = 0 if alignment == "top-left" else S_k - S_q
    return visible & (np.arange(S_k) < np.arange(S_q)[:, None] + offset) if is_causal else visible


def one_step_ahead(shape, attn_mask, is_causal, alignment):
    visible = visible_of(shape, attn_mask, False, alignment)
    return visible & np.tri(*shape[-2:], k=1, dtype=bool) if is_causal else visible


def always_top_left(shape, attn_mask, is_causal, alignment):
    return visible_of(shape, attn_mask, is_causal, "top-left")


def always_bottom_right(shape, attn_mask, is_causal, alignment):
    return visible_of(shape, attn_mask, is_causal, "bottom-right")


def causal_replaces_the_mask(shape, attn_mask, is_causal, alignment):
    return visible_of(shape, None if is_causal else attn_mask, is_causal, alignment)


def causal_or_mask(shape, attn_mask, is_causal, alignment):
    if attn_mask is None or not is_causal:
        return visible_of(shape, attn_mask, is_causal, alignment)
    return visible_of(shape, attn_mask, False, alignment) | causal(*shape[-2:], alignment)


def float_mask_as_bool(shape, attn_mask, is_causal, alignment):
    return visible_of(shape, None if attn_mask is None else attn_mask != 0, is_causal, alignment)


# --- the other steps


def normalised_directions(query, key):
    return scores_of(
        query / np.linalg.norm(query, axis=-1, keepdims=True),
        key / np.linalg.norm(key, axis=-1, keepdims=True),
    )


def key_reshaped(query, key):
    return query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])


def scaled_by_keys(query, key, given):
    return 1 / math.sqrt(key.shape[-2]) if given is None else given


def values_backwards(weights, value):
    return weights @ value[..., ::-1, :]


def cap_on_the_mask(scores, visible):
    masked = 0.5 * np.tanh(np.where(visible, scores, -np.inf) / 0.5)
    return normalise(masked, np.ones_like(visible))


def tiled(x, n_heads):
    return np.concatenate([x] * (n_heads // x.shape[-3]), axis=-3)


def first_head_for_all(x, n_heads):
    return np.repeat(x[..., :1, :, :], n_heads, axis=-3)


def writing_into_its_input(query, key, value, *more, **options):
    query *= 0.5
    return as_it_should_be(query, key, value, *more, **options)


MUTANTS = {
    "no scale": (assemble(scale_of=lambda q, k, given: 1.0), "check_exact"),
    "divided by d_k": (assemble(scale_of=lambda q, k, given: 1 / q.shape[-1]), "check_exact"),
    "multiplied by the root": (assemble(scale_of=lambda q, k, given: q.shape[-1] ** 0.5), "check_exact"),
    "divided by the root of S_k": (assemble(scale_of=scaled_by_keys), "check_loops"),
    "given scale ignored": (assemble(scale_of=lambda q, k, given: scale_of(q, k, None)), "check_scale"),
    "given scale on top of the own": (
        assemble(scale_of=lambda q, k, given: scale_of(q, k, None) * (given or 1)), "check_scale",
    ),
    "cosines for dot products": (assemble(scores_of=normalised_directions), "check_loops"),
    "key reshaped, not transposed": (assemble(scores_of=key_reshaped), "check_loops"),
    "values in the wrong order": (assemble(mix=values_backwards), "check_loops"),
    "softmax over the queries": (assemble(normalise=softmax_over_the_queries), "check_loops"),
    "no softmax sum": (assemble(normalise=not_normalised), "check_loops"),
    "no maximum subtracted": (assemble(normalise=no_maximum), "check_float16"),
    "mask after softmax": (assemble(normalise=mask_after_softmax), "check_rows_with_a_mask_are_mixtures"),
    "mask by multiplying": (assemble(normalise=mask_by_multiplying), "check_hidden_keys_do_not_matter"),
    "hidden is -10": (assemble(normalise=mask_by_minus_ten), "check_hidden_keys_do_not_matter"),
    "hidden is -1e9": (assemble(normalise=mask_by_the_lowest_number), "check_nothing_visible"),
    "NaN where nothing is visible": (assemble(normalise=nan_for_nothing), "check_nothing_visible"),
    "mask inverted": (assemble(visible_of=inverted), "check_bool_mask"),
    "mask ignored": (
        assemble(visible_of=lambda s, m, c, a: visible_of(s, None, c, a)), "check_hidden_keys_do_not_matter",
    ),
    "float mask as bool": (assemble(visible_of=float_mask_as_bool), "check_float_mask"),
    "float mask not added": (assemble(bias_of=lambda mask: 0.0), "check_float_mask"),
    "causal ignored": (
        assemble(visible_of=lambda s, m, c, a: visible_of(s, m, False, a)), "check_later_tokens",
    ),
    "causal backwards": (assemble(visible_of=inverted_causal), "check_later_tokens"),
    "strict causal": (assemble(visible_of=strict_causal), "check_causal"),
    "one step ahead": (assemble(visible_of=one_step_ahead), "check_later_tokens"),
    "always top-left": (assemble(visible_of=always_top_left), "check_causal_bottom_right"),
    "always bottom-right": (assemble(visible_of=always_bottom_right), "check_causal_top_left"),
    "causal in place of the mask": (assemble(visible_of=causal_replaces_the_mask), "check_causal_and_mask"),
    "causal or mask": (assemble(visible_of=causal_or_mask), "check_causal_and_mask"),
    "tile for repeat": (assemble(share_heads=tiled), "check_grouped_query"),
    "first head for all": (assemble(share_heads=first_head_for_all), "check_grouped_query"),
    "soft cap ignored": (assemble(cap=lambda scores, soft_cap: scores), "check_soft_cap"),
    "soft cap after the mask": (
        assemble(cap=lambda scores, soft_cap: scores, normalise=cap_on_the_mask), "check_soft_cap",
    ),
    "soft cap without multiplying back": (
        assemble(cap=lambda scores, c: scores if c is None else np.tanh(scores / c)), "check_soft_cap",
    ),
    "hard cap": (
        assemble(cap=lambda scores, c: scores if c is None else np.clip(scores, -c, c)), "check_soft_cap",
    ),
    "worked in float16": (assemble(work_in=lambda dtype: dtype), "check_float16"),
    "float32 out for float16": (assemble(answer_in=work_in), "check_float16"),
    "writing into its input": (writing_into_its_input, "check_inputs_untouched"),
}  # fmt: skip
