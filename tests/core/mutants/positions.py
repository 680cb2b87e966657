"""Wrong positions, each with the check that rejects it."""

import numpy as np

from transformer_core import t5_buckets


def sinusoidal(
    S, d_model, *, exponent=lambda i, d: 2 * i / d, base=10000, place="interleaved", start=0, order=(0, 1)
):
    i = np.arange((d_model + 1) // 2)
    angles = (start + np.arange(S))[:, None] / base ** exponent(i, d_model)
    waves = [np.sin(angles), np.cos(angles)]
    first, second = waves[order[0]], waves[order[1]]
    if place == "halves":
        return np.concatenate([first, second], axis=1)[:, :d_model]
    return np.stack([first, second], axis=-1).reshape(S, -1)[:, :d_model]


def slopes(n, first=1, scale=8.0):
    return 2.0 ** (-scale * np.arange(first, first + n) / n)


def alibi(n_heads, S_q, S_k=None, *, alignment="top-left", sign=-1, first=0):
    S_k = S_q if S_k is None else S_k
    distance = np.abs(np.arange(S_q)[:, None] + first - np.arange(S_k))
    return sign * slopes(n_heads)[:, None, None] * distance


def buckets(offset, *, bidirectional=True, later="upper", exact_share=2, log=np.log):
    offset = np.asarray(offset)
    half = 16 if bidirectional else 32
    exact = half // exact_share
    distance = np.abs(offset) if bidirectional else np.maximum(-offset, 0)
    growth = log(np.maximum(distance, exact) / exact) / log(128 / exact)
    far = np.minimum(exact + (growth * (half - exact)).astype(int), half - 1)
    bucket = np.where(distance < exact, distance, far)
    if not bidirectional:
        return bucket
    return bucket + half * (offset > 0 if later == "upper" else offset < 0)


MUTANTS = {
    "halves for pairs": (lambda S, d: sinusoidal(S, d, place="halves"), "check_sinusoids"),
    "cos first": (lambda S, d: sinusoidal(S, d, order=(1, 0)), "check_sinusoids"),
    "exponent i / d": (lambda S, d: sinusoidal(S, d, exponent=lambda i, d: i / d), "check_sinusoids"),
    "another frequency in each column": (
        lambda S, d: sinusoidal(S, d, exponent=lambda i, d: 4 * i / d), "check_sinusoids",
    ),
    "base 1000": (lambda S, d: sinusoidal(S, d, base=1000), "check_sinusoids"),
    "from position 1": (lambda S, d: sinusoidal(S, d, start=1), "check_sinusoids"),
    "odd width rounded down": (lambda S, d: sinusoidal(S, d - d % 2), "check_sinusoidal_odd_width"),
    "odd width by half pairs": (
        lambda S, d: sinusoidal(S, d, exponent=lambda i, d: 2 * i / (d + d % 2)),
        "check_sinusoidal_odd_width",
    ),
    "slopes from 1": (lambda n: slopes(n, first=0), "check_slopes_of_powers"),
    "slopes by 2 ** -i": (lambda n: 2.0 ** -np.arange(1, n + 1), "check_slopes_of_powers"),
    "slopes backwards": (lambda n: slopes(n)[::-1], "check_slopes_of_powers"),
    "formula for powers used for all": (slopes, "check_slopes_between_powers"),
    "the next power cut off": (lambda n: slopes(16)[:n], "check_slopes_between_powers"),
    "the others from the second": (
        lambda n: np.concatenate([slopes(8), slopes(16)[1::2][: n - 8]]), "check_slopes_between_powers",
    ),
    "ALiBi rewards distance": (lambda *s, **o: alibi(*s, **o, sign=1), "check_alibi_exact"),
    "ALiBi from the top left": (alibi, "check_alibi_alignment"),
    "ALiBi squared": (lambda *s, **o: -(alibi(*s, **o) ** 2), "check_alibi_exact"),
    "later keys in the lower half": (lambda o, **k: buckets(o, **k, later="lower"), "check_buckets"),
    "one way as both ways": (
        lambda o, bidirectional=True: t5_buckets(o), "check_buckets_one_way",
    ),
    "query minus key": (lambda o, **k: buckets(-np.asarray(o), **k), "check_buckets"),
    "a quarter of them exact": (lambda o, **k: buckets(o, **k, exact_share=4), "check_buckets_borders"),
    "wide buckets all alike": (lambda o, **k: buckets(o, **k, log=lambda x: x - 1), "check_buckets_borders"),
    "negative positions from the end": (lambda table, where: table[np.array(where)], "check_lookup"),
    "positions clipped": (
        lambda table, where: table[np.clip(where, 0, len(table) - 1)], "check_lookup",
    ),
}  # fmt: skip
