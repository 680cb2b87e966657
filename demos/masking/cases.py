"""The sequences, the masks, what is filled in, and what a choice does to each row."""

from functools import cache
from typing import NamedTuple

import numpy as np

from demos.kit import Words, text
from transformer_core import TOKENS, W_K, W_Q, X, attention_trace, causal_mask, padding_mask_from_ids, softmax

SENTENCE = ("CLS", "my", "dog", "SEP", "PAD", "PAD")
# d_k = 4; the query of "my" meets the keys with the scores 2, 1, 3, 2, 4, 5 after scaling
QUERY = np.array([[0, 2, 0, 0], [2, 0, 0, 0], [0, 0, 2, 2], [0, 2, 2, 0], [1, 0, 0, 1], [1, 0, 0, 1]], float)
KEY = np.array([[2, 1, 0, 1], [1, 3, 1, 0], [3, 0, 2, 1], [2, 1, 1, 2], [4, 2, 0, 0], [5, 0, 1, 0]], float)
LEFT = [4, 5, 0, 1, 2, 3]  # the same tokens with the padding in front

MASKS = {
    "causal": text(zh="因果", en="causal"),
    "padding": text(zh="填充", en="padding"),
    "both": text(zh="两者", en="both"),
    "none": text(zh="不遮", en="none"),
}
FILLS: dict[str, tuple[Words, float, type]] = {
    "inf": ("−∞", -np.inf, np.float32),
    "big": ("−1e9", -1e9, np.float32),
    "half": (text(zh="−1e9（float16）", en="−1e9 (float16)"), -1e9, np.float16),
    "zero": ("0", 0.0, np.float32),
}
SCORES, MASKED, WEIGHTS = range(3)


class Sequence(NamedTuple):
    """Tokens with their scaled scores, and which of them are real."""

    tokens: tuple[str, ...]
    scaled: np.ndarray  # (S, S)
    real: np.ndarray  # (S,) bool
    d_k: int


class Stages(NamedTuple):
    """What a choice does to a sequence."""

    scaled: np.ndarray  # (S, S)
    between: np.ndarray  # (S, S) masked scores; weights without a mask where the mask comes late
    weights: np.ndarray  # (S, S)


class Verdict(NamedTuple):
    """What became of the rows that see at least one key, and how many see none."""

    lowest: float  # smallest row sum
    highest: float
    leak: float  # the largest share of a row that went to hidden keys
    sums_hold: bool
    empty: int

    @property
    def kind(self) -> str:
        if not self.sums_hold:
            return "breaks"
        return "leaks" if self.leak > 0 else "right"


@cache
def sequence(data: str) -> Sequence:
    """The worked example, or a padded sentence of six tokens."""
    if data == "we":
        query, key, tokens = X @ W_Q, X @ W_K, TOKENS
    else:
        order = LEFT if data == "left" else list(range(len(SENTENCE)))
        query, key, tokens = QUERY[order], KEY[order], tuple(SENTENCE[n] for n in order)
    real = padding_mask_from_ids([[token != "PAD" for token in tokens]]).ravel()
    return Sequence(tokens, attention_trace(query, key, key).scaled, real, query.shape[-1])


@cache
def visible(data: str, mask: str) -> np.ndarray:  # -> (S, S) bool
    """Which query may look at which key."""
    shown = sequence(data)
    size = len(shown.tokens)
    seen = np.ones((size, size), dtype=bool)
    if mask in ("causal", "both"):
        seen &= causal_mask(size)
    if mask in ("padding", "both"):
        seen &= shown.real
    return seen


@cache
def stages(data: str, mask: str, fill: str, late: bool) -> Stages:
    """Scores, what is in between, weights; the mask is filled in before the softmax or after it."""
    _, value, dtype = FILLS[fill]
    with np.errstate(over="ignore"):  # -1e9 is -inf in float16: that is the point
        filled = np.array(value).astype(dtype)
    scaled, seen = sequence(data).scaled.astype(dtype), visible(data, mask)
    if late:
        plain = softmax(scaled)
        return Stages(scaled, plain, np.where(seen, plain, filled))
    masked = np.where(seen, scaled, filled)
    return Stages(scaled, masked, softmax(masked))


@cache
def judge(data: str, mask: str, fill: str, late: bool) -> Verdict:
    """Whether each row still adds up to 1, and how much reached hidden keys."""
    seen, weights = visible(data, mask), stages(data, mask, fill, late).weights.astype(np.float64)
    some = seen.any(axis=-1)
    sums = weights[some].sum(axis=-1)
    leak = np.where(seen, 0, weights)[some].sum(axis=-1).max()
    close = 2e-3 if fill == "half" else 1e-5  # float16 keeps three digits
    holds = bool(np.all(np.abs(sums - 1) < close))
    return Verdict(
        float(sums.min()), float(sums.max()), max(0.0, round(float(leak), 6)), holds, int((~some).sum())
    )
