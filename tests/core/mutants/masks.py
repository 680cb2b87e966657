"""Wrong masks, each with the check that rejects it."""

import numpy as np


def distance(S_q, S_k=None, alignment="top-left"):
    S_k = S_q if S_k is None else S_k
    first = 0 if alignment == "top-left" else S_k - S_q
    return first + np.arange(S_q)[:, None] - np.arange(S_k)


def window(S_q, S_k=None, *, window, is_causal=True, alignment="top-left", reach=0, behind=1):
    far = distance(S_q, S_k, alignment)
    return (np.abs(far) < window + reach) & (behind * far >= 0 if is_causal else True)


def without_the_own_token(S, *, window, is_causal=True):
    return (distance(S) > 0) & (distance(S) < window)


def before(S, reach):
    return (distance(S) >= 0) & (distance(S) < reach)


def global_local(S_q, S_k=None, *, window, global_tokens, is_causal=False, alignment="top-left",
                 seen=True, sees=True, shift=0):  # fmt: skip
    far = distance(S_q, S_k, alignment)
    keys = np.arange(far.shape[1])
    mask = np.abs(far) < window
    if seen:
        mask |= np.isin(keys, global_tokens)
    if sees:
        mask |= np.isin(far + keys + shift, global_tokens)
    return mask


def causal_one_way(S_q, S_k=None, *, alignment="top-left"):
    return distance(S_q, S_k, "top-left") >= 0


def rows_for_positions(S_q, S_k=None, *, window, global_tokens, is_causal=False, alignment="top-left"):
    mask = global_local(S_q, S_k, window=window, global_tokens=global_tokens, alignment=alignment, sees=False)
    mask[[row for row in global_tokens if row < S_q]] = True
    return mask


def by_max(mask, *more):
    return np.maximum(mask, more[0]) if len(more) == 1 else mask


def float_sum(*masks):
    return sum(np.where(mask, 0, -np.inf) if mask.dtype == bool else mask for mask in masks).astype("f8")


def bool_as_number(*masks):
    return sum(mask.astype("f4") for mask in masks)


MUTANTS = {
    "strict causal": (lambda S_q, S_k=None: distance(S_q, S_k) > 0, "check_causal_exact"),
    "causal transposed": (lambda S_q, S_k=None: distance(S_q, S_k) <= 0, "check_causal_exact"),
    "causal inverted": (lambda S_q, S_k=None: distance(S_q, S_k) < 0, "check_causal_exact"),
    "one step ahead": (lambda S_q, S_k=None: distance(S_q, S_k) >= -1, "check_causal_exact"),
    "bottom-right for top-left": (
        lambda S_q, S_k=None: distance(S_q, S_k, "bottom-right") >= 0, "check_causal_top_left",
    ),
    "top-left for bottom-right": (causal_one_way, "check_causal_bottom_right"),
    "square whatever S_k is": (lambda S_q, S_k=None: distance(S_q) >= 0, "check_causal_top_left"),
    "window of one more": (lambda *s, **o: window(*s, **o, reach=1), "check_window_exact"),
    "window without the own token": (without_the_own_token, "check_window_exact"),
    "window to the future": (lambda *s, **o: window(*s, **o, behind=-1), "check_window_exact"),
    "window always causal": (
        lambda *s, is_causal=True, **o: window(*s, **o, is_causal=True), "check_window_both_sides",
    ),
    "dilation ignored": (lambda S, window, dilation: before(S, window), "check_dilated_exact"),
    "dilation widens the window alone": (
        lambda S, window, dilation: before(S, window * dilation), "check_dilated_exact",
    ),
    "window not widened": (
        lambda S, window, dilation: before(S, window) & (distance(S) % dilation == 0), "check_dilated_exact",
    ),
    "dilation by key position": (
        lambda S, window, dilation: before(S, window * dilation) & (np.arange(S) % dilation == 1),
        "check_dilated_exact",
    ),
    "global token is not seen": (lambda *s, **o: global_local(*s, **o, seen=False), "check_global_exact"),
    "global token does not see": (lambda *s, **o: global_local(*s, **o, sees=False), "check_global_exact"),
    "rows taken for positions": (rows_for_positions, "check_global_position_counts_from_the_keys"),
    "global token sees the future": (global_local, "check_global_causal"),
    "padding inverted": (
        lambda lengths, S: np.arange(S) >= np.array(lengths)[:, None, None, None], "check_padding_exact",
    ),
    "padding of one more": (
        lambda lengths, S: np.arange(S) <= np.array(lengths)[:, None, None, None], "check_padding_exact",
    ),
    "padding (B, S_k)": (lambda lengths, S: np.arange(S) < np.array(lengths)[:, None], "check_padding_exact"),
    "padding at the front": (
        lambda lengths, S: (np.arange(S) < np.array(lengths)[:, None, None, None])[..., ::-1],
        "check_padding_exact",
    ),
    "pad id ignored": (
        lambda ids, pad_id=0: (np.array(ids) != 0)[:, None, None], "check_ids_exact",
    ),
    "ids inverted": (lambda ids, pad_id=0: (np.array(ids) == pad_id)[:, None, None], "check_ids_exact"),
    "everything behind the first pad hidden": (
        lambda ids, pad_id=0: np.logical_and.accumulate(np.array(ids) != pad_id, axis=1)[:, None, None],
        "check_ids_exact",
    ),
    "or for and": (by_max, "check_combine_exact"),
    "floats not added": (lambda *masks: by_max(masks[1], *masks[2:]), "check_combine_with_float"),
    "wider dtype": (float_sum, "check_combine_with_float"),
    "bool as 1 and 0": (bool_as_number, "check_combine_with_float"),
}  # fmt: skip
